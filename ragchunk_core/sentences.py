"""Where sentences begin and end, by named rules (C06).

Each rule gives the spans of a text's sentences: in order, not overlapping, without white space at their ends,
and with nothing but white space between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragchunk_core.spans import as_offsets, trim
from ragchunk_core.types import IntArray

# Abbreviations that stand before a name, a number or more of the sentence, so a capital may follow them.
_LEADING = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "messrs",
        "dr",
        "prof",
        "st",
        "ste",
        "mt",
        "ft",
        "rev",
        "hon",
        "pres",
        "gov",
        "sen",
        "rep",
        "gen",
        "col",
        "maj",
        "capt",
        "cmdr",
        "lt",
        "sgt",
        "cpl",
        "adm",
        "supt",
        "insp",
        "fr",
        "sr",
        "jr",
        "mme",
        "mlle",
        "m",
        "mm",
        "art",
        "arts",
        "sec",
        "secs",
        "ch",
        "chap",
        "para",
        "fig",
        "figs",
        "eq",
        "eqs",
        "ref",
        "refs",
        "vol",
        "vols",
        "no",
        "nos",
        "nr",
        "pp",
        "p",
        "pt",
        "tab",
        "vs",
        "v",
        "viz",
        "cf",
        "srta",
        "sra",
        "lic",
        "n°",
        "nº",
        "e.g",
        "eg",
        "i.e",
        "ie",
        "esp",
        "approx",
        "ca",
        "al",
        "ed",
        "eds",
        "trans",
        "univ",
        "dept",
        "dist",
        "est",
        "inc",
        "ltd",
        "co",
        "corp",
        "bros",
        "ave",
        "blvd",
        "rd",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "tues",
        "wed",
        "thu",
        "thur",
        "thurs",
        "fri",
        "sat",
        "sun",
        "z.b",
        "bzw",
        "d.h",
        "usw",
        "vgl",
        "hr",
        "fra",
        "str",
        "u.a",
        "abb",
        "bspw",
        "ggf",
    ]
)
# Of these, the ones that also end sentences: a capital after them starts a new one unless it is a name's part.
_EITHER = frozenset(
    ["inc", "ltd", "co", "corp", "bros", "al", "jr", "sr", "est", "dept", "univ", "usw", "no", "sat", "sun", "mar"]
)

_CLOSERS = r"[\"'”’“»›)\]}*_`」』）】〉》〕]"
_OPENERS = r"[\"'“‘„«‹(\[{*_`¿¡]"
_LIST = r"(?:[-*+•‣◦–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])[ \t]"

# Every alternative begins with a rare character, so that the search is one fast pass.
_BOUNDARY = re.compile(
    rf"""
      (?P<stop>[.!?…]+(?:[ ]\.)*) (?P<close>{_CLOSERS}*) (?=\s|\Z)         # Latin, Cyrillic, Greek …
    | [。！？｡]+ {_CLOSERS}*                                               # Chinese, Japanese: no space follows
    | [؟۔।॥።፧፨]+ {_CLOSERS}* (?!\d)                                       # Arabic, Urdu, Devanagari, Ethiopic
    | ^[#]{{1,6}}[ \t].*                                                   # a heading is a line of its own
    | [\r\n] (?=[ \t]*(?:[\r\n]|[#]{{1,6}}[ \t]|{_LIST}|\||```|~~~))       # a blank line, item, row or fence follows
    """,
    re.VERBOSE | re.MULTILINE,
)
_NEXT = re.compile(rf"\s+{_OPENERS}*(?P<first>\S)")
_WORD_BEFORE = re.compile(r"[\w.&'’°-]*\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_CONTINUES = frozenset(",;:)]}%…/|")


def by_rules(text: str) -> IntArray:
    """Stops that a capital follows, with abbreviations, initials, decimals, ellipses, quotes and brackets.

    List items, table rows, headings and blank lines are boundaries too. Chinese and Japanese full stops need no
    space after them; Arabic, Urdu, Devanagari and Ethiopic stops count.
    """
    return _spans(text, _ends(text))


def after_stops(text: str) -> IntArray:
    """Broken at blank lines and after every ``.``, ``!`` or ``?`` that white space follows; nothing else."""
    return _spans(text, (m.end() for m in re.finditer(r"[.!?](?=\s)|(?=\r?\n[ \t]*\r?\n)", text)))


def langchain(text: str) -> IntArray:
    r"""LangChain's SemanticChunker: split at ``(?<=[.?!])\s+``."""
    return _spans(text, (m.end() for m in re.finditer(r"[.?!](?=\s)", text)))


@dataclass(frozen=True, slots=True)
class SentenceRule:
    """A named rule. ``find`` maps a text to an int64 array of shape ``(sentences, 2)``."""

    name: str
    label: str
    find: Callable[[str], IntArray]


RULES: dict[str, SentenceRule] = {
    rule.name: rule
    for rule in (
        SentenceRule("rules", "Rules (abbreviations, quotes, lists)", by_rules),
        SentenceRule("stops", "Every . ! ? before white space", after_stops),
        SentenceRule("langchain", "LangChain's SemanticChunker", langchain),
    )
}


def sentence_spans(text: str, rule: str = "rules") -> IntArray:
    """The sentences of ``text`` as an int64 array of shape ``(sentences, 2)``.

    Raises:
        ValueError: If there is no rule of that name.
    """
    if rule not in RULES:
        raise ValueError(f"The sentence rule is {rule!r}; allowed are {', '.join(RULES)}.")
    return RULES[rule].find(text)


def _spans(text: str, ends: Iterator[int]) -> IntArray:
    found: list[tuple[int, int]] = []
    start = 0
    for end in ends:
        low, high = trim(text, start, end)
        if high > low:
            found.append((low, high))
        start = end
    low, high = trim(text, start, len(text))
    if high > low:
        found.append((low, high))
    return as_offsets(found).reshape(-1, 2)


def _ends(text: str) -> Iterator[int]:
    for match in _BOUNDARY.finditer(text):
        if match["stop"] is None or _closes(text, match):
            yield match.end()


def _closes(text: str, match: re.Match[str]) -> bool:
    """Whether a Latin stop ends its sentence, judged by what stands before and after it."""
    after = _NEXT.match(text, match.end())
    if after is None:
        return True
    first, stop, close = after["first"], match["stop"], match["close"]
    if first.islower() or first in _CONTINUES:
        return False
    if stop != ".":
        return not (close.startswith("]") and text[match.start() - 1] == "[")  # "[...]" leaves words out
    word = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
    before = word.group() if word else ""
    if not before:
        return True
    if _numbers_an_item(text, before, match.start()):
        return False
    if close:
        return True
    starts = first.isupper() and _starts_a_sentence(text, after.start("first"))
    if len(before) == 1 and before.isupper():  # an initial: "J. Smith"; but "you and I. Did", "vitamin C. 3 mg"
        return starts or not first.isupper()
    low = before.lower()
    if _DOTTED.fullmatch(before):  # U.S., a.m., e.g.
        return starts and low not in _LEADING
    if low in _LEADING:
        return starts and low in _EITHER
    return True


def _numbers_an_item(text: str, before: str, stop: int) -> bool:
    """Whether the stop closes the "1." or "a." that opens a line: it belongs to what it numbers."""
    short = (before.isdecimal() and len(before) <= 3) or (len(before) == 1 and before.isalpha())
    if not short:
        return False
    begin = stop - len(before)
    line = max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) + 1
    return not text[line:begin].strip(" \t-*+•‣◦⁃–(")


_STARTERS = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "he",
        "she",
        "it",
        "we",
        "they",
        "you",
        "i",
        "there",
        "here",
        "in",
        "on",
        "at",
        "for",
        "from",
        "with",
        "but",
        "and",
        "or",
        "so",
        "if",
        "when",
        "while",
        "after",
        "before",
        "as",
        "however",
        "what",
        "where",
        "why",
        "how",
        "who",
        "did",
        "do",
        "does",
        "is",
        "are",
        "was",
        "were",
        "please",
    ]
)


def _starts_a_sentence(text: str, at: int) -> bool:
    word = _LETTERS.match(text, at)
    return word is not None and word.group().lower() in _STARTERS
