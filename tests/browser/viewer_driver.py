"""Drives the text viewer in a page of viewer_app.py, and reads it and what Python received from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page


def echoed(page: Page) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(page.locator(".st-key-echo").inner_text())
    return content


def wait_for_echo(page: Page, holds: Callable[[dict[str, Any]], bool], seconds: float = 20) -> dict[str, Any]:
    """What Python received, as soon as it fulfils a condition."""
    page.locator(".st-key-echo").wait_for()
    for _ in range(int(seconds * 20)):
        echo = echoed(page)
        if holds(echo):
            return echo
        page.wait_for_timeout(50)
    raise AssertionError(f"Python received only {echoed(page)}.")


def in_viewer(page: Page, script: str, argument: Any = None) -> Any:
    """Runs the body of a function of (root, text, argument) in the page: shadow root and box of the text."""
    return page.evaluate(
        """async ([script, argument]) => {
          const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
          const root = hosts.map((host) => host.shadowRoot).find((each) => each?.querySelector(".viewer"));
          const run = new (async () => {}).constructor("root", "text", "argument", script);
          return run(root, root.querySelector(".text"), argument);
        }""",
        [script, argument],
    )


def shown_text(page: Page) -> str:
    """All text nodes of the text, one after the other."""
    return texts_of(page, ".block")


SELECT = """
  // Selects from unit argument[0] to argument[1]; the third says whether backwards.
  const place = (unit) => {
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      if (unit <= walk.currentNode.length) return [walk.currentNode, unit];
      unit -= walk.currentNode.length;
    }
  };
  const ends = [place(argument[0]), place(argument[1])];
  if (argument[2]) ends.reverse();
  document.getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
  await new Promise((done) => setTimeout(done, 60));
"""


def select(page: Page, text: str, start: int, end: int, *, backward: bool = False) -> None:
    """Selects a range of code points in the page, by its own walk over the page's text."""
    in_viewer(page, SELECT, [units(text[:start]), units(text[:end]), backward])


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def status(page: Page) -> str:
    return page.locator(".viewer .status").inner_text()


def said_offsets(page: Page) -> tuple[int, int]:
    """The range that the status line calls selected."""
    found = re.fullmatch(r"(\d+) characters? selected: (\d+) to (\d+)", status(page))
    assert found, f"The status line says {status(page)!r}."
    length, start, end = map(int, found.groups())
    assert length == end - start
    return start, end


def selected_offsets(page: Page) -> tuple[int, int]:
    """The range that is selected in the page, counted here in code points; the status line must agree."""
    start, end = in_viewer(
        page,
        """
        const { startContainer, startOffset, endContainer, endOffset } = document
          .getSelection()
          .getComposedRanges({ shadowRoots: [root] })[0];
        const pointsBefore = (node, offset) => {
          const range = document.createRange();
          range.setStart(text, 0);
          range.setEnd(node, offset);
          return [...range.toString()].length;
        };
        return [pointsBefore(startContainer, startOffset), pointsBefore(endContainer, endOffset)];
        """,
    )
    assert said_offsets(page) == (start, end)
    return start, end


def switch(page: Page, name: str) -> None:
    before = echoed(page)["runs"]
    page.locator("label", has_text=name).first.click()
    wait_for_echo(page, lambda echo: echo["runs"] > before)
    page.wait_for_timeout(200)


def choose_in_python(page: Page, chunk: int) -> None:
    box = page.get_by_label("Chunk", exact=True)
    box.fill(str(chunk))
    box.press("Enter")
    wait_for_echo(page, lambda echo: echo["selected"] == chunk)


def press(page: Page, *keys: str) -> None:
    page.locator(".viewer .text").focus()
    for key in keys:
        page.keyboard.press(key)


def middle_of(page: Page, start: int, text: str) -> tuple[float, float]:
    """Where on the screen the character at an offset is."""
    x, y = in_viewer(
        page,
        """
        const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
        let unit = argument;
        while (walk.nextNode() && unit >= walk.currentNode.length) unit -= walk.currentNode.length;
        const range = document.createRange();
        range.setStart(walk.currentNode, unit);
        range.setEnd(walk.currentNode, unit + 1);
        const box = range.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
        """,
        units(text[:start]),
    )
    return x, y


def texts_of(page: Page, selector: str) -> str:
    """The texts of all elements of a kind, joined."""
    script = "return [...text.querySelectorAll(argument)].map((each) => each.textContent).join('')"
    joined: str = in_viewer(page, script, selector)
    return joined


def selected_is_in_sight(page: Page) -> bool:
    """Whether the first line of the selected chunk is inside the visible part of the text."""
    inside: bool = in_viewer(
        page,
        """
        const line = text.querySelector(".piece.selected").getClientRects()[0];
        const box = text.getBoundingClientRect();
        return line.top >= box.top && line.bottom <= box.bottom;
        """,
    )
    return inside


def card_rows(page: Page) -> dict[str, str]:
    """What the card says: its title as "title", and its rows by name."""
    rows: dict[str, str] = in_viewer(
        page,
        """
        const said = { title: root.querySelector(".card .title").textContent };
        for (const name of root.querySelectorAll(".card dt")) said[name.textContent] = name.nextSibling.textContent;
        return said;
        """,
    )
    return rows


def hover(page: Page, offset: int, text: str) -> None:
    """Moves the pointer to a character, and waits until the viewer has noticed."""
    page.mouse.move(*middle_of(page, offset, text))
    page.wait_for_timeout(300)


CHARACTER_PLACES = """
  // Left and top of every character (UTF-16 unit) from argument[0] to argument[1], within the box argument[2].
  const box = root.querySelectorAll(".text")[argument[2] ?? 0];
  const { left, top } = box.getBoundingClientRect();
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const places = [];
  let before = 0;
  while (walk.nextNode() && before < argument[1]) {
    for (let i = 0; i < walk.currentNode.length; i++) {
      if (before + i < argument[0] || before + i >= argument[1]) continue;
      range.setStart(walk.currentNode, i);
      range.setEnd(walk.currentNode, i + 1);
      const rect = range.getBoundingClientRect();
      places.push([Math.round(rect.left - left), Math.round(rect.top - top + box.scrollTop)]);
    }
    before += walk.currentNode.length;
  }
  return places;
"""
