"""Words: runs of non-white-space (U02)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, counts_array

# \S and str.split differ on U+001C-U+001F: re counts them as white space too, so one rule serves both.
_WORD = re.compile(r"\S+")


class Words(Unit):
    """Words with the white space around them.

    Leading white space belongs to the first word, following white space to the word before it; white space
    alone is one unit, nothing is none.
    """

    name = "words"
    label = "words"
    short = "words"
    help = "Runs of non-white-space; white space belongs to the word before it."

    def counts(self, pieces: Sequence[str]) -> IntArray:
        return counts_array([len(piece.split()) or (1 if piece else 0) for piece in pieces])

    def starts(self, text: str) -> IntArray:
        found = [match.start() for match in _WORD.finditer(text)]
        if not found:
            return counts_array([0] if text else [])
        found[0] = 0
        return counts_array(found)
