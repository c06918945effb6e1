"""Reciprocal rank fusion: one ranking out of several (row R03).

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods" (SIGIR 2009): score = sum over the rankings of 1 / (k + rank), ranks counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from ragchunk_core.retrievers.rankings import BoolArray, FloatArray, IntArray, Rankings, check_depth, rank_row


def reciprocal_rank_fusion(rankings: Sequence[Rankings], k: int = 60, depth: int | None = None) -> Rankings:
    """Fuse several rankings of the same chunks for the same queries.

    A chunk that one ranking did not find gets nothing from it. Two chunks tie when their sums are equal as
    fractions (ranks 3 and 80 equal ranks 24 and 30 at k = 60), and ties are broken by chunk index; the order
    in which the rankings are given makes no difference.

    Args:
        rankings: At least one; each with one entry a query.
        k: How little the first places stand out; a whole number of at least 0.
        depth: How many chunks to keep for each query; default all. Input that was itself cut short can only
            lose chunks: fuse whole rankings, and cut here.

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
        size = max((int(column.max()) + 1 for column in columns if len(column)), default=0)
        scores = np.zeros(size)
        able = _able(columns, size, k, depth)
        for column in columns:
            places = np.arange(len(column)) if able is None else np.flatnonzero(able[column])
            scores += np.bincount(column[places], 1 / (k + 1 + places), size)
        chunks = np.flatnonzero(scores)
        kept = scores[chunks]
        if depth is not None and depth < len(kept):
            # Rounding is far below this margin, so nothing that is left out can be among the first.
            good = kept >= np.partition(kept, len(kept) - depth)[len(kept) - depth] * (1 - 1e-13)
            chunks, kept = chunks[good], kept[good]
        _settle_near_ties(kept, chunks, columns, k)
        order, best = rank_row(kept, np.ones(len(chunks), dtype=np.bool_), depth)
        yield chunks[order], best


def _able(columns: tuple[IntArray, ...], size: int, k: int, depth: int | None) -> BoolArray | None:
    """Which chunks can be among the first ``depth``; None for all.

    A ranking of ``depth`` chunks gives each of its first so many at least 1 / (k + depth). A chunk that none of m
    rankings has among its first m (k + depth) - k gets less from all together.
    """
    reach = 0 if depth is None else len(columns) * (k + depth) - k
    if depth is None or reach >= max(map(len, columns)):
        return None
    able = np.zeros(size, dtype=np.bool_)
    for column in columns:
        able[column[:reach]] = True
    return able


def _settle_near_ties(scores: FloatArray, chunks: IntArray, columns: tuple[IntArray, ...], k: int) -> None:
    """Make scores that differ only by rounding exact: equal fractions get equal numbers, in place."""
    ordered = np.sort(scores)
    gaps = np.diff(ordered)
    doubtful = (gaps > 0) & (gaps < 1e-14 * ordered[1:])
    if not doubtful.any():
        return
    # Whole groups of equal numbers, since only one member of each stands next to the gap.
    near = np.isin(scores, np.concatenate((ordered[1:][doubtful], ordered[:-1][doubtful])))
    place_of = dict(zip(chunks[near].tolist(), np.flatnonzero(near).tolist(), strict=True))
    sums = dict.fromkeys(place_of.values(), Fraction(0))
    for column in columns:
        ranks = np.flatnonzero(np.isin(column, chunks[near])) + 1
        for rank, chunk in zip(ranks.tolist(), column[ranks - 1].tolist(), strict=True):
            sums[place_of[chunk]] += Fraction(1, k + rank)
    for place, total in sums.items():
        scores[place] = float(total)
