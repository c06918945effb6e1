"""What a unit of length must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ragchunk_core.types import IntArray


class Unit(ABC):
    """A way of measuring text.

    Attributes:
        name: Name in the registry and in links.
        label: What a person reads.
        short: Abbreviation behind a number.
        help: One line: how it counts.
        exact: False for estimates.
    """

    name: str
    label: str
    short: str
    help: str
    exact: bool = True

    def count(self, text: str) -> int:
        """The length of one text."""
        return int(self.counts([text])[0])

    @abstractmethod
    def counts(self, pieces: Sequence[str]) -> IntArray:
        """The length of each piece counted by itself, shape ``(len(pieces),)``."""

    def counts_up_to(self, pieces: Sequence[str], limit: int) -> IntArray:
        """Like ``counts``, but of a piece with ``limit`` units or more any number from ``limit`` on may be said."""
        return self.counts(pieces)

    @abstractmethod
    def starts(self, text: str) -> IntArray:
        """Where each unit of ``text`` starts, in code points, ascending.

        A unit that starts inside a character (half of an emoji's bytes) is given that character's start, so
        values may repeat and a cut at any of them keeps characters whole.
        """

    def slice_counts(self, text: str, starts: IntArray, ends: IntArray) -> IntArray:
        """The length of each slice ``text[start:end]`` counted by itself."""
        return self.counts([text[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])


def counts_array(values: Sequence[int]) -> IntArray:
    """Counts as int64, also for no pieces at all."""
    return np.array(values, dtype=np.int64).reshape(-1)
