"""V01, R04: the text viewer by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES
from viewer_driver import (
    SELECT,
    echoed,
    in_viewer,
    press,
    selected_is_in_sight,
    selected_offsets,
    status,
    wait_for_echo,
)


def test_v01_j_and_k_move_by_chunks_and_tell_python_once(open_case: Callable[..., Page]) -> None:
    """V01. A held key moves at each press, but starts one rerun only."""
    page = open_case("plain")
    runs = echoed(page)["runs"]
    press(page, *"jjjjjjjj", "k")
    assert status(page).startswith("Chunk 7 of 23")
    echo = wait_for_echo(page, lambda echo: echo["selected"] == 6)
    assert echo["received"] == [{"selected": 6}]
    assert echo["runs"] == runs + 1
    press(page, *"k" * 10)
    wait_for_echo(page, lambda echo: echo["selected"] == 0)
    page.wait_for_timeout(300)
    assert status(page).startswith("Chunk 1 of 23, characters 0 to 120")


def test_v01_j_scrolls_and_starts_at_what_is_in_sight(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    in_viewer(page, "text.scrollTop = text.scrollHeight")
    page.wait_for_timeout(300)
    press(page, "j")
    first = int(re.match(r"Chunk (\d+)", status(page)).group(1))  # type: ignore[union-attr]
    assert first > 10
    press(page, *"j" * 23)
    assert status(page).startswith("Chunk 23 of 23")
    assert selected_is_in_sight(page)


def test_v01_quick_presses_are_not_undone_by_pythons_late_answer(open_case: Callable[..., Page]) -> None:
    """V01. Python takes 0.6 s to send back the first choice, when the user is at the next one already."""
    page = open_case("plain", slow="0.6")
    in_viewer(
        page,
        """
        const status = root.querySelector(".status");
        root.seen = [];
        new MutationObserver(() => root.seen.push(status.textContent)).observe(status, { childList: true });
        """,
    )
    press(page, "j")
    page.wait_for_timeout(700)
    press(page, "j")
    wait_for_echo(page, lambda echo: echo["selected"] == 1)
    page.wait_for_timeout(400)
    seen = [each.split(" of ")[0] for each in in_viewer(page, "return root.seen")]
    assert list(dict.fromkeys(seen)) == ["Chunk 1", "Chunk 2"]
    assert seen == sorted(seen), "The view must not jump back to a choice that the user has left."


def test_v01_enter_selects_what_is_in_sight_and_escape_unselects(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    press(page, "Enter")
    wait_for_echo(page, lambda echo: echo["selected"] == 0)
    press(page, "Escape")
    wait_for_echo(page, lambda echo: echo["selected"] == -1)
    assert page.locator(".viewer .piece.selected").count() == 0
    _, _, ends = CASES["plain"]()
    at = int(ends[1]) + 20
    in_viewer(page, SELECT, [at, at, False])
    press(page, "Enter")
    wait_for_echo(page, lambda echo: echo["selected"] == 2)


def test_v01_keys_do_nothing_elsewhere_or_with_modifiers(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    press(page, "Control+j", "Alt+j", "Control+f", "Alt+m", "Meta+k")
    page.get_by_label("Chunk", exact=True).press_sequentially("jf?m")
    page.wait_for_timeout(600)
    assert echoed(page)["received"] == []
    assert status(page) == "23 chunks"
    assert page.evaluate("document.fullscreenElement") is None


def test_v01_f_is_full_screen_and_keeps_the_place(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    in_viewer(page, "text.scrollTop = 900")
    page.wait_for_timeout(400)
    press(page, "f")
    page.wait_for_function("document.fullscreenElement !== null")
    expect(page.locator(".viewer .full")).to_have_text("Leave full screen (F)")
    page.wait_for_timeout(500)
    box = page.locator(".viewer").bounding_box()
    assert box == {"x": 0, "y": 0, **page.evaluate("({ width: innerWidth, height: innerHeight })")}
    assert in_viewer(page, "return text.scrollTop") < 800, "So high a box cannot have the same line at its top."
    press(page, "f")
    page.wait_for_function("document.fullscreenElement === null")
    expect(page.locator(".viewer .full")).to_have_text("Full screen (F)")
    page.wait_for_timeout(500)
    assert in_viewer(page, "return text.scrollTop") == pytest.approx(900, abs=30)  # a line is 29 pixels high


def test_v01_full_screen_has_a_stand_in_where_the_browser_refuses(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject(new TypeError('refused')); }")
    press(page, "f")
    expect(page.locator(".viewer.expanded")).to_be_visible()
    box = page.locator(".viewer").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 1280, "height": 800}
    assert in_viewer(page, "return document.elementFromPoint(30, 300) === root.host"), "Nothing may lie over it."
    press(page, "Escape")
    expect(page.locator(".viewer.expanded")).to_have_count(0)


def test_v01_question_mark_lists_the_keys(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    keys = page.locator(".viewer .keys")
    expect(keys).to_be_hidden()
    press(page, "?")
    expect(keys).to_be_visible()
    for key in ("J / K", "Enter", "Esc", "V", "Shift + arrows", "Ctrl + A", "M", "F", "?"):
        assert keys.get_by_text(key, exact=True).count() == 1
    press(page, "Escape")
    expect(keys).to_be_hidden()
    page.locator(".viewer .help").click()
    expect(keys).to_be_visible()


def test_r04_text_is_selected_and_marked_by_keys_alone(open_case: Callable[..., Page]) -> None:
    """R04. V starts at the selected chunk; Shift and the arrows lengthen and shorten; M marks."""
    page = open_case("plain")
    _, starts, _ = CASES["plain"]()
    press(page, "j", "j", "v")
    page.wait_for_timeout(150)
    start = int(starts[1])
    assert selected_offsets(page) == (start, start + 1)
    press(page, *["Shift+ArrowRight"] * 5, "Shift+ArrowLeft")
    page.wait_for_timeout(150)
    assert selected_offsets(page) == (start, start + 5)
    press(page, "Control+Shift+ArrowRight", "Shift+ArrowDown")
    page.wait_for_timeout(150)
    first, last = selected_offsets(page)
    assert first == start
    assert last > start + 20
    press(page, "m")
    echo = wait_for_echo(page, lambda echo: any("marked" in each for each in echo["received"]))
    assert echo["received"][-1] == {"marked": [first, last], "exact": True}
