"""One task of a sweep: cut the documents one way, rank the chunks by every method that is asked, measure (R12).

It runs in any process. What all tasks share (documents, questions, model) is one ``Work``, sent to a worker once; the
work that settings share is done once a worker: token boundaries, query vectors, the vector of a chunk's text whichever
setting made it, and one cut, index and judgement for all methods.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunking import chunk
from ragchunk_core.evaluation import Scores, score_judged
from ragchunk_core.judging import Pool, judge
from ragchunk_core.metrics import MRR_DEPTH, context_at_k
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.sweep_grid import Setting
from ragchunk_core.types import Document, FloatArray, Query
from ragchunk_core.units.base import StartsMemory, remembered_starts

if TYPE_CHECKING:
    from ragchunk_core.embedders import Embedder

_HELD = 4_000_000  # entries of the tables with one column a chunk and one row a question that are held at once


class StoppedError(Exception):
    """The sweep was cancelled while the model was at work."""


@dataclass(frozen=True, eq=False)
class Result:
    """What one setting gave.

    Attributes:
        means: Means over the judged queries by the names of ``sweep.COLUMNS``.
        recall: Recall@k of each judged query, in the queries' order.
        chunks: How many chunks there are.
        vectors: How many vectors the index holds: 0 without an embedding model; blank chunks have none.
        index_bytes: What the index holds: vectors as float32, and BM25's postings as bm25s stores them.
    """

    setting: Setting
    means: dict[str, float]
    recall: FloatArray
    chunks: int
    vectors: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A setting that cannot be run, and the sentence that says why."""

    setting: Setting
    reason: str


@dataclass(eq=False)
class Work:
    """What all tasks of a sweep share.

    Attributes:
        model, dtype: Of the embedding model, by which a worker loads its own.
        vectors: File of the disk cache of vectors, or None.
        embedder: Where the tasks run in this process: the model itself.
        look: Called with texts embedded and texts to embed; may raise to stop.
    """

    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    k: int
    theta: float
    analyzer: str
    rrf_k: int
    model: str
    dtype: str
    vectors: str | None = None
    embedder: Embedder | None = None
    look: Callable[[int, int], None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**own, "embedder": None, "look": None}  # a worker has its own

    @cached_property
    def starts(self) -> StartsMemory:
        """Where the units of the documents start."""
        return StartsMemory(one.text for one in self.documents)

    @cached_property
    def texts(self) -> list[str]:
        """The judged queries, as asked."""
        return [query.text for query in self.judged]

    @cached_property
    def judged(self) -> list[Query]:
        """The queries that have passages."""
        return [query for query in self.queries if query.passages]

    @cached_property
    def _model(self) -> Embedder:
        from ragchunk_core.disk_vectors import DiskVectors
        from ragchunk_core.embedders import Embedder

        if self.embedder is not None:
            return self.embedder
        return Embedder(self.model, self.dtype, DiskVectors(self.vectors) if self.vectors else None)

    def embed(self, texts: Sequence[str]) -> Any:
        """Vectors of documents' texts."""
        return self._model.encode(texts, progress=self.look)

    @cached_property
    def query_vectors(self) -> Any:
        """Vectors of the judged queries."""
        return self._model.encode(self.texts, role="query", progress=self.look)


def send_by_file(work: Work, folder: Path) -> str:
    """Write the work for processes of this machine, each of which reads it once; what to give to ``run_cut``."""
    path = folder / "work.pickle"
    path.write_bytes(pickle.dumps(work))
    return str(path)


@lru_cache(maxsize=1)
def _read(path: str) -> Work:
    work = pickle.loads(Path(path).read_bytes())
    assert isinstance(work, Work)
    return work


def run_cut(handle: Work | str, settings: Sequence[Setting]) -> list[Result | Failure]:
    """Cut once, and measure every setting; they may differ in their method only.

    Args:
        handle: The work, or the file that it was written to.
    """
    work = _read(handle) if isinstance(handle, str) else handle
    chunker, arguments = settings[0].cut
    try:
        with remembered_starts(work.starts):
            pool = Pool(tuple(chunk(list(work.documents), chunker, embed=work.embed, **arguments)))
            index = _Index(work, pool, [setting.method for setting in settings])
            parts = [index.scores(rows) for rows in _parts(len(work.judged), len(pool))]
            return [_result(setting, index, [part[setting.method] for part in parts]) for setting in settings]
    except ValueError as error:
        return [Failure(setting, str(error)) for setting in settings]


def _parts(queries: int, chunks: int) -> Iterator[slice]:
    step = max(1, _HELD // max(1, chunks))
    return (slice(start, start + step) for start in range(0, queries, step))


class _Index:
    """The chunks of one cut, indexed for all methods that are asked or fused."""

    def __init__(self, work: Work, pool: Pool, methods: Sequence[str]) -> None:
        self.work, self.pool = work, pool
        self.methods = list(dict.fromkeys(methods))
        single = dict.fromkeys(part for method in self.methods for part in METHODS[method].fuses or (method,))
        self.depth = None if any(METHODS[method].fuses for method in self.methods) else max(work.k, MRR_DEPTH)
        texts = pool.indexed_texts()
        self.indices = {method: self._indexed(method, texts) for method in single}

    def _indexed(self, method: str, texts: list[str]) -> Any:
        if METHODS[method].needs_vectors:
            return self.work.embed(texts)
        if method == "okapi":
            from ragchunk_core.retrievers.okapi import OkapiIndex

            return OkapiIndex(texts)
        from ragchunk_core.retrievers.bm25 import Bm25Index

        return Bm25Index(texts, analyzer=self.work.analyzer)

    def size(self, method: str) -> tuple[int, int]:
        """How many vectors an index for the method holds, and how many bytes."""
        vectors = nbytes = 0
        for part in METHODS[method].fuses or (method,):
            if METHODS[part].needs_vectors:
                many = int(np.count_nonzero(self.indices[part].any(axis=1)))
                vectors, nbytes = vectors + many, nbytes + many * self.indices[part].shape[1] * 4
            else:
                nbytes += self.indices[part].nbytes
        return vectors, nbytes

    def scores(self, rows: slice) -> dict[str, tuple[Scores, FloatArray]]:
        """For some of the judged queries: scores, and characters in the top k, by method."""
        queries = self.work.judged[rows]
        judgements = [judge(self.pool, query, self.work.theta) for query in queries]
        rankings = {method: self._ranked(method, rows) for method in self.indices}
        found = {}
        for method in self.methods:
            if fuses := METHODS[method].fuses:
                from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion

                parts = [rankings[part] for part in fuses]
                rankings[method] = reciprocal_rank_fusion(parts, k=self.work.rrf_k)
            ranked = rankings[method]
            scores = score_judged(self.pool, ranked, np.arange(len(queries)), judgements, self.work.k)
            found[method] = scores, context_at_k(ranked.ids, self.pool.ends - self.pool.starts, self.work.k)
        return found

    def _ranked(self, method: str, rows: slice) -> Rankings:
        if METHODS[method].needs_vectors:
            from ragchunk_core.retrievers.dense import dense_rankings

            return dense_rankings(self.indices[method], self.work.query_vectors[rows], self.depth)
        found: Rankings = self.indices[method].search(self.work.texts[rows], self.depth)
        return found


def _result(setting: Setting, index: _Index, parts: Sequence[tuple[Scores, FloatArray]]) -> Result:
    """One setting's parts put together."""
    columns = {
        "recall": [scores.recall for scores, _ in parts],
        "mrr": [scores.reciprocal_rank for scores, _ in parts],
        "ndcg": [scores.ndcg for scores, _ in parts],
        "context": [scores.context for scores, _ in parts],
        "characters": [characters for _, characters in parts],
        "precision": [scores.precision for scores, _ in parts],
        "ceiling": [scores.ceiling for scores, _ in parts],
    }
    whole = {name: np.concatenate(values) for name, values in columns.items()}
    vectors, nbytes = index.size(setting.method)
    means = {name: float(values.mean()) for name, values in whole.items()}
    return Result(setting, means, whole["recall"], len(index.pool), vectors, nbytes)
