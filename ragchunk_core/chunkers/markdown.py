"""Markdown headings: one chunk a section, long sections split again (C11, C12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.recursive import RecursiveOptions
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.hash_headings import hash_sections
from ragchunk_core.headings import Section, commonmark_headings, sections
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim
from ragchunk_core.types import IntArray

PATH_MARK = " › "
_RECURSIVE = RecursiveOptions()


@dataclass(frozen=True, slots=True)
class MarkdownOptions(ChunkerOptions):
    """Where sections begin, and what stands in front of their chunks."""

    level: int = option(
        3,
        "Deepest heading level",
        "Headings deeper than this stay inside a section.",
        minimum=1,
        maximum=6,
        step=1,
    )
    split_long: bool = option(
        True, "Split long sections", "A section over the size is split again by the recursive splitter."
    )
    context: str = option(
        "none",
        "Index in front",
        "Text that is indexed with a chunk though it is not part of it.",
        choices={
            "none": "nothing",
            "path": "the heading path, every chunk",
            "continuation": "the heading, continuation chunks",
        },
    )
    headings: str = option(
        "keep",
        "Heading lines",
        "Whether a section's first chunk starts with its heading.",
        choices={"keep": "part of the chunk", "strip": "left out"},
    )
    style: str = option(
        "commonmark",
        "What a heading is",
        "CommonMark, or the sections of LangChain's MarkdownHeaderTextSplitter (equal neighbours joined).",
        choices={"commonmark": "CommonMark", "langchain": "LangChain"},
    )


class _Block(NamedTuple):
    """What is one chunk: a section's text or a piece of it, or several sections that LangChain's style joins.

    Attributes:
        section: Gives the path and the heading.
        start, end: From its first character to its last, without white space at the ends.
        parts: The spans whose texts are joined where that is no slice, or empty.
        continues: Whether it goes on from the piece before it.
    """

    section: Section
    start: int
    end: int
    parts: tuple[tuple[int, int], ...] = ()
    continues: bool = False


_block = partial(tuple.__new__, _Block)  # as for sections: the named tuple's own constructor is slower


def split(request: Request, options: MarkdownOptions) -> Pieces:
    """Sections never share a chunk; one that is only a heading makes none.

    In LangChain's style neighbours with equal headings are one section. With their heading lines left out its text is
    no slice: the bodies with a blank line between them.
    """
    text, find = request.text, _hash_blocks if options.style == "langchain" else _commonmark_blocks
    blocks = find(text, options.level, options.headings == "keep")
    starts, ends = _columns(blocks)
    if options.split_long:
        joined = any(block.parts for block in blocks)
        texts = [_text(text, block) for block in blocks] if joined else []
        lengths = request.unit.counts(texts) if joined else request.unit.slice_counts(text, starts, ends)
        if (lengths > request.size).any():
            blocks = _fitting(request, blocks, lengths)
            starts, ends = _columns(blocks)
    joined = options.style == "langchain" and any(block.parts for block in blocks)
    return Pieces(
        starts,
        ends,
        _contexts(text, blocks, options),
        tuple([block[0][0] for block in blocks]),
        tuple([_text(text, block) for block in blocks]) if joined else (),
    )


def _commonmark_blocks(text: str, level: int, keep: bool) -> list[_Block]:
    made = []
    for section in sections(text, commonmark_headings(text), level):
        _, heading, start, end = section
        while end > start and text[end - 1].isspace():
            end -= 1
        if start < end:
            if keep:
                start = heading
            while text[start].isspace():
                start += 1
            made.append(_block((section, start, end, (), False)))
    return made


def _hash_blocks(text: str, level: int, keep: bool) -> list[_Block]:
    made = []
    for group in hash_sections(text, level, keep):
        parts = tuple(trim(text, one.start if keep else one.body, one.end) for one in group)
        joined = parts if len(parts) > 1 and not keep else ()
        made.append(_Block(group[-1], parts[0][0], parts[-1][1], joined))
    return made


def _text(text: str, block: _Block) -> str:
    return "\n\n".join(text[start:end] for start, end in block.parts or ((block.start, block.end),))


def _columns(blocks: list[_Block]) -> tuple[IntArray, IntArray]:
    return as_offsets([block[1] for block in blocks]), as_offsets([block[2] for block in blocks])


def _fitting(request: Request, blocks: list[_Block], lengths: IntArray) -> list[_Block]:
    """The blocks, with those over the size cut by the recursive splitter; joined ones that are too long come apart."""
    text, made = request.text, []
    for block, length in zip(blocks, lengths.tolist(), strict=True):
        if length <= request.size:
            made.append(block)
            continue
        spans = [
            (start + a, start + b)
            for start, end in block.parts or ((block.start, block.end),)
            for a, b in _recursive_spans(request, text[start:end])
        ]
        made += [_Block(block.section, *span, continues=number > 0) for number, span in enumerate(spans)]
    return made


def _recursive_spans(request: Request, text: str) -> Iterator[tuple[int, int]]:
    pieces = split_recursively(replace(request, text=text), _RECURSIVE)
    return zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)


def _contexts(text: str, blocks: list[_Block], options: MarkdownOptions) -> tuple[str, ...]:
    if options.context == "path":
        return tuple([PATH_MARK.join(block.section.path) for block in blocks])
    if options.context == "none":
        return ()
    strip = options.headings == "strip"
    return tuple(
        [text[block.section.start : block.section.body].strip() if strip or block.continues else "" for block in blocks]
    )


MARKDOWN = Chunker(
    name="markdown",
    label="Markdown headings",
    help="One chunk a section, with its heading path; long ones split again; best where headings mark the topics.",
    split=split,
    options=MarkdownOptions,
)
