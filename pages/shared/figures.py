"""Results to Plotly figures. No Streamlit calls here; the page adds title, alternative text and theme.

A chunker has one colour everywhere: Okabe and Ito's palette, which colour-blind people can tell apart.
"""

from __future__ import annotations

import itertools
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


def _tint(colour: str) -> str:
    """Two fifths of the colour on white: light enough that the tables write on it in black."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(0.4 * part + 0.6 * 255):02x}" for part in parts)


COLOURS = {name: _identity(i)[1] for i, name in enumerate(CHUNKERS)}
TINTS = {name: _tint(colour) for name, colour in COLOURS.items()}
SYMBOLS = {name: _identity(i)[2] for i, name in enumerate(CHUNKERS)}
_ROUND = {name: i // len(_PALETTE) % len(_SYMBOLS) for i, name in enumerate(CHUNKERS)}
"""A colour comes back after seven chunkers: then symbol, dash and pattern tell them apart."""


def _line_style(name: str) -> dict[str, Any]:
    return {"color": COLOURS[name], "width": 2, "dash": ("solid", "dash", "dot")[_ROUND[name]]}


def _bar_style(name: str) -> dict[str, Any]:
    return {"color": COLOURS[name], "pattern": {"shape": ("", "/", "x")[_ROUND[name]]}}


def _marker_symbol(name: str) -> str:
    return ("circle", "diamond", "triangle-up")[_ROUND[name]]


DOTS = {name: f":{_identity(i)[0]}[{_identity(i)[2]}]" for i, name in enumerate(CHUNKERS)}
_MARGIN = {"l": 50, "r": 15, "t": 25, "b": 45}


def length_bins(lengths: IntArray, size: int | None) -> IntArray:
    """The edges of the histogram's bars: at most 25 of one whole width, from 0 past the longest and the size."""
    top = max(int(lengths.max()), size or 0)
    width = max(1, -(-(top + 1) // 24))
    return np.arange(0, top + width + 1, width)


def length_histogram(
    chunker: str, lengths: IntArray, size: int | None, unit: str, chosen: int | None = None
) -> go.Figure:
    """How many chunks have which length, with the size as a line.

    Args:
        chosen: Length of the chunk that is chosen; its bar is outlined.
    """
    traces, marks = [], {}
    if len(lengths):
        edges = length_bins(lengths, size)
        width = int(edges[1])
        counts, _ = np.histogram(lengths, bins=edges)
        outlined = [int(chosen is not None and a <= chosen < b) * 2.5 for a, b in itertools.pairwise(edges)]
        spans = [f"{a:,}–{b - 1:,}" if b - a > 1 else f"{a:,}" for a, b in itertools.pairwise(edges)]
        traces.append(
            {
                "type": "bar",
                "x": edges[:-1] + width / 2,
                "y": counts,
                "width": width * 0.94,
                "marker": {**_bar_style(chunker), "line": {"width": outlined, "color": "#1d2733"}},
                "customdata": spans,
                "hovertemplate": f"%{{customdata}} {unit}: %{{y}} chunks<extra></extra>",
            }
        )
    if size is not None:
        marks = _line("x", size, f"size {size:,}")
    return _figure(
        traces,
        height=230,
        xaxis={"title": {"text": f"length ({unit})"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "chunks"}, **_whole(int(counts.max()) if len(lengths) else 0)},
        showlegend=False,
        bargap=0,
        **marks,
    )


def distance_chart(found: Breakpoints, text: str, gradient: bool) -> go.Figure:
    """Distance between neighbouring sentences, the threshold, and where the text is cut."""
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
            "line": {"color": _PALETTE["blue"], "width": 1.4},
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
                "line": {"color": _PALETTE["orange"], "width": 1.2},
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
                    "size": 11,
                    "symbol": "line-ns-open",
                    "color": _PALETTE["red"],
                    "line": {"width": 3},
                },
                "hovertemplate": "cut, distance %{y:.3f}<br>%{customdata}<extra></extra>",
            }
        )
    shown = np.isfinite(found.threshold)
    return _figure(
        traces,
        height=330,
        xaxis={"title": {"text": "after sentence"}, **_whole(count)},
        yaxis={"title": {"text": "cosine distance"}, "rangemode": "normal" if gradient else "tozero"},
        legend={"orientation": "h", "y": 1.12},
        margin={**_MARGIN, "r": 115},
        **(_line("y", found.threshold, f" threshold {found.threshold:.3f}") if shown else {}),
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


Curve = tuple[FloatArray, FloatArray]


def recall_against_context(curves: Mapping[str, Curve], k: int, unit: str) -> go.Figure:
    """Recall@k over Context@k for k = 1, 2, …: how much must be read for how many of the answers.

    Args:
        curves: Mean context and mean recall by chunker, entry k − 1 for each k.
    """
    traces = [
        {
            "type": "scatter",
            "x": context,
            "y": recall,
            "mode": "lines+markers",
            "name": CHUNKERS[chunker].label,
            "line": _line_style(chunker),
            "marker": {
                "size": [11 if i + 1 == k else 4 for i in range(len(context))],
                "symbol": _marker_symbol(chunker),
            },
            "customdata": np.arange(1, len(context) + 1),
            "hovertemplate": f"k = %{{customdata}}: recall %{{y:.2f}} for %{{x:,.0f}} {unit}"
            "<extra>%{fullData.name}</extra>",
        }
        for chunker, (context, recall) in curves.items()
    ]
    return _figure(
        traces,
        height=390,
        xaxis={"title": {"text": f"context, mean ({unit}); the large dot is k = {k}"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "recall, mean"}, "range": [0, 1.04]},
        legend={"orientation": "h", "y": -0.26},
    )


def metric_bars(rows: Sequence[Mapping[str, Any]], k: int, unit: str, labels: Mapping[str, str]) -> go.Figure:
    """Recall@k, MRR, Context@k and precision, a panel each; one bar a chunker, grouped by method."""
    panels = {
        "recall": (f"recall@{k}", ".2f"),
        "mrr": ("MRR", ".2f"),
        "context": (f"context@{k} ({unit})", ",.0f"),
        "precision": ("precision", ".1%"),
    }
    methods = list(dict.fromkeys(row["method"] for row in rows))
    chunkers = list(dict.fromkeys(row["chunker"] for row in rows))
    traces, axes, titles = [], {}, []
    for place, (name, (title, shape)) in enumerate(panels.items()):
        number = str(place + 1) if place else ""
        left, low = 0.56 * (place % 2), 0.58 * (1 - place // 2)
        axes[f"xaxis{number}"] = {"domain": [left, left + 0.44], "anchor": f"y{number}"}
        axes[f"yaxis{number}"] = {
            "domain": [low, low + 0.42], "anchor": f"x{number}", "tickformat": shape, "rangemode": "tozero",
        }  # fmt: skip
        titles.append(
            {
                "text": title, "x": left + 0.22, "y": low + 0.42, "xref": "paper", "yref": "paper",
                "xanchor": "center", "yanchor": "bottom", "showarrow": False,
            }
        )  # fmt: skip
        traces += [
            {
                "type": "bar",
                "x": [labels[method] for method in methods],
                "y": [row[name] for row in rows if row["chunker"] == chunker],
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                "marker": _bar_style(chunker),
                "name": CHUNKERS[chunker].label,
                "legendgroup": chunker,
                "showlegend": place == 0,
                "hovertemplate": f"%{{x}}: %{{y:{shape}}}<extra>{CHUNKERS[chunker].label}</extra>",
            }
            for chunker in chunkers
        ]
    return _figure(traces, height=420, annotations=titles, bargap=0.25, legend={"orientation": "h", "y": -0.12}, **axes)


def _whole(most: int) -> dict[str, Any]:
    """An axis of counts: no ticks between whole numbers where there are few."""
    return {"tickformat": ",d", **({"dtick": 1} if most <= 8 else {})}


def _line(axis: str, value: float, label: str) -> dict[str, Any]:
    """A dashed line across the chart at a value of one axis, with its label outside the plot."""
    other = "y" if axis == "x" else "x"
    line = {
        "type": "line", f"{axis}ref": axis, f"{other}ref": "paper",
        axis + "0": value, axis + "1": value, other + "0": 0, other + "1": 1,
    }  # fmt: skip
    shapes = [{**line, "line": {"dash": "dash", "width": 1.5, "color": "#7d848d"}}]
    if axis == "x":  # a light line under the dashes: they stand out from bars
        shapes.insert(0, {**line, "line": {"width": 3, "color": "rgba(255, 255, 255, 0.7)"}})
    anchors = {"xanchor": "right", "yanchor": "bottom"} if axis == "x" else {"xanchor": "left", "yanchor": "middle"}
    place = {axis: value, other: 1, f"{axis}ref": axis, f"{other}ref": "paper"}
    return {"shapes": shapes, "annotations": [{"text": label, "showarrow": False, **anchors, **place}]}


def _figure(traces: list[dict[str, Any]], height: int, **layout: Any) -> go.Figure:
    # One validation of the whole: adding to a figure piece by piece costs several times as much.
    import plotly.graph_objects as go

    return go.Figure({"data": traces, "layout": {"height": height, "margin": _MARGIN, **layout}})
