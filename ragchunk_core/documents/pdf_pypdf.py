"""PDF pages by pypdf (BSD): the extractor that is used unless another is asked for."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragchunk_core.documents.asked import Asked
from ragchunk_core.documents.limits import Limits, ReadError
from ragchunk_core.documents.pdf_pages import MOST_ENTRIES, Entry, Pages, locked, storable, too_much_on_page

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_SHOWS = re.compile(rb"T[jJ]|Do|['\"]")
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


def pypdf_pages(data: bytes, name: str, asked: Asked) -> Pages:
    """The pages of a PDF as pypdf reads them. A file with an empty user password opens by itself.

    Raises:
        ReadError: If the file is broken, locked, without pages, or past a limit.
    """
    from pypdf import apply_configuration
    from pypdf.errors import LimitReachedError

    _silence()
    # No other program is ever started, whatever the file asks for.
    with apply_configuration(jbig2dec_binary=None):
        try:
            reader = _opened(data, name, asked.password, asked.limits)
            pages = _page_texts(reader, name, asked.limits)
            if asked.options.pdf.outline:
                pages.outline = _outline(reader)
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
    return pages


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
        raise locked(name, password)
    count = len(reader.pages)
    if not count:
        raise ReadError(f"{name!r} has no pages; a PDF with text on at least one page is needed.")
    if count > limits.pages:
        raise ReadError(f"{name!r} has {count:,} pages; at most {limits.pages:,} are allowed.")
    return reader


def _page_texts(reader: PdfReader, name: str, limits: Limits) -> Pages:
    found = Pages()
    failures: list[Exception] = []
    total = 0
    for page in reader.pages:
        watch = _Watch(limits.page_text)
        try:
            text = page.extract_text(visitor_operand_before=watch) if _may_draw_text(page) else ""
        except _TooMuchTextError:
            raise too_much_on_page(name, len(found.texts) + 1, limits) from None
        except Exception as error:  # one bad page does not cost the others
            failures.append(error)
            text = ""
        text, bad = storable(text if text.strip() else "")
        found.texts.append(text)
        found.lost += bad
        found.invisible += watch.invisible
        total += len(text)
        if total > limits.text:
            raise ReadError(f"{name!r} has more than {limits.text:,} characters of text; no more are allowed.")
    if failures and not total:
        raise failures[0]
    found.failed = len(failures)
    return found


def _outline(reader: PdfReader) -> list[Entry]:
    """The outline's titles in order, with level and page; those that lead nowhere are left out."""
    found: list[Entry] = []
    try:
        left: list[tuple[int, Iterator[Any]]] = [(1, iter(reader.outline))]
        while left and len(found) < MOST_ENTRIES:
            level, entries = left[-1]
            entry = next(entries, None)
            if entry is None:
                left.pop()
            elif isinstance(entry, list):
                left.append((level + 1, iter(entry)))
            elif (page := reader.get_destination_page_number(entry)) is not None and page >= 0:
                found.append(Entry(level, str(entry.title), page))
    except Exception:  # a broken outline costs no text
        return found
    return found


def _may_draw_text(page: PageObject) -> bool:
    """Whether the page has anything that shows text or a nested drawing; parsing drawings alone is slow."""
    contents = page.get_contents()
    return contents is not None and _SHOWS.search(contents.get_data()) is not None
