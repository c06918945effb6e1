"""Where chunks lie in three scales, as RAG Chunking Preview tells it: code points, UTF-8 bytes, units (V04)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ragchunk_core.chunking import Chunking
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import IntArray
from ragchunk_core.units import unit_named


@dataclass(frozen=True, eq=False)
class Offsets:
    """Half-open, 0-based ranges of a chunking's chunks, int64, each of shape ``(chunks,)``.

    Attributes:
        byte_starts, byte_ends: In the text's UTF-8 bytes.
        unit_starts, unit_ends: In units of the whole text; a unit that a chunk only touches counts as touched.
        overlaps: Units shared with the chunk before; 0 for the first.
        total: Units of the whole text.
    """

    byte_starts: IntArray
    byte_ends: IntArray
    unit_starts: IntArray
    unit_ends: IntArray
    overlaps: IntArray
    total: int


def offsets_of(chunking: Chunking) -> Offsets:
    """The ranges of every chunk in bytes and units."""
    text, starts, ends = chunking.document.text, chunking.starts, chunking.ends
    units = unit_named(chunking.unit).starts(text)
    # On a unit's start, the first unit that starts there; inside a unit, that unit.
    first = np.searchsorted(units, starts, side="left")
    unit_starts = np.maximum(0, np.minimum(first, np.searchsorted(units, starts, side="right") - 1))
    unit_ends = np.searchsorted(units, ends, side="left")
    shared = np.zeros(len(starts), dtype=np.int64)
    shared[1:] = np.where(starts[1:] < ends[:-1], unit_ends[:-1] - unit_starts[1:], 0)
    return Offsets(
        _byte_offsets(text, starts), _byte_offsets(text, ends), as_offsets(unit_starts), as_offsets(unit_ends),
        as_offsets(shared), len(units),
    )  # fmt: skip


def preview(chunking: Chunking) -> dict[str, Any]:
    """A chunking with all its offsets, ready for JSON, under the keys of RAG Chunking Preview; chunks count from 1."""
    told = offsets_of(chunking)
    columns = (
        told.unit_starts, told.unit_ends, told.byte_starts, told.byte_ends, chunking.starts, chunking.ends,
        told.overlaps,
    )  # fmt: skip
    names = ("unitStart", "unitEnd", "byteStart", "byteEnd", "codePointStart", "codePointEnd", "overlapUnits")
    rows = zip(*(column.tolist() for column in columns), strict=True)
    chunks = [
        {"index": index, **dict(zip(names, row, strict=True)), "text": text}
        for index, (row, text) in enumerate(zip(rows, chunking.texts(), strict=True), start=1)
    ]
    return {
        "unit": chunking.unit, "size": chunking.size, "overlap": chunking.overlap, "totalUnits": told.total,
        "chunks": chunks,
    }  # fmt: skip


def _byte_offsets(text: str, offsets: IntArray) -> IntArray:
    """Code points to UTF-8 bytes: one pass over the text, piece by piece between the offsets."""
    if text.isascii():
        return offsets
    places, where = np.unique(offsets, return_inverse=True)
    before = 0
    sizes = []
    for place in places.tolist():
        sizes.append(len(text[before:place].encode("utf-8")))
        before = place
    return as_offsets(np.cumsum(sizes, dtype=np.int64)[where] if sizes else [])
