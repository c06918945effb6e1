"""What a chunker gets, gives back, and says of itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim
from ragchunk_core.types import IntArray
from ragchunk_core.units.base import Unit

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to vectors of length one, shape ``(len(texts), dimension)``."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to cut, and how large.

    Attributes:
        text: The document's text.
        size: Largest length of a chunk, in units; at least 1.
        overlap: Length shared with the chunk before, in units; less than ``size``.
        unit: What both are measured in.
        embed: Turns texts into vectors; only chunkers with ``needs_vectors`` call it.
        ceiling: More chunks than this are refused.
        name: What an error calls the text.
    """

    text: str
    size: int
    overlap: int
    unit: Unit
    embed: Embed
    ceiling: int = sys.maxsize
    name: str = "the text"

    def part(self, start: int, end: int) -> Request:
        """The same for ``text[start:end]``."""
        return replace(self, text=self.text[start:end])

    def refuse_above(self, chunks: int, *, so_far: bool = False) -> None:
        """Stop before more is done when there are, or will be, more chunks than the ceiling.

        Args:
            chunks: How many there will be in all, or how many there are already where ``so_far`` is set.

        Raises:
            ValueError: If they are more than the ceiling.
        """
        if chunks > self.ceiling:
            said = f"more than {self.ceiling:,}" if so_far else f"{chunks:,}"
            raise ValueError(
                f"{self.name!r} would be cut into {said} chunks; at most {self.ceiling:,} are allowed. "
                "Choose a larger size or a smaller overlap."
            )


@dataclass(frozen=True, slots=True)
class Pieces:
    """The chunks of one text as columns.

    Attributes:
        starts, ends: Half-open spans in code points, sorted by start, shape ``(chunks,)``.
        contexts: Text indexed in front of each chunk, or empty when no chunk has any.
        paths: Heading path of each chunk, or empty.
        texts: The chunks' texts where they are not the slices of their spans; empty means verbatim.
    """

    starts: IntArray
    ends: IntArray
    contexts: tuple[str, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkerOptions:
    """What every chunker can be told beyond size and overlap; the base of each one's own options.

    It is carried out by ``finishing.finished`` on the chunks that the chunker made.
    """

    tail: int = option(
        0,
        "Smallest last chunk",
        "A last chunk shorter than this, in units, is joined to the one before it, which may then pass the size.",
        minimum=0,
        maximum=100_000,
        step=10,
        kw_only=True,
    )
    graphemes: bool = option(
        False,
        "Keep displayed characters whole",
        "A cut inside an emoji family, a flag, an accented letter or CR LF moves to its end.",
        kw_only=True,
    )


@dataclass(frozen=True, slots=True)
class Chunker:
    """A registered chunker.

    Attributes:
        name: Name in the registry and in links.
        label: What a person reads; short enough for a table.
        help: One line: what it does and what it is for.
        split: The function that does it.
        options: Dataclass of its options, described by ``options.option``.
        uses_size, uses_overlap: Whether these settings change its result.
        embeds: The texts whose vectors it needs for a text with its options, or None if it embeds nothing. Who shows
            progress embeds them first.
        bounded: Whether no chunk is longer than ``size`` in characters with the default options.
        by_name: Whether the ending of the document's name (``Request.name``) changes its result.
    """

    name: str
    label: str
    help: str
    split: Callable[[Request, Any], Pieces]
    options: type[ChunkerOptions] = ChunkerOptions
    uses_size: bool = True
    uses_overlap: bool = True
    embeds: Callable[[str, Any], list[str]] | None = None
    bounded: bool = True
    by_name: bool = False

    @property
    def needs_vectors(self) -> bool:
        """Whether it embeds text."""
        return self.embeds is not None


def no_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """For a request whose chunker embeds nothing."""
    raise RuntimeError("A chunker that embeds nothing asked for vectors.")


def verbatim(spans: Sequence[tuple[int, int]]) -> Pieces:
    """Pieces from ``(start, end)`` pairs that are slices of the text; empty ones are dropped."""
    table = as_offsets([offset for start, end in spans if end > start for offset in (start, end)]).reshape(-1, 2)
    return Pieces(as_offsets(table[:, 0]), as_offsets(table[:, 1]))


def trimmed(text: str, spans: Sequence[tuple[int, int]]) -> Pieces:
    """Like ``verbatim``, each span without the white space at its ends."""
    return verbatim([trim(text, start, end) for start, end in spans])
