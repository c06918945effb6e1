"""Manners: axe-core finds no serious fault on any page, in both themes, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.app_driver import APP, App, watched_apps

PAGES = ["documents", "chunks", "retrieval", "distances", "sweep", "guide"]


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def serious_faults(page: Page) -> list[str]:
    """What axe-core calls serious or critical anywhere on the page, frames and shadow roots included."""
    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations", "passes"]}).response
    assert sum(len(rule["nodes"]) for rule in found["passes"]) > 100, "axe-core did not look at the page."
    return [
        f"{rule['id']}: {node['html'][:200]} {node['target']} {node['any'][0]['message'][:150] if node['any'] else ''}"
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_serious_fault(open_app: Callable[..., App], path: str, scheme: str) -> None:
    """Look and feel: every page, light and dark."""
    app = open_app(path, color_scheme=scheme)
    assert serious_faults(app.page) == []


@pytest.mark.parametrize("path", ["chunks", "retrieval"])
def test_axe_finds_no_serious_fault_on_a_phone(open_app: Callable[..., App], path: str) -> None:
    """Look and feel: the two pages for a meeting, 390 pixels wide."""
    app = open_app(path, viewport={"width": 390, "height": 844})
    assert serious_faults(app.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault_in_a_closer_look(open_app: Callable[..., App], scheme: str) -> None:
    """Look and feel, R15: the table below *Look closer*, chosen with the keyboard."""
    app = open_app("retrieval", color_scheme=scheme)
    app.keyed("closer").get_by_role("radio", name="More than the chunk").press("Space")
    app.page.get_by_test_id("stDataFrame").nth(2).wait_for()
    app.settled()
    assert serious_faults(app.page) == []
