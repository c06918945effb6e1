"""Ranking by cosine similarity of vectors (row R02), with an order that does not depend on how the sums are
done."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.retrievers.rankings import FloatArray, IntArray, Rankings, check_depth, ranked

_GRID = 2.0**26
_BLOCK = 4_000_000  # scores held at once, 32 MB


def dense_rankings(
    chunk_vectors: NDArray[np.float32], query_vectors: NDArray[np.float32], depth: int | None = None
) -> Rankings:
    """Rank all chunks for each query by the cosine of their vectors, exact search, ties by chunk index.

    A matrix product in floating point gives slightly other sums for other shapes, threads and processors, and
    so other ranks among near ties. Here each component is first rounded to a multiple of 2 ** -26 (finer than
    single precision keeps a cosine). Products and sums of such numbers are exact in double precision,
    whatever their order, so equal vectors tie exactly and a chunk's score is the same in every batch and on
    every machine.

    Args:
        chunk_vectors: Shape (chunks, dimension), each row of length 1, or all zeros for a blank chunk: that
            one is never found.
        query_vectors: Shape (queries, dimension), likewise; a blank query finds nothing.
        depth: How many chunks to keep for each query; default all.

    Raises:
        ValueError: If shapes do not fit, or a row's length is neither 1 nor 0.
    """
    check_depth(depth)
    chunks = _on_grid("chunk_vectors", chunk_vectors)
    queries = _on_grid("query_vectors", query_vectors)
    if chunks.shape[1] != queries.shape[1]:
        raise ValueError(
            f"query_vectors must have the dimension of chunk_vectors, {chunks.shape[1]}, not {queries.shape[1]}."
        )
    return Rankings.of(pair for block in _blocks(queries, len(chunks)) for pair in _ranked_block(chunks, block, depth))


def _on_grid(argument: str, vectors: NDArray[np.float32]) -> FloatArray:
    table = np.asarray(vectors, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"{argument} must have two dimensions (rows, dimension), not {table.ndim}.")
    lengths = np.sqrt(np.einsum("ij,ij->i", table, table))
    bad = np.flatnonzero(~((np.abs(lengths - 1) < 1e-3) | (lengths == 0)))
    if len(bad):
        # Also what keeps every partial sum below 2 ** 53, where whole numbers are exact.
        raise ValueError(f"{argument}[{bad[0]}] must have length 1 (or be all zeros), not {lengths[bad[0]]:.4g}.")
    return np.rint(table * _GRID)


def _blocks(queries: FloatArray, chunks: int) -> Iterator[FloatArray]:
    step = max(1, _BLOCK // max(1, chunks))
    for start in range(0, len(queries), step):
        yield queries[start : start + step]


def _ranked_block(chunks: FloatArray, queries: FloatArray, depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
    scores = (queries @ chunks.T) / _GRID**2
    found = np.logical_and.outer(np.any(queries != 0, axis=1), np.any(chunks != 0, axis=1))
    rankings = ranked(scores, positive_only=False, found=found, depth=depth)
    yield from zip(rankings.ids, rankings.scores, strict=True)
