"""The retrieval results of everything that is on, for one run of the page."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from pages.shared import cached, choices
from pages.shared.embedding import embed_with_progress
from pages.shared.plain import plain
from ragchunk_core.causes import Losses, Miss, losses, misses
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.embedders import is_ready
from ragchunk_core.evaluation import Scores, rank, recall_context_curve
from ragchunk_core.intervals import Comparison
from ragchunk_core.judging import Judgement, Pool
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import Corpus, FloatArray

CURVE_DEPTH = 20


@dataclass
class Setup:
    """What is compared on what, and how it is judged.

    Each result is looked up or computed once a run, however many parts of the page show it.
    """

    corpus: Corpus
    cuts: dict[str, cached.Cut]
    k: int
    theta: float
    analyzer: str
    rrf_k: int
    model: str
    _known: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def key(self, chunker: str) -> str:
        """Names the chunks of one chunker."""
        return self.cuts[chunker].key(self.corpus.documents)

    def pool(self, chunker: str) -> Pool:
        """The chunks of one chunker."""
        place = ("pool", chunker)
        if place not in self._known:
            self._known[place] = cached.pool(self.corpus.documents, self.cuts[chunker])
        found: Pool = self._known[place]
        return found

    def ranked(self, chunker: str, method: str) -> Rankings:
        """The rankings of one chunker under one method."""
        place = ("ranked", chunker, method)
        if place not in self._known:
            search = cached.Search(method, self.analyzer, self.rrf_k, self.model)
            key = f"{self.key(chunker)} {self._asked}"
            self._known[place] = cached.rankings(key, self.pool(chunker), self.corpus.queries, search)
        found: Rankings = self._known[place]
        return found

    def judgements(self, chunker: str) -> list[Judgement]:
        """What answers each query among the chunks of one chunker."""
        place = ("judged", chunker)
        if place not in self._known:
            key = f"{self.key(chunker)} {self._marked}"
            self._known[place] = cached.judgements(key, self.pool(chunker), self.corpus.queries, self.theta)
        found: list[Judgement] = self._known[place]
        return found

    def scores(self, chunker: str, method: str) -> Scores:
        """The metrics of one chunker under one method."""
        place = ("scores", chunker, method)
        if place not in self._known:
            judged = [index for index, query in enumerate(self.corpus.queries) if query.passages]
            every = self.judgements(chunker)
            self._known[place] = cached.scores(
                self.scored_key([chunker], method),
                self.pool(chunker),
                self.ranked(chunker, method),
                np.array(judged, dtype=np.int64),
                [every[index] for index in judged],
                self.k,
            )
        found: Scores = self._known[place]
        return found

    def scored_key(self, chunkers: Sequence[str], method: str) -> str:
        """Names what is judged of some chunkers under one method, at any k."""
        search = (method, self.analyzer, self.rrf_k, self.model)
        return f"{[self.key(name) for name in chunkers]} {self._asked} {self._marked} {self.theta} {search}"

    def rank(self, pool: Pool, method: str) -> Rankings:
        """Rank chunks that are none of the page's own, as those are ranked."""
        model = cached.embedder(self.model) if METHODS[method].needs_vectors else None
        asked = [query.text for query in self.corpus.queries]
        return rank(pool, asked, method, analyzer=self.analyzer, rrf_k=self.rrf_k, embedder=model)

    def misses(self, chunker: str, method: str) -> list[Miss]:
        """Why each missed passage of one chunker under one method was missed."""
        place = ("misses", chunker, method)
        if place not in self._known:
            pool, key = self.pool(chunker), self.key(chunker)
            embeds = METHODS[method].needs_vectors
            self._known[place] = misses(
                pool,
                self.ranked(chunker, method),
                self.corpus.queries,
                self.judgements(chunker),
                k=self.k,
                theta=self.theta,
                method=method,
                read_ends=cached.ends_read(key, pool, self.model) if embeds else None,
            )
        found: list[Miss] = self._known[place]
        return found

    def losses(self, chunker: str, method: str) -> Losses:
        """What is found and what is lost to the cut, the model's limit and the ranking, one chunker and method."""
        return losses(self.misses(chunker, method), self.corpus.queries)

    def rows(self, methods: Sequence[str]) -> list[dict[str, Any]]:
        """The means with the interval of recall, one row a chunker and method."""
        pairs = [(chunker, method) for chunker in self.cuts for method in methods]
        scores = [self.scores(*pair) for pair in pairs]
        intervals = cached.intervals(np.stack([one.recall for one in scores]))
        return [
            {
                "chunker": chunker,
                "method": method,
                **one.means(),
                "recall_low": interval.low,
                "recall_high": interval.high,
            }
            for (chunker, method), one, interval in zip(pairs, scores, intervals, strict=True)
        ]

    def comparisons(self, method: str) -> list[Comparison]:
        """Every pair of chunkers tested on recall under one method (R10)."""
        return cached.comparisons({CHUNKERS[name].label: self.scores(name, method).recall for name in self.cuts})

    def curves(self, method: str) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Mean context and recall for k from 1, by chunker."""
        depth = max(CURVE_DEPTH, self.k)
        return {
            chunker: recall_context_curve(
                self.pool(chunker), self.ranked(chunker, method), self.scores(chunker, method), depth
            )
            for chunker in self.cuts
        }

    def embedded(self) -> bool:
        """Whether all vectors that these chunks and queries need are there."""
        if self._vectors_key() not in st.session_state.get("embedded", {}):
            if not is_ready(self.model) or cached.embedder(self.model).missing(self._texts()):
                return False
            self._remember_embedded()
        return True

    def embed(self) -> None:
        """Compute the vectors that are missing, with a progress bar and a way to stop."""
        embed_with_progress(self._texts(), "chunks", stop=lambda: choices.put(emb=False))
        # Even where the cache is too small to hold them all: once is enough to go on.
        self._remember_embedded()

    def _remember_embedded(self) -> None:
        known: dict[str, bool] = st.session_state.setdefault("embedded", {})
        known[self._vectors_key()] = True
        while len(known) > 100:
            del known[next(iter(known))]

    def _texts(self) -> list[str]:
        return [
            *(query.text for query in self.corpus.queries),
            *(text for chunker in self.cuts for text in self.pool(chunker).indexed_texts()),
        ]

    @cached_property
    def _asked(self) -> str:
        """Names the questions."""
        return _digest([query.text for query in self.corpus.queries])

    @cached_property
    def _marked(self) -> str:
        """Names the marked passages, query by query."""
        return _digest([query.passages for query in self.corpus.queries])

    def _vectors_key(self) -> str:
        return _digest((self.model, [self.key(chunker) for chunker in self.cuts], self._asked))

    def truncation_sentence(self) -> str:
        """What the embedding model is, and how many chunks it does not read to their end."""
        model = cached.embedder(self.model)
        over = {
            CHUNKERS[name].label: cached.truncated(self.key(name), self.pool(name), self.model) for name in self.cuts
        }
        said = ", ".join(f"{label} {count:,}" for label, count in over.items() if count)
        reads = f"reads at most {model.limit} word pieces" if model.limit else "reads texts of any length"
        past = f"chunks past that are embedded from their start only: {said}" if said else "every chunk fits"
        return f"Embeddings: {plain(model.name)} in {model.dtype}; it {reads}; {past}."


def _digest(of: object) -> str:
    return hashlib.blake2b(repr(of).encode(), digest_size=16).hexdigest()


def needs_vectors(methods: Sequence[str]) -> bool:
    """Whether any of the methods embeds text."""
    return any(METHODS[method].needs_vectors for method in methods)
