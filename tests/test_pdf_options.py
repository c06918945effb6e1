"""D05, D06: the second extractor, columns, and what may be taken out of a PDF's text, each off unless wished."""

from __future__ import annotations

import codecs
import contextlib
import html
import io
import re
import unicodedata

import pytest

from ragchunk_core.documents import Limits, PasswordError, ReadError, ReadOptions, read
from ragchunk_core.documents.pdf_columns import by_columns
from ragchunk_core.documents.pdf_furniture import without_furniture
from ragchunk_core.documents.pdf_outline import headings_from_outline
from ragchunk_core.documents.pdf_pages import Entry, Pages
from ragchunk_core.documents.pdf_tidy import hyphens_joined
from ragchunk_core.documents.reading_options import PdfOptions
from tests.test_pdf import file, pages, pdf, shows, stream, words

ENGINES = ["pypdf", "pdfium", "columns"]


def opened(data, password=None, limits=None, **options):
    return read(data, "a.pdf", password=password, options=ReadOptions(pdf=PdfOptions(**options)), limits=limits)


def placed(*runs):
    """A page's content: texts at their places, in points."""
    return (
        b"BT /F 10 Tf " + b" ".join(b"1 0 0 1 %d %d Tm (%b) Tj" % (x, y, text.encode()) for x, y, text in runs) + b" ET"
    )


def zen():
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return codecs.decode(this.s, "rot13").splitlines()[2:]


def oracles(shared_data):
    """Files that hold words known from elsewhere than a PDF reader."""
    folder = shared_data / "pdf"
    body = (folder / "minimal-document.tex").read_text(encoding="utf-8")
    arabic = (folder / "arabic_habibi.html").read_text(encoding="utf-8")
    return {
        "crazyones.pdf": (folder / "crazyones.txt").read_text(encoding="utf-8"),
        "minimal-document.pdf": body.split(r"\begin{document}")[1].split(r"\end{document}")[0],
        "arabic_habibi.pdf": html.unescape(re.sub(r"(?s).*<div>|</div>.*", "", arabic)),
        "toy.pdf": (folder / "toy.layout.txt").read_text(encoding="utf-8"),
        "zen_of_python_corrupted.pdf": "\n".join(zen()),
        "google-doc.pdf": "\n".join(zen()),
    }


def said(text):
    """The words of a text, whatever its ligatures and typographic signs; parted at no line end."""
    return " ".join(words(re.sub(r"-\n", "", unicodedata.normalize("NFKC", text)).replace("’", "'").replace("*", "")))


def test_d05_how_many_of_the_known_texts_each_extractor_reads_word_for_word(shared_data):
    """D05: why pypdf is the one that is used unless another is asked for."""
    missed = {
        engine: {
            name
            for name, text in oracles(shared_data).items()
            if said(text) not in said(opened(file(shared_data, name), engine=engine).text)
        }
        for engine in ENGINES
    }
    # PDFium gives Arabic letters that are joined to others by their shapes, and in the order of drawing.
    assert missed == {"pypdf": set(), "pdfium": {"arabic_habibi.pdf"}, "columns": {"arabic_habibi.pdf"}}


@pytest.mark.parametrize("engine", ENGINES)
def test_d05_every_extractor_keeps_pages_passwords_and_limits(shared_data, engine):
    """D05: page map, scanned pages, locked, broken and empty files, whatever reads them."""
    document = opened(pages(shows("one"), b"0 0 m 9 9 l S", b"", shows("four")), engine=engine)
    assert document.text == "one\n\n\n\n\n\nfour"
    assert document.page_starts == (0, 5, 7, 9)
    assert document.notes[0] == "2 of 4 pages have no text (scanned?)."
    locked = file(shared_data, "crazyones-encrypted-256.pdf")
    for password, wrong in [(None, "and needs a password"), ("no", "and the password given does not open it")]:
        with pytest.raises(PasswordError, match=rf"^'a\.pdf' is encrypted {wrong}; "):
            opened(locked, password, engine=engine)
    plain = opened(file(shared_data, "crazyones.pdf"), engine=engine).text
    assert opened(locked, "password", engine=engine).text == plain
    assert opened(file(shared_data, "pdf_enc_empty_user.pdf"), engine=engine).text == "top secret text"
    for name, sentence in [("empty.pdf", "no text to chunk"), ("bug1020226_broken.pdf", "is broken or no PDF")]:
        with pytest.raises(ReadError, match=rf"^'a\.pdf' (has )?{sentence}.*\.$"):
            opened(file(shared_data, name), engine=engine)
    for limits, sentence in [
        (Limits(pages=1), r"has 2 pages; at most 1 are allowed\.$"),
        (Limits(text=5), r"has more than 5 characters of text"),
        (Limits(page_text=2), r"has too much text on page 1; at most 2 characters"),
    ]:
        with pytest.raises(ReadError, match=sentence):
            opened(pages(shows("12345678"), shows("two")), limits=limits, engine=engine)
    hidden = opened(pages(shows("one"), shows("two", mode=3)), engine=engine)
    assert hidden.notes[0] == "1 of 2 pages holds invisible text (of a scan, or hidden); it is kept."


@pytest.mark.parametrize("engine", ENGINES)
def test_d05_every_extractor_reads_spacing_and_rotation_right(shared_data, engine):
    """Cases pdf-03 and pdf-04; and pages that are turned, alone or as a whole."""
    assert opened(file(shared_data, "pdf_kerning_spaces.pdf"), engine=engine).text == "Spaces are only kerning"
    assert opened(file(shared_data, "pdf_kerning_tight.pdf"), engine=engine).text == "AVATAR team"
    turned = pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[4 0 R]/MediaBox[0 0 300 300]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Rotate 90/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>",
        stream(b"BT /F 12 Tf 0 1 -1 0 100 50 Tm (Turned text) Tj ET"),
    )
    assert opened(turned, engine=engine).text == "Turned text"


def test_d05_pdfium_opens_files_that_pypdf_does_not(shared_data):
    """Why a second extractor is offered: four broken files, and Arabic in the order of reading."""
    opens = []
    for path in sorted((shared_data / "pdf").glob("*.pdf")):
        with contextlib.suppress(ReadError):
            read(path.read_bytes(), path.name)
            continue
        with contextlib.suppress(ReadError):
            opened(path.read_bytes(), engine="pdfium")
            opens.append(path.name)
    assert opens == ["bomb_giant.pdf", "evil_xobjects.pdf", "pages-tree-cyclic.pdf", "simple1.pdf"]
    arabic = opened(file(shared_data, "ArabicCIDTrueType.pdf"), engine="pdfium").text
    assert arabic.split("\n")[0] == "انواع الخطوط العربية"


def test_d05_what_pdfium_said_of_one_file_is_not_told_of_the_next(shared_data):
    """It keeps its last error; of a file without pages it has none."""
    for before in ("pdf_enc_user.pdf", "pdf_ligatures.pdf"):
        with contextlib.suppress(ReadError):
            opened(file(shared_data, before), engine="pdfium")
        with pytest.raises(ReadError, match=r"^'a\.pdf' is broken or no PDF; "):
            opened(file(shared_data, "pdf_zero_pages.pdf"), engine="pdfium")


def test_d05_columns_that_are_drawn_row_by_row_are_read_one_after_the_other(shared_data):
    """Case pdf-05."""
    data = file(shared_data, "pdf_two_columns_rowwise.pdf")
    assert opened(data).text.split("\n")[0] == "Left one Right one"
    document = opened(data, engine="columns")
    assert document.text == "Left one\nLeft two\nLeft three\nRight one\nRight two\nRight three"
    assert document.notes == ("Columns: 1 of 1 pages read one column after the other.",)


def test_d05_what_stands_across_the_columns_parts_them():
    line = "some words of a line"
    rows = [(40, 260, "A title that stands across both of the columns, all of it"), (130, 20, "Page 3")]
    rows += [(40 + 120 * side, 230 - 12 * row, f"{line} {'ab'[side]}{row}") for row in range(5) for side in (0, 1)]
    rows += [(40, 150, "Another title across both of the columns, with more words")]
    rows += [(40 + 120 * side, 130 - 12 * row, f"{line} {'cd'[side]}{row}") for row in range(5) for side in (0, 1)]
    text = opened(pages(placed(*rows)), engine="columns").text
    found = re.findall(r"[abcd]\d|title|Page 3", text, re.MULTILINE)
    expected = ["title", *(f"{side}{row}" for side in "ab" for row in range(5)), "title"]
    assert found == [*expected, *(f"{side}{row}" for side in "cd" for row in range(5)), "Page 3"]


def test_d05_three_columns_are_read_one_after_the_other():
    rows = [(20 + 90 * side, 250 - 12 * row, f"words here {'abc'[side]}{row}") for row in range(6) for side in range(3)]
    text = opened(pages(placed(*rows)), engine="columns").text
    assert re.findall(r"[abc]\d", text) == [f"{side}{row}" for side in "abc" for row in range(6)]


def test_d05_blocks_that_are_not_beside_each_other_are_no_columns():
    """As the address at the right of a letter's head, above the text."""
    rows = [(160, 270 - 12 * row, f"an address line {row}") for row in range(4)]
    rows += [(20, 200 - 12 * row, f"a line of the text {row}") for row in range(6)]
    text = opened(pages(placed(*rows)), engine="columns").text
    assert text.split("\n") == [words.strip() for _, _, words in rows]


def test_d05_a_page_of_columns_that_would_lose_a_sign_is_read_as_it_stands():
    class Page:
        """Two columns of three lines, of whose parts one lacks a letter."""

        def count_rects(self):
            return 6

        def get_rect(self, number):
            left, bottom = 100 * (number % 2), 50 - 12 * (number // 2)
            return left, bottom, left + 80, bottom + 10

        def get_text_bounded(self, *part):
            return "left" if part else "left right"

    assert by_columns(Page()) == ("left right", 1)


def test_d05_reading_by_columns_changes_nothing_where_it_need_not(shared_data):
    """Files of one column, and two papers whose files draw one column after the other already."""
    for name in ["multicolumn.pdf", "tracemonkey_a11y.pdf", "dmca_us_gov.pdf", "crazyones.pdf", "geobase_tables.pdf"]:
        plain, columns = (opened(file(shared_data, name), engine=engine) for engine in ("pdfium", "columns"))
        assert columns.text.split() == plain.text.split(), name
        count = {"multicolumn.pdf": 2, "tracemonkey_a11y.pdf": 1}.get(name, 0)
        assert f"Columns: {count} of" in columns.notes[-1]


def test_d06_headers_and_footers_go_if_wished_and_are_told(shared_data):
    """Case pdf-14."""
    data = file(shared_data, "pdf_header_footer.pdf")
    document = opened(data, furniture=True)
    assert document.text == "\n\n".join(f"Body text of page {number} goes on" for number in (1, 2, 3))
    assert [document.page_of(document.text.index(f"page {number}")) for number in (1, 2, 3)] == [1, 2, 3]
    assert document.notes == ("Headers and footers: 6 lines removed from 3 of 3 pages: “ACME Manual”, “Page … of …”.",)
    assert "ACME Manual" in opened(data).text
    law = "dmca_us_gov.pdf"  # 18 pages with both on each but the first, and a date with a page number on the last
    kept, left = (opened(file(shared_data, law), furniture=on).text for on in (False, True))
    for line, first in (("The Digital Millennium Copyright Act of 1998", 0), ("Copyright Office Summary December", 3)):
        assert (kept.count(line) > 16, left.count(line)) == (True, first)


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (["H\na\n1", "H\nb\n2", "H\nc\n3"], ["a", "b", "c"]),
        (["H\na", "H\nb"], ["H\na", "H\nb"]),  # two pages prove nothing
        (["H\na", "H\nb", "H\nc", "", ""], ["a", "b", "c", "", ""]),
        (["a", "H\nb", "H\nc", "H\nd"], ["a", "b", "c", "d"]),
        (["a\nH", "b\nx", "c\nH", "d\ny", "e\nH"], ["a", "b\nx", "c", "d\ny", "e"]),  # on the right-hand pages
        (["H\na", "H\nb", "H\nc", *"xyzwvu"],) * 2,  # fewer than half of the pages
        (["x 1\nT 4\na", "y 2\nT 4\nb", "z 3\nT 4\nc"], ["x 1\nT 4\na", "y 2\nT 4\nb", "z 3\nT 4\nc"]),  # inside
        (["See 7 of them\na", "See 3 of them\nb", "See 9 of them\nc"],) * 2,  # counts no pages
        ([f"It is page {number} of many words\n{letter}" for number, letter in enumerate("abc")],) * 2,
        (["12 | Book\n\na", "13 | Book\nb", "14 | Book\n c"], ["a", "b", " c"]),
        (["H\n1", "H\n2", "H\n3"], ["", "", ""]),
    ],
)  # fmt: skip
def test_d06_what_repeats_at_the_edges_is_furniture_and_nothing_else(texts, left):
    made = Pages(texts=list(texts))
    without_furniture(made)
    assert made.texts == left
    gone = sum(len(text.split("\n")) for text in texts) - sum(len(text.split("\n")) for text in left)
    assert ("none found" in made.told[0]) == (texts == left)
    assert gone >= 0


def test_d06_words_parted_at_line_ends_are_put_together_if_wished(shared_data):
    """Case pdf-01."""
    data = file(shared_data, "pdf_hyphen.pdf")
    document = opened(data, hyphens=True)
    assert document.text == "The pump housing is manufactured\nby a well-known\nsupplier."
    assert document.notes == ("Hyphens: 2 words parted at a line end put together, 1 of them with the hyphen kept.",)
    assert "manufac-\ntured" in opened(data).text
    assert opened(data, engine="pdfium").text == opened(data).text


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("an exam-\nple, here", "an example,\nhere"),
        ("an exam-\nple", "an example"),
        ("a pre-\nset. The pre-set", "a pre-set.\nThe pre-set"),
        ("a pre-\nset. The preset", "a preset.\nThe preset"),
        ("well-\nbeing of all", "well-being\nof all"),
        ("well-\nbeing. Wellbeing", "wellbeing.\nWellbeing"),
        ("Anglo-\nSaxon", "Anglo-Saxon"),
        ("UNI-\nCODE", "UNICODE"),
        ("two- \nand three-fold", "two- \nand three-fold"),
        ("Haupt-\nsache ist", "Hauptsache\nist"),
        ("soft\u00ad\nhyphen", "softhyphen"),
        ("state-of-the-\nart pump", "state-of-the-art\npump"),
        ("1990-\n1995 and x-\n3", "1990-\n1995 and x-\n3"),
        ("- item\n- item\na -\nb", "- item\n- item\na -\nb"),
        ("one-\n\ntwo", "one-\n\ntwo"),
    ],
)
def test_d06_which_hyphens_belong_to_the_word(text, joined):
    made = Pages(texts=[text])
    hyphens_joined(made)
    assert made.texts == [joined]


def test_d06_ligatures_are_spelled_out_if_wished(shared_data):
    """Case pdf-02; every Latin ligature of Unicode, by its compatibility decomposition."""
    assert opened(file(shared_data, "pdf_ligatures.pdf"), ligatures=True).text == "final flow scaffly"
    document = opened(file(shared_data, "copy_paste_ligatures.pdf"), ligatures=True)
    assert document.text == "abcdeffffiflffifflststghijklmno"
    assert document.notes == ("Ligatures: 7 spelled out.",)


def outlined(*titles):
    """A PDF of two pages with an outline: titles with the page, from 0, that they lead to."""
    first = 8
    items = b"".join(b"" for _ in titles)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/Outlines 8 0 R>>",
        b"<</Type/Pages/Count 2/Kids[4 0 R 6 0 R]/MediaBox[0 0 300 300]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>",
        stream(placed((20, 250, "Chapter One"), (20, 230, "words"), (20, 210, "1.1 Part"), (20, 190, "more"))),
        b"<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents 7 0 R>>",
        stream(placed((20, 250, "A title that is"), (20, 235, "too long"), (20, 210, "end"))),
        b"<</First 9 0 R/Last %d 0 R/Count %d>>" % (first + len(titles), len(titles)),
    ]
    for number, (title, page) in enumerate(titles, first + 1):
        following = b"/Next %d 0 R" % (number + 1) if number < first + len(titles) else b""
        entry = b"<</Title(%b)/Parent 8 0 R%b/Dest[%d 0 R/Fit]>>" % (title.encode(), following, 4 + 2 * page)
        objects.append(entry + items)
    return pdf(*objects)


@pytest.mark.parametrize("engine", ENGINES)
def test_d05_the_outline_becomes_headings_if_wished(shared_data, engine):
    data = outlined(("chapter  one", 0), ("Part", 0), ("A title that is too long", 1), ("Nowhere", 1))
    document = opened(data, engine=engine, outline=True)
    lines = "# Chapter One\nwords\n# 1.1 Part\nmore\n\n# A title that is too long\nend"
    assert document.text == lines
    assert document.notes[-1] == "Outline: 3 of its 4 titles found and made headings."
    assert document.page_starts == (0, lines.index("# A title"))
    basic = opened(file(shared_data, "basicapi.pdf"), engine=engine, outline=True).text
    assert [line for line in basic.split("\n") if line.startswith("#")] == ["# Chapter 1", "## Paragraph 1.1"]
    assert opened(file(shared_data, "crazyones.pdf"), engine=engine, outline=True).notes[-1] == (
        "Outline: the file has none, so there are no headings."
    )


def test_d05_a_title_is_the_line_after_the_title_before_it():
    """As where a page lists its titles before they come."""
    made = Pages(texts=["Contents\nAlpha\nBeta\nStart\nAlpha\nx\nBeta\ny"])
    made.outline = [Entry(1, "Start", 0), Entry(2, "Alpha", 0), Entry(9, "Beta", 0), Entry(1, "Alpha", 7)]
    headings_from_outline(made)
    assert made.texts == ["Contents\nAlpha\nBeta\n# Start\n## Alpha\nx\n###### Beta\ny"]
    assert made.told == ["Outline: 3 of its 4 titles found and made headings."]
