"""A closer look on the Retrieval page: every cell against a slow count over the ranking, written here."""

from __future__ import annotations

import numpy as np
import pytest
from transformers import AutoTokenizer

from ragchunk_core import chunk
from ragchunk_core.judging import Pool
from ragchunk_core.prefixes import prefix_effect
from ragchunk_core.retrievers.bm25 import Bm25Index
from ragchunk_core.samples import sample_corpus
from ragchunk_core.wordpieces import packaged_folder
from tests.page_driver import go, labels, put, set_key, unescaped

FOUR = ("fixed", "sentence", "recursive", "markdown")
CORPUS = sample_corpus()
NUMBER = {document.id: place for place, document in enumerate(CORPUS.documents)}


def cut(name, size=400, overlap=50):
    return chunk(list(CORPUS.documents), name, size=size, overlap=overlap)


def ranked_spans(name):
    """For each query the chunks that BM25 ranks, as (document, start, end), best first."""
    made = cut(name)
    spans = [(n, int(a), int(b)) for n, one in enumerate(made) for a, b in zip(one.starts, one.ends, strict=True)]
    index = Bm25Index([text for one in made for text in one.indexed_texts()])
    rankings = index.search([query.text for query in CORPUS.queries])
    return [[spans[number] for number in ids.tolist()] for ids in rankings.ids]


def answers(span, passage):
    document, start, end = span
    shared = min(end, passage.end) - max(start, passage.start)
    return NUMBER[passage.document] == document and shared > 0 and 2 * shared >= passage.end - passage.start


def recall(spans, query):
    return np.mean([any(answers(span, passage) for span in spans) for passage in query.passages])


def opened_at(app, view):
    go(app, "retrieval")
    set_key(app, "segmented_control", "method", "bm25")
    return set_key(app, "segmented_control", "closer", view)


def table(app, column):
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


@pytest.mark.parametrize("budget", [None, 700])
def test_r09_recall_within_a_budget_is_a_walk_down_the_ranking(app, budget):
    """R09, R16: chunks are read best first for as long as they fit; at first the mean context of all is the budget."""
    opened_at(app, "Within a budget")
    means = app.dataframe[0].value["context@5"]
    if budget:
        set_key(app, "number_input", "budget", budget)
    budget = budget or round(means.mean())
    shown = table(app, "area")
    for row, name in enumerate(FOUR):
        found, merged = [], []
        for query, spans in zip(CORPUS.queries, ranked_spans(name), strict=True):
            spent, read = 0, []
            for span in spans:
                spent += span[2] - span[1]
                if spent > budget:
                    break
                read.append(span)
            found.append(recall(read, query))
            merged.append(len({(n, place) for n, start, end in spans[:5] for place in range(start, end)}))
        assert shown[f"recall in {budget:,}"][row] == pytest.approx(np.mean(found))
        assert shown["merged"][row] == pytest.approx(np.mean(merged))
    assert shown["context@5"].tolist() == means.tolist()
    assert any(unescaped(one).startswith(f"BM25 in {budget:,} ch: ") for one in app.caption)


def test_r15_neighbours_section_and_parent_are_judged_alike(app):
    """R15: neighbours by hand, parents by a search for the most shared text; context is what is returned."""
    opened_at(app, "More than the chunk")
    shown = table(app, "returned").set_index("returned")
    made, parents = cut("recursive"), cut("recursive", 1600, 0)

    def neighbours(span, sides):
        one = made[span[0]]
        place = list(zip(one.starts.tolist(), one.ends.tolist(), strict=True)).index(span[1:])
        first, last = max(0, place - sides), min(len(one) - 1, place + sides)
        return (span[0], int(one.starts[first]), int(one.ends[last]))

    def parent(span):
        large = zip(parents[span[0]].starts.tolist(), parents[span[0]].ends.tolist(), strict=True)
        return (span[0], *max(large, key=lambda one: min(one[1], span[2]) - max(one[0], span[1])))

    ways = {
        "the chunk alone": lambda span: span,
        "1 neighbour each side": lambda span: neighbours(span, 1),
        "2 neighbours each side": lambda span: neighbours(span, 2),
        "its parent": parent,
    }
    for name, way in ways.items():
        tops = [list(dict.fromkeys(map(way, spans)))[:5] for spans in ranked_spans("recursive")]
        recalls = [recall(top, query) for top, query in zip(tops, CORPUS.queries, strict=True)]
        assert shown["recall@5"][name] == pytest.approx(np.mean(recalls))
        assert shown["context@5"][name] == pytest.approx(np.mean([sum(b - a for _, a, b in top) for top in tops]))
    assert shown["recall@5"]["its section"] >= shown["recall@5"]["the chunk alone"]
    assert shown["against the first"]["the chunk alone"] == ""


@pytest.mark.parametrize("method", ["bm25", "emb"])
def test_r19_headings_in_front_are_an_a_b_on_the_same_cut(app, method):
    """R19: both prefixes as ``prefix_effect`` compares them (tests/test_small_to_big.py); none is the table above."""
    opened_at(app, "Headings in front")
    set_key(app, "segmented_control", "method", method)
    shown = table(app, "in front").set_index("in front")
    for name in ("title", "path"):
        effect = prefix_effect(cut("recursive"), CORPUS.queries, name, method)
        assert shown["recall@5"][name] == pytest.approx(effect.with_prefix.recall.mean())
        assert shown["recall@5"]["nothing"] == pytest.approx(effect.without.recall.mean())
        assert shown["MRR"][name] == pytest.approx(effect.with_prefix.reciprocal_rank.mean())
    means = app.dataframe[0].value
    recursive = means[[label == "Recursive" for label in labels(means)]]
    assert shown["recall@5"]["nothing"] == pytest.approx(recursive["recall@5"].iloc[0])


def test_r18_the_ledger_counts_what_the_model_does_not_read(app):
    """R18: by the model's own tokenizer from transformers; at 400 characters every chunk is read to its end."""
    opened_at(app, "Past the model's limit")
    assert table(app, "lost")["read in part"].tolist() == [0] * 4
    put(app, size=3000)
    app.run()
    shown = table(app, "lost")
    tokenizer = AutoTokenizer.from_pretrained(packaged_folder(), model_max_length=10**9)
    for row, name in enumerate(FOUR):
        unread = []
        for text in Pool(tuple(cut(name, 3000))).indexed_texts():
            offsets = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)["offset_mapping"]
            unread.append(len(text) - offsets[254][0] if len(offsets) > 254 else 0)
        assert shown["chunks"][row] == len(unread)
        assert shown["read in part"][row] == sum(one > 0 for one in unread) > 0
        if name != "markdown":  # whose headings in front take a part of the limit
            assert shown["characters unread"][row] == sum(unread)


def test_a_closer_look_is_computed_only_when_asked_for(app):
    """R09, R15, R18, R19: none is open at first; chosen again, it closes."""
    go(app, "retrieval")
    assert not any({"area", "returned", "in front", "lost"} & set(frame.value.columns) for frame in app.dataframe)
    opened_at(app, "Within a budget")
    assert table(app, "area") is not None
    set_key(app, "segmented_control", "closer", None)
    assert not any("area" in frame.value.columns for frame in app.dataframe)
