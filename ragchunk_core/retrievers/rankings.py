"""What every retriever returns: per query the chunks that it found, best first.

This file knows nothing of how scores are made. Order is by score, and exact ties are broken by chunk index,
so that a result is the same on every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rankings:
    """The chunks found for each query: ``ids[q]`` are chunk indices, best first, ``scores[q]`` their scores.

    A chunk that was not found (no word in common, a blank chunk) is in neither; the arrays of one query have
    equal length, those of different queries need not. All arrays are read-only.
    """

    ids: tuple[IntArray, ...]
    scores: tuple[FloatArray, ...]

    def __post_init__(self) -> None:
        shapes = [[array.shape for array in column] for column in (self.ids, self.scores)]
        if shapes[0] != shapes[1] or any(len(shape) != 1 for shape in shapes[0]):
            raise ValueError("ids and scores must hold one-dimensional arrays of equal lengths, one for each query.")
        for array in (*self.ids, *self.scores):
            array.setflags(write=False)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.ids)

    def top(self, depth: int) -> Rankings:
        """The same rankings cut after the first ``depth`` chunks of each query."""
        check_depth(depth)
        return Rankings(tuple(ids[:depth] for ids in self.ids), tuple(scores[:depth] for scores in self.scores))

    @classmethod
    def of(cls, ranked_queries: Iterable[tuple[IntArray, FloatArray]]) -> Rankings:
        """Rankings from one (ids, scores) pair a query."""
        pairs = list(ranked_queries)
        return cls(tuple(ids for ids, _ in pairs), tuple(scores for _, scores in pairs))


def rank_row(scores: FloatArray, found: BoolArray, depth: int | None = None) -> tuple[IntArray, FloatArray]:
    """The indices where ``found`` holds, by falling score and then by index, and their scores.

    ``depth`` keeps the first so many. Only the part that is kept gets sorted.
    """
    ids = np.flatnonzero(found).astype(np.int64, copy=False)
    kept = scores[ids]
    if depth is not None and depth < len(ids):
        # Everything at least as good as the last place stays, so that a tie there is settled by index below.
        last_place = np.partition(kept, len(kept) - depth)[len(kept) - depth]
        good = kept >= last_place
        ids, kept = ids[good], kept[good]
    order = np.argsort(-kept, kind="stable")[:depth]
    return ids[order], kept[order]


def ranked(
    scores: FloatArray,
    *,
    positive_only: bool,
    found: BoolArray | None = None,
    depth: int | None = None,
) -> Rankings:
    """Rankings from a matrix of scores, one row a query and one column a chunk.

    Found are the chunks where ``found`` (same shape; default all) holds and, with ``positive_only``, whose
    score is above 0. Raises ValueError when a score is not a number or a shape does not fit.
    """
    check_depth(depth)
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores must have two dimensions (queries, chunks), not {table.ndim}.")
    if np.isnan(table).any():
        raise ValueError("scores must be numbers, but some are NaN.")
    mask = np.ones(table.shape, dtype=np.bool_) if found is None else np.asarray(found, dtype=np.bool_)
    if mask.shape != table.shape:
        raise ValueError(f"found must have the shape of scores, {table.shape}, not {mask.shape}.")
    if positive_only:
        mask = mask & (table > 0)
    return Rankings.of(rank_row(row, row_mask, depth) for row, row_mask in zip(table, mask, strict=True))


def check_depth(depth: int | None) -> None:
    """Raise ValueError unless ``depth`` is None (everything) or a whole number of at least 1."""
    if depth is not None and (not isinstance(depth, int | np.integer) or isinstance(depth, bool) or depth < 1):
        raise ValueError(f"depth must be None or a whole number of at least 1, not {depth!r}.")


def check_texts(argument: str, texts: Sequence[str]) -> list[str]:
    """``texts`` as a list; ValueError when it is one bare string, which would be read letter by letter."""
    if isinstance(texts, str | bytes):
        raise ValueError(f"{argument} must be a list of strings, not one {type(texts).__name__}; put it in a list.")
    listed = list(texts)
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(f"{argument}[{index}] must be a string, not {type(text).__name__}.")
    return listed
