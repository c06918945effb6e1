"""Chunks as files (V07): JSON, JSON Lines, CSV and Parquet, and the JSON of RAG Chunking Preview (V04).

Every chunk carries its document, page, heading path, offsets in code points, UTF-8 bytes and units, text and context.
All ranges are 0-based and half-open; ``chunk`` counts from 1 in each document. No text is changed in any format: a CSV
keeps line ends and control characters inside quotes, and a cell that begins with ``=`` is left as it is, which some
spreadsheets take for a formula. A chunk's text is the slice of its range unless ``verbatim`` is false.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragchunk_core.chunking import Chunking
from ragchunk_core.offsets import offsets_of, preview

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = {
    "document": "Name of the document.",
    "document_id": "Hash of the document's text.",
    "chunker": "Registry name of the chunker.",
    "size": "Largest length of a chunk, in the unit.",
    "overlap": "Length shared with the chunk before that was asked for, in the unit.",
    "unit": "Registry name of the unit.",
    "options": "The chunker's options, all of them, as JSON.",
    "chunk": "Number of the chunk in its document, from 1.",
    "page": "Number of the page on which it starts, from 1; none where there are no pages.",
    "path": "Titles of the headings above it, outermost first; in a CSV as a JSON list.",
    "start": "First code point.",
    "end": "Code point after the last.",
    "byte_start": "First UTF-8 byte.",
    "byte_end": "UTF-8 byte after the last.",
    "unit_start": "First unit.",
    "unit_end": "Unit after the last.",
    "overlap_units": "Units shared with the chunk before.",
    "length": "Length in the unit, counted by itself.",
    "verbatim": "Whether the text is the document's from start to end.",
    "context": "What is indexed in front of the text.",
    "text": "The chunk.",
}


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: what a person reads, the ending of its files, its media type, and what writes it."""

    label: str
    suffix: str
    media_type: str
    write: Callable[[Sequence[Chunking]], bytes]


def export(chunkings: Chunking | Sequence[Chunking], format: str) -> bytes:
    """The chunks of one or several chunkings as a file of one of ``FORMATS``.

    Raises:
        ValueError: For an unknown format.
    """
    if format not in FORMATS:
        raise ValueError(f"The format is {format!r}; allowed are {', '.join(FORMATS)}.")
    return FORMATS[format].write([chunkings] if isinstance(chunkings, Chunking) else list(chunkings))


def preview_json(chunking: Chunking) -> str:
    """The chunking as RAG Chunking Preview shows it, to the letter: its keys, its order, no white space between."""
    return json.dumps(preview(chunking), ensure_ascii=False, separators=(",", ":"))


def columns_of(chunking: Chunking) -> dict[str, list[Any]]:
    """The columns of ``COLUMNS`` for one chunking, each with an entry a chunk."""
    settings = {name: [value] * len(chunking) for name, value in _settings(chunking).items()}
    made = {**settings, **_own_columns(chunking)}
    return {name: made[name] for name in COLUMNS}


def _settings(chunking: Chunking) -> dict[str, Any]:
    """What is the same for all chunks."""
    return {
        # A name can come from a file system with bytes that are no text; all other texts are sound.
        "document": chunking.document.name.encode("utf-8", "backslashreplace").decode("utf-8"),
        "document_id": chunking.document.id,
        "chunker": chunking.chunker,
        "size": chunking.size,
        "overlap": chunking.overlap,
        "unit": chunking.unit,
        "options": json.dumps(dataclasses.asdict(chunking.options)),
        "verbatim": chunking.verbatim,
    }


def _own_columns(chunking: Chunking) -> dict[str, list[Any]]:
    """What each chunk has of its own."""
    told, starts, count = offsets_of(chunking), chunking.starts.tolist(), len(chunking)
    return {
        "chunk": list(range(1, count + 1)),
        "page": [chunking.document.page_of(start) for start in starts],
        "path": [list(path) for path in chunking.paths] or [[] for _ in starts],
        "start": starts,
        "end": chunking.ends.tolist(),
        "byte_start": told.byte_starts.tolist(),
        "byte_end": told.byte_ends.tolist(),
        "unit_start": told.unit_starts.tolist(),
        "unit_end": told.unit_ends.tolist(),
        "overlap_units": told.overlaps.tolist(),
        "length": chunking.lengths.tolist(),
        "context": list(chunking.contexts) or [""] * count,
        "text": chunking.texts(),
    }


def _rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _json(chunkings: Sequence[Chunking]) -> bytes:
    """One object a chunking: its settings once, then its chunks."""
    made = [{**_settings(one), "chunks": _rows(_own_columns(one))} for one in chunkings]
    return (json.dumps({"chunkings": made}, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _json_lines(chunkings: Sequence[Chunking]) -> bytes:
    """One object a chunk and a line; what some readers take for a line end (U+0085, U+2028, U+2029) is escaped."""
    rows = (json.dumps(row, ensure_ascii=False) for one in chunkings for row in _rows(columns_of(one)))
    made = "".join(row + "\n" for row in rows)
    for mark in "\u0085\u2028\u2029":
        made = made.replace(mark, f"\\u{ord(mark):04x}")
    return made.encode("utf-8")


def _csv(chunkings: Sequence[Chunking]) -> bytes:
    """RFC 4180 in UTF-8 without a mark, every text in quotes."""
    made = io.StringIO(newline="")
    writer = csv.writer(made, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for chunking in chunkings:
        columns = columns_of(chunking)
        columns["path"] = [json.dumps(path, ensure_ascii=False) for path in columns["path"]]
        writer.writerows(zip(*columns.values(), strict=True))
    return made.getvalue().encode("utf-8")


def _parquet(chunkings: Sequence[Chunking]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    made = io.BytesIO()
    with pq.ParquetWriter(made, schema, compression="zstd") as writer:
        for chunking in chunkings:
            writer.write_table(pa.Table.from_pydict(columns_of(chunking), schema=schema))
    return made.getvalue()


def _schema() -> pa.Schema:
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    kinds = {
        "document": text, "document_id": text, "chunker": text, "unit": text, "options": text, "page": pa.int32(),
        "path": pa.list_(text), "verbatim": pa.bool_(), "context": text, "text": text,
    }  # fmt: skip
    return pa.schema([(name, kinds.get(name, whole)) for name in COLUMNS])


FORMATS: dict[str, Format] = {
    "json": Format("JSON", ".json", "application/json", _json),
    "jsonl": Format("JSON Lines", ".jsonl", "application/jsonl", _json_lines),
    "csv": Format("CSV", ".csv", "text/csv", _csv),
    "parquet": Format("Parquet", ".parquet", "application/vnd.apache.parquet", _parquet),
}
"""All formats by name, in the order in which they are offered."""
