"""BM25 as Elasticsearch scores it (row R01), on bm25s's index and the terms of ``analyzers``.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), in Lucene's form: a
term that stands f times in a chunk of dl terms gives ``idf * (k1 + 1) * f / (f + k1 * (1 - b + b * dl /
avgdl))``, where ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))``, n of the N chunks hold the term and avgdl is
their mean number of terms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from ragchunk_core.retrievers.analyzers import analyze
from ragchunk_core.retrievers.rankings import (
    FloatArray,
    IntArray,
    Rankings,
    check_depth,
    check_texts,
    rank_row,
)


class Bm25Index:
    """A BM25 index over the texts of some chunks.

    As in Lucene, chunks without any term (blank ones) count neither for N nor for the mean length, and a
    score is a sum in double precision that is then rounded to single, so equal chunks tie exactly. Unlike
    Lucene, which stores a length in one byte (exact to 39 terms), lengths are exact.

    Args:
        texts: One text a chunk; blank ones are never found.
        analyzer: ``english`` or ``standard``, for chunks and queries alike.
        k1: How fast repeating a term stops to pay; at least 0.
        b: How far scores are set off against the chunk's length, 0 (not at all) to 1.

    Raises:
        ValueError: If an argument is out of bounds, or ``texts`` is one bare string.
    """

    def __init__(self, texts: Sequence[str], analyzer: str = "english", k1: float = 1.2, b: float = 0.75) -> None:
        if not (math.isfinite(k1) and k1 >= 0):
            raise ValueError(f"k1 must be a number of at least 0, not {k1!r}.")
        if not 0 <= b <= 1:
            raise ValueError(f"b must be a number from 0 to 1, not {b!r}.")
        terms = analyze(check_texts("texts", texts), analyzer)
        self.analyzer, self.k1, self.b = analyzer, k1, b
        lengths = np.fromiter(map(len, terms), dtype=np.int64, count=len(terms))
        self._chunks: IntArray = np.flatnonzero(lengths)
        every = list(chain.from_iterable(terms))
        self._vocabulary = {term: number for number, term in enumerate(dict.fromkeys(every))}
        if every:
            from ragchunk_core.retrievers.postings import build  # here, since it brings SciPy along

            ids = np.fromiter(map(self._vocabulary.__getitem__, every), dtype=np.int64, count=len(every))
            self._engine = build(ids, lengths[self._chunks], len(self._vocabulary), k1, b)

    @property
    def nbytes(self) -> int:
        """Bytes of the postings: a score and a chunk number for each term of each chunk, and where a term's begin."""
        return (
            sum(self._engine.scores[name].nbytes for name in ("data", "indices", "indptr")) if self._vocabulary else 0
        )

    def search(self, queries: Sequence[str], depth: int | None = None) -> Rankings:
        """The chunks that share a term with each query, by score and then by index.

        A term that stands twice in the query counts twice. Scores are those that Elasticsearch shows, with
        the factor (k1 + 1) that Lucene itself leaves out since version 8; the order is the same.
        """
        check_depth(depth)
        return Rankings.of(self._search(analyze(check_texts("queries", queries), self.analyzer), depth))

    def _search(self, queries: list[list[str]], depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
        for terms in queries:
            ids = [self._vocabulary[term] for term in terms if term in self._vocabulary]
            if not ids:
                yield np.empty(0, dtype=np.int64), np.empty(0)
                continue
            exact = self._engine.get_scores_from_ids(ids) * (self.k1 + 1)
            scores: FloatArray = exact.astype(np.float32).astype(np.float64)
            places, best = rank_row(scores, scores > 0, depth)
            yield self._chunks[places], best
