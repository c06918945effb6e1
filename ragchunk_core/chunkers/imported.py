"""Chunks made elsewhere (R13): a chunker whose spans were aligned to the documents (see ``ragchunk_core.imported``).

The spans of all documents stand in one option, each document known by the hash of its text, so they travel in projects
without any of the text. What is judged and indexed is the document's own text at these spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, trimmed, verbatim
from ragchunk_core.chunkers.paragraph import paragraph_spans
from ragchunk_core.options import option
from ragchunk_core.types import text_id

_ENTRY = re.compile(r"([0-9a-f]{24})((?: \d{1,9}-\d{1,9})*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImportedOptions(ChunkerOptions):
    """The spans of each document."""

    spans: tuple[str, ...] = option(
        (),
        "Spans",
        "One entry a document: the id of its text and the start-end of each chunk, separated by spaces. "
        "They come from a file, on the Chunks page under Files.",
    )


def spans_entry(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """What ``spans`` holds for a text with these chunks."""
    return " ".join([text_id(text), *(f"{start}-{end}" for start, end in sorted(spans))])


def spans_of(text: str, entries: Sequence[str]) -> list[tuple[int, int]] | None:
    """The spans of a text, in order; None where it has no entry.

    Raises:
        ValueError: If an entry is malformed, or a span is not inside the text.
    """
    own = None
    for one in entries:
        match = _ENTRY.fullmatch(one)
        if not match:
            raise ValueError(f"Imported: spans is {one[:60]!r}; an entry must be a text's id and spans, as 'id 0-120'.")
        if match[1] == text_id(text):
            pairs = (span.split("-") for span in match[2].split())
            own = sorted((int(start), int(end)) for start, end in pairs)
    for start, end in own or ():
        if not start < end <= len(text):
            raise ValueError(f"Imported: a span is {start}-{end}; it must lie in the text's {len(text):,} characters.")
    return own


def split(request: Request, options: ImportedOptions) -> Pieces:
    """The spans as they were imported; a text without any is cut at blank lines."""
    spans = spans_of(request.text, options.spans)
    if spans is None:
        return trimmed(request.text, [(start, end) for start, end in paragraph_spans(request.text).tolist()])
    request.refuse_above(len(spans))
    return verbatim(spans)


IMPORTED = Chunker(
    name="imported",
    label="Imported",
    help="Chunks made elsewhere, placed on the documents and judged like all others.",
    split=split,
    options=ImportedOptions,
    uses_size=False,
    uses_overlap=False,
    bounded=False,
)
