"""The embedding model's own word pieces (U07)."""

from __future__ import annotations

from collections.abc import Sequence

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, remember_starts


class WordPieceUnit(Unit):
    """Word pieces of all-MiniLM-L6-v2, without the two special tokens that the model adds to each text."""

    name = "wordpieces"
    label = "word pieces (MiniLM)"
    short = "wp"
    help = "The default embedding model's own tokens, without its two special ones; it reads 254 of them."

    def counts(self, pieces: Sequence[str]) -> IntArray:
        from ragchunk_core.wordpieces import word_pieces

        return word_pieces().counts(pieces)

    @remember_starts
    def starts(self, text: str) -> IntArray:
        from ragchunk_core.wordpieces import word_pieces

        return word_pieces().starts(text)
