"""The retrieval methods: what each needs, by name (rows R01 to R03). Protocol and registry, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragchunk_core.retrievers.rankings import Rankings


class TextIndex(Protocol):
    """An index over the texts of some chunks that answers queries by their words."""

    def search(self, queries: Sequence[str], depth: int | None = None) -> Rankings:
        """The chunks found for each query, best first; with ``depth`` only the first so many."""
        ...


@dataclass(frozen=True)
class Method:
    """One way to rank chunks for a query.

    Attributes:
        label: Its name on screen.
        help: One sentence on how it scores.
        needs_vectors: Whether an embedding model must run (itself, or for a method that it fuses).
        fuses: Names of the methods whose rankings it fuses; empty for a method that ranks by itself.
    """

    name: str
    label: str
    help: str
    needs_vectors: bool = False
    fuses: tuple[str, ...] = ()


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("bm25", "BM25", "Words in common, weighted by rarity, as Elasticsearch scores them."),
        Method("okapi", "BM25 Okapi", "Words in common as rank-bm25 scores them, LangChain's BM25Retriever."),
        Method(
            "emb",
            "Embeddings",
            "Cosine similarity between the vectors of query and chunk.",
            needs_vectors=True,
        ),
        Method(
            "hybrid",
            "Hybrid",
            "The BM25 and embedding rankings joined by reciprocal rank fusion.",
            needs_vectors=True,
            fuses=("bm25", "emb"),
        ),
    )
}
"""All methods by name, in the order in which they are shown."""
