"""PDF to text (D05, D06): page by page, with the offset at which each page starts.

pypdf reads unless PDFium is asked for. Of the six files of the test data whose words are known from elsewhere pypdf
reads all word for word, PDFium all but Arabic, pdfplumber all but some spaced words of one, at a ninth of pypdf's speed
(``tests/benchmarks/reading_rivals.py``). PDFium opens four broken files that pypdf does not, spells out ligatures, and
is four to six times as fast. Text in pictures is not read (no OCR).
"""

from __future__ import annotations

from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.limits import ReadError
from ragchunk_core.documents.pdf_furniture import without_furniture
from ragchunk_core.documents.pdf_outline import headings_from_outline
from ragchunk_core.documents.pdf_pages import Pages
from ragchunk_core.documents.pdf_pdfium import pdfium_pages
from ragchunk_core.documents.pdf_pypdf import pypdf_pages
from ragchunk_core.documents.pdf_tidy import hyphens_joined, ligatures_spelled
from ragchunk_core.types import Document

_BETWEEN_PAGES = "\n\n"


def read_pdf(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of a PDF: its pages with a blank line between them, ``page_starts`` telling where each begins.

    A page without text keeps its place as an empty one. A file with an empty user password opens by itself.

    Raises:
        ReadError: If the file is broken, locked, without pages or text, or past a limit.
    """
    engine = pypdf_pages if asked.options.pdf.engine == "pypdf" else pdfium_pages
    pages = engine(data, name, asked)
    if not any(pages.texts):
        raise ReadError(f"{name!r} has no text to chunk on any page (scanned?); OCR can give it some.")
    notes = pages.notes()
    _tidy(pages, asked)
    starts, start = [], 0
    for page in pages.texts:
        starts.append(start)
        start += len(page) + len(_BETWEEN_PAGES)
    text = _BETWEEN_PAGES.join(pages.texts)
    return Document(name, text, "pdf", tuple(starts), (*notes, *pages.told))


def _tidy(pages: Pages, asked: Asked) -> None:
    options = asked.options.pdf
    if options.furniture:
        without_furniture(pages)
    if options.outline:
        headings_from_outline(pages)
    if options.hyphens:
        hyphens_joined(pages)
    if options.ligatures:
        ligatures_spelled(pages)
