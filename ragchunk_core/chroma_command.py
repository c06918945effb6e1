"""``chroma-table``: the table of Chroma's report, made again, beside the published one (R08)."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ragchunk_core.chroma_data import QUESTIONS, read_chroma_folder

if TYPE_CHECKING:
    from ragchunk_core.chroma_table import Scores, Setting

_NOTE = (
    'Percent, mean ± population standard deviation over the questions. "as published" counts as the report\'s code\n'
    'does (a chunk stands where its text occurs first; ranges that meet end to end touch), "exact" with each chunk\'s\n'
    "true place. Search is exact, where the report's was approximate."
)


def add_chroma_table(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser's."""
    parser = commands.add_parser(
        "chroma-table",
        help="make the table of Chroma's chunking report again and print it beside the published one",
        description="Cuts, embeds and ranks the report's documents and prints its table beside the published one.",
    )
    parser.add_argument("folder", help=f"folder with {QUESTIONS} and its .md files")
    parser.add_argument(
        "--dtype",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="number type that the model computes in (default: what is fastest on this processor)",
    )
    parser.add_argument("--vector-cache", metavar="FILE", help="SQLite file that keeps vectors for the next run")
    parser.add_argument("--model-free", action="store_true", help="only the rows that need no model (seconds)")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print the rows as they come; progress goes to stderr."""
    from ragchunk_core.chroma_table import MINILM_ROWS, OMEGA_ROWS, minilm_rows, omega_row

    corpus = read_chroma_folder(chosen.folder)
    passages = sum(len(query.passages) for query in corpus.queries)
    print(f"{len(corpus.documents)} documents, {len(corpus.queries)} questions, {passages} passages\n")
    print(f"{'lengths in cl100k tokens':<28}{'':<14}precision Ω")
    for setting, omega in OMEGA_ROWS.items():
        counted, exact = omega_row(corpus, setting)
        print(f"{_name(setting):<28}{'published':<14}{omega:5.1f}")
        print(f"{'':<28}{'as published':<14}{counted:6.2f}")
        print(f"{'':<28}{'exact':<14}{exact:6.2f}")
    if chosen.model_free:
        return 0
    from ragchunk_core.disk_vectors import embedder_with

    embedder = embedder_with(chosen.vector_cache, chosen.dtype)
    print(f"\n{f'{embedder.name}, {embedder.dtype}':<42}recall          precision       precision Ω     IoU")
    for row in minilm_rows(corpus, embedder, _progress):
        print(f"{_name(row.setting):<28}{'published':<14}{_cells(MINILM_ROWS[row.setting], 1)}")
        print(f"{f'  {row.chunks:,} chunks':<28}{'as published':<14}{_cells(row.as_published, 2)}")
        print(f"{'':<28}{'exact':<14}{_cells(row.exact, 2)}", flush=True)
    print(f"\n{_NOTE}")
    return 0


def _name(setting: Setting) -> str:
    chunker = "token windows" if setting.chunker == "fixed" else setting.chunker
    return f"{chunker} {setting.size}" if chunker == "cluster" else f"{chunker} {setting.size}/{setting.overlap}"


def _cells(scores: Scores, digits: int) -> str:
    pairs = (
        (scores.recall, scores.recall_sd),
        (scores.precision, scores.precision_sd),
        (scores.omega, scores.omega_sd),
        (scores.iou, scores.iou_sd),
    )
    return "".join(f"{f'{mean:.{digits}f} ± {deviation:.{digits}f}':<16}" for mean, deviation in pairs).rstrip()


def _progress(setting: Setting, done: int, todo: int) -> None:
    print(f"\r{_name(setting)}: {done:,} of {todo:,} texts embedded ", end="", file=sys.stderr, flush=True)
    if done == todo:
        print(file=sys.stderr)
