"""S04: a browser opens the report from a file, without a request, and its charts are alive, light and dark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.report_case import sample_report


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(sample_report(), encoding="utf-8")
    return path


def opened(page: Page, file: Path) -> tuple[list[str], list[str]]:
    """Requests and complaints, filled while the page lives; the charts are drawn."""
    requests: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    expect(page.locator(".chart .main-svg").first).to_be_visible()
    expect(page.locator(".chart.js-plotly-plot")).to_have_count(2)
    return requests, said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_s04_charts_are_alive_and_nothing_is_requested(new_page: Callable[..., Page], file: Path, scheme: str) -> None:
    """S04: bars answer the mouse; no request but the file, no complaint of the policy, no hostile
    script, no button that would send a chart away."""
    page = new_page(color_scheme=scheme)
    requests, said = opened(page, file)
    bars = page.locator(".chart .bars path")
    bars.first.scroll_into_view_if_needed()
    boxes = [box for box in (bar.bounding_box() for bar in bars.all()) if box]
    tallest = max(boxes, key=lambda box: box["height"])
    assert len(boxes) > 3
    page.mouse.move(tallest["x"] + tallest["width"] / 2, tallest["y"] + tallest["height"] / 2)
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("chunks")
    titles = page.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title)")
    assert "Zoom in" in titles
    assert not [title for title in titles if "hare" in title or "loud" in title]
    assert requests == [file.as_uri()]
    assert said == []
    assert page.evaluate("window.broken") is None


def test_s04_light_and_dark_follow_the_system(new_page: Callable[..., Page], file: Path) -> None:
    """S04: paper, ink and the letters of the charts, also when the system changes while it is open."""
    page = new_page(color_scheme="light")
    opened(page, file)

    def colours() -> tuple[int, int]:
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        ink = page.evaluate("getComputedStyle(document.querySelector('.chart .xtick text')).fill")
        red = [int(re.findall(r"\d+", colour)[0]) for colour in (paper, ink)]
        return red[0], red[1]

    light = colours()
    assert light[0] > 240 > 60 > light[1]
    page.emulate_media(color_scheme="dark")
    # The policy of the file forbids code that a test would bring along, so the style itself is waited for.
    expect(page.locator(".chart .xtick text").first).to_have_css("fill", re.compile(r"rgba?\(2\d\d,"))
    dark = colours()
    assert dark[0] < 60 < 200 < dark[1]


def test_s04_on_a_phone_only_tables_scroll_sideways(new_page: Callable[..., Page], file: Path) -> None:
    """S04: at 390 pixels the page is as wide as the screen."""
    page = new_page(viewport={"width": 390, "height": 800})
    opened(page, file)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
