"""Blocks of a Markdown text that one regular expression settles, where nothing before them is open.

Paragraphs, headings, fences, pipe tables and flat lists whose every line begins in a way that can mean nothing else.
All others are left to markdown-it-py, which takes a hundred times as long.
"""

from __future__ import annotations

import re

# How a line begins that is text of a paragraph, whatever stands before it: no mark of a block, no link definition.
_TEXT = (
    r"""(?:[^\W\d_]|[^\x00-\x7f]|\d++(?![.)])|["'(!$%@&/{\\]|\*{1,3}(?=\w)|_{1,3}(?=[^\W_])|`{1,2}(?!`)"""
    r"""|\[[^\[\]\\\n]*+\](?!:))"""
)
_END = r"(?=\n?\Z|\n[ \t]*(?:\n|\Z)"
NO_LIST = r"(?![ \t]|[*+\-](?:[ \t\n]|\Z)|\d{1,9}[.)])"
"""Before a line, after a blank one, that goes on with nothing: neither indented nor an item of a list."""
SETTLED = re.compile(
    rf"""
      (?P<blank> (?: [ \t]*+ \n )++ )
    | (?P<atx> \#{{1,6}} ) (?![^ \t\n]) (?P<title> [^\n]*+ )
    | (?P<paragraph> {_TEXT} [^\n]*+ (?: \n [ \t]*+ {_TEXT} [^\n]*+ )*+ )
      {_END} | \n ```[^`\n]*+(?:\n|\Z) | \n \#{{1,6}}[ \t] | \n [-*+][ ]{_TEXT} )
    | (?P<ticks> ```+ ) (?P<info> [^`\n]*+ )
      (?: \n (?![ ]{{0,3}}```) [^\n]*+ )*+ \n [ ]{{0,3}} (?P=ticks) `*+ [ \t]*+ (?P<fence> (?=\n|\Z) )
    | (?P<head> \| [^\n\\`]*+ (?<=\|) ) \n (?P<rule> \| (?: [ \t]*+ :?-++:? [ \t]*+ \| )++ ) [ \t]*+
      (?: \n \| [^\n]*+ )*+ (?P<table> {_END} ) )
    | (?: (?P<marker> [-*+] ) | \d{{1,9}}+ (?P<dot> [.)] ) ) [ ]{{1,4}} {_TEXT} [^\n]*+
      (?: \n (?: [ \t]*+ | (?(marker) (?P=marker) | \d{{1,9}}+ (?P=dot) ) [ ]{{1,4}} ) {_TEXT} [^\n]*+ )*+
      (?P<list> (?= \s*+ \Z | \n \#{{1,6}}[ \t] | \n (?: [ \t]*+ \n )++ {NO_LIST} ) )
    """,
    re.VERBOSE,
)
"""Matched where a line begins; the last group that took part names the kind."""

CELLS = 50_000
"""Cells of a table from which on its rows are counted: markdown-it-py ends tables in which so many are missing."""


def columns_agree(match: re.Match[str]) -> bool:
    """Whether the two lines that a table begins with have as many columns, and no huge number of cells is missing."""
    columns = match["head"].count("|")
    if columns != match["rule"].count("|"):
        return False
    if match.group().count("\n") * columns < CELLS:
        return True
    return all(line.count("|") - line.count("\\|") >= columns for line in match.group().split("\n"))
