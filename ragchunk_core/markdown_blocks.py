"""The blocks of a Markdown text as CommonMark and GFM tables define them, with their offsets.

markdown-it-py decides; blocks that can be nothing else are found without it (``markdown_lines``), and the result is
that of parsing the whole text. Blocks tile what they stand in: text that belongs to no block (front matter, link
definitions) is a block of its own at the top, and goes with the block before it further in. Blocks nested more than 20
deep are not looked into (markdown-it-py's limit); they are part of the one around them.
"""

from __future__ import annotations

import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ragchunk_core.headings import FRONT_MATTER, left_open, without_closing_sequence
from ragchunk_core.markdown_lines import NO_LIST, SETTLED, columns_agree
from ragchunk_core.spans import trim

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BLANKS = re.compile(r"[ \t\n]+")
_FRESH = re.compile(rf"\n[ \t]*\n(?=[^\n]){NO_LIST}")
_LINE = re.compile(r"[^ \t\r\n][^\r\n]*")
_ITEM = re.compile(r"^(?:[-*+]|\d{1,9}[.)]) ", re.MULTILINE)
_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "table_open": "table",
    "blockquote_open": "quote",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}


class Block(NamedTuple):
    """A block: what it is, and its span in code points without white space at its ends.

    Attributes:
        kind: heading, paragraph, list, item, table, quote, fence, code, html, rule or other.
        level: Of a heading, 1 to 6; else 0.
        title: Of a heading, as written; of a fence, its info string.
        source: What it was parsed with, or None where its lines tell what is in it.
        first, after: Range of its tokens there.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    title: str = ""
    source: _Parsed | None = None
    first: int = 0
    after: int = 0


def blocks_of(text: str) -> list[Block]:
    """The blocks at the top of a text, in order; together they hold all of it but white space."""
    source = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    at, length = int(text.startswith("\ufeff")), len(source)
    found: list[Block] = []
    if matter := FRONT_MATTER.match(source, at):
        found.append(Block("other", *trim(text, 0, matter.end())))
        at = matter.end()
    settled = SETTLED.match
    while at < length:
        match = settled(source, at)
        kind = match.lastgroup if match else None
        if match is None or (kind == "table" and not columns_agree(match)):
            at = _parsed(text, source, at, found)
            continue
        start, at = match.span()
        if kind == "blank":
            continue
        if kind == "title":
            title = " ".join(_BLANKS.split(without_closing_sequence(match["title"].strip(" \t"))))
            found.append(Block("heading", start, _end(text, start, at), len(match["atx"]), title))
        else:
            title = match["info"].strip() if kind == "fence" else ""
            start, end = (start, _end(text, start, at)) if not text[start].isspace() else trim(text, start, at)
            if start < end:  # a no-break space is text to Markdown
                found.append(Block(kind or "", start, end, 0, title))
        at = min(at + 1, length)
    if found and text.startswith("\ufeff"):
        found[0] = found[0]._replace(start=0)
    return found or [Block("other", *trim(text, 0, length))] if text.strip() else []


def blocks_inside(text: str, block: Block) -> list[Block]:
    """The blocks in a list, an item or a quote; of others none."""
    if block.kind not in ("list", "item", "quote"):
        return []
    if block.source is None:
        if block.kind == "item":
            return [Block("paragraph", block.start, block.end)]
        starts = [block.start + match.start() for match in _ITEM.finditer(text[block.start : block.end])]
        bounds = itertools.pairwise([*starts, block.end])
        return [Block("item", *trim(text, low, high)) for low, high in bounds]
    return block.source.siblings(block.first + 1, block.after - 1, block.start, block.end)


def _end(text: str, start: int, end: int) -> int:
    """Where the white space at the end of a stretch begins that does not begin with any."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def table_rows(text: str, block: Block) -> list[tuple[int, int]]:
    """The span of a table's header with the line of dashes, then of each row: in a table every line is one."""
    spans = [match.span() for match in _LINE.finditer(text, block.start, block.end)]
    spans[:2] = [(spans[0][0], spans[min(1, len(spans) - 1)][1])]
    return [(start, _end(text, start, end)) for start, end in spans]


def _parsed(text: str, source: str, begin: int, found: list[Block]) -> int:
    """Add the blocks from ``begin`` to the next place where all is closed, as parsed, and return that place.

    If they leave a fence or an HTML block open, it goes on, so more is parsed: twice as much each time.
    """
    end = begin
    while True:
        after = _FRESH.search(source, end)
        end = after.end() if after else len(source)
        region = source[begin:end]
        tokens = _parser().parse(region)
        if end == len(source) or not left_open(tokens, region.count("\n")):
            break
        end = min(begin + 2 * (end - begin), len(source))
    lines = [begin, *(begin + match.end() for match in re.finditer("\n", region)), end]
    found += _Parsed(text, tokens, lines).top(begin, end)
    return end


class _Parsed:
    """A stretch of the text as markdown-it-py parsed it; ``lines`` are the offsets of its lines, and its end."""

    def __init__(self, text: str, tokens: list[Token], lines: list[int]) -> None:
        self._text, self._tokens, self._lines = text, tokens, lines

    def top(self, start: int, end: int) -> list[Block]:
        """The outermost blocks, with what is between them."""
        found: list[Block] = []
        reached = start
        for first, after, low, high in self._places(0, len(self._tokens)):
            self._gap(found, reached, low)
            self._add(found, first, after, low, high)
            reached = high
        self._gap(found, reached, end)
        return found

    def siblings(self, first: int, after: int, start: int, end: int) -> list[Block]:
        """The blocks of a range of tokens, tiling ``[start, end)``."""
        places = self._places(first, after)
        bounds = [start, *(max(start, low) for _, _, low, _ in places[1:]), end]
        found: list[Block] = []
        for (begin, behind, _, _), (low, high) in zip(places, itertools.pairwise(bounds), strict=False):
            self._add(found, begin, behind, low, high)
        return found

    def _places(self, first: int, after: int) -> list[tuple[int, int, int, int]]:
        """Of each outermost block among the tokens its range of tokens and its lines' span."""
        tokens, lines, last = self._tokens, self._lines, len(self._lines) - 1
        at, places = first, []
        while at < after:
            token, begin = tokens[at], at
            at += 1
            if token.nesting == 1:
                level = token.level
                while tokens[at].nesting != -1 or tokens[at].level != level:
                    at += 1
                at += 1
            if token.map is not None and token.type in _KINDS:
                places.append((begin, at, lines[min(token.map[0], last)], lines[min(token.map[1], last)]))
        return places

    def _add(self, found: list[Block], first: int, after: int, low: int, high: int) -> None:
        token = self._tokens[first]
        kind = _KINDS[token.type]
        start, end = trim(self._text, low, high)
        if start == end:
            return
        level, title = 0, token.info.strip() if kind == "fence" else ""
        if kind == "heading":
            level, title = int(token.tag[1]), " ".join(_BLANKS.split(self._tokens[first + 1].content.strip()))
        found.append(Block(kind, start, end, level, title, self, first, after))

    def _gap(self, found: list[Block], start: int, end: int) -> None:
        start, end = trim(self._text, start, end)
        if start < end:
            found.append(Block("other", start, end))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands inside a line is not asked for
    return parser
