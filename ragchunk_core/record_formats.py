"""Which files hold records, by the endings of their names."""

from __future__ import annotations

_ENDINGS = {
    ".json": ("json", ""),
    ".geojson": ("json", ""),
    ".jsonl": ("json", ""),
    ".ndjson": ("json", ""),
    ".csv": ("csv", ""),
    ".tsv": ("csv", "\t"),
    ".tab": ("csv", "\t"),
}
RECORD_ENDINGS: tuple[str, ...] = tuple(_ENDINGS)
"""Endings of the names of files that hold records."""


def format_of(name: str) -> tuple[str, str] | None:
    """``json`` or ``csv``, and the delimiter where the ending tells it (else empty); None for other files."""
    _, dot, ending = name.rpartition(".")
    return _ENDINGS.get(f".{ending.lower()}") if dot else None
