"""Reported faults of other chunkers in recursive splitting, windows, overlap, tokens, Unicode and line endings, by id.

The inputs stand in ``cases.jsonl`` with the reports they come from; what is right stands here. Where a report stands
for a kind of fault, the kind is tested too: in ``test_recursive_random.py``, ``test_windows.py``,
``test_finishing.py``, in the contract of all chunkers, and at the end of this file.
"""

from __future__ import annotations

import hashlib
import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.headings import commonmark_headings
from ragchunk_core.offsets import offsets_of
from ragchunk_core.units import UNITS

OURS = ("recursive", "fixed windows", "overlap", "tokens", "unicode", "line endings")


def fake_vectors(pieces):
    rows = [np.frombuffer(hashlib.blake2b(p.encode(), digest_size=16).digest(), np.uint8) for p in pieces]
    return np.array(rows, dtype=np.float32).reshape(len(pieces), 16) - 127.5


def cut(text, chunker, **settings):
    return chunk(Document.from_text(text), chunker, embed=fake_vectors, **settings)


def placed(made):
    return [(one.text, one.start) for one in made]


def assert_slices(made, text):
    """Every chunk is where it says, and starts never go back."""
    assert made.verbatim
    assert all(one.text == text[one.start : one.end] for one in made)
    assert np.all(np.diff(made.starts) >= 0)


def rec_02(text):
    """Sizes in tokens: every start is true, also of the chunk whose start was -1."""
    made = cut(text, "recursive", size=6, overlap=3, unit="cl100k")
    assert_slices(made, text)
    assert ("long word and uncharacteristically", 34) in placed(made)


def rec_03(text):
    made = cut(text, "recursive", size=5, overlap=2, unit="words")
    assert placed(made) == [
        ("one two three four five", 0), ("four five six seven eight", 14), ("seven eight nine ten eleven", 28),
        ("ten eleven twelve", 45),
    ]  # fmt: skip


def rec_04(text):
    made = cut(text, "recursive", size=13, overlap=7)
    assert placed(made) == [("ref 12\nref 12", 0), ("ref 12", 14), ("ref 12", 22), ("ref 123", 29)]


def rec_05(text):
    """A string is refused where a list belongs; a list without a last resort gives a chunk that is seen to be long."""
    with pytest.raises(ValueError, match=r"separators is '\\n\\n'; it must be a list, not one string"):
        cut(text, "recursive", size=4, separators="\n\n")
    made = cut(text, "recursive", size=4, separators=["\n\n"])
    assert made.texts() == [text]
    assert made.lengths.tolist() == [11]


def rec_06(text):
    made = cut(text, "recursive", size=10, separators=("\n\n", "\n", " "))
    assert made.texts() == ["short", " abcdefghijklmnopqrstuvwxyz", "end"]
    assert made.lengths.tolist() == [5, 27, 3]  # 27 > 10 is there for the page to say


def rec_08(text):
    made = cut(text, "recursive", size=20, separators=(r"\s+",), regex=True, keep="none")
    assert_slices(made, text)
    assert placed(made) == [("alpha  beta\tgamma", 0), ("delta", 18)]


def rec_10(text):
    made = cut(text, "recursive", size=12, separators=(r"(\d)\.",), regex=True)
    assert made.texts() == ["intro", "1. alpha", "2. beta", "3. gamma"]


def rec_11(text):
    """No chunk is the captured digit; what was dropped is in no span."""
    made = cut(text, "recursive", size=12, separators=(r"(\d)\.",), regex=True, keep="none")
    assert placed(made) == [("intro", 0), ("alpha", 9), ("beta", 18), ("gamma", 26)]


def rec_13(text):
    made = cut(text, "recursive", size=14, separators=(". ", " ", ""), keep="none")
    assert placed(made) == [("It rained", 0), ("We ran", 11), ("We hid.", 19)]
    spans = list(zip(made.starts.tolist(), made.ends.tolist(), strict=True))
    assert [(before[1], after[0]) for before, after in itertools.pairwise(spans)] == [(9, 11), (17, 19)]


def rec_14(text):
    made = cut(text, "recursive", size=20, overlap=8)
    assert made.texts() == ["Alpha beta gamma.", "Delta epsilon zeta."]
    assert offsets_of(made).overlaps.tolist() == [0, 0]


def fix_01(text):
    """Overlap close to the size ends, moves on and covers all, whatever the chunker pulls its cuts to."""
    for chunker in CHUNKERS:
        made = cut(text, chunker, size=60, overlap=58)
        covered = np.zeros(len(text), dtype=bool)
        for start, end in zip(made.starts, made.ends, strict=True):
            covered[start:end] = True
        assert np.all(np.diff(made.starts) > 0)
        assert "".join(c for c, inside in zip(text, covered, strict=True) if not inside).strip() == ""
    made = cut(text, "fixed", size=60, overlap=58)
    assert (made.starts[0], made.ends[-1]) == (0, 240)
    assert np.all(made.starts[1:] <= made.ends[:-1])


def fix_03(text):
    for chunker in CHUNKERS:
        with pytest.raises(ValueError, match="The overlap is -1 and the size is 3; the overlap must be from 0 to 2"):
            cut(text, chunker, size=3, overlap=-1)


def fix_05(text):
    assert cut(text, "fixed", size=8).texts() == ["xyzxyzxy", "zxyzxyzx", "yzxyzxyz"]


def uni_01(text):
    """LangChain's cut by code points, and the family whole where that is wanted."""
    made = cut(text, "recursive", size=3).texts()
    assert [[f"{ord(c):X}" for c in one] for one in made] == [
        ["1F469", "200D", "1F469"], ["200D", "1F467", "200D"], ["1F466", "6F", "6B"],
    ]  # fmt: skip
    assert cut(text, "recursive", size=3, graphemes=True).texts() == [text[:7], "ok"]


def uni_02(text):
    made = cut(text, "recursive", size=3, graphemes=True)
    assert {*made.starts.tolist(), *made.ends.tolist()} <= {0, 2, 4, 6}
    assert "".join(made.texts()) == text


def uni_03(text):
    assert text[3:5] == "e\u0301"
    for chunker in CHUNKERS:
        made = cut(text, chunker, size=4, graphemes=True)
        assert 4 not in {*made.starts.tolist(), *made.ends.tolist()}


def uni_05(text):
    assert cut(text, "recursive", size=6).texts() == ["今日は晴れ。", "明日は雨かも", "しれない。"]
    assert cut(text, "sentence", size=6).texts() == ["今日は晴れ。", "明日は雨かもしれない。"]


def eol_01(text):
    made = cut(text, "markdown")
    assert made.starts.tolist() == [0, 16]
    assert (text.index("beta"), made[1].end) == (24, 28)


def eol_02(text):
    assert cut(text, "recursive", size=4, strip=False).texts() == ["abcd", "\r", "\nefg", "h"]
    made = cut(text, "recursive", size=4, strip=False, graphemes=True)
    assert 5 not in {*made.starts.tolist(), *made.ends.tolist()}
    assert "".join(made.texts()) == text


def eol_03(text):
    headings = commonmark_headings(text)
    assert [(one.title, one.level) for one in headings] == [("A\u2028# B", 1), ("C", 1)]
    assert text[: headings[1].start].count("\n") == 3  # the fourth line


def tok_01(text):
    made = cut(text, "fixed", size=2, unit="cl100k")
    assert_slices(made, text)
    assert "".join(made.texts()) == text
    assert "\ufffd" not in text


def tok_02(text):
    assert cut(text, "fixed", size=5, overlap=3, unit="cl100k").starts.tolist()[:5] == [0, 7, 17, 27, 35]


def tok_03(text):
    assert UNITS["cl100k"].count(text) == 12
    assert "".join(cut(text, "fixed", size=10, unit="cl100k").texts()) == text


def tok_04(text):
    """Three documents in, three out; one that cannot be cut is named."""
    documents = [Document.from_text(words, name=words[0]) for words in ("a b", "b <|endoftext|> c", "c d")]
    for unit in UNITS:
        made = chunk(documents, "recursive", size=3, unit=unit)
        assert [one.document.name for one in made] == ["a", "b", "c"]
        assert all(len(one) for one in made)
    with pytest.raises(ValueError, match="'b' would be cut into"):
        chunk(documents, "fixed", size=1, ceiling=3)


def tok_06(text):
    made = cut(text, "fixed", size=4, unit="wordpieces")
    assert_slices(made, text)
    assert made.texts() == ["NASA’s O", "2 level: 3", ".5%"]  # nasa ’ s o | ##2 level : 3 | . 5 %


def ovl_01(text):
    """Where overlap is put in front, the chunk's start moves with it."""
    made = cut(text, "prefix-overlap", size=20, overlap=5)
    assert_slices(made, text)
    assert placed(made)[:2] == [("Alpha beta gamma. ", 0), ("mma. Delta epsilon zeta. ", 13)]
    assert_slices(cut(text, "recursive", size=20, overlap=5), text)


def ovl_03(text):
    for chunker in [name for name, one in CHUNKERS.items() if one.bounded]:
        made = cut(text, chunker, size=5, overlap="50%")
        assert max(map(len, made.texts())) <= 5


def ovl_04(text):
    """A path longer than the size is counted apart: nothing is raised and nothing is cut off."""
    path = "A heading path of many more tokens than the chunks may have, so that nothing would be left of them"
    made = cut(f"# {path}\n\n{text}", "markdown", size=10, unit="cl100k", context="path", headings="strip")
    assert [(one.text, one.context) for one in made] == [(text, path)]
    assert made.lengths.tolist() == [2]


CASES = {
    name.replace("_", "-"): value
    for name, value in list(globals().items())
    if name[:4] in ("rec_", "fix_", "uni_", "eol_", "tok_", "ovl_")
}


@pytest.fixture(scope="module")
def reported(shared_data):
    lines = (shared_data / "cases.jsonl").read_text(encoding="utf-8").split("\n")  # not splitlines: see eol-03
    cases = map(json.loads, filter(None, lines))
    return {case["id"]: case for case in cases if case["component"].startswith(OURS)}


@pytest.mark.parametrize("case", CASES)
def test_reported_fault(reported, case):
    """Each report's own input gets the right answer."""
    CASES[case](reported[case]["input"])


def test_every_reported_fault_of_these_components_is_a_test(reported):
    """No line is left out."""
    assert set(reported) == set(CASES)


# Kinds

NASTY = [
    "word", " ", "  ", "\n", "\r\n", "\n\n", ". ", "k1   ", "<|endoftext|>", "東京。", "e\u0301", "👩\u200d👧",
    "NASA’s", "\u2028", "# H\n",
]  # fmt: skip
texts = st.lists(st.sampled_from(NASTY), max_size=30).map("".join)


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(text=texts, size=st.integers(2, 12), unit=st.sampled_from(list(UNITS)))
@hypothesis_settings(max_examples=60)
def test_an_overlap_one_below_the_size_always_ends(chunker, text, size, unit):
    """Case fix-01, as a kind: no chunk starts before the one in front of it, or is inside it where windows are cut."""
    made = cut(text, chunker, size=size, overlap=size - 1, unit=unit, ceiling=10_000)
    assert np.all(np.diff(made.starts) >= 0)
    assert len(made) <= 2 * max(1, len(text))


@pytest.mark.parametrize("chunker", [name for name, one in CHUNKERS.items() if one.bounded])
@given(text=texts, size=st.integers(1, 12), share=st.floats(0, 0.95))
@hypothesis_settings(max_examples=80)
def test_no_chunk_passes_the_size_for_having_an_overlap(chunker, text, size, share):
    """Case ovl-03, as a kind: the size is the maximum with and without overlap."""
    made = cut(text, chunker, size=size, overlap=min(size - 1, int(size * share)))
    assert all(end - start <= size for start, end in zip(made.starts, made.ends, strict=True))


@pytest.mark.parametrize("unit", UNITS)
@given(text=texts)
def test_special_token_text_is_ordinary_in_every_unit(unit, text):
    """Cases tok-03 and tok-04, as a kind: counted and placed like any other text."""
    special = text + "<|endoftext|><|fim_prefix|>" + text
    assert UNITS[unit].count(special) >= UNITS[unit].count(text)
    made = cut(special, "fixed", size=3, unit=unit)
    assert_slices(made, special)
    assert made.ends[-1] == len(special)
