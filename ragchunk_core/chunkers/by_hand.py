"""Boundaries set by hand (V09): a chunker whose cuts a person moves, adds and removes on the text.

The cuts of all documents stand in one option, each document known by the hash of its text, so they travel in links and
projects without any of the text. A text without cuts of its own is cut at blank lines.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, trimmed
from ragchunk_core.chunkers.paragraph import paragraph_spans
from ragchunk_core.options import option
from ragchunk_core.types import text_id

_ENTRY = re.compile(r"([0-9a-f]{24})((?: \d{1,9})*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ByHandOptions(ChunkerOptions):
    """The cuts of each document."""

    cuts: tuple[str, ...] = option(
        (),
        "Cuts",
        "One entry a document: the id of its text and the offsets of its cuts, separated by spaces. "
        "They are set on the text, on the Chunks page.",
    )


def entry(text: str, cuts: Sequence[int]) -> str:
    """What ``cuts`` holds for a text that is cut at these offsets."""
    return " ".join([text_id(text), *map(str, cuts)])


def with_entry(cuts: Sequence[str], new: str) -> tuple[str, ...]:
    """The entries with the new one in place of its document's old one."""
    return (*(one for one in cuts if one.split(" ")[0] != new.split(" ")[0]), new)


def cuts_of(text: str, cuts: Sequence[str]) -> list[int] | None:
    """The offsets of the cuts of a text, ascending; None where it has no entry.

    Raises:
        ValueError: If an entry is malformed, or an offset is not inside the text.
    """
    own = None
    for one in cuts:
        match = _ENTRY.fullmatch(one)
        if not match:
            raise ValueError(
                f"By hand: cuts is {one[:60]!r}; an entry must be a text's id and offsets, as 'id 120 340'."
            )
        if match[1] == text_id(text):
            own = sorted({int(offset) for offset in match[2].split()})
    outside = [cut for cut in own or () if not 0 < cut < len(text)]
    if outside:
        raise ValueError(f"By hand: a cut is at {outside[0]}; it must be inside the text's {len(text):,} characters.")
    return own


def split(request: Request, options: ByHandOptions) -> Pieces:
    """The parts between the cuts, without the white space at their ends; blank parts are no chunks."""
    cuts = cuts_of(request.text, options.cuts)
    if cuts is None:
        return trimmed(request.text, [(start, end) for start, end in paragraph_spans(request.text).tolist()])
    request.refuse_above(len(cuts) + 1)
    bounds = [0, *cuts, len(request.text)]
    parts = itertools.pairwise(bounds)
    return trimmed(request.text, [(start, end) for start, end in parts if request.text[start:end].strip()])


BY_HAND = Chunker(
    name="by-hand",
    label="By hand",
    help="Boundaries that you move, add and remove on the text of the Chunks page, judged like all others.",
    split=split,
    options=ByHandOptions,
    uses_size=False,
    uses_overlap=False,
    bounded=False,
)
