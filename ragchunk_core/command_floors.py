"""``--fail-under``: floors that a metric must reach (S03)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_FLOOR = re.compile(r"(recall|mrr|ndcg|map|precision|ceiling)(?:@(\d+))?=(\d*\.?\d+)", re.ASCII)


def floor_of(written: str) -> tuple[str, int | None, float]:
    """Metric, k (None where it is not said) and floor of ``recall@5=0.8``.

    Raises:
        ValueError: If it is not so written.
    """
    if not (found := _FLOOR.fullmatch(written)):
        raise ValueError(f"--fail-under is {written!r}; it must be a metric and its floor, such as recall@5=0.8.")
    return found[1], int(found[2]) if found[2] else None, float(found[3])


def missed_floors(table: pd.DataFrame, metric: str, k: int | None, floor: float) -> list[str]:
    """A sentence for each row that does not reach the floor."""
    name = metric if k is None else f"{metric}@{k}"
    return [
        f"{name} of {row['chunker']} with {row['method']} is {row[metric]:.3f}, below the floor of {floor:g}."
        for row in table.to_dict("records")
        if not row[metric] >= floor
    ]
