"""One contract for every registered chunker and unit: what must hold of any chunking of any text."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.base import Request
from ragchunk_core.hash_headings import hash_line_headings
from ragchunk_core.headings import commonmark_headings
from ragchunk_core.options import options_of
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
        bare = [(h.start, h.end) for find in (commonmark_headings, hash_line_headings) for h in find(text)]
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


def values_of(rule, default):
    """Every kind of value that an option allows."""
    if rule.choices:
        return st.sampled_from(list(rule.choices))
    if isinstance(default, bool):
        return st.booleans()
    if default == ():  # about one text; tests of their own draw some
        return st.just(())
    if isinstance(default, tuple):  # white space, so that nothing else is lost where separators are dropped
        return st.lists(st.sampled_from(["\n\n", "\n", " ", "", "\t"]), min_size=1, max_size=4).map(tuple)
    low, high = rule.minimum, rule.maximum
    few = st.integers(int(low), int(min(high, low + 60)))
    return st.one_of(few, st.just(int(high))).map(type(default))


def settings_of(chunker):
    params = CHUNKERS[chunker].options
    drawn = {name: values_of(rule, getattr(params(), name)) for name, rule in options_of(params).items()}
    if chunker == "records":  # text that is not what the option says is refused; tests of their own draw that
        drawn["format"] = st.sampled_from(["auto", "lines"])
    return st.fixed_dictionaries({}, optional=drawn)


@pytest.mark.parametrize("chunker", CHUNKERS)
@given(data=st.data(), text=texts, size=sizes, share=st.floats(0, 0.95), unit=st.sampled_from(UNIT_NAMES))
@hypothesis_settings(max_examples=150)
def test_every_chunker_keeps_the_contract_with_any_options(chunker, data, text, size, share, unit):
    """The contract holds for every value of every option, alone and together."""
    options = data.draw(settings_of(chunker))
    try:
        made = cut(text, chunker, size, min(size - 1, int(size * share)), unit, **options)
    except ValueError as error:
        assume("tokens must be" not in str(error))  # two options of the cluster chunker that exclude each other
        raise
    assert_contract(made, text)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_every_option_says_what_it_is_and_is_checked(chunker):
    """C19: a label of a few words, one line of help, bounds or choices, and a sentence for each bad value."""
    params = CHUNKERS[chunker].options
    for name, rule in options_of(params).items():
        default = getattr(params(), name)
        assert 0 < len(rule.label) <= 45
        assert rule.help.endswith(".")
        assert "\n" not in rule.help
        bad = [object(), None, float("nan"), *([] if default == () else [[]])]
        if rule.choices:
            bad += ["no such choice", ["keep"], 7]
        elif isinstance(default, bool):
            bad += [0, 1, "true"]
        elif isinstance(default, tuple):
            bad += ["\n", 3, (1,), ("a", None), ("a",) * 101, *([()] if default else [])]
        else:
            bad += [rule.minimum - 1, rule.maximum + 1, True, "1", float("inf")]
        for value in bad:
            with pytest.raises(ValueError, match=rf"^{re.escape(CHUNKERS[chunker].label)}: {name} is "):
                chunk(Document.from_text("some text"), chunker, **{name: value})


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
        ({"chunker": "recursive", "separators": ()}, r"separators is \(\); it must have from 1 to 100 entries"),
        ({"chunker": "recursive", "separators": ("a", 1)}, "all its entries must be strings"),
        ({"chunker": "recursive", "separators": ("(",), "regex": True}, "is no regular expression"),
        ({"chunker": "markdown", "depth": 2}, "has no option 'depth'; its options are: level"),
    ],
)
def test_c19_bad_settings_are_refused_with_a_sentence(settings, sentence):
    """C19 and the design's rule for errors: the argument, its value, what is allowed."""
    with pytest.raises(ValueError, match=re.compile(sentence)):
        chunk(Document.from_text("some text"), **settings)


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("unit", ["chars", "words", "cl100k"])
def test_c19_more_chunks_than_the_ceiling_are_refused(chunker, unit):
    """C19: exactly the ceiling is allowed, one less is not, and the document is named."""
    text = "A word. " * 40 + "\n\n" + "Another. \n\n# H\n\n" * 10
    many = len(cut(text, chunker, 2, 1, unit, **SMALL.get(chunker, {})))
    assert many > 10
    document = Document.from_text(text, name="big.txt")
    settings = {"size": 2, "overlap": 1, "unit": unit, "embed": fake_vectors, **SMALL.get(chunker, {})}
    assert len(chunk(document, chunker, ceiling=many, **settings)) == many
    with pytest.raises(ValueError, match=rf"'big\.txt' would be cut into .*chunks; at most {many - 1} are allowed"):
        chunk(document, chunker, ceiling=many - 1, **settings)


SMALL = {"semantic": {"chunks": 30}, "cluster": {"tokens": 2, "piece": 2}}
"""Settings that make many chunks of a short text where the size does not."""


@pytest.mark.parametrize("chunker", ["recursive", "prefix-overlap", "sentence", "paragraph"])
def test_c19_the_work_ends_at_the_ceiling(chunker, monkeypatch):
    """C19: where the number does not follow from the sizes, no more than one chunk beyond the ceiling is ever made."""
    document, stopped = Document.from_text("ab cd. Ef\n\n" * 20_000), []
    refuse = Request.refuse_above

    def watched(request, chunks, *, so_far=False):
        stopped.append(chunks)
        refuse(request, chunks, so_far=so_far)

    monkeypatch.setattr(Request, "refuse_above", watched)
    with pytest.raises(ValueError, match="would be cut into more than 100 chunks; at most 100 are allowed"):
        chunk(document, chunker, size=3, overlap=2, ceiling=100, long="cut") if chunker == "sentence" else chunk(
            document, chunker, size=3, overlap=2, ceiling=100
        )
    assert max(stopped) <= 110
