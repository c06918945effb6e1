"""Tables: core results to styled dataframes that are short enough to style."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from pages.shared import choices, edits
from pages.shared.figures import SYMBOLS, TINTS
from pages.shared.results import Setup
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.types import Corpus

METRICS = ("recall", "mrr", "context", "precision", "ceiling")
_BEST = [("background-color", "rgba(0, 158, 115, 0.22)"), ("font-weight", "600")]


def comparison_table(rows: Sequence[dict[str, Any]], shown: str, unit: str) -> None:
    """One row a chunker; a click on a row shows that chunker."""
    table = pd.DataFrame(rows)
    names = list(table["chunker"])
    view = pd.DataFrame(
        {
            "chunker": badges(names),
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
    number, whole = st.column_config.NumberColumn, "%,.0f"
    best = {"size used": max, "covered": max, "stored twice": min, "overlap tax": min}
    _select_one(
        best_in_green(view, best, groups=[""] * len(names)),
        key="comparison",
        choose=lambda row, _: choices.put(chunker=names[row], selected=None),
        config={
            "chunker": badge_column(names),
            "chunks": number(width=65, format="%,d"),
            "mean": number(width=60, format=whole, help=f"Mean length in {unit}."),
            "median": number(width=65, format=whole, help=f"Median length in {unit}."),
            "range": st.column_config.TextColumn(width=80, help=f"Shortest and longest chunk in {unit}."),
            "size used": number(format="%.0f %%", help="Mean length / size."),
            "covered": number(format="%.1f %%", help="Characters in at least one chunk / characters of the text."),
            "stored twice": number(
                format="%.1f %%", help="(Summed length − characters covered) / characters of the text."
            ),
            "tokens": number(format="%,d", help="cl100k tokens over all chunks, each counted by itself."),
            "overlap tax": number(format="%,d", help="cl100k tokens over all chunks − tokens of the text."),
        },
        alt=f"Comparison of the chunkers by number and length of chunks; shown is {CHUNKERS[shown].label}.",
    )


def metric_table(
    rows: Sequence[dict[str, Any]], k: int, unit: str, labels: dict[str, str], judged: int, *, key: str
) -> None:
    """Means over the judged queries, one row a chunker and method; best values of each method in green.

    Args:
        rows: A row without metrics is one whose vectors are still being computed: its cells stay empty.
    """
    table = pd.DataFrame(rows, columns=["chunker", "method", *METRICS])
    names = list(table["chunker"])
    recall = f"recall@{k}"
    context = f"context@{k}"
    view = pd.DataFrame(
        {
            "chunker": badges(names),
            "method": [labels[method] for method in table["method"]],
            recall: table["recall"],
            "95 %": [interval_text(row["recall_low"], row["recall_high"]) if "recall" in row else None for row in rows],
            "MRR": table["mrr"],
            context: table["context"],
            "precision": table["precision"] * 100,
            "ceiling": table["ceiling"],
        }
    )
    number = st.column_config.NumberColumn
    st.dataframe(
        best_in_green(view, {recall: max, "MRR": max, "precision": max, "ceiling": max}, groups=list(table["method"])),
        hide_index=True,
        key=key,
        height="content",
        column_config={
            "chunker": badge_column(names),
            "method": st.column_config.TextColumn(width=82),
            recall: number(
                format="%.3f",
                width=66,
                help=f"Share of a query's passages that some chunk in the top {k} answers; mean over {judged} queries.",
            ),
            "95 %": st.column_config.TextColumn(
                width=80,
                help="Where the mean recall of all such queries lies with 95 % confidence: bootstrap over the judged "
                "queries (expanded percentiles); – where all have the same. Overlapping intervals do not say that two "
                "are alike: see below.",
            ),
            "MRR": number(
                format="%.3f",
                width=50,
                help="1 / rank of the first chunk that answers any passage, 0 beyond rank 100; mean.",
            ),
            context: number(
                format="%,.0f",
                width=74,
                help=f"Summed length in {unit} of the top {k} chunks: what you would paste into the prompt; mean.",
            ),
            "precision": number(
                format="%.1f %%",
                width=64,
                help=f"Share of the top {k} chunks' characters inside marked passages; mean.",
            ),
            "ceiling": number(
                format="%.2f",
                width=54,
                help="Recall of a perfect ranking: share of passages that some chunk answers.",
            ),
        },
        alt=f"Retrieval metrics of each chunker and method, means over {judged} judged queries.",
    )


def rank_table(corpus: Corpus, setup: Setup, method: str, shown: int) -> None:
    """Queries × chunkers: the rank of the first chunk that answers; a click on a cell opens it in the text."""
    scores = {name: setup.scores(name, method) for name in setup.cuts}
    judged = next(iter(scores.values())).judged.tolist()
    columns = {f"{SYMBOLS[name]} {CHUNKERS[name].label}": name for name in setup.cuts}
    view = pd.DataFrame(
        {
            "query": [f"{'▸ ' if index == shown else ''}{index + 1}. {corpus.queries[index].text}" for index in judged],
            **{
                column: [_rank(ranks, setup.k) for ranks in scores[name].first_ranks.tolist()]
                for column, name in columns.items()
            },
        }
    )
    _select_one(
        view,
        key="rank_table",
        choose=lambda row, column: _open_cell(judged[row], columns.get(column)),
        config={"query": st.column_config.TextColumn(width=270)},
        alt="Rank of the first answering chunk for each query and chunker.",
    )


def _open_cell(query: int, chunker: str | None) -> None:
    if chunker:
        choices.put(chunker=chunker)
    edits.choose_query(query)


def losses_sentence(setup: Setup, chunker: str, method: str) -> str:
    """Where the answers of one chunker went (R17)."""
    lost = setup.losses(chunker, method)
    return (
        f"{CHUNKERS[chunker].label}: {lost.found:.1%} of the answers found, {lost.cut:.1%} lost to the cut, "
        f"{lost.limit:.1%} beyond the model's limit, {lost.ranking:.1%} ranked too low."
    )


def _rank(ranks: list[int], k: int) -> str:
    found = [rank for rank in ranks if rank > 0]
    if not found:
        return "–"
    value = min(found)
    return str(value) if value <= k else f"({value})"


def interval_text(low: float, high: float) -> str:
    """An interval's bounds, or a dash where all queries are alike and there are none."""
    return f"{low:.2f}–{high:.2f}" if low == low else "–"


def best_in_green(
    view: pd.DataFrame, best: Mapping[str, Callable[[Iterable[float]], float]], groups: Sequence[str]
) -> Any:
    """The table with the best values of some columns in green, by group; none where all of a group are alike.

    Args:
        best: What is best in a column: ``max`` or ``min``.
        groups: Which group each row belongs to.
    """
    cells = []
    for column, choose in best.items():
        values, place = view[column].tolist(), view.columns.get_loc(column)
        for group in set(groups):
            own = {row: values[row] for row, name in enumerate(groups) if name == group and values[row] == values[row]}
            top = choose(own.values()) if len(set(own.values())) > 1 else None
            cells += [f"row{row}_col{place}" for row, value in own.items() if value == top]
    styler: Any = Styler(view, uuid="best")
    # What pandas would work out of a style for each cell, in a tenth of its time: it is a quarter of a rerun's.
    styler._compute = lambda: styler
    styler._translate = lambda *_: {"cellstyle": [{"props": _BEST, "selectors": cells}] if cells else [], "body": []}
    return styler


def badges(names: Sequence[str]) -> list[list[str]]:
    """The cells of a column of chunkers, by registry name."""
    return [[CHUNKERS[name].label] for name in names]


def badge_column(names: Sequence[str]) -> Any:
    """A column that shows each chunker in its colour."""
    return st.column_config.MultiselectColumn(
        "chunker",
        options=[CHUNKERS[name].label for name in names],
        color=[TINTS[name] for name in names],
        width=142,
        disabled=True,
    )


def _select_one(view: Any, *, key: str, choose: Callable[[int, str], Any], config: dict[str, Any], alt: str) -> None:
    def chosen() -> None:
        cells = st.session_state[key].selection.cells
        if cells:
            choose(cells[0][0], cells[0][1])

    st.dataframe(
        view,
        hide_index=True,
        key=key,
        height="content",
        on_select=chosen,
        selection_mode="single-cell",
        column_config=config,
        alt=alt,
    )
