"""C15: Markdown blocks stay whole while they fit; what is cut knows its header."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragchunk_core import Document, chunk
from ragchunk_core.documents import read
from ragchunk_core.headings import FRONT_MATTER
from ragchunk_core.lint import lint
from ragchunk_core.markdown_blocks import blocks_inside, blocks_of
from ragchunk_core.units import UNITS
from tests.office_files import word

HEADER = "| name | value |\n| --- | --- |"
ROWS = [f"| row {number} | {number * number} |" for number in range(40)]
TABLE = "\n".join([HEADER, *ROWS])


def cut(text, size, **options):
    return chunk(Document.from_text(text), "structure", size=size, **options)


@pytest.fixture(scope="module")
def files(shared_data):
    """Markdown files with what cmark-gfm, another implementation, says of them."""
    told = json.loads((shared_data / "markdown" / "cmark_gfm_blocks.json").read_text(encoding="utf-8"))["files"]
    return {name: ((shared_data / "markdown" / name).read_text(encoding="utf-8"), rows) for name, rows in told.items()}


def spans_of(text, rows, kinds):
    """Spans of the blocks that cmark-gfm found, by its lines, without white space at the ends."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    for row in rows:
        if row["kind"] in kinds:
            low, high = starts[row["lines"][0] - 1], starts[min(row["lines"][1], len(starts) - 1)]
            body = text[low:high]
            yield low + len(body) - len(body.lstrip()), low + len(body.rstrip())


@pytest.mark.parametrize("size", [200, 400, 1500])
def test_c15_blocks_that_fit_are_whole(files, size):
    """C15: every table, code block, list item and heading of cmark-gfm that fits lies in one chunk."""
    seen = 0
    for text, rows in files.values():
        made = cut(text, size)
        for start, end in spans_of(text, rows, {"table", "code_block", "item", "heading"}):
            if end - start <= size:
                seen += 1
                assert any(a <= start and end <= b for a, b in zip(made.starts, made.ends, strict=True)), text[
                    start:end
                ]
    assert seen > 500


@pytest.mark.parametrize(("unit", "size"), [("chars", 1000), ("words", 80), ("cl100k", 200)])
def test_c15_no_table_loses_its_header_and_the_size_holds(files, unit, size):
    """C15: the warnings about rows without a header are silent where rows leave it room, and the size holds with it."""
    for text, _ in files.values():
        made = cut(text, size, unit=unit)
        assert "table-header" not in [found.rule.name for found in lint(made)]
        assert all(UNITS[unit].count(indexed) <= size for indexed in made.indexed_texts())
        left = list(text)
        for start, end in zip(made.starts, made.ends, strict=True):
            left[start:end] = " " * (end - start)
        assert not "".join(left).strip()


def test_c15_a_long_table_is_cut_between_rows_with_header_and_caption():
    """C15: every row once and whole; later chunks carry the line before the table and the header."""
    made = cut(f"# T\n\nSquares of numbers:\n\n{TABLE}\n\nAfter.", 300)
    assert len(made) > 3
    assert made[0].text.startswith(f"# T\n\nSquares of numbers:\n\n{HEADER}\n")
    assert {one.context for one in list(made)[1:-1]} == {f"Squares of numbers:\n{HEADER}"}
    lines = [line for one in made for line in one.text.split("\n") if line.startswith("| row")]
    assert lines == ROWS
    assert made[len(made) - 1].text.endswith("After.")


def test_c15_a_table_of_an_html_page_is_cut_like_any_other():
    """C15: on what HTML becomes; the caption is the line before the table."""
    rows = "".join(f"<tr><td>row {number}</td><td>{number}</td></tr>" for number in range(30))
    page = f"<h1>T</h1><table><caption>Sizes</caption><tr><th>name</th><th>size</th></tr>{rows}</table>"
    made = chunk(Document.from_bytes(page.encode(), "a.html"), "structure", size=200)
    assert len(made) == 3
    assert {one.context for one in list(made)[1:]} == {"Sizes\n| name | size |\n| --- | --- |"}
    assert {one.path for one in made} == {("T",)}


def test_c15_a_long_list_is_cut_between_items_with_its_lead_in():
    """C15: items stay whole, nested ones with theirs; the sentence that announces them goes in front."""
    items = [f"- item {number}\n  - its detail" for number in range(20)]
    made = cut("It rains. Bring these:\n\n" + "\n".join(items), 150)
    assert [item for one in made for item in re.findall(r"- item \d+\n  - its detail", one.text)] == items
    assert [one.context for one in made] == ["", *["Bring these:"] * (len(made) - 1)]


def test_c15_a_long_fence_is_cut_between_lines_with_its_info_string():
    """C15: a language without a grammar here: lines, and the opening line in front."""
    lines = [f"line {number}" for number in range(50)]
    made = cut("```ini\n" + "\n".join(lines) + "\n```", 100)
    assert "\n".join(made.texts()).split("\n") == ["```ini", *lines, "```"]
    assert {one.context for one in list(made)[1:]} == {"```ini"}


def test_c15_a_long_fence_with_a_known_language_is_cut_between_definitions():
    """C15, C16: functions inside a fence stay whole, with indentation."""
    functions = [f"def f{number}(x):\n    y = x + {number}\n    return y" for number in range(8)]
    made = cut("```python\n" + "\n\n\n".join(functions) + "\n```", 120)
    assert len(made) > 3
    assert all(sum(function in one.text for one in made) == 1 for function in functions)


def test_c15_a_fence_stays_with_the_paragraph_before_it():
    """C15: where both fit; else the paragraph goes on with what stands before it."""
    before, lead, fence = "Text before it. " * 5, "Run this line.", "```sh\nmake all\n```"
    text = f"{before}\n\n{lead}\n\n{fence}"
    assert cut(text, 110).texts() == [before.strip(), f"{lead}\n\n{fence}"]
    assert cut(text, 30).texts()[-1] == fence
    assert cut(text, 98).texts()[0] == before.strip()


def test_c15_a_long_paragraph_is_cut_between_sentences():
    """C15: with the sentence rules, which know abbreviations."""
    text = "Dr. Smith paid 3.50. He left! " * 6
    assert set(cut(text.strip(), 70).texts()) == {"Dr. Smith paid 3.50. He left! Dr. Smith paid 3.50. He left!"}


def test_c15_no_chunk_goes_on_over_a_heading_and_none_is_a_heading_alone():
    """C15: sections; a heading that only a heading follows is kept with it; the level is an option."""
    text = "# A\n\n## B\n\nb\n\n# C\n\nc"
    assert [(one.path, one.text) for one in cut(text, 400)] == [(("A", "B"), "# A\n\n## B\n\nb"), (("C",), "# C\n\nc")]
    assert cut(text, 400, level=0).texts() == [text]
    assert [one.context for one in cut(text, 400, context="path")] == ["A › B", "C"]


def test_c15_front_matter_link_definitions_and_byte_order_mark_are_kept():
    """C15: text that is no block of CommonMark is lost nowhere."""
    text = "\ufeff---\ntitle: x\n---\n\n# A\n\na\n\n[1]: http://example.org 'One'\n"
    assert cut(text, 30).texts() == ["\ufeff---\ntitle: x\n---", "# A\n\na", "[1]: http://example.org 'One'"]
    assert [block.kind for block in blocks_of(text)] == ["other", "heading", "paragraph", "other"]


BLOCKS = [
    "# H\n", "Text of it.\n", "- a\n", "  - b\n", "1. c\n", "> q\n", "| a | b |\n", "|---|---|\n", "```py\n", "x = 1\n",
    "    code\n", "\n", "\n\n", "***\n", "<div>\n", "</div>\n", "===\n", "---\n", "[a]: b\n", "\tT\n", "~~~\n", "\r\n",
    "def f():\n", "    return '''\n", "# C #\n", "Words | more\n", "* a\n", "- [x] t\n", "- # H\n", "  and on\n",
    "1986. Y\n", "[l](m) n\n", "**b** c\n", "***\n", "_\n", "```\n", "`````\n",
    "``i`` j\n", "-  n\n", "*\n", "* * *\n", "| c |\n", "|:-:|\n", "<!-- x\n",
    "-->\n", "é\n",
    "\u00a0x\n", "2. d\n", "3) e\n", "[l]\n", "[l\n", "\\\n", "$ x\n", "- \n", "+ b", "x\n", "2 d\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(BLOCKS), max_size=25).map("".join), st.integers(1, 60))
def test_c15_any_mixture_of_blocks_is_kept_within_the_size(text, size):
    """C15: nothing but white space is lost, chunks do not overlap, chunk and context together fit."""
    made = cut(text, size)
    assert (made.starts[1:] >= made.ends[:-1]).all()
    assert "".join("".join(made.texts()).split()) == "".join(text.split())
    assert all(len(indexed) <= size for indexed in made.indexed_texts())


def assert_parsed(text):
    """The blocks at the top, and the items in lists, are those of parsing the whole text by markdown-it-py."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text.replace("\ufeff", " ", 1))
    wide = {"bullet_list": "list", "ordered_list": "list", "list_item": "item", "blockquote": "quote",
            "code_block": "code", "html_block": "html", "hr": "rule"}  # fmt: skip
    right = [
        (wide.get(name := token.type.removesuffix("_open"), name), token.map[0])
        for token in tokens
        if token.map and token.nesting >= 0 and (token.level == 0 or (token.level == 1 and "list_item" in token.type))
    ]
    found = [
        (one.kind, len(re.findall(r"\r\n?|\n", text[: one.start])))
        for block in blocks_of(text)
        for one in (block, *(blocks_inside(text, block) if block.kind == "list" else ()))
        if one.kind != "other"
    ]
    assert found == right
    titles = [" ".join(tokens[at + 1].content.split()) for at, one in enumerate(tokens) if one.type == "heading_open"
              and one.level == 0]  # fmt: skip
    assert [" ".join(block.title.split()) for block in blocks_of(text) if block.kind == "heading"] == titles


@given(st.lists(st.sampled_from(BLOCKS), max_size=25).map("".join))
@hypothesis_settings(max_examples=1500)
def test_c15_blocks_are_those_of_a_whole_parse(text):
    """C15: what is found without parsing is what a parse finds."""
    assume(not FRONT_MATTER.match(text.replace("\r\n", " \n")))
    assert_parsed(text)


def test_c15_blocks_of_real_files_are_those_of_a_whole_parse(files, shared_data):
    """C15: on all Markdown files, with all their line ends, and on the text of the CommonMark specification."""
    for text, _ in files.values():
        assert_parsed(text)
        assert_parsed(text.replace("\n", "\r\n"))
    for case in json.loads((shared_data / "commonmark" / "commonmark.json").read_text(encoding="utf-8")):
        if not FRONT_MATTER.match(case["markdown"]):
            assert_parsed(case["markdown"])
    assert_parsed((shared_data / "commonmark" / "spec.txt").read_text(encoding="utf-8").removeprefix("---\n"))


@pytest.mark.parametrize(
    "block",
    [
        "One sentence of a paragraph. And another one.",
        "> A quote of two paragraphs.\n>\n> Its second one.",
        "<div>\n<p>Markup of a page.</p>\n<p>More of it.</p>\n</div>",
    ],
)
def test_c15_paragraphs_quotes_and_html_blocks_are_whole_while_they_fit(block):
    """C15: at every size from the block's own on; below it is cut, and nothing is lost."""
    text = f"Words before it.\n\n{block}\n\nWords after it.\n"
    for size in range(len(block), len(text) + 1):
        assert any(block in one for one in cut(text, size).texts()), size
    shorter = cut(text, len(block) - 1).texts()
    assert not any(block in one for one in shorter)
    assert "".join("".join(shorter).split()) == "".join(text.split())


def test_c15_a_long_quote_is_cut_between_its_paragraphs():
    """C15: each paragraph of the quote whole."""
    paragraphs = [f"> Paragraph {number} of the quote." for number in range(10)]
    made = cut("\n>\n".join(paragraphs), 60)
    assert len(made) > 4
    assert all(sum(one in text for text in made.texts()) == 1 for one in paragraphs)


def test_c15_a_long_fence_of_any_language_with_a_grammar_is_cut_between_definitions():
    """C15, C16: Ruby, by the general rules."""
    functions = [f"# Doc {number}.\ndef f{number}\n  {number}\nend" for number in range(8)]
    made = cut("So:\n\n```ruby\n" + "\n\n".join(functions) + "\n```\n", 90)
    assert all(sum(one in text for text in made.texts()) == 1 for one in functions)
    assert set(made.contexts[1:]) == {"So:\n```ruby"}


def test_c15_the_size_holds_with_the_context_by_an_option():
    """C15: with it chunk and context together fit; without it the chunk alone, which then holds more rows."""
    inside, alone = cut(TABLE, 80), cut(TABLE, 80, within=False)
    assert max(map(len, inside.indexed_texts())) <= 80
    assert max(map(len, alone.texts())) <= 80 < max(map(len, alone.indexed_texts()))
    assert len(alone) < len(inside)
    for made in (inside, alone):
        assert [row for one in made.texts() for row in one.split("\n")] == TABLE.split("\n")
        assert set(made.contexts[1:]) == {HEADER}


def test_c15_the_table_of_a_word_file_is_cut_between_rows():
    """C15: on what DOCX becomes; its heading is the chunks' path."""

    def build(document):
        document.add_heading("Prices", 1)
        document.add_paragraph("What things cost.")
        table = document.add_table(rows=1, cols=2)
        table.rows[0].cells[0].text, table.rows[0].cells[1].text = "thing", "price"
        for number in range(30):
            cells = table.add_row().cells
            cells[0].text, cells[1].text = f"thing {number}", str(number)

    document = read(word(build), "a.docx")
    made = chunk(document, "structure", size=200)
    rows = [line for line in document.text.split("\n") if line.startswith("| thing ") and "price" not in line]
    assert len(rows) == 30
    assert all(sum(row in one for one in made.texts()) == 1 for row in rows)
    assert all("| thing | price |" in one for one in made.indexed_texts() if "| thing " in one)
    assert set(made.paths) == {("Prices",)}


def test_c15_the_text_of_a_pdf_is_cut_between_its_paragraphs(shared_data):
    """C15: every chunk a slice within the size, and nothing lost but white space."""
    document = read((shared_data / "pdf" / "crazyones.pdf").read_bytes(), "crazyones.pdf")
    made = chunk(document, "structure", size=200)
    assert len(made) > 3
    assert max(map(len, made.texts())) <= 200
    assert "".join("".join(made.texts()).split()) == "".join(document.text.split())
