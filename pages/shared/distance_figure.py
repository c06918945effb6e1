"""Distances between sentences, with threshold and cuts, as a Plotly figure. No Streamlit calls here."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pages.shared.figures import MARGIN, PALETTE, figure, level_line, whole
from ragchunk_core.chunkers.semantic import Breakpoints

if TYPE_CHECKING:
    import plotly.graph_objects as go

_HOVER_SENTENCES = 5_000  # above this, sentences are left out of the hover texts, which would outweigh the chart
_CHUNK_HUES = ("#4a9be8", "#f07a2b", "#9a6fe0", "#2fae7a", "#e8c000")  # as in viewer.css


def distance_chart(found: Breakpoints, text: str, begins: Sequence[int], gradient: bool) -> go.Figure:
    """Distance between neighbouring sentences, the threshold, and where the text is cut.

    Args:
        begins: For each cut, the number of the chunk that begins there; it gives the cut its colour.
        gradient: Whether the values compared with the threshold are drawn too.
    """
    count = len(found.distances)
    places = np.arange(1, count + 1)
    hover = _between(found, text) if count <= _HOVER_SENTENCES else [""] * count
    line = {"type": "scatter" if count <= _HOVER_SENTENCES else "scattergl", "x": places, "customdata": hover}
    traces: list[dict[str, Any]] = [
        {
            **line,
            "y": found.distances,
            "mode": "lines+markers",
            "name": "distance",
            "line": {"color": PALETTE["blue"], "width": 1.4},
            "marker": {"size": 4},
            "hovertemplate": "distance %{y:.3f}<br>%{customdata}<extra></extra>",
        }
    ]
    if gradient and len(found.compared):
        traces.append(
            {
                **line,
                "y": found.compared,
                "mode": "lines",
                "name": "gradient",
                "line": {"color": PALETTE["orange"], "width": 1.2},
                "hovertemplate": "gradient %{y:.3f}<br>%{customdata}<extra></extra>",
            }
        )
    if len(found.cuts):
        traces.append(
            {
                "type": "scatter",
                "x": places[found.cuts],
                "y": found.distances[found.cuts],
                "customdata": [hover[cut] for cut in found.cuts.tolist()],
                "mode": "markers",
                "name": "cut",
                "marker": {
                    "size": 10,
                    "symbol": "diamond",
                    "color": [_CHUNK_HUES[chunk % len(_CHUNK_HUES)] for chunk in begins],
                    "line": {"width": 1.5, "color": PALETTE["gray"]},
                },
                "hovertemplate": "cut, distance %{y:.3f}<br>%{customdata}<extra></extra>",
            }
        )
    shown = np.isfinite(found.threshold)
    return figure(
        traces,
        height=330,
        xaxis={"title": {"text": "after sentence"}, **whole(count)},
        yaxis={"title": {"text": "cosine distance"}, "rangemode": "normal" if gradient else "tozero"},
        legend={"orientation": "h", "y": 1.12},
        margin={**MARGIN, "r": 115},
        **(level_line("y", found.threshold, f" threshold {found.threshold:.3f}") if shown else {}),
    )


def _between(found: Breakpoints, text: str) -> list[str]:
    def short(index: int) -> str:
        start, end = found.sentences[index]
        words = " ".join(text[start:end].split())
        return escaped(words if len(words) <= 90 else words[:89] + "…")

    said = [short(index) for index in range(len(found.sentences))]
    return [f"{a}<br>{b}" for a, b in itertools.pairwise(said)]


def escaped(text: str) -> str:
    """Text that Plotly shows as it is: its hover texts know some HTML, and a document's text is not to be any."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
