"""Where fences and pipe tables stand in a text, as CommonMark and GFM define them (markdown-it-py decides)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n?|\n")
_MAY_HOLD = re.compile(r"```|~~~|\|")
_MARKS = re.compile(r"`{3,}|~{3,}")


class Fence(NamedTuple):
    """A fenced block, in code points.

    Attributes:
        start, end: From its opening line's first character to the end of its last line, without the line end.
        opening: Span of the opening mark.
        closing: Span of the closing mark; empty, at ``end``, where the text leaves the fence open.
    """

    start: int
    end: int
    opening: tuple[int, int]
    closing: tuple[int, int]

    @property
    def closed(self) -> bool:
        """Whether the text itself closes it."""
        return self.closing[0] < self.closing[1]


class Table(NamedTuple):
    """A pipe table, in code points: the span of its header line, and of its rows (first row's start to the end)."""

    header: tuple[int, int]
    rows: tuple[int, int]


def fences_and_tables(text: str) -> tuple[list[Fence], list[Table]]:
    """All of a text, in order; blocks nested more than 20 deep are not looked into (markdown-it-py's limit)."""
    if not _MAY_HOLD.search(text):
        return [], []
    breaks = [match.span() for match in _LINE_END.finditer(text)]
    starts = np.array([0, *(end for _, end in breaks)])
    ends = np.array([*(start for start, _ in breaks), len(text)])
    fences, tables = [], []
    header = 0
    for token in _parser().parse(text):
        if token.map is None:
            continue
        first, last = token.map[0], min(token.map[1], len(starts)) - 1
        if token.type == "fence":
            fences.append(_fence(text, token, int(starts[first]), int(starts[last]), int(ends[last]), first < last))
        elif token.type == "table_open":
            header = first
        elif token.type == "tbody_open":
            rows = (int(starts[first]), int(ends[last]))
            tables.append(Table((int(starts[header]), int(ends[header])), rows))
    return fences, tables


def _fence(text: str, token: Token, start: int, last: int, end: int, several: bool) -> Fence:
    at = text.index(token.markup, start)
    opening = (at, at + len(token.markup))
    marks = list(_MARKS.finditer(text, last, end)) if several else []
    closes = (
        len(marks) == 1
        and marks[0].group().startswith(token.markup)
        and not text[marks[0].end() : end].strip()
        and not text[last : marks[0].start()].strip(" \t>")
    )
    return Fence(start, end, opening, marks[0].span() if closes else (end, end))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands inside a line is not asked for
    return parser
