"""The app as it opens, with no click: S06, D01, V01–V03; by link, in light and dark, on a wide and a narrow screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ragchunk_core.samples import sample_corpus
from tests.browser.app_driver import APP, COMPARISON, METRICS, App, eventually, numbers, watched_apps
from tests.browser.viewer_driver import in_viewer, press, shown_text, status

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}
DARK_GROUND, LIGHT_GROUND = "rgb(17, 22, 28)", "rgb(255, 255, 255)"  # of .streamlit/config.toml


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def windows(length: int, size: int, overlap: int) -> int:
    """How many fixed windows a text takes: one, and one for each further stride that is begun."""
    return 1 + max(0, math.ceil((length - size) / (size - overlap)))


@pytest.mark.parametrize(
    ("scheme", "screen"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)], ids=["light", "dark", "narrow"]
)
def test_s06_the_sample_is_shown_cut_four_ways_with_no_click(
    open_app: Callable[..., App], scheme: str, screen: dict[str, int]
) -> None:
    """S06, D01, V01, V02, V03: coloured and numbered text, table and histogram; nothing is selected."""
    app = open_app(color_scheme=scheme, viewport=screen)
    page = app.page
    documents = sample_corpus().documents

    table = app.table(COMPARISON)
    assert table["chunker"] == ["Fixed windows", "Sentences", "Recursive", "Markdown headings"]
    assert int(table["chunks"][0]) == sum(windows(len(d.text), 400, 50) for d in documents)
    assert table["covered"][0] == "100"
    assert set(table) == {
        "chunker", "chunks", "mean", "median", "range", "size used", "covered", "stored twice", "tokens", "overlap tax",
    }  # fmt: skip
    chunks = int(table["chunks"][2])
    expect(app.metric("chunks")).to_have_text(str(chunks))

    assert shown_text(page) == documents[0].text
    numbered = in_viewer(page, "return [...text.querySelectorAll('.badge.number')].map((each) => each.dataset.shown)")
    assert numbered[:3] == ["1", "2", "3"]
    colours = in_viewer(
        page, "return [...text.querySelectorAll('.covered')].map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(colours)) >= 5

    expect(page.get_by_text(f"Recursive: length of its {chunks} chunks")).to_be_visible()
    bars = app.keyed("histogram").locator(".bars .point path")
    heights = bars.evaluate_all("(bars) => bars.map((bar) => bar.getBBox().height)")
    assert sum(height > 0 for height in heights) > 5
    assert app.figure("histogram", "figure.calcdata[0].reduce((sum, bar) => sum + bar.s, 0)") == chunks

    assert page.locator(".viewer .selected").count() == 0
    assert page.get_by_test_id("stCode").count() == 0
    assert status(page).endswith(" chunks")
    ground = app.page.get_by_test_id("stApp").evaluate("(app) => getComputedStyle(app).backgroundColor")
    assert ground == (DARK_GROUND if scheme == "dark" else LIGHT_GROUND)
    app.assert_nothing_sticks_out()
    if screen == WIDE:
        for place in (".viewer", "[data-testid=stDataFrame]", ".st-key-histogram", ".st-key-cards"):
            expect(page.locator(place)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("path", ["retrieval", "documents", "distances", "chunks"])
def test_s06_a_cold_link_opens_its_page(open_app: Callable[..., App], path: str) -> None:
    """S06: each page by its own address, in a session that has seen no other."""
    app = open_app(path)
    seen: dict[str, Any] = {
        "retrieval": lambda: app.table(METRICS)["chunker"],
        "documents": lambda: app.page.get_by_test_id("stFileUploader").count(),
        "distances": lambda: app.keyed("distances").locator(".scatterlayer").count(),
    }
    assert seen.get(path, lambda: app.table(COMPARISON)["chunker"])()
    current = {"retrieval": "Retrieval", "documents": "Documents", "distances": "Semantic distances"}
    expect(app.page.get_by_role("dialog")).to_have_count(0)
    expect(app.page.locator("[data-testid=stTopNavLink][aria-current=page]")).to_have_text(current.get(path, "Chunks"))
    assert shown_text(app.page) == sample_corpus().documents[0].text


def test_s02_the_worked_example_shows_three_whole_sentence_chunks(open_app: Callable[..., App]) -> None:
    """D02, S02: s0's figures, and the chunks in the text."""
    app = open_app()
    app.choose("preset", "Worked example")
    expect(app.metric("chunks")).to_have_text("3")
    app.settled()
    # Columns are read one after the other: a table that has just changed may be read half before and half after.
    table = eventually(
        lambda: app.table(COMPARISON),
        lambda table: ("Sentence buffer", "3") in zip(table["chunker"], table.get("chunks", []), strict=False),
        app.page,
    )
    row = table["chunker"].index("Sentence buffer")
    assert table["range"][row] == "224–284"
    assert round(float(table["size used"][row])) == 88
    assert round(numbers(table["stored twice"])[table["chunker"].index("Fixed windows")]) == 11
    assert status(app.page) == "3 chunks"
    first = in_viewer(app.page, "return [...text.querySelectorAll('[data-chunk=\"0\"]')].at(-1).textContent")
    assert first.endswith("at query time.")
    press(app.page, "j")
    alone = app.page.get_by_test_id("stCode").locator("code")
    expect(alone).to_be_visible()
    assert len(str(alone.text_content())) == 284, "The sentences joined, without the white space between them."
