"""V09: boundaries moved, added and removed by hand."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES, FAMILY
from viewer_driver import (
    choose_in_python,
    echoed,
    in_viewer,
    middle_of,
    press,
    select,
    selected_offsets,
    shown_text,
    status,
    switch,
    texts_of,
    units,
    wait_for_echo,
)

from pages.shared.viewer import cuts_from_event


def starts_inside(case: str) -> list[int]:
    """Where chunks start inside the text; for cases without gaps these are all boundaries."""
    text, starts, _ = CASES[case]()
    return [start for start in starts.tolist() if 0 < start < len(text)]


def last_cuts(page: Page, cuts: list[int]) -> None:
    """Waits until Python has received exactly these boundaries."""
    wait_for_echo(page, lambda echo: bool(echo["received"]) and echo["received"][-1] == {"cuts": cuts})


def handles(page: Page) -> list[int]:
    """Offsets, in code points, of the boundaries drawn as handles."""
    found: list[int] = in_viewer(
        page,
        """
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const offsets = [...text.querySelectorAll(".handle")].map((each) => Number(each.ariaValueNow));
        return offsets.sort((a, b) => a - b);
        """,
    )
    return found


def grab(page: Page, offset: int) -> None:
    box = page.locator(f".viewer .handle[aria-valuenow='{offset}']").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()


def left_of(page: Page, offset: int, text: str) -> tuple[float, float]:
    """The left edge of a character, nearly, and the middle of its line."""
    x, y = middle_of(page, offset, text)
    return x - 2, y


def test_v09_the_mode_shows_a_handle_at_every_boundary(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    cuts = starts_inside("touching")
    button = page.get_by_role("button", name="Edit boundaries (E)")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert page.locator(".viewer .handle").count() == 0
    press(page, "e")
    page.wait_for_timeout(200)
    expect(button).to_have_attribute("aria-pressed", "true")
    assert handles(page) == cuts
    assert status(page) == f"{len(cuts)} boundaries"
    assert shown_text(page) == CASES["touching"]()[0]
    expect(page.get_by_role("separator", name="Boundary before chunk 2", exact=True)).to_be_visible()
    press(page, "e")
    page.wait_for_timeout(300)
    assert page.locator(".viewer .handle").count() == 0
    assert echoed(page)["received"] == [], "Nothing was changed."
    assert status(page) == "43 chunks"


def test_v09_without_leave_nothing_can_be_edited(open_case: Callable[..., Page]) -> None:
    page = open_case("touching")
    expect(page.locator(".viewer .edit")).to_be_hidden()
    press(page, "e")
    assert page.locator(".viewer .handle").count() == 0


def test_v09_gaps_and_overlaps_become_boundaries(open_case: Callable[..., Page]) -> None:
    """V09. A boundary where a chunk starts, and where one ends before uncovered text."""
    page = open_case("plain", editable="1")
    text, starts, ends = CASES["plain"]()
    covered = [any(a <= at < b for a, b in zip(starts, ends, strict=True)) for at in range(len(text))]
    gaps = [at for at in range(1, len(text)) if covered[at - 1] and not covered[at]]
    cuts = sorted({*starts_inside("plain"), *gaps})
    assert len(gaps) == 5
    press(page, "e")
    assert status(page) == f"{len(cuts)} boundaries"
    page.wait_for_timeout(200)
    assert handles(page) == cuts


def test_v09_a_boundary_moves_by_arrow_keys(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    cuts = starts_inside("touching")
    press(page, "e")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert status(page) == f"Boundary 2 of {len(cuts)}, at character 14"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert status(page) == f"Boundary 2 of {len(cuts)}, at character 16"
    last_cuts(page, [7, 16, *cuts[2:]])
    page.wait_for_timeout(500)
    assert len(echoed(page)["received"]) == 1, "Quick presses start one rerun."
    expect(page.locator(".viewer [aria-live=polite]")).to_have_text(status(page))
    page.keyboard.press("ArrowLeft")  # Python's answer must not have taken the focus away
    last_cuts(page, [7, 15, *cuts[2:]])
    press(page, "Escape")
    page.wait_for_timeout(500)
    text = CASES["touching"]()[0]
    assert texts_of(page, ".piece[data-chunk='1']") == text[7:15]
    assert texts_of(page, ".piece[data-chunk='2']") == text[15:21]


def test_v09_control_and_arrows_move_by_words(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    text = CASES["touching"]()[0]
    assert text.startswith("Restart the replica")
    press(page, "e")
    page.keyboard.press("j")
    page.keyboard.press("Control+ArrowRight")
    assert status(page).endswith("at character 8")
    page.keyboard.press("Control+ArrowRight")
    assert status(page).endswith("at character 11")
    page.keyboard.press("Control+ArrowLeft")
    assert status(page).endswith("at character 8")


def test_v09_a_boundary_is_dragged(open_case: Callable[..., Page]) -> None:
    """V09. Forwards over a line, and on to another boundary, with which it becomes one."""
    page = open_case("plain", editable="1")
    text, _, _ = CASES["plain"]()
    press(page, "e")
    page.wait_for_timeout(200)
    before = handles(page)
    first = before[0]
    target = text.index("often")
    grab(page, first)
    page.mouse.move(*left_of(page, target, text), steps=8)
    page.mouse.up()
    moved = sorted({*before[1:], target})
    last_cuts(page, moved)
    page.wait_for_timeout(300)
    assert handles(page) == moved
    box = page.locator(f".viewer .handle[aria-valuenow='{moved[1]}']").bounding_box()
    assert box
    grab(page, moved[0])
    page.mouse.move(box["x"] + 6, box["y"] + 8, steps=8)
    page.mouse.up()
    last_cuts(page, moved[1:])


def test_v09_a_late_answer_does_not_break_a_drag(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", editable="1", slow="0.5")
    text, _, _ = CASES["plain"]()
    press(page, "e")
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    cuts = handles(page)
    target = text.index("often")
    grab(page, cuts[0])
    page.mouse.move(*left_of(page, target, text), steps=4)
    page.wait_for_timeout(1_200)
    assert len(echoed(page)["received"]) == 1
    page.mouse.up()
    last_cuts(page, sorted({*cuts[1:], target}))


def test_v09_boundaries_are_added_and_removed(open_case: Callable[..., Page]) -> None:
    """V09. By double click, by B at the caret and in the middle of a chunk, by Delete and Backspace, by buttons."""
    page = open_case("plain", editable="1")
    text, _, _ = CASES["plain"]()
    press(page, "e")
    page.wait_for_timeout(200)
    cuts = handles(page)
    at = text.index("replica")
    page.mouse.dblclick(*left_of(page, at, text))
    last_cuts(page, [at, *cuts])
    caret = text.index("lag")
    select(page, text, caret, caret)
    page.keyboard.press("b")
    last_cuts(page, [at, caret, *cuts])
    page.keyboard.press("Delete")
    last_cuts(page, [at, *cuts])
    press_handle(page, at)
    page.keyboard.press("Backspace")
    last_cuts(page, cuts)
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert status(page) == f"Boundary 1 of {len(cuts)}, at character {cuts[0]}"
    page.get_by_role("button", name="Add boundary (B)").click()
    middle = (cuts[0] + cuts[1]) // 2
    last_cuts(page, [cuts[0], middle, *cuts[1:]])
    page.get_by_role("button", name="Remove boundary (Del)").click()
    last_cuts(page, cuts)


def press_handle(page: Page, offset: int) -> None:
    grab(page, offset)
    page.mouse.up()
    page.wait_for_timeout(100)


def test_v09_undo_and_redo(open_case: Callable[..., Page]) -> None:
    """V09. Moving one boundary on and on is one change."""
    page = open_case("touching", editable="1")
    cuts = starts_inside("touching")
    undo, redo = (
        page.get_by_role("button", name="Undo (Ctrl + Z)"),
        page.get_by_role("button", name="Redo (Ctrl + Shift"),
    )
    press(page, "e")
    expect(undo).to_be_disabled()
    page.keyboard.press("j")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    removed = cuts[1:]
    last_cuts(page, removed)
    page.keyboard.press("Control+z")
    last_cuts(page, [11, *removed])
    undo.click()
    last_cuts(page, cuts)
    expect(undo).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    last_cuts(page, [11, *removed])
    redo.click()
    last_cuts(page, removed)
    expect(redo).to_be_disabled()
    page.keyboard.press("Control+z")
    last_cuts(page, [11, *removed])
    page.keyboard.press("ArrowRight")
    last_cuts(page, [12, *removed])
    expect(redo).to_be_disabled()


def test_v09_no_boundary_goes_into_a_displayed_character(open_case: Callable[..., Page]) -> None:
    """V09. Emoji families, flags, accents and CR LF: a boundary goes round them, and its offsets are code points."""
    page = open_case("nasty", editable="1")
    text, _, _ = CASES["nasty"]()
    press(page, "e")
    page.wait_for_timeout(300)
    family = text.index(FAMILY, 10)
    crlf = text.index("\r\n", 10)
    flag = text.index("\U0001f1eb\U0001f1f7", 10)
    accent = text.index("e\u0301tude", 10)
    for start, length in ((family, len(FAMILY)), (crlf, 2), (flag, 2), (accent, 2)):
        for inside in range(1, length):
            before = set(handles(page))
            select(page, text, start + inside, start + inside)
            page.keyboard.press("b")
            page.wait_for_timeout(120)
            added = set(handles(page)) - before
            assert added <= {start, start + length}
            assert int(status(page).split("character ")[1]) in (start, start + length)
            if added:
                page.keyboard.press("Control+z")
    page.wait_for_timeout(600)
    select(page, text, family, family)
    page.keyboard.press("b")
    page.keyboard.press("ArrowRight")
    assert status(page).endswith(f"at character {family + len(FAMILY)}")
    page.keyboard.press("ArrowLeft")
    assert status(page).endswith(f"at character {family}")


def test_v09_an_arrow_at_the_text_s_end_stays_inside(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    text = CASES["touching"]()[0]
    press(page, "e")
    for _ in range(50):
        page.keyboard.press("j")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert status(page) == f"Boundary 42 of 42, at character {len(text) - 1}"


def test_v09_b_and_delete_are_only_for_the_mode(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    press(page, "b", "Delete", "Control+z", "ArrowRight")
    page.wait_for_timeout(500)
    assert echoed(page)["received"] == []
    assert status(page) == "43 chunks"


def test_v09_marking_and_white_space_go_on_in_the_mode(open_case: Callable[..., Page]) -> None:
    page = open_case("plain", editable="1")
    text, _, _ = CASES["plain"]()
    press(page, "e", "w")
    select(page, text, 12, 40)
    assert in_viewer(page, "return document.getSelection().toString()") == text[12:40]
    press(page, "m")
    echo = wait_for_echo(page, lambda echo: bool(echo["received"]))
    assert echo["received"] == [{"marked": [12, 40], "exact": True}]
    page.wait_for_timeout(400)
    assert texts_of(page, ".piece.marked") == text[12:40]
    assert page.locator(".viewer .signs").count() > 0
    assert page.locator(".viewer .handle").count() > 0
    switch(page, "Hits")
    page.wait_for_timeout(300)
    assert page.locator(".viewer .handle").count() > 0
    assert page.locator(".viewer .rank").count() == 0, "Hits are of chunks that are no more."


def test_v09_leaving_shows_what_python_made_of_it(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    cuts = starts_inside("touching")
    press(page, "e")
    page.keyboard.press("j")
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    last_cuts(page, cuts[1:])
    page.wait_for_timeout(500)
    assert status(page) == "42 chunks"
    text = CASES["touching"]()[0]
    assert texts_of(page, ".piece[data-chunk='0']") == text[:14]
    press(page, "j", "j")
    assert status(page).startswith("Chunk 2 of 42, characters 14 to 21")
    wait_for_echo(page, lambda echo: echo["selected"] == 1)
    choose_in_python(page, 5)
    page.wait_for_timeout(200)
    assert status(page).startswith("Chunk 6 of 42")


def test_v09_another_text_ends_the_mode(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", editable="1")
    press(page, "e")
    switch(page, "Other text")
    page.wait_for_timeout(300)
    assert shown_text(page) == "Another text altogether."
    assert page.locator(".viewer .handle").count() == 0
    expect(page.locator(".viewer .edit")).to_have_attribute("aria-pressed", "false")


def test_v09_ten_thousand_boundaries_are_few_handles(open_case: Callable[..., Page]) -> None:
    page = open_case("long", editable="1")
    press(page, "e")
    page.wait_for_timeout(400)
    assert status(page) == "9999 boundaries"
    assert 0 < page.locator(".viewer .handle").count() < 200
    in_viewer(page, "text.scrollTop = text.scrollHeight / 2")
    page.wait_for_timeout(600)
    page.keyboard.press("j")
    number = int(status(page).split()[1])
    assert 4_000 < number < 6_000
    page.keyboard.press("ArrowRight")
    text, starts, _ = CASES["long"]()
    cuts = [start for start in starts.tolist() if 0 < start < len(text)]
    cuts[number - 1] += 1
    last_cuts(page, cuts)
    assert in_viewer(page, "return text.querySelectorAll('.block *').length") < 900


def test_v09_boundaries_are_moved_by_touch(new_page: Callable[..., Page], open_case: Callable[..., Page]) -> None:
    phone = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = open_case("plain", phone, editable="1")
    page.locator(".viewer .edit").tap()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in page.locator(".viewer .toolbar button:visible").all():
        box = part.bounding_box()
        assert box
        assert 0 <= box["x"] <= 390 - box["width"]
    cuts = handles(page)
    handle = page.locator(f".viewer .handle[aria-valuenow='{cuts[0]}']")
    box = handle.bounding_box()
    assert box
    assert box["width"] >= 24
    handle.tap()
    page.wait_for_timeout(200)
    assert re.fullmatch(rf"Boundary 1 of \d+, at character {cuts[0]}", status(page))
    page.locator(".viewer .remove").tap()
    echo = wait_for_echo(page, lambda echo: bool(echo["received"]))
    assert echo["received"][0]["cuts"][: len(cuts) - 1] == cuts[1:]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (None, "list of offsets"),
        ({"cuts": "12"}, "list of offsets"),
        ({"cuts": [1.5]}, "whole numbers"),
        ({"cuts": [True]}, "whole numbers"),
        ({"cuts": [0]}, "0 follows 0"),
        ({"cuts": [3, 3]}, "3 follows 3"),
        ({"cuts": [5, 2]}, "2 follows 5"),
        ({"cuts": [9]}, "9 characters, but 9"),
        ({"cuts": [-1]}, "-1 follows"),
        ({"cuts": [4]}, "line feed together, but one is at 4"),
    ],
)
def test_v09_python_refuses_what_is_no_list_of_boundaries(event: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        cuts_from_event("abc\r\ndefg"[:9], event)


def test_v09_python_takes_boundaries_as_they_are() -> None:
    assert cuts_from_event("abc\r\ndefg", {"cuts": [1, 3, 5, 8]}) == (1, 3, 5, 8)
    assert cuts_from_event("", {"cuts": []}) == ()


def test_v09_the_offsets_that_are_sent_are_code_points(open_case: Callable[..., Page]) -> None:
    """V09. After the first emoji, UTF-16 counts otherwise than Python."""
    page = open_case("nasty", editable="1")
    text, _, _ = CASES["nasty"]()
    rocket = text.index("\U0001f680")
    at = text.index("chunk", rocket)
    assert units(text[:at]) > at
    press(page, "e")
    page.wait_for_timeout(200)
    select(page, text, at, at)
    page.keyboard.press("b")
    echo = wait_for_echo(page, lambda echo: bool(echo["received"]))
    assert at in echo["received"][-1]["cuts"]
    select(page, text, at, at + 5)
    assert in_viewer(page, "return document.getSelection().toString()") == "chunk"
    press(page, "Escape")
    page.wait_for_timeout(800)
    select(page, text, at, at + 5)
    assert selected_offsets(page) == (at, at + 5)
