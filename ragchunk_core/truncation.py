"""How far an embedding model reads into each chunk (R11, R18): what is past its limit is in no vector."""

from __future__ import annotations

import numpy as np

from ragchunk_core.judging import Pool
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import IntArray
from ragchunk_core.wordpieces import WordPieces, word_pieces


def read_ends(pool: Pool, limit: int = 256, pieces: WordPieces | None = None) -> IntArray:
    """For each chunk, the code point of its document before which the model has read; its end where it reads it all.

    A context is read first and takes its share of the limit. A chunk whose text is its slice less white space (the
    sentence buffer's) is told exactly too; in any other that is no slice, characters are counted off from its start.

    Args:
        limit: Word pieces that the model reads, its own special ones included; 256 for all-MiniLM-L6-v2.
        pieces: The model's tokenizer; by default that of all-MiniLM-L6-v2.

    Returns:
        Shape ``(chunks,)``, from a chunk's start to its end.
    """
    pieces = pieces or word_pieces()
    texts = pool.indexed_texts()
    long = np.flatnonzero(pieces.counts(texts, special=True) > limit).tolist()
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
