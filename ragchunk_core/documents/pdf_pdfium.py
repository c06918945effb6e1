"""PDF pages by PDFium (BSD), Chrome's reader, through pypdfium2 (Apache-2.0 or BSD): the second extractor."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ragchunk_core.documents.asked import Asked
from ragchunk_core.documents.limits import Limits, ReadError
from ragchunk_core.documents.pdf_columns import by_columns
from ragchunk_core.documents.pdf_pages import MOST_ENTRIES, Entry, Pages, locked, storable, too_much_on_page

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_ONE_AT_A_TIME = threading.Lock()  # PDFium must not be entered by two threads
_INVISIBLE = 3  # text rendering mode (ISO 32000-1, table 106)
_DEPTH = 15  # of drawings within drawings


def pdfium_pages(data: bytes, name: str, asked: Asked) -> Pages:
    """The pages of a PDF as PDFium reads them; with the engine ``columns``, one column after the other.

    Raises:
        ReadError: If the file is broken, locked, without pages, or past a limit.
    """
    with _ONE_AT_A_TIME:
        document = _opened(data, name, asked.password)
        try:
            return _page_texts(document, name, asked)
        finally:
            document.close()


def _opened(data: bytes, name: str, password: str | None) -> PdfDocument:
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FPDF_ERR_PASSWORD

    for word in dict.fromkeys((None, password)):
        try:
            document = PdfDocument(data, password=word)
        except PdfiumError as error:
            # PDFium says what the last file was refused for where it has no words for this one.
            needs = error.err_code == FPDF_ERR_PASSWORD and b"/Encrypt" in data
        else:
            if not len(document):
                raise ReadError(f"{name!r} has no pages; a PDF with text on at least one page is needed.")
            return document
    if needs:
        raise locked(name, password)
    raise ReadError(f"{name!r} is broken or no PDF; a file that a PDF viewer has saved anew may be readable.")


def _page_texts(document: PdfDocument, name: str, asked: Asked) -> Pages:
    limits, options = asked.limits, asked.options.pdf
    if len(document) > limits.pages:
        raise ReadError(f"{name!r} has {len(document):,} pages; at most {limits.pages:,} are allowed.")
    found = Pages()
    total = columned = 0
    for number in range(len(document)):
        text, columns, invisible = _page(document, number, name, limits, options.engine == "columns")
        if text is None:
            found.failed += 1
        made, lost = storable(text or "")
        made = made if made.strip() else ""
        found.texts.append(made)
        found.lost += lost
        found.invisible += invisible
        columned += columns > 1
        total += len(made)
        if total > limits.text:
            raise ReadError(f"{name!r} has more than {limits.text:,} characters of text; no more are allowed.")
    if options.engine == "columns":
        found.told.append(f"Columns: {columned:,} of {len(document):,} pages read one column after the other.")
    if options.outline:
        found.outline = _outline(document)
    return found


def _page(document: PdfDocument, number: int, name: str, limits: Limits, columns: bool) -> tuple[str | None, int, bool]:
    """A page's text, or None; how many columns it was read in; and whether some of it is invisible."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
    except PdfiumError:
        return None, 1, False
    try:
        textpage = page.get_textpage()
        try:
            if textpage.count_chars() > limits.page_text:
                raise too_much_on_page(name, number + 1, limits)
            text, count = by_columns(textpage) if columns else (textpage.get_text_bounded(), 1)
            return _lines(text), count, bool(text) and _holds_invisible(page)
        finally:
            textpage.close()
    except PdfiumError:
        return None, 1, False
    finally:
        page.close()


def _lines(text: str) -> str:
    # PDFium ends lines in CR LF, and in U+0002 after a hyphen that parts a word.
    return text.replace("\r\n", "\n").replace("\u0002", "-\n").replace("\ufffe", "-\n")


def _holds_invisible(page: PdfPage) -> bool:
    """Whether some text is not drawn. PDFium itself is asked: pypdfium2 makes an object of each thing on the page."""
    from pypdfium2 import raw

    def found(parent: Any, count: Callable[[Any], int], get: Callable[[Any, int], Any], depth: int) -> bool:
        for one in (get(parent, number) for number in range(count(parent))):
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                hidden = raw.FPDFTextObj_GetTextRenderMode(one) == _INVISIBLE
            else:
                deeper = kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEPTH
                hidden = deeper and found(one, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, depth + 1)
            if hidden:
                return True
        return False

    return found(page, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, 1)


def _outline(document: PdfDocument) -> list[Entry]:
    from pypdfium2 import PdfiumError

    found: list[Entry] = []
    with contextlib.suppress(PdfiumError, UnicodeError):  # a broken outline costs no text
        for bookmark in document.get_toc(max_depth=_DEPTH):
            destination = bookmark.get_dest()
            page = destination.get_index() if destination else None
            if page is not None and page >= 0:
                found.append(Entry(bookmark.level + 1, storable(bookmark.get_title())[0], page))
            if len(found) >= MOST_ENTRIES:
                break
    return found
