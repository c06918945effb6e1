"""C18 and whole displayed characters: what every chunker can be told to do with the chunks it made."""

from __future__ import annotations

import hashlib
import itertools
import json
import re

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.base import ChunkerOptions
from ragchunk_core.graphemes import cluster_edges
from ragchunk_core.options import options_of
from ragchunk_core.units import UNITS

TEXT = "# A\n\nFirst sentence here. Second one! Third?\n\n## B\n\nA paragraph of its own.\n\nTail."


def fake_vectors(pieces):
    rows = [np.frombuffer(hashlib.blake2b(p.encode(), digest_size=16).digest(), np.uint8) for p in pieces]
    return np.array(rows, dtype=np.float32).reshape(len(pieces), 16) - 127.5


def cut(text, chunker, size, overlap=0, **options):
    return chunk(Document.from_text(text), chunker, size=size, overlap=overlap, embed=fake_vectors, **options)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_c18_every_chunker_has_the_shared_options(chunker):
    """C18: an option for every chunker, shown after its own."""
    names = list(options_of(CHUNKERS[chunker].options))
    assert names[-2:] == list(options_of(ChunkerOptions)) == ["tail", "graphemes"]


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(
    text=st.lists(st.sampled_from(["word", " ", ". ", "\n\n", "\n# H\n\n", "東京。", "X "]), max_size=30).map("".join),
    size=st.integers(1, 20),
    share=st.floats(0, 0.9),
    tail=st.integers(1, 40),
    unit=st.sampled_from(["chars", "words", "cl100k"]),
)
@hypothesis_settings(max_examples=60)
def test_c18_a_short_last_chunk_joins_the_one_before(chunker, text, size, share, tail, unit):
    """C18: the last chunk reaches the minimum or is the only one; all before it are as without the option."""
    overlap = min(size - 1, int(size * share))
    bare = cut(text, chunker, size, overlap, unit=unit)
    made = cut(text, chunker, size, overlap, unit=unit, tail=tail)
    if not len(bare):
        assert not len(made)
        return
    assert len(made) == 1 or made.lengths[-1] >= tail
    assert made.texts()[:-1] == bare.texts()[: len(made) - 1]
    assert made.starts.tolist() == bare.starts.tolist()[: len(made)]
    assert made[-1].end == max(bare.ends.tolist()[len(made) - 1 :])
    if len(made) < len(bare):  # not joined before it had to be
        assert UNITS[unit].count(bare.texts()[len(made)]) < tail or len(bare) - len(made) > 1
        assert made[-1].text == text[made[-1].start : made[-1].end]
    else:
        assert made.texts() == bare.texts()


def test_c18_tiny_tail_of_fixed_windows():
    """C18 as s0 names it: windows end wherever the text does, and the last mostly repeats the one before."""
    text = "x" * 310
    assert cut(text, "fixed", 100, 10).lengths.tolist() == [100, 100, 100, 40]
    assert cut(text, "fixed", 100, 10, tail=40).lengths.tolist() == [100, 100, 100, 40]
    assert cut(text, "fixed", 100, 10, tail=41).lengths.tolist() == [100, 100, 130]


def test_c18_the_joined_chunk_keeps_the_path_that_both_share():
    """C18, C12: of two sections only the common part of the path is true of the joined chunk."""
    text = "# A\n\nintro\n\n## B\n\nbody of b\n\n## C\n\nc"
    bare, made = (cut(text, "markdown", 100, tail=tail, context="path") for tail in (0, 20))
    assert [one.path for one in bare] == [("A",), ("A", "B"), ("A", "C")]
    assert [one.path for one in made] == [("A",), ("A",)]
    assert [one.context for one in made] == ["A", "A › B"]
    assert made[1].text == "## B\n\nbody of b\n\n## C\n\nc"


@pytest.mark.parametrize("value", [-1, 100_001, 1.5, True, "5", None])
def test_c18_the_minimum_is_checked(value):
    """C18: argument, value, allowed range."""
    with pytest.raises(ValueError, match=r"Fixed windows: tail is .*; it must be (from 0 to 100000|a whole number)"):
        cut("text", "fixed", 10, tail=value)


# Displayed characters


@pytest.fixture(scope="module")
def grapheme_tests(shared_data):
    """Unicode 17's own test of UAX #29: texts and the extended grapheme clusters they consist of."""
    made = []
    for name in ("grapheme_break_test_same", "grapheme_break_test_diff_extended"):
        made += json.loads((shared_data / "unicode17" / f"{name}.json").read_text(encoding="utf-8"))
    return [(case["text"], case["parts"]) for case in made]


def test_graphemes_are_those_of_unicodes_own_test(grapheme_tests):
    """Cases uni-01 to uni-03, as a kind: windows of one code point, kept whole, are exactly UAX #29's clusters."""
    assert len(grapheme_tests) == 766
    other = []
    for text, parts in grapheme_tests:
        made = cut(text, "fixed", 1, graphemes=True).texts()
        if made != parts:
            assert set(itertools.accumulate(map(len, made))) < set(itertools.accumulate(map(len, parts)))
            other.append(text)
    # A virama that follows no consonant, which no word has: the library keeps it with the consonant after it.
    assert other == ["\u094d\u0915", "\u094d\u0308\u0915", "a\u094d\u0924", "?\u094d\u0924"]


def test_graphemes_are_found_from_the_middle_of_a_long_text(grapheme_tests):
    """Only the text around a cut is read: the boundary is the same as when all is read from the start."""
    joints = itertools.cycle(["a", " ", "\n", "東", "한", "क"])
    whole = "".join(text + joint for (text, _), joint in zip(grapheme_tests, joints, strict=False))
    every = np.arange(len(whole) + 1)
    before, after = cluster_edges(whole, every)
    edges = [0, *itertools.accumulate(map(len, regex.findall(r"\X", whole)))]
    assert sorted({*before.tolist(), *after.tolist()}) == edges
    for step in (7, 50, 1000):
        few = every[::step]
        again = cluster_edges(whole, few)
        assert again[0].tolist() == before[few].tolist()
        assert again[1].tolist() == after[few].tolist()


CLUSTERS = [
    "👩\u200d👩\u200d👧\u200d👦",
    "🇯🇵",
    "🇫🇷",
    "e\u0301",
    "\r\n",
    "각",
    "क्ष",
    "a",
    " ",
    ". ",
    "\n\n",
    "ก็",
    "\u0600x",
]


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(
    clusters=st.lists(st.sampled_from(CLUSTERS), max_size=25),
    size=st.integers(1, 9),
    share=st.floats(0, 0.9),
    unit=st.sampled_from(["chars", "cl100k", "tokens", "words"]),
)
@hypothesis_settings(max_examples=80)
def test_no_chunker_cuts_a_displayed_character_when_told_not_to(chunker, clusters, size, share, unit):
    """Cases uni-01 to uni-03 and eol-02, as a kind, for every chunker; nothing but white space is lost."""
    text = "".join(clusters)
    made = cut(text, chunker, size, min(size - 1, int(size * share)), unit=unit, graphemes=True)
    edges = {0, *itertools.accumulate(map(len, regex.findall(r"\X", text)))}
    assert {*made.starts.tolist(), *made.ends.tolist()} <= edges
    assert np.all(made.starts < made.ends)
    assert np.all(np.diff(made.starts) >= 0)
    covered = np.zeros(len(text), dtype=bool)
    for start, end in zip(made.starts, made.ends, strict=True):
        covered[start:end] = True
    assert re.sub(r"\s", "", "".join(c for c, inside in zip(text, covered, strict=True) if not inside)) == ""


def test_a_cut_moves_by_less_than_the_character_it_would_break():
    """Sizes hold but for the character that would have been cut."""
    text = "🇯🇵🇫🇷🇩🇪" * 10
    made = cut(text, "fixed", 3, graphemes=True)
    assert made.lengths.tolist() == [4, 2] * 10
