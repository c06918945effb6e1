"""V05: fences and pipe tables stand where CommonMark and GFM have them."""

from __future__ import annotations

import json
import re

import pytest

from ragchunk_core.fences_and_tables import fences_and_tables


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("~~~\n```\n~~~", [True]),
        ("````\n```\n````\n", [True]),
        ("```\ncode ```", [False]),
        ("```", [False]),
        ("> ```\n> a\n> ```\nb", [True]),
        ("- a\n\n  ```js\n  b\n  ```\n\nc\r\n```\r\nd\r\n```", [True, True]),
        ("`` ` ``", []),
        ("```a\x00\u2028b\n\x0c\n```  \nc", [True]),
    ],
)
def test_v05_fences_as_commonmark_has_them(text, closed):
    found = fences_and_tables(text)[0]
    assert [fence.closed for fence in found] == closed
    for fence in found:
        assert set(text[slice(*fence.opening)]) in ({"`"}, {"~"})
        assert text[fence.start : fence.end].rstrip().endswith(text[slice(*fence.closing)])


def test_v05_fences_and_tables_are_those_of_cmark_gfm(shared_data):
    """First and last line of every fence and table in 37 files, as an implementation in C finds them.

    Left out is a file of tables each of which follows a line of text: there it counts that line to the table.
    """
    files = json.loads((shared_data / "markdown" / "cmark_gfm_blocks.json").read_text(encoding="utf-8"))["files"]
    del files["fixtures/tables.md"]
    fences = tables = 0
    for name, blocks in files.items():
        text = (shared_data / "markdown" / name).read_bytes().decode("utf-8")
        lines = text.split("\n")
        code = [b["lines"] for b in blocks if b["kind"] == "code_block"]
        found = fences_and_tables(text)
        assert [lines_of(text, f.start, f.end) for f in found[0]] == [
            at for at in code if re.match(r"[ \t>*+\-\d.)]*(```|~~~)", lines[at[0] - 1])
        ], name
        assert [lines_of(text, t.header[0], t.rows[1]) for t in found[1]] == [
            b["lines"] for b in blocks if b["kind"] == "table"
        ], name
        fences, tables = fences + len(found[0]), tables + len(found[1])
    assert (len(files), fences, tables) == (37, 119, 5)


def lines_of(text, start, end):
    return [text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1]
