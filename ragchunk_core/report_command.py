"""``report``: the session's report as one HTML file, without a screen (S03, S04)."""

from __future__ import annotations

import argparse
import datetime
from collections import Counter
from typing import Any

from ragchunk_core.command_inputs import ChunkerSpec, chunkers_of, read_given, write_bytes
from ragchunk_core.retrievers import METHODS


def add_report(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser's."""
    parser = commands.add_parser(
        "report",
        help="write chunks, retrieval and every miss with its cause as one HTML file",
        description="Write chunks, retrieval and every miss with its cause as one HTML file that needs no network.",
        epilog="example: report project.json --method bm25 --out report.html",
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="files; or one exported project, or a question folder")
    add("--corpus", help="which corpus of a project file")
    add("--questions", metavar="FILE", help="questions and passages: JSON, JSON Lines, CSV or Parquet")
    add("--chunker", action="append", metavar="SPEC", help="as for evaluate; several times")
    add("--method", action="append", choices=tuple(METHODS), help="default: bm25; several times")
    add("-k", "--k", type=int, help="chunks that count as retrieved (default: the project's, or 5)")
    add("--theta", type=float, help="share of a passage that a chunk must cover (default: the project's, or 0.5)")
    add("--out", metavar="FILE", help="default: standard output")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Cut, compare, and where there are judged questions rank and diagnose; write the page."""
    from ragchunk_core.chunking import chunk
    from ragchunk_core.comparison import comparison_row
    from ragchunk_core.judging import Pool
    from ragchunk_core.report import report_html

    given = read_given(chosen.paths, chosen.corpus, chosen.questions)
    documents, queries = list(given.corpus.documents), given.corpus.queries
    k = given.settings.k if chosen.k is None else chosen.k
    theta = given.settings.theta if chosen.theta is None else chosen.theta
    specs = _named(chunkers_of(chosen.chunker, given.settings))
    pools = {label: Pool(tuple(chunk(documents, name, **settings))) for label, (name, settings) in specs.items()}
    judged = any(query.passages for query in queries)
    scored, missed = [], {}
    for label, pool in pools.items() if judged else ():
        for method in chosen.method or ["bm25"]:
            row, missed[label, method] = _measured(pool, method, queries, given.settings, k, theta)
            scored.append({"chunker": label, "method": method, **row})
    page = report_html(
        title="Chunking report",
        made=f"Made with RAG Chunking Lab on {datetime.date.today():%d %B %Y}.",
        settings={
            "Documents": ", ".join(one.name for one in documents),
            "Queries": f"{sum(bool(one.passages) for one in queries)} judged",
            "Chunkers": "; ".join(_told(*spec) for spec in specs.values()),
            "Top k": k,
            "Answers when it covers": f"{theta:.0%} of the passage",
        },
        compared=[{**comparison_row(pool.chunkings), "chunker": label} for label, pool in pools.items()],
        scored=scored,
        charts=(),
        missed=missed,
        queries=queries,
        plotly_js="",
        notes=[note for document in documents for note in document.notes],
    )
    write_bytes(page.encode("utf-8"), chosen.out)
    return 0


def _told(name: str, settings: dict[str, Any]) -> str:
    return " ".join([name, *(f"{one}={value}" for one, value in settings.items())])


def _named(specs: list[ChunkerSpec]) -> dict[str, ChunkerSpec]:
    """By the chunker's name, or with its settings where a name comes twice."""
    times = Counter(name for name, _ in specs)
    return {name if times[name] == 1 else _told(name, settings): (name, settings) for name, settings in specs}


def _measured(pool: Any, method: str, queries: Any, settings: Any, k: int, theta: float) -> tuple[dict[str, Any], Any]:
    """Means over the judged queries, and every miss."""
    from ragchunk_core.causes import misses
    from ragchunk_core.evaluation import rank, score
    from ragchunk_core.judging import judge
    from ragchunk_core.truncation import read_ends

    asked = [query.text for query in queries]
    rankings = rank(pool, asked, method, analyzer=settings.analyzer, rrf_k=settings.rrf_k)
    scores = score(pool, rankings, queries, k, theta)
    judgements = [judge(pool, query, theta) for query in queries]
    read = read_ends(pool) if METHODS[method].needs_vectors else None
    found = misses(pool, rankings, queries, judgements, k=k, theta=theta, method=method, read_ends=read)
    return scores.means(), found
