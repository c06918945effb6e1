"""How far an embedding model reads into each chunk (R11, R18): what is past its limit is in no vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.judging import Pool, judge
from ragchunk_core.spans import as_offsets, overlap_with
from ragchunk_core.types import IntArray, Query
from ragchunk_core.wordpieces import WordPieces, word_pieces


def read_ends(
    pool: Pool, limit: int = 256, pieces: WordPieces | None = None, counts: IntArray | None = None
) -> IntArray:
    """For each chunk, the code point of its document before which the model has read; its end where it reads it all.

    A context is read first and takes its share of the limit. A chunk whose text is its slice less white space (the
    sentence buffer's) is told exactly too; in any other that is no slice, characters are counted off from its start.

    Args:
        limit: Word pieces that the model reads, its own special ones included; 256 for all-MiniLM-L6-v2.
        pieces: The model's tokenizer; by default that of all-MiniLM-L6-v2.
        counts: The word pieces of each chunk, special ones included, where they are known (``Embedder.counts``).

    Returns:
        Shape ``(chunks,)``, from a chunk's start to its end.
    """
    pieces = pieces or word_pieces()
    texts = pool.indexed_texts()
    counts = pieces.counts(texts, special=True) if counts is None else counts
    long = np.flatnonzero(counts > limit).tolist()
    special = int(pieces.counts([""], special=True)[0])
    ends = pool.ends.copy()
    for number in long:
        place, index = pool.place(number)
        chunk = pool.chunkings[place][index]
        unread = int(pieces.starts(texts[number])[max(0, limit - special)])
        ends[number] = chunk.start + _in_slice(
            chunk.text,
            chunk.document.text[chunk.start : chunk.end],
            max(0, unread - (len(texts[number]) - len(chunk.text))),
        )
    return as_offsets(ends)


def _in_slice(text: str, piece: str, offset: int) -> int:
    """Where a chunk's character ``offset`` stands in the slice of its span."""
    if text == piece or "".join(text.split()) != "".join(piece.split()):
        return min(offset, len(piece))
    before = len("".join(text[:offset].split()))
    visible = [place for place, character in enumerate(piece) if not character.isspace()]
    return visible[before] if before < len(visible) else len(piece)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What of a cut an embedding model never reads.

    Attributes:
        chunks, truncated: How many there are, and how many of them the model reads only in part.
        characters, unread: Of all chunks, and those past the limit; one that stands in two chunks counts twice.
        passages: Marked passages that some chunk answers.
        passages_cut: Those of which, in every chunk that answers, the model leaves out at least a character.
        passages_lost: Those of which no chunk that answers is read to the share θ: recall that no ranking by this
            model can be sure of.
    """

    chunks: int
    truncated: int
    characters: int
    unread: int
    passages: int
    passages_cut: int
    passages_lost: int

    def sentence(self) -> str:
        """What a person should take from it."""
        if not self.truncated:
            return f"The model reads all {self.chunks:,} chunks to their end."
        return (
            f"Of {self.chunks:,} chunks the model reads {self.truncated:,} only in part: it never sees {self.unread:,} "
            f"of {self.characters:,} characters ({self.unread / self.characters:.1%}), and of {self.passages:,} marked "
            f"passages that a chunk answers {self.passages_cut:,} not whole and {self.passages_lost:,} not enough."
        )


def ledger(pool: Pool, ends: IntArray, queries: Sequence[Query], theta: float) -> Ledger:
    """The truncation ledger of one cut (R18).

    Args:
        ends: From ``read_ends``.
        theta: Share of a passage that one chunk must cover to answer it.

    Raises:
        ValueError: If theta is not from 0 to 1, or there is not one end a chunk.
    """
    if len(ends) != len(pool):
        raise ValueError(f"There are {len(ends)} ends for {len(pool)} chunks; each chunk needs one.")
    answered = cut = lost = 0
    for query in queries:
        for passage, numbers in zip(query.passages, judge(pool, query, theta).answers, strict=True):
            if len(numbers):
                read = overlap_with(pool.starts[numbers], ends[numbers], passage.start, passage.end)
                held = overlap_with(pool.starts[numbers], pool.ends[numbers], passage.start, passage.end)
                answered += 1
                cut += bool((read < held).all())
                lost += not bool(((read > 0) & (read >= theta * (passage.end - passage.start))).any())
    return Ledger(
        chunks=len(pool),
        truncated=int(np.count_nonzero(ends < pool.ends)),
        characters=int((pool.ends - pool.starts).sum()),
        unread=int((pool.ends - ends).sum()),
        passages=answered,
        passages_cut=cut,
        passages_lost=lost,
    )
