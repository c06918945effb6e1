"""R12: the Sweep page, driven as a person drives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_driver import APP, App, watched_apps


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


@pytest.mark.parametrize("width", [1280, 390])
def test_r12_a_sweep_shows_its_progress_its_map_and_what_to_take(open_app: Callable[..., App], width: int) -> None:
    """R12: heat map of every combination, points of every setting, a sentence; its setting is used everywhere."""
    app = open_app("sweep", viewport={"width": width, "height": 844})
    app.keyed("sweep_start").get_by_role("button").click()
    expect(app.page.get_by_text(re.compile("has the best recall"))).to_be_visible(timeout=60_000)
    app.settled()
    assert app.figure("sweep_heat", "figure._fullData[0].z.flat().length") == 24
    points = "figure._fullData.filter(({mode}) => mode === 'markers').map(({x}) => x.length)"
    assert app.figure("sweep_pareto", points) == [6, 6, 6, 6]
    app.assert_nothing_sticks_out()
    app.keyed("use_best").get_by_role("button").click()
    app.settled()
    app.go("Chunks")
    expect(app.keyed("chunker").get_by_role("combobox")).to_have_value("Recursive")


def test_r12_a_sweep_can_be_stopped_and_taken_up_again(open_app: Callable[..., App]) -> None:
    """R12: what is measured stays on screen."""
    app = open_app("sweep")
    sizes = app.keyed("sweep_sizes").locator("input")
    sizes.fill(", ".join(str(size) for size in range(100, 1000, 3)))
    sizes.press("Enter")
    start = app.keyed("sweep_start").get_by_role("button")
    expect(start).to_have_text("Measure 2,400 settings")
    app.settled()
    start.click()
    expect(app.page.get_by_test_id("stProgress").get_by_text(re.compile(r"^[1-9][\d,]* of 2,400"))).to_be_visible()
    app.keyed("sweep_stop").get_by_role("button").click()
    stopped = app.page.get_by_test_id("stAlert").filter(has_text=re.compile(r"Stopped: [\d,]+ of 2,400 settings not"))
    expect(stopped).to_be_visible()
    expect(app.page.get_by_text(re.compile("has the best recall"))).to_be_visible()
    app.keyed("sweep_go_on").get_by_role("button").click()
    expect(app.page.get_by_test_id("stProgress").get_by_text(re.compile(r"of 2,400"))).to_be_visible()
    app.keyed("sweep_stop").get_by_role("button").click()
    expect(stopped).to_be_visible()
