"""Where the rows and fields of a CSV text stand: as Python's ``csv`` reads them, with exact offsets.

A quote opens a quoted field only where the field begins; inside, a doubled quote is a quote, and line ends are text.
"""

from __future__ import annotations

import csv
import re
from functools import cache

DELIMITERS = (",", ";", "\t", "|")
_LINE = re.compile(r"[^\r\n]+")
_SAMPLE = 50  # rows looked at


class OpenQuoteError(ValueError):
    """A quoted field never ends; ``place`` is where it begins."""

    def __init__(self, place: int) -> None:
        super().__init__("a quoted field that begins here is never closed")
        self.place = place


def rows(text: str, delimiter: str) -> list[tuple[int, int]]:
    """The span of each row without its line end; empty lines are none.

    Raises:
        OpenQuoteError: If a quote is never closed.
    """
    if '"' not in text:
        return [match.span() for match in _LINE.finditer(text)]
    row, found, at = _row(delimiter), [], 0
    begin = 0
    while line := _LINE.search(text, at):
        start, at = line.span()
        if text.find('"', start, at) >= 0:
            match = row.match(text, start + (not start and text[0] == "\ufeff"))
            at = match.end() if match else start
            if at < len(text) and text[at] not in "\r\n":
                raise OpenQuoteError(at)
            begin = max(begin, at)
        found.append((start, at))
    return found


def fields(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """The span of each field of a row, quotes included, the delimiter left out."""
    field, found, at = _field(delimiter), [], start
    while True:
        match = field.match(text, at, end)
        stop = match.end() if match else end
        found.append((at, stop))
        if stop >= end:
            return found
        at = stop + 1


def sniffed(text: str) -> str | None:
    """The delimiter that gives the first rows one and the same number of fields, two or more; None where none does."""
    lines = [line for line in re.split(r"\r\n?|\n", text[:100_000]) if line.strip()][: _SAMPLE + 1]
    lines = lines[:_SAMPLE] if len(lines) > _SAMPLE or len(lines) < 2 else lines
    best, most = None, 1
    for delimiter in DELIMITERS:
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:
            continue
        counts = counts[:-1] if len(counts) > 2 else counts  # a quoted field may go on beyond the sample
        if len(counts) > 1 and min(counts) == max(counts) > most:
            best, most = delimiter, counts[0]
    return best


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    return re.compile(_pattern(delimiter))


@cache
def _row(delimiter: str) -> re.Pattern[str]:
    one = _pattern(delimiter)
    return re.compile(rf"{one}(?:{re.escape(delimiter)}{one})*+")


def _pattern(delimiter: str) -> str:
    """A field; where a quote is never closed it is empty, and the row ends there."""
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    return rf'(?:"(?:[^"]++|"")*+"{plain}|(?!"){plain}|)'
