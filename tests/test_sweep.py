"""R12: a sweep gives what ``evaluate`` gives row by row, resumes, shares work, and is read by the Pareto front."""

from __future__ import annotations

import hashlib
import json
import pickle
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ragchunk_core import evaluate, sweep_work
from ragchunk_core.disk_vectors import DiskVectors
from ragchunk_core.embedders import BATCH, Embedder
from ragchunk_core.samples import sample_corpus
from ragchunk_core.sweep import COLUMNS, in_grid_order, sweep, sweep_table
from ragchunk_core.sweep_grid import Grid
from ragchunk_core.sweep_store import SweepStore
from ragchunk_core.sweep_work import Failure
from ragchunk_core.units import UNITS
from ragchunk_core.vector_cache import VectorCache

GRID = Grid(
    chunkers=("recursive", "sentence", "markdown"),
    sizes=(150, 400),
    overlaps=(0, "20%"),
    methods=("bm25", "okapi"),
    options={"markdown": ({}, {"context": "path"})},
)


@pytest.fixture(scope="module")
def corpus():
    return sample_corpus()


def measured(corpus, grid=GRID, **how):
    """All results of a sweep in the grid's order."""
    steps = list(sweep(corpus.documents, corpus.queries, grid, **how))
    assert steps[-1].done == steps[-1].total == len(grid.settings)
    return in_grid_order([one for step in steps for one in step.results], grid)


def plain(results):
    """Everything in the results, floats by their bits."""
    return [
        (one.setting, {name: value.hex() for name, value in one.means.items()}, one.recall.tobytes(), one.chunks,
         one.vectors, one.index_bytes)
        for one in results
    ]  # fmt: skip


class CountedEmbedder(Embedder):
    """Vectors by a hash of the text in place of the model, and every text that was computed."""

    def __init__(self, cache):
        super().__init__("all-MiniLM-L6-v2", "float32", cache)
        self.computed = []
        self.pause = None

    def _forward(self, texts, role):
        if self.pause and len(self.computed) > 3 * BATCH:
            self.pause.wait(0.3)
        self.computed += texts
        seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts]
        rows = np.array([np.random.default_rng(seed).normal(size=384) for seed in seeds])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_r12_a_grid_is_every_combination_once():
    """R12: what a chunker does not look at is not run twice; an overlap not below its size is left out and counted."""
    grid = Grid(
        ("fixed", "sentence-buffer"), sizes=(100, 200), overlaps=(0, 20, "20%", 100), units=("chars", "words"),
        methods=("bm25", "emb"),
    )  # fmt: skip
    found = {(one.chunker, one.size, one.overlap, one.unit, one.method) for one in grid.settings}
    buffers = {(100, 0), (200, 0)}
    windows = {(100, 0), (100, 20), (200, 0), (200, 20), (200, 40), (200, 100)}
    assert found == {
        (name, *sizes, unit, method)
        for name, some in (("fixed", windows), ("sentence-buffer", buffers))
        for sizes in some
        for unit in ("chars", "words")
        for method in ("bm25", "emb")
    }
    assert len(grid.settings) == len(found) == 32
    assert grid.left_out == 2
    assert len(Grid(("semantic",), sizes=(100, 200)).settings) == 1
    assert len(GRID.settings) == (4 + 4 + 2 * 4) * 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"chunkers": ()}, "The grid's chunkers are"),
        ({"chunkers": "recursive"}, "must be a list"),
        ({"chunkers": ("magic",)}, "The chunker is 'magic'"),
        ({"sizes": (0,)}, "The size is 0"),
        ({"overlaps": (-1,)}, "The overlap is -1"),
        ({"overlaps": ("many",)}, "The overlap is 'many'"),
        ({"units": ("miles",)}, "The unit is 'miles'"),
        ({"methods": ("luck",)}, "The method is 'luck'"),
        ({"options": {"recursive": ({"colour": 1},)}}, "has no option 'colour'"),
    ],
)
def test_r12_a_bad_grid_gets_one_sentence(values, message):
    """R12: before anything is run."""
    with pytest.raises(ValueError, match=message):
        Grid(**values)


def test_r12_bad_arguments_get_one_sentence(corpus):
    """R12: at the call, not at the first step."""
    for how, message in [({"k": 0}, "k is 0"), ({"theta": 2}, "theta is 2"), ({"workers": 0}, "workers is 0")]:
        with pytest.raises(ValueError, match=message):
            sweep(corpus.documents, corpus.queries, GRID, **how)
    with pytest.raises(ValueError, match="No question has a marked passage"):
        sweep(corpus.documents, (), GRID)


def test_r12_every_row_is_what_evaluate_gives(corpus):
    """R12: chunkers, sizes, overlaps, options and methods, each by the slow way; also intervals and chunks."""
    table = sweep_table(measured(corpus, k=3, theta=0.4))
    assert list(table.columns) == list(COLUMNS)
    for row in table.to_dict("records"):
        sizes = {"size": row["size"], "overlap": row["overlap"], "unit": row["unit"], **json.loads(row["options"])}
        expected = evaluate(
            corpus.documents, corpus.queries, [(row["chunker"], sizes)], [row["method"]], k=3, theta=0.4,
            confidence=0.95,
        ).iloc[0]  # fmt: skip
        for name in ("recall", "mrr", "ndcg", "context", "precision", "ceiling", "recall_low", "recall_high"):
            assert row[name] == expected[name], (row, name)
        assert row["characters"] == row["context"]


def test_r12_vectors_and_fusion_are_what_evaluate_gives(corpus):
    """R12: with an embedder, also for a chunker that embeds; the fusion is of whole rankings."""
    grid = Grid(("fixed", "semantic"), sizes=(40,), units=("words",), methods=("emb", "hybrid"))
    embedder = CountedEmbedder(VectorCache())
    for row in sweep_table(measured(corpus, grid, embedder=embedder)).to_dict("records"):
        sizes = {"size": row["size"], "unit": "words"}
        expected = evaluate(
            corpus.documents, corpus.queries, [(row["chunker"], sizes)], [row["method"]], embedder=embedder
        ).iloc[0]
        for name in ("recall", "mrr", "ndcg", "context", "precision", "ceiling"):
            assert row[name] == expected[name], (row, name)
        assert row["characters"] > row["context"]


def test_r12_the_index_size_is_that_of_its_parts(corpus):
    """R12: 384 numbers of four bytes for each chunk; for BM25 a score and a number for each word of each chunk."""
    grid = Grid(("recursive",), methods=("okapi", "emb", "bm25", "hybrid"))
    okapi, emb, bm25, hybrid = measured(corpus, grid, embedder=CountedEmbedder(VectorCache()))
    assert (emb.vectors, emb.index_bytes) == (emb.chunks, emb.chunks * 384 * 4)
    assert (okapi.vectors, bm25.vectors, hybrid.vectors) == (0, 0, emb.chunks)
    assert hybrid.index_bytes == emb.index_bytes + bm25.index_bytes
    from ragchunk_core import chunk

    words = sum(len(set(text.split())) for one in chunk(list(corpus.documents), "recursive") for text in one.texts())
    assert okapi.index_bytes == 12 * words


def test_r12_processes_and_threads_give_the_same_to_the_bit(corpus):
    """R12: two processes, three threads, or one; in whatever order the tasks end."""
    alone = plain(measured(corpus, workers=1))
    with ThreadPoolExecutor(3) as threads:
        assert plain(measured(corpus, executor=threads)) == alone
    assert plain(measured(corpus, workers=2)) == alone


class Recording(Executor):
    """An executor that does nothing at once but note how large each task is."""

    def __init__(self):
        self.sizes, self.handles = [], set()

    def submit(self, task, /, *arguments):
        self.sizes.append(len(pickle.dumps(arguments)))
        self.handles.add(arguments[0])
        future = Future()
        future.set_result(task(*arguments))
        return future


def test_r12_documents_are_sent_to_a_worker_once(corpus):
    """R12: a task holds the name of a file and its settings; a worker reads the file for the first task only."""
    longer = [replace(one, text=one.text * 20) for one in corpus.documents]
    queries = [replace(query, passages=()) for query in corpus.queries[1:]]
    passage = replace(corpus.queries[0].passages[0], document=longer[0].id)
    executor = Recording()
    before = sweep_work._read.cache_info().misses
    list(sweep(longer, [replace(corpus.queries[0], passages=(passage,)), *queries], GRID, executor=executor))
    assert len(executor.handles) == 1
    assert len(executor.sizes) == len({one.cut[0] + repr(one.cut[1]) for one in GRID.settings})
    assert max(executor.sizes) < 2_000 < 100_000 < sum(len(one.text) for one in longer)
    assert sweep_work._read.cache_info().misses == before + 1


def test_r12_what_settings_share_is_done_once(corpus, monkeypatch):
    """R12: a chunk's or sentence's vector, a query's vector, and where tokens start, whatever setting asks first."""
    asked = []
    unit = UNITS["cl100k"]
    ids = type(unit).ids
    whole = {one.text for one in corpus.documents}
    monkeypatch.setattr(
        type(unit), "ids", lambda self, text: (asked.append(text) if text in whole else None, ids(self, text))[1]
    )
    embedder = CountedEmbedder(VectorCache())
    grid = Grid(("fixed", "semantic"), (100, 200), (0, 50), ("cl100k",), ("emb", "hybrid", "bm25"))
    measured(corpus, grid, embedder=embedder)
    assert sorted(asked) == sorted(whole)
    assert len(embedder.computed) == len(set(embedder.computed))
    assert {query.text for query in corpus.queries} <= set(embedder.computed)


def test_r12_a_stopped_sweep_goes_on_where_it_was(corpus, tmp_path):
    """R12: what was finished is not run again, and the results are those of one run."""
    expected = plain(measured(corpus, workers=1))
    store = SweepStore(tmp_path / "sweep.sqlite")
    run = sweep(corpus.documents, corpus.queries, GRID, workers=1, store=store)
    for step in run:
        if step.done >= 6:
            break
    run.close()
    store.close()
    again = SweepStore(tmp_path / "sweep.sqlite")
    steps = list(sweep(corpus.documents, corpus.queries, GRID, workers=1, store=again))
    assert steps[0].done == step.done
    assert 6 <= step.done < len(GRID.settings)
    assert plain(in_grid_order([one for step in steps for one in step.results], GRID)) == expected
    (only,) = sweep(corpus.documents, corpus.queries, GRID, workers=1, store=again)
    assert (only.done, only.seconds_left) == (len(GRID.settings), None)
    assert plain(in_grid_order(only.results, GRID)) == expected


def test_r12_a_result_is_kept_for_its_content_and_settings_only(corpus, tmp_path):
    """R12: other texts, passages, k, theta, analyzer, fusion or model: nothing kept is taken for it."""
    store = SweepStore(tmp_path / "sweep.sqlite")
    grid = Grid(methods=("bm25", "hybrid"))
    embedder = CountedEmbedder(VectorCache())
    how = {"store": store, "embedder": embedder}
    list(sweep(corpus.documents, corpus.queries, grid, **how))

    def kept(documents=corpus.documents, queries=corpus.queries, **other):
        run = sweep(documents, queries, grid, **{**how, **other})
        found = next(run).done
        run.close()
        return found

    assert kept() == 2
    assert kept([replace(one, name=f"other-{one.name}") for one in corpus.documents]) == 2
    assert kept([replace(one, name="other.csv") for one in corpus.documents]) == 0
    assert kept(corpus.documents[::-1]) == kept(queries=corpus.queries[1:]) == 0
    assert kept(k=4) == kept(theta=0.9) == kept(analyzer="standard") == kept(rrf_k=10) == 0
    other = CountedEmbedder(VectorCache())
    other.dtype = "bfloat16"
    assert kept(embedder=other) == 1
    assert kept(queries=(*corpus.queries, replace(corpus.queries[0], passages=()))) == 2


def test_r12_a_sweep_with_embeddings_resumes_after_a_stop(corpus, tmp_path):
    """R12: stopped in the middle of a setting, no text is computed twice, and the results are those of one run."""
    grid = Grid(("recursive", "semantic"), (100, 300), methods=("emb", "bm25"))
    expected = plain(measured(corpus, grid, embedder=CountedEmbedder(VectorCache())))
    first = CountedEmbedder(DiskVectors(tmp_path / "kept.sqlite"))
    first.pause = threading.Event()  # never set: from the fourth batch on it takes long enough to be stopped
    store = SweepStore(tmp_path / "kept.sqlite")
    how = {"store": store, "cancelled": lambda: len(first.computed) > 3 * BATCH}
    steps = list(sweep(corpus.documents, corpus.queries, grid, embedder=first, **how))
    first.cache.close()
    assert steps[-1].done < len(grid.settings)
    second = CountedEmbedder(DiskVectors(tmp_path / "kept.sqlite"))
    assert plain(measured(corpus, grid, embedder=second, store=store)) == expected
    assert first.computed
    assert second.computed
    assert not set(first.computed) & set(second.computed)
    third = CountedEmbedder(DiskVectors(tmp_path / "kept.sqlite"))
    assert plain(measured(corpus, grid, embedder=third)) == expected
    assert third.computed == []  # and a run without the store embeds nothing either


def test_r12_cancelling_ends_a_sweep(corpus):
    """R12: nothing more is begun."""
    steps = list(sweep(corpus.documents, corpus.queries, GRID, workers=1, cancelled=lambda: True))
    assert [step.done for step in steps] == [0]


def test_r12_progress_counts_up_and_time_left_comes_down_to_nothing(corpus):
    """R12: every setting is told once."""
    steps = list(sweep(corpus.documents, corpus.queries, GRID, workers=1))
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert sum(len(step.results) for step in steps) == len(GRID.settings)
    assert steps[0].seconds_left is None
    assert steps[-1].seconds_left == 0


def test_r12_a_setting_that_cannot_be_run_is_told_and_the_others_are_measured(corpus, tmp_path):
    """R12: more chunks than the ceiling in one of two; nothing of it is kept."""
    many = [replace(corpus.documents[0], text="ab " * 70_000)]
    query = replace(
        corpus.queries[0], passages=(replace(corpus.queries[0].passages[0], document=many[0].id, start=0, end=2),)
    )
    store = SweepStore(tmp_path / "sweep.sqlite")
    grid = Grid(("fixed",), sizes=(1, 500))
    for _ in range(2):
        steps = list(sweep(many, [query], grid, store=store, workers=1))
        failures = [one for step in steps for one in step.failures]
        assert failures == [Failure(grid.settings[0], failures[0].reason)]
        assert "would be cut into 210,000 chunks" in failures[0].reason
        assert [one.setting for step in steps for one in step.results] == [grid.settings[1]]
        assert steps[-1].done == 2


def die(*_):
    """End this process at once."""
    import os

    os._exit(3)


def test_r12_a_worker_process_that_dies_gets_one_sentence(corpus, monkeypatch):
    """R12: no traceback of pools."""
    import ragchunk_core.sweep

    monkeypatch.setattr(ragchunk_core.sweep, "run_cut", die)
    with (
        ProcessPoolExecutor(1) as executor,
        pytest.raises(ValueError, match="A worker process of the sweep ended without"),
    ):
        list(sweep(corpus.documents, corpus.queries, GRID, executor=executor))


def test_r12_a_file_that_is_no_store_gets_one_sentence(tmp_path):
    """R12: it is not overwritten."""
    path = tmp_path / "notes.txt"
    path.write_text("my notes, which are not a data base " * 20)
    for kind, name in ((SweepStore, "store"), (DiskVectors, "vector cache")):
        with pytest.raises(ValueError, match=f"The {name} '.*notes.txt' cannot be used"):
            kind(path)
    assert path.read_text().startswith("my notes")
