"""The tables of a closer look: one row a chunker, or one row a way of doing it otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import cached
from pages.shared.tables import badge_column, badges, best_in_green, interval_text
from ragchunk_core.alternatives import Alternative, against_first
from ragchunk_core.intervals import Comparison
from ragchunk_core.truncation import Ledger
from ragchunk_core.types import FloatArray

_NUMBER = st.column_config.NumberColumn
_INTERVAL = st.column_config.TextColumn("95 %", width=80, help="Bootstrap interval of the recall before it.")
_MERGED = "The same with overlapping chunks merged, each character once, as a prompt would hold it; mean."


class Within(NamedTuple):
    """One chunker within a budget of context; arrays have one entry a judged query."""

    chunker: str
    recall: FloatArray
    area: FloatArray
    context: FloatArray
    merged: FloatArray


def budget_table(rows: Sequence[Within], k: int, budget: int, unit: str, method: str) -> None:
    """Recall within the budget, one row a chunker, with what its top k would have cost."""
    names = [row.chunker for row in rows]
    within = f"recall in {budget:,}"
    view = pd.DataFrame(
        {
            "chunker": badges(names),
            within: [row.recall.mean() for row in rows],
            "95 %": _intervals([row.recall for row in rows]),
            "area": [row.area.mean() for row in rows],
            f"context@{k}": [row.context.mean() for row in rows],
            "merged": [row.merged.mean() for row in rows],
        }
    )
    st.dataframe(
        best_in_green(view, {within: max, "area": max}, groups=[""] * len(rows)),
        hide_index=True,
        key="closer_budget",
        height="content",
        column_config={
            "chunker": badge_column(names),
            within: _NUMBER(
                format="%.3f",
                help=f"Share of a query's passages answered by the chunks, best first, that fit into {budget:,} "
                f"{unit}; mean.",
            ),
            "95 %": _INTERVAL,
            "area": _NUMBER(
                format="%.3f", help=f"That recall averaged over every budget from 0 to {budget:,} {unit}; mean."
            ),
            f"context@{k}": _NUMBER(format="%,.0f", help=f"Summed length in {unit} of the top {k} chunks; mean."),
            "merged": _NUMBER(format="%,.0f", help=_MERGED),
        },
        alt=f"Recall of each chunker within {budget:,} {unit} of context under {method}.",
    )


def alternatives_table(rows: Sequence[Alternative], first: str, k: int, unit: str) -> None:
    """One row a way, each tested against the first row, query by query.

    Args:
        first: Heads the first column, and says what is different from row to row.
    """
    recalls = [row.scores.recall for row in rows]
    view = pd.DataFrame(
        {
            first: [row.name for row in rows],
            f"recall@{k}": [recall.mean() for recall in recalls],
            "95 %": _intervals(recalls),
            "against the first": ["", *map(_said, against_first(rows))],
            "MRR": [row.scores.reciprocal_rank.mean() for row in rows],
            f"context@{k}": [row.scores.context.mean() for row in rows],
            "merged": [row.merged.mean() for row in rows],
            "precision": [row.scores.precision.mean() * 100 for row in rows],
        }
    )
    st.dataframe(
        best_in_green(view, {f"recall@{k}": max, "MRR": max, "precision": max}, groups=[""] * len(rows)),
        hide_index=True,
        key="closer_alternatives",
        height="content",
        column_config={
            first: st.column_config.TextColumn(width=180),
            f"recall@{k}": _NUMBER(format="%.3f", width=75, help=f"As above, over the top {k} of what is returned."),
            "95 %": _INTERVAL,
            "against the first": st.column_config.TextColumn(
                width=150,
                help="Difference in recall from the first row, and p of the paired randomisation test, corrected by "
                f"Holm for {len(rows) - 1} tests. Up to 0.05 it is established.",
            ),
            "MRR": _NUMBER(format="%.3f", width=60, help="1 / rank of the first that answers any passage; mean."),
            f"context@{k}": _NUMBER(
                format="%,.0f", width=80, help=f"Summed length in {unit} of what is returned; mean."
            ),
            "merged": _NUMBER(format="%,.0f", width=70, help=_MERGED),
            "precision": _NUMBER(
                format="%.1f %%", width=75, help="Share of its characters inside marked passages; mean."
            ),
        },
        alt=f"Recall, MRR, context and precision, one row for each thing that is {first}.",
    )


def ledger_table(rows: Sequence[tuple[str, Ledger]]) -> None:
    """The truncation ledger, one row a chunker."""
    names, ledgers = [name for name, _ in rows], [one for _, one in rows]
    view = pd.DataFrame(
        {
            "chunker": badges(names),
            "chunks": [one.chunks for one in ledgers],
            "read in part": [one.truncated for one in ledgers],
            "characters unread": [one.unread for one in ledgers],
            "unread": [100 * one.unread / max(1, one.characters) for one in ledgers],
            "passages answered": [one.passages for one in ledgers],
            "not read whole": [one.passages_cut for one in ledgers],
            "lost": [one.passages_lost for one in ledgers],
        }
    )
    whole = "%,d"
    st.dataframe(
        best_in_green(view, {"unread": min, "lost": min}, groups=[""] * len(rows)),
        hide_index=True,
        key="closer_ledger",
        height="content",
        column_config={
            "chunker": badge_column(names),
            "chunks": _NUMBER(format=whole),
            "read in part": _NUMBER(format=whole, help="Chunks with more word pieces than the model reads."),
            "characters unread": _NUMBER(format=whole, help="Characters past the limit, summed over all chunks."),
            "unread": _NUMBER(format="%.1f %%", help="Characters unread / characters of all chunks."),
            "passages answered": _NUMBER(format=whole, help="Marked passages that some chunk answers."),
            "not read whole": _NUMBER(
                format=whole, help="Of those, the ones of which every answering chunk leaves a character unread."
            ),
            "lost": _NUMBER(
                format=whole, help="Of those, the ones of which no answering chunk is read far enough to answer."
            ),
        },
        alt="What of each chunker's chunks the embedding model never reads.",
    )


def _intervals(recalls: Sequence[FloatArray]) -> list[str]:
    return [interval_text(one.low, one.high) for one in cached.intervals(np.stack(recalls))]


def _said(one: Comparison) -> str:
    return f"{one.difference.mean:+.3f} (p = {one.adjusted:.3f})"
