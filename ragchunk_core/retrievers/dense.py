"""Ranking by cosine similarity of vectors (row R02), with an order that does not depend on how the sums are
done."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.products import product
from ragchunk_core.retrievers.rankings import FloatArray, IntArray, Rankings, check_depth, rank_row, ranked

_GRID = 2.0**26
_FEW = 8  # chunks for each one that is asked for, from which on most are told apart in single precision
_BLOCK = 4_000_000  # scores held at once, 32 MB


class DenseIndex:
    """Exact search among the vectors of some chunks, by cosine.

    A matrix product in floating point gives slightly other sums for other shapes, threads and processors, and
    so other ranks among near ties. Here each component is first rounded to a multiple of 2 ** -26 (finer than
    single precision keeps a cosine). Products and sums of such numbers are exact in double precision,
    whatever their order, so equal vectors tie exactly and a chunk's score is the same in every batch and on
    every machine.

    Args:
        chunk_vectors: Shape (chunks, dimension), each row of length 1, or all zeros for a blank chunk: that
            one is never found.

    Raises:
        ValueError: If it has not two dimensions, or a row's length is neither 1 nor 0.
    """

    def __init__(self, chunk_vectors: NDArray[np.float32]) -> None:
        self._seen = _lengths("chunk_vectors", chunk_vectors) > 0
        self._table = np.asarray(chunk_vectors)
        self._blank = np.flatnonzero(~self._seen)

    def search(self, query_vectors: NDArray[np.float32], depth: int | None = None) -> Rankings:
        """All chunks for each query, by cosine and then by index.

        Args:
            query_vectors: Shape (queries, dimension), each row of length 1; a blank query, all zeros, finds nothing.
            depth: How many chunks to keep for each query; default all.

        Raises:
            ValueError: If shapes do not fit, or a row's length is neither 1 nor 0.
        """
        check_depth(depth)
        _lengths("query_vectors", query_vectors)
        if self._table.shape[1] != np.shape(query_vectors)[1]:
            raise ValueError(
                f"query_vectors must have the dimension of chunk_vectors, {self._table.shape[1]}, "
                f"not {np.shape(query_vectors)[1]}."
            )
        queries = _on_grid(query_vectors)
        if depth is not None and _FEW * depth < len(self._table):
            return Rankings.of(self._best(queries, depth))
        chunks = _on_grid(self._table)
        blocks = _blocks(queries, len(chunks))
        return Rankings.of(pair for block in blocks for pair in _ranked_block(chunks, block, depth))

    def _best(self, queries: FloatArray, depth: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """The first ``depth`` of each query, the same to the bit as by ``_ranked_block``, at a small part of its cost.

        A product in single precision says which chunks can be among them: it is off by less than ``margin`` (dimension
        times 2 ** -24 for vectors of length 1, whatever the order of the sums: Higham, "Accuracy and Stability of
        Numerical Algorithms", 2002, section 3.1; and some for rounding to the grid). Only those are scored exactly.
        """
        table = np.asarray(self._table, dtype=np.float32)
        margin = 1.01 * (table.shape[1] + 64) * 2.0**-24
        for block in _blocks(queries, len(table)):
            for query, row in zip(block, _rough(table, (block / _GRID).astype(np.float32)), strict=True):
                row[self._blank] = -np.inf
                last = np.partition(row, len(row) - depth)[len(row) - depth]
                near = np.flatnonzero((row >= last - 2 * margin) & self._seen if query.any() else [])
                scores: FloatArray = (_on_grid(self._table[near]) @ query) / _GRID**2
                order, best = rank_row(scores, np.ones(len(near), dtype=np.bool_), depth)
                yield near[order].astype(np.int64), best


def dense_rankings(
    chunk_vectors: NDArray[np.float32], query_vectors: NDArray[np.float32], depth: int | None = None
) -> Rankings:
    """Rank all chunks for each query by the cosine of their vectors; see ``DenseIndex``."""
    return DenseIndex(chunk_vectors).search(query_vectors, depth)


def _lengths(argument: str, vectors: NDArray[np.float32]) -> FloatArray:
    table = np.asarray(vectors)
    if table.ndim != 2:
        raise ValueError(f"{argument} must have two dimensions (rows, dimension), not {table.ndim}.")
    lengths: FloatArray = np.sqrt(np.vecdot(table, table))
    bad = np.flatnonzero(~((np.abs(lengths - 1) < 1e-3) | (lengths == 0)))
    if len(bad):
        # Also what keeps every partial sum below 2 ** 53, where whole numbers are exact.
        raise ValueError(f"{argument}[{bad[0]}] must have length 1 (or be all zeros), not {lengths[bad[0]]:.4g}.")
    return lengths


def _on_grid(vectors: NDArray[np.float32]) -> FloatArray:
    return np.rint(np.asarray(vectors, dtype=np.float64) * _GRID)


def _rough(table: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines in single precision, shape (queries, chunks); one query alone goes row by row, twice as fast as BLAS."""
    rough: NDArray[np.float32] = np.vecdot(table, queries[0])[np.newaxis] if len(queries) == 1 else queries @ table.T
    return rough


def _blocks(queries: FloatArray, chunks: int) -> Iterator[FloatArray]:
    step = max(1, _BLOCK // max(1, chunks))
    for start in range(0, len(queries), step):
        yield queries[start : start + step]


def _ranked_block(chunks: FloatArray, queries: FloatArray, depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
    scores = product(queries, chunks.T) / _GRID**2
    found = np.logical_and.outer(np.any(queries != 0, axis=1), np.any(chunks != 0, axis=1))
    rankings = ranked(scores, positive_only=False, found=found, depth=depth)
    yield from zip(rankings.ids, rankings.scores, strict=True)
