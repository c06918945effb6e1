"""V01: the strip beside the text shows the whole document, and scrolls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES
from viewer_driver import choose_in_python, in_viewer, middle_of, press, switch

# Colours of a column of the strip, at a share of its width: "r,g,b" for each row, nothing where it is clear.
COLUMN = """
  const canvas = root.querySelector(".map canvas");
  const x = Math.floor(argument * canvas.width);
  const { data } = canvas.getContext("2d").getImageData(x, 0, 1, canvas.height);
  return Array.from({ length: canvas.height }, (_, row) => {
    const [r, g, b, a] = data.slice(4 * row, 4 * row + 4);
    return a > 200 ? `${r},${g},${b}` : "";
  });
"""


def rows_with(column: list[str]) -> list[float]:
    """Shares of the height at which a column is drawn."""
    return [(row + 0.5) / len(column) for row, colour in enumerate(column) if colour]


def frame(page: Page) -> tuple[float, float]:
    """What is said to be in sight, as shares of the strip's height."""
    top, bottom = in_viewer(
        page,
        """
        const strip = root.querySelector(".map").getBoundingClientRect();
        const frame = root.querySelector(".map .frame").getBoundingClientRect();
        return [(frame.top - strip.top) / strip.height, (frame.bottom - strip.top) / strip.height];
        """,
    )
    return top, bottom


def in_sight(page: Page) -> tuple[int, int]:
    """First and last character in the visible part, by looking at every block and line."""
    first, last = in_viewer(
        page,
        """
        const box = text.getBoundingClientRect();
        const range = document.createRange();
        const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
        let before = 0;
        const seen = [];
        while (walk.nextNode()) {
          for (let i = 0; i < walk.currentNode.length; i++) {
            range.setStart(walk.currentNode, i);
            range.setEnd(walk.currentNode, i + 1);
            const rect = range.getBoundingClientRect();
            if (rect.bottom > box.top && rect.top < box.bottom) seen.push(before + i);
          }
          before += walk.currentNode.length;
        }
        return [seen[0], seen.at(-1)];
        """,
    )
    return first, last


def test_v01_the_strip_shows_every_chunk_and_gap_at_its_place(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    page.wait_for_timeout(300)
    text, starts, ends = CASES["plain"]()
    column = in_viewer(page, COLUMN, 0.3)
    assert len(column) >= 300
    for row, colour in enumerate(column):
        at = (row + 0.5) / len(column) * len(text)
        edges = [*starts.tolist(), *ends.tolist()]
        if min(abs(at - edge) for edge in edges) / len(text) * len(column) < 2:
            continue  # a line that shows a start may lie here
        covering = [i for i in range(len(starts)) if starts[i] <= at < ends[i]]
        assert bool(colour) == bool(covering), f"row {row}"
    shades = {colour for colour in column if colour}
    assert len(shades) == 6, "Five pastels, and the colour of the lines."


def test_v01_the_strip_shows_marks_and_hits(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    text, starts, ends = CASES["plain"]()
    assert rows_with(in_viewer(page, COLUMN, 0.65)) == []
    switch(page, "Marks")
    switch(page, "Hits")
    page.wait_for_timeout(200)
    for start, end in ((2, 30), (len(text) // 3, len(text) // 3 + 40)):
        middle = (start + end) / 2 / len(text)
        assert min(abs(row - middle) for row in rows_with(in_viewer(page, COLUMN, 0.65))) < 0.01
    hits = in_viewer(page, COLUMN, 0.9)
    for chunk in (1, 3):
        middle = (starts[chunk] + ends[chunk]) / 2 / len(text)
        assert min(abs(row - middle) for row in rows_with(hits)) < 0.01
    assert len({colour for colour in hits if colour}) == 2, "A hit that answers has another colour."


def test_v01_the_frame_is_around_what_is_in_sight(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    length = len(CASES["plain"]()[0])
    for share in (0, 0.4, 1):
        in_viewer(page, "text.scrollTop = argument * text.scrollHeight", share)
        page.wait_for_timeout(250)
        first, last = in_sight(page)
        top, bottom = frame(page)
        assert top == pytest.approx(first / length, abs=0.03)
        assert bottom == pytest.approx(last / length, abs=0.03)


@pytest.mark.parametrize("case", ["plain", "long"])
def test_v01_a_click_and_a_drag_scroll(open_case: Callable[..., Page], case: str) -> None:
    page = open_case(case)
    strip = page.locator(".viewer .map").bounding_box()
    assert strip
    x = strip["x"] + strip["width"] / 2
    page.mouse.click(x, strip["y"] + 0.6 * strip["height"])
    page.wait_for_timeout(700)
    top, bottom = frame(page)
    assert top < 0.6 < bottom
    page.mouse.move(x, strip["y"] + 0.6 * strip["height"])
    page.mouse.down()
    page.mouse.move(x - 60, strip["y"] + 0.25 * strip["height"], steps=10)
    page.wait_for_timeout(700)
    page.mouse.up()
    top, bottom = frame(page)
    assert top < 0.25 < bottom
    page.mouse.move(x, strip["y"] + 0.9 * strip["height"], steps=3)
    page.wait_for_timeout(400)
    assert frame(page) == pytest.approx((top, bottom), abs=0.01), "It has been let go."


def test_v01_the_strip_of_ten_thousand_chunks_is_three_elements(open_case: Callable[..., Page]) -> None:
    """V01. Where chunks are lower than a pixel it shows how dense the cuts are; scrolling draws nothing anew."""
    page = open_case("long")
    page.wait_for_timeout(300)
    assert in_viewer(page, "return root.querySelectorAll('.map *').length") == 3
    in_viewer(
        page,
        """
        root.drawn = 0;
        const prototype = CanvasRenderingContext2D.prototype;
        const { fillRect } = prototype;
        prototype.fillRect = function (...place) { root.drawn++; return fillRect.apply(this, place); };
        """,
    )
    in_viewer(page, "text.scrollTop = text.scrollHeight / 2")
    page.wait_for_timeout(400)
    assert in_viewer(page, "return root.drawn") == 0
    choose_in_python(page, 9_000)
    page.wait_for_timeout(300)
    drawn = in_viewer(page, "return root.drawn")
    assert 0 < drawn < 2_000, "As many as the strip has rows, however many chunks there are."


def test_v01_the_strip_follows_the_theme(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    page.wait_for_timeout(300)
    light = in_viewer(page, COLUMN, 0.3)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(1_000)
    dark = in_viewer(page, COLUMN, 0.3)
    assert len(light) == len(dark)
    assert all(a != b for a, b in zip(light, dark, strict=True) if a)


def test_v01_the_strip_is_passed_by_by_screen_readers_and_keys(open_case: Callable[..., Page]) -> None:
    """V01. The text's own keys scroll it all: Page Down, End, J and K."""
    page = open_case("plain")
    expect(page.locator(".viewer .map")).to_have_attribute("aria-hidden", "true")
    assert in_viewer(page, "return root.querySelectorAll('.map [tabindex], .map button').length") == 0
    before = frame(page)
    press(page, "PageDown")
    page.wait_for_timeout(600)
    assert frame(page)[0] > before[0]


def test_v01_no_text_has_no_strip(open_case: Callable[..., Page]) -> None:
    page = open_case("empty")
    page.wait_for_timeout(200)
    expect(page.locator(".viewer .map")).to_be_hidden()


def test_v01_the_text_starts_at_its_very_top(open_case: Callable[..., Page]) -> None:
    """V01. The strip takes its room before the text is drawn: nothing moves."""
    page = open_case("plain")
    page.wait_for_timeout(500)
    assert in_viewer(page, "return text.scrollTop") == 0
    _, y = middle_of(page, 0, CASES["plain"]()[0])
    box = page.locator(".viewer .text").bounding_box()
    assert box
    assert y > box["y"] + 12
