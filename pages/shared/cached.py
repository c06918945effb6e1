"""Everything that is computed once and kept: the only Streamlit caches.

Results belong to the session, so nothing of a user's is kept when it ends or seen by another. They are keyed by
content hashes and settings, never by texts, and every cache has a bound.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ragchunk_core.chunkers.semantic import Breakpoints, SemanticOptions, breakpoints
from ragchunk_core.chunking import Chunking, chunk, default_embed
from ragchunk_core.comparison import compare
from ragchunk_core.evaluation import Scores, rank, score_judged
from ragchunk_core.judging import Judgement, Pool, judge
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import Document, Query
from ragchunk_core.units import unit_named


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunker with its settings: what, beside the documents, decides a chunking."""

    chunker: str
    size: int
    overlap: int
    unit: str
    options: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, chunker: str, size: int, overlap: int, unit: str, options: Any) -> Cut:
        """From a chunker's options dataclass."""
        return cls(chunker, size, overlap, unit, tuple(sorted(dataclasses.asdict(options).items())))

    def key(self, documents: Sequence[Document]) -> str:
        """Names the result of this cut of these documents."""
        return repr((self, [document.id for document in documents]))


@st.cache_resource(max_entries=256, show_spinner=False, scope="session")
def _chunking(key: str, _document: Document, _cut: Cut) -> Chunking:
    return chunk(
        _document, _cut.chunker, size=_cut.size, overlap=_cut.overlap, unit=_cut.unit, **dict(_cut.options)
    )


def chunking(document: Document, cut: Cut) -> Chunking:
    """One document's chunks."""
    return _chunking(cut.key([document]), document, cut)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _pool(key: str, _documents: Sequence[Document], _cut: Cut) -> Pool:
    return Pool(tuple(chunking(document, _cut) for document in _documents))


def pool(documents: Sequence[Document], cut: Cut) -> Pool:
    """The chunks of all documents."""
    return _pool(cut.key(documents), documents, cut)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _comparison_row(key: str, _pool: Pool) -> dict[str, Any]:
    row: dict[str, Any] = compare([_pool.chunkings]).iloc[0].to_dict()
    return row


def comparison(documents: Sequence[Document], cuts: Sequence[Cut]) -> pd.DataFrame:
    """The comparison table, one row a cut."""
    return pd.DataFrame([_comparison_row(cut.key(documents), pool(documents, cut)) for cut in cuts])


@st.cache_resource(max_entries=128, show_spinner=False, scope="session")
def _rankings(key: str, texts: tuple[str, ...], method: str, analyzer: str, rrf_k: int, _pool: Pool) -> Rankings:
    return rank(_pool, texts, method, analyzer=analyzer, rrf_k=rrf_k)


def rankings(
    documents: Sequence[Document], cut: Cut, queries: Sequence[Query], method: str, analyzer: str, rrf_k: int
) -> Rankings:
    """The ranking of every query by one method."""
    texts = tuple(query.text for query in queries)
    return _rankings(cut.key(documents), texts, method, analyzer, rrf_k, pool(documents, cut))


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _judgements(key: str, queries: str, theta: float, _pool: Pool, _queries: Sequence[Query]) -> list[Judgement]:
    return [judge(_pool, query, theta) for query in _queries]


def judgements(documents: Sequence[Document], cut: Cut, queries: Sequence[Query], theta: float) -> list[Judgement]:
    """What answers each query, judged or not."""
    return _judgements(cut.key(documents), repr([q.passages for q in queries]), theta, pool(documents, cut), queries)


def scores(
    documents: Sequence[Document],
    cut: Cut,
    queries: Sequence[Query],
    ranked: Rankings,
    k: int,
    theta: float,
) -> Scores:
    """The metrics of one cut and method over the judged queries."""
    judged = np.array([index for index, query in enumerate(queries) if query.passages], dtype=np.int64)
    every = judgements(documents, cut, queries, theta)
    return score_judged(pool(documents, cut), ranked, judged, [every[index] for index in judged.tolist()], k)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _breakpoints(key: str, options: str, _document: Document, _options: SemanticOptions) -> Breakpoints:
    return breakpoints(_document.text, _options, default_embed)


def semantic_breakpoints(document: Document, options: SemanticOptions) -> Breakpoints:
    """Distances, threshold and cuts of one document."""
    return _breakpoints(document.id, repr(options), document, options)


@st.cache_resource(max_entries=512, show_spinner=False, scope="session")
def _length(key: str, unit: str, _document: Document) -> int:
    return unit_named(unit).count(_document.text)


def length(document: Document, unit: str) -> int:
    """A document's length in a unit."""
    return _length(document.id, unit, document)
