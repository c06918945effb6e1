"""The blocks of a Markdown text as CommonMark and GFM tables define them (markdown-it-py decides), with their offsets.

Blocks tile what they stand in: text that belongs to no block (front matter, link definitions) is a block of its own at
the top, and goes with the block before it further in. Blocks nested more than 20 deep are not looked into
(markdown-it-py's limit); they are part of the one around them.
"""

from __future__ import annotations

import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ragchunk_core.headings import FRONT_MATTER
from ragchunk_core.spans import trim

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LINE_END = re.compile(r"\r\n?|\n")
_BLANKS = re.compile(r"[ \t\n]+")
_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "table_open": "table",
    "tr_open": "row",
    "blockquote_open": "quote",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}


class Block(NamedTuple):
    """A block: what it is, its span in code points without white space at its ends, and its tokens.

    Attributes:
        kind: heading, paragraph, list, item, table, row, quote, fence, code, html, rule or other.
        first, after: Range of its tokens.
        level: Of a heading, 1 to 6; else 0.
        title: Of a heading, as written; of a fence, its info string.
    """

    kind: str
    start: int
    end: int
    first: int
    after: int
    level: int = 0
    title: str = ""


class Blocks:
    """A parsed text.

    Attributes:
        top: The blocks at the top, in order; together they hold all of the text but white space.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        breaks = [match.end() for match in _LINE_END.finditer(text)]
        self._lines = [0, *breaks, len(text)]
        begin = int(text.startswith("\ufeff"))
        plain = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
        matter = FRONT_MATTER.match(plain, begin)
        self._skipped = 0
        if matter:
            begin = matter.end()
            self._skipped = plain.count("\n", 0, begin)
        self._tokens: list[Token] = _parser().parse(plain[begin:])
        self.top = self._siblings(0, len(self._tokens), 0, len(text), top=True)

    def inside(self, block: Block) -> list[Block]:
        """The blocks in a list, an item, a quote or a table (its header first, as one row); else none."""
        if block.kind == "table":
            return self._rows(block)
        if block.kind not in ("list", "item", "quote"):
            return []
        return self._siblings(block.first + 1, block.after - 1, block.start, block.end, top=False)

    def _line(self, number: int) -> int:
        return self._lines[min(number + self._skipped, len(self._lines) - 1)]

    def _siblings(self, first: int, after: int, start: int, end: int, top: bool) -> list[Block]:
        tokens = self._tokens
        found: list[Block] = []
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
                places.append((begin, at, self._line(token.map[0]), self._line(token.map[1])))
        reached = start
        for number, (begin, behind, low, high) in enumerate(places):
            following = places[number + 1][2] if number + 1 < len(places) else end
            if top:
                self._gap(found, reached, low)
                reached = min(high, following)
            else:
                low = max(start, low) if number else start
                reached = min(following, end)
            self._add(found, tokens[begin], begin, behind, low, reached)
        if top:
            self._gap(found, reached, end)
        return found

    def _add(self, found: list[Block], token: Token, first: int, after: int, low: int, high: int) -> None:
        kind = _KINDS[token.type]
        start, end = trim(self.text, low, high)
        if start == end:
            return
        if kind == "heading":
            title = " ".join(_BLANKS.split(self._tokens[first + 1].content.strip()))
            found.append(Block(kind, start, end, first, after, int(token.tag[1]), title))
        else:
            found.append(Block(kind, start, end, first, after, 0, token.info.strip() if kind == "fence" else ""))

    def _gap(self, found: list[Block], start: int, end: int) -> None:
        start, end = trim(self.text, start, end)
        if start < end:
            found.append(Block("other", start, end, 0, 0))

    def _rows(self, block: Block) -> list[Block]:
        """The header with the line of dashes as one row, then each row."""
        rows, body = [], False
        for at in range(block.first, block.after):
            token = self._tokens[at]
            body = body or token.type == "tbody_open"
            if token.type == "tr_open" and token.map is not None and body:
                rows.append((at, self._line(token.map[0])))
        bounds = [block.start, *(low for _, low in rows), block.end]
        found = []
        for number, (low, high) in enumerate(itertools.pairwise(bounds)):
            start, end = trim(self.text, low, high)
            if start < end:
                first = rows[number - 1][0] if number else block.first
                found.append(Block("row", start, end, first, first))
        return found


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # what stands inside a line is not asked for
    return parser
