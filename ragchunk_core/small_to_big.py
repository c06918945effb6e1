"""Small-to-big retrieval (R15): what is ranked is a chunk, what the prompt gets is more of the text around it.

Three ways, as in LangChain's ParentDocumentRetriever and LlamaIndex's sentence window and auto-merging retrievers: the
chunk with its neighbours, the section that it stands in, or the larger chunk that it is part of. Each distinct stretch
of text is returned once, at the rank of the first chunk that brings it; the top k are k distinct stretches. They are
chunks like any other: the same judgement, metrics and context accounting hold for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.budgets import merged_lengths
from ragchunk_core.chunkers.base import ChunkerOptions
from ragchunk_core.chunking import Chunking
from ragchunk_core.evaluation import Scores, score
from ragchunk_core.headings import commonmark_headings, sections
from ragchunk_core.judging import Pool
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import as_offsets, overlap_with, trim
from ragchunk_core.types import FloatArray, IntArray, Query

Spans = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Returned:
    """What is returned in place of each chunk.

    Attributes:
        pool: The stretches of text, distinct and sorted, as chunks.
        stretch_of: For each ranked chunk's number, that of the stretch which is returned for it; shape ``(chunks,)``.
    """

    pool: Pool
    stretch_of: IntArray

    def rankings(self, ranked: Rankings) -> Rankings:
        """The stretches in the order of the first chunk that brings each, with that chunk's score."""
        return Rankings.of(self._row(ids, scores) for ids, scores in zip(ranked.ids, ranked.scores, strict=True))

    def _row(self, ids: IntArray, scores: FloatArray) -> tuple[IntArray, FloatArray]:
        stretches = self.stretch_of[ids]
        first = np.sort(np.unique(stretches, return_index=True)[1])
        return stretches[first], scores[first]


def with_neighbours(pool: Pool, each_side: int) -> Returned:
    """Each chunk with so many of its document's chunks before and after it; all text between them included.

    Raises:
        ValueError: If ``each_side`` is below 0.
    """
    if isinstance(each_side, bool) or not isinstance(each_side, int | np.integer) or each_side < 0:
        raise ValueError(f"each_side is {each_side!r}; it must be a whole number, 0 or more.")

    def spans(one: Chunking) -> Spans:
        starts, ends = one.starts.tolist(), one.ends.tolist()
        parts = [slice(max(0, n - each_side), n + each_side + 1) for n in range(len(starts))]
        return [(min(starts[part]), max(ends[part])) for part in parts]

    return _returned(pool, "neighbours", spans)


def with_section(pool: Pool) -> Returned:
    """For each chunk the section under a Markdown heading that it stands in, all of them where it is in several."""

    def spans(one: Chunking) -> Spans:
        text = one.document.text
        edges = np.array([section.start for section in sections(text, commonmark_headings(text), 6)] + [len(text)])
        seen = np.array([trim(text, *span) for span in zip(one.starts.tolist(), one.ends.tolist(), strict=True)])
        seen = seen.reshape(-1, 2)  # a blank line before a heading is no part of the section before
        first = np.searchsorted(edges, seen[:, 0], side="right") - 1
        last = np.maximum(np.searchsorted(edges, seen[:, 1], side="left"), first)
        whole = zip(edges[first].tolist(), edges[last].tolist(), strict=True)
        return [trim(text, start, end) for start, end in whole]

    return _returned(pool, "section", spans)


def with_parent(pool: Pool, parents: Sequence[Chunking]) -> Returned:
    """For each chunk the larger chunk that holds most of it, the earlier of equal ones; itself where none holds any.

    Args:
        parents: The larger chunks, one chunking a document, of the same documents in the same order.

    Raises:
        ValueError: If they are of other documents.
    """
    if [one.document.id for one in parents] != [one.document.id for one in pool.chunkings]:
        raise ValueError("The parents must be chunks of the same documents, in the same order.")
    large = {one.document.id: one for one in parents}

    def spans(one: Chunking) -> Spans:
        parent = large[one.document.id]
        found = []
        for start, end in zip(one.starts.tolist(), one.ends.tolist(), strict=True):
            held = overlap_with(parent.starts, parent.ends, start, end)
            best = int(np.argmax(held)) if len(held) else 0
            inside = len(held) and held[best]
            found.append((int(parent.starts[best]), int(parent.ends[best])) if inside else (start, end))
        return found

    return _returned(pool, "parent", spans)


def _returned(pool: Pool, way: str, spans: Callable[[Chunking], Spans]) -> Returned:
    chunkings, numbers, first = [], [as_offsets([])], 0
    for one in pool.chunkings:
        every = spans(one)
        distinct = sorted(set(every))
        place = {span: number for number, span in enumerate(distinct)}
        numbers.append(as_offsets([first + place[span] for span in every]))
        first += len(distinct)
        starts, ends = as_offsets([start for start, _ in distinct]), as_offsets([end for _, end in distinct])
        name = f"{one.chunker}, {way}"
        chunkings.append(Chunking(one.document, name, one.size, 0, one.unit, ChunkerOptions(), starts, ends))
    return Returned(Pool(tuple(chunkings)), as_offsets(np.concatenate(numbers)))


def score_returned(
    returned: Returned, ranked: Rankings, queries: Sequence[Query], k: int, theta: float
) -> tuple[Scores, FloatArray]:
    """Scores of what is returned for the top k stretches, and the context of each judged query with overlaps merged.

    Args:
        ranked: Whole rankings of the small chunks.

    Returns:
        ``evaluation.Scores``, whose context is the plain sum (R06), and the merged length in the unit (R16).
    """
    big = returned.rankings(ranked)
    scores = score(returned.pool, big, queries, k, theta)
    return scores, merged_lengths(returned.pool, big, scores.judged, k)
