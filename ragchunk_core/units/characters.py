"""Characters: Unicode code points, as Python's ``len`` counts them (U01)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, counts_array


class Characters(Unit):
    """Code points; neither bytes nor displayed graphemes."""

    name = "chars"
    label = "characters"
    short = "ch"
    help = "Unicode code points, as Python's len counts them."

    def count(self, text: str) -> int:
        return len(text)

    def counts(self, pieces: Sequence[str]) -> IntArray:
        return counts_array([len(piece) for piece in pieces])

    def starts(self, text: str) -> IntArray:
        return np.arange(len(text), dtype=np.int64)

    def slice_counts(self, text: str, starts: IntArray, ends: IntArray) -> IntArray:
        return ends - starts
