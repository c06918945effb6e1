"""Exact tokens of OpenAI's encodings by tiktoken, with no network (U03).

Special-token text such as ``<|endoftext|>`` in a document is ordinary text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, counts_array

if TYPE_CHECKING:
    import tiktoken

# Cut off before BPE, so pieces joined by it are tokenised as if each stood alone: one call counts many.
_JOINT = "<|endoftext|>"


class Tiktoken(Unit):
    """Tokens of one encoding: ``cl100k`` (GPT-4, text-embedding-3) or ``o200k`` (GPT-4o and later)."""

    def __init__(self, name: str, help: str) -> None:
        self.name = name
        self.label = f"tokens ({name} exact)"
        self.short = "tok"
        self.help = help

    @cached_property
    def encoding(self) -> tiktoken.Encoding:
        """The encoding, loaded at first use from the vocabulary that a package brings."""
        from ragchunk_core.units.vocabularies import load

        return load(f"{self.name}_base")

    @cached_property
    def _byte_lengths(self) -> IntArray:
        lengths = np.zeros(self.encoding.n_vocab, dtype=np.int64)
        for token, rank in self.encoding._mergeable_ranks.items():
            lengths[rank] = len(token)
        return lengths

    def ids(self, text: str) -> IntArray:
        """The token ids of ``text``."""
        return self.encoding.encode_to_numpy(text, disallowed_special=()).astype(np.int64)

    def count(self, text: str) -> int:
        return len(self.encoding.encode_to_numpy(text, disallowed_special=()))

    def counts(self, pieces: Sequence[str]) -> IntArray:
        if not pieces:
            return counts_array([])
        joined = _JOINT.join(pieces)
        if joined.count(_JOINT) != len(pieces) - 1:
            return counts_array([self.count(piece) for piece in pieces])
        tokens = self.encoding.encode_to_numpy(joined, allowed_special={_JOINT}, disallowed_special=())
        joints = np.flatnonzero(tokens == self.encoding.encode_single_token(_JOINT))
        lengths: IntArray = np.diff(np.concatenate(([-1], joints, [len(tokens)]))) - 1
        return lengths

    def starts(self, text: str) -> IntArray:
        lengths = self._byte_lengths[self.ids(text)]
        byte_starts = np.cumsum(lengths) - lengths
        if text.isascii():
            return byte_starts
        data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
        characters: IntArray = (
            np.cumsum((data & 0xC0) != 0x80) - 1
        )  # continuation bytes belong to the lead byte's character
        starts: IntArray = characters[byte_starts]
        return starts


CL100K = Tiktoken("cl100k", "Exact cl100k_base tokens (GPT-4, text-embedding-3), counted by tiktoken.")
O200K = Tiktoken("o200k", "Exact o200k_base tokens (GPT-4o and later), counted by tiktoken.")
