"""Estimates of a token count that need no vocabulary (U04, U05, U06)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, counts_array

# The pre-tokeniser of cl100k_base, as tiktoken has it (MIT): https://github.com/openai/tiktoken
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"""
    r"""|\s*[\r\n]|\s+(?!\S)|\s"""
)
_PIECE = regex.compile(CL100K_PATTERN)
_LONGEST = 9  # characters of a piece that are taken for one token

# Han, kana, bopomofo, Hangul, and their punctuation and full-width forms.
_CJK = regex.compile(
    r"[\u1100-\u11ff\u2e80-\u303f\u3040-\u318f\u31a0-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)


class ApproximateTokens(Unit):
    """About cl100k: its own pieces; up to nine characters are one token, longer ones one per nine, rounded up."""

    name = "tokens"
    label = "tokens (≈ cl100k)"
    short = "≈tok"
    help = "cl100k's own pre-tokeniser; a piece of up to 9 characters is one token, longer ones one per 9."
    exact = False

    def counts(self, pieces: Sequence[str]) -> IntArray:
        return counts_array(
            [sum((len(part) + _LONGEST - 1) // _LONGEST for part in _PIECE.findall(piece)) for piece in pieces]
        )

    def starts(self, text: str) -> IntArray:
        return counts_array(
            [start for part in _PIECE.finditer(text) for start in range(part.start(), part.end(), _LONGEST)]
        )


class QuarterCharacters(Unit):
    """Trimmed characters / 4, halves up, at least 1; no text is no token."""

    name = "chars4"
    label = "tokens (≈ characters / 4)"
    short = "≈tok"
    help = "max(1, round(trimmed characters / 4)): an average of English prose, wrong for code and other languages."
    exact = False

    def counts(self, pieces: Sequence[str]) -> IntArray:
        return counts_array([max(1, (len(piece.strip()) + 2) // 4) if piece else 0 for piece in pieces])

    def starts(self, text: str) -> IntArray:
        return np.arange(0, len(text), 4, dtype=np.int64)


class LatinAndCjk(Unit):
    """Characters / 3.8, rounded up, and one for each Chinese, Japanese or Korean character."""

    name = "chars38"
    label = "tokens (≈ characters / 3.8, CJK 1 each)"
    short = "≈tok"
    help = "Characters / 3.8 rounded up, and one token for each Chinese, Japanese or Korean character."
    exact = False

    def counts(self, pieces: Sequence[str]) -> IntArray:
        cjk = [len(_CJK.findall(piece)) for piece in pieces]
        return counts_array([c + -(-(len(piece) - c) * 5 // 19) for piece, c in zip(pieces, cjk, strict=True)])

    def starts(self, text: str) -> IntArray:
        ends = np.full(len(text), 5, dtype=np.int64)  # in nineteenths of a token: 1 / 3.8 = 5 / 19
        ends[[match.start() for match in _CJK.finditer(text)]] = 19
        np.cumsum(ends, out=ends)
        units = -(-int(ends[-1]) // 19) if text else 0
        return np.searchsorted(ends, np.arange(units, dtype=np.int64) * 19, side="right")
