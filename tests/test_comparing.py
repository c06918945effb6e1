"""Chunkers compared on the pages: green best values, histograms of all, warnings counted, intervals and tests."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from scipy import stats

from ragchunk_core import chunk, evaluate
from ragchunk_core.lint import lint
from ragchunk_core.samples import sample_corpus
from tests.page_driver import go, put, unescaped

FOUR = ("fixed", "sentence", "recursive", "markdown")
THREE = ("bm25", "emb", "hybrid")


def cut(name):
    return chunk(list(sample_corpus().documents), name, size=400, overlap=50)


def green(app, place=0):
    """The cells of a table that are coloured, as (row, column) numbers."""
    styles = app.dataframe[place].proto.arrow_data.styler.styles
    rules = [rule.split("{")[0] for rule in styles.split("\n") if "background-color" in rule]
    cells = [cell.rsplit("_row", 1)[1].split("_col") for rule in rules for cell in rule.split(",")]
    return {(int(row), int(column)) for row, column in cells}


def test_v02_the_best_values_are_green_and_no_others(app):
    """V02: most of the size used and of the text covered, least stored twice, least overlap tax."""
    shown = app.dataframe[0].value
    columns = {name: place for place, name in enumerate(shown.columns)}
    best = {"size used": max, "covered": max, "stored twice": min, "overlap tax": min}
    expected = {
        (row, columns[name])
        for name, choose in best.items()
        for row, value in enumerate(shown[name])
        if value == choose(shown[name])
    }
    assert green(app) == expected


def test_r06_the_best_values_of_each_method_are_green(app):
    """R06: recall, MRR and precision, best of each method; a ceiling that all share is no best."""
    go(app, "retrieval")
    shown = app.dataframe[0].value
    expected = set()
    for name in (shown.columns[2], "MRR", "precision"):
        for method in set(shown["method"]):
            own = shown[name][shown["method"] == method]
            expected |= {(int(row), list(shown.columns).index(name)) for row in own.index[own == own.max()]}
    assert len(set(shown["ceiling"])) == 1
    assert green(app) == expected


def test_v03_all_chunkers_have_their_histogram_on_one_scale(app):
    """V03: bars count the lengths as NumPy does, all over the same edges."""
    put(app, histograms=True)
    app.run()
    assert not app.exception
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    lengths = [np.concatenate([one.lengths for one in cut(name)]) for name in FOUR]
    width = spec["data"][0]["width"] / 0.94
    for trace, own in zip(spec["data"], lengths, strict=True):
        counts = np.frombuffer(base64.b64decode(trace["y"]["bdata"]), trace["y"]["dtype"])
        edges = np.arange(len(counts) + 1) * round(width)
        assert list(counts) == np.histogram(own, bins=edges)[0].tolist()
        assert sum(counts) == len(own)
    titles = " ".join(one["text"] for one in spec["layout"]["annotations"])
    assert all(f"{len(own):,} chunks" in titles for own in lengths)


def test_v05_the_card_counts_the_warnings_of_all_documents(app):
    """V05: of the chunker on screen."""
    card = next(metric for metric in app.metric if metric.label == "warnings")
    assert card.value == f"{sum(len(finding.chunks) for one in cut('recursive') for finding in lint(one)):,}"


def test_r10_intervals_and_what_is_established_stand_on_the_page(app):
    """R10: the interval of each recall; the line and the tests are SciPy's permutation test, Holm corrected."""
    go(app, "retrieval")
    corpus = sample_corpus()
    settings = [(name, {"size": 400, "overlap": 50}) for name in FOUR]
    table = evaluate(corpus.documents, corpus.queries, settings, THREE, confidence=0.95)
    expected = [f"{low:.2f}–{high:.2f}" for low, high in zip(table["recall_low"], table["recall_high"], strict=True)]
    assert app.dataframe[0].value["95 %"].tolist() == expected
    line = next(unescaped(one) for one in app.caption if unescaped(one).startswith("Hybrid: "))
    assert "no difference in recall is established" in line
    app.session_state["tests"] = True
    app.run()
    said = [text.value for text in app.text if "established" in text.value or "is better than" in text.value]
    assert len(said) == 6


@pytest.mark.parametrize("seed", range(3))
def test_r10_a_clear_difference_is_said_with_its_size(seed):
    """R10: thirty queries, of which one chunker answers all and the other none in half: established by SciPy too."""
    from pages.shared.trust import said
    from ragchunk_core.intervals import paired_comparisons

    rng = np.random.default_rng(seed)
    worse = rng.permutation(np.repeat([0.0, 1.0], 15))
    line = said(paired_comparisons({"A": np.ones(30), "B": worse}))
    p = stats.permutation_test(
        (np.ones(30) - worse,), np.mean, permutation_type="samples", n_resamples=9999, rng=rng
    ).pvalue
    assert p < 0.05
    assert line.startswith("A is better than B by 0.500 on these 30 queries")
