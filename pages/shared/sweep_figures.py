"""Results of a sweep as Plotly figures: a heat map of recall, and recall against cost. No Streamlit calls here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pages.shared.figures import COLOURS, figure, marker_symbol
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.retrievers import METHODS
from ragchunk_core.sweep_choice import COSTS, pareto_front
from ragchunk_core.units import UNITS

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

_ROW = 34  # pixels


def row_labels(table: pd.DataFrame) -> list[str]:
    """What a row of the heat map is: chunker, its options, and method and unit where there are several."""
    labels = [CHUNKERS[name].label for name in table["chunker"]]
    said: dict[str, list[str]] = {
        "options": table["options"].tolist(),
        "method": [METHODS[name].label for name in table["method"]],
        "unit": [UNITS[name].short for name in table["unit"]],
    }
    for column, values in said.items():
        if table[column].nunique() > 1:
            labels = [f"{label}, {value}" for label, value in zip(labels, values, strict=True)]
    return labels


def heat_map(table: pd.DataFrame, k: int) -> go.Figure:
    """Mean recall by chunker (and method, unit) and by size / overlap; empty where a combination was not measured.

    Args:
        table: From ``sweep.sweep_table``.
    """
    rows = row_labels(table)
    columns = [f"{size:,} / {overlap:,}" for size, overlap in zip(table["size"], table["overlap"], strict=True)]
    order = sorted(dict.fromkeys(zip(table["size"], table["overlap"], columns, strict=True)))
    across = [label for *_, label in order]
    down = list(dict.fromkeys(rows))
    value = dict(zip(zip(rows, columns, strict=True), table["recall"], strict=True))
    cells = [[value.get((row, column)) for column in across] for row in down]
    trace = {
        "type": "heatmap",
        "x": across,
        "y": down,
        "z": cells,
        "zmin": 0,
        "zmax": 1,
        "colorscale": "Viridis",
        "colorbar": {"title": {"text": f"recall@{k}"}},
        "texttemplate": "%{z:.2f}",
        "hovertemplate": f"%{{y}}, %{{x}}: recall@{k} %{{z:.3f}}<extra></extra>",
        "hoverongaps": False,
    }
    return figure(
        [trace],
        height=_ROW * len(down) + 110,
        xaxis={"title": {"text": "size / overlap"}, "type": "category"},
        yaxis={"autorange": "reversed", "automargin": True},
    )


def pareto_chart(table: pd.DataFrame, cost: str, k: int) -> go.Figure:
    """Recall over a cost, a point a setting, and the settings that no other beats in both, joined.

    Args:
        cost: A name in ``sweep_choice.COSTS``.
    """
    labels = _labels(table)
    traces: list[dict[str, Any]] = []
    for name in dict.fromkeys(table["chunker"]):
        own = (table["chunker"] == name).to_numpy()
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": CHUNKERS[name].label,
                "x": table[cost][own],
                "y": table["recall"][own],
                "customdata": [label for label, one in zip(labels, own, strict=True) if one],
                "marker": {"size": 9, "color": COLOURS[name], "symbol": marker_symbol(name)},
                "hovertemplate": "%{customdata}: recall %{y:.3f} for %{x:,.0f}<extra></extra>",
            }
        )
    front = pareto_front(table, [cost]).sort_values(cost)
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "name": "not beaten",
            "x": front[cost],
            "y": front["recall"],
            "line": {"width": 1.5, "dash": "dot", "color": "#7d848d", "shape": "hv"},
            "hoverinfo": "skip",
        }
    )
    return figure(
        traces,
        height=360,
        xaxis={"title": {"text": COSTS[cost]}, "rangemode": "tozero"},
        yaxis={"title": {"text": f"recall@{k}, mean"}, "range": [0, 1.04]},
        legend={"orientation": "h", "y": -0.25},
    )


def _labels(table: pd.DataFrame) -> list[str]:
    columns = ("chunker", "size", "overlap", "unit", "method")
    return [
        f"{CHUNKERS[name].label} {size:,} / {overlap:,} {UNITS[unit].short}, {METHODS[method].label}"
        for name, size, overlap, unit, method in zip(*(table[column] for column in columns), strict=True)
    ]
