"""The registry of chunkers by name. A new chunker is one file and one line here."""

from __future__ import annotations

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Embed, Pieces, Request
from ragchunk_core.chunkers.by_hand import BY_HAND
from ragchunk_core.chunkers.cluster import CLUSTER
from ragchunk_core.chunkers.code import CODE
from ragchunk_core.chunkers.fixed import FIXED, RATIO
from ragchunk_core.chunkers.imported import IMPORTED
from ragchunk_core.chunkers.markdown import MARKDOWN
from ragchunk_core.chunkers.paragraph import PARAGRAPH
from ragchunk_core.chunkers.prefix_overlap import PREFIX_OVERLAP
from ragchunk_core.chunkers.records import RECORDS
from ragchunk_core.chunkers.recursive import RECURSIVE
from ragchunk_core.chunkers.section import SECTION
from ragchunk_core.chunkers.semantic import SEMANTIC
from ragchunk_core.chunkers.sentence import SENTENCE
from ragchunk_core.chunkers.sentence_buffer import SENTENCE_BUFFER
from ragchunk_core.chunkers.structure import STRUCTURE

CHUNKERS: dict[str, Chunker] = {
    chunker.name: chunker
    for chunker in (
        FIXED,
        SENTENCE,
        RECURSIVE,
        MARKDOWN,
        SEMANTIC,
        PARAGRAPH,
        SENTENCE_BUFFER,
        CLUSTER,
        RATIO,
        PREFIX_OVERLAP,
        SECTION,
        STRUCTURE,
        CODE,
        RECORDS,
        BY_HAND,
        IMPORTED,
    )
}


def chunker_named(name: str) -> Chunker:
    """The chunker registered as ``name``.

    Raises:
        ValueError: If there is none of that name.
    """
    if name not in CHUNKERS:
        raise ValueError(f"The chunker is {name!r}; allowed are {', '.join(CHUNKERS)}.")
    return CHUNKERS[name]


__all__ = ["CHUNKERS", "Chunker", "ChunkerOptions", "Embed", "Pieces", "Request", "chunker_named"]
