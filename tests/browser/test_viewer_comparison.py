"""V08: two chunkings of one text side by side, scrolled together; what differs stands out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import viewer_cases
from playwright.sync_api import Page, expect
from viewer_cases import CASES, LOREM
from viewer_driver import CHARACTER_PLACES, echoed, in_viewer, status, units, wait_for_echo

from pages.shared.viewer import Mark, Side, text_comparison

Sets = tuple[list[int], list[int], list[int]]


def boundaries(text: str, starts: list[int], ends: list[int]) -> set[int]:
    """By looking at every character: where a chunk starts, or text ends that a chunk covers and no other goes on."""
    found = {start for start in starts if 0 < start < len(text)}
    covered = [any(a <= at < b for a, b in zip(starts, ends, strict=True)) for at in range(len(text))]
    for at in range(1, len(text)):
        if covered[at - 1] and not covered[at]:
            gap_end = next((i for i in range(at, len(text)) if covered[i]), len(text))
            if text[at:gap_end].strip():
                found.add(at)
    return found


def expected(case: str, other: str) -> Sets:
    text, starts, ends = CASES[case]()
    right = getattr(viewer_cases, other)(text, starts, ends)
    ours = boundaries(text, starts.tolist(), ends.tolist())
    theirs = boundaries(text, right[0].tolist(), right[1].tolist())
    return sorted(ours - theirs), sorted(theirs - ours), sorted(ours & theirs)


SHOWN = """
  // Units of the boundaries that are drawn on each side, strong and quiet.
  return [...root.querySelectorAll(".text")].map((side) => [".cut.only", ".cut.both"].map((kind) =>
    [...side.querySelectorAll(kind)].map((cut) => Number(cut.dataset.unit)).sort((a, b) => a - b)));
"""

SCROLLS = "return [...root.querySelectorAll('.text')].map((side) => side.scrollTop)"

SIDES_WITH = "return [...root.querySelectorAll('.text')].map((side) => side.querySelector(argument) !== null)"


def press_in(page: Page, side: int, *keys: str) -> None:
    page.locator(".viewer .text").nth(side).focus()
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize(("case", "other"), [("plain", "shifted"), ("touching", "shifted"), ("plain", "same")])
def test_v08_boundaries_are_counted_and_drawn(open_comparison: Callable[..., Page], case: str, other: str) -> None:
    """V08. Against a count at every single character; also at gaps between chunks."""
    page = open_comparison(case, other=other)
    page.wait_for_timeout(500)
    left, right, shared = expected(case, other)
    noun = "boundary" if len(left) == 1 else "boundaries"
    assert status(page) == f"{len(left)} {noun} only left, {len(right)} only right, {len(shared)} shared"
    in_viewer(page, "text.scrollTop = text.scrollHeight")
    page.wait_for_timeout(500)
    assert in_viewer(page, SHOWN) == [[left, shared], [right, shared]]
    assert bool(right) == (other == "shifted")


def test_v08_boundaries_are_at_the_right_characters_in_any_script(open_comparison: Callable[..., Page]) -> None:
    """V08. Units of the page against Python's code points, over emoji, Arabic and line ends of all kinds."""
    page = open_comparison("nasty")
    page.wait_for_timeout(500)
    text, *_ = CASES["nasty"]()
    left, right, shared = expected("nasty", "shifted")
    assert status(page) == f"{len(left)} boundaries only left, {len(right)} only right, {len(shared)} shared"
    for side, (strong, quiet) in enumerate(in_viewer(page, SHOWN)):
        mine = [units(text[:at]) for at in (left, right)[side]]
        both = [units(text[:at]) for at in shared]
        assert len(strong) > 10
        assert strong == mine[: len(strong)]
        assert quiet == both[: len(quiet)]


@pytest.mark.parametrize("case", ["plain", "nasty", "touching", "rtl"])
def test_v08_both_sides_have_the_same_lines(open_comparison: Callable[..., Page], case: str) -> None:
    """V08. Every character that can be seen is at the same place on both sides, so that lines stand side by side.

    Inside a joined word or emoji that one side cuts, places differ along the line; the lines are the same all the same.
    """
    by_unit = [character for character in CASES[case]()[0] for _ in range(units(character))]
    page = open_comparison(case)
    page.wait_for_timeout(500)
    sides = [in_viewer(page, CHARACTER_PLACES, [0, 3_000, side]) for side in (0, 1)]
    assert len(sides[0]) == len(sides[1]) > 90
    seen = [pair for pair, character in zip(zip(*sides, strict=True), by_unit, strict=False) if character.isprintable()]
    assert [(a, b) for a, b in seen if abs(a[1] - b[1]) > 1] == []
    assert sum(abs(a[0] - b[0]) > 1 for a, b in seen) <= (len(seen) // 100 if case == "nasty" else 0)


def test_v08_chunks_of_both_sides_have_no_colour_and_others_have(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("plain")
    in_viewer(page, "text.scrollTop = text.scrollHeight")
    page.wait_for_timeout(500)
    text, starts, ends = CASES["plain"]()
    right = viewer_cases.shifted(text, starts, ends)
    ours = set(zip(starts.tolist(), ends.tolist(), strict=True))
    theirs = set(zip(right[0].tolist(), right[1].tolist(), strict=True))
    drawn = in_viewer(
        page,
        """
        return [...root.querySelectorAll(".text")].map((side) => [...side.querySelectorAll(".piece")].map((piece) => {
          const { backgroundColor, backgroundImage } = getComputedStyle(piece);
          return [piece.textContent, backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none"];
        }));
        """,
    )
    for pieces, own, other in ((drawn[0], ours, theirs), (drawn[1], theirs, ours)):
        at = 0
        for piece, coloured in pieces:
            for point in range(at, at + len(piece)):
                covering = {span for span in own if span[0] <= point < span[1]}
                assert coloured == bool(covering - other)
            at += len(piece)
        assert at == len(text)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("case", ["plain", "long"])
def test_v08_the_sides_scroll_together(open_comparison: Callable[..., Page], case: str, side: int) -> None:
    page = open_comparison(case)
    box = page.locator(".viewer .text").nth(side).bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    for distance in (150, 400, -100):
        page.mouse.wheel(0, distance)
        page.wait_for_timeout(400)
        a, b = in_viewer(page, SCROLLS)
        assert a == pytest.approx(b, abs=1.5)
    assert in_viewer(page, SCROLLS)[side] == pytest.approx(450, abs=2)
    in_viewer(page, "root.querySelectorAll('.text')[argument].scrollTop = 1e9", side)
    page.wait_for_timeout(600)
    a, b = in_viewer(page, SCROLLS)
    assert a == pytest.approx(b, abs=1.5)
    assert a > 900


def test_v08_n_goes_through_the_differences(open_comparison: Callable[..., Page]) -> None:
    """V08. N and Shift + N, in the order of the text, with their places said; they stop at the last and the first."""
    page = open_comparison("plain")
    left, right, _ = expected("plain", "shifted")
    merged = sorted([(at, "left") for at in left] + [(at, "right") for at in right])
    for number, (at, side) in enumerate(merged, 1):
        press_in(page, 0, "n")
        assert status(page).startswith(f"Difference {number} of {len(merged)}: only {side}, at character {at} (")
    page.wait_for_timeout(600)
    expect(page.locator(".viewer [aria-live=polite]")).to_have_text(status(page))
    current = page.locator(".viewer .cut.current")
    assert current.get_attribute("data-unit") == str(merged[-1][0])
    box, text = current.bounding_box(), page.locator(".viewer .text").nth(1).bounding_box()
    assert box
    assert text
    assert text["y"] <= box["y"] <= text["y"] + text["height"]
    a, b = in_viewer(page, SCROLLS)
    assert a == pytest.approx(b, abs=1.5) and a > 0  # noqa: PT018
    press_in(page, 0, "n")
    assert status(page).startswith(f"Difference {len(merged)} of")
    press_in(page, 1, "Shift+N", "Shift+N")
    assert status(page).startswith(f"Difference {len(merged) - 2} of")
    page.get_by_role("button", name="Next difference (N)").click()
    assert status(page).startswith(f"Difference {len(merged) - 1} of")


def test_v08_equal_chunkings_say_so(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("plain", other="same")
    assert re.fullmatch(r"0 boundaries only left, 0 only right, \d+ shared", status(page))
    expect(page.get_by_role("button", name="Next difference (N)")).to_be_disabled()
    press_in(page, 0, "n")
    expect(page.locator(".viewer [aria-live=polite]")).to_have_text("No differences")


def test_v08_a_click_selects_on_its_side_and_tells_python(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("plain")
    piece = page.locator(".viewer .text").nth(1).locator(".piece[data-chunk='0']").first
    piece.click(position={"x": 40, "y": 10})
    assert wait_for_echo(page, lambda echo: bool(echo["received"]))["received"] == [{"side": 1, "chunk": 0}]
    cards = page.locator(".viewer .card:popover-open")
    expect(cards).to_have_count(1)
    press_in(page, 0, "j")
    wait_for_echo(page, lambda echo: len(echo["received"]) == 2)
    expect(cards).to_have_count(1)
    assert in_viewer(page, SIDES_WITH, ".piece.selected") == [True, False]
    page.keyboard.press("Escape")
    echo = wait_for_echo(page, lambda echo: len(echo["received"]) == 3)
    assert echo["received"][1:] == [{"side": 0, "chunk": 0}, {"side": 0, "chunk": -1}]
    expect(cards).to_have_count(0)


def test_v08_the_strip_has_a_lane_for_each_side(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("plain")
    page.wait_for_timeout(500)
    text = CASES["plain"]()[0]
    left, right, _ = expected("plain", "shifted")
    for x, own in ((0.2, left), (0.8, right)):
        rows = in_viewer(
            page,
            """
            const canvas = root.querySelector(".map canvas");
            const { data } = canvas.getContext("2d").getImageData(argument * canvas.width, 0, 1, canvas.height);
            const rows = Array.from({ length: canvas.height }, (_, row) => [...data.slice(4 * row, 4 * row + 4)]);
            return rows.map(([r, g, b, a]) => (a ? Math.max(r, g, b) - Math.min(r, g, b) : 0));
            """,
            x,
        )
        strong = [row / len(rows) for row, colour in enumerate(rows) if colour > 60]
        for at in own:
            assert min(abs(row - at / len(text)) for row in strong) < 0.01
        assert len(strong) == 2 * len(own)


def test_v08_white_space_and_full_screen_work_on_both_sides(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("plain")
    press_in(page, 1, "w")
    page.wait_for_timeout(500)
    assert in_viewer(page, SIDES_WITH, ".signs") == [True, True]
    press_in(page, 0, "f")
    page.wait_for_function("document.fullscreenElement !== null")
    page.wait_for_timeout(500)
    boxes = [page.locator(".viewer .text").nth(side).bounding_box() for side in (0, 1)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["height"] == boxes[1]["height"] > 600
    press_in(page, 0, "?")
    expect(page.locator(".viewer .keys")).to_contain_text("N / Shift + N")
    press_in(page, 0, "Escape", "f")
    page.wait_for_function("document.fullscreenElement === null")


def test_v08_on_a_phone_one_stands_above_the_other(
    new_page: Callable[..., Page], open_comparison: Callable[..., Page]
) -> None:
    page = open_comparison("plain", new_page(viewport={"width": 390, "height": 800}))
    page.wait_for_timeout(400)
    boxes = [page.locator(".viewer .text").nth(side).bounding_box() for side in (0, 1)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert boxes[0]["width"] == boxes[1]["width"]
    assert boxes[1]["y"] + boxes[1]["height"] <= 800
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    in_viewer(page, "root.querySelector('.text').scrollTop = 333")
    page.wait_for_timeout(300)
    a, b = in_viewer(page, SCROLLS)
    assert a == pytest.approx(333, abs=1.5)
    assert b == pytest.approx(333, abs=1.5)


def test_v08_five_million_characters_stay_few_elements(open_comparison: Callable[..., Page]) -> None:
    page = open_comparison("long")
    press_in(page, 0, "n", "n", "n")
    page.wait_for_timeout(500)
    assert status(page).startswith("Difference 3 of 6,666")
    for tenth in (3, 7):
        in_viewer(page, f"text.scrollTop = text.scrollHeight * {tenth} / 10")
        page.wait_for_timeout(400)
        counts = in_viewer(
            page, "return [...root.querySelectorAll('.text')].map((t) => t.querySelectorAll('.block *').length)"
        )
        assert all(0 < count < 600 for count in counts)


def test_v08_marks_are_on_both_sides_and_send_little(page: Page, open_comparison: Callable[..., Page]) -> None:
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_comparison("long")
    assert sum(received) > 5_000_000
    received.clear()
    runs = echoed(page)["runs"]
    page.locator("label", has_text="Marks").first.click()
    wait_for_echo(page, lambda echo: echo["runs"] > runs)
    page.wait_for_timeout(400)
    marked = in_viewer(
        page,
        """return [...root.querySelectorAll('.text')].map((side) =>
          [...side.querySelectorAll('.marked')].map((piece) => piece.textContent).join(''))""",
    )
    assert marked == [CASES["long"]()[0][2:30]] * 2
    assert sum(received) < 8_000


def test_v08_what_does_not_fit_is_refused() -> None:
    good = Side("a", [0, 5], [5, 9])
    with pytest.raises(ValueError, match="sorted"):
        text_comparison(LOREM, good, Side("b", [5, 0], [9, 4]), key="k", version="v")
    with pytest.raises(ValueError, match="9999"):
        text_comparison(LOREM, good, good, key="k", version="v", marks=[Mark(0, 9999)])
