"""The same chunks, returned or indexed otherwise, judged side by side (R15, R19)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ragchunk_core.budgets import merged_lengths
from ragchunk_core.chunking import Chunking
from ragchunk_core.evaluation import Scores, score
from ragchunk_core.intervals import Comparison, paired_comparisons
from ragchunk_core.judging import Pool
from ragchunk_core.prefixes import PREFIXES, prefixed
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.small_to_big import score_returned, with_neighbours, with_parent, with_section
from ragchunk_core.types import FloatArray, Query

PARENT_SIZES = 4
"""A parent chunk is a recursive one of so many times the size, without overlap."""


class Alternative(NamedTuple):
    """One way, its scores, and each judged query's context with overlapping chunks merged (R16), in the unit."""

    name: str
    scores: Scores
    merged: FloatArray


def returned(
    pool: Pool, ranked: Rankings, parents: Sequence[Chunking], queries: Sequence[Query], k: int, theta: float
) -> list[Alternative]:
    """What is returned for the chunks that are ranked: the chunk alone, its neighbours, its section, its parent.

    Args:
        ranked: Whole rankings of the pool.
        parents: Larger chunks of the same documents, in the same order.
    """
    alone = score(pool, ranked, queries, k, theta)
    ways = {
        "1 neighbour each side": with_neighbours(pool, 1),
        "2 neighbours each side": with_neighbours(pool, 2),
        "its section": with_section(pool),
        "its parent": with_parent(pool, parents),
    }
    return [
        Alternative("the chunk alone", alone, merged_lengths(pool, ranked, alone.judged, k)),
        *(Alternative(name, *score_returned(way, ranked, queries, k, theta)) for name, way in ways.items()),
    ]


def in_front(pool: Pool) -> dict[str, Pool]:
    """The same chunks with nothing, the title, and the heading path indexed in front of each."""
    bare = Pool(tuple(replace(one, contexts=()) for one in pool.chunkings))
    return {
        "nothing": bare,
        **{name: Pool(tuple(prefixed(one, name) for one in pool.chunkings)) for name in PREFIXES},
    }


def indexed(
    pools: dict[str, Pool], rank: Callable[[Pool], Rankings], queries: Sequence[Query], k: int, theta: float
) -> list[Alternative]:
    """What ``in_front`` gave, each ranked by ``rank`` and judged."""
    made = []
    for name, pool in pools.items():
        ranked = rank(pool)
        scores = score(pool, ranked, queries, k, theta)
        made.append(Alternative(name, scores, merged_lengths(pool, ranked, scores.judged, k)))
    return made


def against_first(made: Sequence[Alternative]) -> list[Comparison]:
    """Recall of each against the first's, query by query, corrected for their number by Holm (R10)."""
    return paired_comparisons({one.name: one.scores.recall for one in made}, baseline=made[0].name, intervals=False)
