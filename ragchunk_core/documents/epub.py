"""EPUB books as Markdown (D12): the chapters in reading order, each read as an HTML page.

The archive's own table of contents is followed; Python's ``zipfile`` and ``ElementTree`` open it, since the library for
it, EbookLib, is under the AGPL.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree

from ragchunk_core.documents.archives import Archive
from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.html import text_of_html
from ragchunk_core.documents.limits import ReadError, check_length
from ragchunk_core.documents.text import decode
from ragchunk_core.types import Document

_CONTAINER = "META-INF/container.xml"
_PROTECTION = "META-INF/encryption.xml"
_PAGES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml"}
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{1,200}encoding=["']([\w.:-]+)""")
# An element that XHTML closes at once, which HTML would leave open to the end of the page.
_CLOSED = re.compile(r"<([A-Za-z][\w:-]*)\b([^<>]*)/>")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}


class _Book(NamedTuple):
    """The names of the chapters' files in reading order, and how many of them the archive does not have."""

    chapters: list[str]
    missing: int


class _NoTextError(Exception):
    """A chapter is no text."""


def read_epub(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of a book: its chapters with a blank line between them. The page of contents is left out.

    Raises:
        ReadError: If it is no EPUB file, protected, hostile, past a limit, or has no text.
    """
    archive = Archive(data, name, "EPUB book", asked.limits)
    archive.check_xml()
    book = _book(archive)
    if len(book.chapters) > asked.limits.pages:
        raise ReadError(f"{name!r} has {len(book.chapters):,} chapters; at most {asked.limits.pages:,} are allowed.")
    protected = _protected(archive)
    if protected & set(book.chapters):
        raise ReadError(f"{name!r} is protected against copying (DRM); only a book without protection can be read.")
    texts = []
    length = unread = 0
    for chapter in book.chapters:
        try:
            text = _chapter(archive.read(chapter))
        except _NoTextError:  # one bad chapter does not cost the others
            unread += 1
            continue
        length += len(text)
        check_length(length, name, asked.limits)
        texts.append(text)
    text = "\n\n".join(text for text in texts if text)
    if not text:
        raise ReadError(f"{name!r} has no text; a book with words in it is needed.")
    return Document(name, text, "epub", notes=_notes(book.missing, unread))


def _notes(missing: int, unread: int) -> tuple[str, ...]:
    notes = []
    if missing:
        chapters = f"{missing:,} chapter{'s' * (missing > 1)}"
        notes.append(f"{chapters} that the book lists {'are' if missing > 1 else 'is'} not in it.")
    if unread:
        notes.append(f"{unread:,} chapter{'s' * (unread > 1)} could not be read.")
    return tuple(notes)


def _book(archive: Archive) -> _Book:
    """What the package document lists, the page of contents apart."""
    package = next(
        (found.get("full-path", "") for found in _xml(archive, _CONTAINER).iter() if _is(found, "rootfile")), ""
    )
    folder = posixpath.dirname(package)
    items: dict[str, str] = {}
    chapters, missing = [], 0
    for element in _xml(archive, package).iter():
        if _is(element, "item") and element.get("media-type") in _PAGES:
            contents = "nav" in element.get("properties", "").split()
            path = posixpath.normpath(posixpath.join(folder, unquote(element.get("href", ""))))
            items[element.get("id", "")] = "" if contents else path
        elif _is(element, "itemref"):
            path = items.get(element.get("idref", ""), "")
            if path in archive.names:
                chapters.append(path)
            elif path:
                missing += 1
    return _Book(list(dict.fromkeys(chapters)), missing)


def _protected(archive: Archive) -> set[str]:
    """The files whose bytes are encrypted; fonts often are in books that anyone may read."""
    if _PROTECTION not in archive.names:
        return set()
    return {
        unquote(found.get("URI", "")) for found in _xml(archive, _PROTECTION).iter() if _is(found, "CipherReference")
    }


def _xml(archive: Archive, member: str) -> ElementTree.Element:
    if member not in archive.names:
        raise archive.broken()
    data = archive.read(member)
    archive.check(data)  # the package document need not be named .xml
    return ElementTree.fromstring(data)


def _is(element: ElementTree.Element, name: str) -> bool:
    return isinstance(element.tag, str) and element.tag.rpartition("}")[2] == name


def _chapter(data: bytes) -> str:
    if not data.strip():
        return ""
    declared = _ENCODING.match(data)
    page = None
    for encoding in dict.fromkeys((declared[1].decode() if declared else None, None)):
        with contextlib.suppress(ReadError):
            page = page or decode(data, "", encoding).text
    if page is None:
        raise _NoTextError
    return text_of_html(_CLOSED.sub(_opened_and_closed, page) if "/>" in page else page)


def _opened_and_closed(match: re.Match[str]) -> str:
    tag, attributes = match.groups()
    return match[0] if tag.lower() in _VOID else f"<{tag}{attributes}></{tag}>"
