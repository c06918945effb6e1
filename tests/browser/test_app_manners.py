"""A tour through the whole app: nothing fails, nothing sticks out, and nothing leaves the machine. D10, S06."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_driver import APP, COMPARISON, METRICS, MODEL_SECONDS, App, eventually, watched_apps
from tests.browser.viewer_driver import press


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


@pytest.mark.parametrize(("scheme", "width", "height"), [("dark", 1280, 800), ("light", 390, 844)])
def test_d10_a_tour_over_all_pages_asks_nothing_of_other_machines(
    open_app: Callable[..., App], scheme: str, width: int, height: int
) -> None:
    """D10, S06: every page with its panels open; the fixture looks for errors and for requests to elsewhere."""
    app = open_app(color_scheme=scheme, viewport={"width": width, "height": height})
    page = app.page
    assert app.table(COMPARISON, "chunks")["chunks"]
    press(page, "j")
    expect(page.get_by_test_id("stCode")).to_be_visible()
    app.assert_nothing_sticks_out()

    app.open_sidebar()
    app.look_into("options_recursive", "Separators")
    app.press_button("on", "Semantic breakpoints")
    app.close_sidebar()
    app.settled()

    app.go("Retrieval")
    eventually(
        lambda: app.table(METRICS, "chunker")["chunker"],
        lambda names: names.count("Semantic breakpoints") == 3,
        page,
        MODEL_SECONDS,
    )
    app.look_into("more", "BM25 analyzer")
    app.press_button("chart", "All metrics")
    expect(app.keyed("retrieval_chart").locator(".barlayer")).not_to_have_count(0)
    app.assert_nothing_sticks_out()

    app.go("Documents")
    app.look_into("paste_text", "Add text")
    app.look_into("reading_options", "Remove headers and footers")
    app.assert_nothing_sticks_out()

    app.go("Semantic distances")
    expect(page.get_by_test_id("stMarkdownContainer").filter(has_text=re.compile(r"^\d+ cuts?\b"))).to_be_visible()
    expect(app.keyed("distances").locator(".scatterlayer .trace")).not_to_have_count(0)
    app.assert_nothing_sticks_out()

    hosts = {urlsplit(url).netloc for url in app.requests if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {urlsplit(app.address).netloc}
    assert any(urlsplit(url).scheme == "ws" for url in app.requests), "The record must be one of all requests."
