"""Recall against the context that it costs (R09, R16), so that a chunker is not better only for larger chunks.

At equal k the chunker with larger chunks puts more text into the prompt. Here a budget of context takes the place of k:
a passage is found within it when the chunks down to the first that answers it, best first, fit into the budget.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragchunk_core.judging import Pool
from ragchunk_core.metrics import PAD
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import union
from ragchunk_core.types import FloatArray, IntArray
from ragchunk_core.units import unit_named


def context_costs(rankings: Sequence[IntArray], lengths: IntArray) -> list[FloatArray]:
    """For each query the summed length of its first 1, 2, … chunks; ``lengths`` is by chunk number."""
    return [np.cumsum(lengths[ranking], dtype=np.float64) for ranking in rankings]


def merged_costs(rankings: Sequence[IntArray], pool: Pool, depth: int | None = None) -> list[FloatArray]:
    """For each query the characters in its first 1, 2, … chunks, each counted once (R16).

    Args:
        depth: How many chunks of a ranking to go down; default all.
    """
    starts, ends = pool.line
    read = np.zeros(sum(len(one.document) for one in pool.chunkings), dtype=np.bool_)
    costs = []
    for ranking in rankings:
        top = ranking[:depth]
        spans = list(zip(starts[top].tolist(), ends[top].tolist(), strict=True))
        new = np.zeros(len(spans))
        for place, (start, end) in enumerate(spans):
            new[place] = end - start - np.count_nonzero(read[start:end])
            read[start:end] = True
        for start, end in spans:
            read[start:end] = False
        costs.append(np.cumsum(new))
    return costs


def answer_costs(first_ranks: IntArray, costs: Sequence[FloatArray]) -> FloatArray:
    """The context spent down to each passage's first answer, in the shape of ``first_ranks``.

    Infinite where no chunk that was ranked answers the passage; NaN where a query has fewer passages.

    Args:
        first_ranks: The table of ``metrics.first_ranks``, made from the same rankings.
        costs: From ``context_costs`` or ``merged_costs``, over whole rankings.
    """
    table = np.where(first_ranks == PAD, np.nan, np.inf)
    for row, column in np.argwhere(first_ranks > 0).tolist():
        table[row, column] = costs[row][first_ranks[row, column] - 1]
    return table


def recall_within(spent: FloatArray, budget: float) -> FloatArray:
    """Each query's recall within a budget: share of its passages answered by the chunks that fit into it (R09).

    Args:
        spent: From ``answer_costs``.
        budget: In the unit of the costs, 0 or more.

    Raises:
        ValueError: If the budget is below 0 or not a number.
    """
    if not budget >= 0:
        raise ValueError(f"budget is {budget}; it must be 0 or more.")
    recall: FloatArray = (spent <= budget).sum(axis=1) / (~np.isnan(spent)).sum(axis=1)
    return recall


def area_within(spent: FloatArray, budget: float) -> FloatArray:
    """Each query's mean recall over all budgets from 0 to ``budget``: the area under its steps, over the budget (R09).

    1 would be a chunker whose answers cost nothing. Arguments as for ``recall_within``.

    Raises:
        ValueError: If the budget is not above 0 and finite.
    """
    if not 0 < budget < np.inf:
        raise ValueError(f"budget is {budget}; it must be above 0 and finite.")
    left = np.maximum(0.0, budget - np.where(np.isnan(spent), np.inf, spent))
    area: FloatArray = left.sum(axis=1) / budget / (~np.isnan(spent)).sum(axis=1)
    return area


def merged_lengths(pool: Pool, rankings: Rankings, judged: IntArray, k: int) -> FloatArray:
    """Length in the unit of each judged query's top k chunks, overlapping ones merged first (R16).

    Chunks that overlap or meet end to end make one stretch of text, and every stretch is counted by itself, as a prompt
    would hold it.
    """
    totals = np.zeros(len(judged))
    for row, index in enumerate(judged.tolist()):
        top = rankings.ids[index][:k]
        for number, chunking in enumerate(pool.chunkings):
            own = top[(top >= pool.first[number]) & (top < pool.first[number + 1])]
            if len(own):
                stretches = union(pool.starts[own], pool.ends[own])
                totals[row] += unit_named(chunking.unit).slice_counts(chunking.document.text, *stretches).sum()
    return totals
