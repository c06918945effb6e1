"""The means of everything compared, how far they can be trusted, and the chart beside them (R06, R09, R10)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import choices
from pages.shared.figures import chart_config, metric_bars, recall_against_context
from pages.shared.reporting import report_panel
from pages.shared.results import Setup, needs_vectors
from pages.shared.tables import metric_table
from pages.shared.trust import tests_popover, trust_line
from pages.shared.words import counted
from ragchunk_core.retrievers import METHODS
from ragchunk_core.units import UNITS

CHARTS = ("Recall against context", "All metrics")
_LABELS = {name: method.label for name, method in METHODS.items()}


def metrics_panel(setup: Setup, methods: Sequence[str], wanted: Sequence[str], unit: str) -> DeltaGenerator:
    """Table and chart; what it gives is the place, below the table, for the progress of vectors.

    Args:
        methods: Those that can be ranked now; the last one is looked at closely.
        wanted: Those that the table has rows for; the others' cells are empty until their vectors are there.
        unit: Registry name.
    """
    detail, short = methods[-1], UNITS[unit].short
    judged = sum(1 for query in setup.corpus.queries if query.passages)
    rows = setup.rows(methods)
    known = {(row["chunker"], row["method"]): row for row in rows}
    pairs = [(chunker, method) for chunker in setup.cuts for method in wanted]
    shown = [known.get(pair, {"chunker": pair[0], "method": pair[1]}) for pair in pairs]
    left, right = st.columns([2, 1], gap="small")
    with left:
        metric_table(shown, setup.k, short, _LABELS, judged, key="metrics")
        means = f"Means over {counted(judged, 'judged query', 'judged queries')}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{means}; the best of each method is green.", width="stretch")
            tests_popover(setup, detail)
            report_panel(setup, rows, methods, unit)
        trust_line(setup, detail)
        progress = st.container()
        if needs_vectors(methods):
            st.caption(setup.truncation_sentence())
    with right:
        chart = st.segmented_control(
            "Chart",
            CHARTS,
            default=choices.get("chart", CHARTS[0]),
            required=True,
            label_visibility="collapsed",
            **choices.widget("chart"),
        )
        if chart == CHARTS[1]:
            figure = metric_bars(rows, setup.k, short, _LABELS)
            title, alt = "Each metric by method", "Recall, MRR, context and precision of each chunker by method."
        else:
            figure = recall_against_context(setup.curves(detail), setup.k, short)
            title = f"{_LABELS[detail]}: how much must be read for how many of the answers"
            alt = f"Mean recall over mean context for k from 1 under {_LABELS[detail]}, one line a chunker."
        st.markdown(f"**{title}**")
        st.plotly_chart(figure, key="retrieval_chart", alt=alt, config=chart_config("retrieval"))
    return progress
