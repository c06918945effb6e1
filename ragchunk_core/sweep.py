"""A sweep: every setting of a grid measured on the same documents and questions, with progress (R12)."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.retrievers import METHODS
from ragchunk_core.sweep_grid import Grid, Setting
from ragchunk_core.sweep_store import Store
from ragchunk_core.sweep_work import Failure, Result, StoppedError, Work, run_cut, send_by_file
from ragchunk_core.types import Document, Query

if TYPE_CHECKING:
    import pandas as pd

    from ragchunk_core.embedders import Embedder

COLUMNS = {
    "chunker": "Registry name of the chunker.",
    "size": "Largest length of a chunk, in the unit.",
    "overlap": "Length shared with the chunk before, in the unit.",
    "unit": "Registry name of the unit.",
    "options": "The chunker's options that were named, as JSON.",
    "method": "Registry name of the retrieval method.",
    "recall": "Mean over judged queries of the share of passages that some chunk in the top k answers.",
    "recall_low": "Lower bound of the bootstrap interval of the mean recall; NaN where all queries have the same.",
    "recall_high": "Its upper bound. The same samples of queries are drawn for all rows.",
    "mrr": "Mean over judged queries of 1 / rank of the first chunk that answers any passage (top 100, else 0).",
    "ndcg": "Mean over judged queries of nDCG@k; a chunk is relevant when it answers any passage.",
    "context": "Mean over judged queries of the summed length of the top k chunks, in the unit.",
    "characters": "The same in characters, whatever the unit: what settings of different units are compared by.",
    "precision": "Mean over judged queries of the share of the top k chunks' characters inside marked passages.",
    "ceiling": "The recall that a perfect ranking would reach: share of passages that some chunk answers.",
    "chunks": "How many chunks there are.",
    "vectors": "How many vectors the index holds.",
    "index_bytes": "Bytes of the index: vectors as float32, and BM25's postings.",
}
PROCESSES_PAY = 20_000_000
"""Characters to cut, over all cuts of a sweep, from which on processes are started; fewer are done here."""
_LOOK = 0.2  # seconds between looks at what is done and whether the sweep was cancelled

Send = Callable[[Work], Any]
"""Puts the work where an executor's workers find it, and returns what each task is given instead."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far a sweep is.

    Attributes:
        done, total: Settings measured, those kept from an earlier sweep included, and settings in all.
        seconds_left: By the pace so far; None before the first.
        results: What is new since the step before; kept results come with the first.
        failures: Settings that cannot be run, likewise new; they count as done.
        embedded: Texts embedded and texts to embed of the setting at work; None where none are.
    """

    done: int
    total: int
    seconds_left: float | None
    results: tuple[Result, ...] = ()
    failures: tuple[Failure, ...] = ()
    embedded: tuple[int, int] | None = None


def sweep(
    documents: Sequence[Document],
    queries: Sequence[Query],
    grid: Grid,
    *,
    k: int = 5,
    theta: float = 0.5,
    analyzer: str = "english",
    rrf_k: int = 60,
    embedder: Embedder | None = None,
    executor: Executor | None = None,
    send: Send | None = None,
    store: Store | None = None,
    vectors: str | None = None,
    workers: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Step]:
    """Measure every setting of the grid, and tell how far it is at least once a second.

    A task is one cut with all its methods. Results are the same to the bit however the tasks are spread. To stop,
    close the generator or let ``cancelled`` say so; what is finished is in the store, and the next sweep goes on there.

    Args:
        embedder: By default the local all-MiniLM-L6-v2. Workers in other processes load their own of the same name.
        executor: Any executor of ``concurrent.futures``; it is not shut down here. By default processes of this
            machine where that pays (``PROCESSES_PAY``) and no vectors are needed, else one thread: a model uses all
            processors by itself.
        send: How the documents come to the executor's workers. By default threads share them, and processes of this
            machine read them from a file, once each. For a cluster see ``sweep_cluster``.
        store: Where results are kept, and taken from.
        vectors: File of a disk cache of vectors (``disk_vectors``), for workers on this machine.
        workers: How many processes, by default one a processor; 1 means none: one thread. For a server, whose users
            share its processors and whose main module must not be run again by every process.
        cancelled: Asked several times a second.

    Raises:
        ValueError: If no query has a passage, an argument is out of its bounds, or a worker process dies.
    """
    if not any(query.passages for query in queries):
        raise ValueError("No question has a marked passage, so there is nothing to measure.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k is {k!r}; it must be a whole number, 1 or more.")
    if not 0 <= theta <= 1:
        raise ValueError(f"theta is {theta}; it must be from 0 (any overlap) to 1 (the whole passage).")
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}; it must be 1 or more.")
    return _sweep(
        Work(tuple(documents), tuple(queries), k, theta, analyzer, rrf_k, *_model(embedder, grid), vectors, embedder),
        grid, executor, send, store, workers, cancelled,
    )  # fmt: skip


def _model(embedder: Embedder | None, grid: Grid) -> tuple[str, str]:
    """Name and number type of the model that workers load; nothing is loaded for them here."""
    from ragchunk_core.model_loading import DEFAULT_MODEL, resolve_dtype

    if embedder is not None:
        return embedder.name, embedder.dtype
    return DEFAULT_MODEL, resolve_dtype("auto") if grid.needs_vectors else "float32"


def _sweep(
    work: Work,
    grid: Grid,
    executor: Executor | None,
    send: Send | None,
    store: Store | None,
    workers: int | None,
    cancelled: Callable[[], bool],
) -> Iterator[Step]:
    kept = {one.setting: one for one in _kept(work, grid, store)}
    todo = [setting for setting in grid.settings if setting not in kept]
    step = Step(len(kept), len(grid.settings), None, tuple(kept.values()))
    yield step
    if not todo:
        return
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(_executor_here(work, grid, len(todo), workers))
        handle = (send or partial(_send, executor, stack))(work)
        embedding = _Embedding()
        if handle is work:
            work.look = embedding.look
        cuts = [list(group) for _, group in itertools.groupby(todo, lambda one: one.cut)]
        futures = {executor.submit(run_cut, handle, group) for group in cuts}
        stack.callback(_give_up, futures, embedding)
        clock = _Clock(len(todo))
        while futures and not cancelled():
            finished, _ = wait(futures, timeout=_LOOK, return_when=FIRST_COMPLETED)
            futures -= finished
            found = [one for future in finished for one in _outcome(future)]
            results = tuple(one for one in found if isinstance(one, Result))
            failures = tuple(one for one in found if isinstance(one, Failure))
            for model, group in itertools.groupby(results, lambda one: _model_of(work, one.setting)):
                if store is not None:
                    store.put(work, list(group), model)
            if found or clock.second_passed():
                done = step.done + len(found)
                step = Step(done, step.total, clock.left(len(found)), results, failures, embedding.at)
                yield step


def _executor_here(work: Work, grid: Grid, todo: int, workers: int | None) -> Executor:
    """Processes where they pay, else one thread."""
    cuts = todo / len(grid.methods)
    many = min(workers or os.cpu_count() or 1, max(1, int(cuts)))
    small = workers is None and sum(map(len, work.documents)) * cuts < PROCESSES_PAY
    if many == 1 or small or (workers is None and grid.needs_vectors):
        return ThreadPoolExecutor(1)
    # Started afresh: a copy of a process with threads (a server, a model) may hang.
    context = multiprocessing.get_context("spawn")
    # Ctrl+C is for this process, which then ends the others.
    return ProcessPoolExecutor(many, context, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))


def _send(executor: Executor, stack: ExitStack, work: Work) -> Work | str:
    if isinstance(executor, ThreadPoolExecutor):
        return work
    return send_by_file(work, Path(stack.enter_context(tempfile.TemporaryDirectory())))


def _give_up(futures: set[Future[list[Result | Failure]]], embedding: _Embedding) -> None:
    embedding.stop.set()
    for future in futures:
        future.cancel()


def _outcome(future: Future[list[Result | Failure]]) -> list[Result | Failure]:
    try:
        return future.result()
    except BrokenProcessPool:
        raise ValueError(
            "A worker process of the sweep ended without an answer, most often for want of memory. What was finished "
            "is in the store; try again with fewer workers."
        ) from None


def _kept(work: Work, grid: Grid, store: Store | None) -> list[Result]:
    if store is None:
        return []
    found: list[Result] = []
    for model, group in itertools.groupby(grid.settings, lambda one: _model_of(work, one)):
        found += store.get(work, group, model)
    return found


def _model_of(work: Work, setting: Setting) -> str:
    """What tells the model apart by which a setting's result was made; empty where none is needed."""
    if METHODS[setting.method].needs_vectors or CHUNKERS[setting.chunker].needs_vectors:
        from ragchunk_core.model_loading import fingerprint

        return f"{work.model} {fingerprint(work.model)} {work.dtype}"
    return ""


class _Embedding:
    """What the model is at, seen from another thread; and the way to stop it."""

    def __init__(self) -> None:
        self.at: tuple[int, int] | None = None
        self.stop = threading.Event()

    def look(self, done: int, todo: int) -> None:
        self.at = (done, todo) if done < todo else None
        if self.stop.is_set():
            raise StoppedError


class _Clock:
    """Seconds left by the pace so far."""

    def __init__(self, todo: int) -> None:
        self._start = self._told = time.monotonic()
        self._todo, self._done = todo, 0

    def second_passed(self) -> bool:
        return time.monotonic() - self._told >= 1

    def left(self, new: int) -> float | None:
        self._told = time.monotonic()
        self._done += new
        return (self._told - self._start) / self._done * (self._todo - self._done) if self._done else None


def sweep_table(results: Sequence[Result], *, confidence: float = 0.95) -> pd.DataFrame:
    """One row a setting with the columns of ``COLUMNS``, in the order of the results.

    Args:
        confidence: Of the bootstrap interval of recall.
    """
    import pandas as pd

    from ragchunk_core.intervals import bootstrap_intervals

    intervals = bootstrap_intervals(np.stack([one.recall for one in results]), confidence=confidence) if results else []
    rows = [
        {
            **{name: getattr(one.setting, name) for name in one.setting.__slots__},
            **one.means,
            "recall_low": interval.low,
            "recall_high": interval.high,
            "chunks": one.chunks,
            "vectors": one.vectors,
            "index_bytes": one.index_bytes,
        }
        for one, interval in zip(results, intervals, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def in_grid_order(results: Sequence[Result], grid: Grid) -> list[Result]:
    """The results in the order of the grid's settings; they arrive in the order in which they were finished."""
    place = {setting: number for number, setting in enumerate(grid.settings)}
    return sorted(results, key=lambda one: place[one.setting])
