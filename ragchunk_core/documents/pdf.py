"""PDF to text (D05): pypdf, page by page, with the offset at which each page starts.

Does not read text from pictures (OCR), nor put columns that a file draws row by row back in order.
"""

from __future__ import annotations

import io
import logging
import re
from typing import TYPE_CHECKING, Any

from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.limits import Limits, PasswordError, ReadError
from ragchunk_core.types import Document

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_BETWEEN_PAGES = "\n\n"
_SHOWS = re.compile(rb"T[jJ]|Do|['\"]")
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_INVISIBLE = 3  # text rendering mode (ISO 32000-1, table 106)


class _TooMuchTextError(MemoryError):
    """A page draws more text than is allowed. (pypdf lets no other error out of nested drawings.)"""


class _Watch:
    """Looks on while pypdf reads a page: stops it when there is too much text, and notices invisible text."""

    def __init__(self, most: int) -> None:
        self.invisible = False
        self._most = most
        self._drawn = 0
        self._modes = [0]

    def __call__(self, operator: bytes, operands: Any, *_: Any) -> None:
        if operator == b"q":
            self._modes.append(self._modes[-1])
        elif operator == b"Q" and len(self._modes) > 1:
            self._modes.pop()
        elif operator == b"Tr" and operands:
            self._modes[-1] = operands[0]
        elif operator in (b"Tj", b"TJ", b"'", b'"') and operands:
            drawn = operands[-1]
            parts = drawn if isinstance(drawn, list) else [drawn]
            self._drawn += sum(len(part) for part in parts if isinstance(part, (str, bytes)))
            self.invisible |= self._modes[-1] == _INVISIBLE
            if self._drawn > 2 * self._most:  # fonts of many characters take two bytes for each
                raise _TooMuchTextError


def read_pdf(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of a PDF: its pages with a blank line between them, ``page_starts`` telling where each begins.

    A page without text keeps its place as an empty one. A file with an empty user password opens by itself.

    Raises:
        ReadError: If the file is broken, locked, without pages or text, or past a limit.
    """
    from pypdf import apply_configuration
    from pypdf.errors import LimitReachedError

    _silence()
    # No other program is ever started, whatever the file asks for.
    with apply_configuration(jbig2dec_binary=None):
        try:
            reader = _opened(data, name, asked.password, asked.limits)
            pages, notes = _page_texts(reader, name, asked.limits)
        except ReadError:
            raise
        except LimitReachedError as error:
            raise ReadError(
                f"{name!r} unfolds to far more than its size (a faulty or hostile file); it was not read."
            ) from error
        except Exception as error:  # pypdf lets many kinds out on broken files, RecursionError among them
            raise ReadError(
                f"{name!r} is broken or no PDF; a file that a PDF viewer has saved anew may be readable."
            ) from error
    text = _BETWEEN_PAGES.join(pages)
    starts, start = [], 0
    for page in pages:
        starts.append(start)
        start += len(page) + len(_BETWEEN_PAGES)
    return Document(name=name, text=text, kind="pdf", page_starts=tuple(starts), notes=notes)


def _silence() -> None:
    """pypdf reports every oddity of a file to its logger, which without this ends on the error output."""
    logger = logging.getLogger("pypdf")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def _opened(data: bytes, name: str, password: str | None, limits: Limits) -> PdfReader:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt("") and not (password and reader.decrypt(password)):
        wrong = "and the password given does not open it" if password else "and needs a password"
        raise PasswordError(f"{name!r} is encrypted {wrong}; give the password that opens it for reading.")
    count = len(reader.pages)
    if not count:
        raise ReadError(f"{name!r} has no pages; a PDF with text on at least one page is needed.")
    if count > limits.pages:
        raise ReadError(f"{name!r} has {count:,} pages; at most {limits.pages:,} are allowed.")
    return reader


def _page_texts(reader: PdfReader, name: str, limits: Limits) -> tuple[list[str], tuple[str, ...]]:
    """The text of every page, and what is to be told about them."""
    pages: list[str] = []
    failures: list[Exception] = []
    total = lost = invisible = 0
    for page in reader.pages:
        watch = _Watch(limits.page_text)
        try:
            text = page.extract_text(visitor_operand_before=watch) if _may_draw_text(page) else ""
        except _TooMuchTextError:
            page_number, most = len(pages) + 1, f"{limits.page_text:,}"
            raise ReadError(
                f"{name!r} has too much text on page {page_number}; at most {most} characters are allowed."
            ) from None
        except Exception as error:  # one bad page does not cost the others
            failures.append(error)
            text = ""
        text, bad = _storable(text if text.strip() else "")
        pages.append(text)
        lost += bad
        invisible += watch.invisible
        total += len(text)
        if total > limits.text:
            raise ReadError(f"{name!r} has more than {limits.text:,} characters of text; no more are allowed.")
    if not total:
        if failures:
            raise failures[0]
        raise ReadError(f"{name!r} has no text to chunk on any page (scanned?); OCR can give it some.")
    return pages, _notes(pages, len(failures), lost, invisible)


def _may_draw_text(page: PageObject) -> bool:
    """Whether the page has anything that shows text or a nested drawing; parsing drawings alone is slow."""
    contents = page.get_contents()
    return contents is not None and _SHOWS.search(contents.get_data()) is not None


def _storable(text: str) -> tuple[str, int]:
    """The text without what no encoding can store, and how often something was replaced by U+FFFD."""
    if not _NO_TEXT.search(text):
        return text, 0
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two halves make a character
    storable = joined.replace("\0", "\ufffd")
    return storable, storable.count("\ufffd") - text.count("\ufffd")


def _notes(pages: list[str], failed: int, lost: int, invisible: int) -> tuple[str, ...]:
    notes = []
    of_all = f"of {len(pages):,} page{'s' * (len(pages) > 1)}"
    empty = pages.count("") - failed
    if empty:
        notes.append(f"{empty:,} {of_all} {'have' if empty > 1 else 'has'} no text (scanned?).")
    if failed:
        notes.append(f"{failed:,} {of_all} could not be read.")
    if invisible:
        holds = "hold" if invisible > 1 else "holds"
        notes.append(f"{invisible:,} {of_all} {holds} invisible text (of a scan, or hidden); it is kept.")
    if lost:
        notes.append(f"{lost:,} character{'s' * (lost > 1)} of the file are no text and became \ufffd.")
    return tuple(notes)
