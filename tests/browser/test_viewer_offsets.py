"""V01, R04: what the user selects in the text viewer is, to the character, what Python receives.

Offsets are compared with what Python makes of the same places: a table from UTF-16 units, which a browser
counts, to code points.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES, FAMILY
from viewer_driver import (
    SELECT,
    in_viewer,
    middle_of,
    press,
    said_offsets,
    select,
    selected_offsets,
    shown_text,
    units,
    wait_for_echo,
)


def points_of_units(text: str) -> list[tuple[int, int]]:
    """For every UTF-16 unit boundary: the code point boundary at or before it, and the one at or after it."""
    table: list[tuple[int, int]] = []
    for point, character in enumerate(text):
        table.append((point, point))
        if ord(character) > 0xFFFF:
            table.append((point, point + 1))
    return [*table, (len(text), len(text))]


RANDOM_SELECTIONS = """
  let seed = 20240611;
  const random = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const status = root.querySelector(".status");
  const nodesOf = () => {
    const nodes = [];
    let before = 0;
    const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      nodes.push([walk.currentNode, before]);
      before += walk.currentNode.length;
    }
    return nodes;
  };
  // One place: in a text node, or before or after it in its element; with its distance from the beginning.
  const pick = (nodes, i) => {
    const [node, before] = nodes[i];
    const inElement = random(4) === 0;
    const at = [...node.parentNode.childNodes].indexOf(node);
    if (inElement && random(2)) return [node.parentNode, at, before];
    if (inElement) return [node.parentNode, at + 1, before + node.length];
    const offset = random(node.length + 1);
    return [node, offset, before + offset];
  };
  const found = [];
  while (found.length < argument) {
    if (found.length % 50 === 25) {
      text.scrollTop = random(text.scrollHeight);
      await new Promise((done) => setTimeout(done, 100));
    }
    const nodes = nodesOf();
    const i = random(nodes.length);
    let a = pick(nodes, i);
    let b = pick(nodes, Math.min(nodes.length - 1, i + random(found.length % 5 ? 6 : 300)));
    if (random(2)) [a, b] = [b, a];
    if (a[2] === b[2]) continue;
    status.textContent = "";
    document.getSelection().setBaseAndExtent(a[0], a[1], b[0], b[1]);
    for (let wait = 0; wait < 100 && !status.textContent; wait++) {
      await new Promise((done) => setTimeout(done, 5));
    }
    found.push([a[2], b[2], status.textContent]);
  }
  return found;
"""


def test_v01_r04_300_random_selections_have_pythons_offsets(open_case: Callable[..., Page]) -> None:
    """R04. Forwards and backwards, in text and element nodes, within and across chunks and blocks."""
    page = open_case("nasty")
    text, _, _ = CASES["nasty"]()
    table = points_of_units(text)
    found = in_viewer(page, RANDOM_SELECTIONS, 300)
    assert len(found) == 300
    backward = across = cut = 0
    for a, b, said in found:
        low, high = min(a, b), max(a, b)
        start, end = table[low][0], table[high][1]
        assert said == f"{end - start} character{'s' * (end - start != 1)} selected: {start} to {end}"
        backward += a > b
        across += high - low > 4096
        cut += table[low][0] != table[low][1] or table[high][0] != table[high][1]
    assert min(backward, 300 - backward) > 50
    assert min(across, cut) > 5


@pytest.mark.parametrize("case", ["nasty", "plain", "deep", "touching", "one_line", "hostile", "rtl", "unchunked"])
def test_v01_the_page_holds_the_text_character_for_character(open_case: Callable[..., Page], case: str) -> None:
    page = open_case(case)
    assert shown_text(page) == CASES[case]()[0]


def test_r04_python_receives_exact_passages(open_case: Callable[..., Page]) -> None:
    """R04. Through the server: what arrives is Python's slice, for every kind of character."""
    page = open_case("nasty")
    text, starts, _ = CASES["nasty"]()
    crlf = text.index("\r\n")
    family = text.index(FAMILY)
    astral = text.index("\U00020bb7", 300)
    ranges = [
        (crlf, crlf + 2),
        (crlf + 1, crlf + 9),
        (family, family + len(FAMILY)),
        (family + 1, family + 3),
        (astral, astral + 1),
        (int(starts[2]) - 7, int(starts[4]) + 5),
        (10, 9_000),
    ]
    for count, (start, end) in enumerate(ranges, 1):
        select(page, text, start, end, backward=count % 2 == 0)
        assert selected_offsets(page) == (start, end)
        press(page, "m")
        received = wait_for_echo(page, lambda echo, n=count: len(echo["received"]) == n)["received"][-1]
        assert received == {"marked": [start, end], "exact": True}


def test_r04_a_selection_that_cuts_a_surrogate_pair_is_widened(open_case: Callable[..., Page]) -> None:
    page = open_case("nasty")
    text, _, _ = CASES["nasty"]()
    rocket = text.index("\U0001f680")
    unit = units(text[:rocket])
    in_viewer(page, SELECT, [unit + 1, unit + 3, False])
    assert said_offsets(page) == (rocket, rocket + 2)
    in_viewer(page, SELECT, [unit - 1, unit + 1, False])
    assert said_offsets(page) == (rocket - 1, rocket + 1)
    press(page, "m")
    received = wait_for_echo(page, lambda echo: bool(echo["received"]))["received"]
    assert received == [{"marked": [rocket - 1, rocket + 1], "exact": True}]


def test_r04_mouse_selection_and_button(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    text, _, _ = CASES["plain"]()
    button = page.locator(".viewer .mark")
    expect(button).to_be_disabled()
    start, end = text.index("replica"), text.index("twice")
    x1, y1 = middle_of(page, start, text)
    x2, y2 = middle_of(page, end, text)
    page.mouse.move(x1 - 1, y1)
    page.mouse.down()
    page.mouse.move(x2 - 1, y2, steps=6)
    page.mouse.up()
    expect(button).to_be_enabled()
    button.click()
    received = wait_for_echo(page, lambda echo: bool(echo["received"]))["received"]
    assert len(received) == 1, "A drag must not also select a chunk."
    assert received[0]["exact"]
    assert received[0]["marked"] == [pytest.approx(start, abs=1), pytest.approx(end, abs=1)]
    expect(page.locator(".viewer .piece.marked").first).to_be_visible()
    assert selected_offsets(page) == tuple(received[0]["marked"]), "Drawing the mark must keep the selection."


def test_r04_ctrl_a_selects_the_whole_text_and_nothing_else(open_case: Callable[..., Page]) -> None:
    page = open_case("nasty")
    text, _, _ = CASES["nasty"]()
    press(page, "Control+a")
    page.wait_for_timeout(150)
    assert selected_offsets(page) == (0, len(text))
    # Blocks that are drawn later, at the end of the text, must not change it.
    press(page, "End")
    page.wait_for_timeout(400)
    assert selected_offsets(page) == (0, len(text))
    press(page, "m")
    assert wait_for_echo(page, lambda echo: bool(echo["received"]))["received"][0]["exact"]


def test_r04_the_selection_stays_when_its_block_is_drawn_and_undrawn(open_case: Callable[..., Page]) -> None:
    page = open_case("nasty")
    text, _, _ = CASES["nasty"]()
    select(page, text, 500, len(text) - 500, backward=True)
    for position in ("text.scrollHeight", "0", "text.scrollHeight / 2", "text.scrollHeight"):
        in_viewer(page, f"text.scrollTop = {position}")
        page.wait_for_timeout(250)
        assert selected_offsets(page) == (500, len(text) - 500)
    assert in_viewer(page, "return document.getSelection().direction") == "backward"


def test_v01_numbers_are_no_part_of_copied_text(new_page: Callable[..., Page], open_case: Callable[..., Page]) -> None:
    page = open_case("nasty", new_page(permissions=["clipboard-read", "clipboard-write"]))
    text, _, _ = CASES["nasty"]()
    select(page, text, 0, 3_000)
    assert page.locator(".viewer .badge.number").count() > 10
    shown = in_viewer(page, "return document.getSelection().toString()")
    letters = re.compile(r"[\w]")
    assert letters.findall(shown) == letters.findall(text[:3_000])
    page.keyboard.press("Control+c")
    # The system's clipboard may write line ends its own way, but nothing else may differ.
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == text[:3_000].replace("\r\n", "\n")
