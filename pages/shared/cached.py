"""Everything that is computed once and kept: the only Streamlit caches.

Results belong to the session, so nothing of a user's is kept when it ends or seen by another. They are keyed by
content hashes and settings, never by texts, and every cache has a bound. Arguments go by name: Streamlit would look up
the name of each one given by place, every time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import streamlit as st

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.semantic import Breakpoints, SemanticOptions, breakpoints
from ragchunk_core.chunking import Chunking, chunk
from ragchunk_core.comparison import comparison_row
from ragchunk_core.evaluation import Scores, rank, score_judged
from ragchunk_core.intervals import Comparison, Interval, bootstrap_intervals, paired_comparisons
from ragchunk_core.judging import Judgement, Pool, judge
from ragchunk_core.lint import Finding, lint
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.truncation import read_ends
from ragchunk_core.types import Document, FloatArray, IntArray, Query
from ragchunk_core.units import unit_named

if TYPE_CHECKING:
    from ragchunk_core.embedders import Embedder

T = TypeVar("T")

COUNTED_AT_ONCE = 200_000
"""Warnings of longer texts, in characters, are looked for only when asked: word pieces take a second a megabyte."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunker with its settings: what, beside the documents, decides a chunking."""

    chunker: str
    size: int
    overlap: int
    unit: str
    options: tuple[tuple[str, Any], ...]
    model: str = ""

    @classmethod
    def of(cls, chunker: str, size: int, overlap: int, unit: str, options: Any, model: str) -> Cut:
        """From a chunker's options dataclass; ``model`` counts only for chunkers that embed text."""
        needed = model if CHUNKERS[chunker].needs_vectors else ""
        return cls(chunker, size, overlap, unit, tuple(sorted(dataclasses.asdict(options).items())), needed)

    def key(self, documents: Sequence[Document]) -> str:
        """Names the result of this cut of these documents; the endings of their names can change it."""
        return repr((self, [(document.id, document.name.rpartition(".")[2]) for document in documents]))


class Search(NamedTuple):
    """A retrieval method with its settings."""

    method: str
    analyzer: str
    rrf_k: int
    model: str


def embedder(model: str) -> Embedder:
    """The embedding model of that name or folder; it is shared by all sessions and keeps itself."""
    from ragchunk_core.embedders import load_embedder

    return load_embedder(model)


@st.cache_resource(max_entries=256, show_spinner=False, scope="session")
def _chunking(key: str, _document: Document, _cut: Cut) -> Chunking:
    sizes: dict[str, Any] = {"size": _cut.size, "overlap": _cut.overlap, "unit": _cut.unit}
    embed = embedder(_cut.model).encode if _cut.model else None
    return chunk(_document, _cut.chunker, embed=embed, **sizes, **dict(_cut.options))


def chunking(document: Document, cut: Cut) -> Chunking:
    """One document's chunks."""
    return _chunking(key=cut.key([document]), _document=document, _cut=cut)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _pool(key: str, _documents: Sequence[Document], _cut: Cut) -> Pool:
    return Pool(tuple(chunking(document, _cut) for document in _documents))


def pool(documents: Sequence[Document], cut: Cut) -> Pool:
    """The chunks of all documents."""
    return _pool(key=cut.key(documents), _documents=documents, _cut=cut)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _comparison_row(key: str, source_tokens: int, _pool: Pool) -> dict[str, Any]:
    return comparison_row(_pool.chunkings, "cl100k", source_tokens)


def comparison(documents: Sequence[Document], cuts: Sequence[Cut]) -> list[dict[str, Any]]:
    """The rows of the comparison table, one a cut."""
    tokens = sum(length(document, "cl100k") for document in documents)
    return [_comparison_row(key=cut.key(documents), source_tokens=tokens, _pool=pool(documents, cut)) for cut in cuts]


@st.cache_resource(max_entries=256, show_spinner=False, scope="session")
def _rankings(key: str, _pool: Pool, _queries: Sequence[Query], _search: Search, _same: str) -> Rankings:
    parts = METHODS[_search.method].fuses
    if parts:
        ranked = [rankings(_same, _pool, _queries, _search._replace(method=part)) for part in parts]
        return reciprocal_rank_fusion(ranked, k=_search.rrf_k)
    model = embedder(_search.model) if METHODS[_search.method].needs_vectors else None
    return rank(_pool, [query.text for query in _queries], _search.method, analyzer=_search.analyzer, embedder=model)


def rankings(key: str, of: Pool, queries: Sequence[Query], search: Search) -> Rankings:
    """The ranking of every query by one method; ``key`` names the pool and the questions."""
    return _rankings(key=f"{key} {tuple(search)}", _pool=of, _queries=queries, _search=search, _same=key)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _truncated(key: str, model: str, _pool: Pool) -> int:
    return int(embedder(model).truncated(_pool.indexed_texts()).sum())


def truncated(key: str, of: Pool, model: str) -> int:
    """How many chunks are longer than the embedding model reads; ``key`` names the pool."""
    return _truncated(key=key, model=model, _pool=of)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _read_ends(key: str, model: str, _pool: Pool) -> IntArray | None:
    found = embedder(model)
    if found.limit is None or not found.pieces:
        return None
    return read_ends(_pool, found.limit, found.pieces, found.counts(_pool.indexed_texts()))


def ends_read(key: str, of: Pool, model: str) -> IntArray | None:
    """How far the embedding model reads into each chunk, None for one that reads all; ``key`` names the pool."""
    return _read_ends(key=key, model=model, _pool=of)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _judgements(key: str, theta: float, _pool: Pool, _queries: Sequence[Query]) -> list[Judgement]:
    return [judge(_pool, query, theta) for query in _queries]


def judgements(key: str, of: Pool, queries: Sequence[Query], theta: float) -> list[Judgement]:
    """What answers each query, judged or not; ``key`` names the pool and the marks."""
    return _judgements(key=key, theta=theta, _pool=of, _queries=queries)


@st.cache_resource(max_entries=256, show_spinner=False, scope="session")
def _scores(key: str, k: int, _pool: Pool, _ranked: Rankings, _judged: IntArray, _marked: list[Judgement]) -> Scores:
    return score_judged(_pool, _ranked, _judged, _marked, k)


def scores(key: str, of: Pool, ranked: Rankings, judged: IntArray, marked: list[Judgement], k: int) -> Scores:
    """The metrics of one ranking; ``key`` names the pool, the marks, how they are judged, and the method."""
    return _scores(key=key, k=k, _pool=of, _ranked=ranked, _judged=judged, _marked=marked)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _intervals(key: bytes, _recalls: FloatArray) -> list[Interval]:
    return bootstrap_intervals(_recalls)


def intervals(recalls: FloatArray) -> list[Interval]:
    """The bootstrap interval of each row's mean, one column a query."""
    return _intervals(key=repr(recalls.shape).encode() + recalls.tobytes(), _recalls=recalls)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _comparisons(key: bytes, _recalls: Mapping[str, FloatArray]) -> list[Comparison]:
    return paired_comparisons(_recalls, intervals=False)


def comparisons(recalls: Mapping[str, FloatArray]) -> list[Comparison]:
    """Every pair of rows tested on the same queries."""
    key = repr(list(recalls)).encode() + b"".join(row.tobytes() for row in recalls.values())
    return _comparisons(key=key, _recalls=recalls)


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _once(key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def once(key: str, make: Callable[[], T]) -> T:
    """What ``make`` gives; ``key`` names everything that decides it."""
    made: T = _once(key=key, _make=make)
    return made


@st.cache_resource(max_entries=64, show_spinner=False, scope="session")
def _breakpoints(key: str, model: str, _document: Document, _options: SemanticOptions) -> Breakpoints:
    return breakpoints(_document.text, _options, embedder(model).encode)


def semantic_breakpoints(document: Document, options: SemanticOptions, model: str) -> Breakpoints:
    """Distances, threshold and cuts of one document."""
    return _breakpoints(key=repr((document.id, options)), model=model, _document=document, _options=options)


@st.cache_resource(max_entries=256, show_spinner=False, scope="session")
def _findings(key: str, _chunking: Chunking) -> list[Finding]:
    return lint(_chunking)


def findings(of: Chunking, cut: Cut) -> list[Finding]:
    """What there is to warn of in one document's chunks."""
    return _findings(key=cut.key([of.document]), _chunking=of)


def warnings(documents: Sequence[Document], cut: Cut) -> int | None:
    """How many warnings one cut gives; None, uncounted, where the texts are long (see ``COUNTED_AT_ONCE``)."""
    if sum(len(document.text) for document in documents) > COUNTED_AT_ONCE:
        return None
    return sum(len(one.chunks) for document in documents for one in findings(chunking(document, cut), cut))


@st.cache_resource(max_entries=512, show_spinner=False, scope="session")
def _length(key: str, unit: str, _document: Document) -> int:
    return unit_named(unit).count(_document.text)


def length(document: Document, unit: str) -> int:
    """A document's length in a unit."""
    return _length(key=document.id, unit=unit, _document=document)
