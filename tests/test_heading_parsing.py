"""C11: the headings are those of a whole parse by markdown-it-py, and finding them takes linear work."""

from __future__ import annotations

import re
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragchunk_core.headings import commonmark_headings

LINES = [
    "", "", "", "text", "a: b", "# a", "## b ##", "#", "###### x", "####### y", "#x", "# #", "#\ta #b", " # c",
    "    # d", "\t# t", "> # q", "> text", ">", "> ===", "- # l", "- text", "-", "1. # o", "10) z", "* ", "+ x",
    "  text", "    text", "   - # m", "===", "---", "- - -", "  ---", "***", "= =", "```", "```py", "````", "~~~",
    "~~~ a`b", "  ```", "   ~~~", "    ```", "``` a`b", "> ```", "- ```", "<div>", "</div>", "<pre>", "</pre>",
    "<!--", "-->", "<b>", "<a href='x'>", "<?p", "?>", "<!D", "<![CDATA[", "]]>", "  <!--", "- <!--", "> <div>",
    "<script>", "</script>", "[a]: /u", "[a]: /u '", "'", "  # in list", "      # deep", "\x0b# v", "\u00a0# n",
]  # fmt: skip
texts = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r"])), max_size=14
).map(lambda lines: "".join(line + end for line, end in lines))


def whole_parse(text):
    """The headings of one parse of the whole text, with the offsets of their lines: slow, and no rule left out."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text))]
    if starts[-1] == len(text):
        starts.pop()
    found = []
    tokens = MarkdownIt("commonmark").parse(text)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            first, after = token.map
            end = starts[after] if after < len(starts) else len(text)
            title = re.sub(r"\s+", " ", tokens[place + 1].content)
            found.append((int(token.tag[1]), title, starts[first], end))
    return found


def ours(text):
    return [(h.level, re.sub(r"\s+", " ", h.title), h.start, h.end) for h in commonmark_headings(text)]


@settings(max_examples=3000)
@given(text=texts)
@example("- <!--\n  ```\n  x\n  ```\n  # h\n\n# k\n")
@example("- a\n  ```\ncode\n  ```\n\n# no\n")
@example("- <div>\n  ```\n\n  # h\n\n  ```\n\ntext")
@example("  ```\n  a\n\n  b\n  ```\n# h")
@example("<!--\n\n# no\n\ntext\n\n-->\n# yes")
def test_c11_headings_are_those_of_a_whole_parse(text):
    """C11: on random Markdown of every block that can hold or hide a heading, to the offset."""
    if not text.startswith("---"):  # what could be front matter
        assert ours(text) == whole_parse(text)


def test_c11_headings_of_real_documents_are_those_of_a_whole_parse(shared_data):
    """C11: the Markdown files, CommonMark's specification, and one text of all of them."""
    files = [*sorted((shared_data / "markdown").rglob("*.md")), shared_data / "commonmark" / "spec.txt"]
    read = [file.read_bytes().decode("utf-8") for file in files]
    for text in [*read, "\n\n".join(read)]:
        assert ours(text) == whole_parse(text)
    assert len(ours("\n\n".join(read))) > 700


REPEATED = {
    "plain text": "one line of plain text\n",
    "headings": "# A heading\n\nand a paragraph under it\n\n",
    "setext": "A heading\n=========\n\nand a paragraph under it\n\n",
    "one paragraph with headings": "text\n# h\n",
    "headings in lists": "- # a\n- b\n\n",
    "headings in one list": "- # a\n",
    "headings in quotes": "> # a\n",
    "fences": "```\n# no\n```\n",
    "fences never closed": "~~~\n\ntext\n\n# no\n\n```\n\n",
    "fences in lists": "- a\n\n  ```sh\n  b\n  ```\n\n",
    "fences with comments in lists": "- a\n\n  ```sh\n  # b\n  ```\n\n",
    "fences in a list, never closed": "  ```\n  text\n\n",
    "comments": "<!-- # no -->\n\n",
    "comments never closed": "<!--\n\n# no\n\n",
    "pre never closed": "<pre>\n\ntext\n\n",
    "tags": "<div>\n# no\n</div>\n",
    "rules": "text\n\n---\n\n",
    "references": "[a]: /u\n===\n",
    "blank lines": "\n",
    "spaces": " " * 50 + "\n",
    "hashes": "#",
    "one long line": "- ",
    "carriage returns": "# a\r\n\r\ntext\r\n",
}


@pytest.mark.parametrize("name", REPEATED)
def test_c11_no_more_than_three_times_the_text_is_parsed(name, monkeypatch):
    """C11: what goes through markdown-it-py, counted in characters, is bounded by the text's length."""
    parsed, parse = [], MarkdownIt.parse
    monkeypatch.setattr(
        MarkdownIt, "parse", lambda self, text, env=None: parsed.append(len(text)) or parse(self, text, env)
    )
    text = REPEATED[name] * (20_000 // len(REPEATED[name]))
    commonmark_headings(text)
    assert sum(parsed) <= 3 * len(text)


@pytest.mark.parametrize("name", ["plain text", "headings", "fences", "rules"])
def test_c11_plain_headings_and_fences_need_little_parsing(name, monkeypatch):
    """C11: text without structure, headings and fences at the margin are never given to markdown-it-py."""
    parsed = []
    monkeypatch.setattr(MarkdownIt, "parse", lambda self, text, env=None: parsed.append(len(text)) or [])
    commonmark_headings(REPEATED[name] * 100)
    assert sum(parsed) <= (500 if name == "rules" else 0)


@pytest.mark.parametrize("name", REPEATED)
def test_c11_calls_grow_with_the_text(name):
    """C11: a text eight times as long takes about eight times as many calls of Python functions, not 64 times."""

    def calls(length):
        count = 0

        def tick(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        text = REPEATED[name] * (length // len(REPEATED[name]))
        sys.setprofile(tick)
        try:
            commonmark_headings(text)
        finally:
            sys.setprofile(None)
        return count

    calls(100)
    assert calls(16_000) < 12 * calls(2_000) + 200


def test_c11_a_megabyte_without_a_heading_takes_linear_time():
    """C11: the ratio of CPU times between a text and eight times it, far from the 64 of quadratic work."""

    def cpu(length):
        text = "one line of plain text, and - # here - no heading\n" * (length // 50)
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            assert commonmark_headings(text) == []
            best = min(best, time.process_time() - start)
        return best

    assert cpu(4_000_000) < 30 * cpu(500_000)
