"""The Retrieval page, driven as a person drives it: R01–R03, R05–R07, R09."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ragchunk_core import evaluate
from ragchunk_core.samples import sample_corpus
from tests.browser.app_driver import APP, METRICS, MODEL_SECONDS, RANKS, App, eventually, numbers, watched_apps
from tests.browser.viewer_driver import in_viewer, selected_is_in_sight, status

FOUR = ["Fixed windows", "Sentences", "Recursive", "Markdown headings"]
THREE = ["BM25", "Embeddings", "Hybrid"]
QUERIES = json.loads((APP.parent / "sample_data" / "queries.json").read_text(encoding="utf-8"))
MARKED = "return [...text.querySelectorAll('.marked')].map((each) => each.textContent).join('')"
RANKED = """
  return [...text.querySelectorAll(".badge.rank")].map((badge) => {
    const number = badge.parentElement.querySelector(".badge.number").dataset.shown;
    return [Number(badge.dataset.shown.split("#")[1]), badge.matches(".answers"), Number(number)];
  });
"""


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def mrr_of(ranks: list[str]) -> float:
    """The mean of 1 / rank over a column of the rank table, by hand."""
    found = [re.sub(r"[()–]", "", rank) for rank in ranks]
    return sum(1 / int(rank) for rank in found if rank) / len(found)


def test_r06_every_chunker_is_measured_under_three_methods(open_app: Callable[..., App]) -> None:
    """R01, R02, R03, R06: twelve rows for the eleven queries; BM25 as the core counts it, the rest consistent."""
    app = open_app("retrieval")
    table = eventually(lambda: app.table(METRICS), lambda table: all(table["recall@5"]), app.page, MODEL_SECONDS)
    assert table["chunker"] == [name for name in FOUR for _ in THREE]
    assert table["method"] == THREE * 4
    corpus = sample_corpus()
    cuts: list[Any] = [(name, {"size": 400, "overlap": 50}) for name in ("fixed", "sentence", "recursive", "markdown")]
    expected = evaluate(corpus.documents, corpus.queries, cuts, ["bm25"])
    for shown, name, factor in [("recall@5", "recall", 1), ("MRR", "mrr", 1), ("precision", "precision", 100)]:
        assert numbers(table[shown])[::3] == pytest.approx((expected[name] * factor).tolist())
    assert numbers(table["context@5"])[::3] == pytest.approx(expected["context"].tolist())
    for column in ("recall@5", "MRR", "precision"):
        assert len(set(table[column])) > 6, "The methods must differ."
    assert all(
        recall <= ceiling <= 1
        for recall, ceiling in zip(numbers(table["recall@5"]), numbers(table["ceiling"]), strict=True)
    )
    expect(app.page.get_by_text(re.compile("^Means over 11 judged queries"))).to_be_visible()

    ranks = app.table(RANKS)
    assert [query.removeprefix("▸ ") for query in ranks["query"]] == [
        f"{number}. {row['query']}" for number, row in enumerate(QUERIES, 1)
    ]
    hybrid = dict(zip(FOUR, numbers(table["MRR"])[2::3], strict=True))
    assert {name.split(" ", 1)[1]: mrr_of(column) for name, column in ranks.items() if name != "query"} == (
        pytest.approx(hybrid)
    )
    assert app.keyed("retrieval_chart").locator(".scatterlayer .trace").count() == 4


def test_r06_all_its_columns_are_in_sight(open_app: Callable[..., App]) -> None:
    """R06 at 1280 × 800: recall, MRR, context and precision are read without scrolling the table sideways."""
    app = open_app("retrieval")
    frame = app.frame(METRICS)
    frame.locator("[role=grid]").wait_for(state="attached", timeout=90_000)
    widths = frame.locator(".dvn-scroller").evaluate("(box) => [box.scrollWidth, box.clientWidth]")
    assert widths[0] <= widths[1], f"The table is {widths[0]} pixels wide, and {widths[1]} of them are shown."


def test_r05_r06_the_table_follows_its_settings(open_app: Callable[..., App]) -> None:
    """R05, R06: more chunks find and cost more; a stricter rule finds less; size, unit and chunkers count."""
    app = open_app("retrieval")
    app.press_button("method", "BM25")
    at_5 = eventually(lambda: app.table(METRICS), lambda table: table["method"] == ["BM25"] * 4, app.page)

    app.type_number("k", 2)
    at_2 = eventually(lambda: app.table(METRICS), lambda table: "recall@2" in table, app.page)
    for few, many in zip(numbers(at_2["recall@2"]), numbers(at_5["recall@5"]), strict=True):
        assert few <= many
    for few, many in zip(numbers(at_2["context@2"]), numbers(at_5["context@5"]), strict=True):
        assert few < many
    assert at_2["MRR"] == at_5["MRR"], "MRR looks at the first 100 whatever k is."
    assert sum(numbers(at_2["recall@2"])) < sum(numbers(at_5["recall@5"]))

    read = lambda: numbers(app.table(METRICS, "recall@2")["recall@2"])  # noqa: E731
    half = numbers(at_2["recall@2"])
    app.press_button("theta", "all")
    whole = eventually(read, lambda found: found != half, app.page)
    app.press_button("theta", "any")
    touched = eventually(read, lambda found: found not in (half, whole), app.page)
    assert all(low <= middle <= high for low, middle, high in zip(whole, half, touched, strict=True))

    app.type_number("overlap", 0)
    app.type_number("size", 40)
    app.choose("unit", "words")
    context = eventually(
        lambda: numbers(app.table(METRICS, "context@2")["context@2"]), lambda found: found[0] <= 80, app.page
    )
    assert 60 <= context[0] <= 80, "Two windows of 40 words, the last of a text shorter."
    app.press_button("on", "Markdown headings")
    app.press_button("on", "Paragraphs")
    names = eventually(
        lambda: app.table(METRICS, "chunker")["chunker"], lambda names: names[-1] == "Paragraphs", app.page
    )
    assert names == ["Fixed windows", "Sentences", "Recursive", "Paragraphs"]


def draw_whole_text(page: Page) -> None:
    """Scrolls through the text, as it draws only what is near; then back to where it was."""
    in_viewer(
        page,
        """
        const before = text.scrollTop;
        const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        for (let y = 0; y < text.scrollHeight; y += 600) {
          text.scrollTop = y;
          await frame();
          await frame();
        }
        text.scrollTop = before;
        await frame();
        """,
    )


def chosen_query_is_shown(app: App, number: int, document: str) -> None:
    """The query's passage underlined in the text, and the hits of this document under their ranks."""
    row = QUERIES[number - 1]
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(f"{number}. {row['query']}")
    passages = sorted((p for p in row["passages"] if p["document"] == document), key=lambda p: p["start"])
    here = "".join(passage["text"] for passage in passages)

    def drawn() -> tuple[str, list[tuple[int, bool, int]]]:
        draw_whole_text(app.page)
        ranked = in_viewer(app.page, RANKED)
        return in_viewer(app.page, MARKED), sorted((rank, answers, chunk) for rank, answers, chunk in ranked)

    def listed() -> list[tuple[int, bool, int]] | None:
        hits = app.hits()
        if [rank for rank, *_ in hits] != [1, 2, 3, 4, 5]:
            return None  # read while the list changes
        return [(rank, ticked, int(place.split("chunk ")[1])) for rank, ticked, name, place in hits if name == document]

    app.settled()
    eventually(drawn, lambda seen: seen == (here, listed()), app.page)


def test_r07_a_query_chosen_in_the_rank_table_is_shown_in_the_text(open_app: Callable[..., App]) -> None:
    """R07: passage underlined, hits with ranks, ticked where they answer; the answering chunk is in sight."""
    app = open_app("retrieval")
    ranks = app.table(RANKS)
    app.click_row(RANKS, 5)
    eventually(lambda: selected_is_in_sight(app.page), bool, app.page)
    chosen_query_is_shown(app, 6, "lighthouse-optics.txt")
    rank = ranks["● Recursive"][5]
    assert f"rank {rank}, answers" in status(app.page)
    assert next(r for r, answers, *_ in app.hits() if answers) == int(rank)


def test_r07_a_query_chosen_in_the_box_is_shown_and_a_hit_leads_to_its_chunk(open_app: Callable[..., App]) -> None:
    """R07: by the select box; then *Show in text* leads to the chunk, in another document if need be."""
    app = open_app("retrieval")
    app.choose("q", f"2. {QUERIES[1]['query']}")
    chosen_query_is_shown(app, 2, QUERIES[1]["passages"][0]["document"])
    app.choose("chunker", "Fixed windows")
    expect(app.page.get_by_text("Top 5 of Fixed windows under Hybrid")).to_be_visible()
    app.settled()
    chosen_query_is_shown(app, 2, QUERIES[1]["passages"][0]["document"])
    hits = app.hits()
    rank, _, name, place = next((hit for hit in hits if hit[2] != "runbook.md"), hits[-1])
    app.keyed(f"hit_{rank}").get_by_role("button").click()
    expect(app.page.locator(".viewer .status")).to_have_text(
        re.compile(rf"^Chunk {place.split('chunk ')[1]} of \d+, .*rank {rank}")
    )
    expect(app.keyed("doc").locator("[aria-checked=true], [aria-pressed=true]")).to_have_text(name)


def test_r09_the_charts_draw_every_chunker(open_app: Callable[..., App]) -> None:
    """R09: a line a chunker of recall against context; and bars of all metrics instead, at a click."""
    app = open_app("retrieval")
    app.table(METRICS, "chunker")
    lines = app.keyed("retrieval_chart").locator(".scatterlayer .trace")
    expect(lines).to_have_count(4)
    ends = app.figure("retrieval_chart", "figure.calcdata.map((line) => line.at(-1).y)")
    assert all(0 < recall <= 1 for recall in ends)
    app.press_button("chart", "All metrics")
    expect(app.keyed("retrieval_chart").locator(".barlayer .trace")).to_have_count(16)


def test_r07_a_cell_of_the_rank_table_opens_query_and_chunker(open_app: Callable[..., App]) -> None:
    """R07: one click from a rank to the text it came from."""
    app = open_app("retrieval?emb=0")
    app.click_row(RANKS, 3, x=560)
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile(r"^4\. "))
    expect(app.keyed("chunker").get_by_role("combobox")).to_have_value("Sentences")


def test_s04_the_report_holds_what_is_on_screen(open_app: Callable[..., App], tmp_path: Path) -> None:
    """S04: downloaded as one file, with the recall of every chunker."""
    app = open_app("retrieval?emb=0")
    table = app.table(METRICS, "chunker", "recall@5")
    app.keyed("report").get_by_role("button").first.click()
    with app.page.expect_download() as download:
        app.keyed("report_download").get_by_role("button").click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    text = file.read_text(encoding="utf-8")
    for name, recall in zip(table["chunker"], numbers(table["recall@5"]), strict=True):
        assert name in text
        assert f"{recall:.3f}" in text
