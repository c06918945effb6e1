"""Rows of a file that someone else's program wrote: JSON, JSON Lines, CSV or Parquet (R13, R14)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def rows_of(data: bytes, name: str) -> list[Row]:
    """The rows of a file as mappings, told apart by the ending of its name.

    A JSON file is a list of objects, or one object with one list of objects in it.

    Raises:
        ValueError: If the ending is another, or the file is not as it says.
    """
    ending = name.rpartition(".")[2].lower()
    if ending == "parquet":
        return _parquet_rows(data, name)
    if ending not in ("json", "jsonl", "ndjson", "csv"):
        raise ValueError(f"{name!r} must end in .json, .jsonl, .csv or .parquet.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8: byte {error.start} cannot be read.") from None
    if ending == "csv":
        usual = csv.field_size_limit(len(text) + 1)  # of the whole program
        try:
            return list(csv.DictReader(io.StringIO(text, newline="")))
        finally:
            csv.field_size_limit(usual)
    rows = [json_of(text, name)] if ending == "json" else _lines(text, name)
    if ending == "json":
        (whole,) = rows
        lists = [one for one in whole.values() if isinstance(one, list)] if isinstance(whole, dict) else [whole]
        if len(lists) != 1 or not isinstance(lists[0], list):
            raise ValueError(f"{name} must be a list of objects, or an object with one list of objects.")
        rows = lists[0]
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ValueError(f"{name}, row {number}: it must be an object with named values.")
    return rows


def json_of(text: str, name: str) -> Any:
    """Parsed JSON; ValueError with one sentence where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        said = str(error) if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
        raise ValueError(f"{name} is no JSON: {said}.") from None


def _lines(text: str, name: str) -> list[Any]:
    lines = [line for line in text.split("\n") if line.strip()]  # not splitlines: U+2028 may stand in a string
    return [json_of(line, f"{name}, line {number}") for number, line in enumerate(lines, start=1)]


def _parquet_rows(data: bytes, name: str) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[Row] = pq.read_table(io.BytesIO(data)).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{name} is no Parquet file: {str(error).partition(chr(10))[0]}.") from None
    return rows


def value_of(row: Row, names: Sequence[str]) -> Any:
    """The first value that is there and not empty under one of the names, also inside ``metadata``; else None."""
    inner = row.get("metadata")
    for place in (row, inner if isinstance(inner, Mapping) else {}):
        for name in names:
            if (value := place.get(name)) is not None and value != "":
                return value
    return None


def offset_of(row: Row, names: Sequence[str], where: str) -> int | None:
    """A whole number of 0 or more under one of the names, or None.

    Raises:
        ValueError: If it is anything else.
    """
    value = value_of(row, names)
    if value is None:
        return None
    written = str(value).strip()
    if isinstance(value, bool) or not written.removesuffix(".0").isdecimal():
        raise ValueError(f"{where}: {names[0]} is {value!r}; it must be a whole number, 0 or more.")
    return int(written.removesuffix(".0"))
