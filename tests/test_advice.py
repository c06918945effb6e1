"""D11: text that a text chunker is wrong for is known, and the chunker made for it is offered."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ragchunk_core import Document
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.documents import ReadOptions, advice, advised, read
from ragchunk_core.documents.reading_options import TableOptions

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


TABLE = "# Parts\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"


@pytest.mark.parametrize(
    ("text", "name", "word", "chunker"),
    [
        (JSON, "a.json", "JSON", "records"),
        (JSON, "a.txt", "JSON", "records"),
        ("{broken", "a.jsonl", "JSON", "records"),
        ("a,b\n1,2\n", "a.csv", "CSV", "records"),
        ("a\tb\n1\t2\n", "a.tsv", "CSV", "records"),
        (CSV, "a.txt", "CSV", "records"),
        ("x = 1\n", "a.py", "source code", "code"),
        (PYTHON, "a.txt", "source code", "code"),
        ("<?xml version='1.0'?><a>b</a>", "a.xml", "XML", None),
        (TABLE, "a.md", "tables", "structure"),
    ],
)
def test_d11_the_chunker_made_for_a_text_is_offered_where_it_exists(monkeypatch, text, name, word, chunker):
    document = read(text.encode(), name)
    found = advised(document)
    assert word in found.sentence
    assert found.sentence == advice(document)
    assert found.chunker in (None, chunker)
    for there in ("records", "code", "structure"):
        monkeypatch.setitem(CHUNKERS, there, CHUNKERS["recursive"])
    assert advised(document) == (found.sentence, chunker)


def test_d11_values_that_were_made_a_table_are_a_table():
    document = read(CSV.encode(), "a.csv", options=ReadOptions(table=TableOptions(markdown=True)))
    assert "Most of this text is tables" in advice(document)


@pytest.mark.parametrize("text", [PROSE, MARKDOWN, *NOTES, "One line.\n" * 20 + TABLE])
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
