"""Results of sweeps in one SQLite file, by content and setting, so that a sweep goes on where it was stopped (R12)."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ragchunk_core.sweep_grid import Setting
from ragchunk_core.sweep_work import Result, Work

VERSION = 1
"""Raised when what is measured changes, so that older results are not taken for it."""


class Store(Protocol):
    """Where results are kept, and found again by content and setting."""

    def get(self, work: Work, settings: Iterable[Setting], model: str) -> list[Result]:
        """The results that are kept for some of the settings, in their order."""

    def put(self, work: Work, results: Sequence[Result], model: str) -> None:
        """Keep some results."""


class MemoryStore:
    """Results of one session, the latest ``most`` of them; found again under the same conditions as ``SweepStore``."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._results: dict[bytes, Result] = {}

    def get(self, work: Work, settings: Iterable[Setting], model: str) -> list[Result]:
        """The results that are kept for some of the settings, in their order."""
        prefix = _content_key(work)
        keys = [_key(prefix, setting, model) for setting in settings]
        return [self._results[key] for key in keys if key in self._results]

    def put(self, work: Work, results: Sequence[Result], model: str) -> None:
        """Keep some results, in place of the oldest where there are too many."""
        prefix = _content_key(work)
        for one in results:
            self._results[_key(prefix, one.setting, model)] = one
        while len(self._results) > self._most:
            del self._results[next(iter(self._results))]


class SweepStore:
    """A file of results; several sweeps, and sweeps of several corpora, may share it.

    A result is found again when the documents' texts, endings of names and order, the queries and passages, k, theta,
    the analyzer, the constant of the fusion, the model with its number type (where one is needed) and the setting are
    the same.

    Args:
        path: The file; made where it is not there.

    Raises:
        ValueError: If it cannot be opened, or is no such file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        try:
            self._file = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, row TEXT, recall BLOB)")
        except sqlite3.Error as error:
            raise ValueError(f"The store {self.path!r} cannot be used: {error}.") from None

    def get(self, work: Work, settings: Iterable[Setting], model: str) -> list[Result]:
        """The results that are kept for some of the settings, in their order."""
        prefix = _content_key(work)
        found = []
        for setting in settings:
            query = "SELECT row, recall FROM results WHERE key = ?"
            if row := self._file.execute(query, (_key(prefix, setting, model),)).fetchone():
                kept = json.loads(row[0])
                found.append(Result(setting, recall=np.frombuffer(row[1], dtype="<f8"), **kept))
        return found

    def put(self, work: Work, results: Sequence[Result], model: str) -> None:
        """Keep some results; all of them, or none where the program ends here."""
        prefix = _content_key(work)
        rows = [
            (
                _key(prefix, one.setting, model),
                json.dumps(
                    {
                        "means": one.means,
                        "chunks": one.chunks,
                        "vectors": one.vectors,
                        "index_bytes": one.index_bytes,
                    }
                ),
                one.recall.astype("<f8").tobytes(),
            )
            for one in results
        ]
        with self._file:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _content_key(work: Work) -> bytes:
    """What all settings of a sweep share, as a hash."""
    asked = [[query.text, *[[p.document, p.start, p.end] for p in query.passages]] for query in work.judged]
    # Some chunkers go by the ending of the name.
    documents = [[one.id, one.name.rpartition(".")[2]] for one in work.documents]
    shared = [VERSION, documents, asked, work.k, work.theta, work.analyzer, work.rrf_k]
    return hashlib.blake2b(json.dumps(shared).encode("utf-8", "surrogatepass"), digest_size=32).digest()


def _key(prefix: bytes, setting: Setting, model: str) -> bytes:
    return hashlib.blake2b(json.dumps([*_fields(setting), model]).encode(), key=prefix, digest_size=20).digest()


def _fields(setting: Setting) -> list[str | int]:
    return [setting.chunker, setting.size, setting.overlap, setting.unit, setting.options, setting.method]
