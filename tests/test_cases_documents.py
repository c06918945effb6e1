"""Reported faults of other readers of text, HTML and PDF, by id: what each input must give.

The inputs stand in ``cases.jsonl`` with the reports they come from. The kinds of fault behind them are tested in
``test_documents.py``, ``test_html.py``, ``test_pdf.py`` and ``test_pdf_options.py``; line endings in
``test_cases_cutting.py``, for they are a matter of offsets.
"""

from __future__ import annotations

import codecs
import json
import unicodedata

import pytest

from ragchunk_core import Document, chunk
from ragchunk_core.documents import PasswordError, ReadError, ReadOptions, read
from ragchunk_core.documents.isolated import read_isolated
from ragchunk_core.documents.many import read_many
from ragchunk_core.documents.reading_options import PdfOptions
from ragchunk_core.headings import commonmark_headings

OURS = ("text loading", "html", "pdf")


def page(case):
    """The text of a reported HTML page; bytes are written with escapes."""
    given = case["input"]
    if case["settings"].get("bytes"):
        given = given.removesuffix(" (bytes)").encode().decode("unicode_escape").encode("latin-1")
    return read(given if isinstance(given, bytes) else given.encode(), "a.html").text


def opened(case, shared_data, **options):
    data = (shared_data / case["input_file"]).read_bytes()
    return read(data, "a.pdf", options=ReadOptions(pdf=PdfOptions(**options)))


def txt_01(case, _):
    """The encoding that was used is told."""
    data = case["input"].removesuffix(" (bytes)").encode().decode("unicode_escape").encode("latin-1")
    document = read(data, "a.txt")
    assert (document.text, document.encoding) == (case["right"]["text"], "windows-1252")


def txt_02(case, _):
    right = case["right"]["text"]
    document = read(codecs.BOM_UTF16_LE + right.encode("utf-16-le"), "a.md")
    assert (document.text, document.encoding) == (right, "UTF-16LE")


def htm_01(case, _):
    assert page(case) == f"# A\n\n{case['right']['text']}"


def htm_02(case, _):
    made = chunk(Document.from_text(page(case), kind="markdown"), "markdown", size=1000)
    assert [list(piece.path) for piece in made] == case["right"]["paths"]


def htm_05(case, _):
    assert page(case) == f"# {case['right']['heading']}\n\nx"


def htm_06(case, _):
    text = page(case)
    assert [heading.title for heading in commonmark_headings(text)] == case["right"]["headings"]
    assert text.replace("#", " ").split() == " ".join(case["right"]["must_contain"]).split()


def htm_07(case, _):
    assert page(case) == f"# A\n\n```\n{case['right']['text_contains']}\n```"


def htm_09(case, _):
    assert page(case) == f"# A\n\n{case['right']['text']}"


def htm_10(case, _):
    """Nothing, and a page without text, have one sentence each, and no chunks."""
    for data in (case["input"].encode(), b"<p></p>"):
        with pytest.raises(ReadError, match=r"^'a\.html' .*\.$"):
            read(data, "a.html")


def htm_13(case, _):
    assert page(case) == case["right"]["text"]


def htm_14(case, _):
    assert page(case).split()[2:] == case["right"]["order"]


def pdf_01(case, shared_data):
    text = opened(case, shared_data, hyphens=True).text
    assert all(word in text for word in case["right"]["must_find"])
    made = chunk(Document.from_text(text), "fixed", size=10)
    assert all(piece.text == text[piece.start : piece.end] for piece in made)


def pdf_02(case, shared_data):
    """As the file has it; with letters if wished, as Unicode's own compatibility form has them."""
    right = case["right"]
    assert opened(case, shared_data).text == right["raw"]
    text = opened(case, shared_data, ligatures=True).text
    assert text == unicodedata.normalize("NFKC", right["raw"])
    assert text.split() == right["query_hits"]


def pdf_03(case, shared_data):
    assert opened(case, shared_data).text == case["right"]["text"]


def pdf_05(case, shared_data):
    assert opened(case, shared_data, engine="columns").text.split("\n") == case["right"]["order"]


def pdf_07(case, shared_data):
    """The other files are read all the same; the password is in no message and no note."""
    data = (shared_data / case["input_file"]).read_bytes()
    outcomes = list(read_many([("a.txt", b"a"), ("b.pdf", data), ("c.txt", b"c")], passwords={"b.pdf": "hunter2"}))
    assert [outcome.document is not None for outcome in outcomes] == [True, False, True]
    assert outcomes[1].needs_password
    assert "hunter2" not in repr(outcomes)
    with pytest.raises(PasswordError, match=r"^'b\.pdf' is encrypted and needs a password; "):
        read(data, "b.pdf")


def pdf_11(case, shared_data):
    with pytest.raises(ReadError, match=r"^'a\.pdf' has no pages; .*\.$"):
        opened(case, shared_data)


def pdf_14(case, shared_data):
    assert opened(case, shared_data).page_starts == (0, 53, 106)
    text = opened(case, shared_data, furniture=True).text
    assert text.split("\n\n") == [f"Body text of page {number} goes on" for number in (1, 2, 3)]


def pdf_15(case, shared_data):
    document = opened(case, shared_data)
    assert document.text == "visible\nignore previous hidden"
    assert document.notes == ("1 of 1 page holds invisible text (of a scan, or hidden); it is kept.",)


def pdf_16(case, shared_data):
    """Within the limits on time and memory of a process of its own."""
    with pytest.raises(ReadError, match=r"^'a\.pdf' .*\.$"):
        read_isolated((shared_data / case["input_file"]).read_bytes(), "a.pdf")


pdf_04 = pdf_06 = pdf_03

CASES = {
    name.replace("_", "-"): value for name, value in list(globals().items()) if name[:4] in ("txt_", "htm_", "pdf_")
}


@pytest.fixture(scope="module")
def reported(shared_data):
    lines = (shared_data / "cases.jsonl").read_text(encoding="utf-8").split("\n")
    cases = map(json.loads, filter(None, lines))
    return {case["id"]: case for case in cases if case["component"] in OURS}


@pytest.mark.parametrize("case", CASES)
def test_reported_fault(reported, shared_data, case):
    """Each report's own input gets the right answer."""
    CASES[case](reported[case], shared_data)


def test_every_reported_fault_of_these_components_is_a_test(reported):
    """No line is left out."""
    assert set(reported) == set(CASES)
