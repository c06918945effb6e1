"""C04, C05, C06, C07, C09: sentences and paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.sentences import RULES, sentence_spans


def sentences(text, rule="rules"):
    return [text[a:b] for a, b in sentence_spans(text, rule).tolist()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Smith met J. Jones at 3.14 p.m. on Fig. 2.", ["Dr. Smith met J. Jones at 3.14 p.m. on Fig. 2."]),
        ("It ran ... then left. It ran... Then it left.", ["It ran ... then left.", "It ran...", "Then it left."]),
        ("“Is it lit?” she asked. (It was.) He nodded.", ["“Is it lit?” she asked.", "(It was.)", "He nodded."]),
        ("See e.g. Section 4 and i.e. this. Done.", ["See e.g. Section 4 and i.e. this.", "Done."]),
        ("Version 2.0 is out. It costs 3.5 euros.", ["Version 2.0 is out.", "It costs 3.5 euros."]),
        ("# Heading\ntext one. Text two.", ["# Heading", "text one.", "Text two."]),
        ("Items:\n- first\n- second\n1. third", ["Items:", "- first", "- second", "1. third"]),
        ("One line\n\nanother", ["One line", "another"]),
        ("猫が好きです。犬も好き！本当？はい。", ["猫が好きです。", "犬も好き！", "本当？", "はい。"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."]),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("He works at Acme Inc. The firm is old.", ["He works at Acme Inc.", "The firm is old."]),
    ],
)  # fmt: skip
def test_c06_rules_know_what_ends_a_sentence(text, expected):
    """C06: stops, abbreviations, initials, decimals, ellipses, quotes, lists, headings, other scripts."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("stops", ["Mr.", "A met e.g.", "B.", "C!", "D\nE", "F"]),
        ("langchain", ["Mr.", "A met e.g.", "B.", "C!", "D\nE\n\nF"]),
    ],
)
def test_c06_the_two_simple_rules(rule, expected):
    """C06: s0's rule breaks at blank lines too, LangChain's only after stops; neither knows abbreviations."""
    assert sentences("Mr. A met e.g. B. C! D\nE\n\nF", rule) == expected


@pytest.mark.parametrize("rule", RULES)
@given(text=st.text(alphabet="aB. !?\n\r\t。؟#-*\"')( 1,", max_size=60))
def test_c06_sentences_and_gaps_are_the_whole_text(rule, text):
    """C06: in order, apart, trimmed, with only white space between."""
    end = 0
    for a, b in sentence_spans(text, rule).tolist():
        assert not text[end:a].strip()
        assert text[a:b] == text[a:b].strip() != ""
        end = b
    assert not text[end:].strip()


TEXT = "Alpha one. Beta two. Gamma three. Delta four. Epsilon five."


def test_c04_one_chunk_a_sentence_ignores_the_size():
    assert chunk(Document.from_text(TEXT), "sentence", size=3, pack=False).texts() == sentences(TEXT)


def test_c04_one_chunk_a_paragraph_ignores_the_size():
    text = "a b\nc\n\nd\n \ne\r\n\r\nf"
    assert chunk(Document.from_text(text), "paragraph", size=1, pack=False).texts() == [
        "a b\nc",
        "d",
        "e",
        "f",
    ]


def test_c05_sentences_are_packed_and_the_last_carried_over():
    """C05: as many as fit; the last one again in the next chunk, unless it does not fit there."""
    made = chunk(Document.from_text(TEXT), "sentence", size=34, carry=1)
    assert made.texts() == [
        "Alpha one. Beta two. Gamma three.",
        "Gamma three. Delta four.",
        "Delta four. Epsilon five.",
    ]
    assert chunk(Document.from_text(TEXT), "sentence", size=34, carry=0).texts() == [
        "Alpha one. Beta two. Gamma three.",
        "Delta four. Epsilon five.",
    ]


def test_c05_overlap_by_size_walks_back_over_whole_sentences():
    """C05: whole units up to the overlap size."""
    made = chunk(Document.from_text(TEXT), "sentence", size=34, overlap=12, overlap_by="size")
    assert made.texts() == [
        "Alpha one. Beta two. Gamma three.",
        "Gamma three. Delta four.",
        "Delta four. Epsilon five.",
    ]
    none = chunk(Document.from_text(TEXT), "sentence", size=34, overlap=10, overlap_by="size")
    assert none.texts() == ["Alpha one. Beta two. Gamma three.", "Delta four. Epsilon five."]


def test_c05_a_sentence_over_the_size_is_kept_or_cut():
    """C05: a chunk of its own (s1), or cut down to size (s2, s4)."""
    text = "Short. " + "X" * 25 + ". End."
    assert chunk(Document.from_text(text), "sentence", size=10).texts() == ["Short.", "X" * 25 + ".", "End."]
    assert chunk(Document.from_text(text), "sentence", size=10, long="cut").texts() == [
        "Short.",
        "X" * 10,
        "X" * 10,
        "XXXXX.",
        "End.",
    ]


@given(
    words=st.lists(st.sampled_from(["Aa bb.", "Ccc!", "Dddd eee f?", "Gg."]), max_size=25),
    size=st.integers(6, 40),
    carry=st.integers(0, 3),
    unit=st.sampled_from(["chars", "words", "tokens", "cl100k"]),
)
def test_c05_packing_equals_a_slow_count(words, size, carry, unit):
    """C05: sentence by sentence, measuring the joined text each time."""
    from ragchunk_core.units import UNITS

    count = UNITS[unit].count
    text = " ".join(words)
    parts = sentence_spans(text).tolist()
    expected, i = [], 0
    while i < len(parts):
        j = i
        while j + 1 < len(parts) and count(text[parts[i][0] : parts[j + 1][1]]) <= size:
            j += 1
        expected.append(text[parts[i][0] : parts[j][1]])
        if j + 1 == len(parts):
            break
        i = max(i + 1, j + 1 - carry)
        while i <= j and count(text[parts[i][0] : parts[j + 1][1]]) > size:
            i += 1
    assert chunk(Document.from_text(text), "sentence", size=size, unit=unit, carry=carry).texts() == expected


def test_c07_paragraphs_share_a_chunk_and_long_ones_are_broken_down():
    """C07: paragraph, then sentences, then windows; or kept whole."""
    text = "One.\n\nTwo.\n\n" + "Long sentence here. " * 4 + "\n\n" + "y" * 30
    made = chunk(Document.from_text(text), "paragraph", size=25)
    assert made[0].text == "One.\n\nTwo."
    assert max(made.lengths) <= 25
    kept = chunk(Document.from_text(text), "paragraph", size=25, long="keep")
    assert [len(t) for t in kept.texts()] == [10, 79, 30]
