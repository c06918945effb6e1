"""Vectors kept in a SQLite file between runs, for the command line; the app, whose users share a server, has none.

The key of a vector is made by ``embedders``: a hash of the model's files, the number type, and the text.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ragchunk_core.vector_cache import VectorCache, Vectors

if TYPE_CHECKING:
    from ragchunk_core.embedders import Embedder


class DiskVectors(VectorCache):
    """A file of vectors with the ones used last in memory before it. Nothing is ever dropped from the file.

    It may be shared by threads, and the file by processes of one machine.

    Args:
        path: The file; made where it is not there.
        max_bytes: Memory for the vectors used last.

    Raises:
        ValueError: If the file cannot be opened, or is no such file.
    """

    def __init__(self, path: str | Path, max_bytes: int = 128 * 2**20) -> None:
        super().__init__(max_bytes)
        self.path = str(path)
        self._file_lock = Lock()
        try:
            self._file = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        except sqlite3.Error as error:
            raise ValueError(f"The vector cache {self.path!r} cannot be used: {error}.") from None

    def __len__(self) -> int:
        with self._file_lock:
            return int(self._file.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def __contains__(self, key: bytes) -> bool:
        return self.get(key) is not None

    def get(self, key: bytes) -> Vectors | None:
        if (known := super().get(key)) is not None:
            return known
        with self._file_lock:
            row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        vector = np.frombuffer(row[0], dtype="<f4").astype(np.float32)
        super().put(key, vector)
        return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        super().put(key, vector)
        stored = np.asarray(vector, dtype="<f4").tobytes()
        with self._file_lock:
            self._file.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, stored))

    def clear(self) -> None:
        super().clear()
        with self._file_lock:
            self._file.execute("DELETE FROM vectors")

    def close(self) -> None:
        """Close the file."""
        with self._file_lock:
            self._file.close()


def embedder_with(path: str | Path | None, dtype: str = "auto") -> Embedder:
    """The default model with its vectors kept in a file, where one is named."""
    from ragchunk_core.embedders import DEFAULT_MODEL, Embedder, load_embedder

    return Embedder(DEFAULT_MODEL, dtype, DiskVectors(path)) if path else load_embedder(dtype=dtype)
