"""C11, C12: sections at Markdown headings."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.headings import commonmark_headings


def cut(text, size=10_000, **options):
    return chunk(Document.from_text(text, kind="markdown"), "markdown", size=size, **options)


def test_c11_finds_every_heading_of_the_commonmark_specification(shared_data):
    """C11: the same levels in the same order as the specification's own HTML of each example; none is left out."""
    examples = json.loads((shared_data / "commonmark" / "commonmark.json").read_text(encoding="utf-8"))
    assert not [one for one in examples if re.search(r"<h[1-6]", one["markdown"])]  # all come from Markdown
    for example in examples:
        expected = [int(level) for level in re.findall(r"<h([1-6])>", example["html"])]
        assert [h.level for h in commonmark_headings(example["markdown"])] == expected, example["example"]
    assert len(examples) == 652
    assert sum("<h" in example["html"] for example in examples) > 40


def test_c11_finds_the_headings_that_cmark_gfm_finds(shared_data):
    """C11: level, first line and title of every heading in 38 files, as an implementation in C finds them.

    It reports the line after a setext heading's underline as its last, and titles without their inline marks.
    """
    files = json.loads((shared_data / "markdown" / "cmark_gfm_blocks.json").read_text(encoding="utf-8"))["files"]
    count = 0
    for name, blocks in files.items():
        text = (shared_data / "markdown" / name).read_bytes().decode("utf-8")
        expected = [block for block in blocks if block["kind"] == "heading"]
        found = commonmark_headings(text)
        assert len(found) == len(expected), name
        for heading, block in zip(found, expected, strict=True):
            first = text.count("\n", 0, heading.start) + 1
            last = first + text[heading.start : heading.end].rstrip("\n").count("\n")
            atx = text[heading.start : heading.end].lstrip(" >-*+0123456789.)").startswith("#")
            assert (heading.level, first) == (block["level"], block["lines"][0]), name
            assert last == block["lines"][1] - (not atx), (name, heading)
            assert letters(heading.title) == letters(block["text"]), name
        count += len(found)
    assert (len(files), count) == (38, 709)


def letters(title):
    """A title without white space, backslashes and code marks."""
    return re.sub(r"[\s\\`]", "", title)


def test_c11_paths_over_repeated_and_skipped_levels():
    """C11, case md-24: a shallower heading ends every deeper one; a skipped level does not break the path."""
    text = "# A\na\n### B\nb\n## C\nc\n# D\nd\n### E\ne\n"
    assert [(c.path, c.text.split("\n")[-1]) for c in cut(text)] == [
        (("A",), "a"), (("A", "B"), "b"), (("A", "C"), "c"), (("D",), "d"), (("D", "E"), "e"),
    ]  # fmt: skip


@pytest.mark.parametrize("depths", list(itertools.product(range(1, 4), repeat=4)))
def test_c11_the_path_is_the_last_heading_of_each_lower_level(depths):
    """C11: every order of three levels over four headings, against a search backwards."""
    text = "".join(f"{'#' * depth} h{i}\n\ntext {i}\n\n" for i, depth in enumerate(depths))
    for i, made in enumerate(cut(text)):
        path, above = [], 7
        for j in range(i, -1, -1):
            if depths[j] < above:
                path.insert(0, f"h{j}")
                above = depths[j]
        assert made.path == tuple(path)


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


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_c11_line_ends_change_no_heading(shared_data, line_end):
    """C11: carriage returns, with a line feed or bare, end lines; titles and offsets stay true."""
    text = (shared_data / "commonmark" / "spec.txt").read_text(encoding="utf-8")
    other = text.replace("\n", line_end)
    plain, ours = commonmark_headings(text), commonmark_headings(other)
    assert [(h.level, h.title) for h in ours] == [(h.level, h.title) for h in plain]
    for one, same in zip(ours, plain, strict=True):
        assert other[one.start : one.end].replace(line_end, "\n") == text[same.start : same.end]
    made = cut(other, level=6, size=10**7)
    assert [c.text.replace(line_end, "\n") for c in made] == cut(text, level=6, size=10**7).texts()


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("---\ntitle: X\n---\n# A\n", ["A"]),
        ("---\n# a comment\n\ntitle: 'X'\nlist:\n  - # b\n...\n# A\n", ["A"]),
        ("---\nFoo\n---\nBar\n---\nBaz", ["Foo", "Bar"]),  # CommonMark's own example: no key, no front matter
        ("---\n\n# A\n\n---\n", ["A"]),
        ("---\ntitle: never closed\n\n# A\n", ["A"]),
        ("text\n\n---\ntitle: X\n---\n", ["title: X"]),  # only at the start
        ("\n---\ntitle: X\n---\n", ["title: X"]),
        ("\ufeff---\r\ntitle: X\r\n---\r\n# A\r\n", ["A"]),
    ],
)
def test_c11_front_matter_is_yaml_at_the_start(text, titles):
    """C11: between two lines of dashes, and with a key; all else is what CommonMark makes of it."""
    assert [heading.title for heading in commonmark_headings(text)] == titles


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


@given(
    sections=st.lists(st.tuples(st.integers(1, 4), st.text(alphabet="ab \n.", max_size=80)), min_size=1, max_size=6),
    size=st.integers(8, 60),
    context=st.sampled_from(["none", "path", "continuation"]),
    headings=st.sampled_from(["keep", "strip"]),
)
def test_c12_every_chunk_is_of_one_section_and_carries_its_headings(sections, size, context, headings):
    """C12: no chunk spans two sections, however short; each has its section's path, its context and its own text."""
    text, bounds, path = "", [], []
    for number, (level, body) in enumerate(sections):
        path = [one for one in path if one[0] < level] + [(level, f"h{number}")]
        start = len(text)
        text += f"{'#' * level} h{number}\n\n{body}\n\n"
        bounds.append((start, len(text), tuple(title for _, title in path), f"{'#' * level} h{number}"))
    made = cut(text, size=size, level=4, context=context, headings=headings)
    seen = set()
    for one in made:
        home = [bound for bound in bounds if bound[0] <= one.start and one.end <= bound[1]]
        assert len(home) == 1
        start, _, titles, line = home[0]
        first = start not in seen
        seen.add(start)
        assert one.path == titles
        assert one.text == text[one.start : one.end]
        expected = {
            "none": "",
            "path": " › ".join(titles),
            "continuation": line if headings == "strip" or not first else "",
        }
        assert one.context == expected[context]
    written = [start for (start, *_), (_, body) in zip(bounds, sections, strict=True) if body.strip()]
    assert sorted(seen) == written
