"""C04, C05, C07, C09, C10, C13: whole units packed up to the size, and what becomes of long ones."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers.section import capital_headings
from ragchunk_core.units import UNITS

LONG = "One enormously long sentence that goes on and on without any stop until it has well passed the size"


def cut(text, chunker, size, overlap=0, **options):
    return chunk(Document.from_text(text), chunker, size=size, overlap=overlap, **options)


def slow_pack(parts, size, carried, length=len):
    """Greedy packing, one part after the other: ranges of indices. ``carried`` gives how many parts may be repeated."""
    ranges, current = [], []
    joined = " ".join
    for index, part in enumerate(parts):
        if current and length(joined([parts[i] for i in current] + [part])) > size:
            ranges.append(list(current))
            keep = carried([parts[i] for i in current])
            current = current[len(current) - keep :] if keep else []
            while current and length(joined([parts[i] for i in current] + [part])) > size:
                current.pop(0)
            if current == ranges[-1]:  # a chunk is never the start of the next one
                current.pop(0)
        current.append(index)
    return [*ranges, current] if current else ranges


sentences = st.lists(st.integers(1, 12).map(lambda n: "Ab" + "c" * n + "."), min_size=1, max_size=14)


@pytest.mark.parametrize("unit", ["chars", "chars4", "chars38", "words"])
@given(
    parts=st.lists(st.sampled_from(["A.", "Ab.", "Abc.", "Abcd.", "Abcdefgh ij."]), min_size=1, max_size=40),
    size=st.integers(1, 40),
    carry=st.integers(0, 3),
)
def test_c05_sentences_packed_with_the_last_n_carried_over(unit, parts, size, carry):
    """C05: by a second, slow way; carried sentences that leave no room are given up, the first ones first.

    In units that round, the parts' lengths do not add up to the chunk's.
    """
    made = cut(" ".join(parts), "sentence", size, carry=carry, unit=unit, rule="stops")
    expected = slow_pack(parts, size, lambda chunk_parts: min(carry, len(chunk_parts)), UNITS[unit].count)
    assert made.texts() == [" ".join(parts[i] for i in one) for one in expected]


@given(parts=sentences, size=st.integers(4, 40), share=st.floats(0, 0.95))
def test_c05_overlap_walks_back_whole_sentences(parts, size, share):
    """C05 as s4: whole sentences are repeated while together they are no longer than the overlap."""
    overlap = min(size - 1, int(size * share))

    def carried(chunk_parts):
        keep = 0
        while keep < len(chunk_parts) and len(" ".join(chunk_parts[len(chunk_parts) - keep - 1 :])) <= overlap:
            keep += 1
        return keep

    made = cut(" ".join(parts), "sentence", size, overlap, overlap_by="size")
    assert made.texts() == [" ".join(parts[i] for i in one) for one in slow_pack(parts, size, carried)]


@pytest.mark.parametrize("unit", UNITS)
def test_c05_in_every_unit_a_chunk_is_within_the_size_and_the_next_sentence_would_not_fit(unit, shared_data):
    """C05: greedy in every unit; only a sentence that is too long by itself passes the size."""
    text = (shared_data / "chroma" / "state_of_the_union.md").read_text(encoding="utf-8")[:6_000]
    count = UNITS[unit].count
    size = 300 if unit == "chars" else 60
    single = cut(text, "sentence", size, unit=unit, pack=False)
    ends = single.ends.tolist()
    made = cut(text, "sentence", size, unit=unit, carry=0)
    for one in made:
        alone = one.start in single.starts and one.end == ends[single.starts.tolist().index(one.start)]
        assert count(one.text) <= size or alone
    for one, after in itertools.pairwise(made):
        following = ends[single.starts.tolist().index(after.start)]
        assert count(text[one.start : following]) > size


def test_c05_a_long_sentence_is_kept_or_cut():
    """C05: a chunk of its own (s1), or cut down to the size (s2, s4)."""
    text = f"Short one. {LONG}. Another short one."
    kept = cut(text, "sentence", 30)
    assert kept.texts() == ["Short one.", LONG + ".", "Another short one."]
    by_size = cut(text, "sentence", 30, 10, long="cut")
    assert by_size.texts()[0] == "Short one."
    assert by_size.texts()[-1] == "Another short one."
    middle = by_size.texts()[1:-1]
    assert all(len(piece) <= 30 for piece in middle)
    assert middle == [(LONG + ".")[i : i + 30] for i in range(0, len(LONG) + 1 - 10, 20)]


def test_c04_one_chunk_a_sentence_and_one_a_paragraph():
    """C04: the size is ignored."""
    text = "One. Two! Three?\n\nFour. Five.\n \nSix."
    assert cut(text, "sentence", 1, pack=False).texts() == ["One.", "Two!", "Three?", "Four.", "Five.", "Six."]
    assert cut(text, "paragraph", 1, pack=False).texts() == ["One. Two! Three?", "Four. Five.", "Six."]


paragraphs = st.lists(st.integers(1, 12).map(lambda n: "p" * n), min_size=1, max_size=12)


@given(parts=paragraphs, size=st.integers(2, 40), share=st.floats(0, 0.95), long=st.sampled_from(["keep", "split"]))
def test_c07_paragraphs_packed_with_whole_ones_repeated(parts, size, share, long):
    """C07: two short ones share a chunk; overlap by whole paragraphs, by a second, slow way."""
    size = max(size, max(map(len, parts))) if long == "split" else size
    overlap = min(size - 1, int(size * share))

    def length(text):
        return len(text.replace(" ", "\n\n"))

    def carried(chunk_parts):
        keep = 0
        while keep < len(chunk_parts) and length(" ".join(chunk_parts[len(chunk_parts) - keep - 1 :])) <= overlap:
            keep += 1
        return keep

    made = cut("\n\n".join(parts), "paragraph", size, overlap, long=long)
    assert made.texts() == ["\n\n".join(parts[i] for i in one) for one in slow_pack(parts, size, carried, length)]


def test_c07_a_long_paragraph_is_kept_or_broken_into_sentences_and_windows():
    """C07: paragraph → sentences → window, by an option; its neighbours stay whole."""
    text = f"Short.\n\nFirst of two. Second of two. {LONG}.\n\nEnd."
    assert cut(text, "paragraph", 30, long="keep").texts() == [
        "Short.", f"First of two. Second of two. {LONG}.", "End.",
    ]  # fmt: skip
    windows = [(LONG + ".")[i : i + 30] for i in range(0, len(LONG) + 1, 30)]
    assert cut(text, "paragraph", 30).texts() == ["Short.", "First of two. Second of two.", *windows, "End."]


# C09


def slow_sentence_buffer(text, size, length):
    """The rule as the RAG Chunking Playground tells it."""
    pieces = [piece.strip() for piece in re.split(r"(?<=[.!?])\s+|\n[ \t]*\n", text)]
    buffers = []
    for piece in filter(None, pieces):
        if buffers and length(buffers[-1] + piece) <= size:
            buffers[-1] += piece
        else:
            buffers.append(piece)
    return buffers


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [1, 40, 300])
def test_c09_the_buffer_closes_when_the_next_piece_would_pass_the_size(shared_data, unit, size):
    """C09 on real text, in every unit: by a second, slow way."""
    text = (shared_data / "chroma" / "wikitexts.md").read_text(encoding="utf-8")[:8_000]
    made = cut(text, "sentence-buffer", size, unit=unit)
    assert made.texts() == slow_sentence_buffer(text, size, UNITS[unit].count)
    assert not made.verbatim
    for one in made:  # the span runs from the first piece to the last
        assert re.sub(r"\s", "", text[one.start : one.end]) == re.sub(r"\s", "", one.text)


# C10


def test_c10_s2_worked_example(shared_data):
    """C10: size 512, overlap 64 in the tool's own estimate: what is new fits into 512, the 64 before stand in front."""
    text = (shared_data / "chroma" / "state_of_the_union.md").read_text(encoding="utf-8")
    count, starts = UNITS["chars38"].count, UNITS["chars38"].starts
    made = cut(text, "prefix-overlap", 512, 64, unit="chars38")
    bare = cut(text, "prefix-overlap", 512, 0, unit="chars38")
    assert "".join(bare.texts()) == text
    assert made.ends.tolist() == bare.ends.tolist()
    assert all(count(one.text) <= 512 for one in bare)
    for before, one, new in zip(made, list(made)[1:], list(bare)[1:], strict=False):
        assert one.start == before.start + starts(before.text)[-64]
        assert one.text.endswith(new.text)
        assert before.text.endswith(text[one.start : new.start])
        assert 60 <= count(text[one.start : new.start]) <= 65


def test_c10_separators_in_order():
    """C10: paragraphs, else lines, else after ". ", else spaces, else anywhere; each stays with what it ends."""
    assert cut("aa bb\n\ncc dd", "prefix-overlap", 8).texts() == ["aa bb\n\n", "cc dd"]
    assert cut("aa bb\ncc dd", "prefix-overlap", 8).texts() == ["aa bb\n", "cc dd"]
    assert cut("aa. bb. cc dd", "prefix-overlap", 8).texts() == ["aa. bb. ", "cc dd"]
    assert cut("aa bb cc dd", "prefix-overlap", 8).texts() == ["aa bb ", "cc dd"]
    assert cut("aabbccddee", "prefix-overlap", 8).texts() == ["aabbccdd", "ee"]


def test_c10_a_piece_is_broken_only_where_it_does_not_fit():
    """C10: greedy to the budget at each level, as a second look at every cut shows."""
    text = "Aa bb cc. Dd ee.\nFf gg.\n\nHh ii jj kk ll mm nn oo pp.\n\nQq.\n\nRr."
    made = cut(text, "prefix-overlap", 20)
    assert made.texts() == ["Aa bb cc. Dd ee.\n", "Ff gg.\n\n", "Hh ii jj kk ll mm ", "nn oo pp.\n\n", "Qq.\n\nRr."]


@given(
    text=st.lists(st.sampled_from(["ab", "c", " ", ". ", "\n", "\n\n", "東京", "👩\u200d👧"]), max_size=40).map(
        "".join
    ),
    size=st.integers(1, 20),
    share=st.floats(0, 0.95),
    unit=st.sampled_from(list(UNITS)),
)
def test_c10_every_chunk_starts_with_the_end_of_the_one_before(text, size, share, unit):
    """C10: the last N units of the chunk before, or all of it where it is shorter."""
    overlap = min(size - 1, int(size * share))
    made = cut(text, "prefix-overlap", size, overlap, unit=unit)
    for before, one in itertools.pairwise(made):
        units = UNITS[unit].starts(before.text).tolist()
        if not overlap:
            assert one.start >= before.end
        else:
            assert one.start - before.start == (units[-overlap] if len(units) >= overlap else 0)


# C13


CAPITALS = """RUNBOOK

First paragraph.

Second paragraph.

## Alerts

Body of alerts.

REPLICATION LAG
Body of the lag.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT
WARRANTY OF ANY KIND.

```
NOT A HEADING
```

- TODO
"""


def test_c13_sections_open_at_headings_and_at_lines_in_capitals():
    """C13: paragraphs are packed inside their section and never across two."""
    made = cut(CAPITALS, "section", 400)
    assert [one.path for one in made] == [("RUNBOOK",), ("Alerts",), ("Alerts", "REPLICATION LAG")]
    assert [one.text.split("\n")[0] for one in made] == ["RUNBOOK", "## Alerts", "REPLICATION LAG"]
    assert made[0].text.endswith("Second paragraph.")
    assert made[2].text.endswith("- TODO")


def test_c13_s2_sample_heading_breaks_though_both_sides_would_fit():
    """C13: the tool's own sample has one heading among three paragraphs."""
    text = "RAG pairs a model with a store.\n\nIt holds vectors.\n\n# Chunk size matters\n\nToo small loses context."
    assert cut(text, "section", 1_000).texts() == [
        "RAG pairs a model with a store.\n\nIt holds vectors.",
        "# Chunk size matters\n\nToo small loses context.",
    ]


def test_c13_paragraphs_inside_a_section():
    """C13: packed to the size, long ones broken down or kept, whole ones repeated up to the overlap."""
    text = "# A\n\nOne one one.\n\nTwo two two.\n\nThree three.\n\n# B\n\nFour."
    made = cut(text, "section", 30, 14)
    assert made.texts() == [
        "# A\n\nOne one one.",
        "One one one.\n\nTwo two two.",
        "Two two two.\n\nThree three.",
        "# B\n\nFour.",
    ]
    assert [one.path for one in made] == [("A",)] * 3 + [("B",)]
    assert cut(text, "section", 5, long="keep").texts()[1] == "One one one."
    assert max(map(len, cut(text, "section", 5).texts())) == 5


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("INTRODUCTION", True),
        ("1. SCOPE AND PURPOSE", True),
        ("ÜBERBLICK", True),
        ("ОБЗОР", True),
        ("Introduction", False),
        ("A", False),
        ("1234", False),
        ("- TODO", False),
        ("| A | BC |", False),
        ("概要", False),
        ("A" * 60, True),
        ("A" * 61, False),
    ],
)
def test_c13_which_lines_are_headings(line, is_heading):
    """C13: short, all capitals, two letters or more, no list item and no table row."""
    found = capital_headings(f"text\n\n{line}\n\nmore text", 60)
    assert [one.title for one in found] == ([line] if is_heading else [])


def test_c13_fences_and_runs_of_capitals_are_no_headings():
    """C13: what stands in a fence, and lines in capitals that follow each other directly."""
    text = "~~~~\nIN\n~~~\nSTILL IN\n~~~~\nOUT\n\nLOUD\nLOUDER\nLOUDEST\n\nALONE\r\nx"
    assert [one.title for one in capital_headings(text, 60)] == ["OUT", "ALONE"]
    assert capital_headings(text, 0) == []
