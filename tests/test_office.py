"""D12: Word, PowerPoint, Excel, EPUB and CSV files become Markdown; hostile ones end in one sentence.

The files are written by other libraries than those that read them, or by hand (``office_files.py``).
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import pytest
from markdown_it import MarkdownIt

from ragchunk_core import Document, chunk
from ragchunk_core.documents import Limits, ReadError, ReadOptions, read
from ragchunk_core.documents.isolated import read_isolated
from ragchunk_core.documents.reading_options import TableOptions
from tests.office_files import (
    OFFICE_FILES,
    RELS,
    archive,
    book,
    build_sheets,
    build_word,
    deck,
    members_of,
    shape,
    sheets,
    table,
    word,
)


def rows_of(markdown):
    """The tables of a Markdown text, as markdown-it reads them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    rows = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open"):
            rows[-1].append(tokens[at + 1].content)
    return rows


def test_d12_word_headings_lists_and_tables_survive():
    document = read(word(build_word), "manual.docx")
    assert document.kind == "docx"
    blocks = document.text.split("\n\n")
    assert blocks[:3] == ["# Pump manual", "# Maintenance", "Check the seals every week & note it."]
    assert blocks[3] == "## Steps"
    assert re.findall(r"(?m)^- (.*)", document.text) == ["Loosen the bolts.", "Lift the cover."]
    assert re.findall(r"(?m)^\d\. (.*)", document.text) == ["First", "Second"]
    assert rows_of(document.text) == [["Part", "Months"], ["Seal", "6"]]
    assert blocks[-1] == "The end – größer als 3 < 4."
    assert "base64" not in document.text
    paths = [piece.path for piece in chunk(document, "markdown", size=1000)]
    assert ("Maintenance", "Steps") in paths


def test_d12_a_footnote_stands_at_the_end_with_its_number():
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    members = members_of(word(lambda document: document.add_paragraph("Body")))
    reference = '</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> goes on.</w:t></w:r>'
    members["word/document.xml"] = members["word/document.xml"].decode().replace("</w:t></w:r>", reference, 1)
    members["word/footnotes.xml"] = (
        f'<w:footnotes {space}><w:footnote w:id="2"><w:p><w:r><w:t>The note.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    )
    relation = f'<Relationship Id="f1" Type="{RELS}/footnotes" Target="footnotes.xml"/></Relationships>'
    rels = "word/_rels/document.xml.rels"
    members[rels] = members[rels].decode().replace("</Relationships>", relation)
    assert read(archive(members), "a.docx").text == "Body[1] goes on.\n\n1. The note."


def test_d12_slides_are_pages_with_title_lists_tables_and_notes():
    first = shape(2, [(0, "Pump &amp; seal")], "title") + shape(3, [(0, "One"), (1, "Two"), (0, "Three")], "body")
    second = table(2, [["Part", "Months"], ["Seal", "6"]]) + shape(3, [(0, "A text"), (0, "box")])
    head = '<p:nvGrpSpPr><p:cNvPr id="8" name="g"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    group = f"<p:grpSp>{head}{{}}</p:grpSp>"
    document = read(
        deck([first, second, "", group.format(group.format(shape(9, [(0, "Deep")])))], "Say hello."), "a.pptx"
    )
    assert document.kind == "pptx"
    assert document.text == (
        "# Pump & seal\n\n- One\n  - Two\n- Three\n\nNotes: Say hello.\n\n"
        "| Part | Months |\n| --- | --- |\n| Seal | 6 |\n\nA text\nbox\n\n\n\nDeep"
    )
    pages = [document.page_of(document.text.index(words)) for words in ("Pump", "Notes", "Part", "box", "Deep")]
    assert pages == [1, 1, 2, 2, 4]
    assert document.notes == ("1 of 4 slides has no text.",)


def test_d12_sheets_become_tables_with_their_values():
    document = read(sheets(build_sheets), "a.xlsx")
    assert (document.kind, document.notes) == ("xlsx", ("1 hidden sheet left out.",))
    first, last = document.text.split("\n\n# ")
    assert first.startswith("# Parts 2024\n\n|")
    assert rows_of(first) == [
        ["Part", "Months", "Since", "Price", "Used"],
        ["Seal ring", "6", "2024-02-29", "12.5", "TRUE"],
        ["", "12", "", "", ""],
    ]
    assert last.startswith("Last\n\n")
    assert rows_of(last) == [["x", "1e+20"]]


XHTML = '<?xml version="1.0" encoding="{0}"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'


def test_d12_a_book_is_its_chapters_in_reading_order():
    one = (
        XHTML.format("utf-8")
        + '<body><h1>One</h1><p>Größe<a id="x"/> &amp; <i/>more</p><script src="x.js"/></body></html>'
    )
    two = XHTML.format("iso-8859-1") + "<body><h2>Two é</h2><ul><li>a</li><li>b</li></ul></body></html>"
    chapters = {"z one.xhtml": one, "a/two.xhtml": two.encode("latin-1"), "gone.xhtml": None, "bad.xhtml": b"\0\1"}
    document = read(book(chapters), "a.epub")
    assert document.kind == "epub"
    assert document.text == "# One\n\nGröße & more\n\n## Two é\n\n- a\n- b"
    assert document.notes == ("1 chapter that the book lists is not in it.", "1 chapter could not be read.")


def test_d12_a_protected_book_says_so():
    chapters = {"one.xhtml": "<p>secret</p>"}
    font = (
        '<encryption><EncryptedData><CipherData><CipherReference URI="{}"/></CipherData></EncryptedData></encryption>'
    )
    fonts = book(chapters, more={"META-INF/encryption.xml": font.format("OEBPS/font.otf")})
    assert read(fonts, "a.epub").text == "secret"
    locked = book(chapters, more={"META-INF/encryption.xml": font.format("OEBPS/one.xhtml")})
    with pytest.raises(ReadError, match=r"^'a\.epub' is protected against copying \(DRM\); "):
        read(locked, "a.epub")


@pytest.mark.parametrize(("delimiter", "name"), [(",", "a.csv"), (";", "a.csv"), ("\t", "a.csv"), ("\t", "a.tsv")])
def test_d12_values_are_kept_exactly_or_made_a_table_if_wished(delimiter, name):
    out = io.StringIO(newline="")
    rows = [["id", "name", "note"], ["1", "Doe, J.", 'says "hi"'], ["2", "Müller; jr", "two\nlines"], ["3"]]
    csv.writer(out, delimiter=delimiter).writerows(rows)
    data = out.getvalue().encode("cp1252")
    kept = read(data, name)
    assert (kept.text, kept.kind, kept.encoding) == (out.getvalue(), "csv", "windows-1252")
    document = read(data, name, options=ReadOptions(table=TableOptions(markdown=True)))
    flat = [[" ".join(cell.split()) for cell in row] for row in rows]
    assert rows_of(document.text) == [*flat[:3], ["3", "", ""]]
    assert "made a Markdown table." in document.notes[-1]
    assert read_isolated(data, name, options=ReadOptions(table=TableOptions(markdown=True))) == document


def test_d12_values_are_parted_by_what_gives_each_line_as_many():
    table = ReadOptions(table=TableOptions(markdown=True))
    for text, rows in [
        ("name,note\nx,a|b\ny,c|d\n", [["name", "note"], ["x", "a|b"], ["y", "c|d"]]),
        ("a;b\n1,5;2,5\n3,5;4\n", [["a", "b"], ["1,5", "2,5"], ["3,5", "4"]]),
    ]:
        lines = read(text.encode(), "a.csv", options=table).text.split("\n")
        assert lines[:1] + lines[2:] == [f"| {' | '.join(row)} |" for row in rows]


def test_d12_a_field_without_an_end_is_told():
    data = b'a,b\n1,"' + b"x" * 200_000
    assert read(data, "a.csv").text == data.decode()
    with pytest.raises(ReadError, match=r"^'a\.csv' is no table of values \(field larger .*\); "):
        read(data, "a.csv", options=ReadOptions(table=TableOptions(markdown=True)))


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.py", "a.rs", "a.xml", "a.log"])
def test_d11_records_and_code_are_kept_exactly(name):
    text = json.dumps({"a": [1, 2]}, indent=1) + "\r\n\tx = 1  \n\n"
    document = read(text.encode(), name)
    assert document.text == text
    assert document.kind == {"json": "json", "jsonl": "json", "log": "text"}.get(name.split(".")[1], "code")


PARTS = {
    "docx": "word/document.xml",
    "pptx": "ppt/slides/slide1.xml",
    "xlsx": "xl/worksheets/sheet1.xml",
    "epub": "OEBPS/content.opf",
}
LEVELS = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
BOMB = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{LEVELS}]>'


def changed(kind, part=None, content=None, **more):
    members = members_of(OFFICE_FILES[kind]())
    if part is not None:
        members[part] = content(members[part]) if callable(content) else content
    return archive(members | more)


def refusal(data, kind, limits=None):
    with pytest.raises(ReadError) as refused:
        read(data, f"a.{kind}", limits=limits)
    sentence = str(refused.value)
    assert sentence.startswith(f"'a.{kind}' ")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("kind", OFFICE_FILES)
def test_d12_hostile_archives_are_refused_in_one_sentence(kind):
    part = PARTS[kind]
    assert read(OFFICE_FILES[kind](), f"a.{kind}").text
    for path in ("../../etc/passwd", "/etc/passwd", "C:\\x", "a/..\\..\\x"):
        assert "a path that leads out of it" in refusal(changed(kind, **{path: b"x"}), kind)
    few = Limits(unpacked=2_000_000)
    assert re.search(
        r"unpacks to \d+ MB .*; at most 2 MB", refusal(changed(kind, **{"x.bin": bytes(10**7)}), kind, few)
    )
    assert "files; at most 3 are allowed" in refusal(OFFICE_FILES[kind](), kind, Limits(members=3))
    for encoding in ("utf-8", "utf-16"):
        entities = (f"{BOMB}<x>&j;</x>").encode(encoding)
        assert "declares XML entities" in refusal(changed(kind, part, entities), kind)
    assert "nested more than 250 deep" in refusal(changed(kind, part, b"<a>" * 300 + b"</a>" * 300), kind)
    assert "is broken" in refusal(changed(kind, part, lambda old: old[: len(old) // 2]), kind)
    whole = OFFICE_FILES[kind]()
    assert "is broken" in refusal(whole[: len(whole) // 2], kind)
    assert "is broken" in refusal(archive({"x.txt": b"no office file"}), kind)


def test_d12_an_encrypted_archive_says_so():
    data = bytearray(archive({"word/document.xml": b"<a/>"}, zipfile.ZIP_STORED))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "is an encrypted archive" in refusal(bytes(data), "docx")


def test_d12_a_sheet_that_reaches_to_the_ends_of_the_earth_is_refused():
    far = sheets(lambda workbook: workbook.add_worksheet().write(1_048_575, 16_383, "x"))
    assert "a sheet of more than 2,000,000 cells" in refusal(far, "xlsx")


@pytest.mark.parametrize("kind", OFFICE_FILES)
def test_d12_files_without_words_are_refused(kind):
    empty = {
        "docx": lambda: word(lambda document: None),
        "pptx": lambda: deck([""]),
        "xlsx": lambda: sheets(lambda workbook: workbook.add_worksheet()),
        "epub": lambda: book({"one.xhtml": "<p> </p>"}),
    }
    assert "has no text; " in refusal(empty[kind](), kind)
    assert "unfolds to more than 3 characters; no more are allowed." in refusal(
        OFFICE_FILES[kind](), kind, Limits(text=3)
    )


def test_d12_a_word_file_may_be_called_otherwise_and_says_so():
    data = word(build_word)
    with pytest.raises(ReadError, match="a ZIP archive"):
        read(data, "a.txt")
    document = read_isolated(data, "a.docx")
    assert document == read(data, "a.docx")
    assert Document.from_bytes(data, "a.docx") == document
