"""Headings of a Markdown text and the sections they open (C11).

CommonMark decides what a heading is, through markdown-it-py: ATX and setext, indented, in quotes and lists, and
nothing inside fences, HTML blocks or YAML front matter.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_NEWLINE = re.compile(r"\r\n?|\n")  # the line ends that markdown-it-py knows, and no others
_FRONT_MATTER = re.compile(
    r"\ufeff?---[ \t]*(?:\r\n?|\n)(?=\S)(?:(?!---|\.\.\.).*(?:\r\n?|\n))*?(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level (1 to 6), its title, and the span of its lines in code points."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """The text from one heading to the next.

    Attributes:
        path: Titles from the outermost heading to this one; empty before the first heading.
        start: Where its heading starts.
        body: Where the heading ends.
        end: Where the next section starts.
    """

    path: tuple[str, ...]
    start: int
    body: int
    end: int


def commonmark_headings(text: str) -> list[Heading]:
    """Every heading of the text, in order, as CommonMark defines them."""
    lines = [0, *(match.end() for match in _NEWLINE.finditer(text)), len(text)]
    found = []
    tokens = _parser().parse(_parseable(text))
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.map is not None:
            first, after = token.map
            end = lines[min(after, len(lines) - 1)]
            found.append(Heading(int(token.tag[1]), " ".join(inline.content.split()), lines[first], end))
    return found


def hash_line_headings(text: str) -> list[Heading]:
    """Lines that LangChain's MarkdownHeaderTextSplitter takes for headings.

    A stripped line that starts with one to six ``#`` and a space, outside of ``` and ~~~ fences as that splitter
    sees them.
    """
    found, fence, start = [], "", 0
    for line in text.split("\n"):
        bare = "".join(filter(str.isprintable, line.strip()))
        if not fence and bare.startswith("```") and bare.count("```") == 1:
            fence = "```"
        elif not fence and bare.startswith("~~~"):
            fence = "~~~"
        elif fence and bare.startswith(fence):
            fence = ""
        elif not fence and (match := re.match(r"(#{1,6})(?: |\Z)", bare)):
            end = min(len(text), start + len(line) + 1)
            found.append(Heading(len(match[1]), bare[match.end() :].strip(), start, end))
        start += len(line) + 1
    return found


def sections(text: str, headings: list[Heading], level: int) -> list[Section]:
    """The text cut at headings up to ``level``; deeper ones stay inside. Together the sections cover the text."""
    opening = [heading for heading in headings if heading.level <= level]
    starts = [heading.start for heading in opening]
    made = []
    if not starts or starts[0] > 0:
        made.append(Section((), 0, 0, starts[0] if starts else len(text)))
    stack: list[Heading] = []
    for heading, end in zip(opening, [*starts[1:], len(text)], strict=False):
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        made.append(Section(tuple(h.title for h in stack), heading.start, heading.end, end))
    return made


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])  # titles are wanted as written; inline marks cost the most
    return parser


def _parseable(text: str) -> str:
    """The text for the parser: same lines, but no byte-order mark, and front matter blanked."""
    match = _FRONT_MATTER.match(text)
    if match:
        blank = "\n" * len(_NEWLINE.findall(match.group()))
        return blank + text[match.end() :]
    return text.removeprefix("\ufeff")
