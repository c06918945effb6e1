"""D01: at the default settings and the presets, the sample shows what chunk size does."""

from __future__ import annotations

from functools import cache

import pytest

from ragchunk_core import chunk, evaluate
from ragchunk_core.evaluation import rank, score
from ragchunk_core.judging import Pool
from ragchunk_core.samples import sample_corpus
from ragchunk_core.settings import PRESETS

KEYWORD_ONLY = "Who reports E-4471?"
MEANING_ONLY = "Did toxic fumes make anyone ill?"


@cache
def table(preset):
    settings = PRESETS[preset].settings
    corpus = sample_corpus()
    sizes = {"size": settings.size, "overlap": settings.overlap}
    made = evaluate(
        corpus.documents, corpus.queries, [(name, sizes) for name in settings.on], k=settings.k, theta=settings.theta
    )
    return made.set_index(["chunker", "method"])


def ranks(query, method):
    """The rank of the first answer to one query, for each of the four chunkers at the default settings."""
    corpus = sample_corpus()
    (asked,) = [q for q in corpus.queries if q.text == query]
    found = []
    for name in PRESETS["sample"].settings.on:
        pool = Pool(tuple(chunk(list(corpus.documents), name, size=400, overlap=50)))
        first = score(pool, rank(pool, [query], method), [asked], 5, 0.5).first_ranks[0]
        found.append(min([r for r in first.tolist() if r > 0], default=0))
    return found


@pytest.mark.parametrize("method", ["bm25", "emb", "hybrid"])
@pytest.mark.parametrize("chunker", ["fixed", "sentence", "recursive", "markdown"])
def test_d01_tiny_chunks_lose_answers_and_cannot_be_ranked_better(chunker, method):
    """S02 tiny-chunks: recall falls apart, and the ceiling shows that the cut is to blame."""
    tiny, usual = table("tiny-chunks").loc[(chunker, method)], table("sample").loc[(chunker, method)]
    assert tiny["recall"] < usual["recall"] - 0.2
    assert tiny["ceiling"] < 0.75 < usual["ceiling"]


@pytest.mark.parametrize("method", ["bm25", "emb", "hybrid"])
@pytest.mark.parametrize("chunker", ["fixed", "sentence", "recursive"])
def test_d01_big_chunks_cost_context(chunker, method):
    """S02 big-chunks: at least three times the context of the default, for little recall more or less."""
    big, usual = table("big-chunks").loc[(chunker, method)], table("sample").loc[(chunker, method)]
    assert big["context"] > 3 * usual["context"]
    assert big["precision"] < usual["precision"] / 2
    assert big["ceiling"] == 1.0


def test_d01_hybrid_recall_grows_with_the_chunks():
    """The trade-off in one line: tiny < default < big, for every chunker under hybrid."""
    for chunker in PRESETS["sample"].settings.on:
        tiny, usual, big = (
            table(name).loc[(chunker, "hybrid"), "recall"] for name in ("tiny-chunks", "sample", "big-chunks")
        )
        assert tiny < usual < big


def test_d01_one_answer_only_keyword_search_finds():
    """An error code: in the top five under BM25, in none under embeddings."""
    assert all(0 < rank <= 5 for rank in ranks(KEYWORD_ONLY, "bm25"))
    assert all(rank > 5 for rank in ranks(KEYWORD_ONLY, "emb"))


def test_d01_one_answer_only_embeddings_find():
    """A paraphrase without a shared word: first under embeddings, never under BM25."""
    assert ranks(MEANING_ONLY, "emb") == [1, 1, 1, 1]
    assert ranks(MEANING_ONLY, "bm25") == [0, 0, 0, 0]
