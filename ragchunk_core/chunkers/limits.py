"""What the chunkers that go by meaning share: vectors checked, and chunks of any length brought within limits (C21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ragchunk_core.chunkers.base import Embed, Request
from ragchunk_core.chunkers.recursive import RecursiveOptions
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.options import option
from ragchunk_core.types import FloatArray


def minimum_option() -> Any:
    """The dataclass field of a smallest length."""
    return option(
        0,
        "Smallest chunk",
        "A chunk shorter than this, in characters, goes on to the next cut.",
        minimum=0,
        maximum=1_000_000,
        step=50,
    )


def maximum_option() -> Any:
    """The dataclass field of a largest length."""
    return option(
        0,
        "Largest chunk",
        "A chunk longer than this, in the unit of the size, is cut again by the recursive splitter; 0: any length.",
        minimum=0,
        maximum=1_000_000,
        step=50,
    )


def vectors_of(texts: Sequence[str], embed: Embed) -> FloatArray:
    """One vector for each text, float64, shape ``(len(texts), dimension)``.

    Raises:
        ValueError: If the embedding gives another number of vectors, or values that are no finite numbers.
    """
    vectors = np.asarray(embed(texts), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise ValueError(
            f"The embedding returned an array of shape {vectors.shape} for {len(texts)} texts; "
            f"it must be one vector for each text, shape ({len(texts)}, dimension)."
        )
    if not np.isfinite(vectors).all():
        raise ValueError("The embedding returned a vector with a value that is not finite; all must be finite numbers.")
    return vectors


def cut_above(request: Request, spans: Sequence[tuple[int, int]], maximum: int) -> list[tuple[int, int]]:
    """The spans, with each that is longer than ``maximum`` units cut again by the recursive splitter; 0 cuts none."""
    if not maximum:
        return list(spans)
    lengths = request.unit.counts([request.text[start:end] for start, end in spans])
    made: list[tuple[int, int]] = []
    for (start, end), length in zip(spans, lengths.tolist(), strict=True):
        if length <= maximum:
            made.append((start, end))
            continue
        part = replace(request, text=request.text[start:end], size=maximum, overlap=0)
        pieces = split_recursively(part, RecursiveOptions())
        made += [(start + a, start + b) for a, b in zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)]
    return made


def joined_below(spans: Sequence[tuple[int, int]], minimum: int) -> list[tuple[int, int]]:
    """Neighbouring spans joined until each is at least ``minimum`` characters long; the last joins the one before."""
    made: list[tuple[int, int]] = []
    for start, end in spans:
        if made and made[-1][1] - made[-1][0] < minimum:
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    if len(made) > 1 and made[-1][1] - made[-1][0] < minimum:
        made[-2:] = [(made[-2][0], made[-1][1])]
    return made
