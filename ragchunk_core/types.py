"""The nouns of the project: documents, spans, chunks, passages and queries.

Offsets everywhere are Unicode code points (Python's ``len``), 0-based and half-open.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_BLOCK = 100_000  # characters hashed at a time: a large text is never encoded as a whole, which is slower too


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of code points in one document."""

    start: int
    end: int


def text_id(text: str) -> str:
    """The content hash of a text, 24 hexadecimal digits; UnicodeEncodeError for a lone surrogate."""
    digest = hashlib.blake2b(digest_size=12)
    for start in range(0, len(text), _BLOCK):
        try:
            digest.update(text[start : start + _BLOCK].encode("utf-8"))
        except UnicodeEncodeError as error:
            places = start + error.start, start + error.end
            raise UnicodeEncodeError(error.encoding, text, *places, error.reason) from None
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """A text and where it came from; the text never changes once made.

    Attributes:
        name: What the user calls it; may be changed without changing ``id``.
        text: The text that is cut, searched and shown.
        kind: What the text was made from: ``text``, ``markdown``, ``html``, ``pdf`` … (``documents.KINDS``).
        page_starts: Offset of each page's first code point, ascending; empty when there are no pages.
        notes: Sentences about how it was read that a user should know.
        encoding: What a text file or page was decoded from, such as ``UTF-8``; empty where the format says.
        id: Content hash of ``text``; the key of every cache and of every passage.

    Raises:
        ValueError: If the text holds a lone surrogate, which no encoding can store.
    """

    name: str
    text: str
    kind: str = "text"
    page_starts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    encoding: str = ""
    id: str = field(init=False)

    def __post_init__(self) -> None:
        try:
            made = text_id(self.text)
        except UnicodeEncodeError as error:
            raise ValueError(
                f"The text of {self.name!r} has a lone surrogate (half a character) at position "
                f"{error.start}; only whole Unicode characters are allowed."
            ) from None
        object.__setattr__(self, "id", made)

    @classmethod
    def from_text(cls, text: str, name: str = "text.txt", kind: str = "text") -> Document:
        """A document from a string, kept exactly as it is."""
        return cls(name=name, text=text, kind=kind)

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> Document:
        """A document from a file's bytes; its kind is told by the name's ending. See ``documents.read``."""
        from ragchunk_core.documents import read

        return read(data, name)

    @classmethod
    def from_path(cls, path: str) -> Document:
        """A document from a file on this machine."""
        from pathlib import Path

        file = Path(path)
        return cls.from_bytes(file.read_bytes(), file.name)

    def __len__(self) -> int:
        return len(self.text)

    def page_of(self, offset: int) -> int | None:
        """The 1-based page that holds ``offset``, or None for a document without pages."""
        if not self.page_starts:
            return None
        return max(1, int(np.searchsorted(self.page_starts, offset, side="right")))


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk, made on demand from a ``Chunking``.

    ``text`` is ``document.text[start:end]`` unless the chunker is not verbatim. ``context`` is text indexed
    in front of the chunk that is not part of it.
    """

    document: Document
    index: int
    start: int
    end: int
    text: str
    context: str = ""
    path: tuple[str, ...] = ()

    @property
    def page(self) -> int | None:
        """The page on which the chunk starts."""
        return self.document.page_of(self.start)


@dataclass(frozen=True, slots=True)
class Passage:
    """A marked span that answers a query. ``document`` is a ``Document.id``."""

    document: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"A passage needs 0 <= start < end, but start is {self.start} and end is {self.end}.")


@dataclass(frozen=True, slots=True)
class Query:
    """A question with the passages that answer it (none yet: not judged)."""

    text: str
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents with the queries that are asked of them."""

    documents: tuple[Document, ...] = ()
    queries: tuple[Query, ...] = ()
