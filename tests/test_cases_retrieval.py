"""Reported faults of other projects in BM25, metrics, rank fusion and embeddings, by id.

The inputs stand in ``cases.jsonl`` with the reports they come from; what is right stands here and in each line's
``right``. The kinds are tested in ``test_retrievers.py``, ``test_judging_metrics.py``, ``test_embedders.py`` and
``test_imported_queries.py``.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from ragchunk_core import Document, Passage, Query, chunk, metrics
from ragchunk_core.budgets import merged_lengths
from ragchunk_core.chunkers.base import ChunkerOptions
from ragchunk_core.chunking import Chunking
from ragchunk_core.embedders import load_embedder
from ragchunk_core.evaluation import rank, score
from ragchunk_core.imported_queries import read_queries, read_squad
from ragchunk_core.judging import Pool
from ragchunk_core.retrievers.bm25 import Bm25Index
from ragchunk_core.retrievers.dense import dense_rankings
from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion
from ragchunk_core.retrievers.okapi import OkapiIndex
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import as_offsets

OURS = ("bm25", "metrics", "rrf", "embeddings")
INDICES = (Bm25Index, OkapiIndex)


def found(index, case, depth=None):
    return index(case["input"]).search([case["settings"]["query"]], depth=depth or case["settings"].get("k"))


def ranked(*ids):
    """One query's ranking, best first."""
    return Rankings((np.array(ids, dtype=np.int64),), (np.arange(len(ids), 0, -1, dtype=float),))


def spans_as_pool(text, spans):
    """Chunks at these places."""
    starts, ends = as_offsets([a for a, _ in spans]), as_offsets([b for _, b in spans])
    return Pool((Chunking(Document.from_text(text), "x", 400, 0, "chars", ChunkerOptions(), starts, ends),))


def bm_02(case):
    """Only blank chunks: nothing is found, so every score is 0."""
    for index in INDICES:
        assert len(found(index, case).ids[0]) == 0
    assert case["right"]["scores"] == [0, 0]


def bm_06(case):
    """A bare string is refused as chunks and as queries."""
    for index in INDICES:
        with pytest.raises(ValueError, match="texts must be a list of strings, not one str"):
            index(case["input"][0])
        with pytest.raises(ValueError, match="queries must be a list of strings, not one str"):
            index(case["input"]).search(case["settings"]["query"])
        assert found(index, case).ids[0].tolist() == [0]


def bm_07(case):
    """A chunk that shares no word is not found, and gets nothing from fusion."""
    for index in INDICES:
        assert found(index, case).ids[0].tolist() == case["right"]["hits"] == []
    fused = reciprocal_rank_fusion([found(Bm25Index, case), ranked(1)])
    assert (fused.ids[0].tolist(), fused.scores[0].tolist()) == ([1], [1 / 61])


def bm_08(case):
    """k past the number of chunks is no error."""
    for index in INDICES:
        assert len(found(index, case).ids[0]) == case["right"]["hits"] == 1
        assert len(index(case["input"]).search(["alpha beta gamma"], depth=5).ids[0]) == 2


def bm_09(case):
    for index in INDICES:
        assert found(index, case).ids[0].tolist() == case["right"]["hits"] == []


def bm_11(case):
    for index in INDICES:
        assert found(index, case).ids[0].tolist() == [case["right"]["top"]]


def bm_12(case):
    """By words of one ideograph, as Lucene has them; rank-bm25's splitting at white space cannot."""
    assert found(Bm25Index, case).ids[0].tolist() == [case["right"]["top"]]
    assert found(OkapiIndex, case).ids[0].tolist() == []


def rrf_03(case):
    """Every method numbers the chunks of one pool alike, so a chunk that both find first scores 2 / 61."""
    document = Document.from_text("Alpha one. Beta two. Gamma three. Delta four.")
    pool = Pool((chunk(document, "sentence", size=12),))
    bm25 = rank(pool, ["delta"], "bm25")
    fused = reciprocal_rank_fusion([bm25, ranked(3, 0)], k=case["settings"]["k"])
    assert bm25.ids[0].tolist() == [3]
    assert (fused.ids[0].tolist(), fused.scores[0].tolist()) == ([3, 0], [2 / 61, 1 / 62])


def met_01(case):
    """Three hits of the same passage count once; nDCG neither passes 1 when every hit is right."""
    answers = {"p1": [0, 1, 3], "p2": [2], "p3": [4]}
    assert case["input"]["hits"] == ["p1", "p1", "p2", "p1"]
    ranks = metrics.first_ranks([np.arange(4)], [[np.array(one) for one in answers.values()]], 5)
    assert metrics.recall_at_k(ranks, case["settings"]["k"])[0] == pytest.approx(case["right"]["recall"], abs=1e-6)
    assert metrics.ndcg_at_k([np.arange(4)], [np.ones(5, dtype=bool)], 4).tolist() == [1.0]


def met_02(case):
    """Context as a sum (R06) and merged (R16), by the line's own numbers; precision is of the sum, and says so."""
    start, end = case["input"]["passage"]
    pool = spans_as_pool("x" * 600, case["input"]["chunks"])
    query = Query("q", (Passage(pool.chunkings[0].document.id, start, end),))
    scores = score(pool, ranked(0, 1, 2), [query], case["settings"]["k"], 0.5)
    context, right = case["right"]["context_chars"], case["right"]
    assert scores.recall.tolist() == [right["recall"]]
    assert scores.context.tolist() == [context["sum"]]
    merged = merged_lengths(pool, ranked(0, 1, 2), scores.judged, 3)
    assert merged.tolist() == [context["union"]]
    assert scores.precision.tolist() == [200 / 360]  # both chunks hold all 100 marked characters
    assert 100 / merged[0] == pytest.approx(right["precision_chars"], abs=1e-6)


def met_03(case):
    """One of four passages found at rank 1: MRR is of the first answer, recall of all of them."""
    ranks = metrics.first_ranks([np.array([0])], [[np.array([place]) for place in range(4)]], 4)
    assert metrics.reciprocal_rank(ranks).tolist() == [case["right"]["mrr"]]
    assert metrics.recall_at_k(ranks, case["settings"]["k"]).tolist() == [case["right"]["recall"]]


def met_04(case):
    """One chunk answers and five are retrieved: precision and context are of all five."""
    pool = spans_as_pool("x" * 50, [(place, place + 10) for place in range(0, 50, 10)])
    query = Query("q", (Passage(pool.chunkings[0].document.id, 0, 10),))
    scores = score(pool, ranked(*range(5)), [query], case["settings"]["k"], 0.5)
    assert (scores.context.tolist(), scores.precision.tolist()) == ([50.0], [0.2])


def met_05(case):
    """A mark with offsets stays where it is; by its text alone it is refused, not put at the first copy."""
    document = Document.from_text(case["input"], name="a.txt")
    (start, end), words = case["settings"]["mark"], case["input"][slice(*case["settings"]["mark"])]
    rows = [{"text": words, "start": start, "end": end}, words]
    data = "\n".join(json.dumps({"question": str(n), "passages": [row]}) for n, row in enumerate(rows))
    made = read_queries(data.encode(), "q.jsonl", [document])
    assert made.queries[0].passages == (Passage(document.id, *case["right"]["passage"]),)
    assert made.queries[1].passages == ()
    assert "'Total: 5' occurs 2 times (at 0, 16); it is left out: give offsets." in made.problems[0]


def met_06(case):
    """SQuAD's layout with offsets that do not hold: each is told, none used as it is."""
    assert case["settings"]["import"] == "SQuAD json"
    answers = [
        {"text": "virus", "answer_start": 4},
        {"text": "virus", "answer_start": 5},
        {"text": "a", "answer_start": 0},
    ]
    asked = [{"question": str(n), "answers": [one]} for n, one in enumerate(answers)]
    data = {"data": [{"paragraphs": [{"context": "The virus was named at last.", "qas": asked}]}]}
    corpus, problems = read_squad(json.dumps(data).encode(), "covid.json")
    (document,) = corpus.documents
    assert [query.passages for query in corpus.queries] == [
        (Passage(document.id, 4, 9),), (Passage(document.id, 4, 9),), (),
    ]  # fmt: skip
    assert ["placed where it occurs" in one for one in problems] == [True, False]
    assert "'a', which occurs 4 times" in problems[1]


def emb_02(case):
    """Zeros and no NaN, never before a real chunk; no texts give no rows."""
    embedder = load_embedder(dtype="float32")
    vectors = embedder.encode([*case["input"], "A dog."])
    assert vectors.shape == (3, 384)
    assert np.isfinite(vectors).all()
    assert not vectors[:2].any()
    assert dense_rankings(vectors, embedder.encode(["cat"])).ids[0].tolist() == [2]
    assert embedder.encode([]).shape == (0, 384)


CASES = {
    name.replace("_", "-"): value
    for name, value in list(globals().items())
    if name[:4] in ("bm_0", "bm_1", "rrf_", "met_", "emb_")
}


@pytest.fixture(scope="module")
def reported(shared_data):
    lines = (shared_data / "cases.jsonl").read_text(encoding="utf-8").split("\n")  # not splitlines: U+2028 in a text
    cases = map(json.loads, filter(None, lines))
    return {case["id"]: case for case in cases if case["component"] in OURS}


@pytest.mark.parametrize("case", CASES)
def test_reported_fault(reported, case):
    """Each report's own input gets the right answer."""
    CASES[case](reported[case])


def test_every_reported_fault_of_these_components_is_a_test(reported):
    """No line is left out."""
    assert set(reported) == set(CASES)
