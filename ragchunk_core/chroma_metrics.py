"""Character-wise scores by the definitions of Chroma's "Evaluating Chunking Strategies for Retrieval" (2024; R08).

The report calls them token-wise, its code counts characters, and so does this. All chunks of one pool compete for
every query, those of other documents too. With *n* the characters that are marked for a query and lie in a retrieved
chunk, each counted once:

- recall = n / characters marked;
- precision = n / characters retrieved, one that stands in two chunks counted twice;
- IoU = n / (characters retrieved + characters marked but not retrieved);
- precision Ω needs no ranking: of all chunks that touch a marked passage, n / characters in those chunks or marked,
  each counted once: the precision of a retrieval that misses nothing and brings nothing needless.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.judging import Pool
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import as_offsets, covered, points_inside, union
from ragchunk_core.types import FloatArray, IntArray, Passage, Query


@dataclass(frozen=True, eq=False)
class CharacterScores:
    """Recall, precision and IoU at k, from 0 to 1, one entry a judged query in the queries' order."""

    recall: FloatArray
    precision: FloatArray
    iou: FloatArray


def character_scores(pool: Pool, rankings: Rankings, queries: Sequence[Query], k: int) -> CharacterScores:
    """Chroma's recall, precision and IoU of the top k of each query that has passages.

    Raises:
        ValueError: If k is below 1, or there is not one ranking for each query.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more.")
    if len(rankings) != len(queries):
        raise ValueError(f"There are {len(rankings)} rankings for {len(queries)} queries; each query needs one.")
    found, marked, missed, retrieved = np.array(
        [
            _character_counts(pool, ids[:k], query.passages)
            for ids, query in zip(rankings.ids, queries, strict=True)
            if query.passages
        ],
        dtype=np.float64,
    ).reshape(-1, 4).T  # fmt: skip
    precision = np.divide(found, retrieved, out=np.zeros_like(found), where=retrieved > 0)
    return CharacterScores(found / marked, precision, found / (retrieved + missed))


def precision_omega(pool: Pool, queries: Sequence[Query], *, end_to_end: bool = False) -> FloatArray:
    """Chroma's precision Ω of each query that has passages, from 0 to 1; 0 where no chunk touches a passage.

    Args:
        end_to_end: Whether a chunk that ends where a passage starts, or starts where one ends, touches it. Chroma's
            code says so, and its published figures need it; the two then share no character.
    """
    values = []
    for query in queries:
        if query.passages:
            parts = [_omega_counts(*of_one, end_to_end) for of_one in _by_document(pool, query.passages)]
            found, whole = np.sum(parts, axis=0)
            values.append(found / whole)
    return np.array(values, dtype=np.float64)


def mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    """Mean and population standard deviation (divided by the number of values), as the report gives them."""
    return float(np.mean(values)), float(np.std(values))


Spans = tuple[IntArray, IntArray]


def _by_document(pool: Pool, passages: Sequence[Passage]) -> Iterator[tuple[Spans, Spans]]:
    """For each document with passages: the spans of its chunks, and those of its passages."""
    for document in dict.fromkeys(passage.document for passage in passages):
        numbers = pool.range_of(document)
        part = slice(numbers.start, numbers.stop)
        yield (pool.starts[part], pool.ends[part]), _spans_of(passages, document)


def _spans_of(passages: Sequence[Passage], document: str) -> Spans:
    own = [passage for passage in passages if passage.document == document]
    return as_offsets([passage.start for passage in own]), as_offsets([passage.end for passage in own])


def _shared(marked: Spans, chunks: Spans) -> int:
    """How many marked characters lie in a chunk, each counted once."""
    return int(points_inside(*union(*marked), *union(*chunks)).sum())


def _character_counts(pool: Pool, top: IntArray, passages: Sequence[Passage]) -> tuple[int, int, int, int]:
    """Characters found (each once), marked, marked but not retrieved, and retrieved (each time)."""
    found = seen = 0
    for document in dict.fromkeys(passage.document for passage in passages):
        numbers = pool.range_of(document)
        own = top[(top >= numbers.start) & (top < numbers.stop)]
        chunks, marked = (pool.starts[own], pool.ends[own]), _spans_of(passages, document)
        found += _shared(marked, chunks)
        seen += int(points_inside(*marked, *union(*chunks)).sum())
    marks = sum(passage.end - passage.start for passage in passages)
    return found, marks, marks - seen, int((pool.ends[top] - pool.starts[top]).sum())


def _omega_counts(chunks: Spans, marked: Spans, end_to_end: bool) -> tuple[int, int]:
    """Characters marked that lie in a chunk which touches a passage, and characters in such a chunk or marked."""
    (starts, ends), touching = chunks, np.zeros(len(chunks[0]), dtype=np.bool_)
    for start, end in zip(marked[0].tolist(), marked[1].tolist(), strict=True):
        touching |= (starts <= end) & (ends >= start) if end_to_end else (starts < end) & (ends > start)
    touched = starts[touching], ends[touching]
    whole = covered(np.concatenate((touched[0], marked[0])), np.concatenate((touched[1], marked[1])))
    return _shared(marked, touched), whole
