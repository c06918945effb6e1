"""Sections and their paragraphs (C13), the "semantic" strategy of the RAG Text Chunker.

A section opens at every heading: a Markdown heading, or a short line in capitals that stands alone. Inside a section
paragraphs are packed up to the size, so that no chunk mixes two sections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.paragraph import ParagraphOptions
from ragchunk_core.chunkers.paragraph import split as split_paragraphs
from ragchunk_core.headings import Heading, commonmark_headings, sections
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets

CAPITALS_LEVEL = 7
"""A line in capitals ranks below every Markdown heading: it opens a section inside the one it stands in."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}(?!.*`)|~{3,})")


@dataclass(frozen=True, slots=True)
class SectionOptions(ChunkerOptions):
    """Which lines open a section, and what becomes of long paragraphs."""

    capitals: int = option(
        60,
        "Longest heading in capitals",
        "A line of at most this many characters, all capitals, with none next to it, is a heading; 0: no such line is.",
        minimum=0,
        maximum=500,
        step=5,
    )
    long: str = option(
        "split",
        "Paragraph over the size",
        "A paragraph longer than the size is kept whole, or broken into sentences, and these into windows.",
        choices={"split": "break down", "keep": "keep whole"},
    )


def capital_headings(text: str, longest: int) -> list[Heading]:
    """Lines in capitals that open a section: short, with two letters or more, outside of fences and quotes.

    Lines in capitals that follow each other directly are running text (a licence, say), and none of them is one.
    """
    found: list[Heading] = []
    fence, before = "", False
    for line in _LINE.finditer(text):
        title = line.group().strip()
        if fence:
            if title.startswith(fence) and not title.strip(fence[0]):
                fence = ""
            continue
        if opening := _FENCE.match(line.group()):
            fence, before = opening[1], False
            continue
        capitals = title.isupper()
        if capitals and before and found and found[-1].end == line.start():
            found.pop()
        if capitals and not before and len(title) <= longest and _opens(title):
            found.append(Heading(CAPITALS_LEVEL, title, line.start(), line.end()))
        before = capitals
    return found


def _opens(title: str) -> bool:
    return title[0].isalnum() and sum(map(str.isalpha, title)) >= 2


def split(request: Request, options: SectionOptions) -> Pieces:
    """Paragraphs packed inside their section; overlap repeats whole paragraphs of the same section."""
    text = request.text
    marked = commonmark_headings(text)
    lines = {heading.start for heading in marked}
    plain = [heading for heading in capital_headings(text, options.capitals) if heading.start not in lines]
    headings = sorted([*marked, *plain], key=lambda heading: heading.start)
    starts, ends = [as_offsets([])], [as_offsets([])]
    paths: list[tuple[str, ...]] = []
    for section in sections(text, headings, CAPITALS_LEVEL):
        pieces = split_paragraphs(request.part(section.start, section.end), ParagraphOptions(long=options.long))
        starts.append(section.start + pieces.starts)
        ends.append(section.start + pieces.ends)
        paths += [section.path] * len(pieces.starts)
        request.refuse_above(len(paths), so_far=True)
    return Pieces(as_offsets(np.concatenate(starts)), as_offsets(np.concatenate(ends)), paths=tuple(paths))


SECTION = Chunker(
    name="section",
    label="Sections",
    help="Paragraphs packed inside sections, which open at Markdown headings and at short lines in capitals.",
    split=split,
    options=SectionOptions,
)
