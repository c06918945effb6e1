"""What goes to the browser: a text and its chunks as bytes, which payload.js reads and describes."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known of each chunk beyond its offsets. Every column may be left out.

    Attributes:
        lengths: Length of each chunk in ``unit``, shape ``(chunks,)``.
        unit: What lengths are measured in, as it is read after a number: "tokens".
        pages: Page on which each chunk starts, from 1; 0 for none.
        paths: Heading path of each chunk; an empty one for none.
    """

    lengths: npt.ArrayLike | None = None
    unit: str = ""
    pages: npt.ArrayLike | None = None
    paths: Sequence[Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The chunks of one chunking, ready to be sent.

    Attributes:
        header: What the header of the payload says of it.
        body: Its columns, int32, one after the other.
        digest: A hash of both.
    """

    header: dict[str, Any]
    body: bytes
    digest: str


def checked_spans(starts: npt.ArrayLike, ends: npt.ArrayLike, length: int) -> tuple[Ints, Ints]:
    """Starts and ends as arrays.

    Raises:
        ValueError: If they are no sorted ranges in a text of that length.
    """
    first = np.asarray(starts, dtype=np.int64)
    last = np.asarray(ends, dtype=np.int64)
    if first.ndim != 1 or first.shape != last.shape:
        raise ValueError(
            f"starts and ends must be two flat lists of one length, not of shapes {first.shape} and {last.shape}."
        )
    if not first.size:
        return first, last
    if first.min() < 0 or last.max() > length:
        raise ValueError(
            f"starts and ends must lie within the text's {length} characters, "
            f"but they run from {first.min()} to {last.max()}."
        )
    if np.any(first > last):
        chunk = int(np.argmax(first > last))
        raise ValueError(f"ends[{chunk}] is {last[chunk]}, but must not be below starts[{chunk}], {first[chunk]}.")
    if np.any(np.diff(first) < 0):
        chunk = int(np.argmax(np.diff(first) < 0)) + 1
        raise ValueError(f"starts must be sorted, but starts[{chunk}] is {first[chunk]} after {first[chunk - 1]}.")
    return first, last


def columns_of(starts: Ints, ends: Ints, facts: Facts | None) -> Columns:
    """The columns of a chunking.

    Raises:
        ValueError: If a column of facts does not have one whole number, or one path, for each chunk.
    """
    facts = facts or Facts()
    count = len(starts)
    columns = {"starts": starts, "ends": ends}
    for name, values in (("lengths", facts.lengths), ("pages", facts.pages)):
        if values is not None:
            columns[name] = _checked_column(name, values, count)
    names: list[list[str]] = []
    if facts.paths is not None:
        if len(facts.paths) != count:
            raise ValueError(f"facts.paths must have one path for each of {count} chunks, not {len(facts.paths)}.")
        columns["paths"], names = _paths(facts.paths)
    header = {"chunks": count, "columns": list(columns), "unit": facts.unit, "paths": names}
    body = b"".join(np.asarray(values).astype("<i4").tobytes() for values in columns.values())
    digest = hashlib.blake2b(body, digest_size=8)
    digest.update(json.dumps(header).encode())
    return Columns(header, body, digest.hexdigest())


def packed(text: str, chunkings: Sequence[Columns], *, slot: str, version: str) -> bytes:
    """A text with one or more chunkings of it, as payload.js reads them."""
    header = json.dumps({"slot": slot, "version": version, "chunkings": [each.header for each in chunkings]}).encode()
    bodies = [each.body for each in chunkings]
    return b"".join([struct.pack("<I", len(header)), header, *bodies, text.encode("utf-8", errors="replace")])


def _checked_column(name: str, values: npt.ArrayLike, count: int) -> Ints:
    column = np.asarray(values)
    if column.shape != (count,) or (count and not np.issubdtype(column.dtype, np.integer)):
        raise ValueError(
            f"facts.{name} must have one whole number for each of {count} chunks, "
            f"not {column.dtype} of shape {column.shape}."
        )
    return column.astype(np.int64)


def _paths(paths: Sequence[Sequence[str]]) -> tuple[Ints, list[list[str]]]:
    """For each path its place among the distinct ones, -1 for an empty one; and those."""
    places: dict[tuple[str, ...], int] = {}
    column = [places.setdefault(tuple(path), len(places)) if path else -1 for path in paths]
    return np.array(column, dtype=np.int64), [list(path) for path in places]
