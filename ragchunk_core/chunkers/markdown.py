"""Markdown headings: one chunk a section, long sections split again (C11, C12)."""

from __future__ import annotations

from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, Pieces, Request
from ragchunk_core.chunkers.recursive import RecursiveOptions
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.headings import Section, commonmark_headings, hash_line_headings, sections
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim

PATH_MARK = " › "


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
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
        "CommonMark, or the simpler rule of LangChain's MarkdownHeaderTextSplitter.",
        choices={"commonmark": "CommonMark", "langchain": "LangChain"},
    )


def split(request: Request, options: MarkdownOptions) -> Pieces:
    """Sections never share a chunk; one that is only a heading makes none."""
    text = request.text
    find = commonmark_headings if options.style == "commonmark" else hash_line_headings
    spans: list[tuple[int, int]] = []
    contexts: list[str] = []
    paths: list[tuple[str, ...]] = []
    for section in sections(text, find(text), options.level):
        parts = _parts(request, options, section)
        spans += parts
        paths += [section.path] * len(parts)
        contexts += _contexts(text, section, options, len(parts))
    table = as_offsets(spans).reshape(-1, 2)
    has_context = options.context != "none"
    return Pieces(
        as_offsets(table[:, 0]), as_offsets(table[:, 1]), tuple(contexts) if has_context else (), tuple(paths)
    )


def _parts(request: Request, options: MarkdownOptions, section: Section) -> list[tuple[int, int]]:
    text = request.text
    body = trim(text, section.body, section.end)
    if body[0] == body[1]:
        return []
    start, end = body if options.headings == "strip" else trim(text, section.start, section.end)
    if not options.split_long or request.unit.count(text[start:end]) <= request.size:
        return [(start, end)]
    part = Request(text[start:end], request.size, request.overlap, request.unit, request.embed)
    pieces = split_recursively(part, RecursiveOptions())
    return [(start + a, start + b) for a, b in zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)]


def _contexts(text: str, section: Section, options: MarkdownOptions, count: int) -> list[str]:
    if options.context == "path":
        return [PATH_MARK.join(section.path)] * count
    heading = text[section.start : section.body].strip()
    first = "" if options.headings == "keep" else heading
    return [first, *[heading] * (count - 1)] if count else []


MARKDOWN = Chunker(
    name="markdown",
    label="Markdown headings",
    help="One chunk a section, with its heading path; long ones split again; best where headings mark the topics.",
    split=split,
    options=MarkdownOptions,
)
