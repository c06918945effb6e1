"""The histogram of chunk lengths, of the chunker on screen or of all; it and the text speak to each other (V03)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from pages.shared import cached, choices, panels
from pages.shared.figures import chart_config
from pages.shared.length_figures import length_bins, length_histogram, length_histograms
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import Chunking
from ragchunk_core.types import Document, IntArray


def length_panel(
    documents: Sequence[Document], document: Document, cuts: Mapping[str, cached.Cut], shown: str, size: int, unit: str
) -> None:
    """Lengths over all documents; a click on a bar chooses a chunk as long in the one on screen, and its chunker."""
    several = len(cuts) > 1 and bool(choices.get("histograms", False))
    names = list(cuts) if several else [shown]
    lengths = {name: cached.pool(documents, cuts[name]).lengths for name in names}
    with st.container(horizontal=True, vertical_alignment="center"):
        own = f"{CHUNKERS[shown].label}: length of its {len(lengths[shown]):,} chunks"
        st.markdown("**Length of the chunks**" if several else f"**{own}**", width="stretch")
        if len(cuts) > 1:
            st.toggle("all chunkers", several, **choices.widget("histograms"))
    limit = size if several or CHUNKERS[shown].uses_size else None
    chunking = cached.chunking(document, cuts[shown])
    chosen = panels.selected_chunk(chunking)
    outlined = None if chosen is None else int(chunking.lengths[chosen])

    def clicked() -> None:
        points = st.session_state["histogram"].selection.points
        if points:
            bar, name = points[0]["point_index"], names[points[0]["curve_number"]]
            edges = length_bins(np.concatenate(list(lengths.values())), limit)
            choices.put(chunker=name)
            _choose(
                cached.chunking(document, cuts[name]), edges[bar : bar + 2], after=chosen if name == shown else None
            )

    if several:
        figure = length_histograms(lengths, shown, size, unit, outlined)
    else:
        figure = length_histogram(shown, lengths[shown], limit, unit, outlined)
    st.plotly_chart(
        figure,
        key="histogram",
        config=chart_config("chunk-lengths"),
        on_select=clicked,
        selection_mode="points",
        alt="Histogram of chunk lengths. " + " ".join(_said(name, own, unit) for name, own in lengths.items()),
    )


def _choose(chunking: Chunking, bar: IntArray, after: int | None) -> None:
    """Choose the next chunk whose length lies in the bar, from the first again after the last."""
    as_long = np.flatnonzero((chunking.lengths >= bar[0]) & (chunking.lengths < bar[1])).tolist()
    if as_long:
        panels.select_chunk(chunking, next((chunk for chunk in as_long if after is None or chunk > after), as_long[0]))


def _said(name: str, lengths: IntArray, unit: str) -> str:
    span = f" of {lengths.min():,} to {lengths.max():,} {unit}" if len(lengths) else ""
    return f"{CHUNKERS[name].label}: {len(lengths):,} chunks{span}."
