"""R12: a sweep on a Dask cluster: the same results to the bit, also when a worker is killed in mid-run."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from distributed import LocalCluster

from ragchunk_core import Document, Passage, Query
from ragchunk_core.chroma_data import read_chroma_folder
from ragchunk_core.embedders import load_embedder
from ragchunk_core.sweep import in_grid_order, sweep
from ragchunk_core.sweep_cluster import scheduler
from ragchunk_core.sweep_grid import Grid

GRID = Grid(chunkers=("fixed", "recursive", "sentence"), sizes=(150, 200, 300, 400), overlaps=(0, "20%"))


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made:
        yield made


def plain(results, grid=GRID):
    return [
        (one.setting, {name: value.hex() for name, value in one.means.items()}, one.recall.tobytes(), one.chunks,
         one.vectors, one.index_bytes)
        for one in in_grid_order(results, grid)
    ]  # fmt: skip


def test_r12_a_killed_worker_changes_no_bit(cluster, shared_data):
    """R12: two workers, one of them killed after the first results; every setting is measured, as on one machine."""
    corpus = read_chroma_folder(shared_data / "chroma")
    corpus = type(corpus)(corpus.documents[:2], corpus.queries)
    expected = [one for step in sweep(corpus.documents, corpus.queries, GRID, workers=1) for one in step.results]
    victim = cluster.workers[0].process.pid
    killed, results = 0, []
    with scheduler(cluster.scheduler_address) as (executor, send):
        for step in sweep(corpus.documents, corpus.queries, GRID, executor=executor, send=send):
            results += step.results
            if results and not killed:
                os.kill(victim, signal.SIGKILL)
                killed = step.done
        assert 0 < killed < len(GRID.settings)
        with pytest.raises(ProcessLookupError):
            os.kill(victim, 0)
    assert plain(results) == plain(expected)


def test_r12_the_documents_are_on_every_worker_before_the_first_task(cluster, shared_data):
    """R12: a task names them and does not hold them; both workers have the same copy from the start."""
    text = (shared_data / "sotu" / "state_of_the_union.txt").read_text(encoding="utf-8")
    document = Document.from_text(text)
    with scheduler(cluster.scheduler_address) as (executor, send):
        sent = []

        def noted(work):
            sent.append(send(work))
            return sent[0]

        run = sweep([document], [Query("Ukraine", (Passage(document.id, 0, 50),))], GRID, executor=executor, send=noted)
        next(run)
        next(run)
        (future,) = sent
        holders = future.client.who_has([future])[future.key]
        assert len(holders) == 2
        run.close()


def test_r12_a_task_that_ends_every_worker_gets_one_sentence():
    """R12: no traceback of the cluster's."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as small:
        small.scheduler.allowed_failures = 0

        def doomed():
            with scheduler(small.scheduler_address) as (executor, _):
                executor.submit(os._exit, 1).result()

        with pytest.raises(ValueError, match="A task ended one worker of the cluster after the other"):
            doomed()


def test_r12_vectors_are_the_same_on_a_cluster(cluster):
    """R12: each worker loads the model itself; ranks and fusion are those of one machine, to the bit."""
    document = Document.from_text(" ".join(f"Lamp number {n} shines for {n % 7} miles." for n in range(60)))
    queries = [Query(f"lamp {n}", (Passage(document.id, 40 * n, 40 * n + 30),)) for n in range(8)]
    grid = Grid(("recursive",), (150, 300), methods=("emb", "hybrid"))
    embedder = load_embedder(dtype="float32")

    def measured(**how):
        steps = sweep([document], queries, grid, embedder=embedder, **how)
        return [one for step in steps for one in step.results]

    with scheduler(cluster.scheduler_address) as (executor, send):
        found = measured(executor=executor, send=send)
    assert plain(found, grid) == plain(measured(), grid)


def test_r12_no_scheduler_gets_one_sentence(monkeypatch):
    """R12: nobody at the address; and the extra not installed."""
    with (
        pytest.raises(ValueError, match=r"The scheduler at 'tcp://127\.0\.0\.1:1' does not answer"),
        scheduler("tcp://127.0.0.1:1", timeout=1),
    ):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ValueError, match=r"needs dask.distributed, which is not installed: pip install distributed\."),
        scheduler("tcp://127.0.0.1:1"),
    ):
        pass
