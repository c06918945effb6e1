"""Bytes to documents: the registry of file kinds. A new kind is one file and one line here.

Every reader is pure (bytes in, ``Document`` out) and opens no file, so it can run in a process of its own.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from typing import NamedTuple, Protocol

from ragchunk_core.documents.advice import advice, advised_chunker
from ragchunk_core.documents.html import read_html
from ragchunk_core.documents.limits import MAX_BYTES, ReadError
from ragchunk_core.documents.pdf import read_pdf
from ragchunk_core.documents.text import read_markdown, read_text
from ragchunk_core.languages import LANGUAGES
from ragchunk_core.record_formats import RECORD_ENDINGS
from ragchunk_core.types import Document


class ReadFunction(Protocol):
    """Makes a document of a file's bytes. ``name`` is a label only; ``password`` opens an encrypted file.

    Raises:
        ReadError: With one sentence that names the file, what is wrong and what is allowed.
    """

    def __call__(self, data: bytes, name: str, password: str | None = None) -> Document: ...


class Reader(NamedTuple):
    """A kind of file: its name in ``Document.kind``, what people call it, and the function that reads it."""

    kind: str
    label: str
    function: ReadFunction


_TEXT = Reader("text", "plain text", read_text)
_MARKDOWN = Reader("markdown", "Markdown", read_markdown)
_HTML = Reader("html", "HTML", read_html)
_PDF = Reader("pdf", "PDF", read_pdf)
_CODE = Reader("text", "source code", read_text)
_RECORDS = Reader("text", "data", read_text)

KINDS: dict[str, Reader] = {
    ".txt": _TEXT,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".html": _HTML,
    ".htm": _HTML,
    ".pdf": _PDF,
    **dict.fromkeys(RECORD_ENDINGS, _RECORDS),
    **{ending: _CODE for language in LANGUAGES.values() for ending in language.endings},
}
ACCEPTED: tuple[str, ...] = tuple(KINDS)
"""Endings of the names of files that can be read."""

_ALLOWED = (
    "allowed are .txt, .md, .markdown, .html, .htm and .pdf files, data such as .json and .csv, and source code "
    "such as .py"
)

# How files of other kinds start.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive (Word, PowerPoint, Excel and EPUB files are such archives)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word, Excel or PowerPoint file"),
    (b"{\\rtf1", "an RTF file"),
    (b"\x89PNG\r\n\x1a\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
)
_HTML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)


def read(data: bytes, name: str, *, password: str | None = None) -> Document:
    """The document in a file's bytes; how it is read is told by the ending of its name.

    Args:
        data: The whole file.
        name: What the file is called: a label, never opened as a path.
        password: Opens an encrypted PDF. It is kept nowhere.

    Raises:
        ReadError: If the file is empty, too large, of no kind in ``KINDS``, or broken.
    """
    name = shown_name(name)
    ending = _ending(name)
    if ending not in KINDS:
        what = f"has the ending {ending!r}" if ending else "has no ending that tells its kind"
        raise ReadError(f"{name!r} {what}; {_ALLOWED}.")
    if not data:
        raise ReadError(f"{name!r} is empty (0 bytes); a file with text in it is needed.")
    if len(data) > MAX_BYTES:
        raise ReadError(
            f"{name!r} has {len(data) / 1e6:,.1f} MB; files of at most {MAX_BYTES / 1e6:,.0f} MB are allowed."
        )
    for signature, what in _SIGNATURES:
        if data.startswith(signature):
            raise ReadError(f"{name!r} is {what} and cannot be read; {_ALLOWED}.")
    reader = _told_by_content(data, KINDS[ending])
    document = reader.function(data, name, password)
    if reader is not KINDS[ending]:
        note = f"The name ends in {ending}, but the file is {reader.label} and was read as such."
        document = dataclasses.replace(document, notes=(note, *document.notes))
    return document


def shown_name(name: str) -> str:
    """The last part of a path, without control, formatting and other characters that do not show."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    shown = "".join(character for character in last if unicodedata.category(character) not in hidden)
    return shown.strip() or "unnamed"


def _ending(name: str) -> str:
    _, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot else ""


def _told_by_content(data: bytes, named: Reader) -> Reader:
    """The reader for what the bytes plainly are, where that is not what the name says."""
    if data[:1024].lstrip().startswith(b"%PDF-") and b" obj" in data[:4096]:
        return _PDF
    if named is _PDF and _HTML_START.match(data[:1024]):
        return _HTML  # a saved error or log-in page instead of the file that was asked for
    return named


__all__ = [
    "ACCEPTED",
    "KINDS",
    "ReadError",
    "ReadFunction",
    "Reader",
    "advice",
    "advised_chunker",
    "read",
    "shown_name",
]
