"""V01, V08, V09: axe-core finds no serious fault in the viewers, in any state, in both themes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from viewer_cases import CASES
from viewer_driver import hover, in_viewer, press, switch


def serious_faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical inside a viewer, where it must have looked."""
    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations", "passes"]}).response
    seen = [node for rule in found["passes"] for node in rule["nodes"] if is_in_viewer(node)]
    assert len(seen) > 20, "axe-core did not look into the viewer."
    return [
        f"{rule['id']}: {node['html'][:120]}"
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if is_in_viewer(node)
    ]


def is_in_viewer(node: dict[str, Any]) -> bool:
    """An element in a shadow root is named by a path of two selectors."""
    return isinstance(node["target"][0], list)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_v01_v09_axe_finds_no_serious_fault(
    new_page: Callable[..., Page], open_case: Callable[..., Page], scheme: str, width: int
) -> None:
    page = open_case(
        "plain", new_page(color_scheme=scheme, viewport={"width": width, "height": 800}), facts="1", editable="1"
    )
    if width > 1_000:
        switch(page, "Marks")
        switch(page, "Hits")
    assert serious_faults(page) == []
    hover(page, 30, CASES["plain"]()[0])
    expect(page.locator(".viewer .card")).to_be_visible()
    assert serious_faults(page) == []
    press(page, "j", "j", "w", "?")
    page.wait_for_timeout(400)
    expect(page.locator(".viewer .card.pinned")).to_be_visible()
    assert serious_faults(page) == []
    press(page, "Escape", "e")
    page.keyboard.press("j")
    page.wait_for_timeout(300)
    assert serious_faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_v08_axe_finds_no_serious_fault(
    new_page: Callable[..., Page], open_comparison: Callable[..., Page], scheme: str
) -> None:
    page = open_comparison("plain", new_page(color_scheme=scheme))
    page.wait_for_timeout(400)
    assert serious_faults(page) == []
    press_first(page, "n", "j", "?")
    page.wait_for_timeout(400)
    assert serious_faults(page) == []


def press_first(page: Page, *keys: str) -> None:
    page.locator(".viewer .text").first.focus()
    for key in keys:
        page.keyboard.press(key)


def test_v01_nothing_moves_by_itself(new_page: Callable[..., Page], open_case: Callable[..., Page]) -> None:
    """V01. Reduced motion holds because there is no motion: no transition, no animation, no smooth scrolling."""
    page = open_case("plain", new_page(reduced_motion="no-preference"), editable="1")
    press(page, "j")
    moving = in_viewer(
        page,
        """
        const still = ({ animationName, transitionDuration, scrollBehavior }) =>
          animationName === "none" && /^0s(, 0s)*$/.test(transitionDuration) && scrollBehavior === "auto";
        return [...root.querySelectorAll("*")].filter((each) => !still(getComputedStyle(each))).length;
        """,
    )
    assert moving == 0
