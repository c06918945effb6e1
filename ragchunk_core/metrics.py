"""Retrieval metrics on passages and chunks, one small function each (R06).

All take one ranking for each of several queries. *First ranks* are a table, one row a query and one column a
passage: the rank, from 1, of the first chunk that answers the passage; 0 where none does; ``PAD`` where a query
has fewer passages than the table has columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragchunk_core.types import BoolArray, FloatArray, IntArray

MRR_DEPTH = 100
"""Answers below this rank count as not found in the reciprocal rank."""
PAD = -1


def first_ranks(rankings: Sequence[IntArray], answers: Sequence[Sequence[IntArray]], chunks: int) -> IntArray:
    """The table of first ranks, shape ``(queries, most passages of a query)``.

    Args:
        rankings: Chunk numbers of each query, best first.
        answers: For each query, the chunk numbers that answer each of its passages.
        chunks: How many chunks there are.
    """
    table = np.full((len(rankings), max(map(len, answers), default=0)), PAD, dtype=np.int64)
    nowhere = chunks + 1
    for row, (ranking, passages) in enumerate(zip(rankings, answers, strict=True)):
        rank_of = np.full(chunks, nowhere, dtype=np.int64)
        rank_of[ranking] = np.arange(1, len(ranking) + 1)
        for column, numbers in enumerate(passages):
            best = int(rank_of[numbers].min(initial=nowhere))
            table[row, column] = best if best < nowhere else 0
    return table


def recall_at_k(ranks: IntArray, k: int) -> FloatArray:
    """Recall@k of each query: share of its passages that some chunk in the top k answers."""
    found = ((ranks > 0) & (ranks <= k)).sum(axis=1)
    recall: FloatArray = found / (ranks != PAD).sum(axis=1)
    return recall


def reciprocal_rank(ranks: IntArray, depth: int = MRR_DEPTH) -> FloatArray:
    """1 / rank of each query's first chunk that answers any passage; 0 when there is none within ``depth``.

    The mean over queries is MRR (Voorhees, "The TREC-8 Question Answering Track Report", 1999).
    """
    best = np.where(ranks > 0, ranks, depth + 1).min(axis=1, initial=depth + 1)
    return np.where(best <= depth, 1.0 / best, 0.0)


def context_at_k(rankings: Sequence[IntArray], lengths: IntArray, k: int) -> FloatArray:
    """Context@k of each query: summed length of its top k chunks; ``lengths`` is by chunk number."""
    return np.array([lengths[ranking[:k]].sum() for ranking in rankings], dtype=np.float64)


def precision_at_k(
    rankings: Sequence[IntArray], inside: Sequence[IntArray], characters: IntArray, k: int
) -> FloatArray:
    """Share of each query's top k chunks' characters inside marked passages; 0 when nothing was retrieved.

    A character that stands in two of the chunks counts twice, above and below the line.

    Args:
        inside: For each query, how many characters of each chunk lie in its marked passages.
        characters: How many characters each chunk has.
    """
    total = context_at_k(rankings, characters, k)
    marked = [own[ranking[:k]].sum() for ranking, own in zip(rankings, inside, strict=True)]
    return np.divide(marked, total, out=np.zeros(len(total)), where=total > 0)


def ceiling(answers: Sequence[Sequence[IntArray]]) -> FloatArray:
    """Recall that a perfect ranking would reach for each query: share of passages that some chunk answers (R17)."""
    return np.array([sum(len(numbers) > 0 for numbers in passages) / len(passages) for passages in answers])


def ndcg_at_k(rankings: Sequence[IntArray], relevant: Sequence[BoolArray], k: int) -> FloatArray:
    """nDCG@k of each query: summed 1 / log2(rank + 1) of its relevant chunks in the top k, over the best possible sum.

    A chunk is relevant or not (it answers some passage); 0 where none is. Järvelin and Kekäläinen, "Cumulated
    gain-based evaluation of IR techniques", 2002, with the discount that trec_eval uses.

    Args:
        relevant: For each query, whether each chunk is relevant, by chunk number.
    """
    discounts = 1 / np.log2(np.arange(2, k + 2))
    best = np.concatenate(([0.0], np.cumsum(discounts)))
    hits = [own[ranking[:k]] for ranking, own in zip(rankings, relevant, strict=True)]
    gained = np.array([discounts[: len(hit)][hit].sum() for hit in hits], dtype=np.float64)
    ideal = best[[min(k, int(np.count_nonzero(own))) for own in relevant]] if relevant else gained
    return np.divide(gained, ideal, out=np.zeros(len(gained)), where=ideal > 0)


def average_precision(rankings: Sequence[IntArray], relevant: Sequence[BoolArray]) -> FloatArray:
    """Average precision of each query over its whole ranking; the mean over queries is MAP.

    The mean, over the relevant chunks, of the share of relevant ones among the chunks down to it; one that is not
    ranked counts 0, and so does a query without a relevant chunk. Buckley and Voorhees, "Evaluating evaluation
    measure stability", 2000.

    Args:
        relevant: For each query, whether each chunk is relevant, by chunk number.
    """
    values = np.zeros(len(rankings))
    for row, (ranking, own) in enumerate(zip(rankings, relevant, strict=True)):
        ranks = np.flatnonzero(own[ranking]) + 1
        values[row] = (np.arange(1, len(ranks) + 1) / ranks).sum() / max(1, np.count_nonzero(own))
    return values
