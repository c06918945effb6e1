"""Okapi BM25 as the package rank-bm25 computes it, which is what LangChain's BM25Retriever gives (row R01).

Trotman, Puurula and Burgess, "Improvements to BM25 and Language Models Examined" (2014), the ATIRE variant.
Words are what stands between white space, case kept. The numbers are the same as rank_bm25.BM25Okapi's to the
last bit; the work is done on the chunks that hold a query word instead of on all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ragchunk_core.retrievers.rankings import (
    FloatArray,
    IntArray,
    Rankings,
    check_depth,
    check_texts,
    rank_row,
)


class OkapiIndex:
    """An index over the texts of some chunks, with rank-bm25's own defaults.

    Args:
        texts: One text a chunk. Blank ones count for the number of chunks and the mean length, as in
            rank-bm25, and are never found; a corpus of only blank ones finds nothing (rank-bm25 divides by
            zero there).
        k1: How fast repeating a word stops to pay.
        b: How far scores are set off against the chunk's length.
        epsilon: A word in more than half of the chunks would have a negative idf; it gets this share of the
            mean idf instead. In a corpus of very few chunks the mean, and so a score, can itself be negative.

    Raises:
        ValueError: If ``texts`` is one bare string.
    """

    def __init__(self, texts: Sequence[str], k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> None:
        chunks = [text.split() for text in check_texts("texts", texts)]
        self._size = len(chunks)
        self._vocabulary: dict[str, int] = {}
        known = self._vocabulary
        words = np.array([known.setdefault(word, len(known)) for chunk in chunks for word in chunk], dtype=np.int64)
        lengths = np.array([len(chunk) for chunk in chunks], dtype=np.int64)
        if not len(words):
            return
        holders = np.repeat(np.arange(self._size), lengths)
        # One posting for each word and chunk that holds it, ordered by word and then by chunk.
        postings, counts = np.unique(words * self._size + holders, return_counts=True)
        self._chunks: IntArray = postings % self._size
        self._starts: IntArray = np.searchsorted(postings, np.arange(len(known) + 1) * self._size)
        average = len(words) / self._size
        own = lengths[self._chunks]
        self._weights: FloatArray = counts * (k1 + 1) / (counts + k1 * (1 - b + b * own / average))
        self._idf = _floored_idf(self._size, np.diff(self._starts).tolist(), epsilon)

    def search(self, queries: Sequence[str], depth: int | None = None) -> Rankings:
        """The chunks that share a word with each query, by score and then by index."""
        check_depth(depth)
        return Rankings.of(self._search(check_texts("queries", queries), depth))

    def _search(self, queries: list[str], depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
        for query in queries:
            scores = np.zeros(self._size)
            found = np.zeros(self._size, dtype=np.bool_)
            for word in query.split():
                if (number := self._vocabulary.get(word)) is not None:
                    part = slice(self._starts[number], self._starts[number + 1])
                    scores[self._chunks[part]] += self._idf[number] * self._weights[part]
                    found[self._chunks[part]] = True
            yield rank_row(scores, found, depth)


def _floored_idf(size: int, holders: list[int], epsilon: float) -> list[float]:
    # math.log and a plain running sum, word by word in order of appearance, to be equal to the last bit.
    idf = [math.log(size - count + 0.5) - math.log(count + 0.5) for count in holders]
    total = 0.0
    for value in idf:
        total += value
    floor = epsilon * (total / len(idf))
    return [value if value >= 0 else floor for value in idf]
