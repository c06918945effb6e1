"""R06, R09, R16: ranking metrics against trec_eval, curves over k, and recall against context."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, Passage, Query, chunk, evaluate, metrics
from ragchunk_core.budgets import (
    answer_costs,
    area_within,
    context_costs,
    merged_costs,
    merged_lengths,
    recall_within,
)
from ragchunk_core.curves import curves
from ragchunk_core.evaluation import BUDGET_COLUMNS, COLUMNS, INTERVAL_COLUMNS, score
from ragchunk_core.judging import Pool, judge
from ragchunk_core.retrievers.rankings import Rankings, ranked
from ragchunk_core.units import unit_named

CUTS = (1, 3, 5, 10, 50)


def trec_eval(rankings, relevant, chunks):
    """Every measure of trec_eval, one mapping a query; names are padded, for it reads them as text."""
    truth = {f"q{i}": {f"c{n:04}": int(n in own) for n in range(chunks)} for i, own in enumerate(relevant)}
    run = {
        f"q{i}": {f"c{n:04}": float(len(ids) - place) for place, n in enumerate(ids)} for i, ids in enumerate(rankings)
    }
    cuts = ",".join(map(str, CUTS))
    names = {"map", "recip_rank", f"ndcg_cut.{cuts}", f"recall.{cuts}"}
    made = pytrec_eval.RelevanceEvaluator(truth, names).evaluate(run)
    return [made.get(f"q{i}") for i in range(len(rankings))]


@given(seed=st.integers(0, 2**32 - 1), chunks=st.integers(1, 120))
def test_r06_rank_metrics_equal_trec_eval(seed, chunks):
    """R06: nDCG@k, MAP, reciprocal rank, and recall@k where one chunk answers each passage."""
    rng = np.random.default_rng(seed)
    rankings = [rng.permutation(chunks)[: rng.integers(1, chunks + 1)] for _ in range(5)]
    relevant = [np.sort(rng.choice(chunks, size=rng.integers(0, min(chunks, 8) + 1), replace=False)) for _ in rankings]
    expected = trec_eval([one.tolist() for one in rankings], [set(one.tolist()) for one in relevant], chunks)
    masks = [np.isin(np.arange(chunks), own) for own in relevant]
    ndcg = {k: metrics.ndcg_at_k(rankings, masks, k) for k in CUTS}
    precision = metrics.average_precision(rankings, masks)
    for row, told in enumerate(expected):
        if told is None:  # trec_eval leaves out what it finds no truth for
            continue
        assert precision[row] == pytest.approx(told["map"])
        for k in CUTS:
            assert ndcg[k][row] == pytest.approx(told[f"ndcg_cut_{k}"])
        if len(relevant[row]):
            ranks = metrics.first_ranks([rankings[row]], [[np.array([n]) for n in relevant[row]]], chunks)
            assert metrics.reciprocal_rank(ranks, depth=chunks)[0] == pytest.approx(told["recip_rank"])
            for k in CUTS:
                assert metrics.recall_at_k(ranks, k)[0] == pytest.approx(told[f"recall_{k}"])


def test_r06_without_a_relevant_chunk_ndcg_and_map_are_zero():
    """R06: as trec_eval has it."""
    nothing, ranking = [np.zeros(3, dtype=np.bool_)], [np.array([2, 0, 1])]
    assert trec_eval([[2, 0, 1]], [set()], 3)[0]["map"] == 0.0
    assert metrics.average_precision(ranking, nothing).tolist() == [0.0]
    assert metrics.ndcg_at_k(ranking, nothing, 5).tolist() == [0.0]
    assert metrics.average_precision([], []).tolist() == metrics.ndcg_at_k([], [], 5).tolist() == []


def test_r06_equal_scores_rank_by_chunk_index():
    """R06: the two chunks with the best score come in their own order, so nDCG is that of rank 2."""
    rankings = ranked(np.array([[1.0, 3.0, 2.0, 3.0]]), positive_only=False)
    assert rankings.ids[0].tolist() == [1, 3, 2, 0]
    assert metrics.ndcg_at_k(rankings.ids, [np.arange(4) == 3], 5)[0] == pytest.approx(1 / np.log2(3))


def made_up(seed, unit="chars"):
    """Two documents, overlapping chunks, judged queries and rankings of any length."""
    rng = np.random.default_rng(seed)
    documents = [Document.from_text("abcdefghij klm " * n, name=str(n)) for n in (12, 9)]
    size = int(rng.integers(4, 30))
    pool = Pool(tuple(chunk(documents, "fixed", size=size, overlap=int(rng.integers(0, size)), unit=unit)))
    queries = []
    for _ in range(4):
        spans = np.sort(rng.choice(120, size=4, replace=False)).reshape(2, 2).tolist()
        own = [Passage(documents[rng.integers(2)].id, start, end) for start, end in spans[: rng.integers(1, 3)]]
        queries.append(Query("q", tuple(own)))
    ids = tuple(rng.permutation(len(pool))[: rng.integers(0, len(pool) + 1)] for _ in queries)
    return pool, queries, Rankings(ids, tuple(np.linspace(1, 0, len(one)) for one in ids))


@given(seed=st.integers(0, 2**32 - 1))
def test_r06_curves_are_the_metrics_at_every_k(seed):
    """R06: each point of every curve, made from one ranking, is what a run at that k gives."""
    pool, queries, rankings = made_up(seed)
    judged = np.arange(len(queries))
    made = curves(pool, rankings, judged, [judge(pool, query, 0.5) for query in queries], depth=20)
    assert made.depth == 20
    for k in (1, 2, 7, 20):
        at_k = score(pool, rankings, queries, k, 0.5)
        for name in ("recall", "precision", "ndcg", "context"):
            assert getattr(made, name)[:, k - 1] == pytest.approx(getattr(at_k, name))
        shallow = metrics.reciprocal_rank(at_k.first_ranks, depth=k)
        assert made.reciprocal_rank[:, k - 1] == pytest.approx(shallow)
        assert made.merged[:, k - 1].tolist() == merged_lengths(pool, rankings, judged, k).tolist()


def test_r06_a_curve_has_a_first_point():
    """R06: depth 0 is refused; without queries every curve is empty."""
    pool, _, _ = made_up(1)
    empty = np.array([], dtype=np.int64)
    assert curves(pool, Rankings((), ()), empty, []).context.shape == (0, 50)
    with pytest.raises(ValueError, match="depth is 0; it must be 1 or more"):
        curves(pool, Rankings((), ()), empty, [], depth=0)


@given(seed=st.integers(0, 2**32 - 1))
def test_r16_merged_context_counts_every_character_once(seed):
    """R16: by sets of characters, at every rank; never more than the plain sum, equal to it without overlap."""
    pool, _, rankings = made_up(seed)
    chunks = [{(one.document.id, at) for at in range(c.start, c.end)} for one in pool.chunkings for c in one]
    plain = context_costs(rankings.ids, pool.lengths)
    for ids, merged, summed in zip(rankings.ids, merged_costs(rankings.ids, pool), plain, strict=True):
        held = [len(set().union(*(chunks[n] for n in ids[:k]))) for k in range(1, len(ids) + 1)]
        assert merged.tolist() == held
        assert summed.tolist() == [sum(len(chunks[n]) for n in ids[:k]) for k in range(1, len(ids) + 1)]


@pytest.mark.parametrize("unit", ["words", "cl100k"])
@pytest.mark.parametrize("seed", range(5))
def test_r16_merged_context_in_units_is_the_length_of_the_merged_text(seed, unit):
    """R16: stretches are found character by character, cut from the text, and counted by the unit."""
    pool, queries, rankings = made_up(seed, unit)
    expected = []
    for ids in rankings.ids:
        total = 0
        for number, one in enumerate(pool.chunkings):
            held = np.zeros(len(one.document) + 1, dtype=bool)
            for n in ids[:4]:
                document, index = pool.place(int(n))
                if document == number:
                    held[one[index].start : one[index].end] = True
            edges = np.flatnonzero(np.diff(held.astype(int), prepend=0))
            for start, end in edges.reshape(-1, 2):
                total += unit_named(unit).count(one.document.text[start:end])
        expected.append(total)
    assert merged_lengths(pool, rankings, np.arange(len(queries)), 4).tolist() == expected


@given(seed=st.integers(0, 2**32 - 1), budget=st.integers(0, 400), merge=st.booleans())
def test_r09_recall_within_a_budget_is_that_of_the_chunks_that_fit(seed, budget, merge):
    """R09: chunk by chunk, best first, until the next would pass the budget; the area is the mean over all budgets."""
    pool, queries, rankings = made_up(seed)
    judgements = [judge(pool, query, 0.5) for query in queries]
    ranks = metrics.first_ranks(rankings.ids, [one.answers for one in judgements], len(pool))
    costs = merged_costs(rankings.ids, pool) if merge else context_costs(rankings.ids, pool.lengths)
    spent = answer_costs(ranks, costs)

    def slow(row, limit):
        fit = int((costs[row] <= limit).sum())
        answered = [set(own.tolist()) & set(rankings.ids[row][:fit].tolist()) for own in judgements[row].answers]
        return sum(map(bool, answered)) / len(answered)

    assert recall_within(spent, budget).tolist() == [slow(row, budget) for row in range(len(queries))]
    if budget:  # lengths are whole characters, so recall is constant between two whole budgets
        mean = [np.mean([slow(row, limit) for limit in range(budget)]) for row in range(len(queries))]
        assert area_within(spent, budget) == pytest.approx(mean)


def test_r09_larger_chunks_are_not_better_for_being_larger():
    """R09: at k = 1 the chunker with one large chunk wins; within a budget it loses, and the area says so."""
    document = Document.from_text("word " * 20)
    query = Query("q", (Passage(document.id, 40, 45), Passage(document.id, 60, 65)))
    pools = {size: Pool((chunk(document, "fixed", size=size),)) for size in (5, 100)}
    best_first = {5: np.array([8, 12]), 100: np.array([0])}
    recall, spent = {}, {}
    for size, pool in pools.items():
        ranks = metrics.first_ranks([best_first[size]], [judge(pool, query, 1.0).answers], len(pool))
        recall[size] = metrics.recall_at_k(ranks, 1).tolist()
        spent[size] = answer_costs(ranks, context_costs([best_first[size]], pool.lengths))
    assert recall == {5: [0.5], 100: [1.0]}
    assert [recall_within(spent[size], 10).tolist() for size in (5, 100)] == [[1.0], [0.0]]
    assert [area_within(spent[size], 100).tolist() for size in (5, 100)] == [[pytest.approx(0.925)], [0.0]]


@pytest.mark.parametrize("budget", [-1, float("nan")])
def test_r09_a_budget_is_a_number_from_zero(budget):
    """R09: anything else is refused; an area needs one above zero."""
    with pytest.raises(ValueError, match=f"budget is {budget}; it must be 0 or more"):
        recall_within(np.array([[1.0]]), budget)
    for bad in (budget, 0, float("inf")):
        with pytest.raises(ValueError, match=f"budget is {bad}; it must be above 0 and finite"):
            area_within(np.array([[1.0]]), bad)


def test_r09_evaluate_says_what_a_budget_buys():
    """R09, R16: on eight sentences of ten characters, windows of two; worked by hand for BM25's top chunk."""
    words = ["alpha", "bravo", "delta", "gamma", "kappa", "lambd", "omega", "sigma"]
    document = Document.from_text("".join(f"{word} is. " for word in words), name="a")
    query = Query("where is kappa", (Passage(document.id, 36, 44),))
    table = evaluate(
        [document], [query, Query("not judged")], [("fixed", {"size": 18, "overlap": 9})], ["bm25"], k=2, budget=40
    )
    row = table.iloc[0]
    assert list(table.columns) == [*COLUMNS, *BUDGET_COLUMNS]
    assert (row["context"], row["merged"]) == (36, 27)  # the word stands in two windows that share nine characters
    assert row["recall_within"] == 1.0
    assert row["area_within"] == pytest.approx((40 - 18) / 40)
    small = evaluate([document], [query], [("fixed", {"size": 18, "overlap": 9})], ["bm25"], k=2, budget=17)
    assert small.iloc[0]["recall_within"] == small.iloc[0]["area_within"] == 0.0
    assert list(evaluate([document], [query], [("fixed", {})], ["bm25"]).columns) == list(COLUMNS)


def test_r10_evaluate_gives_intervals():
    """R10: the mean recall lies inside; without a judged query, and where all queries have the same, none is given."""
    document = Document.from_text("alpha is. bravo is. delta is. gamma is. kappa is. ")
    asked = ["alpha", "bravo", "zulu", "delta", "yankee", "kappa"]
    queries = [Query(word, (Passage(document.id, 10 * i % 50, 10 * i % 50 + 5),)) for i, word in enumerate(asked)]
    table = evaluate([document], queries, [("fixed", {"size": 10})], ["bm25"], k=1, confidence=0.9)
    row = table.iloc[0]
    assert list(table.columns) == [*COLUMNS, *INTERVAL_COLUMNS]
    assert 0 <= row["recall_low"] < row["recall"] < row["recall_high"] <= 1
    for few in ([Query("alpha")], queries[:2]):
        same = evaluate([document], few, [("fixed", {"size": 10})], ["bm25"], k=1, confidence=0.9).iloc[0]
        assert np.isnan([same["recall_low"], same["recall_high"]]).all()
