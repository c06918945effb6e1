"""Tables: core results to styled dataframes that are short enough to style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import state
from pages.shared.figures import COLOURS, SYMBOLS
from pages.shared.results import Setup
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.types import Corpus, IntArray

_BEST = "background-color: rgba(0, 158, 115, 0.22); font-weight: 600"


def comparison_table(table: pd.DataFrame, shown: str, unit: str) -> None:
    """One row a chunker; a click on a row shows that chunker."""
    names = list(table["chunker"])
    view = pd.DataFrame(
        {
            " ": [SYMBOLS[name] for name in names],
            "chunker": [CHUNKERS[name].label for name in names],
            "chunks": table["chunks"],
            "mean": table["mean"],
            "median": table["median"],
            "range": [
                f"{low:,.0f}–{high:,.0f}" if low == low else "–"
                for low, high in zip(table["smallest"], table["largest"], strict=True)
            ],
            "size used": table["size_used"] * 100,
            "covered": table["covered"] * 100,
            "stored twice": table["duplicated"] * 100,
            "tokens": table["tokens"],
            "overlap tax": table["overlap_tax"],
        }
    )
    helps = {
        "mean": f"Mean length in {unit}.",
        "median": f"Median length in {unit}.",
        "range": f"Shortest and longest chunk in {unit}.",
        "size used": "Mean length / size.",
        "covered": "Characters in at least one chunk / characters of the text.",
        "stored twice": "(Summed length − characters covered) / characters of the text.",
        "tokens": "cl100k tokens over all chunks, each counted by itself.",
        "overlap tax": "cl100k tokens over all chunks − tokens of the text.",
    }
    shapes = {"mean": "%,.0f", "median": "%,.0f", "size used": "%.0f %%", "covered": "%.1f %%", "stored twice": "%.1f %%"}
    _select_one(
        _coloured(view, names, [name == shown for name in names]),
        key="comparison",
        choose=lambda row: st.session_state.update(chunker=names[row], selected=None),
        config={
            " ": st.column_config.TextColumn(width=20),
            **{name: st.column_config.Column(help=text) for name, text in helps.items()},
            **{
                name: st.column_config.NumberColumn(format=shape, help=helps[name]) for name, shape in shapes.items()
            },
        },
        alt="Comparison of the chunkers: number and length of chunks, text covered, stored twice, tokens.",
    )


def metric_table(
    rows: Sequence[dict[str, Any]], k: int, unit: str, labels: dict[str, str], judged: int, *, key: str
) -> None:
    """Means over the judged queries, one row a chunker and method; best recall of each method in green."""
    table = pd.DataFrame(rows)
    names = list(table["chunker"])
    recall = f"recall@{k}"
    context = f"context@{k}"
    view = pd.DataFrame(
        {
            " ": [SYMBOLS[name] for name in names],
            "chunker": [CHUNKERS[name].label for name in names],
            "method": [labels[method] for method in table["method"]],
            recall: table["recall"],
            "MRR": table["mrr"],
            context: table["context"],
            "precision": table["precision"] * 100,
            "ceiling": table["ceiling"],
        }
    )
    best = table.groupby("method")["recall"].transform("max")
    style = _coloured(view, names, [False] * len(names))
    style.apply(
        lambda column: [_BEST if value == top and value > 0 else "" for value, top in zip(column, best, strict=True)],
        subset=[recall],
    )
    st.dataframe(
        style,
        hide_index=True,
        key=key,
        height="content",
        column_config={
            " ": st.column_config.TextColumn(width=20),
            "method": st.column_config.TextColumn(width=90),
            recall: st.column_config.NumberColumn(
                format="%.3f", width=75, help=f"Share of a query's passages that some chunk in the top {k} answers; mean over {judged} queries."
            ),
            "MRR": st.column_config.NumberColumn(
                format="%.3f", width=60, help="1 / rank of the first chunk that answers any passage, 0 beyond rank 100; mean."
            ),
            context: st.column_config.NumberColumn(
                format="%,.0f", width=85, help=f"Summed length in {unit} of the top {k} chunks: what you would paste into the prompt; mean."
            ),
            "precision": st.column_config.NumberColumn(
                format="%.1f %%", width=75, help=f"Share of the top {k} chunks' characters inside marked passages; mean."
            ),
            "ceiling": st.column_config.NumberColumn(
                format="%.3f", width=65, help="Recall of a perfect ranking: share of passages that some chunk answers."
            ),
        },
        alt=f"Retrieval metrics of each chunker and method, means over {judged} judged queries.",
    )


def rank_table(corpus: Corpus, setup: Setup, method: str, shown: int) -> None:
    """Queries × chunkers: the rank of the first chunk that answers; a click on a row chooses the query."""
    scores = {name: setup.scores(name, method) for name in setup.cuts}
    judged = next(iter(scores.values())).judged.tolist()
    view = pd.DataFrame(
        {
            "query": [
                f"{'▸ ' if index == shown else ''}{index + 1}. {corpus.queries[index].text}" for index in judged
            ],
            **{
                f"{SYMBOLS[name]} {CHUNKERS[name].label}": [
                    _rank(ranks, setup.k) for ranks in scores[name].first_ranks
                ]
                for name in setup.cuts
            },
        }
    )
    _select_one(
        view,
        key="rank_table",
        choose=lambda row: state.choose_query(judged[row]),
        config={"query": st.column_config.TextColumn(width="large")},
        alt="Rank of the first answering chunk for each query and chunker.",
    )


def _rank(ranks: IntArray, k: int) -> str:
    found = ranks[ranks > 0]
    if not len(found):
        return "–"
    value = int(found.min())
    return str(value) if value <= k else f"({value})"


def _coloured(view: pd.DataFrame, names: Sequence[str], bold: Sequence[bool]) -> Any:
    return view.style.apply(
        lambda column: [f"color: {COLOURS[name]}; font-size: 120%" for name in names], subset=[" "]
    ).apply(lambda column: ["font-weight: 700" if strong else "" for strong in bold], subset=["chunker"])


def _select_one(style: Any, *, key: str, choose: Callable[[int], Any], config: dict[str, Any], alt: str) -> None:
    def chosen() -> None:
        cells = st.session_state[key].selection.cells
        if cells:
            choose(cells[0][0])

    st.dataframe(
        style, hide_index=True, key=key, on_select=chosen, selection_mode="single-cell", column_config=config, alt=alt
    )
