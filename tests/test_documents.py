"""D03, D10, D11: bytes become documents exactly, with a clear sentence where they cannot."""

from __future__ import annotations

import builtins
import codecs
import json
import random
import socket
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document
from ragchunk_core.documents import ACCEPTED, KINDS, ReadError, advice, advised_chunker, limits, read, shown_name

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\t\n\r"), min_size=1)
# Encodings of ordinary files; a passage is read right when it is what Python's own codec encoded.
LEGACY = {
    "de": ["cp1252"],
    "ru": ["cp1251", "koi8_r", "iso8859_5", "cp866"],
    "ar": ["cp1256", "iso8859_6"],
    "th": ["cp874"],
    "zh": ["gbk", "big5", "gb18030"],
}


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


@pytest.mark.parametrize(("language", "codec"), [(lang, codec) for lang in LEGACY for codec in LEGACY[lang]])
def test_d03_encodings_that_no_file_names_are_mostly_guessed_right(shared_data, language, codec):
    data = json.loads((shared_data / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    passages = [paragraph["context"] for article in data for paragraph in article["paragraphs"]][:60]
    texts = [passage.encode(codec, "ignore").decode(codec) for passage in passages]
    texts = [text for text in texts if not text.isascii()]
    right = sum(read(text.encode(codec), "a.txt").text == text for text in texts)
    assert right >= 0.9 * len(texts) > 20


def test_d03_a_text_that_talks_of_a_charset_is_not_read_in_it():
    text = 'Schreib <meta charset="utf-8"> in jede Seite, die Umlaute enthält: für größere Klarheit.'
    assert read(text.encode("cp1252"), "a.txt").text == text


def test_d03_one_broken_byte_does_not_turn_utf8_into_mojibake():
    document = read("Größe, Länge, Höhe und Gewicht: überall. ".encode() * 3 + b"\xff", "a.txt")
    assert document.text == "Größe, Länge, Höhe und Gewicht: überall. " * 3 + "\ufffd"
    assert document.notes == ("1 place could not be decoded and became \ufffd.",)


def test_d03_a_replacement_character_of_the_file_itself_is_not_counted_as_lost():
    assert read("Größe \ufffd".encode(), "a.txt").notes == ()
    assert read(codecs.BOM_UTF16_LE + "a\ufffdb".encode("utf-16-le"), "a.txt").notes == (
        "Read as UTF-16LE, by its byte-order mark.",
    )


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"", "a.txt", r"^'a\.txt' is empty \(0 bytes\); .* needed\.$"),
        (codecs.BOM_UTF8, "a.md", r"^'a\.md' holds only a byte-order mark; .* needed\.$"),
        (b"text", "a.docx", r"^'a\.docx' has the ending '\.docx'; allowed are \.txt, .* and \.pdf files, data .*\.$"),
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


def test_d03_a_file_past_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr("ragchunk_core.documents.MAX_BYTES", 1_000_000)
    assert read(b"a" * 1_000_000, "a.txt").text == "a" * 1_000_000
    with pytest.raises(ReadError, match=r"^'a\.txt' has 1\.5 MB; files of at most 1 MB are allowed\.$"):
        read(b"a" * 1_500_000, "a.txt")
    assert limits.MAX_BYTES == 50_000_000


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
    records, code = {".json", ".jsonl", ".csv", ".tsv"}, {".py", ".js", ".ts", ".java", ".go", ".rs", ".c", ".cpp"}
    assert set(ACCEPTED) >= {".txt", ".md", ".markdown", ".html", ".htm", ".pdf", *records, *code}
    for ending, reader in KINDS.items():
        assert ending == ending.lower()
        assert reader.label
        assert reader.kind in {"text", "markdown", "html", "pdf"}


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
    for data, name in files:
        read(data, name)  # so that all modules are loaded

    def forbidden(*_, **__):
        raise AssertionError("a document is only bytes")

    monkeypatch.setattr(builtins, "open", forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    for data, name in files:
        assert read(data, name).text


JSON = json.dumps([{"id": number, "name": "x"} for number in range(50)], indent=2)
LONG_JSON = json.dumps([{"id": number, "text": "x" * 300} for number in range(2_000)])
JSON_LINES = "\n".join(json.dumps({"id": number}) for number in range(20_000))
CSV = "id,name,city\n" + "\n".join(f'{number},"Doe, J.",Chur' for number in range(30))
PYTHON = '''import os
from re import match

def f(a, b):
    """Words."""
    if a > b:
        return [a, b]
    return os.path.join(a, b)

class C:
    def g(self):
        self.x = match("a", "b")
'''
C = """#include <stdio.h>

int main(void) {
    int i = 0;  /* a comment, which is no code; nor does it end the line */
    for (;;) {
        i++;
    }
    return i;
}
"""
PROSE = "A list, of three, things. It has: colons;\nand goes on (as text does).\n\nIs that code? No.\n"
NOTES = ["[1] Smith, J. (2019). A book.\n[2] Doe, A. (2020). Another.\n", "[see](there)", "{}", ""]
HOSTILE = ["/* " * 40_000, "\n" * 100_000, "return " + "a" * 99_000 + "!", "[" * 100_000, '"""' * 33_000]
MARKDOWN = f"# How to\n\nRun this, and wait for it.\n\n```python\n{PYTHON}```\n\nThen read what it printed.\n"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (JSON, "JSON"),
        (JSON_LINES, "JSON"),
        (LONG_JSON, "JSON"),
        (CSV, "CSV"),
        (CSV.replace(",", ";"), "CSV"),
        ("a\tb\n1\t2\n3\t4\n", "CSV"),
        (PYTHON, "source code"),
        (C, "source code"),
        ("<?xml version='1.0'?><a>b</a>", "XML"),
    ],
)
def test_d11_records_and_code_are_advised_against(text, word):
    sentence = advice(Document.from_text(text))
    assert sentence is not None
    assert word in sentence
    assert sentence.endswith(".")


@pytest.mark.parametrize("text", [PROSE, MARKDOWN, *NOTES])
def test_d11_prose_and_markdown_get_no_advice(text):
    assert advice(Document.from_text(text)) is None


@pytest.mark.parametrize("text", HOSTILE, ids=["comments", "lines", "return", "brackets", "quotes"])
def test_d11_no_text_takes_long_to_be_advised_on(text):
    start = time.process_time()
    advice(Document.from_text(text))
    assert time.process_time() - start < 2


def test_d11_no_real_text_is_taken_for_records_or_code(shared_data):
    paths = [*(shared_data / "chroma").rglob("*.md"), *(shared_data / "sotu").rglob("*.txt")]
    paths += [*(shared_data / "unicode_text").glob("*.txt")]
    paths = [path for path in paths if "README" not in path.name and "LICENSE" not in path.name]
    advised = {path.name: advice(read(path.read_bytes(), path.name)) for path in paths}
    assert len(advised) > 8
    assert {name: sentence for name, sentence in advised.items() if sentence} == {}


def test_d11_most_python_modules_are_known_as_code():
    sources = sorted(Path(json.__file__).parent.parent.glob("[a-m]*.py"))
    known = [path for path in sources if "code" in (advice(read(path.read_bytes(), "a.txt")) or "")]
    assert len(known) >= 0.9 * len(sources) > 50
