"""One contract for every registered chunker and unit: what must hold of any chunking of any text."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.headings import commonmark_headings
from ragchunk_core.units import UNITS

PIECES = [
    "a", "b", "Word", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", ". ", "! ", "? ", ".", "…", "\n# Head\n", "## ",
    "- ",
    "```\n", "| a | b |\n", "> ", "é", "e\u0301", "\u200d", "\u00a0", "\u2028", "🇩🇪", "🚀",
    "👩\u200d👩\u200d👧\u200d👦",
    "東京", "。", "ก", "مرحبا", "؟", "<|endoftext|>", "<b>", "\x00", "\x85", "Dr. Smith ", "3.14 ", "\ufeff", "---\n",
]  # fmt: skip
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(max_size=3).filter(lambda s: s.isprintable())), max_size=40
).map("".join)
sizes = st.integers(1, 30)
UNIT_NAMES = list(UNITS)
EDGE_TEXTS = [
    "",
    "a",
    " ",
    "\n\n",
    "🚀",
    "👩\u200d👩\u200d👧\u200d👦",
    "a\r\nb\r\n\r\nc",
    "e\u0301",
    "<|endoftext|>",
    "# Only a heading",
]


def fake_vectors(pieces):
    """Unit vectors that depend on nothing but the text: the contract is about spans, not about meaning."""
    rows = [np.frombuffer(hashlib.blake2b(p.encode(), digest_size=16).digest(), np.uint8) for p in pieces]
    vectors = np.array(rows, dtype=np.float32).reshape(len(pieces), 16) - 127.5
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def cut(text, chunker, size, overlap, unit, **options):
    return chunk(
        Document.from_text(text),
        chunker,
        size=size,
        overlap=overlap,
        unit=unit,
        embed=fake_vectors,
        **options,
    )


def assert_contract(chunking, text):
    starts, ends = chunking.starts, chunking.ends
    assert starts.dtype == ends.dtype == np.int64
    assert np.all(np.diff(starts) >= 0), "sorted by start"
    assert np.all(starts >= 0), "in bounds"
    assert np.all(ends <= len(text)), "in bounds"
    assert np.all(starts < ends), "no empty chunk"
    if chunking.verbatim:
        for one in chunking:
            assert one.text == text[one.start : one.end]
    covered = np.zeros(len(text), dtype=bool)
    for start, end in zip(starts, ends, strict=True):
        covered[start:end] = True
    lost = [i for i in np.flatnonzero(~covered).tolist() if not text[i].isspace()]
    if chunking.chunker == "markdown":
        bare = [(h.start, h.end) for h in commonmark_headings(text)]
        lost = [i for i in lost if not any(a <= i < b for a, b in bare)]
    assert not lost, f"lost {[text[i] for i in lost]}"


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(text=texts, size=sizes, share=st.floats(0, 0.95), unit=st.sampled_from(UNIT_NAMES))
def test_every_chunker_keeps_the_contract(chunker, text, size, share, unit):
    """C01, C04, C05, C07, C08, C11, C14: sorted, in bounds, slices, nothing lost but white space, deterministic."""
    overlap = min(size - 1, int(size * share))
    made = cut(text, chunker, size, overlap, unit)
    assert_contract(made, text)
    again = cut(text, chunker, size, overlap, unit)
    assert again.starts.tolist() == made.starts.tolist()
    assert again.ends.tolist() == made.ends.tolist()
    assert again.texts() == made.texts()


@pytest.mark.parametrize("chunker", [name for name, one in CHUNKERS.items() if one.bounded])
@given(text=texts, size=sizes, share=st.floats(0, 0.95), unit=st.sampled_from(["chars", "words"]))
def test_bounded_chunkers_never_pass_the_size(chunker, text, size, share, unit):
    """The size bound, where a unit of a slice is the unit of the text: characters and words."""
    made = cut(text, chunker, size, min(size - 1, int(size * share)), unit)
    # A word boundary inside white space can leave white space alone in a slice, which counts as one unit.
    assert np.all(made.lengths <= size)


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("unit", UNIT_NAMES)
@pytest.mark.parametrize("text", EDGE_TEXTS)
def test_edge_texts_are_cut_by_every_chunker_in_every_unit(chunker, unit, text):
    """Empty text, one character, emoji, ZWJ sequences, CRLF."""
    made = cut(text, chunker, 3, 1, unit)
    assert_contract(made, text)
    if not text:
        assert len(made) == 0


@pytest.mark.parametrize("unit", UNIT_NAMES)
@given(text=texts)
def test_unit_starts_are_ordered_offsets_that_count_the_text(unit, text):
    """U01–U07: one start a unit, ascending, inside the text, the first at 0."""
    starts = UNITS[unit].starts(text)
    assert np.all(np.diff(starts) >= 0)
    if text and len(starts):
        assert starts[0] >= 0
        assert starts[-1] < len(text)
    if UNITS[unit].exact and unit != "wordpieces":
        assert len(starts) == UNITS[unit].count(text)


@pytest.mark.parametrize("unit", UNIT_NAMES)
@given(pieces=st.lists(texts, max_size=6))
def test_counting_many_pieces_equals_counting_each(unit, pieces):
    """U01–U07: pieces counted together are counted as if each stood alone."""
    measure = UNITS[unit]
    assert measure.counts(pieces).tolist() == [measure.count(piece) for piece in pieces]


@given(text=texts, size=sizes, unit=st.sampled_from(UNIT_NAMES))
def test_c01_windows_without_overlap_join_to_the_text(text, size, unit):
    """C01: no window loses or repeats a code point where the overlap is 0 (tokens inside a character included)."""
    made = cut(text, "fixed", size, 0, unit)
    if unit != "wordpieces":  # white space between word pieces belongs to none
        assert "".join(made.texts()) == text


def test_lone_surrogates_are_refused_at_the_door():
    """D03: half a character never reaches a chunker."""
    with pytest.raises(ValueError, match=r"lone surrogate.*position 1"):
        Document.from_text("a\ud800b")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"size": 0}, "size is 0; it must be a whole number, 1 or more"),
        ({"size": -5}, "size is -5"),
        ({"size": 2.5}, "size is 2.5"),
        ({"size": 10, "overlap": 10}, "overlap is 10 and the size is 10; the overlap must be from 0 to 9"),
        ({"size": 10, "overlap": -1}, "overlap is -1"),
        ({"size": 10, "overlap": "120%"}, "overlap is 120%"),
        ({"size": 10, "overlap": "many"}, "percentage such as '15%'"),
        ({"unit": "miles"}, "unit is 'miles'; allowed are chars, words"),
        ({"chunker": "magic"}, "chunker is 'magic'; allowed are fixed"),
        ({"chunker": "sentence", "carry": -1}, "carry is -1; it must be from 0 to 20"),
        ({"chunker": "sentence", "carry": True}, "carry is True; it must be a whole number"),
        ({"chunker": "sentence", "rule": "best"}, "rule is 'best'; allowed are 'rules'"),
        ({"chunker": "recursive", "separators": "\n"}, "separators is '\\\\n'; it must be a list"),
        ({"chunker": "recursive", "separators": ()}, "at least one string"),
        ({"chunker": "recursive", "separators": ("(",), "regex": True}, "is no regular expression"),
        ({"chunker": "markdown", "depth": 2}, "has no option 'depth'; its options are: level"),
    ],
)
def test_c19_bad_settings_are_refused_with_a_sentence(settings, sentence):
    """C19 and the design's rule for errors: the argument, its value, what is allowed."""
    with pytest.raises(ValueError, match=re.compile(sentence)):
        chunk(Document.from_text("some text"), **settings)


def test_c19_more_chunks_than_the_ceiling_are_refused():
    """C19: refused before the work where sizes decide, after it where only the text does."""
    with pytest.raises(ValueError, match=r"about 1,000 chunks; at most 100 are allowed"):
        chunk(Document.from_text("a" * 1000), "fixed", size=1, ceiling=100)
    with pytest.raises(ValueError, match="at most 100 are allowed"):
        chunk(Document.from_text("A. " * 500), "sentence", pack=False, size=100, ceiling=100)


@pytest.mark.parametrize(
    ("size", "share", "overlap"),
    [
        (300, "15%", 45),
        (100, "12.5%", 12),
        (7, "50%", 3),
        (1000, "0%", 0),
        (3, "99%", 2),
        (29, "100 %", None),
    ],
)
def test_c02_overlap_percentage_is_rounded_down(size, share, overlap):
    """C02: ⌊size × overlap %⌋, in exact arithmetic."""
    if overlap is None:
        with pytest.raises(ValueError, match="the overlap must be from 0 to 28"):
            chunk(Document.from_text("x" * 50), "fixed", size=size, overlap=share)
    else:
        assert chunk(Document.from_text("x" * 5000), "fixed", size=size, overlap=share).overlap == overlap
