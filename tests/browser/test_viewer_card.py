"""V01: a chunk under the pointer stands out, and a card says what it is; a click, a tap or a key pins it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES, LOREM, facts_of
from viewer_driver import (
    card_rows,
    choose_in_python,
    echoed,
    hover,
    in_viewer,
    middle_of,
    press,
    select,
    selected_offsets,
    status,
    switch,
    texts_of,
    wait_for_echo,
)

from pages.shared.viewer import Facts, text_viewer


def place_of_card(page: Page) -> dict[str, float]:
    box = page.locator(".viewer .card").bounding_box()
    assert box
    return {name: float(value) for name, value in box.items()}


def assert_in_window(page: Page) -> None:
    card = place_of_card(page)
    size = page.viewport_size
    assert size
    assert card["x"] >= 0
    assert card["y"] >= 0
    assert card["x"] + card["width"] <= size["width"]
    assert card["y"] + card["height"] <= size["height"]


def expected_rows(case: str, chunk: int) -> dict[str, str]:
    """What the card must say, counted in Python from the text."""
    text, starts, ends = CASES[case]()
    facts = facts_of(text, starts, ends)
    start, end = int(starts[chunk]), int(ends[chunk])
    first, last = len(text[:start].encode()), len(text[:end].encode())
    rows = {
        "title": f"Chunk {chunk + 1:,} of {len(starts):,}",
        "Code points": f"{start:,}–{end:,} ({end - start:,})",
        "Bytes": f"{first:,}–{last:,} ({last - first:,})",
        "Length": f"{len(text[start:end].split()):,} words",
        "Page": str(start // 1000 + 1),
    }
    assert facts.paths is not None
    if facts.paths[chunk]:
        rows["Heading"] = " › ".join(facts.paths[chunk])
    if chunk + 1 < len(starts) and (shared := min(end, int(ends[chunk + 1])) - int(starts[chunk + 1])) > 0:
        rows["Overlap"] = f"{shared:,} code points with the next"
    return rows


def test_v01_hover_dims_the_other_chunks_and_shows_a_card(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", facts="1")
    text, starts, ends = CASES["plain"]()
    hover(page, int(ends[1]) + 20, text)
    expect(page.locator(".viewer .card")).to_be_visible()
    assert card_rows(page) == expected_rows("plain", 2)
    assert texts_of(page, ".piece.lit") == text[starts[2] : ends[2]]
    assert in_viewer(page, "return text.classList.contains('dimmed')")
    assert echoed(page)["received"] == [], "Python is not asked."
    hover(page, int(ends[2]) + 20, text)
    assert card_rows(page) == expected_rows("plain", 3)
    page.mouse.move(700, 780)
    page.wait_for_timeout(300)
    expect(page.locator(".viewer .card")).to_be_hidden()
    assert texts_of(page, ".piece.lit") == ""
    assert not in_viewer(page, "return text.classList.contains('dimmed')")


def test_v01_uncovered_text_has_no_card(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", facts="1")
    text, starts, ends = CASES["plain"]()
    grey = int(ends[0]) + 15
    assert not [i for i in range(len(starts)) if starts[i] <= grey < ends[i]]
    hover(page, grey, text)
    expect(page.locator(".viewer .card")).to_be_hidden()
    assert not in_viewer(page, "return text.classList.contains('dimmed')")


@pytest.mark.parametrize("chunk", [0, 3, 17, 100, 555])
def test_v01_the_card_counts_code_points_and_bytes_exactly(open_case: Callable[..., Page], chunk: int) -> None:
    """V01, V04. In a text of emoji, accents, CJK and a byte-order mark; against Python's own count."""
    page = open_case("nasty", facts="1")
    choose_in_python(page, chunk)
    press(page, "j", "k")
    page.wait_for_timeout(700)
    assert status(page).startswith(f"Chunk {chunk + 1} of 572")
    assert card_rows(page) == expected_rows("nasty", chunk)


def test_v01_without_facts_the_card_says_only_offsets(open_case: Callable[..., Page]) -> None:
    page = open_case("touching")
    hover(page, 10, CASES["touching"]()[0])
    assert card_rows(page) == {"title": "Chunk 2 of 43", "Code points": "7–14 (7)", "Bytes": "7–14 (7)"}


def test_v01_hits_are_on_the_card_and_numbers_run_on(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", first="15")
    switch(page, "Hits")
    press(page, "j", "j")
    rows = card_rows(page)
    assert rows["title"] == "Chunk 16"
    assert rows["Rank"] == "1, answers"
    press(page, "j", "j")
    assert card_rows(page)["Rank"] == "2, does not answer"


def test_v01_a_click_pins_the_card_and_nothing_moves(open_case: Callable[..., Page]) -> None:
    """V01. It stays when the pointer leaves, where it was, until Esc, its button or a click elsewhere."""
    page = open_case("plain", facts="1")
    text, _, ends = CASES["plain"]()
    card = page.locator(".viewer .card")
    frame = page.locator(".viewer").bounding_box()
    at = middle_of(page, int(ends[1]) + 20, text)
    page.mouse.move(*at)
    page.wait_for_timeout(300)
    hovered = place_of_card(page)
    page.mouse.click(*at)
    wait_for_echo(page, lambda echo: echo["selected"] == 2)
    assert place_of_card(page) == hovered
    page.mouse.move(700, 780)
    page.wait_for_timeout(300)
    expect(card).to_be_visible()
    assert page.locator(".viewer").bounding_box() == frame
    assert not in_viewer(page, "return text.classList.contains('dimmed')")
    page.mouse.move(*middle_of(page, 30, text))
    page.wait_for_timeout(300)
    assert card_rows(page)["title"] == "Chunk 3 of 23", "A pinned card does not follow the pointer."
    card.locator(".unpin").click()
    expect(card).to_be_hidden()
    assert status(page).startswith("Chunk 3 of 23"), "The chunk stays selected."
    page.wait_for_timeout(600)
    page.mouse.click(*at)
    expect(card).to_be_visible()
    page.mouse.click(*middle_of(page, int(ends[0]) + 15, text))
    expect(card).to_be_hidden()
    page.wait_for_timeout(600)
    page.mouse.click(*at)
    expect(card).to_be_visible()
    page.mouse.click(640, 740)
    expect(card).to_be_hidden()
    page.wait_for_timeout(600)
    page.mouse.click(*at)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    wait_for_echo(page, lambda echo: echo["selected"] == -1)


def test_v01_escape_puts_away_a_card_under_the_pointer(open_case: Callable[..., Page]) -> None:
    """V01, WCAG 1.4.13. The focus is not in the viewer."""
    page = open_case("plain")
    hover(page, 30, CASES["plain"]()[0])
    expect(page.locator(".viewer .card")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".viewer .card")).to_be_hidden()


def test_v01_j_and_k_show_the_card_and_speak_it(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", facts="1")
    _, starts, ends = CASES["plain"]()
    press(page, *"jjjjjjj", "k")
    page.wait_for_timeout(500)
    assert card_rows(page) == expected_rows("plain", 5)
    rows = expected_rows("plain", 5)
    spoken = page.locator(".viewer [aria-live=polite]")
    expect(spoken).to_have_text(
        f"Chunk 6 of 23, characters {starts[5]} to {ends[5]}, {rows['Length']}, page 1, under Handbook › Part 1"
    )
    press(page, *"j" * 17)
    page.wait_for_timeout(700)
    assert card_rows(page) == expected_rows("plain", 22)
    assert_in_window(page)


def test_v01_a_choice_of_pythons_shows_the_chunk_and_no_card(open_case: Callable[..., Page]) -> None:
    """V01, V02, V03. A card would lie over the text that a click on a table is to show."""
    page = open_case("plain")
    press(page, "j")
    expect(page.locator(".viewer .card")).to_be_visible()
    choose_in_python(page, 12)
    expect(page.locator(".viewer .card")).to_be_hidden()
    text, starts, ends = CASES["plain"]()
    assert texts_of(page, ".piece.selected") == text[starts[12] : ends[12]]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 800), (700, 300)])
def test_v01_the_card_never_leaves_the_window(
    new_page: Callable[..., Page], open_case: Callable[..., Page], width: int, height: int
) -> None:
    page = open_case("plain", new_page(viewport={"width": width, "height": height}), facts="1")
    page.locator(".viewer .text").scroll_into_view_if_needed()
    for _ in range(8):
        press(page, *"jjj")
        page.wait_for_timeout(250)
        assert_in_window(page)
    assert status(page).startswith("Chunk 23 of 23")
    for share in (0.02, 0.5, 0.98):
        x, y = in_viewer(
            page,
            """
            const lines = [...text.querySelectorAll(".piece.covered")].flatMap((piece) => [...piece.getClientRects()]);
            const points = lines.map((line) => [line.left + argument * line.width, (line.top + line.bottom) / 2]);
            const inSight = points.filter((point) => root.elementFromPoint(...point)?.closest(".covered"));
            return inSight[Math.floor(argument * (inSight.length - 1))];
            """,
            share,
        )
        page.keyboard.press("Escape")
        page.mouse.move(2, 2)
        page.wait_for_timeout(200)
        page.mouse.move(x, y)
        page.wait_for_timeout(300)
        expect(page.locator(".viewer .card")).to_be_visible()
        assert_in_window(page)


def test_v01_a_pinned_card_follows_its_line_and_stays_when_that_is_scrolled_away(
    open_case: Callable[..., Page],
) -> None:
    page = open_case("plain")
    press(page, "j", "j", "j")
    page.wait_for_timeout(400)
    before = place_of_card(page)
    in_viewer(page, "text.scrollTop = 40")
    page.wait_for_timeout(200)
    assert place_of_card(page)["y"] == pytest.approx(before["y"] - 40, abs=2)
    in_viewer(page, "text.scrollTop = text.scrollHeight")
    page.wait_for_timeout(400)
    expect(page.locator(".viewer .card")).to_be_visible()
    assert_in_window(page)


def test_v01_the_card_is_seen_in_full_screen(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    press(page, "j", "f")
    page.wait_for_function("document.fullscreenElement !== null")
    page.wait_for_timeout(400)
    card = place_of_card(page)
    middle = [card["x"] + card["width"] / 2, card["y"] + card["height"] / 2]
    assert in_viewer(page, "return Boolean(root.elementFromPoint(...argument).closest('.card'))", middle)


def test_v01_a_tap_selects_and_shows_the_card(new_page: Callable[..., Page], open_case: Callable[..., Page]) -> None:
    phone = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = open_case("plain", phone, facts="1")
    page.touchscreen.tap(*middle_of(page, 30, CASES["plain"]()[0]))
    wait_for_echo(page, lambda echo: echo["selected"] == 0)
    assert card_rows(page) == expected_rows("plain", 0)
    assert_in_window(page)
    assert not in_viewer(page, "return text.classList.contains('dimmed')")


def test_v01_selecting_text_shows_no_card(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    text, _, _ = CASES["plain"]()
    page.mouse.move(*middle_of(page, 10, text))
    page.mouse.down()
    page.mouse.move(*middle_of(page, 60, text), steps=8)
    page.wait_for_timeout(300)
    expect(page.locator(".viewer .card")).to_be_hidden()
    page.mouse.up()


def test_v01_hover_changes_no_element_and_keeps_the_selection(open_case: Callable[..., Page]) -> None:
    """V01. Ten thousand chunks: a move touches classes of drawn pieces only, and only when the chunk changes."""
    page = open_case("long", facts="1")
    text, _, _ = CASES["long"]()
    select(page, text, 100, 300)
    in_viewer(
        page,
        """
        root.changes = [];
        const seen = new MutationObserver((changes) => root.changes.push(...changes));
        seen.observe(text, { subtree: true, childList: true, attributes: true, characterData: true });
        """,
    )
    hover(page, 400, text)
    first = in_viewer(page, "return root.changes.map((change) => [change.type, change.attributeName])")
    assert {tuple(each) for each in first} <= {("attributes", "class")}
    pieces = in_viewer(page, "return text.querySelectorAll('.piece').length")
    assert 0 < len(first) <= 4 * pieces + 1
    hover(page, 420, text)
    hover(page, 405, text)
    assert in_viewer(page, "return root.changes.length") == len(first), "Moves inside a chunk cost nothing."
    assert selected_offsets(page) == (100, 300)


def test_v01_facts_are_sent_once(page: Page, open_case: Callable[..., Page]) -> None:
    """V01. Facts of ten thousand chunks come with the text; a mark and a choice still send a few kilobytes."""
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_case("long", facts="1")
    for act in (lambda: switch(page, "Marks"), lambda: choose_in_python(page, 77)):
        received.clear()
        act()
        page.wait_for_timeout(300)
        assert sum(received) < 8_000


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (Facts(lengths=[1]), r"facts.lengths .* 2 chunks"),
        (Facts(lengths=[1.5, 2.0]), "whole number"),
        (Facts(pages=[[1, 2]]), "facts.pages"),
        (Facts(paths=[("a",)]), r"facts.paths .* 2 chunks, not 1"),
    ],
)
def test_v01_facts_that_do_not_fit_are_refused(facts: Facts, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        text_viewer(LOREM, np.array([0, 9]), np.array([9, 20]), key="k", version="v", facts=facts)
