"""C11, C12: sections at Markdown headings."""

from __future__ import annotations

import json
import re

import pytest
from langchain_text_splitters import MarkdownHeaderTextSplitter

from ragchunk_core import Document, chunk
from ragchunk_core.headings import commonmark_headings


def cut(text, size=10_000, **options):
    return chunk(Document.from_text(text, kind="markdown"), "markdown", size=size, **options)


def test_c11_finds_every_heading_of_the_commonmark_specification(shared_data):
    """C11: as many headings, of the same levels and order, as the specification's own HTML of each example."""
    examples = json.loads((shared_data / "commonmark" / "commonmark.json").read_text(encoding="utf-8"))
    checked = 0
    for example in examples:
        # The HTML holds raw HTML blocks too; only headings that the Markdown made count.
        if re.search(r"<h[1-6]", example["markdown"]):
            continue
        if example["markdown"].startswith("---\n"):
            continue  # front matter here, a thematic break there
        expected = [int(level) for level in re.findall(r"<h([1-6])>", example["html"])]
        assert [h.level for h in commonmark_headings(example["markdown"])] == expected, example["example"]
        checked += bool(expected)
    assert checked > 30  # the specification has that many examples with a heading


def test_c11_paths_over_repeated_and_skipped_levels():
    """C11, case md-24: a shallower heading ends every deeper one; a skipped level does not break the path."""
    text = "# A\na\n### B\nb\n## C\nc\n# D\nd\n### E\ne\n"
    assert [(c.path, c.text.split("\n")[-1]) for c in cut(text)] == [
        (("A",), "a"), (("A", "B"), "b"), (("A", "C"), "c"), (("D",), "d"), (("D", "E"), "e"),
    ]  # fmt: skip


def test_c11_fences_comments_and_front_matter_hold_no_headings():
    """C11, cases md-01 to md-05, md-14, md-15: # lines in code and YAML are no sections."""
    text = (
        "---\ntitle: X\n# comment: y\n---\n\n# Real\n\n````sh\n```\n# no\n```\n````\n\n"
        "~~~\n# no\n~~~\n\n    # no\n\n<!--\n# no\n-->\n\n## Second\n\ntext\n"
    )
    assert [h.title for h in commonmark_headings(text)] == ["Real", "Second"]


def test_c11_setext_trailing_hashes_tabs_and_crlf():
    """C11, cases md-13, md-19, md-21: what CommonMark allows, and nothing of the line end in the title."""
    text = "Title\r\n=====\r\n\r\none\r\n\r\n#\tTabbed\r\n\r\ntwo\r\n\r\n## C# ##\r\n\r\nthree\r\n"
    assert [(h.level, h.title) for h in commonmark_headings(text)] == [(1, "Title"), (1, "Tabbed"), (2, "C#")]
    made = cut(text)
    assert [c.path for c in made] == [("Title",), ("Tabbed",), ("Tabbed", "C#")]
    assert all(c.text == text[c.start : c.end] for c in made)


def test_c11_headings_in_quotes_and_lists_count():
    """C11: CommonMark makes them headings."""
    assert [h.title for h in commonmark_headings("> # Quoted\n> text\n\n- # Listed\n")] == [
        "Quoted",
        "Listed",
    ]


def test_c11_line_ends_that_markdown_does_not_know_shift_nothing():
    """Case eol-03: form feed, VT, NEL and U+2028 end no line, so offsets stay right."""
    text = "a\x0cb\x0bc\x85d\u2028e\n# Head\nbody\n"
    assert [(h.title, h.start) for h in commonmark_headings(text)] == [("Head", text.index("# Head"))]


def test_c11_a_byte_order_mark_hides_no_heading():
    """Case md-11."""
    assert [h.title for h in commonmark_headings("\ufeff# Title\n\ntext\n")] == ["Title"]


def test_c11_a_section_that_is_only_a_heading_makes_no_chunk():
    """C11, V01: it stays uncovered, and its title is in the paths below it."""
    made = cut("# Top\n\n## Sub\n\ntext\n")
    assert [(c.path, c.text) for c in made] == [(("Top", "Sub"), "## Sub\n\ntext")]


def test_c11_equal_sections_are_not_glued():
    """Case md-23: two sections with the same title and parent stay two chunks."""
    assert len(cut("# A\n\n## Notes\n\none\n\n## Notes\n\ntwo\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "# Foo\n\n    ## Bar\n\nHi this is Jim\n\nHi this is Joe\n\n ### Boo \n\n Hi this is Lance \n\n"
        " ## Baz\n\n Hi this is Molly",
        "# Intro\n\nHello\n\n## History\n\nMarkdown was made.\n\n## Rise\n\nMany\n\n"
        "#### Standardization\n\nfrom 2012\n\n# End\n\nbye",
        "# A\n\n```\n# not\n```\n\ntext\n\n## B\n\n~~~\n## no\n~~~\n\nmore",
    ],
)
def test_c11_langchain_mode_equals_its_splitter(text):
    """C11: heading paths and, white space apart, bodies of MarkdownHeaderTextSplitter."""
    levels = [("#" * n, str(n)) for n in range(1, 5)]
    expected = [
        (tuple(d.metadata.values()), "".join(d.page_content.split()))
        for d in MarkdownHeaderTextSplitter(levels).split_text(text)
    ]
    made = cut(text, level=4, style="langchain", headings="strip", split_long=False)
    assert [(c.path, "".join(c.text.split())) for c in made] == expected


def test_c12_long_sections_are_split_again_and_short_ones_never_glued():
    """C12: chunks of one section carry its path; no chunk spans two sections."""
    text = "# A\n\n" + "word " * 60 + "\n\n# B\n\nshort\n\n# C\n\nshort too\n"
    made = cut(text, size=100, overlap=20)
    assert {c.path for c in made} == {("A",), ("B",), ("C",)}
    assert max(made.lengths) <= 100
    assert sum(c.path == ("A",) for c in made) > 2
    assert [c.text for c in made if c.path == ("B",)] == ["# B\n\nshort"]


def test_c12_context_is_indexed_but_no_part_of_the_chunk():
    """C12: the path in front of every chunk, or the heading in front of each continuation."""
    text = "# Run\n\n## Lag\n\n" + "word " * 30
    path = cut(text, size=60, context="path")
    assert set(path.contexts) == {"Run › Lag"}
    assert path.indexed_texts()[0] == "Run › Lag\n" + path[0].text
    assert all(c.text == text[c.start : c.end] for c in path)
    again = cut(text, size=60, context="continuation")
    assert again.contexts[0] == ""
    assert set(again.contexts[1:]) == {"## Lag"}
    assert again.indexed_texts()[1] == "## Lag\n" + again[1].text


def test_c11_cost_is_linear_without_headings():
    """C11: a text twice as long takes the same number of parser steps a line, not the square of them."""
    import sys

    def calls(lines):
        count = 0

        def tick(frame, event, argument):
            nonlocal count
            count += event == "call"

        text = "one line of plain text\n" * lines
        sys.setprofile(tick)
        try:
            commonmark_headings(text)
        finally:
            sys.setprofile(None)
        return count

    calls(10)
    assert calls(4000) < 2.2 * calls(2000)
