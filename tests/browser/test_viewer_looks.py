"""V01, D10: how the text viewer looks, is read, and behaves on a phone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES
from viewer_driver import (
    echoed,
    in_viewer,
    middle_of,
    press,
    select,
    shown_text,
    status,
    switch,
    wait_for_echo,
)


def luminance(colour: list[float]) -> float:
    """Relative luminance, WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: list[float], b: list[float]) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def colours_in(css: str) -> list[list[float]]:
    """All colours of a computed CSS value, as red, green and blue from 0 to 1; those fully clear left out."""
    mixed = re.findall(r"color\(srgb ([^)]*)\)", css)
    found = [[float(value) for value in values.split("/")[0].split()] for values in mixed]
    for values in re.findall(r"rgba?\(([^)]*)\)", css):
        numbers = [float(value) for value in values.split(",")]
        if len(numbers) == 3 or numbers[3] > 0:
            found.append([value / 255 for value in numbers[:3]])
    return found


LOOKS = """
  const looks = [];
  const add = (name, element, pseudo) => {
    const style = getComputedStyle(element, pseudo);
    looks.push([name, style.color, style.backgroundColor + " " + style.backgroundImage]);
  };
  for (const piece of text.querySelectorAll(".piece")) {
    add(piece.className, piece);
    for (const badge of piece.querySelectorAll(".badge")) add(badge.className, badge, "::before");
  }
  for (const part of root.querySelectorAll(".toolbar button:enabled, .status")) add(part.className, part);
  return { looks, background: getComputedStyle(root.querySelector(".viewer")).backgroundColor };
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_v01_all_text_has_a_contrast_of_four_and_a_half(
    new_page: Callable[..., Page], open_case: Callable[..., Page], scheme: str
) -> None:
    """V01. WCAG 2.2 AA on every pastel, every stripe, every badge, the uncovered text and the toolbar."""
    backgrounds = set()
    for case in ("plain", "deep"):
        page = open_case(case, new_page(color_scheme=scheme))
        switch(page, "Hits")
        switch(page, "Marks")
        press(page, "j")
        select(page, CASES[case]()[0], 3, 9)
        found = in_viewer(page, LOOKS)
        own = colours_in(found["background"])
        assert (luminance(own[0]) > 0.5) == (scheme == "light")
        for name, colour, background in found["looks"]:
            for behind in colours_in(background) or own:
                backgrounds.add(tuple(behind))
                assert contrast(colours_in(colour)[0], behind) >= 4.5, f"{name} in {case}, {scheme}"
    assert len(backgrounds) >= 10


# Machado, Oliveira and Fernandes (2009), severity 1, on linear red, green and blue.
COLOUR_BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(colour: list[float], seen_by: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """CIE L*a*b* (D65) of a colour as seen with a kind of colour blindness."""
    values = np.array(colour)
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    seen = np.clip(COLOUR_BLINDNESS[seen_by] @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ seen / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_v01_neighbouring_colours_differ_for_colour_blind_eyes(
    new_page: Callable[..., Page], open_case: Callable[..., Page], scheme: str
) -> None:
    """V01. A colour difference (CIE 1976) above ten: several times what is just noticeable."""
    page = open_case("touching", new_page(color_scheme=scheme))
    found = in_viewer(
        page, "return [...text.querySelectorAll('.piece')].map((p) => getComputedStyle(p).backgroundColor)"
    )
    colours = [colours_in(css)[0] for css in found[:10]]
    for kind in COLOUR_BLINDNESS:
        for a, b in itertools.pairwise(colours):
            assert np.linalg.norm(lab(a, kind) - lab(b, kind)) > 10, f"{kind}, {scheme}"


def test_v01_a_change_of_theme_recolours_at_once(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    colour = "return getComputedStyle(text.querySelector('.piece.covered')).backgroundColor"
    press(page, "j")
    wait_for_echo(page, lambda echo: echo["selected"] == 0)
    light = colours_in(in_viewer(page, colour))[0]
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(800)
    dark = colours_in(in_viewer(page, colour))[0]
    assert luminance(light) > 0.5 > 0.2 > luminance(dark)
    assert status(page).startswith("Chunk 1 of 23"), "A change of theme must not unselect."


def test_v01_hostile_text_is_only_text(open_case: Callable[..., Page], page: Page) -> None:
    open_case("hostile")
    assert shown_text(page) == CASES["hostile"]()[0]
    tags = set(in_viewer(page, "return [...text.querySelectorAll('*')].map((e) => e.tagName)"))
    assert tags == {"DIV", "SPAN"}
    assert page.title() == "Viewer"
    press(page, "Control+a", "m")
    assert wait_for_echo(page, lambda echo: bool(echo["received"]))["received"][0]["exact"]


def test_v01_right_to_left_paragraphs_stand_right(open_case: Callable[..., Page]) -> None:
    page = open_case("rtl")
    text, _, _ = CASES["rtl"]()
    box = page.locator(".viewer .text").bounding_box()
    assert box
    middle = box["x"] + box["width"] / 2
    assert middle_of(page, 0, text)[0] > middle
    assert middle_of(page, text.index("An English"), text)[0] < middle
    assert middle_of(page, text.index("\u05e9\u05dc"), text)[0] > middle


@pytest.mark.parametrize("case", ["empty", "unchunked"])
def test_v01_no_text_and_no_chunks(open_case: Callable[..., Page], case: str) -> None:
    page = open_case(case)
    note = page.locator(".viewer .empty")
    if case == "empty":
        expect(note).to_have_text("This document has no text.")
    else:
        expect(note).to_have_count(0)
    press(page, "j", "k", "Enter", "v", "m", "Escape", "Control+a")
    page.wait_for_timeout(400)
    assert "chunk" not in status(page).lower()
    assert [each for each in echoed(page)["received"] if "selected" in each] == []


def test_v01_names_roles_and_spoken_words(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    _, starts, ends = CASES["plain"]()
    expect(page.get_by_role("region", name="Document text with chunks")).to_be_visible()
    expect(page.get_by_role("document", name="Document text with chunks")).to_be_visible()
    expect(page.get_by_role("button", name="Next chunk (J)")).to_be_visible()
    press(page, "j", "j")
    overlap = ends[1] - starts[2]
    words = f"Chunk 2 of 23, characters {starts[1]} to {ends[1]}, overlaps the next by {overlap}"
    spoken = page.locator(".viewer [aria-live=polite]")
    expect(spoken).to_have_text(words)
    outline = in_viewer(
        page, "const s = getComputedStyle(text.closest('.viewer')); return [s.outlineStyle, s.outlineWidth]"
    )
    assert outline == ["solid", "2px"]


def test_v01_on_a_phone_it_fits_and_works_by_touch(
    new_page: Callable[..., Page], open_case: Callable[..., Page]
) -> None:
    """R04, V01. 390 pixels wide: nothing hangs over, a tap selects, the button marks."""
    phone = new_page(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = open_case("plain", phone)
    text, _, _ = CASES["plain"]()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for part in page.locator(".viewer .toolbar button:visible").all():
        box = part.bounding_box()
        assert box
        assert 0 <= box["x"] <= 390 - box["width"]
        assert box["height"] >= 24, "WCAG 2.2 asks for targets of 24 pixels."
    page.touchscreen.tap(*middle_of(page, 30, text))
    wait_for_echo(page, lambda echo: echo["selected"] == 0)
    select(page, text, 12, 40)
    page.locator(".viewer .mark").tap()
    echo = wait_for_echo(page, lambda echo: len(echo["received"]) == 2)
    assert echo["received"][1] == {"marked": [12, 40], "exact": True}


def test_d10_nothing_leaves_the_machine(page: Page, open_case: Callable[..., Page]) -> None:
    """D10, V01. Every request goes to the server of the app, and the page reports no error."""
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    open_case("nasty")
    switch(page, "Marks")
    press(page, "j", "f", "?")
    page.wait_for_timeout(500)
    address = urlsplit(page.url)
    own = f"{address.scheme}://{address.netloc}/"
    assert len(asked) > 3
    assert [url for url in asked if not url.startswith((own, "blob:" + own, "data:"))] == []
    assert errors == []
