"""What a chunker gets, gives back, and says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    """

    text: str
    size: int
    overlap: int
    unit: Unit
    embed: Embed


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
class NoOptions:
    """For chunkers that have nothing to set beyond size and overlap."""


@dataclass(frozen=True, slots=True)
class Chunker:
    """A registered chunker.

    Attributes:
        name: Name in the registry and in links.
        label: What a person reads; short enough for a table.
        help: One line: what it does and what it is for.
        split: The function that does it.
        options: Dataclass of its own options, described by ``options.option``.
        uses_size, uses_overlap: Whether these settings change its result.
        needs_vectors: Whether it embeds text.
        bounded: Whether no chunk is longer than ``size`` in characters with the default options.
    """

    name: str
    label: str
    help: str
    split: Callable[[Request, Any], Pieces]
    options: type = NoOptions
    uses_size: bool = True
    uses_overlap: bool = True
    needs_vectors: bool = False
    bounded: bool = True


def verbatim(spans: Sequence[tuple[int, int]]) -> Pieces:
    """Pieces from ``(start, end)`` pairs that are slices of the text; empty ones are dropped."""
    table = as_offsets([offset for start, end in spans if end > start for offset in (start, end)]).reshape(-1, 2)
    return Pieces(as_offsets(table[:, 0]), as_offsets(table[:, 1]))


def trimmed(text: str, spans: Sequence[tuple[int, int]]) -> Pieces:
    """Like ``verbatim``, each span without the white space at its ends."""
    return verbatim([trim(text, start, end) for start, end in spans])
