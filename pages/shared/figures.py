"""Retrieval results to Plotly figures, and what all figures share. No Streamlit calls here; the page adds title,
alternative text and theme.

A chunker has one colour everywhere: Okabe and Ito's palette, which colour-blind people can tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.types import FloatArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Streamlit's colour names, which config.toml sets to these same values, so that text and charts agree.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "violet": "#CC79A7",
    "red": "#D55E00",
    "yellow": "#B79F00",
    "gray": "#7F7F7F",
}
_SYMBOLS = ("●", "◆", "▲")


def _identity(index: int) -> tuple[str, str, str]:
    name = list(PALETTE)[index % len(PALETTE)]
    return name, PALETTE[name], _SYMBOLS[index // len(PALETTE) % len(_SYMBOLS)]


def _tint(colour: str) -> str:
    """Two fifths of the colour on white: light enough that the tables write on it in black."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(0.4 * part + 0.6 * 255):02x}" for part in parts)


COLOURS = {name: _identity(i)[1] for i, name in enumerate(CHUNKERS)}
TINTS = {name: _tint(colour) for name, colour in COLOURS.items()}
SYMBOLS = {name: _identity(i)[2] for i, name in enumerate(CHUNKERS)}
_ROUND = {name: i // len(PALETTE) % len(_SYMBOLS) for i, name in enumerate(CHUNKERS)}
"""A colour comes back after seven chunkers: then symbol, dash and pattern tell them apart."""


def _line_style(name: str) -> dict[str, Any]:
    return {"color": COLOURS[name], "width": 2, "dash": ("solid", "dash", "dot")[_ROUND[name]]}


def bar_style(name: str) -> dict[str, Any]:
    return {"color": COLOURS[name], "pattern": {"shape": ("", "/", "x")[_ROUND[name]]}}


def marker_symbol(name: str) -> str:
    return ("circle", "diamond", "triangle-up")[_ROUND[name]]


DOTS = {name: f":{_identity(i)[0]}[{_identity(i)[2]}]" for i, name in enumerate(CHUNKERS)}
MARGIN = {"l": 50, "r": 15, "t": 25, "b": 45}


def chart_config(name: str) -> dict[str, Any]:
    """Plotly's settings of a chart on a page; its picture downloads under that name, large enough for a slide."""
    return {"displaylogo": False, "toImageButtonOptions": {"filename": name, "scale": 2}}


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
                "symbol": marker_symbol(chunker),
            },
            "customdata": np.arange(1, len(context) + 1),
            "hovertemplate": f"k = %{{customdata}}: recall %{{y:.2f}} for %{{x:,.0f}} {unit}"
            "<extra>%{fullData.name}</extra>",
        }
        for chunker, (context, recall) in curves.items()
    ]
    return figure(
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
                "marker": bar_style(chunker),
                "name": CHUNKERS[chunker].label,
                "legendgroup": chunker,
                "showlegend": place == 0,
                "hovertemplate": f"%{{x}}: %{{y:{shape}}}<extra>{CHUNKERS[chunker].label}</extra>",
            }
            for chunker in chunkers
        ]
    return figure(traces, height=420, annotations=titles, bargap=0.25, legend={"orientation": "h", "y": -0.12}, **axes)


def whole(most: int) -> dict[str, Any]:
    """An axis of counts: no ticks between whole numbers where there are few."""
    return {"tickformat": ",d", **({"dtick": 1} if most <= 8 else {})}


def level_line(axis: str, value: float, label: str) -> dict[str, Any]:
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


def figure(traces: list[dict[str, Any]], height: int, **layout: Any) -> go.Figure:
    """A figure of traces and layout, both as Plotly's dictionaries."""
    # One validation of the whole: adding to a figure piece by piece costs several times as much.
    import plotly.graph_objects as go

    return go.Figure({"data": traces, "layout": {"height": height, "margin": MARGIN, **layout}})
