"""The report (S04): one HTML file with tables and live charts that needs no network and follows light and dark.

Everything that comes from outside (names, queries, settings, sentences) is escaped. The file forbids itself every
request and every script but the two that it carries, by a content security policy with their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from ragchunk_core import comparison, evaluation
from ragchunk_core.causes import Miss, losses
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.report_style import DRAW, STYLE
from ragchunk_core.retrievers import METHODS
from ragchunk_core.types import Query

_PACKAGES = (
    "numpy", "pandas", "tiktoken", "tokenizers", "sentence-transformers", "transformers", "torch", "bm25s", "rank-bm25",
    "PyStemmer", "markdown-it-py", "pypdf", "plotly",
)  # fmt: skip


class Figure(Protocol):
    """A Plotly figure, or anything that gives the same JSON."""

    def to_json(self) -> Any:
        """``{"data": …, "layout": …}`` as JSON text."""
        ...


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with its title, which says what to see, and a text for those who cannot see it."""

    title: str
    alternative: str
    figure: Figure


def report_html(
    *,
    title: str,
    made: str,
    settings: Mapping[str, object],
    compared: Sequence[Mapping[str, Any]],
    scored: Sequence[Mapping[str, Any]],
    charts: Sequence[Chart],
    missed: Mapping[tuple[str, str], Sequence[Miss]],
    queries: Sequence[Query],
    plotly_js: str,
    notes: Sequence[str] = (),
    versions: Mapping[str, str] | None = None,
) -> str:
    """The report as one HTML document, to be written as UTF-8.

    Args:
        made: When it was made, in words.
        settings: Labels and values, in the order in which they are shown.
        compared: Rows of ``comparison.comparison_row``.
        scored: Rows with the columns of ``evaluation.COLUMNS``.
        charts: Drawn below the tables, in order.
        missed: What ``causes.misses`` found, by names of chunker and method.
        queries: Those that the misses are of.
        plotly_js: The text of plotly.js (``plotly.offline.get_plotlyjs()``): the core knows no plotly.
        notes: Sentences shown above the tables, such as what the document readers said.
        versions: Names and versions; by default those of ``versions_here``.

    Raises:
        ValueError: If the text of plotly.js could end its own script element.
    """
    if "</script" in plotly_js.lower() or "<!--" in plotly_js:
        raise ValueError("plotly_js holds '</script' or '<!--'; it must be the text of plotly.js, without HTML.")
    plotly_js = plotly_js.replace("\r\n", "\n").replace("\r", "\n")  # as a browser reads it, before it hashes it
    scripts = (plotly_js, DRAW) if charts else ()
    parts = [
        _settings_section(settings, notes),
        _section("Chunks", _compared_table(compared)) if compared else "",
        _section("Retrieval", _scored_table(scored)) if scored else "",
        *(_chart(chart) for chart in charts),
        _section("Answers that were missed, and why", _missed_tables(missed, queries)) if missed else "",
        _section("Versions", _pairs(versions_here() if versions is None else versions)),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_text(title)}</h1>\n<p>{_text(made)}</p>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n"
        + "".join(f"<script>{script}</script>\n" for script in scripts)
        + "</body>\n</html>\n"
    )


def versions_here() -> dict[str, str]:
    """Python and the libraries that the figures come from, as far as they are installed."""
    found = {"Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _policy(scripts: Sequence[str]) -> str:
    hashes = [base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _text(value: object) -> str:
    """Any value as HTML text, also inside an attribute; half characters become question marks."""
    return escape(str(value).encode("utf-8", "replace").decode("utf-8"))


def _section(title: str, inside: str) -> str:
    return f"<section>\n<h2>{_text(title)}</h2>\n{inside}\n</section>"


def _settings_section(settings: Mapping[str, object], notes: Sequence[str]) -> str:
    said = "".join(f"<p>{_text(note)}</p>\n" for note in notes)
    return _section("Settings", said + _pairs(settings))


def _pairs(pairs: Mapping[str, object]) -> str:
    rows = "".join(f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in pairs.items())
    return f"<dl>{rows}</dl>"


def _table(caption: str, heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """A table that scrolls by itself; ``heads`` are names with their meanings, cells are HTML elements."""
    head = "".join(
        f'<th scope="col"{_class(name == "method" and "words")} title="{_text(help)}">{_text(name)}</th>'
        for name, help in heads
    )
    body = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in rows)
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{_text(caption)}"><table>'
        f"<caption>{_text(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>"
    )


def _cell(value: str, *, kind: str = "", head: bool = False) -> str:
    return f'<th scope="row">{_text(value)}</th>' if head else f"<td{_class(kind)}>{_text(value)}</td>"


def _class(name: str | bool) -> str:
    return f' class="{name}"' if name else ""


def _number(form: str) -> Callable[[Any], str]:
    """Formats a number; one that is not there is a dash."""
    return lambda value: "–" if value is None or value != value else format(value, form)


_COMPARED = {
    "chunks": _number(",.0f"), "mean": _number(",.1f"), "median": _number(",.1f"), "smallest": _number(",.0f"),
    "largest": _number(",.0f"), "size_used": _number(".0%"), "duplicated": _number(".1%"), "covered": _number(".1%"),
    "tokens": _number(",.0f"), "overlap_tax": _number(",.0f"),
}  # fmt: skip
_SCORED = {
    "recall": _number(".3f"), "mrr": _number(".3f"), "context": _number(",.0f"), "precision": _number(".1%"),
    "ceiling": _number(".3f"),
}  # fmt: skip


def _chunker(name: str) -> str:
    return CHUNKERS[name].label if name in CHUNKERS else name


def _method(name: str) -> str:
    return METHODS[name].label if name in METHODS else name


def _compared_table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = comparison.COLUMNS
    heads = [("chunker", "")] + [(name.replace("_", " "), columns[name]) for name in _COMPARED]
    cells = [
        [_cell(_chunker(row["chunker"]), head=True), *(_cell(form(row[name])) for name, form in _COMPARED.items())]
        for row in rows
    ]
    return _table("The chunkers by number and length of their chunks", heads, cells)


def _scored_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Means over the judged queries; the best recall of each method stands out."""
    best: dict[str, float] = {}
    for row in rows:
        best[row["method"]] = max(best.get(row["method"], 0.0), row["recall"])
    heads = [("chunker", ""), ("method", "")] + [(name, evaluation.COLUMNS[name]) for name in _SCORED]
    cells = [
        [
            _cell(_chunker(row["chunker"]), head=True),
            _cell(_method(row["method"]), kind="words"),
            *(
                _cell(form(row[name]), kind="best" if name == "recall" and row[name] == best[row["method"]] > 0 else "")
                for name, form in _SCORED.items()
            ),
        ]
        for row in rows
    ]
    return _table("Retrieval: means over the judged queries, the best recall of each method marked", heads, cells)


def _chart(chart: Chart) -> str:
    data = str(chart.figure.to_json()).encode("utf-8", "replace").decode("utf-8").replace("<", "\\u003c")
    return (
        f'<section>\n<figure><figcaption><h2>{_text(chart.title)}</h2></figcaption>\n<div class="chart" role="img" '
        f'aria-label="{_text(chart.alternative)}"></div>\n<script type="application/json">{data}</script>\n'
        "</figure>\n</section>"
    )


def _missed_tables(missed: Mapping[tuple[str, str], Sequence[Miss]], queries: Sequence[Query]) -> str:
    """Where recall is lost, then one list of misses for each chunker and method, folded."""
    heads = [
        ("chunker", ""),
        ("method", ""),
        ("found", "Recall@k."),
        ("lost by the cut", "No chunk answers."),
        ("lost by the model's limit", "The model does not read so far."),
        ("lost by the ranking", "Ranked below k, or not found."),
    ]
    rows, lists = [], []
    for (chunker, method), found in missed.items():
        told = losses(found, queries)
        shares = (told.found, told.cut, told.limit, told.ranking)
        names = [_cell(_chunker(chunker), head=True), _cell(_method(method), kind="words")]
        rows.append(names + [_cell(_number(".1%")(abs(share))) for share in shares])
        lists.append(_miss_list(f"{_chunker(chunker)}, {_method(method)}", found, queries))
    return _table("Where recall is lost: shares of the marked answers", heads, rows) + "\n".join(lists)


def _miss_list(name: str, found: Sequence[Miss], queries: Sequence[Query]) -> str:
    items = "".join(
        f"<li><strong>{_text(queries[miss.query].text)}</strong> "
        f"<em>{_text(miss.cause.label)}.</em> {_text(miss.sentence)}</li>\n"
        for miss in found
    )
    inside = f"<ol>\n{items}</ol>" if items else "<p>Nothing was missed.</p>"
    return f"\n<details><summary>{_text(name)}: {len(found):,} missed</summary>\n{inside}</details>"
