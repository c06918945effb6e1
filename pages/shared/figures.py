"""Results to Plotly figures. No Streamlit calls here; the page adds title, alternative text and theme.

A chunker has one colour everywhere: Okabe and Ito's palette, which colour-blind people can tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.semantic import Breakpoints
from ragchunk_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Streamlit's colour names, which config.toml sets to these same values, so that text and charts agree.
_PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "violet": "#CC79A7",
    "red": "#D55E00",
    "yellow": "#B79F00",
    "gray": "#7F7F7F",
}
_SYMBOLS = ("●", "◆", "▲")
_HOVER_SENTENCES = 5_000  # above this, sentences are left out of the hover texts, which would outweigh the chart


def _identity(index: int) -> tuple[str, str, str]:
    name = list(_PALETTE)[index % len(_PALETTE)]
    return name, _PALETTE[name], _SYMBOLS[index // len(_PALETTE) % len(_SYMBOLS)]


COLOURS = {name: _identity(i)[1] for i, name in enumerate(CHUNKERS)}
SYMBOLS = {name: _identity(i)[2] for i, name in enumerate(CHUNKERS)}
DOTS = {name: f":{_identity(i)[0]}[{_identity(i)[2]}]" for i, name in enumerate(CHUNKERS)}
DASHES = {"bm25": "dot", "okapi": "dashdot", "emb": "dash", "hybrid": "solid"}


def length_histogram(chunker: str, lengths: IntArray, size: int | None, unit: str) -> go.Figure:
    """How many chunks have which length, with the size as a line."""
    import plotly.graph_objects as go

    figure = _figure(height=230)
    if len(lengths):
        top = max(int(lengths.max()), size or 0)
        width = max(1, -(-(top + 1) // 24))
        edges = np.arange(0, top + width + 1, width)
        counts, _ = np.histogram(lengths, bins=edges)
        spans = [f"{a:,}–{b - 1:,}" if b - a > 1 else f"{a:,}" for a, b in zip(edges[:-1], edges[1:], strict=True)]
        figure.add_trace(
            go.Bar(
                x=edges[:-1] + width / 2,
                y=counts,
                width=width * 0.94,
                marker_color=COLOURS[chunker],
                customdata=spans,
                hovertemplate=f"%{{customdata}} {unit}: %{{y}} chunks<extra></extra>",
                name=CHUNKERS[chunker].label,
            )
        )
    if size is not None:
        figure.add_vline(x=size, line_dash="dash", line_width=1.5, annotation_text=f"size {size:,}", annotation_position="top left")
    figure.update_xaxes(title_text=f"length ({unit})", rangemode="tozero")
    figure.update_yaxes(title_text="chunks")
    figure.update_layout(showlegend=False, bargap=0)
    return figure


def distance_chart(found: Breakpoints, text: str, gradient: bool) -> go.Figure:
    """Distance between neighbouring sentences, the threshold, and where the text is cut."""
    import plotly.graph_objects as go

    figure = _figure(height=330)
    count = len(found.distances)
    places = np.arange(1, count + 1)
    hover = _between(found, text) if count <= _HOVER_SENTENCES else [""] * count
    line = go.Scatter if count <= _HOVER_SENTENCES else go.Scattergl
    shape: dict[str, Any] = {"x": places, "customdata": hover}
    figure.add_trace(
        line(
            **shape, y=found.distances, mode="lines+markers", name="distance",
            line={"color": _PALETTE["blue"], "width": 1.4}, marker={"size": 4},
            hovertemplate="distance %{y:.3f}<br>%{customdata}<extra></extra>",
        )
    )  # fmt: skip
    if gradient and len(found.compared):
        figure.add_trace(
            line(
                **shape, y=found.compared, mode="lines", name="gradient",
                line={"color": _PALETTE["orange"], "width": 1.2},
                hovertemplate="gradient %{y:.3f}<br>%{customdata}<extra></extra>",
            )
        )  # fmt: skip
    if len(found.cuts):
        figure.add_trace(
            go.Scatter(
                x=places[found.cuts], y=found.distances[found.cuts], mode="markers", name="cut",
                customdata=[hover[cut] for cut in found.cuts.tolist()],
                marker={"size": 11, "symbol": "line-ns-open", "color": _PALETTE["red"], "line": {"width": 3}},
                hovertemplate="cut, distance %{y:.3f}<br>%{customdata}<extra></extra>",
            )
        )  # fmt: skip
    if np.isfinite(found.threshold):
        figure.add_hline(
            y=found.threshold, line_dash="dash", line_width=1.5, annotation_text=f"threshold {found.threshold:.3f}"
        )
    figure.update_xaxes(title_text="after sentence")
    figure.update_yaxes(title_text="cosine distance", rangemode="normal" if gradient else "tozero")
    figure.update_layout(legend={"orientation": "h", "y": 1.12})
    return figure


def _between(found: Breakpoints, text: str) -> list[str]:
    def short(index: int) -> str:
        start, end = found.sentences[index]
        words = " ".join(text[start:end].split())
        return escaped(words if len(words) <= 90 else words[:89] + "…")

    said = [short(index) for index in range(len(found.sentences))]
    return [f"{a}<br>{b}" for a, b in zip(said[:-1], said[1:], strict=True)]


def escaped(text: str) -> str:
    """Text that Plotly shows as it is: its hover texts know some HTML, and a document's text is not to be any."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


Curve = tuple[FloatArray, FloatArray]


def recall_against_context(curves: Mapping[str, Curve], k: int, unit: str) -> go.Figure:
    """Recall@k over Context@k for k = 1, 2, …: how much must be read for how many of the answers.

    Args:
        curves: Mean context and mean recall by chunker, entry k − 1 for each k.
    """
    import plotly.graph_objects as go

    figure = _figure(height=390)
    for chunker, (context, recall) in curves.items():
        figure.add_trace(
            go.Scatter(
                x=context, y=recall, mode="lines+markers", name=CHUNKERS[chunker].label,
                line={"color": COLOURS[chunker], "width": 2},
                marker={"size": [11 if i + 1 == k else 4 for i in range(len(context))]},
                customdata=np.arange(1, len(context) + 1),
                hovertemplate=f"k = %{{customdata}}: recall %{{y:.2f}} for %{{x:,.0f}} {unit}<extra>%{{fullData.name}}</extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(title_text=f"context, mean ({unit}); the large dot is k = {k}", rangemode="tozero")
    figure.update_yaxes(title_text="recall, mean", range=[0, 1.04])
    figure.update_layout(legend={"orientation": "h", "y": -0.2})
    return figure


def metric_bars(rows: Sequence[Mapping[str, Any]], k: int, unit: str, labels: Mapping[str, str]) -> go.Figure:
    """Recall@k, MRR, Context@k and precision side by side, one bar a chunker, grouped by method."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    panels = {
        "recall": (f"recall@{k}", ".2f"),
        "mrr": ("MRR", ".2f"),
        "context": (f"context@{k} ({unit})", ",.0f"),
        "precision": ("precision", ".1%"),
    }
    figure = make_subplots(rows=2, cols=2, subplot_titles=[title for title, _ in panels.values()], vertical_spacing=0.16)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for place, (name, (_, shape)) in enumerate(panels.items()):
        cell = {"row": place // 2 + 1, "col": place % 2 + 1}
        for chunker in dict.fromkeys(row["chunker"] for row in rows):
            values = [row[name] for row in rows if row["chunker"] == chunker]
            figure.add_trace(
                go.Bar(
                    x=[labels[method] for method in methods], y=values, marker_color=COLOURS[chunker],
                    name=CHUNKERS[chunker].label, legendgroup=chunker, showlegend=place == 0,
                    hovertemplate=f"%{{x}}: %{{y:{shape}}}<extra>{CHUNKERS[chunker].label}</extra>",
                ),
                **cell,
            )  # fmt: skip
        figure.update_yaxes(tickformat=shape, rangemode="tozero", **cell)
    figure.update_layout(
        height=420, margin={"l": 40, "r": 10, "t": 40, "b": 30}, bargap=0.25, legend={"orientation": "h", "y": -0.12}
    )
    return figure


def _figure(height: int) -> go.Figure:
    import plotly.graph_objects as go

    return go.Figure(layout={"height": height, "margin": {"l": 50, "r": 15, "t": 20, "b": 45}})
