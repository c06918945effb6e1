"""Tables of values (D12): .xlsx sheets as Markdown tables; .csv and .tsv as they are, or as a Markdown table."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ragchunk_core.documents.archives import Archive, Element
from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.limits import Limits, ReadError, check_length
from ragchunk_core.documents.pipe_tables import one_line, pipe_table
from ragchunk_core.documents.plain_xml import extent_of
from ragchunk_core.documents.text import decode
from ragchunk_core.types import Document

_SAMPLE_LINES = 50
_DELIMITERS = ",;\t|"
_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_CELLS = 2_000_000  # that a sheet may reach over: its reader keeps one for each place, filled or not


def read_xlsx(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The sheets of an Excel file: the sheet's name as heading, its cells as a table. Formulas give their values.

    python-calamine (MIT) reads them.

    Raises:
        ReadError: If it is no Excel file, hostile, past a limit, or has no text.
    """
    from python_calamine import CalamineWorkbook, SheetVisibleEnum

    archive = Archive(data, name, "Excel file (.xlsx)", asked.limits)
    archive.check_xml({r"xl/worksheets/[^/]+\.xml": lambda sheet: _Extent(name).asked(sheet)})
    parts: list[str] = []
    length = 0
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = [sheet for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
        if len(sheets) > asked.limits.pages:
            raise ReadError(f"{name!r} has {len(sheets):,} sheets; at most {asked.limits.pages:,} are allowed.")
        for sheet in sheets:
            rows = book.get_sheet_by_name(sheet.name).iter_rows()
            words = (_without_end([_SHOWN.get(type(value), str)(value) for value in row]) for row in rows)
            lines = pipe_table(words, _counting(length, name, asked.limits))
            if lines:
                parts.append(f"# {' '.join(sheet.name.split())}\n\n" + "\n".join(lines))
                length += len(parts[-1])
            check_length(length, name, asked.limits)
    except (ReadError, MemoryError):
        raise
    except Exception as error:  # whatever a broken file makes of it
        raise archive.broken() from error
    if not parts:
        raise ReadError(f"{name!r} has no text; a file with filled cells is needed.")
    hidden = len(book.sheets_metadata) - len(sheets)
    told = f"{hidden:,} hidden sheet{'s' * (hidden > 1)} left out."
    return Document(name, "\n\n".join(parts), "xlsx", notes=(told,) if hidden else ())


class _Extent:
    """How far the cells of a sheet reach."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rows = self._columns = self._column = 0

    def asked(self, sheet: bytes) -> Element | None:
        """Refuse a sheet that reaches too far; ``look`` where it takes a parser to tell."""
        found = extent_of(sheet)
        if found is None:
            return self.look
        self._rows, self._columns = found[0], max(map(_column, found[1]), default=0)
        self._check()
        return None

    def look(self, element: str, attributes: dict[str, str]) -> None:
        """Take note of a cell or a row; refuse a sheet that reaches too far."""
        if element == "c" or element.endswith(":c"):
            place = attributes.get("r", "")
            self._column = _column(place.rstrip(_DIGITS)) or self._column + 1
            row = _number(place.lstrip(_LETTERS))
            if self._column <= self._columns and row <= self._rows:
                return
            self._columns, self._rows = max(self._columns, self._column), max(self._rows, row)
        elif element == "row" or element.endswith(":row"):
            self._rows, self._column = max(self._rows + 1, _number(attributes.get("r", ""))), 0
        self._check()

    def _check(self) -> None:
        if self._rows * self._columns > _MOST_CELLS:
            raise ReadError(f"{self._name!r} has a sheet of more than {_MOST_CELLS:,} cells; no more are allowed.")


def _number(digits: str) -> int:
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 9 else 0


@lru_cache(maxsize=20_000)
def _column(letters: str) -> int:
    """The number of a column from its letters; 0 for what is none."""
    if not 1 <= len(letters) <= 3 or letters.strip(_LETTERS):
        return 0
    value = 0
    for letter in letters:
        value = value * 26 + ord(letter) - ord("A") + 1
    return value


def _counting(before: int, name: str, limits: Limits) -> Callable[[int], None]:
    """Refuses a table once its text, and ``before`` characters, are more than is allowed."""
    return lambda length: check_length(before + length, name, limits)


def _without_end(row: list[str]) -> list[str]:
    while row and not row[-1]:
        row.pop()
    return row


def _number_shown(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _time_shown(value: datetime.datetime) -> str:
    return value.isoformat(" ") if value.time() != datetime.time() else value.date().isoformat()


# A cell's value as it is read, not as the sheet formats it; dates in ISO 8601.
_SHOWN: dict[type, Callable[[Any], str]] = {
    str: one_line,
    bool: lambda value: "TRUE" if value else "FALSE",
    float: _number_shown,
    datetime.datetime: _time_shown,
    datetime.date: datetime.date.isoformat,
    datetime.time: datetime.time.isoformat,
}


def read_csv(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """A table of values, as the file has it, or, if wished, as a Markdown table.

    Raises:
        ReadError: If it is no text, or, where a table is wished, a field has no end.
    """
    decoded = decode(data, name, asked.encoding)
    text, notes = decoded.text, decoded.notes
    if asked.options.table.markdown:
        delimiter = "\t" if name.lower().endswith(".tsv") else delimiter_of(text)
        try:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            words = (_without_end([one_line(field) for field in row]) for row in rows)
            lines = pipe_table(words, _counting(0, name, asked.limits))
            text = "\n".join(lines)
        except csv.Error as error:
            raise ReadError(
                f"{name!r} is no table of values ({error}); read it without making a table of it."
            ) from None
        if not text:
            raise ReadError(f"{name!r} has no text; a file with filled cells is needed.")
        shown = {"\t": "tabs", ";": "semicolons", "|": "bars"}.get(delimiter, "commas")
        notes = (*notes, f"Read as values parted by {shown}, and made a Markdown table.")
    return Document(name, text, "csv", notes=notes, encoding=decoded.encoding)


def delimiter_of(text: str) -> str:
    """What parts the values: the sign that gives the first lines one and the same number of fields, most of them."""
    lines = io.StringIO(text, newline="").readlines(_SAMPLE_LINES * 200)[:_SAMPLE_LINES]
    best = (0.0, 0, ",")
    for delimiter in _DELIMITERS:
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            continue
        usual = max(set(counts), key=counts.count, default=1)
        if usual > 1:
            best = max(best, (counts.count(usual) / len(counts), usual, delimiter))
    return best[2]
