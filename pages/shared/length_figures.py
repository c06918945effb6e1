"""Lengths of chunks as histograms, for one chunker and for several. No Streamlit calls here."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pages.shared.figures import MARGIN, bar_style, figure, level_line, whole
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.types import IntArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

_PANEL = 82  # pixels of one chunker's histogram among several


def length_bins(lengths: IntArray, size: int | None) -> IntArray:
    """The edges of the histogram's bars: at most 25 of one whole width, from 0 past the longest and the size."""
    top = max(int(lengths.max(initial=0)), size or 0)
    width = max(1, -(-(top + 1) // 24))
    return np.arange(0, top + width + 1, width)


def length_histogram(
    chunker: str, lengths: IntArray, size: int | None, unit: str, chosen: int | None = None
) -> go.Figure:
    """How many chunks have which length, with the size as a line.

    Args:
        chosen: Length of the chunk that is chosen; its bar is outlined.
    """
    counts, bars = _bars(chunker, lengths, length_bins(lengths, size), unit, chosen)
    return figure(
        [bars] if len(lengths) else [],
        height=230,
        xaxis={"title": {"text": f"length ({unit})"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "chunks"}, **whole(int(counts.max(initial=0)))},
        showlegend=False,
        bargap=0,
        **({} if size is None else level_line("x", size, f"size {size:,}")),
    )


def length_histograms(
    lengths: Mapping[str, IntArray], shown: str, size: int, unit: str, chosen: int | None = None
) -> go.Figure:
    """One histogram a chunker, over one another on the same scale of lengths, with the size as a line.

    Args:
        lengths: The lengths of the chunks of each chunker.
        shown: The chunker on screen.
        chosen: Length of its chunk that is chosen.
    """
    edges = length_bins(np.concatenate(list(lengths.values())), size)
    panels = len(lengths)
    line = level_line("x", size, f"size {size:,}")
    traces, axes, titles = [], {}, line["annotations"]
    for place, (name, own) in enumerate(lengths.items()):
        number = str(place + 1) if place else ""
        top = 1 - place / panels
        counts, bars = _bars(name, own, edges, unit, chosen if name == shown else None)
        traces.append({**bars, "yaxis": f"y{number}"})
        most, label = int(counts.max(initial=0)), f"{CHUNKERS[name].label}: {len(own):,} chunks"
        axes[f"yaxis{number}"] = {"domain": [top - 0.68 / panels, top - 0.06 / panels], "nticks": 3, **whole(most)}
        titles.append(
            {
                "text": f"<b>{label}</b>" if name == shown else label,
                "x": 0, "y": top - 0.04 / panels, "xref": "paper", "yref": "paper",
                "xanchor": "left", "yanchor": "bottom", "showarrow": False,
            }
        )  # fmt: skip
    last = panels if panels > 1 else ""
    return figure(
        traces,
        height=_PANEL * panels + 70,
        xaxis={"title": {"text": f"length ({unit})"}, "rangemode": "tozero", "anchor": f"y{last}"},
        **axes,
        showlegend=False,
        bargap=0,
        shapes=line["shapes"],
        annotations=titles,
        margin={**MARGIN, "l": 40},
    )


def _bars(
    chunker: str, lengths: IntArray, edges: IntArray, unit: str, chosen: int | None
) -> tuple[IntArray, dict[str, Any]]:
    """How many chunks fall between each two edges, and the trace that shows it."""
    counts, _ = np.histogram(lengths, bins=edges)
    width = int(edges[1])
    outlined = [int(chosen is not None and a <= chosen < b) * 2.5 for a, b in itertools.pairwise(edges)]
    spans = [f"{a:,}–{b - 1:,}" if b - a > 1 else f"{a:,}" for a, b in itertools.pairwise(edges)]
    return counts, {
        "type": "bar",
        "x": edges[:-1] + width / 2,
        "y": counts,
        "width": width * 0.94,
        "marker": {**bar_style(chunker), "line": {"width": outlined, "color": "#1d2733"}},
        "customdata": spans,
        "hovertemplate": f"%{{customdata}} {unit}: %{{y}} chunks<extra>{CHUNKERS[chunker].label}</extra>",
    }
