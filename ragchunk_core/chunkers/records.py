"""Records kept whole (C17): JSON, JSON Lines, and CSV with any delimiter.

Cuts fall between records only, which are packed up to the size; a record that is too long is opened by its members or
fields. The chunks after the first carry as context what they would miss: the header row, or the path of keys and the
record's first member, which mostly names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ragchunk_core import csv_records, json_records
from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.nesting import Packer
from ragchunk_core.chunkers.parts import (
    ALWAYS_WITH_NEXT,
    LOOSE,
    WITH_NEXT,
    Inside,
    Part,
    lines_of,
    within_option,
)
from ragchunk_core.options import option
from ragchunk_core.record_formats import format_of

_DELIMITERS = {"auto": "", "comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_LONGEST_NAME = 200
"""Characters of a record's first member above which it names nothing."""

_part = partial(tuple.__new__, Part)  # made by the hundred thousand


@dataclass(frozen=True, slots=True)
class RecordsOptions(ChunkerOptions):
    """How the records are written, and what stands in front of the chunks."""

    format: str = option(
        "auto",
        "Format",
        "By the ending of the document's name, else by what it looks like; a text of neither kind is cut at lines.",
        choices={"auto": "by name or look", "json": "JSON, JSON Lines", "csv": "CSV, TSV", "lines": "a record a line"},
    )
    delimiter: str = option(
        "auto",
        "Delimiter",
        "What parts the fields of a row.",
        choices={"auto": "by look", "comma": ",", "semicolon": ";", "tab": "tab", "bar": "|"},
    )
    header: bool = option(True, "First row is the header", "Whether the first row of a CSV file names its columns.")
    context: str = option(
        "full",
        "Index in front",
        "Text that is indexed with a chunk though it is not part of it.",
        choices={
            "full": "header; keys and first member",
            "path": "header; keys",
            "none": "nothing",
        },
    )
    within: bool = within_option()


class _Value(NamedTuple):
    """A JSON item as it stands in the tree: its place, the path of keys to it, and what names the records around it."""

    item: json_records.Item
    path: str
    names: tuple[str, ...]


def split(request: Request, options: RecordsOptions) -> Pieces:
    """Chunks of whole records.

    Raises:
        ValueError: If a file whose name or option says JSON or CSV is broken, with the line.
    """
    form, delimiter = _form(request, options)
    if form == "lines":
        packer = Packer(request, _never, options.within)
        packer.pack(Inside(lines_of(request.text, 0, len(request.text))))
        return packer.pieces()
    if form == "csv":
        return _Rows(request, options, delimiter).pieces()
    return _Json(request, options).pieces()


def _form(request: Request, options: RecordsOptions) -> tuple[str, str]:
    """The format, and of CSV the delimiter."""
    text, form, delimiter = request.text, options.format, _DELIMITERS[options.delimiter]
    if form == "auto" and (known := format_of(request.name)):
        form, delimiter = known[0], delimiter or known[1]
    if form == "auto" and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        try:
            json_records.top_values(text)
            form = "json"
        except json_records.NotJsonError:
            form = "lines"
    if form in ("auto", "csv") and not delimiter:
        delimiter = csv_records.sniffed(text) or ""
    if form == "auto":
        form = "csv" if delimiter and _closes(text, delimiter) else "lines"
    return form, delimiter or ","


def _closes(text: str, delimiter: str) -> bool:
    try:
        csv_records.rows(text, delimiter)
    except csv_records.OpenQuoteError:
        return False
    return True


def _never(part: Part, leads: Sequence[Part]) -> Inside:
    return Inside(())


def _broken(request: Request, form: str, what: str, place: int) -> ValueError:
    line = request.text.count("\n", 0, place) + 1
    return ValueError(f"Records: {request.name!r} is no whole {form} text, line {line:,}: {what}.")


class _Rows:
    """The rows of a CSV text."""

    def __init__(self, request: Request, options: RecordsOptions, delimiter: str) -> None:
        self.request, self.options, self.delimiter = request, options, delimiter

    def pieces(self) -> Pieces:
        """Rows packed, the header in front."""
        request = self.request
        try:
            spans = csv_records.rows(request.text, self.delimiter)
        except csv_records.OpenQuoteError as error:
            raise _broken(request, "CSV", str(error), error.place) from None
        parts: list[Part] = [_part((start, end, "row", LOOSE, False)) for start, end in spans]
        context: tuple[str, ...] = ()
        if parts and self.options.header:
            parts[0] = parts[0]._replace(keeps=ALWAYS_WITH_NEXT)
            if self.options.context != "none":
                context = (request.text[parts[0].start : parts[0].end].removeprefix("\ufeff"),)
        packer = Packer(request, self._opened, self.options.within, edges=False)
        packer.pack(Inside(parts, context, int(self.options.header)))
        return packer.pieces()

    def _opened(self, part: Part, leads: Sequence[Part]) -> Inside:
        """The fields of a row, its first one in front of the others; or a field and the delimiter behind it."""
        text = self.request.text
        if part.node == "row":
            spans = csv_records.fields(text, part.start, part.end, self.delimiter)
            bounds = [*(start for start, _ in spans[1:]), part.end]
            parts = [
                Part(start, after, end) for (start, end), after in zip(spans, bounds, strict=True) if start < after
            ]
            first = text[slice(*spans[0])]
            named = self.options.context == "full" and 0 < len(first) <= _LONGEST_NAME
            return Inside(parts, (first,) if named else ())
        if part.node < part.end:
            return Inside([Part(part.start, part.node, part.node, WITH_NEXT), Part(part.node, part.end)], opening=0)
        return Inside(())


class _Json:
    """The values of a JSON text."""

    def __init__(self, request: Request, options: RecordsOptions) -> None:
        self.request, self.options, self.text = request, options, request.text

    def pieces(self) -> Pieces:
        """One array or object is opened; of several values each is a record."""
        text = self.text
        try:
            inside = self._top()
        except json_records.NotJsonError as error:
            raise _broken(self.request, "JSON", error.what, error.place) from None
        if text.startswith("\ufeff") and inside.parts:
            inside = inside._replace(parts=[inside.parts[0]._replace(start=0), *inside.parts[1:]])
        packer = Packer(self.request, self._opened, self.options.within, edges=False)
        packer.pack(inside)
        return packer.pieces()

    def _top(self) -> Inside:
        text = self.text
        start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
        if json_records.is_container(text, start):
            found, end = json_records.items(text, start)
            if not text[end:].strip(" \t\r\n"):
                return self._parts(start, end, found, "", ())
        values = json_records.top_values(text)
        return Inside([_part((one.start, one.end, _Value(one, "", ()), LOOSE, False)) for one in values], opening=0)

    def _opened(self, part: Part, leads: Sequence[Part]) -> Inside:
        """The members of a value that is too long; first of all the comma behind it goes."""
        item, path, names = part.node
        if part.end > item.end:
            return Inside([Part(part.start, item.end, part.node, WITH_NEXT), Part(item.end, part.end)], opening=0)
        inner = json_records.step(path, item.key)
        if not json_records.is_container(self.text, item.value):
            if part.start == item.value:
                return Inside(())
            said = () if self.options.context == "none" else (*names, inner)
            parts = [Part(part.start, item.value, None, ALWAYS_WITH_NEXT), Part(item.value, item.end)]
            return Inside(parts, said, 1, replaces=True)
        found, end = json_records.items(self.text, item.value)
        inside = self._parts(item.value, end, found, inner, names, part.start)
        name = f"[{item.key}]" if isinstance(item.key, int) else item.key
        return inside._replace(name=name or "")

    def _parts(
        self, value: int, end: int, found: list[json_records.Item], path: str, names: tuple[str, ...], start: int = -1
    ) -> Inside:
        """An array's or object's bracket, with the key before it, its items, and its closing bracket."""
        first = value if start < 0 else start
        if not found:
            return Inside([Part(first, end)])
        text = self.text
        if (
            self.options.context == "full"
            and text[value] == "{"
            and not json_records.is_container(text, found[0].value)
        ):
            name = text[found[0].start : found[0].end]
            names = (*names, name) if len(name) <= _LONGEST_NAME else names
        parts = [Part(first, value + 1, None, ALWAYS_WITH_NEXT)]
        parts += [_part((item[0], item[3], _Value(item, path, names), LOOSE, False)) for item in found]
        parts[-1] = parts[-1]._replace(keeps=WITH_NEXT)
        parts.append(Part(end - 1, end))
        said = () if self.options.context == "none" else (*names, path) if path else names
        return Inside(parts, said if start >= 0 else (), 2, replaces=True)


RECORDS = Chunker(
    name="records",
    label="Records",
    help="JSON objects and CSV rows stay whole, with the header or the keys in front.",
    split=split,
    options=RecordsOptions,
    uses_overlap=False,
    by_name=True,
)
"""Best for tables of values and data files."""
