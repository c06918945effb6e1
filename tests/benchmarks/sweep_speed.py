"""A sweep of 60 settings over Chroma's five corpora with BM25: seconds by executor, and what a setting takes.

    python -m tests.benchmarks.sweep_speed ../shared/data/chroma [COPIES]

The machine's own processes against one thread, and, where dask.distributed is installed, two workers of a cluster on
this machine. Progress is printed as the command prints it. With COPIES the corpora stand there so many times, told
apart by a first line, for figures at size. Memory is the largest that any one process held.
"""

from __future__ import annotations

import importlib.util
import resource
import sys
import time
from typing import Any

from ragchunk_core.chroma_data import read_chroma_folder
from ragchunk_core.sweep import sweep
from ragchunk_core.sweep_grid import Grid
from ragchunk_core.types import Corpus, Document

GRID = Grid(
    chunkers=("fixed", "recursive", "sentence", "markdown"),
    sizes=(200, 400, 600, 800, 1200),
    overlaps=(0, "10%", "20%"),
    methods=("bm25",),
)


def run(name: str, corpus: Any, **how: Any) -> None:
    """One sweep, with its progress on stderr and its time on stdout."""
    start = time.monotonic()
    for step in sweep(corpus.documents, corpus.queries, GRID, **how):
        left = "" if step.seconds_left is None else f", about {step.seconds_left:.0f} s left"
        print(f"\r{step.done} of {step.total} settings{left}   ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{name:<24}{time.monotonic() - start:7.1f} s for {step.total} settings", flush=True)


def main() -> None:
    """Print one line an executor."""
    corpus = read_chroma_folder(sys.argv[1])
    copies = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    more = [Document.from_text(f"{n}\n{one.text}") for n in range(1, copies) for one in corpus.documents]
    corpus = Corpus((*corpus.documents, *more), corpus.queries)
    print(f"{sum(map(len, corpus.documents)) / 1e6:.1f} million characters, {len(corpus.queries)} questions")
    run("one thread", corpus, workers=1)
    run("two processes", corpus, workers=2)
    if importlib.util.find_spec("distributed"):
        from distributed import LocalCluster

        from ragchunk_core.sweep_cluster import scheduler

        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            scheduler(cluster.scheduler_address) as (executor, send),
        ):
            run("Dask, two workers", corpus, executor=executor, send=send)
    held = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"largest memory: {held[0]:.0f} MB here, {held[1]:.0f} MB in any process that ended")


if __name__ == "__main__":
    main()
