"""Reciprocal rank fusion: one ranking out of several (row R03).

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods" (SIGIR 2009): score = sum over the rankings of 1 / (k + rank), ranks counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from ragchunk_core.retrievers.rankings import FloatArray, IntArray, Rankings, check_depth, rank_row


def reciprocal_rank_fusion(rankings: Sequence[Rankings], k: int = 60, depth: int | None = None) -> Rankings:
    """Fuse several rankings of the same chunks for the same queries.

    A chunk that one ranking did not find gets nothing from it. Two chunks tie when their sums are equal as
    fractions (ranks 3 and 80 equal ranks 24 and 30 at k = 60), and ties are broken by chunk index; the order
    in which the rankings are given makes no difference.

    Args:
        rankings: At least one; each with one entry a query.
        k: How little the first places stand out; a whole number of at least 0.
        depth: How many chunks to keep for each query; default all. Input that was itself cut short can only
        lose
            chunks: fuse whole rankings, and cut here.

    Raises:
        ValueError: If there is no ranking, they are of different queries, or ``k`` is out of bounds.
    """
    check_depth(depth)
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise ValueError(f"k must be a whole number of at least 0, not {k!r}.")
    if not rankings:
        raise ValueError("rankings must hold at least one ranking, not none.")
    if len({len(ranking) for ranking in rankings}) > 1:
        counts = ", ".join(str(len(ranking)) for ranking in rankings)
        raise ValueError(f"rankings must all be of the same queries, but they are of {counts} queries.")
    return Rankings.of(_fused([ranking.ids for ranking in rankings], int(k), depth))


def _fused(rankings: list[tuple[IntArray, ...]], k: int, depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
    for columns in zip(*rankings, strict=True):
        chunks, places = np.unique(np.concatenate(columns), return_inverse=True)
        ranks = np.concatenate([np.arange(1, len(column) + 1, dtype=np.int64) for column in columns])
        weights = 1 / (k + ranks)
        scores = np.zeros(len(chunks))
        np.add.at(scores, places, weights)
        _settle_near_ties(scores, places, ranks, k)
        order, best = rank_row(scores, np.ones(len(chunks), dtype=np.bool_), depth)
        yield chunks[order], best


def _settle_near_ties(scores: FloatArray, places: IntArray, ranks: IntArray, k: int) -> None:
    """Make scores that differ only by rounding exact: equal fractions get equal numbers, in place."""
    order = np.argsort(scores, kind="stable")
    gaps = np.diff(scores[order])
    doubtful = (gaps > 0) & (gaps < 1e-14 * scores[order][1:])
    if not doubtful.any():
        return
    near = np.zeros(len(scores), dtype=np.bool_)
    near[order[1:][doubtful]] = near[order[:-1][doubtful]] = True
    # Whole groups of equal numbers, since only one member of each stands next to the gap.
    near = np.isin(scores, np.unique(scores[near]))
    sums = dict.fromkeys(np.flatnonzero(near).tolist(), Fraction(0))
    for place, rank in zip(places[near[places]].tolist(), ranks[near[places]].tolist(), strict=True):
        sums[place] += Fraction(1, k + rank)
    for place, total in sums.items():
        scores[place] = float(total)
