"""Headings of a Markdown text and the sections they open (C11).

CommonMark decides what a heading is: ATX and setext, indented, in quotes and lists, and nothing inside fences, HTML
blocks or YAML front matter. markdown-it-py is asked about every line that could be one, together with the blocks
around it; only lines that start with ``#`` at the margin, and fences at the margin, are settled without it, because
there nothing but an open fence or HTML block can decide otherwise. The result is that of parsing the whole text.
"""

from __future__ import annotations

import itertools
import re
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BLANKS = re.compile(r"[ \t\n]+")
# YAML between two lines of dashes at the start: the first line that is no comment names a key.
FRONT_MATTER = re.compile(
    r"""
    ---[ \t]*\n
    (?: [ \t]*(?:\#.*)?\n )*  [\w"'][^\n:]*:(?:[ \t].*)?\n
    (?: (?!---|\.\.\.).*\n )*
    (?:---|\.\.\.)[ \t]*(?:\n|\Z)
    """,
    re.VERBOSE,
)
# Lines that are headings, or that can hide one: all others are never looked at.
_TELLING = re.compile(
    r"""\n(?=[\#`~<>=\-*+\d \t])(?:
      (?P<atx> \#{1,6} ) (?![^ \t\n]) (?P<title> [^\n]* )  # a heading at the margin
    | (?P<ticks> ```+ ) [^`\n]*                            # a fence at the margin, whole
        (?: \n (?![ ]{0,3}```) [^\n]* )* \n [ ]{0,3} (?P=ticks) `* [ \t]* (?=\n|\Z)
    | (?P<fence> ```+ (?=[^`\n]*(?:\n|\Z)) | ~~~+ )       # the beginning of any other fence at the margin
    | (?P<other>
        [ ]{0,3} <[a-zA-Z/!?]                              # an HTML block
      | [ ]{1,3} (?: ``` | ~~~ )                           # an indented fence, at the top or in a list
      | [ \t>]*+ (?:=++|-++) [ \t]* (?=\n|\Z)             # the underline of a setext heading, or a rule
      | [ \t>*+\-\d.)]++ \#{1,6} (?=[ \t\n]|\Z)           # a heading that is indented, in a quote or a list
      )
    )""",
    re.VERBOSE,
)
_CLOSING_FENCE = re.compile(r"\n {0,3}(`{3,}|~{3,})[ \t]*(?=\n|\Z)")
# An indented fence with its end, as in a list, that is the same whatever it is in: no line of it is indented less, and
# none would tell anything if it were no fence.
_PLAIN_FENCE = re.compile(
    r"""
    \n (?P<indent>[ ]{1,3}) (?P<mark> (?P<char>[`~])(?P=char){2,} ) [^`\n]*
    (?: \n (?: (?P=indent)(?![ ]*[=\-`~<])[^\n\#]* | [ \t]*(?=\n) ) )*
    \n (?P=indent) (?P=mark) (?P=char)* [ \t]* (?=\n|\Z)
    """,
    re.VERBOSE,
)
_FRESH = re.compile(r"\n[ \t]*\n(?=[^ \t\n])")
"""A blank line, and text at the margin after it: no quote, list or paragraph goes on there."""


class Heading(NamedTuple):
    """A heading: its level (1 to 6), its title, and the span of its lines in code points."""

    level: int
    title: str
    start: int
    end: int


class Section(NamedTuple):
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


# Made thousands of times: without the named tuple's own constructor, which is written in Python.
_heading = partial(tuple.__new__, Heading)
_section = partial(tuple.__new__, Section)


def commonmark_headings(text: str) -> list[Heading]:
    """Every heading of the text, in order, as CommonMark defines them; a byte-order mark and front matter are none.

    Blocks nested more than 20 deep are not looked into (markdown-it-py's limit).
    """
    source, fresh = _prepared(text)  # ``fresh``: a line before which everything is closed
    found: list[Heading] = []
    at, length, search, add = fresh - 1, len(text), _TELLING.search, found.append
    while match := search(source, at):
        line, at = match.span()
        kind = match.lastgroup
        if kind == "title":
            marks, title = match.group(1, 2)  # atx and title
            title = title.strip(" \t")
            if title[-1:] == "#":
                title = without_closing_sequence(title)
            add(_heading((len(marks), title, line, at if at < length else length)))
            fresh = at + 1
        elif kind == "ticks":
            fresh = at + 1
        elif kind == "other" and (plain := _PLAIN_FENCE.match(source, line)):
            at = plain.end()
        else:
            fresh = _around(source, fresh, line + 1, found) if kind == "other" else _after_fence(source, match)
            at = fresh - 1
    if found and text.startswith("\ufeff") and found[0].start == 1:
        found[0] = found[0]._replace(start=0)
    return found


def sections(text: str, headings: list[Heading], level: int) -> list[Section]:
    """The text cut at headings up to ``level``; deeper ones stay inside. Together the sections cover the text."""
    opening = [heading for heading in headings if heading.level <= level]
    starts = [heading.start for heading in opening]
    made = []
    if not starts or starts[0] > 0:
        made.append(Section((), 0, 0, starts[0] if starts else len(text)))
    path: list[str] = []
    levels: list[int] = []
    for (depth, title, start, body), end in zip(opening, [*starts[1:], len(text)], strict=False):
        while levels and levels[-1] >= depth:
            levels.pop()
            path.pop()
        levels.append(depth)
        path.append(title)
        made.append(_section((tuple(path), start, body, end)))
    return made


def _prepared(text: str) -> tuple[str, int]:
    """The text as it is searched, and where to begin: one line feed in front, so offsets are one more than in ``text``.

    Every line ends in a line feed: a carriage return before one becomes a space, which means nothing there.
    """
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    marked = text.startswith("\ufeff")
    if marked:
        text = "\n" + text[1:]
    matter = FRONT_MATTER.match(text, int(marked))
    return "\n" + text, 1 + (matter.end() if matter else 0)


def _line_after(source: str, at: int) -> int:
    return source.find("\n", at) + 1 or len(source)


def without_closing_sequence(title: str) -> str:
    """``Setup ##`` without the hashes at its end, which only white space before them makes a closing sequence."""
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if bare[-1:] in ("", " ", "\t") else title


def _after_fence(source: str, opening: re.Match[str]) -> int:
    """The line after the one that closes the fence; without one the fence goes to the end."""
    mark = opening["fence"]
    at = _line_after(source, opening.end()) - 1
    while closing := _CLOSING_FENCE.search(source, at):
        at = closing.end()
        if closing[1].startswith(mark):
            return min(at + 1, len(source))
    return len(source)


def _around(source: str, fresh: int, line: int, found: list[Heading]) -> int:
    """Add the headings of the blocks around ``line``, as markdown-it-py parses them, and return where these end.

    The blocks begin at the last place from ``fresh`` on where all before is closed, and end at the next such place.
    If they leave a fence or an HTML block open, it goes on, so more is parsed: twice as much each time.
    """
    begin = fresh
    for match in _FRESH.finditer(source, fresh - 1, line + 1):
        begin = match.end()
    end = line
    while True:
        after = _FRESH.search(source, end)
        end = after.end() if after else len(source)
        region = source[begin:end]
        tokens = _parser().parse(region)
        if end == len(source) or not left_open(tokens, region.count("\n")):
            break
        end = min(begin + 2 * (end - begin), len(source))
    lines = [begin - 1, *(begin + match.end() - 1 for match in re.finditer("\n", region))]
    if not region.endswith("\n"):
        lines.append(end - 1)
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.map is not None:
            title = " ".join(_BLANKS.split(inline.content.strip()))
            found.append(Heading(int(token.tag[1]), title, lines[token.map[0]], lines[token.map[1]]))
    return end


def left_open(tokens: list[Token], lines: int) -> bool:
    """Whether the last block of so many lines is a fence or an HTML block at the top that nothing has closed."""
    last = tokens[-1] if tokens else None
    return (
        last is not None
        and last.level == 0
        and last.type in ("fence", "html_block")
        and last.map is not None
        and last.map[1] >= lines
    )


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])  # titles are wanted as written; inline marks cost the most
    return parser
