"""What is shown on top of the chunks: marked passages and retrieved chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked passage, shown by a thick underline.

    Attributes:
        start, end: Half-open range in code points.
        label: What the passage is, such as "passage 1 of query 3"; shown as a tooltip.
    """

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk, shown underlined, with its rank as a badge.

    Attributes:
        chunk: Index of the chunk in ``starts`` and ``ends``.
        rank: Its place in the result list, from 1.
        answers: Whether it answers the query; then the badge is ticked.
    """

    chunk: int
    rank: int
    answers: bool


def check_marks(marks: Sequence[Mark], length: int) -> None:
    """Raise a ``ValueError`` if a mark is no range in a text of that length."""
    for mark in marks:
        if not 0 <= mark.start <= mark.end <= length:
            raise ValueError(
                f"marks must be ranges within the text's {length} characters, not {mark.start} to {mark.end}."
            )


def check_hits(hits: Sequence[Hit], count: int) -> None:
    """Raise a ``ValueError`` if a hit names none of that many chunks."""
    for hit in hits:
        if not 0 <= hit.chunk < count:
            raise ValueError(f"hits must name one of {count} chunks by index, not {hit.chunk}.")
