"""V05: each warning flags what its definition says, and nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunking import Chunking
from ragchunk_core.lint import LIMITS, Limit, lint
from ragchunk_core.lost_subjects import lost_subject
from ragchunk_core.samples import sample_corpus
from ragchunk_core.spans import as_offsets
from ragchunk_core.units import UNITS
from ragchunk_core.wordpieces import word_pieces


def cut_at(text, *places, **columns):
    """A chunking by hand: from each place to the next."""
    return of_spans(text, list(itertools.pairwise(places)), **columns)


def of_spans(text, spans, **columns):
    starts, ends = (as_offsets([span[side] for span in spans]) for side in (0, 1))
    return Chunking(Document.from_text(text), "by hand", 100, 0, "chars", None, starts, ends, **columns)


def flagged(chunking, rule, **options):
    return [index for found in lint(chunking, **options) if found.rule.name == rule for index in found.chunks.tolist()]


def pieces(text, *parts, **columns):
    """A chunking whose chunks are these parts of the text, found from left to right."""
    spans, at = [], 0
    for part in parts:
        at = text.index(part, at)
        spans.append((at, at + len(part)))
    return of_spans(text, spans, **columns)


# cut-sentence


def test_v05_a_chunk_that_starts_or_ends_inside_a_sentence():
    text = "One goes first. The second is longer. A third."
    assert flagged(pieces(text, "One goes first.", "The second is longer.", "A third."), "cut-sentence") == []
    assert flagged(pieces(text, "One goes first. The", "second is longer.", "A third."), "cut-sentence") == [0, 1]
    assert flagged(pieces(text, "One goes", "second is longer. A third."), "cut-sentence") == [0, 1]


@pytest.mark.parametrize(
    "parts",
    [
        ("# Title", "Dr. Smith paid 3.50 to J. Doe."),  # a heading, abbreviations, decimals, initials
        ("# Title\n\n", "Dr. Smith paid 3.50 to J. Doe.\n\n- first item\n", "- second item"),
        ("- first item", "- second item"),
    ],
)  # fmt: skip
def test_v05_cuts_between_sentences_headings_and_items_are_sound(parts):
    text = "# Title\n\nDr. Smith paid 3.50 to J. Doe.\n\n- first item\n- second item"
    assert flagged(pieces(text, *parts), "cut-sentence") == []


def test_v05_code_has_no_sentences_but_the_text_around_it_has():
    text = "Run this:\n\n```sh\nfirst --one\nsecond --two\n```\n\nThen wait for it."
    assert flagged(pieces(text, "Run this:\n\n```sh\nfirst --one", "second --two\n```"), "cut-sentence") == []
    assert flagged(pieces(text, "Run", "second --two\n```\n\nThen wait"), "cut-sentence") == [0, 1]


@given(st.integers(1, 60))
def test_v05_the_sentence_chunker_never_cuts_a_sentence(size):
    """An identity: whole sentences by the same rule are never flagged."""
    text = sample_corpus().documents[1].text[:3_000]
    made = chunk(Document.from_text(text), "sentence", size=size * 10, rule="rules")
    assert flagged(made, "cut-sentence") == []


def test_v05_the_sentence_rule_agrees_with_a_plain_count():
    """Windows over prose, against a loop over all sentences."""
    document = sample_corpus().documents[1]
    made = chunk(document, "fixed", size=97, overlap=13)
    spans = chunk(document, "sentence", pack=False)
    slow = [
        index
        for index, one in enumerate(made)
        if any(s.start < place < s.end for s in spans for place in (one.start, one.end))
    ]
    assert flagged(made, "cut-sentence") == slow


# table-header

TABLE = "Intro.\n\n| Code | Cause |\n| --- | --- |\n| A | one |\n| B | two |\n\nOutro."


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (["| Code | Cause |\n| --- | --- |\n| A | one |", "| B | two |"], [1]),
        (["| Code | Cause |\n| --- | --- |\n| A | one |\n| B | two |"], []),
        (["| Code | Cause |\n| --- | --- |", "| A | one |\n| B | two |\n\nOutro."], [1]),
        (["Intro.\n\n| Code | Cause", "| A |"], [1]),
        (["Code | Cause |\n| --- | --- |\n| A | one |"], [0]),  # the header line is not whole
        (["Intro.", "| --- | --- |", "Outro."], []),  # no row
    ],
)
def test_v05_a_table_row_needs_its_header(parts, found):
    assert flagged(pieces(TABLE, *parts), "table-header") == found


def test_v05_a_chunk_that_ends_where_the_rows_begin_holds_none():
    """Also behind a chunk that reaches further, as chunks made by hand can."""
    rows = TABLE.index("| A |")
    assert flagged(of_spans(TABLE, [(0, len(TABLE)), (TABLE.index("---"), rows)]), "table-header") == []
    assert flagged(of_spans(TABLE, [(0, len(TABLE)), (TABLE.index("---"), rows + 1)]), "table-header") == [1]


def test_v05_a_header_in_the_context_is_enough():
    rows = "| A | one |", "| B | two |"
    assert flagged(pieces(TABLE, *rows, contexts=("| Code | Cause |\n| --- | --- |", "Errors")), "table-header") == [1]


def test_v05_pipes_are_not_always_a_table():
    for text in ("a | b\nc | d", "```\n| a |\n| - |\n| b |\n```", "Use `a | b`.\n\nThen c."):
        assert flagged(cut_at(text, 0, 6, len(text)), "table-header") == []


# open-fence

FENCED = "Do:\n\n```sh\none\ntwo\n```\n\nDone."


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        (["Do:\n\n```sh\none", "two\n```\n\nDone."], [0, 1]),
        (["Do:", "```sh\none\ntwo\n```", "Done."], []),
        (["```sh\none", "two", "Done."], [0]),
        (["one\ntwo"], []),
        (["two\n```"], [0]),
    ],
)
def test_v05_a_fence_is_opened_and_closed_in_one_chunk(parts, found):
    assert flagged(pieces(FENCED, *parts), "open-fence") == found


def test_v05_a_fence_that_nobody_closed_is_not_the_cuts_fault():
    assert flagged(pieces("Do:\n\n```sh\none\ntwo", "Do:", "```sh\none\ntwo"), "open-fence") == []
    assert flagged(pieces(FENCED, "```sh\none", "two\n```", contexts=("", "```sh")), "open-fence") == [0]


# overlap


@pytest.mark.parametrize(("overlap", "found"), [(30, 0), (31, 9), (50, 9)])
def test_v05_overlap_over_thirty_percent(overlap, found):
    """RAG Text Chunker: not past 30 %. A setting of exactly that is sound."""
    text = "x" * (100 + 9 * (100 - overlap))
    assert len(flagged(chunk(Document.from_text(text), "fixed", size=100, overlap=overlap), "overlap")) == found


def test_v05_one_heavy_overlap_among_many_light_ones_is_sound():
    assert (
        flagged(of_spans("x" * 1_000, [(0, 100), (40, 140), *((a, a + 100) for a in range(140, 900, 100))]), "overlap")
        == []
    )
    assert flagged(of_spans("x" * 300, [(0, 100), (10, 60), (60, 180)]), "overlap") == []  # 50 of 170


# tiny-tail


@pytest.mark.parametrize(
    ("last", "found"),
    [((300, 319), [3]), ((300, 320), []), ((260, 319), [3]), ((260, 400), []), ((250, 300), [3])],
)  # fmt: skip
def test_v05_a_last_chunk_with_hardly_any_text_of_its_own(last, found):
    """Less than a fifth of 100 characters, what stands in the chunk before not counted."""
    assert flagged(of_spans("x" * 400, [(0, 100), (100, 200), (200, 300), last]), "tiny-tail") == found


def test_v05_a_short_last_section_is_no_tail_and_neither_is_an_only_chunk():
    paths = (("A",), ("A",), ("A",), ("B",))
    spans = [(0, 100), (100, 200), (200, 300), (300, 305)]
    assert flagged(of_spans("x" * 400, spans, paths=paths), "tiny-tail") == []
    assert flagged(of_spans("x" * 400, spans, paths=(("A",),) * 4), "tiny-tail") == [3]
    assert flagged(of_spans("x" * 400, [(0, 1)]), "tiny-tail") == []


def test_v05_a_merged_tail_is_no_tail():
    """C18: what s0 advises against a tiny tail takes the warning away."""
    document = sample_corpus().documents[1]
    assert flagged(chunk(document, "fixed", size=400, overlap=50), "tiny-tail") == [24]
    assert flagged(chunk(document, "fixed", size=400, overlap=50, tail=100), "tiny-tail") == []


# lost-subject


@pytest.mark.parametrize(
    "sentence",
    [
        "It also supports streaming.",  # the playground's own example
        "They move when pushed.", "His reasoning is easy.", "Its price is low.", "These are the reasons.",
        "This means that it fails.", "However, nothing came.", "But a ray is bent.", "Then it leaves.",
        "So the lens was turned.", "Therefore stop.", "“It’s late.”", "- They wait.", "Such a lens is rare.",
        "For example, one of them.", "After this, wait.", "The latter is better.", "Instead, use the other.",
    ],
)  # fmt: skip
def test_v05_sentences_that_point_back(sentence):
    assert lost_subject(sentence)
    text = f"Something came first. {sentence}"
    assert flagged(cut_at(text, 0, 22, len(text)), "lost-subject") == [1]


@pytest.mark.parametrize(
    "sentence",
    [
        "This runbook is for the engineer.", "These alerts fire at noon.", "Items move.", "Italy is a word.",
        "It is known that light bends.", "It takes an hour to heat up.", "It's hard to say.", "So that it works, wait.",
        "Instead of oil they burn gas.", "Those who wait win.", "Thousands came.", "Butter melts.", "Android works.",
        "Still waters run deep.", "Theory and practice.", "As a result of rain, it floods.",
        "After this line comes another.",
    ],
)  # fmt: skip
def test_v05_sentences_that_stand_by_themselves(sentence):
    assert not lost_subject(sentence)


def test_v05_a_subject_is_lost_only_by_a_cut():
    """Not in the text's first sentence, not with a context in front, not inside a sentence (another rule's matter)."""
    text = "It began early. It ended late, and they left."
    assert flagged(cut_at(text, 0, 16, len(text)), "lost-subject") == [1]
    assert flagged(cut_at(text, 0, 15, len(text)), "lost-subject") == [1]  # white space in front
    assert flagged(cut_at(text, 0, 16, len(text), contexts=("", "The storm")), "lost-subject") == []
    assert flagged(cut_at(text, 0, text.index("and"), len(text)), "lost-subject") == []


# over-limit


def test_v05_over_the_limit_of_the_model():
    """254 word pieces of text beside the model's own two fit, 255 do not; the context counts."""
    fits, past = "word " * 254, "word " * 255
    assert word_pieces().counts([fits, past], special=True).tolist() == [256, 257]
    text = fits + past
    spans = [(0, len(fits)), (len(fits), len(text))]
    assert flagged(of_spans(text, spans), "over-limit") == [1]
    assert flagged(of_spans(text, spans, contexts=("title", "")), "over-limit") == [0, 1]


def test_v05_a_limit_of_ones_own_and_that_of_embedding_services():
    """s4: 8,192 tokens; s2: 512 tokens."""
    text = " a" * 8_192 + " a" * 8_193
    assert flagged(of_spans(text, [(0, 2 * 8_192), (2 * 8_192, len(text))]), "over-limit", limits=LIMITS[1:]) == [1]
    own = [Limit("512 tokens", "cl100k", 512), Limit("3 words", "words", 3)]
    found = lint(cut_at("one two three four", 0, 18), limits=own)
    assert [f.sentence for f in found] == ["Over the model's limit: 1 of 1 chunk is longer than 3 words."]


@given(st.text(alphabet="a \u00e9\u1f82\uac01\u4e2d\U0001f680\u0130", min_size=1, max_size=80), st.integers(1, 60))
def test_v05_no_chunk_past_a_limit_is_passed_over(text, most):
    """The short cut for chunks that cannot be too long agrees with counting them all."""
    made = chunk(Document.from_text(text), "fixed", size=9)
    for unit in ("wordpieces", "cl100k"):
        counts = UNITS[unit].counts(made.texts())
        limits = [Limit("the limit", unit, most)]
        assert flagged(made, "over-limit", limits=limits) == np.flatnonzero(counts > most).tolist()
