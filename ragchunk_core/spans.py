"""Arithmetic on arrays of half-open spans. Every function is linear or n log n in the number of spans."""

from __future__ import annotations

import numpy as np

from ragchunk_core.types import IntArray


def as_offsets(values: object) -> IntArray:
    """A read-only int64 array, so that a cached result cannot be changed by its reader."""
    array = np.array(values, dtype=np.int64).reshape(-1)
    array.setflags(write=False)
    return array


def union(starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """The same points as disjoint spans, sorted; spans that touch are joined and empty ones dropped."""
    keep = ends > starts
    starts, ends = starts[keep], ends[keep]
    if not len(starts):
        return as_offsets([]), as_offsets([])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    first = np.concatenate(([True], starts[1:] > ends[:-1]))
    last = np.concatenate((first[1:], [True]))
    return as_offsets(starts[first]), as_offsets(ends[last])


def covered(starts: IntArray, ends: IntArray) -> int:
    """How many points lie in at least one span."""
    low, high = union(starts, ends)
    return int((high - low).sum())


def overlap_with(starts: IntArray, ends: IntArray, start: int, end: int) -> IntArray:
    """For each span, how many of its points lie in ``[start, end)``; spans that only touch share none."""
    shared: IntArray = np.maximum(0, np.minimum(ends, end) - np.maximum(starts, start))
    return shared


def points_inside(starts: IntArray, ends: IntArray, low: IntArray, high: IntArray) -> IntArray:
    """For each span, how many of its points lie in the union of ``[low, high)``, itself disjoint and sorted."""
    if not len(low):
        return np.zeros(len(starts), dtype=np.int64)
    before = np.concatenate(([0], np.cumsum(high - low)))

    def up_to(points: IntArray) -> IntArray:
        index = np.searchsorted(low, points, side="right")
        inside = np.where(index > 0, points - low[index - 1], 0)
        size = np.where(index > 0, (high - low)[index - 1], 0)
        return before[np.maximum(index - 1, 0)] + np.minimum(inside, size)

    return up_to(ends) - up_to(starts)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its two ends (what ``str.strip`` removes); may be empty."""
    if start < end <= len(text) and not text[start].isspace() and not text[end - 1].isspace():
        return start, end  # without a copy
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left == len(piece):
        return end, end
    return start + left, start + len(piece.rstrip())
