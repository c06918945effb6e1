"""Sentence ends by rules (C06): one pass over the characters that can end a sentence, then what stands around them.

The pass is one regular expression that begins with a set of characters, which is what makes it fast; the plainest
ends (after a lower-case word that is no abbreviation, before a capital) are settled inside it, all others by
``_closes``. Not a trained model: the rules know scripts and abbreviations, and are not told the language.
"""

from __future__ import annotations

import re

from ragchunk_core.abbreviations import (
    ABBREVIATIONS,
    ALSO_LAST,
    NAMES_OF_TIME,
    NUMBERED,
    ORDINALS_FOLLOW,
    PREPOSITIONS,
    STARTERS,
)

_LOWER, _UPPER = "a-zß-öø-ÿα-ωа-яё", "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
_TAILS = "|".join(sorted({word[-4:] for word in ABBREVIATIONS if len(word) >= 4 and word.isalpha()}))
_CLOSERS = r"[\"'”’“»›)\]}*_`」』）】〉》〕]"
_OPENERS = r"[\"'“‘„«‹(\[{*_`¿¡]"
_BULLETS = "•‣◦⁃▪●"
_ITEM = rf"(?:[-*+{_BULLETS}–]|\(?\d{{1,3}}[.)]|\(?[a-zA-Z][.)])[ \t]"
_LINE_BREAK = re.compile(r"[\r\n]|\Z")
_LINE_END = r"(?:\r\n|\n|\r(?!\n))"
_SHORT = r"[^\r\n.!?…。！？]{1,40}"
# Terminators of scripts that need no space after them: Chinese and Japanese, Armenian, Syriac, Devanagari, Burmese,
# Ethiopic, Khmer, Mongolian; and of Arabic and Urdu.
_WIDE, _OTHER = "。！？｡．", "։܀܁܂।॥။፧፨።។៕᠃᠉"
_ARABIC = "؟۔"

_BOUNDARY = re.compile(
    rf"""
    [.!?…\r\n\#:;{_WIDE}{_OTHER}{_ARABIC}{_BULLETS}](?:
      (?P<plain> (?: (?<=[{_LOWER}]{{4}}\.) (?<!(?:{_TAILS})\.) | (?<=[!?]) ) (?=\s+[{_UPPER}]) )
    | (?P<stop> (?<=[.!?…]) (?<![.!?…]{{2}}) [.!?…]*+ (?:[ ]\.)* ) (?P<close> {_CLOSERS}*+ ) (?=\s|\Z)
    | (?P<sure>
        (?<=[{_WIDE}{_OTHER}]) (?<![{_WIDE}{_OTHER}]{{2}}) [{_WIDE}{_OTHER}]*+
        (?: {_CLOSERS}++ (?![とっ、，]) | (?!{_CLOSERS}) (?: (?!\d) | (?<=[{_OTHER}]) ) )
      | (?<=[{_ARABIC}]) (?<![{_ARABIC}]{{2}}) [{_ARABIC}]*+ {_CLOSERS}*+ (?!\d)
      | (?<=[\u0370-\u03ff\u1f00-\u1fff];) (?=\s|\Z)   # the Greek question mark, typed as a semicolon
      | (?<=[\u0561-\u0587]:) (?=\s|\Z)                # the Armenian full stop, typed as a colon
      | (?<=[\u0620-\u064a]:) (?=\s)                   # Arabic: what a colon announces
      | (?<=\#) (?<![^\r\n]\#) \#{{0,5}}[ \t][^\r\n]*  # a heading is a line of its own
      )
    | (?: (?<=\n) | (?<=\r)(?!\n) ) (?:
        (?P<gap> [ \t]*[\r\n] (?:\s*[\r\n])? )        # blank lines
      | (?P<line> (?=[ \t]*(?:\#{{1,6}}[ \t]|{_ITEM}|\||```|~~~|[{_BULLETS}])) )
      )
    | (?P<bullet> (?<=[{_BULLETS}]) (?<!\S[{_BULLETS}]) (?=[ ]?\S) )
    )""",
    re.VERBOSE,
)
_NEXT = re.compile(rf"\s+{_OPENERS}*(?P<first>\S)")
_WORD_BEFORE = re.compile(r"[\w.&'’°-]*\Z")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_GREEK_WORD = re.compile(r"(?<=[\u0370-\u03ff\u1f00-\u1fff]{5})")
_MARKER = re.compile(rf"[ \t]*(?:[{_BULLETS}][ ]?)?(?P<open>\(?)(?P<which>\d{{1,3}}|[a-z])(?P<mark>\.?\)|\.)[ \t]+\S")
_LIST_OF_LINES = re.compile(rf"{_SHORT}(?:{_LINE_END}{_SHORT}){{2,}}(?={_LINE_END}[ \t]*(?:[\r\n]|\Z)|\Z)")
_CONTINUES = frozenset(",;:)]}%…/|")


def rule_ends(text: str) -> list[int]:
    """Where sentences end, each just after its last character; not sorted, and an end may stand twice."""
    ends: list[int] = []
    items = _Items(text, ends)
    items.paragraph(0)
    for match in _BOUNDARY.finditer(text):
        kind = match.lastgroup
        if kind == "plain" or kind == "sure":
            ends.append(match.end())
        elif kind == "line":
            ends.append(match.end())
            items.line(match.end())
        elif kind == "gap":
            ends.append(match.start())
            items.paragraph(match.end())
        elif kind == "bullet":
            ends.append(match.start())
        elif match.start() not in items.numbering and _closes(text, match, ends[-1] if ends else 0):
            ends.append(match.end())
    return ends


class _Items:
    """Items of lists: those that follow each other inside one line, and lines that are items without a mark."""

    def __init__(self, text: str, ends: list[int]) -> None:
        self.text, self.ends = text, ends
        self.numbering: set[int] = set()
        """Where the stops stand that belong to an item's number."""

    def paragraph(self, start: int) -> None:
        """Look at the paragraph that begins at ``start``: short lines, three or more, and no stop are a list."""
        if not self.line(start) and (block := _LIST_OF_LINES.match(self.text, start)):
            self.ends += [start + at.end() for at in re.finditer(_LINE_END, block.group())]

    def line(self, start: int) -> bool:
        """Look at the line that begins at ``start``; whether it begins with a number or a letter as a mark."""
        marker = _MARKER.match(self.text, start)
        if marker:
            self._numbered(marker)
        return marker is not None

    def _numbered(self, marker: re.Match[str]) -> None:
        """``1. First item 2. Second item``: the same mark with the next number or letter opens an item."""
        text, opening, mark = self.text, marker["open"], marker["mark"]
        stop = _LINE_BREAK.search(text, marker.end()).start()  # type: ignore[union-attr]
        which, at = marker["which"], marker.start("which")
        while True:
            if mark.startswith("."):
                self.numbering.add(at + len(which))
            which = str(int(which) + 1) if which.isdecimal() else chr(ord(which) + 1)
            found = text.find(f" {opening}{which}{mark} ", at, stop)
            if found < 0:
                return
            before = text[max(at, found - 24) : found].rsplit(None, 1)
            if before and before[-1].lower() in NUMBERED:
                return
            self.ends.append(found - 1 if text[found - 1] in _BULLETS else found)
            at = found + 1 + len(opening)


def _closes(text: str, match: re.Match[str], sentence: int) -> bool:
    """Whether a stop before white space ends the sentence that began at ``sentence``."""
    at, stop, close = match.start(), match.group()[: match.end("stop") - match.start()], match["close"]
    after = _NEXT.match(text, match.end())
    if after is None:
        return True
    first = after["first"]
    if first in _CONTINUES:
        return False
    if first.islower():  # after a stop in Greek, a lower-case word opens a sentence too
        return stop == "." and _GREEK_WORD.match(text, at) is not None
    if stop != ".":
        if stop == ". . .":  # three spaced dots leave words out; a sentence's end has a fourth
            return not text[at - 1 : at].isspace()
        return not (close.startswith("]") and text[at - 1 : at] == "[")  # "[...]" leaves words out
    before = _word_before(text, at)
    if not before:
        return True
    if _numbers_an_item(text, before, at):
        return False
    if close:
        return True
    if before.isdecimal():
        return _word_after(text, after) not in ORDINALS_FOLLOW or len(before) > 2
    if len(before) == 1 and before.isalpha():
        return _letter_closes(text, before, after)
    low = before.lower()
    if low in ("a.m", "p.m"):
        return first.isupper() and _time_closes(text[sentence : min(at, sentence + 80)], _word_after(text, after))
    if low in ABBREVIATIONS or _DOTTED.fullmatch(before):
        may_end = low in ALSO_LAST or low not in ABBREVIATIONS
        return may_end and first.isupper() and _word_after(text, after) in STARTERS
    return True


def _word_before(text: str, stop: int) -> str:
    """The word that ends at ``stop``, at most 24 characters of it; empty after white space or a mark."""
    if not stop or text[stop - 1].isspace():
        return ""
    word = text[max(0, stop - 24) : stop].rsplit(None, 1)[-1]
    return word if word.isalpha() else _WORD_BEFORE.search(word).group()  # type: ignore[union-attr]


def _word_after(text: str, after: re.Match[str]) -> str:
    word = _WORD_AFTER.match(text, after.start("first"))
    return word.group().lower() if word else ""


def _letter_closes(text: str, letter: str, after: re.Match[str]) -> bool:
    """One letter and a stop: an initial ("J. Smith"), an abbreviation ("z. B."), or an end ("you and I. Did")."""
    at = after.start("first")
    if not letter.isupper() and text[at + 1 : at + 2] == ".":
        return False
    if letter.lower() in ABBREVIATIONS:
        return False
    starts = _word_after(text, after) in STARTERS
    return starts or not (letter.isupper() and after["first"].isupper())


def _time_closes(so_far: str, following: str) -> bool:
    """Whether "6 p.m." ends its sentence before a capital: not when it opens it, nor before a day or a time zone."""
    words = so_far.split()
    opening = len(words) <= 4 and bool(words) and words[0].lower() in PREPOSITIONS
    return not opening and following not in NAMES_OF_TIME


def _numbers_an_item(text: str, before: str, stop: int) -> bool:
    """Whether the stop closes the "1." or "a." that opens a line or follows a bullet: it belongs to what it numbers."""
    short = (before.isdecimal() and len(before) <= 3) or (len(before) == 1 and before.isalpha())
    if not short:
        return False
    begin = stop - len(before)
    lead = text[max(0, begin - 12) : begin].rstrip(" \t-*+–(")
    return lead[-1:] in ("\n", "\r", *_BULLETS) or (not lead and begin <= 12)
