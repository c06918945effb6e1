"""The table of Chroma's "Evaluating Chunking Strategies for Retrieval" (2024), made again from its data (R08).

Search is exact here; the report's index was approximate, so its recall is a little lower. Its recursive splitter
measured lengths in the embedding model's word pieces *with* the two special ones that the model adds to each text;
windows, and the pieces of clusters, are in cl100k tokens. Its rows for token windows under MiniLM do not come out by
any of these rules and are left out.

Two habits of its code are needed to meet the published precision Ω, and neither is ours: ranges that only meet end to
end touch, and a chunk stands where its text occurs first (``found_places``), although many passages of these documents
occur several times: 95 of 824 windows at 400 tokens stand in the wrong place. ``Measured`` has both counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ragchunk_core.chroma_metrics import character_scores, mean_and_deviation, precision_omega
from ragchunk_core.chunkers.base import Request, no_vectors
from ragchunk_core.chunkers.cluster import REPORT_SPLITTER, ClusterOptions, embedded_texts
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.chunking import Chunking, chunk
from ragchunk_core.embedders import Embedder
from ragchunk_core.judging import Pool
from ragchunk_core.retrievers.dense import dense_rankings
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import Corpus, IntArray
from ragchunk_core.units.word_pieces import WordPieceUnit

TOP = 5
"""Chunks retrieved for each question."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One chunker of the report: ``recursive``, ``fixed`` (token windows) or ``cluster``, its size and overlap."""

    chunker: str
    size: int
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class Scores:
    """One row in percent: means, and population standard deviations (``_sd``) over the questions."""

    recall: float
    recall_sd: float
    precision: float
    precision_sd: float
    omega: float
    omega_sd: float
    iou: float
    iou_sd: float


MINILM_ROWS = {
    Setting("recursive", 250, 125): Scores(78.7, 39.2, 4.9, 4.5, 21.9, 14.9, 4.9, 4.4),
    Setting("recursive", 250): Scores(78.5, 39.5, 5.4, 4.9, 26.7, 18.3, 5.4, 4.9),
    Setting("recursive", 200): Scores(75.7, 40.7, 6.5, 6.2, 31.2, 18.4, 6.5, 6.1),
    Setting("cluster", 250): Scores(77.3, 38.6, 6.1, 5.1, 28.6, 16.7, 6.0, 5.1),
    Setting("cluster", 200): Scores(75.2, 39.9, 7.2, 6.1, 33.6, 20.0, 7.2, 6.0),
}
"""What the report gives for all-MiniLM-L6-v2."""

OMEGA_ROWS = {
    Setting("recursive", 800, 400): 6.7,
    Setting("recursive", 400, 200): 13.9,
    Setting("recursive", 400): 17.7,
    Setting("recursive", 200): 29.9,
    Setting("fixed", 800, 400): 4.7,
    Setting("fixed", 400, 200): 8.4,
    Setting("fixed", 400): 12.5,
    Setting("fixed", 200): 21.0,
}
"""What the report gives as precision Ω in percent, where lengths are cl100k tokens and no model is needed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out for one setting.

    Attributes:
        chunks: How many there are.
        as_published: Counted as the report's code counts: first places, end to end touches.
        exact: Counted with true places, and touching means a character in common.
    """

    setting: Setting
    chunks: int
    as_published: Scores
    exact: Scores


class _ModelInput(WordPieceUnit):
    """Word pieces with the two special ones, which even an empty text has."""

    def counts(self, pieces: Sequence[str]) -> IntArray:
        from ragchunk_core.wordpieces import word_pieces

        return word_pieces().counts(pieces, special=True)


def cut(corpus: Corpus, setting: Setting, embedder: Embedder | None = None) -> Pool:
    """The report's chunks, at their true places.

    Args:
        embedder: The model whose word pieces measure the recursive splitter's chunks, and which clusters need.
            Without one, lengths are cl100k tokens.
    """
    documents = list(corpus.documents)
    if setting.chunker == "cluster":
        embed = embedder.encode if embedder else None
        return Pool(tuple(chunk(documents, "cluster", unit="cl100k", embed=embed, tokens=setting.size)))
    if setting.chunker == "fixed" or embedder is None:
        options = {} if setting.chunker == "fixed" else {"separators": REPORT_SPLITTER.separators}
        sizes = {"size": setting.size, "overlap": setting.overlap, "unit": "cl100k"}
        return Pool(tuple(chunk(documents, setting.chunker, **sizes, **options)))
    made = []
    for document in documents:
        request = Request(document.text, setting.size, setting.overlap, _ModelInput(), no_vectors)
        pieces = split_recursively(request, REPORT_SPLITTER)
        made.append(
            Chunking(
                document, "recursive", setting.size, setting.overlap, "wordpieces", REPORT_SPLITTER,
                pieces.starts, pieces.ends,
            )
        )  # fmt: skip
    return Pool(tuple(made))


def found_places(pool: Pool) -> Pool:
    """The same chunks where the report's code takes them to be: at the first place that their text occurs at.

    It also leaves a full stop at the end out of the search, and so of the chunk.
    """
    moved = []
    for one in pool.chunkings:
        texts = [text.removesuffix(".") for text in one.texts()]
        starts = as_offsets([one.document.text.find(text) for text in texts])
        moved.append(replace(one, starts=starts, ends=as_offsets(starts + [len(text) for text in texts])))
    return Pool(tuple(moved))


def omega_row(corpus: Corpus, setting: Setting) -> tuple[float, float]:
    """Mean precision Ω in percent where lengths are cl100k tokens: as published, and exact."""
    pool = cut(corpus, setting)
    published = precision_omega(found_places(pool), corpus.queries, end_to_end=True)
    return 100 * float(published.mean()), 100 * float(precision_omega(pool, corpus.queries).mean())


def minilm_rows(
    corpus: Corpus, embedder: Embedder, progress: Callable[[Setting, int, int], None] | None = None
) -> Iterator[Measured]:
    """The rows of ``MINILM_ROWS``, one by one.

    Args:
        embedder: all-MiniLM-L6-v2 for the published figures.
        progress: Called with the setting, texts embedded and texts to embed.
    """
    questions = embedder.encode([query.text for query in corpus.queries], role="query")
    for setting in MINILM_ROWS:
        tell = partial(progress, setting) if progress else None
        if setting.chunker == "cluster":  # so that what it waits for is told
            pieces = [text for one in corpus.documents for text in embedded_texts(one.text, ClusterOptions())]
            embedder.encode(pieces, progress=tell)
        pool = cut(corpus, setting, embedder)
        rankings = dense_rankings(embedder.encode(pool.indexed_texts(), progress=tell), questions, TOP)
        yield Measured(
            setting,
            len(pool),
            as_published=_scores(found_places(pool), rankings, corpus, end_to_end=True),
            exact=_scores(pool, rankings, corpus, end_to_end=False),
        )


def _scores(pool: Pool, rankings: Rankings, corpus: Corpus, *, end_to_end: bool) -> Scores:
    found = character_scores(pool, rankings, corpus.queries, TOP)
    omega = precision_omega(pool, corpus.queries, end_to_end=end_to_end)
    columns = (found.recall, found.precision, omega, found.iou)
    return Scores(*(100 * value for column in columns for value in mean_and_deviation(column)))
