"""What a unit of length must do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TypeVar

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


MOST_STARTS = 16_000_000
"""Unit starts that one ``StartsMemory`` holds at most: 128 MB."""


class StartsMemory:
    """Where the units of some texts start, found once for each unit: for many cuts of the same documents."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = frozenset(texts)
        self._known: dict[tuple[str, str], IntArray] = {}
        self._held = 0

    def get(self, unit: str, text: str) -> IntArray | None:
        """The starts that are known, or None."""
        return self._known.get((unit, text))

    def put(self, unit: str, text: str, starts: IntArray) -> None:
        """Keep the starts, where the text is one of those to remember and there is room."""
        if text in self._texts and self._held + len(starts) <= MOST_STARTS:
            self._held += len(starts)
            starts.setflags(write=False)
            self._known[unit, text] = starts


_MEMORY: ContextVar[StartsMemory | None] = ContextVar("starts", default=None)
U = TypeVar("U", bound=Unit)


@contextmanager
def remembered_starts(memory: StartsMemory) -> Iterator[None]:
    """Within it, starts that were found are kept in ``memory`` and looked up there."""
    token = _MEMORY.set(memory)
    try:
        yield
    finally:
        _MEMORY.reset(token)


def remember_starts(starts: Callable[[U, str], IntArray]) -> Callable[[U, str], IntArray]:
    """For a unit's ``starts`` that takes long: looked up where ``remembered_starts`` is in force."""

    @wraps(starts)
    def looked_up(unit: U, text: str) -> IntArray:
        if (memory := _MEMORY.get()) is None:
            return starts(unit, text)
        if (known := memory.get(unit.name, text)) is None:
            known = starts(unit, text)
            memory.put(unit.name, text, known)
        return known

    return looked_up
