"""Retrieval metrics on passages, one small function each (R06).

All take what one ranking gave for one query. A *first rank* is the rank, from 1, of the first chunk that answers
a passage; 0 means that none does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ragchunk_core.types import IntArray

MRR_DEPTH = 100
"""Answers below this rank count as not found in the reciprocal rank."""


def first_ranks(ranking: IntArray, answers: tuple[IntArray, ...]) -> IntArray:
    """For each passage, the rank of the first chunk in ``ranking`` that answers it, or 0. Shape ``(passages,)``."""
    ranks = []
    for numbers in answers:
        hits = np.flatnonzero(np.isin(ranking, numbers))
        ranks.append(int(hits[0]) + 1 if len(hits) else 0)
    return np.array(ranks, dtype=np.int64)


def recall_at_k(ranks: IntArray, k: int) -> float:
    """Recall@k: share of the query's passages that some chunk in the top k answers."""
    return float(np.mean((ranks > 0) & (ranks <= k)))


def reciprocal_rank(ranks: IntArray, depth: int = MRR_DEPTH) -> float:
    """1 / rank of the first chunk that answers any passage; 0 when there is none within ``depth``.

    The mean over queries is MRR (Voorhees, "The TREC-8 Question Answering Track Report", 1999).
    """
    found = ranks[(ranks > 0) & (ranks <= depth)]
    return 1.0 / float(found.min()) if len(found) else 0.0


def context_at_k(lengths: ArrayLike, k: int) -> int:
    """Context@k: summed length of the top k chunks, ``lengths`` being in ranking order."""
    return int(np.sum(np.asarray(lengths)[:k]))


def precision_at_k(inside: ArrayLike, characters: ArrayLike, k: int) -> float:
    """Share of the top k chunks' characters that lie inside marked passages; 0 when nothing was retrieved.

    A character that stands in two of the chunks counts twice, above and below the line.
    """
    total = int(np.sum(np.asarray(characters)[:k]))
    return float(np.sum(np.asarray(inside)[:k])) / total if total else 0.0
