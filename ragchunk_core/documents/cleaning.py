"""Cleaning of a text that was read (D07): each step by itself, off unless wished, told with what it changed."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

import regex

from ragchunk_core.documents.reading_options import CleaningOptions
from ragchunk_core.types import Document

_BEYOND_ASCII = regex.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # ASCII letters change only with the mark after them
_DISPLAYED = regex.compile(r"\X")
_NO_BREAK = "\u00a0\u2007\u202f"


class Change(NamedTuple):
    """A cleaning step, by its name in ``CleaningOptions``, and how many characters it changed."""

    step: str
    characters: int


def clean(text: str, options: CleaningOptions) -> tuple[str, list[Change]]:
    """The text after the steps that are on, in the order of the options, and what each of them changed.

    A step's count is of code points that it removed or replaced (of line ends: their CRs); for NFC, of displayed
    characters (UAX #29 clusters) that it rewrote.
    """
    changes = []
    for name, step in _STEPS.items():
        if getattr(options, name):
            text, count = step(text)
            changes.append(Change(name, count))
    return text, changes


def cleaned(document: Document, options: CleaningOptions) -> Document:
    """The document with its text cleaned, its pages where they now begin, and a note for each step."""
    if not any(dataclasses.astuple(options)):
        return document
    if not document.page_starts:
        text, changes = clean(document.text, options)
        starts: list[int] = []
    else:
        # Page by page. Pages end in line feeds, across which no step reaches.
        ends = [*document.page_starts[1:], len(document.text)]
        counts: dict[str, int] = {}
        pages, starts, length = [], [], document.page_starts[0]
        pages.append(document.text[:length])
        for start, end in zip(document.page_starts, ends, strict=True):
            page, found = clean(document.text[start:end], options)
            starts.append(length)
            pages.append(page)
            length += len(page)
            for change in found:
                counts[change.step] = counts.get(change.step, 0) + change.characters
        text, changes = "".join(pages), [Change(*one) for one in counts.items()]
    notes = (*document.notes, *map(_told, changes))
    return dataclasses.replace(document, text=text, page_starts=tuple(starts), notes=notes)


def _told(change: Change) -> str:
    count = f"{change.characters:,}" if change.characters else "no"
    return f"Cleaned: {count} {_NAMES[change.step]}{'s' * (change.characters != 1)} {_DONE[change.step]}."


def _without(characters: str) -> Callable[[str], tuple[str, int]]:
    def step(text: str) -> tuple[str, int]:
        count = sum(map(text.count, characters))
        return text.translate({ord(one): None for one in characters}) if count else text, count

    return step


def _plain_spaces(text: str) -> tuple[str, int]:
    count = sum(map(text.count, _NO_BREAK))
    return text.translate(str.maketrans(_NO_BREAK, " " * len(_NO_BREAK))) if count else text, count


def _line_feeds(text: str) -> tuple[str, int]:
    return text.replace("\r\n", "\n").replace("\r", "\n"), text.count("\r")


def _composed(text: str) -> tuple[str, int]:
    if unicodedata.is_normalized("NFC", text):
        return text, 0
    count = 0
    for line in text.split("\n"):  # nothing composes with a line feed
        if not unicodedata.is_normalized("NFC", line):
            for piece in _BEYOND_ASCII.findall(line):
                displayed = _DISPLAYED.findall(piece)
                count += sum(not unicodedata.is_normalized("NFC", one) for one in displayed)
    return unicodedata.normalize("NFC", text), count


_STEPS: dict[str, Callable[[str], tuple[str, int]]] = {
    "marks": _without("\ufeff"),
    "zero_width": _without("\u200b\u2060"),
    "no_break": _plain_spaces,
    "line_ends": _line_feeds,
    "nfc": _composed,
}
_NAMES = {
    "marks": "byte-order mark",
    "zero_width": "zero-width space",
    "no_break": "non-breaking space",
    "line_ends": "carriage return",
    "nfc": "displayed character",
}
_DONE = {
    "marks": "removed",
    "zero_width": "removed",
    "no_break": "made ordinary",
    "line_ends": "made a line feed or removed before one",
    "nfc": "composed (NFC)",
}
