"""The retrieval results of everything that is on: computed step by step, so that the quick ones show first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.shared import cached
from pages.shared.embedding import embed_with_progress
from ragchunk_core.evaluation import Scores, recall_context_curve
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import Corpus

CURVE_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Setup:
    """What is compared on what, and how it is judged."""

    corpus: Corpus
    cuts: Mapping[str, cached.Cut]
    k: int
    theta: float
    analyzer: str
    rrf_k: int

    def ranked(self, chunker: str, method: str) -> Rankings:
        """The rankings of one chunker under one method."""
        cut, corpus = self.cuts[chunker], self.corpus
        return cached.rankings(corpus.documents, cut, corpus.queries, method, self.analyzer, self.rrf_k)

    def scores(self, chunker: str, method: str) -> Scores:
        """The metrics of one chunker under one method."""
        ranked = self.ranked(chunker, method)
        return cached.scores(
            self.corpus.documents, self.cuts[chunker], self.corpus.queries, ranked, self.k, self.theta
        )

    def rows(self, methods: Sequence[str]) -> list[dict[str, Any]]:
        """The means, one row a chunker and method."""
        return [
            {"chunker": chunker, "method": method, **self.scores(chunker, method).means()}
            for chunker in self.cuts
            for method in methods
        ]

    def curves(self, methods: Sequence[str]) -> dict[tuple[str, str], Any]:
        """Mean context and recall for k from 1, by chunker and method."""
        return {
            (chunker, method): recall_context_curve(
                cached.pool(self.corpus.documents, self.cuts[chunker]),
                self.ranked(chunker, method),
                self.scores(chunker, method),
                max(CURVE_DEPTH, self.k),
            )
            for chunker in self.cuts
            for method in methods
        }

    def embed(self) -> None:
        """Compute the vectors that are missing, with a progress bar."""
        texts = [query.text for query in self.corpus.queries]
        for cut in self.cuts.values():
            texts += cached.pool(self.corpus.documents, cut).indexed_texts()
        embed_with_progress(texts, "chunks")


def needs_vectors(methods: Sequence[str]) -> bool:
    """Whether any of the methods embeds text."""
    return any(METHODS[method].needs_vectors for method in methods)
