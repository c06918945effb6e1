"""Whole paragraphs, one each or packed up to the size (C04, C07)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, verbatim
from ragchunk_core.chunkers.packing import carry_length, pack
from ragchunk_core.chunkers.sentence import SentenceOptions
from ragchunk_core.chunkers.sentence import split as split_sentences
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim
from ragchunk_core.types import IntArray

_BLANK_LINE = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)\s*")


@dataclass(frozen=True, slots=True)
class ParagraphOptions(ChunkerOptions):
    """How paragraphs are packed and what becomes of long ones."""

    pack: bool = option(True, "Pack up to the size", "Off: one chunk a paragraph, the size is ignored.")
    long: str = option(
        "split",
        "Paragraph over the size",
        "A paragraph longer than the size is kept whole, or broken into sentences, and these into windows.",
        choices={"split": "break down", "keep": "keep whole"},
    )


def paragraph_spans(text: str) -> IntArray:
    """Blocks between blank lines, without white space at their ends, shape ``(paragraphs, 2)``."""
    edges = [0]
    for blank in _BLANK_LINE.finditer(text):
        edges += blank.span()
    edges.append(len(text))
    spans = [trim(text, start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return as_offsets([span for span in spans if span[1] > span[0]]).reshape(-1, 2)


def split(request: Request, options: ParagraphOptions) -> Pieces:
    """Paragraphs packed greedily; overlap repeats whole paragraphs that fit into it."""
    paragraphs = paragraph_spans(request.text)
    starts, ends = paragraphs[:, 0], paragraphs[:, 1]
    if not options.pack:
        return Pieces(starts, ends)
    spans: list[tuple[int, int]] = []
    for first, after in pack(request, starts, ends, carry_length(request, starts, ends)):
        start, end = int(starts[first]), int(ends[after - 1])
        if options.long == "split" and after - first == 1:
            spans += _broken_down(request, start, end)
        else:
            spans.append((start, end))
    return verbatim(spans)


def _broken_down(request: Request, start: int, end: int) -> list[tuple[int, int]]:
    part = request.part(start, end)
    if request.unit.count(part.text) <= request.size:
        return [(start, end)]
    pieces = split_sentences(part, SentenceOptions(overlap_by="size", long="cut"))
    return [(start + a, start + b) for a, b in zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)]


PARAGRAPH = Chunker(
    name="paragraph",
    label="Paragraphs",
    help="Whole paragraphs packed up to the size; good for documentation, where each one is a thought.",
    split=split,
    options=ParagraphOptions,
)
