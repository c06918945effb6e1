"""C11: the second mode is LangChain's MarkdownHeaderTextSplitter, in every heading path and every body.

That splitter strips every line, drops what is not printable and replaces the white space between blocks, so bodies are
compared by the printable characters that are no white space: its own normalisation, carried a step further.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import MarkdownHeaderTextSplitter

from ragchunk_core import Document, chunk

LINES = [
    "", "", "text", "a  b", "# a", "# b", "## b ##", "## c", "### e", "#### f", "###### x", "#", "##", "#tag",
    "#\u00a0n", "#\tt", " # a", "    # c", "\t# t", "> # q", "- # l", "```", "```py", "````", "`x```", "~~~", "~~~~ z",
    "   ```", "  ~~~", "\u200b", "# \u200bz", "x\u200b", "``\u200b`", "\x0c", "\ufeff# m", "===", "---", "<!-- # h -->",
]  # fmt: skip
texts = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\n", "\n", "\n\n", "\r\n", "\r"])), max_size=14
).map(lambda lines: "".join(line + end for line, end in lines))


def visible(text):
    return "".join(c for c in text if c.isprintable() and not c.isspace())


def theirs(text, level, strip):
    names = [("#" * n, f"level {n}") for n in range(1, level + 1)]
    made = MarkdownHeaderTextSplitter(names, strip_headers=strip).split_text(text)
    return [(tuple(one.metadata.values()), visible(one.page_content)) for one in made]


def ours(text, level, strip):
    made = chunk(
        Document.from_text(text), "markdown", style="langchain", level=level, headings="strip" if strip else "keep",
        split_long=False,
    )  # fmt: skip
    return [(one.path, visible(one.text)) for one in made]


@settings(max_examples=2000)
@given(text=texts, level=st.integers(1, 6), strip=st.booleans())
def test_c11_the_second_mode_equals_langchain_on_random_markdown(text, level, strip):
    """C11: paths and bodies, with heading lines left out (its default) and kept."""
    assert ours(text, level, strip) == theirs(text, level, strip)


@pytest.mark.parametrize("strip", [True, False], ids=["headings left out", "headings kept"])
@pytest.mark.parametrize("level", [1, 2, 3, 6])
def test_c11_the_second_mode_equals_langchain_on_real_documents(shared_data, level, strip):
    """C11: the Markdown files, the specification, and the corpora of Chroma's report."""
    files = [*(shared_data / "markdown").rglob("*.md"), *(shared_data / "chroma").glob("*.md")]
    chunks = 0
    for file in [*files, shared_data / "commonmark" / "spec.txt"]:
        text = file.read_bytes().decode("utf-8")
        expected = theirs(text, level, strip)
        assert ours(text, level, strip) == expected, file.name
        chunks += len(expected)
    assert chunks > {1: 50, 2: 150, 3: 600, 6: 600}[level]


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
def test_c11_the_second_mode_equals_langchain_on_its_documented_cases(text):
    """C11: texts in the manner of its documentation and of its own tests."""
    assert ours(text, 4, True) == theirs(text, 4, True)


def test_c11_joined_sections_carry_their_text_and_say_so():
    """C11: LangChain joins neighbours with equal headings; without their heading lines that is no slice."""
    text = "# A\n\n## Notes\n\none\n\n## Notes\n\ntwo\n"
    joined = chunk(Document.from_text(text), "markdown", style="langchain", headings="strip")
    assert not joined.verbatim
    assert [(c.path, c.text, text[c.start : c.end]) for c in joined] == [
        (("A", "Notes"), "one\n\ntwo", "one\n\n## Notes\n\ntwo")
    ]
    kept = chunk(Document.from_text(text), "markdown", style="langchain", headings="keep")
    assert kept.verbatim
    assert kept.texts() == [text.strip()]


def test_c12_joined_sections_over_the_size_come_apart():
    """C12: each part is split by itself then, so every chunk is a slice."""
    text = "# A\n\n" + "one " * 20 + "\n\n# A\n\n" + "two " * 20
    made = chunk(Document.from_text(text), "markdown", style="langchain", headings="strip", size=100)
    assert made.verbatim
    assert [set(c.text.split()) for c in made] == [{"one"}, {"two"}]


def test_c11_styles_differ_where_commonmark_and_langchain_do():
    """C11: setext, indented code, quotes and a fence of four: each style by its own rule."""
    text = "Title\n=====\n\nx\n\n    # code\n\n> # quoted\n> y\n\n````\n```\n# inner\n```\n````\n"
    paths = {
        style: [c.path for c in chunk(Document.from_text(text), "markdown", style=style)]
        for style in ("commonmark", "langchain")
    }
    assert paths == {"commonmark": [("Title",), ("quoted",)], "langchain": [(), ("code",), ("inner",)]}
