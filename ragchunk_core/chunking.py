"""Cutting documents: the ``chunk`` function and its result, all chunks of one document as columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.chunkers import Chunker, ChunkerOptions, Embed, Request, chunker_named
from ragchunk_core.chunkers.finishing import finished
from ragchunk_core.options import checked
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import Chunk, Document, IntArray
from ragchunk_core.units import Unit, unit_named

CEILING = 200_000
"""More chunks than this of one document are refused unless the caller allows more."""

_PERCENTAGE = re.compile(r"\s*(-?\d{1,18}(?:\.\d{1,18})?)\s*%\s*", re.ASCII)
_UNITS = re.compile(r"\s*(-?\d{1,18})\s*", re.ASCII)
_OVERLAP_RULE = "The overlap is {!r}; it must be a whole number of units or a percentage such as '15%'."


@dataclass(frozen=True, eq=False)
class Chunking:
    """All chunks that one chunker with one setting makes of one document.

    Attributes:
        document: What was cut.
        chunker: Registry name of the chunker.
        size, overlap, unit: The sizes, resolved to units.
        options: The chunker's options (its dataclass).
        starts, ends: Half-open spans in code points, int64, sorted by start, shape ``(chunks,)``, read-only.
        contexts: Text indexed in front of each chunk, or empty.
        paths: Heading path of each chunk, or empty.
        verbatim: Whether each chunk's text is the slice of its span.
    """

    document: Document
    chunker: str
    size: int
    overlap: int
    unit: str
    options: Any
    starts: IntArray
    ends: IntArray
    contexts: tuple[str, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()
    own_texts: tuple[str, ...] = field(default=(), repr=False)

    @property
    def verbatim(self) -> bool:
        return not self.own_texts

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Chunk:
        index = range(len(self))[index]
        start, end = int(self.starts[index]), int(self.ends[index])
        return Chunk(
            document=self.document,
            index=index,
            start=start,
            end=end,
            text=self.own_texts[index] if self.own_texts else self.document.text[start:end],
            context=self.contexts[index] if self.contexts else "",
            path=self.paths[index] if self.paths else (),
        )

    def __iter__(self) -> Iterator[Chunk]:
        return (self[index] for index in range(len(self)))

    def texts(self) -> list[str]:
        """The text of every chunk."""
        if self.own_texts:
            return list(self.own_texts)
        text = self.document.text
        return [text[a:b] for a, b in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def indexed_texts(self) -> list[str]:
        """What a retriever indexes: the context, where there is one, on a line of its own before the text."""
        texts = self.texts()
        if not self.contexts:
            return texts
        return [f"{context}\n{text}" if context else text for context, text in zip(self.contexts, texts, strict=True)]

    @cached_property
    def lengths(self) -> IntArray:
        """Each chunk's length in the unit, counted by itself; context is not counted. Shape ``(chunks,)``."""
        unit = unit_named(self.unit)
        if self.own_texts:
            return as_offsets(unit.counts(self.own_texts))
        return as_offsets(unit.slice_counts(self.document.text, self.starts, self.ends))


@overload
def chunk(documents: Document, chunker: str = ..., **settings: Any) -> Chunking: ...
@overload
def chunk(documents: Sequence[Document], chunker: str = ..., **settings: Any) -> list[Chunking]: ...
def chunk(
    documents: Document | Sequence[Document],
    chunker: str = "recursive",
    *,
    size: int = 400,
    overlap: int | str = 0,
    unit: str = "chars",
    embed: Embed | None = None,
    ceiling: int = CEILING,
    **options: Any,
) -> Chunking | list[Chunking]:
    """Cut documents into chunks.

    Args:
        documents: One document (the result is one ``Chunking``) or several (a list of them).
        chunker: A registry name, see ``chunkers.CHUNKERS``.
        size: Largest length of a chunk in units, 1 or more.
        overlap: Length shared with the chunk before, in units, or a percentage of the size such as ``"15%"``.
        unit: A registry name, see ``units.UNITS``.
        embed: Texts to unit vectors; by default the local all-MiniLM-L6-v2, loaded only if the chunker needs it.
        ceiling: More chunks of one document than this are refused: before any is made where their number follows
            from the sizes (windows), else as soon as there are more.
        **options: The chunker's own options, and those of ``ChunkerOptions`` that every chunker has.

    Raises:
        ValueError: For a size below 1, an overlap below 0 or not below the size, an unknown name, an option out
            of its bounds, or more chunks than the ceiling.
    """
    if isinstance(documents, Document):
        return chunk(
            [documents],
            chunker,
            size=size,
            overlap=overlap,
            unit=unit,
            embed=embed,
            ceiling=ceiling,
            **options,
        )[0]
    which, measure = chunker_named(chunker), unit_named(unit)
    settings = checked(which.options, options, which.label)
    shared = resolve_overlap(size, overlap)
    if isinstance(ceiling, bool) or not isinstance(ceiling, (int, np.integer)) or ceiling < 1:
        raise ValueError(f"The ceiling is {ceiling!r}; it must be a whole number, 1 or more.")
    embed = embed or default_embed
    return [_cut(doc, which, int(size), shared, measure, settings, embed, int(ceiling)) for doc in documents]


def resolve_overlap(size: int, overlap: int | str) -> int:
    """The overlap in units: a percentage becomes ``floor(size * percentage)`` (C02).

    Raises:
        ValueError: Unless ``size >= 1`` and ``0 <= overlap < size``.
    """
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueError(f"The size is {size!r}; it must be a whole number, 1 or more.")
    if isinstance(overlap, str):
        if number := _PERCENTAGE.fullmatch(overlap):
            shared = int(size * Fraction(number[1]) // 100)
        elif number := _UNITS.fullmatch(overlap):
            shared = int(number[1])
        else:
            raise ValueError(_OVERLAP_RULE.format(overlap))
    elif isinstance(overlap, bool) or not isinstance(overlap, (int, np.integer)):
        raise ValueError(_OVERLAP_RULE.format(overlap))
    else:
        shared = int(overlap)
    if not 0 <= shared < size:
        raise ValueError(f"The overlap is {overlap} and the size is {size}; the overlap must be from 0 to {size - 1}.")
    return shared


def default_embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of the local all-MiniLM-L6-v2."""
    from ragchunk_core.embedders import load_embedder

    return load_embedder().encode(texts)


def _cut(
    document: Document,
    chunker: Chunker,
    size: int,
    overlap: int,
    unit: Unit,
    options: ChunkerOptions,
    embed: Embed,
    ceiling: int,
) -> Chunking:
    request = Request(document.text, size, overlap, unit, embed, ceiling, document.name)
    pieces = finished(request, chunker.split(request, options), options)
    request.refuse_above(len(pieces.starts))
    return Chunking(
        document, chunker.name, size, overlap, unit.name, options,
        as_offsets(pieces.starts), as_offsets(pieces.ends), pieces.contexts, pieces.paths, pieces.texts,
    )  # fmt: skip


def settings_of(chunking: Chunking) -> Mapping[str, Any]:
    """Chunker, sizes and options as one flat mapping, for tables and exports."""
    import dataclasses

    return {
        "chunker": chunking.chunker, "size": chunking.size, "overlap": chunking.overlap, "unit": chunking.unit,
        **dataclasses.asdict(chunking.options),
    }  # fmt: skip
