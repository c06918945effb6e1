"""Which chunk answers which passage (R05), and how good any ranking of the chunks could be (R17).

Passages live on the text, not on chunks, so one marking judges every chunker alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragchunk_core.chunking import Chunking
from ragchunk_core.spans import as_offsets, overlap_with, points_inside, union
from ragchunk_core.types import BoolArray, IntArray, Passage, Query


@dataclass(frozen=True, eq=False)
class Pool:
    """The chunks of several documents under one chunker, numbered through: what one index holds.

    Attributes:
        chunkings: One a document, in order; chunk numbers run through them.
    """

    chunkings: tuple[Chunking, ...]

    def __len__(self) -> int:
        return int(self.first[-1])

    @cached_property
    def first(self) -> IntArray:
        """Number of each document's first chunk, and the number of all chunks; shape ``(documents + 1,)``."""
        return as_offsets(np.concatenate(([0], np.cumsum([len(c) for c in self.chunkings]))))

    @cached_property
    def starts(self) -> IntArray:
        """Start of each chunk in its own document, shape ``(chunks,)``."""
        return as_offsets(np.concatenate([c.starts for c in self.chunkings] or [as_offsets([])]))

    @cached_property
    def ends(self) -> IntArray:
        """End of each chunk in its own document, shape ``(chunks,)``."""
        return as_offsets(np.concatenate([c.ends for c in self.chunkings] or [as_offsets([])]))

    @cached_property
    def lengths(self) -> IntArray:
        """Length of each chunk in the chunkings' unit, shape ``(chunks,)``."""
        return as_offsets(np.concatenate([c.lengths for c in self.chunkings] or [as_offsets([])]))

    @cached_property
    def line(self) -> tuple[IntArray, IntArray]:
        """Starts and ends of all chunks on one line, the documents laid end to end; each of shape ``(chunks,)``."""
        before = np.concatenate(([0], np.cumsum([len(c.document) for c in self.chunkings])[:-1]))
        shift = np.repeat(before[: len(self.chunkings)], [len(c) for c in self.chunkings]).astype(np.int64)
        return as_offsets(self.starts + shift), as_offsets(self.ends + shift)

    def indexed_texts(self) -> list[str]:
        """What a retriever indexes, one text a chunk."""
        return [text for chunking in self.chunkings for text in chunking.indexed_texts()]

    def place(self, number: int) -> tuple[int, int]:
        """The document's index and the chunk's index within it."""
        document = int(np.searchsorted(self.first, number, side="right")) - 1
        return document, number - int(self.first[document])

    def range_of(self, document_id: str) -> range:
        """The numbers of one document's chunks; empty when the document is not there."""
        for index, chunking in enumerate(self.chunkings):
            if chunking.document.id == document_id:
                return range(int(self.first[index]), int(self.first[index + 1]))
        return range(0)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What answers one query.

    Attributes:
        answers: For each passage of the query, the numbers of the chunks that answer it, ascending.
        inside: For each chunk of the pool, how many of its characters lie in marked passages of the query.
    """

    answers: tuple[IntArray, ...]
    inside: IntArray

    @cached_property
    def relevant(self) -> BoolArray:
        """Whether each chunk of the pool answers any passage, shape ``(chunks,)``."""
        relevant = np.zeros(len(self.inside), dtype=np.bool_)
        for numbers in self.answers:
            relevant[numbers] = True
        return relevant


def judge(pool: Pool, query: Query, theta: float) -> Judgement:
    """Judge every chunk of the pool for one query.

    Args:
        theta: Share of a passage's characters that one chunk must cover: 0 any, 0.5 half, 1 all.

    Raises:
        ValueError: If theta is not from 0 to 1.
    """
    if not 0 <= theta <= 1:
        raise ValueError(f"theta is {theta}; it must be from 0 (any overlap) to 1 (the whole passage).")
    answers = tuple(_answers(pool, passage, theta) for passage in query.passages)
    return Judgement(answers, _inside(pool, query.passages))


def _answers(pool: Pool, passage: Passage, theta: float) -> IntArray:
    numbers = pool.range_of(passage.document)
    part = slice(numbers.start, numbers.stop)
    shared = overlap_with(pool.starts[part], pool.ends[part], passage.start, passage.end)
    enough = (shared > 0) & (shared >= theta * (passage.end - passage.start))
    return numbers.start + np.flatnonzero(enough)


def _inside(pool: Pool, passages: Sequence[Passage]) -> IntArray:
    inside = np.zeros(len(pool), dtype=np.int64)
    for document in dict.fromkeys(passage.document for passage in passages):
        numbers = pool.range_of(document)
        part = slice(numbers.start, numbers.stop)
        marked = [p for p in passages if p.document == document]
        low, high = union(as_offsets([p.start for p in marked]), as_offsets([p.end for p in marked]))
        starts, ends = pool.starts[part], pool.ends[part]
        if len(low) == 1:  # by far the most common
            inside[part] = overlap_with(starts, ends, int(low[0]), int(high[0]))
        else:
            inside[part] = points_inside(starts, ends, low, high)
    return inside
