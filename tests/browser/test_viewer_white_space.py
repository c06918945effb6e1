"""V01: white space made visible changes nothing but what is seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES
from viewer_driver import (
    CHARACTER_PLACES,
    echoed,
    in_viewer,
    press,
    select,
    selected_offsets,
    shown_text,
    switch,
    units,
)

# Which characters have which sign; a list of its own, from the Unicode names.
KINDS = {
    "space": " ",
    "tab": "\t",
    "newline": "\n\v\f\x85\u2028\u2029",
    "nobreak": "\u00a0\u2007\u202f",
    "zero": "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff",
    "wide": "\u2003\u3000",
}

SIGNS = """
  // Kinds and counts of the signs of each drawn block, with the block's text.
  return [...text.querySelectorAll(".block")].filter((block) => block.querySelector(".piece")).map((block) => {
    const counts = {};
    for (const path of block.querySelectorAll(".signs path")) counts[path.classList[0]] = Number(path.dataset.count);
    return [block.textContent, counts];
  });
"""


def expected(text: str) -> dict[str, int]:
    counts = {kind: sum(text.count(character) for character in characters) for kind, characters in KINDS.items()}
    counts["return"] = text.count("\r\n")
    counts["bare"] = text.count("\r") - text.count("\r\n")
    return {kind: count for kind, count in counts.items() if count}


@pytest.mark.parametrize("case", ["plain", "nasty", "rtl", "spaces"])
def test_v01_every_white_character_has_its_sign(open_case: Callable[..., Page], case: str) -> None:
    page = open_case(case)
    assert page.locator(".viewer .signs").count() == 0
    press(page, "w")
    page.wait_for_timeout(500)
    blocks = in_viewer(page, SIGNS)
    assert blocks
    for text, counts in blocks:
        assert counts == expected(text)
    assert shown_text(page) == CASES[case]()[0]
    press(page, "w")
    assert page.locator(".viewer .signs").count() == 0


@pytest.mark.parametrize("case", ["plain", "nasty", "rtl", "spaces"])
def test_v01_signs_move_no_character(open_case: Callable[..., Page], case: str) -> None:
    page = open_case(case)
    places = in_viewer(page, CHARACTER_PLACES, [0, 3_000])
    assert len(places) > 90
    press(page, "w")
    page.wait_for_timeout(500)
    assert page.locator(".viewer .signs").count() > 0
    assert in_viewer(page, CHARACTER_PLACES, [0, 3_000]) == places


def test_v01_each_sign_is_at_its_character(open_case: Callable[..., Page]) -> None:
    """V01. The dots of the first line stand in the middles of its spaces."""
    page = open_case("plain")
    press(page, "w")
    page.wait_for_timeout(500)
    text = CASES["plain"]()[0]
    found = in_viewer(
        page,
        """
        const path = text.querySelector(".signs .space");
        const { left, top } = text.querySelector(".block").getBoundingClientRect();
        return [...path.getAttribute("d").matchAll(/M([\\d.]+) ([\\d.]+)/g)].map(([, x, y]) => [left + +x, top + +y]);
        """,
    )
    spaces = [place for place, character in enumerate(text) if character == " "]
    for (x, y), place in list(zip(found, spaces, strict=False))[:20]:
        left, right, top, bottom = in_viewer(
            page,
            """
            const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            let unit = argument;
            while (walk.nextNode() && unit >= walk.currentNode.length) unit -= walk.currentNode.length;
            const range = document.createRange();
            range.setStart(walk.currentNode, unit);
            range.setEnd(walk.currentNode, unit + 1);
            const box = range.getBoundingClientRect();
            return [box.left, box.right, box.top, box.bottom];
            """,
            units(text[:place]),
        )
        assert left - 1 <= x <= right + 1
        assert top <= y <= bottom


def test_v01_offsets_marks_and_copies_are_the_same_with_signs(
    new_page: Callable[..., Page], open_case: Callable[..., Page]
) -> None:
    page = open_case("nasty", new_page(permissions=["clipboard-read", "clipboard-write"]))
    text = CASES["nasty"]()[0]
    press(page, "w")
    page.wait_for_timeout(400)
    for start, end in ((0, 50), (777, 2_345)):
        select(page, text, start, end)
        assert selected_offsets(page) == (start, end)
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == text[777:2_345].replace("\r\n", "\n")
    press(page, "m")
    page.wait_for_timeout(500)
    assert echoed(page)["received"] == [{"marked": [777, 2_345], "exact": True}]
    assert page.locator(".viewer .signs").count() > 0, "The mark is drawn, and so are the signs, again."


def test_v01_signs_hold_in_a_long_text(open_case: Callable[..., Page]) -> None:
    """V01. Five million characters: signs where one is, one picture for each drawn block, and no more."""
    page = open_case("long")
    press(page, "w")
    for share in (0, 0.5, 0.9, 0.2):
        in_viewer(page, "text.scrollTop = argument * text.scrollHeight", share)
        page.wait_for_timeout(600)
        blocks = in_viewer(page, SIGNS)
        for text, counts in blocks:
            assert counts == expected(text)
        assert 0 < len(blocks) < 40
        assert page.locator(".viewer .signs").count() == len(blocks)
        assert in_viewer(page, "return text.querySelectorAll('.signs *').length") <= 8 * len(blocks)


def test_v01_signs_follow_the_lines_when_the_width_changes(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    press(page, "w")
    page.wait_for_timeout(400)
    paths = "return text.querySelector('.signs .space').getAttribute('d')"
    before = in_viewer(page, paths)
    page.set_viewport_size({"width": 800, "height": 800})
    page.wait_for_timeout(800)
    assert in_viewer(page, paths) != before
    text, counts = in_viewer(page, SIGNS)[0]
    assert counts == expected(text)


def test_v01_the_button_says_whether_white_space_is_shown(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    button = page.get_by_role("button", name="White space (W)")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".viewer .signs").first).to_have_attribute("aria-hidden", "true")
    switch(page, "Other text")
    page.wait_for_timeout(300)
    assert in_viewer(page, SIGNS) == [["Another text altogether.", {"space": 2}]]
