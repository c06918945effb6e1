"""Where a text stands in a document: exactly, but for white space, or nearly (R13, R14). Never guessed.

Three searches, each tried only where the one before found nothing:

- *exact*: every place where the text occurs;
- *spaces*: the same with all white space left out on both sides, for splitters that strip lines and join blocks;
- *fuzzy*: stretches of 16 visible characters of the text vote for the places where they occur; at the places with most
  votes rapidfuzz aligns the whole text, white space left out; its score, from 0 to 1, is the indel similarity of the
  text to the best stretch of the same length or less. Below ``FUZZY_FLOOR`` it is no place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragchunk_core.types import IntArray

FUZZY_FLOOR = 0.9
"""The lowest score of a fuzzy place."""
_SEED = 16
_MOST_SEEDS = 64  # of one text
_MOST_HITS = 8  # of one seed: one that occurs more often tells nothing
_TRIED = 4  # places that are aligned


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a document, and how near it comes to the text.

    Attributes:
        how: ``exact``, ``spaces`` or ``fuzzy``; for chunks that came with offsets that hold, ``offsets``.
        score: 1 for all but fuzzy places.
    """

    start: int
    end: int
    how: str
    score: float = 1.0


class Searched:
    """One document's text, prepared to be searched many times."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _visible(self) -> IntArray:
        """Offsets of the characters that are no white space."""
        return np.array([place for place, letter in enumerate(self.text) if not letter.isspace()], dtype=np.int64)

    @cached_property
    def _compact(self) -> str:
        return "".join(self.text.split())

    def places(self, text: str) -> list[Place]:
        """Every place of the first kind that finds any, in order; fuzzy ones only the best, unless several are as good.

        A text without a visible character is nowhere.
        """
        wanted = "".join(text.split())
        if not wanted:
            return []
        if found := [Place(start, start + len(text), "exact") for start in _all(self.text, text)]:
            return found
        if found := [self._span(start, start + len(wanted), "spaces") for start in _all(self._compact, wanted)]:
            return found
        return self._fuzzy(wanted)

    def _span(self, start: int, end: int, how: str, score: float = 1.0) -> Place:
        """A range of visible characters as a range of the text."""
        return Place(int(self._visible[start]), int(self._visible[end - 1]) + 1, how, score)

    def _fuzzy(self, wanted: str) -> list[Place]:
        from rapidfuzz import fuzz

        found: dict[tuple[int, int], float] = {}
        for diagonal in self._diagonals(wanted):
            around = max(32, len(wanted) // 8)
            low = max(0, diagonal - around)
            window = self._compact[low : max(0, diagonal + len(wanted) + around)]
            best = fuzz.partial_ratio_alignment(wanted, window) if len(window) >= len(wanted) // 2 else None
            if best is not None and best.score >= 100 * FUZZY_FLOOR and best.dest_end > best.dest_start:
                # Where the document's end cuts the window short, rapidfuzz aligns a part of the text with all of it.
                whole = best.src_end - best.src_start >= FUZZY_FLOOR * len(wanted)
                if whole:
                    found[low + best.dest_start, low + best.dest_end] = best.score / 100
        top = max(found.values(), default=0.0)
        kept: list[tuple[int, int]] = []
        for span, score in sorted(found.items(), key=lambda one: -one[1]):
            if score >= top - 0.02 and all(span[0] >= end or span[1] <= start for start, end in kept):
                kept.append(span)
        return [self._span(start, end, "fuzzy", found[start, end]) for start, end in sorted(kept)]

    def _diagonals(self, wanted: str) -> list[int]:
        """Where the text would start by the stretches that it shares with the document, most votes first."""
        step = max(1, len(wanted) // _MOST_SEEDS)
        votes: Counter[int] = Counter()
        for offset in range(0, max(1, len(wanted) - _SEED + 1), step):
            seed = wanted[offset : offset + _SEED]
            hits = _all(self._compact, seed, _MOST_HITS + 1)
            if len(hits) <= _MOST_HITS:
                votes.update((hit - offset) // _SEED * _SEED for hit in hits)
        return [diagonal for diagonal, _ in votes.most_common(_TRIED)]


def _all(text: str, wanted: str, most: int | None = None) -> list[int]:
    """Every place where ``wanted`` occurs, overlapping ones too."""
    found: list[int] = []
    start = text.find(wanted)
    while start >= 0 and (most is None or len(found) < most):
        found.append(start)
        start = text.find(wanted, start + 1)
    return found
