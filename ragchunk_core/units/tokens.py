"""Exact tokens of OpenAI's encodings by tiktoken, with no network (U03).

Special-token text such as ``<|endoftext|>`` in a document is ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit, counts_array, remember_starts

if TYPE_CHECKING:
    import tiktoken

# Cut off before BPE, so pieces joined by it are tokenised as if each stood alone: one call counts many.
_JOINT = "<|endoftext|>"

_LONG = 40
"""Characters above which a piece is counted by its words, where there are many such pieces."""
_WORTH_WORDS = 1_000
"""Characters in all from which on that pays."""
_WORTH_SEGMENTS = 50_000
"""Characters from which on a text's tokens are found by its distinct segments."""
_BLOCK = 2_000_000
"""Characters of a text that are taken at once for that, so that memory stays a small multiple of the text's."""
_CUT = re.compile(r"(?<=\S) ")
_UNFIT = 1 << 40
"""Stands for the count of a word that ends in white space, after which a space might go on with it."""
_REMEMBERED = 200_000
"""Counts of short pieces that are remembered at most (some 20 MB) before all are forgotten."""


class Tiktoken(Unit):
    """Tokens of one encoding: ``cl100k`` (GPT-4, text-embedding-3) or ``o200k`` (GPT-4o and later)."""

    def __init__(self, name: str, help: str) -> None:
        self.name = name
        self.label = f"tokens ({name} exact)"
        self.short = "tok"
        self.help = help
        self._memory: dict[str, int] = {}

    @cached_property
    def encoding(self) -> tiktoken.Encoding:
        """The encoding, loaded at first use from the vocabulary that a package brings."""
        from ragchunk_core.units.vocabularies import load

        return load(f"{self.name}_base")

    @cached_property
    def _byte_lengths(self) -> NDArray[np.uint8]:
        lengths = np.zeros(self.encoding.n_vocab, dtype=np.uint8)  # the longest token has 128 bytes
        for token, rank in self.encoding._mergeable_ranks.items():
            lengths[rank] = len(token)
        lengths[self.encoding.encode_single_token(_JOINT)] = len(_JOINT)
        return lengths

    def ids(self, text: str) -> NDArray[np.uint32]:
        """The token ids of ``text``."""
        return self.encoding.encode_to_numpy(text, disallowed_special=())

    def count(self, text: str) -> int:
        return len(self.ids(text))

    def counts(self, pieces: Sequence[str]) -> IntArray:
        """Each piece by itself; short ones, and the words of long ones, are remembered from call to call."""
        table = dict.fromkeys(pieces, 0)
        long = [piece for piece in table if len(piece) > _LONG]
        if len(long) < len(table):
            known = self._remembered([piece for piece in table if len(piece) <= _LONG])
            if not long:
                return np.fromiter(map(known.__getitem__, pieces), dtype=np.int64, count=len(pieces))
            table.update((piece, known[piece]) for piece in table if len(piece) <= _LONG)
        if sum(map(len, long)) < _WORTH_WORDS:
            table.update(zip(long, self._batch(long).tolist(), strict=True))
        else:
            table.update(self._by_words(long))
        return np.fromiter(map(table.__getitem__, pieces), dtype=np.int64, count=len(pieces))

    def counts_up_to(self, pieces: Sequence[str], limit: int) -> IntArray:
        if max(map(len, pieces), default=0) <= limit:
            return self.counts(pieces)
        # No token holds parts of two words, but for a "/" after a line end in o200k: a bound that needs no tokeniser.
        beyond = [len(piece) > limit and len(piece.split()) - piece.count("/") >= limit for piece in pieces]
        lengths = np.full(len(pieces), limit, dtype=np.int64)
        lengths[~np.array(beyond)] = self.counts([piece for piece, far in zip(pieces, beyond, strict=True) if not far])
        return lengths

    def _by_words(self, pieces: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Each piece with its count, summed over its words; pieces may come in another order.

        No token of these encodings goes on over a space that follows something else than white space, so every word
        with the space before it is tokenised as if it stood alone. Pieces where white space goes before a space are
        counted whole.
        """
        cut = [piece.split(" ") for piece in pieces]
        words = list(set().union(*cut))
        spaced = [" " + word for word in words]
        firsts = [parts[0] for parts in cut]
        count = self._remembered(spaced + firsts)
        count_of = dict(zip(words, map(count.__getitem__, spaced), strict=True))
        count_of.update((word, _UNFIT) for word in words if not word or word[-1].isspace())
        whole: list[str] = []
        for piece, first, parts in zip(pieces, firsts, cut, strict=True):
            total = sum(map(count_of.__getitem__, parts))
            if not first or count_of[first] < _UNFIT:  # no space stands before the first word
                total += count[first] - count_of[first]
            if total >= _UNFIT:
                whole.append(piece)
            else:
                yield piece, total
        yield from zip(whole, self._batch(whole).tolist(), strict=True)

    def _remembered(self, pieces: Sequence[str]) -> dict[str, int]:
        """The counts of these pieces (and of others), by piece."""
        memory = self._memory
        if len(memory) > _REMEMBERED:
            memory = self._memory = {}
        new = [piece for piece in pieces if piece not in memory]
        memory.update(zip(new, self._batch(new).tolist(), strict=True))
        return memory

    def _batch(self, pieces: Sequence[str]) -> IntArray:
        """The count of each piece, by one call of the tokeniser."""
        joined = _JOINT.join(pieces)
        if not pieces or joined.count(_JOINT) != len(pieces) - 1:
            return counts_array([self.count(piece) for piece in pieces])
        tokens = self.encoding.encode_to_numpy(joined, allowed_special={_JOINT}, disallowed_special=())
        joints = np.flatnonzero(tokens == self.encoding.encode_single_token(_JOINT))
        lengths: IntArray = np.diff(np.concatenate(([-1], joints, [len(tokens)]))) - 1
        return lengths

    @remember_starts
    def starts(self, text: str) -> IntArray:
        if len(text) < _WORTH_SEGMENTS or _JOINT in text:
            return self._places(self.ids(text), text)
        found, low = [], 0
        while low < len(text):
            cut = _CUT.search(text, low + _BLOCK)
            high = cut.start() if cut else len(text)
            found.append(low + self._starts_by_segment(text[low:high]))
            low = high
        return np.concatenate(found)

    def _starts_by_segment(self, text: str) -> IntArray:
        """Where tokens start, each distinct segment (a word with the space before it) tokenised once.

        Segments begin at spaces that follow something else than white space, over which no token goes on.
        """
        opening, *words = _words(text)
        index = {word: place for place, word in enumerate(dict.fromkeys(words), start=1)}
        distinct = [opening, *[" " + word for word in index]]
        joined = _JOINT.join(distinct)
        tokens = self.encoding.encode_to_numpy(joined, allowed_special={_JOINT}, disallowed_special=())
        is_joint = tokens == self.encoding.encode_single_token(_JOINT)
        owner = np.cumsum(is_joint)[~is_joint]
        lengths = np.fromiter(map(len, distinct), dtype=np.int64, count=len(distinct))
        begins = np.cumsum(lengths + len(_JOINT)) - lengths - len(_JOINT)
        inside = self._places(tokens, joined)[~is_joint] - begins[owner]
        counts = np.bincount(owner, minlength=len(distinct))
        first = np.cumsum(counts) - counts
        which = np.zeros(1 + len(words), dtype=np.int64)
        which[1:] = np.fromiter(map(index.__getitem__, words), dtype=np.int64, count=len(words))
        many = counts[which]
        after = np.cumsum(many)
        row = np.arange(after[-1]) + np.repeat(first[which] - (after - many), many)
        ends = np.cumsum(lengths[which])
        starts: IntArray = inside[row] + np.repeat(ends - lengths[which], many)
        return starts

    def _places(self, tokens: NDArray[np.uint32], text: str) -> IntArray:
        """Where each token of a text starts, in code points; inside a character, at that character's start."""
        lengths = self._byte_lengths[tokens]
        starts: IntArray = np.cumsum(lengths, dtype=np.int64)
        starts -= lengths
        if len(starts) and not text.isascii():
            data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
            leads = (data & 0xC0) != 0x80  # continuation bytes belong to the lead byte's character
            inside = ~leads[starts]
            characters = np.add.reduceat(leads, starts, dtype=np.int64)
            starts = np.cumsum(characters) - characters - inside
        return starts


def _words(text: str) -> list[str]:
    """The text split at every space that follows something else than white space."""
    words = text.split(" ")
    unfit = {word for word in set(words) if not word or word[-1].isspace()}
    joined: list[str] = []
    at = 0
    for index in compress(range(len(words)), map(unfit.__contains__, words)):
        if index < at:  # joined to one before
            continue
        after = index + 1
        while after < len(words) and words[after] in unfit:
            after += 1
        joined += words[at:index]
        joined.append(" ".join(words[index : after + 1]))
        at = after + 1
    return joined + words[at:] if joined else words


CL100K = Tiktoken("cl100k", "Exact cl100k_base tokens (GPT-4, text-embedding-3), counted by tiktoken.")
O200K = Tiktoken("o200k", "Exact o200k_base tokens (GPT-4o and later), counted by tiktoken.")
