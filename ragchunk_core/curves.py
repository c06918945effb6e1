"""Metrics for every k from one ranking (R06, R16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core import metrics
from ragchunk_core.budgets import context_costs, merged_costs
from ragchunk_core.judging import Judgement, Pool
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import FloatArray, IntArray

DEPTH = 50
"""The largest k of a curve."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Metrics of each judged query for k = 1 … depth, each of shape ``(judged, depth)``.

    ``recall``, ``reciprocal_rank`` (looking no deeper than k), ``precision``, ``ndcg``: as in ``metrics``.

    Attributes:
        context: Summed length of the top k chunks, in the unit.
        merged: Characters in the top k chunks, each counted once however many of them it stands in.
    """

    recall: FloatArray
    reciprocal_rank: FloatArray
    precision: FloatArray
    ndcg: FloatArray
    context: FloatArray
    merged: FloatArray

    @property
    def depth(self) -> int:
        """The largest k."""
        return int(self.recall.shape[1])


def curves(
    pool: Pool, rankings: Rankings, judged: IntArray, judgements: Sequence[Judgement], depth: int = DEPTH
) -> Curves:
    """All metrics for every k up to ``depth``, from one ranking.

    Args:
        judged: Indices of the judged queries in the rankings.
        judgements: One for each of them.

    Raises:
        ValueError: If depth is below 1.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}; it must be 1 or more.")
    tops = [rankings.ids[index] for index in judged.tolist()]
    ranks = metrics.first_ranks(tops, [one.answers for one in judgements], len(pool))
    relevant = [one.relevant for one in judgements]
    every_k = range(1, depth + 1)

    def columns(values: list[FloatArray]) -> FloatArray:
        return np.stack(values, axis=1).reshape(len(tops), depth)

    def running(values: list[IntArray]) -> FloatArray:
        costs = [context_costs([top], own)[0] for top, own in zip(tops, values, strict=True)]
        return np.array([_held(cost, depth) for cost in costs]).reshape(len(tops), depth)

    characters = running([pool.ends - pool.starts] * len(tops))
    inside = running([one.inside for one in judgements])
    return Curves(
        recall=columns([metrics.recall_at_k(ranks, k) for k in every_k]),
        reciprocal_rank=columns([metrics.reciprocal_rank(ranks, k) for k in every_k]),
        precision=np.divide(inside, characters, out=np.zeros_like(characters), where=characters > 0),
        ndcg=columns([metrics.ndcg_at_k(tops, relevant, k) for k in every_k]),
        context=running([pool.lengths] * len(tops)),
        merged=np.array([_held(one, depth) for one in merged_costs(tops, pool, depth)]).reshape(len(tops), depth),
    )


def _held(cost: FloatArray, depth: int) -> FloatArray:
    """The first ``depth`` values; where there are fewer the last one goes on, and 0 where there is none."""
    last = cost[-1:] if len(cost) else np.zeros(1)
    return np.concatenate((cost[:depth], np.repeat(last, max(0, depth - len(cost)))))
