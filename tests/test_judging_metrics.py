"""R05, R06, R17: judging and metrics against a second, slow count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, Passage, Query, chunk, compare, evaluate, metrics
from ragchunk_core.evaluation import rank, recall_context_curve, score
from ragchunk_core.judging import Pool, judge
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import covered, points_inside, union

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda p: (p[0], p[0] + p[1])), max_size=12)


def columns(pairs):
    return np.array([a for a, _ in pairs], dtype=np.int64), np.array([b for _, b in pairs], dtype=np.int64)


@given(pairs=spans)
def test_union_and_coverage_equal_sets_of_points(pairs):
    """V02: coverage, counted as a set."""
    points = {p for a, b in pairs for p in range(a, b)}
    low, high = union(*columns(pairs))
    assert {p for a, b in zip(low, high, strict=True) for p in range(a, b)} == points
    assert np.all(low[1:] > high[:-1])
    assert covered(*columns(pairs)) == len(points)


@given(pairs=spans, marks=spans)
def test_points_inside_equals_sets_of_points(pairs, marks):
    """R06: characters of each chunk inside the marked passages."""
    marked = {p for a, b in marks for p in range(a, b)}
    inside = points_inside(*columns(pairs), *union(*columns(marks)))
    assert inside.tolist() == [len(marked & set(range(a, b))) for a, b in pairs]


def made_up(seed, k, theta):
    """A random corpus of two documents with random chunks, passages and rankings."""
    rng = np.random.default_rng(seed)
    documents = [
        Document.from_text("abcdefghij " * 20, name="a"),
        Document.from_text("klmnopqrst " * 15, name="b"),
    ]
    size = int(rng.integers(5, 60))
    pool = Pool(tuple(chunk(documents, "fixed", size=size, overlap=int(rng.integers(0, size)))))
    queries = []
    for _ in range(4):
        passages = []
        for _ in range(rng.integers(0, 4)):
            document = documents[rng.integers(2)]
            start = int(rng.integers(0, len(document.text) - 1))
            passages.append(Passage(document.id, start, int(rng.integers(start + 1, len(document.text)))))
        queries.append(Query("q", tuple(dict.fromkeys(passages))))
    ids = tuple(rng.permutation(len(pool))[: rng.integers(0, len(pool) + 1)].astype(np.int64) for _ in queries)
    scores = tuple(np.linspace(1, 0.1, len(one)) for one in ids)
    return documents, pool, queries, Rankings(ids, scores), k, theta


def slow_scores(documents, pool, queries, rankings, k, theta):
    """The metrics of each judged query, in the order of ``Scores.means``, counted point by point."""
    chunks = [(c.document.id, set(range(c.start, c.end))) for one in pool.chunkings for c in one]
    rows = []
    for query, ids in zip(queries, rankings.ids, strict=True):
        if not query.passages:
            continue

        def answers(number, passage):
            document, points = chunks[number]
            shared = len(points & set(range(passage.start, passage.end))) if document == passage.document else 0
            return shared > 0 and shared >= theta * (passage.end - passage.start)

        top = ids[:k].tolist()
        found = sum(any(answers(n, p) for n in top) for p in query.passages)
        first = next(
            (r for r, n in enumerate(ids[:100].tolist(), 1) if any(answers(n, p) for p in query.passages)),
            None,
        )
        context = sum(len(chunks[n][1]) for n in top)
        marked = {(p.document, i) for p in query.passages for i in range(p.start, p.end)}
        inside = sum((chunks[n][0], i) in marked for n in top for i in chunks[n][1])
        relevant = [any(answers(n, p) for p in query.passages) for n in ids.tolist()]
        wanted = sum(any(answers(n, p) for p in query.passages) for n in range(len(chunks)))
        gain = sum(1 / math.log2(rank + 1) for rank, good in enumerate(relevant[:k], 1) if good)
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, wanted) + 1))
        precisions = [sum(relevant[:rank]) / rank for rank, good in enumerate(relevant, 1) if good]
        possible = sum(any(answers(n, p) for n in range(len(chunks))) for p in query.passages)
        rows.append(
            (
                found / len(query.passages),
                1 / first if first else 0.0,
                context,
                inside / context if context else 0.0,
                gain / best if best else 0.0,
                sum(precisions) / wanted if wanted else 0.0,
                possible / len(query.passages),
            )
        )
    return rows


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12), theta=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_r06_metrics_equal_a_slow_count(seed, k, theta):
    """R05, R06, R17: recall@k, MRR, Context@k, precision, nDCG@k, MAP, ceiling; 'any' needs at least one character."""
    documents, pool, queries, rankings, k, theta = made_up(seed, k, theta)
    expected = slow_scores(documents, pool, queries, rankings, k, theta)
    got = score(pool, rankings, queries, k, theta)
    rows = list(
        zip(
            got.recall,
            got.reciprocal_rank,
            got.context,
            got.precision,
            got.ndcg,
            got.average_precision,
            got.ceiling,
            strict=True,
        )
    )
    assert rows == [pytest.approx(row) for row in expected]
    means = got.means()
    if expected:
        assert list(means.values()) == pytest.approx(np.mean(expected, axis=0).tolist())


@given(seed=st.integers(0, 2_000), theta=st.sampled_from([0.0, 0.5, 1.0]))
def test_r06_the_curve_is_the_metrics_at_every_k(seed, theta):
    """R06: one ranking gives recall and context for every k."""
    _, pool, queries, rankings, _, _ = made_up(seed, 1, theta)
    if not any(q.passages for q in queries):
        return
    context, recall = recall_context_curve(pool, rankings, score(pool, rankings, queries, 3, theta), 10)
    for k in range(1, 11):
        at_k = score(pool, rankings, queries, k, theta).means()
        assert recall[k - 1] == pytest.approx(at_k["recall"])
        assert context[k - 1] == pytest.approx(at_k["context"])


def test_r05_a_chunk_that_only_touches_a_passage_does_not_answer_it():
    """R05: half-open spans that meet share no character, also under 'any'."""
    document = Document.from_text("x" * 30)
    pool = Pool((chunk(document, "fixed", size=10),))
    for theta in (0.0, 0.5, 1.0):
        assert [a.tolist() for a in judge(pool, Query("q", (Passage(document.id, 10, 20),)), theta).answers] == [[1]]
    half = judge(pool, Query("q", (Passage(document.id, 5, 15),)), 0.5)
    assert half.answers[0].tolist() == [0, 1]
    assert judge(pool, Query("q", (Passage(document.id, 5, 15),)), 1.0).answers[0].tolist() == []
    with pytest.raises(ValueError, match=r"theta is 1.5; it must be from 0"):
        judge(pool, Query("q"), 1.5)


def test_r06_overlapping_answers_count_once():
    """Case met-02: two chunks over one passage give recall 1; precision counts their characters twice."""
    ranking = [np.array([0, 1, 2])]
    ranks = metrics.first_ranks(ranking, [[np.array([0, 1])]], 3)
    lengths = np.array([130, 130, 100])
    assert metrics.recall_at_k(ranks, 3).tolist() == [1.0]
    assert metrics.context_at_k(ranking, lengths, 3).tolist() == [360.0]
    assert metrics.precision_at_k(ranking, [np.array([100, 90, 0])], lengths, 3).tolist() == [190 / 360]
    assert metrics.precision_at_k([np.array([], dtype=int)], [np.array([100, 90, 0])], lengths, 3).tolist() == [0.0]


def test_r06_the_reciprocal_rank_ends_at_one_hundred():
    """R06: MRR looks at the top 100."""
    table = np.array([[0, 100], [101, metrics.PAD], [0, metrics.PAD]])
    assert metrics.reciprocal_rank(table).tolist() == [0.01, 0.0, 0.0]


def test_v02_comparison_counts_by_hand():
    """V02: the table of fixed windows 4/1 over ten characters, counted on paper."""
    row = compare([chunk(Document.from_text("abcdefghij"), "fixed", size=4, overlap=1)], tokens="chars").iloc[0]
    assert row[["chunks", "smallest", "largest", "mean", "median"]].tolist() == [3, 4, 4, 4, 4]
    assert row["size_used"] == 1.0
    assert row["duplicated"] == pytest.approx(0.2)
    assert row["covered"] == 1.0
    assert (row["tokens"], row["overlap_tax"]) == (12, 2)


def test_v02_a_corpus_is_one_row_and_no_chunk_is_no_number():
    """V02: a list of chunkings is one row; without chunks lengths are not numbers rather than 0."""
    documents = [Document.from_text("abcd", name="a"), Document.from_text("efghij", name="b")]
    row = compare([chunk(documents, "fixed", size=4)]).iloc[0]
    assert (row["chunks"], row["mean"]) == (3, pytest.approx(10 / 3))
    empty = compare([chunk(Document.from_text(""), "fixed", size=4)]).iloc[0]
    assert empty["chunks"] == 0
    assert np.isnan(empty["mean"])


def test_evaluate_ranks_judges_and_averages():
    """R01, R06: on texts made so that the answer is known: keyword search finds the only chunk with the word."""
    document = Document.from_text("Alpha beta gamma. " * 3 + "The code is zeta-nine here. " + "Delta beta. " * 5)
    start = document.text.index("The code")
    query = Query("where is zeta", (Passage(document.id, start, start + 27),))
    table = evaluate([document], [query, Query("not judged")], [("sentence", {"size": 30, "carry": 0})], ["bm25"], k=1)
    row = table.iloc[0]
    assert (row["recall"], row["mrr"], row["ceiling"]) == (1.0, 1.0, 1.0)
    assert row["context"] == 27
    assert row["precision"] == 1.0


def test_rank_refuses_an_unknown_method():
    document = Document.from_text("text")
    with pytest.raises(ValueError, match="method is 'magic'; allowed are bm25, okapi, emb, hybrid"):
        rank(Pool((chunk(document),)), ["q"], "magic")
    with pytest.raises(ValueError, match="k is 0; it must be 1 or more"):
        score(Pool((chunk(document),)), Rankings((), ()), [], 0, 0.5)
