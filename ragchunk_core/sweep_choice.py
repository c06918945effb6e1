"""What to take from a sweep: the Pareto front, and a setting with those no worse but cheaper (R12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragchunk_core.intervals import Comparison, Interval, paired_comparisons
from ragchunk_core.sweep_work import Result
from ragchunk_core.types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

COSTS = {
    "characters": "characters of context that the top k bring",
    "index_bytes": "bytes of the index",
    "chunks": "chunks",
}
"""What a setting may cost, by column of ``sweep.COLUMNS``; the length in the unit is none, since units differ."""


def pareto_front(table: pd.DataFrame, costs: Sequence[str] = ("characters", "index_bytes")) -> pd.DataFrame:
    """The rows that no other row beats, best recall first.

    One row beats another when it is at least as good in recall and in every cost, and better in one of them. Rows that
    are equal in all of them are kept together.

    Args:
        table: From ``sweep.sweep_table``.
        costs: Columns of which less is better.

    Raises:
        ValueError: If there is no such column.
    """
    if unknown := [name for name in costs if name not in table.columns]:
        raise ValueError(f"The costs name {unknown[0]!r}; they must be columns of the table, such as characters.")
    measured = np.column_stack([-table["recall"].to_numpy(float), *(table[name].to_numpy(float) for name in costs)])
    front = table[_unbeaten(measured)]
    return front.sort_values(["recall", *costs], ascending=[False, *[True] * len(costs)], kind="stable")


def _unbeaten(measured: FloatArray) -> list[bool]:
    """For each row of numbers of which less is better, whether no other row beats it."""
    return [
        not bool(((measured <= row).all(axis=1) & (measured < row).any(axis=1)).any()) and not np.isnan(row).any()
        for row in measured
    ]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A cheaper setting whose recall is not shown to be lower.

    Attributes:
        saved: Share of the cost that it saves, from 0 to 1.
        comparison: Against the best: ``difference`` is the best's recall less this one's, and its upper bound is what
            might be lost.
    """

    result: Result
    saved: float
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The setting with the best recall, and what would cost less.

    Attributes:
        best: Of equal ones the cheapest.
        interval: Of its recall. It was chosen for being the best of many, so its recall on other questions will
            rather be lower.
        alternatives: Cheaper settings of the Pareto front that the paired test does not show to be worse, cheapest
            first.
        tested: How many cheaper settings were compared with it; p is corrected for that number.
        cost: The column by which they are cheaper.
    """

    best: Result
    interval: Interval
    alternatives: tuple[Alternative, ...]
    tested: int
    cost: str

    def sentence(self) -> str:
        """What a person should take from it."""
        queries = len(self.best.recall)
        said = f"{self.best.setting.label} has the best recall, {self.interval.mean:.3f}"
        if not np.isnan(self.interval.low):
            said += f" (95 % interval {self.interval.low:.3f} to {self.interval.high:.3f}, {queries} queries)"
        if not self.tested:
            return f"{said}; no setting is cheaper in {COSTS[self.cost]} without being beaten."
        if not self.alternatives:
            return f"{said}; all {self.tested} cheaper settings of the Pareto front are worse."
        first = self.alternatives[0]
        difference = first.comparison.difference
        lost = "" if np.isnan(difference.high) else f", and might lose up to {max(0.0, difference.high):.3f} of recall"
        return (
            f"{said}; {first.result.setting.label} costs {first.saved:.0%} less in {COSTS[self.cost]} and is not shown "
            f"to be worse ({first.result.means['recall']:.3f}){lost}."
        )


def recommend(
    results: Sequence[Result], *, cost: str = "characters", alpha: float = 0.05, seed: int = 0
) -> Recommendation:
    """The setting with the best mean recall, and the cheaper ones that are statistically no worse.

    Each cheaper setting that no other beats in recall and this cost is compared with the best by the paired
    randomisation test, corrected by Holm for their number. *Not shown to be worse* is not *equal*: with few queries
    that may be said of much; ``comparison.difference.high`` is what might be lost.

    Args:
        cost: A name in ``COSTS``.
        alpha: The chance of any error that is accepted.

    Raises:
        ValueError: If there is no result, or the cost is unknown.
    """
    from ragchunk_core.intervals import bootstrap_intervals

    if not results:
        raise ValueError("There is no result to recommend from.")
    if cost not in COSTS:
        raise ValueError(f"The cost is {cost!r}; allowed are {', '.join(COSTS)}.")
    costs = np.array([cost_of(one, cost) for one in results])
    recalls = np.array([one.means["recall"] for one in results])
    best = min(range(len(results)), key=lambda place: (-recalls[place], costs[place]))
    front = _unbeaten(np.column_stack([-recalls, costs]))
    cheaper = [place for place, good in enumerate(front) if good and costs[place] < costs[best]]
    values = {str(best): results[best].recall, **{str(place): results[place].recall for place in cheaper}}
    compared = paired_comparisons(values, baseline=str(best), alpha=alpha, seed=seed)
    alternatives = [
        Alternative(results[place], 1 - costs[place] / costs[best], _turned(one, results[best], results[place]))
        for place, one in zip(cheaper, compared, strict=True)
        if not (one.established and one.difference.mean < 0)
    ]
    alternatives.sort(key=lambda one: -one.saved)
    interval = bootstrap_intervals(results[best].recall[np.newaxis], confidence=1 - alpha, seed=seed)[0]
    return Recommendation(results[best], interval, tuple(alternatives), len(cheaper), cost)


def cost_of(result: Result, cost: str) -> float:
    """What a setting costs, by a name in ``COSTS``."""
    return float(result.means[cost] if cost in result.means else getattr(result, cost))


def _turned(one: Comparison, best: Result, other: Result) -> Comparison:
    """The comparison with the best setting first, and the settings' labels."""
    found = one.difference
    return Comparison(
        best.setting.label,
        other.setting.label,
        one.queries,
        Interval(-found.mean, -found.high, -found.low),
        one.p,
        one.adjusted,
        one.needed,
        one.alpha,
    )
