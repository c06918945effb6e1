"""The Semantic distances page, driven as a person drives it: C14, V03."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from operator import eq
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_driver import APP, App, eventually, watched_apps
from tests.browser.viewer_driver import in_viewer, status


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def cut_sentence(app: App) -> Locator:
    """The sentence above the chart."""
    return app.page.get_by_test_id("stMarkdownContainer").filter(has_text=re.compile(r"^\d+ cuts?\b"))


def cuts_everywhere(app: App) -> tuple[int, int, int, int]:
    """The number of cuts in the sentence, in the chart, and between the chunks of the sentence and of the text."""
    sentence = cut_sentence(app).inner_text()
    said, chunks_said = re.match(r"(\d+) cuts? .*: (\d+) chunks?", sentence).groups()  # type: ignore[union-attr]
    drawn = app.figure(
        "distances",
        """{
          const trace = figure._fullData.findIndex(({ name }) => name === "cut");
          if (trace < 0) return 0;
          return figure.querySelectorAll(".scatterlayer .trace")[trace].querySelectorAll(".point").length;
        }""",
    )
    text = int(re.match(r"(\d+) chunks?$", status(app.page)).group(1))  # type: ignore[union-attr]
    return int(said), drawn, int(chunks_said) - 1, text - 1


def agreed(app: App, holds: Callable[[int], bool]) -> int:
    """The number of cuts, as soon as sentence, chart and text say the same and it fulfils a condition."""
    app.settled()
    found = eventually(lambda: cuts_everywhere(app), lambda four: len(set(four)) == 1 and holds(four[0]), app.page)
    return found[0]


def test_c14_sentence_chart_and_text_follow_rule_and_amount(open_app: Callable[..., App]) -> None:
    """C14, V03: the three change together; a lower amount cuts more; a number of chunks decides instead of it."""
    app = open_app("distances")
    usual = agreed(app, lambda cuts: cuts > 0)
    threshold = app.figure("distances", "figure.layout.shapes[0].y0")
    above = "figure.calcdata[0].filter(({ y }) => y > figure.layout.shapes[0].y0).length"
    assert app.figure("distances", above) == usual

    amount = app.keyed("amt").locator("input[type=range]")
    amount.focus()
    for _ in range(3):
        amount.press("PageDown")
    more = agreed(app, lambda cuts: cuts > usual)
    assert app.figure("distances", "figure.layout.shapes[0].y0") < threshold
    assert app.figure("distances", above) == more

    for rule, words in [
        ("mean + amount × σ", "σ"),
        ("mean + amount × interquartile range", "interquartile range"),
        ("percentile of the gradient", "gradient"),
    ]:
        app.choose("sem", rule)
        expect(cut_sentence(app)).to_contain_text(words)
        agreed(app, lambda cuts: cuts >= 0)

    number = app.page.get_by_label("Number of chunks", exact=True)
    number.fill("9")
    number.press("Enter")
    agreed(app, lambda cuts: cuts == 8)


def test_c14_each_rule_starts_from_its_usual_amount(open_app: Callable[..., App]) -> None:
    """C14: 95, 3, 1.5 and 95; an amount in one rule's measure means something else in another's."""
    app = open_app("distances")
    amount = app.keyed("amt").locator("input[type=range]")
    for rule, usual in [
        ("mean + amount × σ", 3),
        ("mean + amount × interquartile range", 1.5),
        ("percentile of the gradient", 95),
        ("mean + amount × σ", 3),
        ("percentile of the distances", 95),
    ]:
        app.choose("sem", rule)
        eventually(lambda: float(amount.input_value()), partial(eq, usual), app.page, 5)


def test_v03_a_click_on_a_point_shows_the_chunk_of_its_sentence(open_app: Callable[..., App]) -> None:
    """V03: the chart leads to the text."""
    app = open_app("distances")
    cuts = agreed(app, lambda cuts: cuts > 1)
    trace = "figure._fullData.findIndex(({ name }) => name === 'cut')"
    box = app.keyed("distances").locator(".js-plotly-plot").bounding_box()
    assert box
    x, y = app.figure(
        "distances",
        f"""{{
          const {{ xaxis, yaxis }} = figure._fullLayout;
          const {{ x, y }} = figure.calcdata[{trace}][1];
          return [xaxis._offset + xaxis.d2p(x), yaxis._offset + yaxis.d2p(y)];
        }}""",
    )
    app.page.mouse.click(box["x"] + x, box["y"] + y)
    expect(app.page.locator(".viewer .status")).to_have_text(re.compile(rf"^Chunk 2 of {cuts + 1}, characters"))
    expect(app.page.get_by_test_id("stCode")).to_be_visible()
    chosen = in_viewer(app.page, "return [...text.querySelectorAll('.selected')].map((e) => e.textContent).join('')")
    assert chosen == app.page.get_by_test_id("stCode").locator("code").text_content()
