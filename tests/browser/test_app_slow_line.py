"""Settings changed faster than the server's answers arrive: none of them is lost.

What the browser still shows is old then, and comes back to the server with the next change; it must not be taken
for a choice of the user's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.app_driver import APP, RANKS, App, watched_apps


class SlowLine:
    """Between browser and server: holds back what the server says, for as long as a test wants."""

    def __init__(self) -> None:
        self.holds = False
        self.held: list[tuple[WebSocketRoute, str | bytes]] = []

    def attach(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        browser.on_message(server.send)
        server.on_message(lambda said: self.held.append((browser, said)) if self.holds else browser.send(said))

    @contextmanager
    def slow(self, page: Page) -> Iterator[None]:
        """Nothing arrives from the server before the end of this."""
        self.holds = True
        yield
        page.wait_for_timeout(500)  # time enough for the server to work on what it was sent
        self.holds = False
        for browser, said in self.held:
            browser.send(said)
        self.held.clear()


@pytest.fixture
def line() -> SlowLine:
    return SlowLine()


@pytest.fixture
def open_app(
    app_server: Callable[[Path], str], new_page: Callable[..., Page], line: SlowLine
) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield lambda path="": opened(path, prepare=line.attach)


def test_s06_a_size_stays_when_another_setting_follows_at_once(open_app: Callable[..., App], line: SlowLine) -> None:
    """S06: typed in the box, or moved with the slider, which show the same number."""
    app = open_app()
    size, slider = app.keyed("size").locator("input"), app.keyed("size_slider").locator("input[type=range]")
    with line.slow(app.page):
        app.type_number("size", 60)
        app.type_number("overlap", 10)
    app.settled()
    expect(size).to_have_value("60")
    expect(slider).to_have_value("60")
    with line.slow(app.page):
        slider.focus()
        slider.press("ArrowRight")
        app.page.wait_for_timeout(300)  # a slider tells the server a little later
        app.type_number("overlap", 20)
    app.settled()
    expect(size).to_have_value("70")
    expect(slider).to_have_value("70")
    expect(app.keyed("overlap").locator("input")).to_have_value("20")


def test_r07_a_query_and_its_document_stay_when_k_follows_at_once(open_app: Callable[..., App], line: SlowLine) -> None:
    """R07: a query chosen in the rank table, which the select box and the document picker show as well."""
    app = open_app("retrieval")
    app.table(RANKS, "query")
    app.settled()
    with line.slow(app.page):
        app.click_row(RANKS, 5)
        app.page.wait_for_timeout(300)
        app.type_number("k", 3)
    app.settled()
    expect(app.keyed("k").locator("input")).to_have_value("3")
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile(r"^6\. "))
    chosen = app.keyed("doc").locator("[aria-checked=true], [aria-pressed=true]")
    expect(chosen).to_have_text("lighthouse-optics.txt")
