"""``chunk``, ``compare`` and ``evaluate``: the work of the screens without a screen (S03)."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import chunk
from ragchunk_core.command_floors import floor_of, missed_floors
from ragchunk_core.command_inputs import (
    TABLE_FORMATS,
    chunkers_of,
    format_of,
    read_chunk_files,
    read_given,
    write_bytes,
    write_table,
)
from ragchunk_core.comparison import compare
from ragchunk_core.disk_vectors import embedder_with
from ragchunk_core.exports import FORMATS, export
from ragchunk_core.retrievers import METHODS

_SPEC = (
    "a chunker and its settings, as in 'recursive size=400 overlap=15%% unit=cl100k', or as JSON; may be given several "
    f"times; names: {', '.join(CHUNKERS)}"
)
Commands = argparse._SubParsersAction


def add_commands(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the three commands to the parser's."""
    one = _add(commands, "chunk", "cut files and write the chunks", _chunk, tuple(FORMATS))
    one.epilog = "example: chunk handbook.pdf --chunker 'recursive size=400 overlap=50' --out chunks.jsonl"
    two = _add(commands, "compare", "count and measure the chunks of several chunkers", _compare, TABLE_FORMATS)
    two.epilog = "example: compare *.md --chunker 'recursive size=400' --chunker 'markdown size=400'"
    three = _add(commands, "evaluate", "rank the chunks for judged questions and measure", _evaluate, TABLE_FORMATS)
    three.epilog = (
        "examples: evaluate project.json --method bm25 --fail-under recall@5=0.8; evaluate docs/*.md --questions q.csv "
        "--chunker 'recursive size=400' --chunks langchain.jsonl --confidence 0.95"
    )
    three.add_argument("--questions", metavar="FILE", help="questions and passages: JSON, JSON Lines, CSV or Parquet")
    three.add_argument(
        "--chunks", action="append", default=[], metavar="FILE", help="chunks made elsewhere, to judge beside; several"
    )
    three.add_argument("--method", action="append", choices=tuple(METHODS), help="default: bm25; several times")
    three.add_argument("-k", "--k", type=int, help="chunks that count as retrieved (default: the project's, or 5)")
    three.add_argument("--theta", type=float, help="share of a passage that a chunk must cover (default: 0.5)")
    three.add_argument("--budget", type=float, help="context, in the unit: adds recall and area within it")
    three.add_argument("--confidence", type=float, help="such as 0.95: adds the bootstrap interval of recall")
    three.add_argument("--vector-cache", metavar="FILE", help="SQLite file that keeps vectors for the next run")
    three.add_argument(
        "--fail-under",
        action="append",
        default=[],
        metavar="METRIC[@K]=FLOOR",
        help="end with exit code 1 when any row is below, as in recall@5=0.8; several times",
    )


def _add(
    commands: Commands[argparse.ArgumentParser], name: str, help: str, run: Any, formats: tuple[str, ...]
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files; or one exported project, or a question folder")
    parser.add_argument("--corpus", help="which corpus of a project file")
    parser.add_argument("--chunker", action="append", metavar="SPEC", help=_SPEC)
    parser.add_argument("--format", choices=formats, help="default: by the ending of --out")
    parser.add_argument("--out", metavar="FILE", help="default: standard output")
    parser.set_defaults(run=run)
    return parser


def _chunk(chosen: argparse.Namespace) -> int:
    given = read_given(chosen.paths, chosen.corpus)
    made = [
        one
        for name, settings in chunkers_of(chosen.chunker or ["recursive"], given.settings)
        for one in chunk(list(given.corpus.documents), name, **settings)
    ]
    write_bytes(export(made, format_of(chosen.format, chosen.out, tuple(FORMATS)) or "jsonl"), chosen.out)
    return 0


def _compare(chosen: argparse.Namespace) -> int:
    given = read_given(chosen.paths, chosen.corpus)
    documents = list(given.corpus.documents)
    specs = chunkers_of(chosen.chunker, given.settings)
    table = compare([chunk(documents, name, **settings) for name, settings in specs])
    write_table(table, format_of(chosen.format, chosen.out, TABLE_FORMATS), chosen.out)
    return 0


def _evaluate(chosen: argparse.Namespace) -> int:
    from ragchunk_core.evaluation import evaluate

    floors = [floor_of(one) for one in chosen.fail_under]
    given = read_given(chosen.paths, chosen.corpus, chosen.questions)
    if not any(query.passages for query in given.corpus.queries):
        raise ValueError(
            "No question has a marked passage; give an exported project, a question folder, or --questions."
        )
    asked = {k for _, k, _ in floors if k is not None} | ({chosen.k} if chosen.k is not None else set())
    if len(asked) > 1:
        raise ValueError(f"k is {' and '.join(map(str, sorted(asked)))}; one run has one k, so give one.")
    table = evaluate(
        given.corpus.documents,
        given.corpus.queries,
        chunkers_of(chosen.chunker, given.settings),
        chosen.method or ["bm25"],
        k=asked.pop() if asked else given.settings.k,
        theta=given.settings.theta if chosen.theta is None else chosen.theta,
        analyzer=given.settings.analyzer,
        rrf_k=given.settings.rrf_k,
        embedder=embedder_with(chosen.vector_cache),
        budget=chosen.budget,
        confidence=chosen.confidence,
        others=read_chunk_files(chosen.chunks, given.corpus.documents),
    )
    write_table(table, format_of(chosen.format, chosen.out, TABLE_FORMATS), chosen.out)
    missed = [said for floor in floors for said in missed_floors(table, *floor)]
    for said in missed:
        print(said, file=sys.stderr)
    return 1 if missed else 0
