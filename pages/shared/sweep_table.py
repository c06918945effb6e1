"""All settings of a sweep as a table, best recall first; a click sets what is chosen, and all can be downloaded."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.shared.sweeping import use
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.retrievers import METHODS
from ragchunk_core.sweep_work import Result
from ragchunk_core.units import UNITS


def sweep_list(results: Sequence[Result], table: pd.DataFrame, k: int) -> None:
    """The table.

    Args:
        table: From ``sweep.sweep_table``, a row a result.
    """
    order = table.sort_values(["recall", "characters"], ascending=[False, True], kind="stable").index.tolist()
    best = table.loc[order]
    number = st.column_config.NumberColumn
    view = pd.DataFrame(
        {
            "chunker": [CHUNKERS[name].label for name in best["chunker"]],
            "size": best["size"],
            "overlap": best["overlap"],
            "unit": [UNITS[unit].short for unit in best["unit"]],
            "method": [METHODS[method].label for method in best["method"]],
            f"recall@{k}": best["recall"],
            "95 %": [
                f"{low:.2f}–{high:.2f}" if low == low else None
                for low, high in zip(best["recall_low"], best["recall_high"], strict=True)
            ],
            "MRR": best["mrr"],
            "nDCG": best["ndcg"],
            "context": best["characters"],
            "precision": best["precision"] * 100,
            "ceiling": best["ceiling"],
            "chunks": best["chunks"],
            "index": best["index_bytes"] / 1e6,
        }
    )

    def chosen() -> None:
        rows = st.session_state["sweep_table"].selection.rows
        if rows:
            use(results[order[rows[0]]])

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Every setting, best recall first**", width="stretch")
        st.download_button(
            "CSV", lambda: table.to_csv(index=False), "sweep.csv", "text/csv", key="sweep_csv", on_click="ignore"
        )
    st.dataframe(
        view,
        hide_index=True,
        key="sweep_table",
        on_select=chosen,
        selection_mode="single-row",
        height=min(600, 38 * (len(view) + 1)),
        column_config={
            f"recall@{k}": number(format="%.3f"),
            "MRR": number(format="%.3f"),
            "nDCG": number(format="%.3f"),
            "context": number(format="%,.0f", help=f"Characters that the top {k} bring, whatever the unit; mean."),
            "precision": number(format="%.1f %%"),
            "ceiling": number(format="%.2f"),
            "index": number("index, MB", format="%.2f", help="Vectors as float32, and BM25's postings."),
        },
        alt="Every setting of the sweep with its metrics, best recall first.",
    )
    st.caption("Choose a row to set it on all pages.")
