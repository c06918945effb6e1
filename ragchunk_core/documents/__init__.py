"""Bytes to documents: the registry of file kinds. A new kind is one file and one line here.

Every reader is pure (bytes in, ``Document`` out) and opens no file, so it can run in a process of its own.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from functools import partial
from typing import NamedTuple, Protocol

from ragchunk_core.documents.advice import Advice, advice, advised, advised_chunker
from ragchunk_core.documents.asked import Asked
from ragchunk_core.documents.cleaning import cleaned
from ragchunk_core.documents.epub import read_epub
from ragchunk_core.documents.html import read_html
from ragchunk_core.documents.limits import LIMITS, CancelledError, Limits, PasswordError, ReadError
from ragchunk_core.documents.office import read_docx, read_pptx
from ragchunk_core.documents.pdf import read_pdf
from ragchunk_core.documents.reading_options import ReadOptions
from ragchunk_core.documents.sheets import read_csv, read_xlsx
from ragchunk_core.documents.text import ENCODINGS, read_kept, read_markdown, read_text
from ragchunk_core.languages import LANGUAGES
from ragchunk_core.types import Document


class ReadFunction(Protocol):
    """Makes a document of a file's bytes. ``name`` is a label only.

    Raises:
        ReadError: With one sentence that names the file, what is wrong and what is allowed.
    """

    def __call__(self, data: bytes, name: str, asked: Asked = ...) -> Document: ...


class Reader(NamedTuple):
    """A kind of file.

    Attributes:
        kind: Its name in ``Document.kind``.
        label: What people call it.
        function: Reads it.
        decoded: Whether it is text that a user may name the encoding of.
        harmless: Whether reading without options is one pass over the bytes, which needs no process of its own.
        archive: Whether it is a ZIP archive.
    """

    kind: str
    label: str
    function: ReadFunction
    decoded: bool = False
    harmless: bool = False
    archive: bool = False


_TEXT = Reader("text", "plain text", read_text, decoded=True, harmless=True)
_MARKDOWN = Reader("markdown", "Markdown", read_markdown, decoded=True, harmless=True)
_HTML = Reader("html", "HTML", read_html, decoded=True)
_PDF = Reader("pdf", "PDF", read_pdf)
_DOCX = Reader("docx", "Word (.docx)", read_docx, archive=True)
_PPTX = Reader("pptx", "PowerPoint (.pptx)", read_pptx, archive=True)
_XLSX = Reader("xlsx", "Excel (.xlsx)", read_xlsx, archive=True)
_EPUB = Reader("epub", "EPUB", read_epub, archive=True)
_CSV = Reader("csv", "table of values (CSV)", read_csv, decoded=True, harmless=True)
_JSON = Reader("json", "JSON", partial(read_kept, kind="json"), decoded=True, harmless=True)
_CODE = Reader("code", "source code", partial(read_kept, kind="code"), decoded=True, harmless=True)

_TEXT_ENDINGS = (".txt", ".text", ".log", ".rst", ".tex", ".toml", ".yaml", ".yml")
_CODE_ENDINGS = (".sass", ".vb", *(ending for language in LANGUAGES.values() for ending in language.endings))

KINDS: dict[str, Reader] = {
    **dict.fromkeys(_TEXT_ENDINGS, _TEXT),
    **dict.fromkeys((".md", ".markdown"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    ".pdf": _PDF,
    ".docx": _DOCX,
    ".pptx": _PPTX,
    ".xlsx": _XLSX,
    ".epub": _EPUB,
    **dict.fromkeys((".csv", ".tsv", ".tab"), _CSV),
    **dict.fromkeys((".json", ".geojson", ".jsonl", ".ndjson"), _JSON),
    **dict.fromkeys((ending for ending in _CODE_ENDINGS if ending not in _TEXT_ENDINGS), _CODE),
}
ACCEPTED: tuple[str, ...] = tuple(KINDS)
"""Endings of the names of files that can be read."""

_NAMED = [ending for ending, reader in KINDS.items() if reader is not _CODE]
_ALLOWED = f"allowed are {', '.join(_NAMED)} files and source code"

_ZIP = b"PK\x03\x04"
# How files of other kinds start.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (_ZIP, "a ZIP archive (Word, PowerPoint, Excel and EPUB files are such archives)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Word, Excel or PowerPoint file"),
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


def read(
    data: bytes,
    name: str,
    *,
    password: str | None = None,
    encoding: str | None = None,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> Document:
    """The document in a file's bytes; how it is read is told by the ending of its name.

    Args:
        data: The whole file.
        name: What the file is called: a label, never opened as a path.
        password: Opens an encrypted PDF. It is kept nowhere.
        encoding: One of ``ENCODINGS``, for text and HTML; None: it is found, and told in ``Document.encoding``.
        options: How it is read; nothing but the file's own text without.
        limits: What the reading may take; but for time and memory, which ``read_isolated`` holds.

    Raises:
        ReadError: If the file is empty, too large, of no kind in ``KINDS``, or broken.
    """
    asked = Asked(password, encoding, options or ReadOptions(), limits or Limits.in_force())
    name = shown_name(name)
    named, reader = reader_of(data, name, asked.limits)
    if encoding and not reader.decoded:
        raise ReadError(f"{name!r} is {reader.label}, which tells its encoding itself: only that of text can be set.")
    document = cleaned(reader.function(data, name, asked), asked.options.cleaning)
    if reader is not named:
        note = f"The name ends in {_ending(name)}, but the file is {reader.label} and was read as such."
        document = dataclasses.replace(document, notes=(note, *document.notes))
    if not document.text:
        raise ReadError(f"{name!r} has no text left after cleaning; a file with text in it is needed.")
    return document


def reader_of(data: bytes, name: str, limits: Limits = LIMITS) -> tuple[Reader, Reader]:
    """The kind of file that the name tells, and the kind that the bytes plainly are.

    Raises:
        ReadError: If the file is empty, too large, or of no kind in ``KINDS``.
    """
    ending = _ending(name)
    if ending not in KINDS:
        what = f"has the ending {ending!r}" if ending else "has no ending that tells its kind"
        raise ReadError(f"{name!r} {what}; {_ALLOWED}.")
    if not data:
        raise ReadError(f"{name!r} is empty (0 bytes); a file with text in it is needed.")
    if len(data) > limits.bytes:
        raise ReadError(
            f"{name!r} has {len(data) / 1e6:,.1f} MB; files of at most {limits.bytes / 1e6:,.0f} MB are allowed."
        )
    for signature, what in _SIGNATURES:
        if data.startswith(signature) and not (signature == _ZIP and KINDS[ending].archive):
            raise ReadError(f"{name!r} is {what} and cannot be read; {_ALLOWED}.")
    return KINDS[ending], _told_by_content(data, KINDS[ending])


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
    "ENCODINGS",
    "KINDS",
    "LIMITS",
    "Advice",
    "CancelledError",
    "Limits",
    "PasswordError",
    "ReadError",
    "ReadFunction",
    "ReadOptions",
    "Reader",
    "advice",
    "advised",
    "advised_chunker",
    "read",
    "reader_of",
    "shown_name",
]
