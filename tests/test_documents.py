"""D03, D10, D11: bytes become documents exactly, with a clear sentence where they cannot."""

from __future__ import annotations

import builtins
import codecs
import hashlib
import json
import random
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document
from ragchunk_core.documents import (
    ACCEPTED,
    KINDS,
    Limits,
    ReadError,
    ReadOptions,
    advised_chunker,
    read,
    shown_name,
)
from ragchunk_core.documents.reading_options import HtmlOptions, PdfOptions
from tests.office_files import OFFICE_FILES

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n\r"), min_size=1)


def case(shared_data, name):
    with (shared_data / "cases.jsonl").open(encoding="utf-8") as lines:
        return next(found for line in lines if (found := json.loads(line))["id"] == name)


@pytest.mark.parametrize(("ending", "kind"), [(".txt", "text"), (".md", "markdown"), (".markdown", "markdown")])
@given(text=TEXTS.filter(lambda text: not text.startswith("\ufeff")))
def test_d03_utf8_text_is_kept_exactly(ending, kind, text):
    document = read(text.encode("utf-8"), f"a{ending}")
    assert (document.text, document.kind, document.notes) == (text, kind, ())


def test_d03_line_ends_and_white_space_stay():
    text = "  a\r\nb\rc\n\n \t d \x0c\u2028\u00a0\u200b \r\n"
    assert read(text.encode(), "a.txt").text == text


@pytest.mark.parametrize(
    ("codec", "mark"),
    [
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
@given(text=TEXTS)
def test_d03_a_byte_order_mark_tells_the_encoding_and_is_no_part_of_the_text(codec, mark, text):
    document = read(mark + text.encode(codec), "a.txt")
    assert document.text == text
    assert bool(document.notes) == (codec != "utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_d03_utf16_without_a_mark_is_recognised(codec):
    text = "Größe: 3 × 4 m.\r\nThe rest is plain English.\r\n"
    document = read(text.encode(codec), "a.txt")
    assert document.text == text
    assert "UTF-16" in document.notes[0]


def test_d03_windows_1252_text_is_read_and_said(shared_data):
    """Case txt-01."""
    found = case(shared_data, "txt-01")
    escaped = found["input"].removesuffix(" (bytes)")
    document = read(escaped.encode().decode("unicode_escape").encode("latin-1"), "a.txt")
    assert document.text == found["right"]["text"]
    assert "windows-1252" in document.notes[0]


def test_d03_utf16_markdown_of_notepad_is_read(shared_data):
    """Case txt-02."""
    right = case(shared_data, "txt-02")["right"]["text"]
    document = read(codecs.BOM_UTF16_LE + right.encode("utf-16-le"), "a.md")
    assert (document.text, document.kind) == (right, "markdown")


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"", "a.txt", r"^'a\.txt' is empty \(0 bytes\); .* needed\.$"),
        (codecs.BOM_UTF8, "a.md", r"^'a\.md' holds only a byte-order mark; .* needed\.$"),
        (b"text", "a.doc", r"^'a\.doc' has the ending '\.doc'; allowed are \.txt, .* files and source code\.$"),
        (b"text", "a.docx", r"^'a\.docx' is broken or no Word file \(\.docx\); "),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.docx", r"is an old or encrypted Word, Excel or PowerPoint file"),
        (b"text", "notes", r"^'notes' has no ending that tells its kind; allowed are \.txt"),
        (
            b"PK\x03\x04rest",
            "a.txt",
            r"^'a\.txt' is a ZIP archive \(Word, .*\) and cannot be read; allowed are",
        ),
        (PNG, "a.html", r"^'a\.html' is an image and cannot be read; allowed are"),
        (b"a\0b", "a.txt", r"^'a\.txt' holds binary data, not text; "),
        (bytes(range(1, 32)) * 9, "a.md", r"^'a\.md' holds binary data, not text; "),
    ],
)
def test_d03_what_cannot_be_read_is_refused_in_one_sentence(data, name, sentence):
    with pytest.raises(ReadError, match=sentence) as refused:
        read(data, name)
    assert isinstance(refused.value, ValueError)
    assert str(refused.value).endswith(".")


def test_d03_random_bytes_are_a_document_or_a_clear_refusal():
    source = random.Random(4)
    for length in [1, 2, 3, 10, 100, 1000, 10_000]:
        for ending in ACCEPTED:
            try:
                document = read(source.randbytes(length), f"a{ending}")
            except ReadError as refused:
                assert str(refused).startswith(f"'a{ending}' ")  # noqa: PT017
            else:
                assert length < 1000
                document.text.encode("utf-8")


def test_d03_a_file_past_the_limit_is_refused():
    small = Limits(bytes=1_000_000)
    assert read(b"a" * 1_000_000, "a.txt", limits=small).text == "a" * 1_000_000
    with pytest.raises(ReadError, match=r"^'a\.txt' has 1\.5 MB; files of at most 1 MB are allowed\.$"):
        read(b"a" * 1_500_000, "a.txt", limits=small)
    assert Limits().bytes == 50_000_000


def test_d03_a_file_is_read_as_what_it_plainly_is(shared_data):
    pdf = (shared_data / "pdf" / "crazyones.pdf").read_bytes()
    named, misnamed = read(pdf, "a.pdf"), read(pdf, "a.txt")
    assert (misnamed.kind, misnamed.text, misnamed.page_starts) == ("pdf", named.text, (0,))
    assert "PDF" in misnamed.notes[0]
    assert named.notes == ()
    page = read(b"<!DOCTYPE html><title>Log in</title><p>Please log in.", "report.pdf")
    assert (page.kind, page.text) == ("html", "Please log in.")
    assert ".pdf" in page.notes[0]
    assert "HTML" in page.notes[0]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\me\\a.txt", "a.txt"),
        ("a\n\x00b\x1b[31m.txt", "ab[31m.txt"),
        ("gnp.\u202etxt", "gnp.txt"),
        ("\ud800a.txt", "a.txt"),
        ("Übersicht 2.TXT", "Übersicht 2.TXT"),
        ("///", "unnamed"),
    ],
)
def test_d03_a_name_is_a_label_without_paths_and_unseen_characters(name, shown):
    assert shown_name(name) == shown
    if shown != "unnamed":
        assert read(b"x", name).name == shown


def test_d03_documents_are_made_from_bytes_and_from_paths(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"# A\r\n")
    assert Document.from_path(str(path)) == Document.from_bytes(b"# A\r\n", "a.md")
    assert Document.from_path(str(path)).name == "a.md"


def test_d03_every_kind_has_a_label_and_a_reader():
    wanted = ".txt .md .markdown .html .htm .pdf .docx .pptx .xlsx .epub .csv .tsv .json .jsonl .py .java .go .rs .c"
    assert set(wanted.split()) <= set(ACCEPTED)
    for ending, reader in KINDS.items():
        assert ending == ending.lower()
        assert reader.label
        assert reader.kind.isalpha()


@pytest.mark.parametrize(
    ("name", "text", "chunker"),
    [
        ("a.py", "words", "code"),
        ("a.csv", "words", "records"),
        ("a.txt", '{"a": [1, 2]}', "records"),
        ("a.txt", "a,b,c\n1,2,3\n4,5,6\n", "records"),
        ("a.txt", "import os\n\ndef f(x):\n    return os.path(x)\n", "code"),
        ("a.md", "# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "structure"),
        ("a.md", "# A\n\n```\nx\n```\n", "structure"),
        ("a.md", "# A\n\nWords - and more.\n", None),
        ("a.txt", "<html><p>x</p></html>", None),
    ],
)
def test_d11_the_chunker_made_for_a_document_is_named(name, text, chunker):
    """D11: by the ending where it tells, else by the look."""
    assert advised_chunker(read(text.encode(), name)) == chunker


def test_d10_reading_opens_no_file_and_no_connection(shared_data, monkeypatch):
    pdf = (shared_data / "pdf" / "crazyones.pdf").read_bytes()
    page = b'<link rel=stylesheet href="http://localhost/x.css"><img src="file:///etc/passwd">text'
    files = [(pdf, "a.pdf"), (page, "/etc/hostname.html"), (b"caf\xe9", "/etc/hostname.txt")]
    files += [(make(), f"/etc/hostname.{kind}") for kind, make in OFFICE_FILES.items()]
    pdfium = ReadOptions(pdf=PdfOptions("columns", True, True, True, True), html=HtmlOptions(True))
    for data, name in files:
        read(data, name)  # so that all modules are loaded
        read(data, name, options=pdfium)

    def forbidden(*_, **__):
        raise AssertionError("a document is only bytes")

    monkeypatch.setattr(builtins, "open", forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    for data, name in files:
        assert read(data, name).text
        assert read(data, name, options=pdfium).text


@pytest.mark.parametrize("text", ["", "a", "Größe 😀\n" * 60_000, "x" * 100_000, "x" * 99_999 + "é" * 2])
def test_d03_the_content_hash_is_that_of_all_bytes_of_the_text(text):
    assert Document.from_text(text).id == hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


@pytest.mark.parametrize("place", [0, 99_999, 100_000, 250_001])
def test_d03_half_a_character_is_refused_with_its_place(place):
    with pytest.raises(ValueError, match=rf"lone surrogate \(half a character\) at position {place};"):
        Document.from_text("é" * place + "\ud83d" + "x" * 10)
