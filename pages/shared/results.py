"""The retrieval results of everything that is on: computed step by step, so that the quick ones show first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.shared import cached
from pages.shared.embedding import embed_with_progress
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.evaluation import Scores, recall_context_curve
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import Corpus, FloatArray

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
    model: str

    def ranked(self, chunker: str, method: str) -> Rankings:
        """The rankings of one chunker under one method."""
        search = cached.Search(method, self.analyzer, self.rrf_k, self.model)
        return cached.rankings(self.corpus.documents, self.cuts[chunker], self.corpus.queries, search)

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

    def curves(self, method: str) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Mean context and recall for k from 1, by chunker."""
        depth = max(CURVE_DEPTH, self.k)
        return {
            chunker: recall_context_curve(
                cached.pool(self.corpus.documents, cut),
                self.ranked(chunker, method),
                self.scores(chunker, method),
                depth,
            )
            for chunker, cut in self.cuts.items()
        }

    def embed(self) -> None:
        """Compute the vectors that are missing, with a progress bar."""
        texts = [query.text for query in self.corpus.queries]
        for cut in self.cuts.values():
            texts += cached.pool(self.corpus.documents, cut).indexed_texts()
        embed_with_progress(texts, "chunks")


    def truncations(self) -> dict[str, int]:
        """How many chunks of each chunker are longer than the embedding model reads."""
        return {
            name: cached.truncated(self.corpus.documents, cut, self.model) for name, cut in self.cuts.items()
        }


def needs_vectors(methods: Sequence[str]) -> bool:
    """Whether any of the methods embeds text."""
    return any(METHODS[method].needs_vectors for method in methods)


def truncation_sentence(setup: Setup) -> str:
    """What the embedding model is, and which chunks it does not read to their end."""
    model = cached.embedder(setup.model)
    over = {CHUNKERS[name].label: count for name, count in setup.truncations().items() if count}
    said = ", ".join(f"{label} {count:,}" for label, count in over.items())
    reads = f"reads at most {model.limit} word pieces" if model.limit else "reads texts of any length"
    past = f"chunks past that are embedded from their start only: {said}" if said else "every chunk fits"
    return f"Embeddings: {model.name} in {model.dtype}; it {reads}; {past}."
