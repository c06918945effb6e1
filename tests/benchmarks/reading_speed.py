"""How fast files are read, beside the library that does the job, in one run.

    python -m tests.benchmarks.reading_speed

Each figure is CPU time of this process, the median of nine runs; ours and the library's take turns. "Ours" is all of
``documents.read``: checks, notes and the ``Document`` with the hash of its text. "Library" is its one call that gives
some text, without any check. Our share is what is left of our time when the library's is taken away, pair by pair:
(ours - library) / ours; below zero where we are faster than the library alone. Where a library takes a few
milliseconds for a megabyte no share of a fifth is left for anything: "added" is the same difference in milliseconds for
each megabyte of text, and "hash" how many of them the content hash takes, which every document bears. "Isolated" is the
wall time of ``read_isolated`` beside that of ``read``.

Text has two rows for each encoding. ``bytes.decode`` is no reader: it must be told the encoding; it shows what the
checks and the hash cost. charset-normalizer (``from_bytes(data).best()``) is the library for a text of unknown
encoding; valid UTF-8 takes a short cut past any such library (charset-normalizer is quick there too),
other text is told apart by turbohtml's detector. With megabytes in so few milliseconds much is the system handing out
memory, which it does or not by what ran before: the figures of UTF-8 move by a fifth, those of its libraries by more.
HTML has two rows as well: all pages of the test data, which are mostly tables (laid out here, while the library leaves
those whose cells span as HTML), and prose.

The usual libraries for HTML and Excel stand beside the ones that are used: the faster a library, the larger the share
of what is done beside it, and all of ours takes less time than html-to-markdown, markdownify or openpyxl alone.

The files are the project's test data where they are there (``RAGCHUNK_SHARED_DATA`` or ``../shared/data``), and such as
are made here.
"""

from __future__ import annotations

import gc
import io
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from ragchunk_core.documents import ReadOptions, read
from ragchunk_core.documents.isolated import read_isolated
from ragchunk_core.documents.reading_options import PdfOptions
from ragchunk_core.types import text_id
from tests.office_files import book, deck, shape, sheets, table, word

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("RAGCHUNK_SHARED_DATA", ROOT.parent / "shared" / "data"))
RUNS = 9
WORDS = "The pump must be checked every week, because its seals wear out faster than the housing does. "
LIBRARIES = ("charset-normalizer", "turbohtml", "pypdf", "pypdfium2", "mammoth", "python-pptx", "python-calamine")


class Case(NamedTuple):
    """A file, and the bare library's way to its text."""

    what: str
    library: str
    name: str
    data: bytes
    bare: Callable[[bytes], Any]
    options: ReadOptions = ReadOptions()


def html_page() -> bytes:
    """All pages of the test data as one, four times."""
    pages = sorted((DATA / "html" / "inscriptis").glob("*.html"))
    found = b"\n".join(path.read_text("utf-8", "replace").encode() for path in pages)
    return b"<meta charset=utf-8>" + (found or prose_page()) * 4


def prose_page() -> bytes:
    """Headings, paragraphs and lists."""
    part = f"<h2>Pumps</h2><p>{WORDS * 3}</p><p>{WORDS} <b>Never</b> {WORDS}</p><ul><li>one</li><li>two</li></ul>"
    return f"<meta charset=utf-8><title>T</title><h1>Manual</h1>{part * 1000}".encode()


def pdf_files() -> bytes:
    """A public file of 18 pages of prose."""
    return (DATA / "pdf" / "dmca_us_gov.pdf").read_bytes()


def word_file() -> bytes:
    def build(document: Any) -> None:
        for number in range(60):
            document.add_heading(f"Part {number}", 1)
            for _ in range(5):
                document.add_paragraph(WORDS * 4)
        made = document.add_table(50, 4)
        for row in made.rows:
            for cell in row.cells:
                cell.text = "value"

    return word(build)


def slides() -> bytes:
    one = shape(2, [(0, "Title")], "title") + shape(3, [(0, WORDS)] * 8, "body") + table(4, [["a", "b", "c"]] * 10)
    return deck([one] * 60)


def sheet() -> bytes:
    def build(workbook: Any) -> None:
        made = workbook.add_worksheet()
        for row in range(5_000):
            made.write_row(row, 0, [row, row / 7, "some words", f"text {row}", True])

    return sheets(build)


def bare_detection(data: bytes) -> Any:
    from charset_normalizer import from_bytes

    return str(from_bytes(data).best())


def bare_html(data: bytes) -> Any:
    from turbohtml import parse

    return parse(data).to_markdown()


def bare_html_to_markdown(data: bytes) -> Any:
    from html_to_markdown import convert

    return convert(data.decode())


def bare_markdownify(data: bytes) -> Any:
    from markdownify import markdownify

    return markdownify(data.decode())


def bare_pypdf(data: bytes) -> Any:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted:
        reader.decrypt("")
    return [page.extract_text() for page in reader.pages]


def bare_pdfium(data: bytes) -> Any:
    from pypdfium2 import PdfDocument

    document = PdfDocument(data)
    return [page.get_textpage().get_text_bounded() for page in document]


def bare_word(data: bytes) -> Any:
    import mammoth

    return mammoth.convert_to_markdown(io.BytesIO(data)).value


def bare_slides(data: bytes) -> Any:
    from pptx import Presentation

    return [
        [
            [cell.text for row in one.table.rows for cell in row.cells] if one.has_table else one.text_frame.text
            for one in slide.shapes
        ]
        for slide in Presentation(io.BytesIO(data)).slides
    ]


def bare_sheet(data: bytes) -> Any:
    from python_calamine import CalamineWorkbook

    rows = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).iter_rows()
    return "\n".join("\t".join(map(str, row)) for row in rows)


def bare_openpyxl(data: bytes) -> Any:
    from openpyxl import load_workbook

    rows = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0].iter_rows(values_only=True)
    return "\n".join("\t".join(map(str, row)) for row in rows)


def bare_book(data: bytes) -> Any:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return [bare_html(file.read(name)) for name in file.namelist() if name.endswith("xhtml")]


def cases() -> list[Case]:
    """One file of each kind."""
    text = (WORDS * 200 + "\nÄöü: größer.\n") * 500
    chapter = f"<html><body><h1>A</h1>{f'<p>{WORDS * 5}</p>' * 200}</body></html>"
    pdf = pdf_files()
    pdfium = ReadOptions(pdf=PdfOptions("pdfium"))
    return [
        Case("text, UTF-8", "bytes.decode", "a.txt", text.encode(), lambda data: data.decode()),
        Case("text, UTF-8", "charset-normalizer", "a.txt", text.encode(), bare_detection),
        Case("text, windows-1252", "bytes.decode", "a.txt", text.encode("cp1252"), lambda data: data.decode("cp1252")),
        Case("text, windows-1252", "charset-normalizer", "a.txt", text.encode("cp1252"), bare_detection),
        Case("HTML, tables", "turbohtml", "a.html", html_page(), bare_html),
        Case("HTML, prose", "turbohtml", "a.html", prose_page(), bare_html),
        Case("HTML, prose", "html-to-markdown", "a.html", prose_page(), bare_html_to_markdown),
        Case("HTML, prose", "markdownify", "a.html", prose_page(), bare_markdownify),
        Case("PDF", "pypdf", "a.pdf", pdf, bare_pypdf),
        Case("PDF", "pypdfium2", "a.pdf", pdf, bare_pdfium, pdfium),
        Case("Word", "mammoth", "a.docx", word_file(), bare_word),
        Case("PowerPoint", "python-pptx", "a.pptx", slides(), bare_slides),
        Case("Excel", "python-calamine", "a.xlsx", sheet(), bare_sheet),
        Case("Excel", "openpyxl", "a.xlsx", sheet(), bare_openpyxl),
        Case("EPUB", "zipfile, turbohtml", "a.epub", book({f"c{n}.xhtml": chapter for n in range(20)}), bare_book),
    ]


def cpu(run: Callable[[], Any]) -> float:
    gc.collect()  # each pays for its own garbage only
    start = time.process_time()
    run()
    return time.process_time() - start


def wall(run: Callable[[], Any]) -> float:
    gc.collect()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Print a table."""
    print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    head = (
        f"{'kind':20}{'library':20}{'MB':>6}{'ours MB/s':>11}{'lib. MB/s':>11}{'our share':>11}"
        f"{'added ms/MB':>13}{'hash':>7}{'isolated':>10}"
    )
    print(f"{head}\n{'-' * len(head)}")
    for case in cases():

        def ours(case: Case = case) -> Any:
            return read(case.data, case.name, options=case.options)

        def bare(case: Case = case) -> Any:
            return case.bare(case.data)

        def isolated(case: Case = case) -> Any:
            return read_isolated(case.data, case.name, options=case.options)

        text = ours().text
        for run in (bare, isolated):
            run()  # imports, and the process
        pairs = [(cpu(ours), cpu(bare), wall(ours), wall(isolated)) for _ in range(RUNS)]
        mine, theirs = (statistics.median(pair[at] for pair in pairs) for at in range(2))
        share = statistics.median(1 - theirs / mine for mine, theirs, _, _ in pairs)
        isolated_ratio = statistics.median(there / here for _, _, here, there in pairs)
        size, per_text = len(case.data) / 1e6, 1e9 / len(text.encode())
        added = statistics.median(mine - theirs for mine, theirs, _, _ in pairs) * per_text
        hashing = statistics.median(cpu(lambda text=text: text_id(text)) for _ in range(RUNS)) * per_text
        print(
            f"{case.what:20}{case.library:20}{size:>6.2f}{size / mine:>11.2f}{size / theirs:>11.2f}{share:>11.0%}"
            f"{added:>13.1f}{hashing:>7.1f}{isolated_ratio:>9.2f}×"
        )


if __name__ == "__main__":
    main()
