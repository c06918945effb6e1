"""The Chunks page and the settings of the sidebar, driven as a person drives them: V01, V02, V04, C19, U01."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ragchunk_core import Document, chunk
from ragchunk_core.samples import sample_corpus
from tests.browser.app_driver import APP, COMPARISON, App, eventually, numbers, watched_apps
from tests.browser.viewer_driver import in_viewer, middle_of, press, status

RUNBOOK, ESSAY, _ = sample_corpus().documents


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def test_v01_v04_a_clicked_chunk_is_shown_alone_with_offsets_that_slice_to_it(open_app: Callable[..., App]) -> None:
    """V01, V04: what is clicked is what is shown; its code points and bytes are those of its text."""
    app = open_app()
    at = RUNBOOK.text.index("PostgreSQL, primary in Lisbon")
    app.page.mouse.click(*middle_of(app.page, at, RUNBOOK.text))
    alone = app.page.get_by_test_id("stCode")
    expect(alone).to_be_visible()
    app.settled()
    facts = app.page.get_by_test_id("stCaptionContainer").filter(has_text="code points").inner_text()
    start, end = app.range_after("code points", facts)
    assert start <= at < end
    assert alone.locator("code").text_content() == RUNBOOK.text[start:end]
    first, last = app.range_after("bytes", facts)
    assert RUNBOOK.text.encode()[first:last].decode() == RUNBOOK.text[start:end]
    assert f"{end - start} ch" in facts
    framed = in_viewer(app.page, "return [...text.querySelectorAll('.selected')].map((e) => e.textContent).join('')")
    assert framed == RUNBOOK.text[start:end]
    assert re.match(rf"Chunk \d+ of \d+, characters {start} to {end}", status(app.page))


def test_v01_j_and_k_walk_and_the_chunk_alone_follows(open_app: Callable[..., App]) -> None:
    app = open_app()
    heading = app.page.get_by_test_id("stMarkdownContainer").filter(has_text=re.compile(r"^Chunk \d+ of \d+$"))
    press(app.page, "j", "j", "j")
    expect(heading).to_have_text(re.compile(r"^Chunk 3 of"))
    press(app.page, "k")
    expect(heading).to_have_text(re.compile(r"^Chunk 2 of"))
    assert status(app.page).startswith("Chunk 2 of")
    press(app.page, "Escape")
    expect(heading).to_have_count(0)


def test_v01_f_is_full_screen_and_back(open_app: Callable[..., App]) -> None:
    app = open_app()
    fills = "const box = root.querySelector('.viewer').getBoundingClientRect(); return [box.width, box.height]"
    before = in_viewer(app.page, fills)
    press(app.page, "f")
    screen = app.page.evaluate("[innerWidth, innerHeight]")
    eventually(lambda: in_viewer(app.page, fills), lambda box: box == screen, app.page)
    expect(app.page.locator(".viewer .full")).to_have_text(re.compile("Leave full screen"))
    press(app.page, "j")
    expect(app.page.locator(".viewer .status")).to_have_text(re.compile("^Chunk 1 of"))
    press(app.page, "f")
    eventually(lambda: in_viewer(app.page, fills), lambda box: box == before, app.page)


def test_v02_a_click_in_the_comparison_shows_that_chunker(open_app: Callable[..., App]) -> None:
    """V02: text, cards and histogram change to the chunker of the row."""
    app = open_app()
    chunks = app.table(COMPARISON, "chunks")["chunks"]
    app.click_row(COMPARISON, 0)
    expect(app.metric("chunks")).to_have_text(chunks[0])
    expect(app.page.get_by_text(f"Fixed windows: length of its {chunks[0]} chunks")).to_be_visible()
    app.settled()
    count = int(status(app.page).removesuffix(" chunks"))
    assert count == 1 + -(-(len(RUNBOOK.text) - 400) // 350)


def test_v01_another_document_is_one_click_away(open_app: Callable[..., App]) -> None:
    app = open_app()
    app.press_button("doc", ESSAY.name)
    read = "return [...text.querySelectorAll('.block')].map((each) => each.textContent).join('')"
    eventually(lambda: in_viewer(app.page, read), lambda text: text == ESSAY.text, app.page)


def test_c19_an_overlap_not_below_the_size_is_clamped_and_said(open_app: Callable[..., App]) -> None:
    """C19: beside the setting, at once; and the table goes on with one less than the size."""
    app = open_app()
    app.type_number("size", 60)
    app.type_number("overlap", 60)
    said = app.page.get_by_test_id("stSidebar").get_by_test_id("stAlert")
    expect(said).to_have_text("The overlap of 60 is not smaller than the size of 60: 59 is used.")
    expected = sum(len(document.text) - 59 for document in sample_corpus().documents)
    eventually(lambda: app.table(COMPARISON, "chunks")["chunks"][0], lambda shown: int(shown) == expected, app.page)
    app.type_number("overlap", 20)
    expect(said).to_have_count(0)


def test_u01_size_unit_and_chunkers_change_the_table(open_app: Callable[..., App]) -> None:
    """U01, U02, C01, V02: lengths follow the unit; a pill adds and takes away a row; the slider moves the number."""
    app = open_app()
    app.type_number("size", 40)
    app.type_number("overlap", 0)
    app.choose("unit", "words")
    words = [len(document.text.split()) for document in sample_corpus().documents]
    windows = sum(-(-count // 40) for count in words)
    table = eventually(
        lambda: app.table(COMPARISON, "chunks", "mean"), lambda table: int(table["chunks"][0]) == windows, app.page
    )
    assert numbers(table["mean"])[0] == pytest.approx(sum(words) / windows)
    expect(app.page.get_by_test_id("stMetricLabel").nth(1)).to_have_text("mean length (words)")

    app.press_button("on", "Paragraphs")
    eventually(lambda: app.table(COMPARISON, "chunker")["chunker"], lambda names: names[-1] == "Paragraphs", app.page)
    app.press_button("on", "Sentences")
    eventually(lambda: app.table(COMPARISON, "chunker")["chunker"], lambda names: "Sentences" not in names, app.page)

    slider = app.keyed("size_slider").locator("input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    expect(app.keyed("size").locator("input")).to_have_value("50")
    windows = sum(-(-count // 50) for count in words)
    eventually(lambda: app.table(COMPARISON, "chunks")["chunks"][0], lambda shown: int(shown) == windows, app.page)
    app.go("Retrieval")
    expect(app.keyed("size").locator("input")).to_have_value("50")


def test_v03_a_bar_chooses_a_chunk_of_that_length(open_app: Callable[..., App]) -> None:
    """V03, V01: the chunk is chosen in the text, its bar is outlined, and what is below says its length."""
    app = open_app()
    bars = app.keyed("histogram").locator(".bars .point path")
    box = bars.nth(bars.count() - 3).bounding_box()
    assert box
    app.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    expect(app.keyed("histogram").locator(".hoverlayer .hovertext")).to_be_visible()
    app.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    expect(app.page.get_by_text(re.compile(r"^Chunk \d+ of \d+$"))).to_be_visible()
    app.settled()
    edges = app.figure(
        "histogram",
        "figure.calcdata[0].filter((bar) => bar.mlw > 0).flatMap((bar) => [bar.x - bar.w / 2, bar.x + bar.w / 2])",
    )
    facts = app.page.get_by_test_id("stCaptionContainer").filter(has_text="code points").inner_text()
    length = int(facts.split(" ch")[0].replace(",", ""))
    assert edges[0] <= length <= edges[1]


def boundaries(document: Document, chunker: str) -> set[int]:
    """Places inside the text where a chunk starts, or ends before words that are in no chunk."""
    made = chunk(document, chunker, size=400, overlap=50)
    starts, ends = made.starts.tolist(), made.ends.tolist()
    found = set(starts)
    for end in ends:
        following = min((start for start in starts if start >= end), default=len(document.text))
        inside = any(start <= end < other for start, other in zip(starts, ends, strict=True))
        if not inside and document.text[end:following].strip():
            found.add(end)
    return found - {0, len(document.text)}


def test_v08_two_chunkers_stand_side_by_side(open_app: Callable[..., App]) -> None:
    """V08: the count of boundaries that only one has is what the core's chunkings say."""
    app = open_app()
    app.choose("compare", "Markdown headings")
    left, right = (boundaries(RUNBOOK, name) for name in ("recursive", "markdown"))
    said = f"{len(left - right)} boundaries only left, {len(right - left)} only right, {len(left & right)} shared"
    expect(app.page.get_by_text(said)).to_be_visible()


def test_v07_the_files_hold_the_chunks(open_app: Callable[..., App], tmp_path: Path) -> None:
    """V07: the JSON Lines that the browser saves are the chunks of all documents."""
    app = open_app()
    app.press_button("part", "Files")
    with app.page.expect_download() as download:
        app.keyed("export_jsonl").get_by_role("button").click()
    file = tmp_path / "chunks.jsonl"
    download.value.save_as(file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    expected = [
        one.text for made in chunk(sample_corpus().documents, "recursive", size=400, overlap=50) for one in made
    ]
    assert [row["text"] for row in rows] == expected


def test_v09_boundaries_changed_by_hand_are_judged_like_others(open_app: Callable[..., App]) -> None:
    """V09: begun from the boundaries on screen; one removed is one chunk less in the table, and undo brings it back."""
    app = open_app()
    app.keyed("by_hand").get_by_role("button").click()

    def chunks() -> int:
        table = app.table(COMPARISON, "chunker", "chunks")
        return dict(zip(table["chunker"], map(int, table["chunks"]), strict=True)).get("By hand", 0)

    started = eventually(chunks, lambda count: count > 0, app.page)
    app.settled()
    app.page.locator(".viewer button", has_text="Edit boundaries").click()
    app.page.locator(".viewer [role=slider], .viewer .handle").first.focus()
    app.page.keyboard.press("Delete")
    eventually(chunks, lambda count: count == started - 1, app.page)
    app.page.keyboard.press("Control+z")
    eventually(chunks, lambda count: count == started, app.page)
