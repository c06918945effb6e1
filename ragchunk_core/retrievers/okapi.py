"""Okapi BM25 by the package rank-bm25, which is what LangChain's BM25Retriever uses (row R01).

Trotman, Puurula and Burgess, "Improvements to BM25 and Language Models Examined" (2014), the ATIRE variant.
Words are what stands between white space, case kept. The package scores every chunk in a Python loop, which is
hundreds of times slower than ``bm25.py``; it is here to show what that retriever would find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ragchunk_core.retrievers.rankings import FloatArray, IntArray, Rankings, check_depth, check_texts, rank_row


class OkapiIndex:
    """An index over the texts of some chunks, with rank-bm25's own defaults (k1 1.5, b 0.75, epsilon 0.25).

    Args:
        texts: One text a chunk. Blank ones count for the number of chunks and the mean length, as in
            rank-bm25, and are never found; a corpus of only blank ones finds nothing (rank-bm25 divides by
            zero there).

    Raises:
        ValueError: If ``texts`` is one bare string.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        chunks = [text.split() for text in check_texts("texts", texts)]
        self._size = len(chunks)
        self._words = [frozenset(chunk) for chunk in chunks]
        self._engine = None
        if any(chunks):
            from rank_bm25 import BM25Okapi

            self._engine = BM25Okapi(chunks)

    @property
    def nbytes(self) -> int:
        """Bytes that the postings would take as arrays, a score and a chunk number each; here they are Python dicts."""
        return 12 * sum(map(len, self._words))

    def search(self, queries: Sequence[str], depth: int | None = None) -> Rankings:
        """The chunks that share a word with each query, by score and then by index."""
        check_depth(depth)
        return Rankings.of(self._search(check_texts("queries", queries), depth))

    def _search(self, queries: list[str], depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
        for query in queries:
            asked = query.split()
            found = np.array([not words.isdisjoint(asked) for words in self._words], dtype=np.bool_)
            scores = np.zeros(self._size)
            if self._engine is not None and found.any():
                scores = np.asarray(self._engine.get_scores(asked), dtype=np.float64)
            yield rank_row(scores, found, depth)
