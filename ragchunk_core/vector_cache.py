"""A bounded store of vectors that were computed already."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

_AROUND = 200
"""Bytes of memory around the numbers of one vector: its key, array and place in the table."""


class VectorCache:
    """The vectors used last, within ``max_bytes`` of memory; safe to share between threads and models."""

    def __init__(self, max_bytes: int = 128 * 2**20) -> None:
        self.max_bytes = max_bytes
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    @property
    def nbytes(self) -> int:
        """Memory held now: the numbers, and about 200 bytes around each vector."""
        return self._bytes

    def __contains__(self, key: bytes) -> bool:
        return key in self._vectors

    def get(self, key: bytes) -> Vectors | None:
        """The vector stored under ``key``, or None."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        """Store a copy of ``vector``, and drop what was not used for longest where there is no room."""
        own = np.array(vector, dtype=np.float32)
        own.setflags(write=False)
        with self._lock:
            if (old := self._vectors.pop(key, None)) is not None:
                self._bytes -= old.nbytes + _AROUND
            self._vectors[key] = own
            self._bytes += own.nbytes + _AROUND
            while self._bytes > self.max_bytes:
                _, dropped = self._vectors.popitem(last=False)
                self._bytes -= dropped.nbytes + _AROUND

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._vectors.clear()
            self._bytes = 0
