"""What a title or heading path indexed in front of each chunk does, as an A/B on the same cut (R19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ragchunk_core.chunkers.markdown import PATH_MARK
from ragchunk_core.chunking import Chunking
from ragchunk_core.evaluation import Scores, rank, score
from ragchunk_core.headings import commonmark_headings, sections
from ragchunk_core.intervals import Comparison, holm, paired_comparisons
from ragchunk_core.judging import Pool
from ragchunk_core.spans import trim
from ragchunk_core.types import FloatArray, Query

if TYPE_CHECKING:
    from ragchunk_core.embedders import Embedder

PREFIXES = {
    "title": "The document's first heading; its name, without the ending, where it has none.",
    "path": "The titles of the headings above the chunk's start, as the Markdown chunker writes them.",
}
"""What may stand in front of each chunk."""


@dataclass(frozen=True, eq=False)
class PrefixEffect:
    """The same chunks without and with text in front, for the same queries.

    Attributes:
        without, with_prefix: Scores at k.
        recall, reciprocal_rank: With the prefix against without, by the paired test, corrected for the two of them.
    """

    without: Scores
    with_prefix: Scores
    recall: Comparison
    reciprocal_rank: Comparison


def prefixed(chunking: Chunking, prefix: str) -> Chunking:
    """The same chunks with text indexed in front of each (and none that they had before); nothing else changes.

    Raises:
        ValueError: For an unknown prefix.
    """
    if prefix not in PREFIXES:
        raise ValueError(f"The prefix is {prefix!r}; allowed are {', '.join(PREFIXES)}.")
    headings = commonmark_headings(chunking.document.text)
    if prefix == "title":
        title = headings[0].title if headings else chunking.document.name.rpartition(".")[0] or chunking.document.name
        return replace(chunking, contexts=(title,) * len(chunking))
    parts = sections(chunking.document.text, headings, 6)
    # A chunk may start on the blank line or the marks before a heading, hence its first visible character.
    text = chunking.document.text
    spans = zip(chunking.starts.tolist(), chunking.ends.tolist(), strict=True)
    visible = [trim(text, start, end)[0] for start, end in spans]
    places = np.searchsorted([part.start for part in parts], visible, side="right") - 1
    return replace(chunking, contexts=tuple(PATH_MARK.join(parts[place].path) for place in places.tolist()))


def prefix_effect(
    chunkings: Sequence[Chunking],
    queries: Sequence[Query],
    prefix: str,
    method: str,
    *,
    k: int = 5,
    theta: float = 0.5,
    analyzer: str = "english",
    rrf_k: int = 60,
    embedder: Embedder | None = None,
) -> PrefixEffect:
    """Rank the same cut with and without text in front, and compare query by query.

    Offsets, answers and context are those of the chunks themselves in both; the prefix is only indexed. Contexts that
    the chunkings had are left away on both sides.

    Args:
        chunkings: One a document.
        prefix: A name in ``PREFIXES``.
        method: A retrieval method by name.

    Raises:
        ValueError: For an unknown name, or if no query has a passage.
    """
    if not any(query.passages for query in queries):
        raise ValueError("No question has a marked passage, so there is nothing to compare.")
    texts = [query.text for query in queries]
    sides = []
    for made in ([replace(one, contexts=()) for one in chunkings], [prefixed(one, prefix) for one in chunkings]):
        pool = Pool(tuple(made))
        rankings = rank(pool, texts, method, analyzer=analyzer, rrf_k=rrf_k, embedder=embedder)
        sides.append(score(pool, rankings, queries, k, theta))
    without, with_prefix = sides
    recall, reciprocal = (
        _compared(getattr(with_prefix, name), getattr(without, name), prefix) for name in ("recall", "reciprocal_rank")
    )
    return PrefixEffect(without, with_prefix, *_corrected([recall, reciprocal]))


def _compared(with_prefix: FloatArray, without: FloatArray, prefix: str) -> Comparison:
    (found,) = paired_comparisons({f"with the {prefix}": with_prefix, "without": without})
    return found


def _corrected(both: list[Comparison]) -> list[Comparison]:
    return [replace(one, adjusted=p) for one, p in zip(both, holm([one.p for one in both]), strict=True)]
