"""The report of a session as one HTML file (S04), made when its panel is opened."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.shared import cached, state
from pages.shared.figures import recall_against_context
from pages.shared.length_figures import length_histogram
from pages.shared.results import Setup
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.links import link_parameters
from ragchunk_core.report import Chart, report_html
from ragchunk_core.retrievers import METHODS
from ragchunk_core.units import UNITS


def report_panel(setup: Setup, rows: Sequence[Mapping[str, Any]], methods: Sequence[str], unit_name: str) -> None:
    """A button that opens to the download of everything that is compared here."""
    with st.popover("Report", key="report", on_change="rerun") as panel:
        if not panel.open:
            return
        st.caption("Settings, tables, charts and every miss with its cause, in one file that opens without a network.")
        made = _report(setup, rows, methods, unit_name)
        st.download_button(
            "Download report", made, "chunking-report.html", "text/html", key="report_download", on_click="ignore"
        )


def _report(setup: Setup, rows: Sequence[Mapping[str, Any]], methods: Sequence[str], unit_name: str) -> str:
    from plotly.offline import get_plotlyjs

    settings, unit, detail = state.settings(), UNITS[unit_name].short, methods[-1]
    documents = setup.corpus.documents
    curves = recall_against_context(setup.curves(detail), setup.k, unit)
    charts = [
        Chart(
            f"Recall against context, {METHODS[detail].label}",
            "Mean recall over mean context for k from 1, one line a chunker.",
            curves,
        )
    ]
    for name in setup.cuts:
        lengths = setup.pool(name).lengths
        size = settings.size if CHUNKERS[name].uses_size else None
        charts.append(
            Chart(
                f"{CHUNKERS[name].label}: length of its {len(lengths):,} chunks",
                f"Histogram of {len(lengths):,} chunk lengths in {unit}.",
                length_histogram(name, lengths, size, unit),
            )
        )
    shown = {
        "Documents": ", ".join(document.name for document in documents),
        "Queries": f"{sum(bool(query.passages) for query in setup.corpus.queries)} judged",
        "Chunk size": f"{settings.size:,} {UNITS[unit_name].label}",
        "Top k": setup.k,
        "Answers when it covers": f"{setup.theta:.0%} of the passage",
        "Link": "&".join(f"{name}={value}" for name, value in link_parameters(settings).items()) or "all as at first",
    }
    return report_html(
        title="Chunking report",
        made=f"Made with RAG Chunking Lab on {datetime.date.today():%d %B %Y}.",
        settings=shown,
        compared=cached.comparison(documents, list(setup.cuts.values())),
        scored=rows,
        charts=charts,
        missed={(name, method): setup.misses(name, method) for name in setup.cuts for method in methods},
        queries=setup.corpus.queries,
        plotly_js=get_plotlyjs(),
        notes=[note for document in documents for note in document.notes],
    )
