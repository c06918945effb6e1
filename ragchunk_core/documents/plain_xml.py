"""Questions to XML that NumPy answers at once, where a parser would call back for every element.

They are about plain XML: UTF-8 with nothing but elements, attributes and text, as office programs write. There each
``<`` opens a tag and each ``>`` ends one; whatever else a file may hold, it has no answer here.
"""

from __future__ import annotations

import re

import numpy as np

_OTHER_ENCODING = re.compile(rb"""<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-8["'])""", re.IGNORECASE)
_CELLS = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"')
_ROWS = re.compile(rb'<row r="([0-9]{1,7})"')
_EITHER = re.compile(rb"<(?:c|row)[\s/>]")
_PREFIXED = re.compile(rb":(?:c|row)[\s/>]")


def depth_of(data: bytes) -> int | None:
    """How deep the elements of well-formed XML are nested; None where it is not plain."""
    if not _is_plain(data):
        return None
    signs = np.frombuffer(data, np.uint8)
    opened, closed = (np.flatnonzero(signs == ord(sign)) for sign in "<>")
    first = signs[opened + 1]
    steps = np.ones(len(opened), np.int64)
    steps[first == ord("/")] = -1
    steps[first == ord("?")] = 0
    empty = signs[closed - 1] == ord("/")
    # An element that is closed at once is one level above what comes after it.
    return int((np.cumsum(steps - empty) + empty).max(initial=0))


def extent_of(data: bytes) -> tuple[int, list[str]] | None:
    """The last row and the letters of all columns in a worksheet; None where it is not plain, or not in the usual form.

    Every cell and row must say its place, and say it first.
    """
    cells, rows = _CELLS.findall(data), _ROWS.findall(data)
    if len(cells) + len(rows) != len(_EITHER.findall(data)) or _PREFIXED.search(data) or not _is_plain(data):
        return None
    columns, numbers = map(set, zip(*cells, strict=True)) if cells else (set(), set())
    last = max(map(int, {*numbers, *rows}), default=0)
    return max(last, len(rows)), [column.decode() for column in columns]


def _is_plain(data: bytes) -> bool:
    return (
        data.count(b"<") == data.count(b">")
        and b"<!" not in data
        and data.count(b"<?") == data.startswith(b"<?xml")
        and not data.endswith(b"<")
        and b"\0" not in data
        and not _OTHER_ENCODING.match(data)
    )
