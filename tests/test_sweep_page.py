"""R12: the Sweep page says what the core measured; a sweep is stopped, taken up again, and its settings are used."""

from __future__ import annotations

import pytest

from pages.shared.sweeping import shares, whole_numbers
from ragchunk_core import Document, Query, evaluate
from ragchunk_core.samples import sample_corpus
from ragchunk_core.sweep import sweep
from ragchunk_core.sweep_grid import Grid
from ragchunk_core.sweep_store import MemoryStore
from ragchunk_core.types import Corpus, Passage
from tests.page_driver import go, key_of, put, set_key, unescaped

FOUR = ["Fixed windows", "Sentences", "Recursive", "Markdown headings"]


def measured(app):
    go(app, "sweep")
    app.button(key="sweep_start").click().run()
    assert not app.exception, app.exception
    return app


def test_r12_every_setting_has_the_recall_that_evaluate_gives_it(app):
    """R12: four chunkers, three sizes, two overlaps under BM25: twenty-four rows, each measured by itself again."""
    go(app, "sweep")
    assert app.button(key="sweep_start").label == "Measure 24 settings"
    measured(app)
    table = app.dataframe[0].value
    assert len(table) == 24
    corpus = sample_corpus()
    for row in table.itertuples():
        name = ("fixed", "sentence", "recursive", "markdown")[FOUR.index(row.chunker)]
        size = {"size": int(row.size), "overlap": int(row.overlap)}
        expected = evaluate(corpus.documents, corpus.queries, [(name, size)], ["bm25"], confidence=0.95).iloc[0]
        assert row[6] == pytest.approx(expected["recall"])
        assert pytest.approx(expected["mrr"]) == row.MRR
        assert row.context == pytest.approx(expected["context"])
    assert table["recall@5"].tolist() == sorted(table["recall@5"], reverse=True)
    best = table.iloc[0]
    said = next(unescaped(one) for one in app.markdown if "has the best recall" in one.value)
    assert f"{best['recall@5']:.3f}" in said
    app.button(key="use_best").click().run()
    assert app.session_state["size"] == best["size"]
    assert app.session_state["overlap"] == best["overlap"]
    assert FOUR[["fixed", "sentence", "recursive", "markdown"].index(app.session_state["chunker"])] == best["chunker"]


def test_r12_what_is_no_list_of_numbers_is_told_about(app):
    """R12: the button waits, nothing raises."""
    go(app, "sweep")
    set_key(app, "text_input", "sweep_sizes", "200, many")
    assert "'many' is no whole number" in unescaped(app.error[0])
    assert app.button(key="sweep_start").disabled
    set_key(app, "text_input", "sweep_sizes", "100, 200")
    assert not app.error
    set_key(app, "text_input", "sweep_overlaps", "150")
    assert "left out: the overlap is not below the size" in " ".join(one.value for one in app.caption)
    assert app.text_input(key=key_of(app, "sweep_overlaps")).value == "150"


def test_r12_a_stopped_sweep_keeps_what_it_has_and_goes_on(app):
    """R12: what is measured is shown; *Go on* measures the rest, and only that."""
    measured(app)
    held = app.session_state["sweeps"]
    whole = dict(held.results)
    dropped = list(whole)[10:]
    for setting in dropped:
        del held.results[setting]
    app.run()
    assert "Stopped: 14 of 24 settings not measured." in app.info[0].value
    assert len(app.dataframe[0].value) == 10
    app.button(key="sweep_go_on").click().run()
    assert {setting: one.means for setting, one in held.results.items()} == {s: one.means for s, one in whole.items()}


def test_r12_without_a_marked_answer_the_page_says_what_is_missing(app):
    """R12: the empty state, with the way on."""
    document = Document.from_text("Words.", name="a.txt")
    app.session_state["workspace"].corpora["custom"] = Corpus((document,), (Query("What?"),))
    put(app, corpus="custom")
    go(app, "sweep")
    assert "No query has a marked answer yet" in app.info[0].value


def test_r12_changed_marks_are_said_to_be_newer_than_the_results(app):
    """R12: results are not taken for those of the marks on screen."""
    measured(app)
    workspace = app.session_state["workspace"]
    now = workspace.corpora["sample"]
    workspace.corpora["sample"] = Corpus(now.documents, now.queries[:5])
    app.run()
    assert any("measured with other choices, documents or marks" in one.value for one in app.caption)


def test_r12_a_session_remembers_results_by_content_and_setting():
    """R12: the same work is not done twice; another k, theta, name or text is other work."""
    document = Document.from_text("The oil burned. The lamp shone. A ship passed by. Nobody came.", name="a.txt")
    query = Query("What burned?", (Passage(document.id, 0, 15),))
    grid = Grid(("recursive", "sentence"), (20, 40), (0,))
    store = MemoryStore()

    def run(documents=(document,), **conditions):
        steps = list(sweep(documents, (query,), grid, store=store, workers=1, **conditions))
        return steps[0].done, steps[-1].done

    assert run() == (0, 4)
    assert run() == (4, 4)
    assert run(k=2) == (0, 4)
    assert run(theta=1.0) == (0, 4)
    assert run((Document.from_text(document.text, name="a.csv"),)) == (0, 4)
    assert run() == (4, 4)


def test_r12_the_store_of_a_session_has_a_bound():
    """R12: the oldest results go."""
    document = Document.from_text("The oil burned. The lamp shone.", name="a.txt")
    query = Query("What burned?", (Passage(document.id, 0, 15),))
    store = MemoryStore(most=3)
    list(sweep((document,), (query,), Grid(("recursive",), (10, 15, 20, 25, 30), (0,)), store=store, workers=1))
    again = list(sweep((document,), (query,), Grid(("recursive",), (20, 25, 30), (0,)), store=store, workers=1))
    assert again[0].done == 3
    assert next(iter(sweep((document,), (query,), Grid(("recursive",), (10,), (0,)), store=store, workers=1))).done == 0


@pytest.mark.parametrize(("text", "found"), [("200, 400", [200, 400]), (" 7 ,", [7]), ("", [])])
def test_r12_sizes_are_read_from_a_list(text, found):
    assert whole_numbers("Sizes", text) == found


def test_r12_overlaps_are_numbers_or_percentages():
    assert shares("0, 15%, 40") == [0, "15%", 40]
    with pytest.raises(ValueError, match="'x' is no whole number"):
        shares("x")
