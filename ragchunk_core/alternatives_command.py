"""``alternatives`` and ``ledger``: the closer look at some chunkers, without a screen (R15, R18, R19, S03)."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ragchunk_core.command_inputs import TABLE_FORMATS, chunkers_of, format_of, read_given, write_table
from ragchunk_core.retrievers import METHODS

Commands = argparse._SubParsersAction


def add_alternatives(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the two commands to the parser's."""
    one = _add(
        commands,
        "alternatives",
        "the same chunks returned with more of their text, or indexed with headings in front, each tested against none",
    )
    one.add_argument("--method", action="append", choices=tuple(METHODS), help="default: bm25; several times")
    one.add_argument("-k", "--k", type=int, help="chunks that count as retrieved (default: the project's, or 5)")
    one.add_argument("--vector-cache", metavar="FILE", help="SQLite file that keeps vectors for the next run")
    one.epilog = "example: alternatives project.json --chunker 'recursive size=400' --method hybrid"
    one.set_defaults(run=_alternatives)
    two = _add(commands, "ledger", "what of each cut the embedding model (all-MiniLM-L6-v2) never reads")
    two.epilog = "example: ledger *.pdf --chunker 'recursive size=2000' --chunker 'sentence size=2000'"
    two.set_defaults(run=_ledger)


def _add(commands: Commands[argparse.ArgumentParser], name: str, help: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH", help="files; or one exported project, or a question folder")
    add("--corpus", help="which corpus of a project file")
    add("--questions", metavar="FILE", help="questions and passages: JSON, JSON Lines, CSV or Parquet")
    add("--chunker", action="append", metavar="SPEC", help="as for evaluate; several times")
    add("--theta", type=float, help="share of a passage that a chunk must cover (default: the project's, or 0.5)")
    add("--format", choices=TABLE_FORMATS, help="default: by the ending of --out")
    add("--out", metavar="FILE", help="default: standard output")
    return parser


def _alternatives(chosen: argparse.Namespace) -> int:
    import pandas as pd

    from ragchunk_core import alternatives
    from ragchunk_core.chunking import chunk
    from ragchunk_core.disk_vectors import embedder_with
    from ragchunk_core.evaluation import rank
    from ragchunk_core.judging import Pool

    given = read_given(chosen.paths, chosen.corpus, chosen.questions)
    documents, queries = list(given.corpus.documents), given.corpus.queries
    if not any(query.passages for query in queries):
        raise ValueError("No question has a marked passage, so there is nothing to compare.")
    k = given.settings.k if chosen.k is None else chosen.k
    theta = given.settings.theta if chosen.theta is None else chosen.theta
    search: dict[str, Any] = {"analyzer": given.settings.analyzer, "rrf_k": given.settings.rrf_k}
    search["embedder"] = embedder_with(chosen.vector_cache)
    rows = []
    for name, settings in chunkers_of(chosen.chunker, given.settings):
        pool = Pool(tuple(chunk(documents, name, **settings)))
        size, unit = (getattr(pool.chunkings[0], part) for part in ("size", "unit"))
        parents = chunk(documents, "recursive", size=size * alternatives.PARENT_SIZES, overlap=0, unit=unit)
        for method in chosen.method or ["bm25"]:

            def ranked(of: Pool, method: str = method) -> Any:
                return rank(of, [query.text for query in queries], method, **search)

            ways = {
                "returned": alternatives.returned(pool, ranked(pool), parents, queries, k, theta),
                "in front": alternatives.indexed(alternatives.in_front(pool), ranked, queries, k, theta),
            }
            for what, made in ways.items():
                tests: list[Any] = [None, *alternatives.against_first(made)]
                for one, test in zip(made, tests, strict=True):
                    row = {"chunker": name, "method": method, "what": what, "way": one.name, **one.scores.means()}
                    row["merged"] = float(one.merged.mean())
                    row["difference"] = test.difference.mean if test else None
                    row["p"] = test.adjusted if test else None
                    rows.append(row)
    write_table(pd.DataFrame(rows), format_of(chosen.format, chosen.out, TABLE_FORMATS), chosen.out)
    return 0


def _ledger(chosen: argparse.Namespace) -> int:
    import pandas as pd

    from ragchunk_core.chunking import chunk
    from ragchunk_core.judging import Pool
    from ragchunk_core.truncation import ledger, read_ends

    given = read_given(chosen.paths, chosen.corpus, chosen.questions)
    theta = given.settings.theta if chosen.theta is None else chosen.theta
    rows = []
    for name, settings in chunkers_of(chosen.chunker, given.settings):
        pool = Pool(tuple(chunk(list(given.corpus.documents), name, **settings)))
        rows.append({"chunker": name, **dataclasses.asdict(ledger(pool, read_ends(pool), given.corpus.queries, theta))})
    write_table(pd.DataFrame(rows), format_of(chosen.format, chosen.out, TABLE_FORMATS), chosen.out)
    return 0
