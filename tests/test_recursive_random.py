"""C08: the recursive splitter equals LangChain's on random texts in every option, at its true positions."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core.chunkers import recursive_characters
from ragchunk_core.chunkers.base import Request, no_vectors
from ragchunk_core.chunkers.recursive import RecursiveOptions, split
from ragchunk_core.units import UNITS
from ragchunk_core.units.base import Unit
from tests.recursive_oracle import KEEP, langchain, ours

RANDOM_TEXTS = int(os.environ.get("RAGCHUNK_RANDOM_TEXTS", "200000"))
"""How many random texts are compared; the usual number takes about a minute."""


ALPHABETS = [
    ["a", "a", "b", " ", ".", "\n", "\n\n", "  ", "x", ". "],
    ["a", "aa", "aaa", "b"],
    ["\n", "\n\n", "\r\n", "\r", "a", " "],
    ["é", "e\u0301", "👩\u200d👧", "🇩🇪", "東", "。", " ", "\n", "\u200b"],
    [" ", "\u00a0", "\u2028", "\x1c", "\x85", "\t", "\x0b", "a", "\n"],
    [".", "*", "+", "(", ")", "[", "\\", "^", "$", "|", "?", " ", "a"],
    ["ab", "a", "b", "ba", " ", "c"],
    ["word ", "Another sentence. ", "x", "\n\n", "- item\n", "3.14 "],
]
LITERALS = [
    ["\n\n", "\n", " ", ""],
    ["\n\n", "\n", " "],
    ["ab", "a", ""],
    [". ", " "],
    ["aa", "a"],
    ["aa", ""],
    ["", "a"],
    ["\n"],
    [" "],
    [""],
    ["\r\n", "\n", "\r", ""],
    [".", "*", "(", "\\", ""],
    ["。", "é", "\u200d", ""],
    ["\n\n", "\n", ".", "?", "!", " ", ""],
    ["aba", "ab", "  ", "\u00a0"],
]
PATTERNS = [
    r"\s+", r"[.!?]", r"(?<=[.!?])\s+", r"(?=x)", r"a|b", r"x*", r"\b", r"\n(?=\S)", r"^a", r"a$", r"(?:ab)+", r".",
    r"[^a]", "",
]  # fmt: skip
UNIT_CHOICES = ["chars"] * 10 + ["words", "words", "chars4", "chars38", "tokens", "cl100k"]


def random_case(rng):
    alphabet = rng.choice(ALPHABETS)
    text = "".join(rng.choices(alphabet, k=rng.randint(0, 45)))
    size = rng.randint(1, 14)
    regex = rng.random() < 0.25
    return {
        "text": text,
        "size": size,
        "overlap": rng.choice([0, size - 1, rng.randint(0, size - 1)]),
        "unit": rng.choice(UNIT_CHOICES),
        "separators": rng.sample(PATTERNS, rng.randint(1, 4)) if regex else rng.choice(LITERALS),
        "regex": regex,
        "keep": rng.choice(["start", "end"] if regex else ["start", "start", "end", "none"]),
        "strip": rng.random() < 0.7,
    }


def assert_equal_to_langchain(text, size, overlap, unit, separators, regex, keep, strip):
    made = ours(text, size, overlap, unit=unit, separators=tuple(separators), regex=regex, keep=keep, strip=strip)
    expected = langchain(
        text, size, overlap, unit, keep, separators=separators, is_separator_regex=regex, strip_whitespace=strip
    )
    said = (text, size, overlap, unit, separators, regex, keep, strip)
    assert made.texts() == expected, said
    slices = [text[a:b] for a, b in zip(made.starts.tolist(), made.ends.tolist(), strict=True)]
    assert made.verbatim == (slices == expected), said
    assert made.verbatim or keep == "none", said


def test_c08_equals_langchain_on_200_000_random_texts():
    """C08: nasty alphabets, literal and regular separators, every keep_separator, strip on and off, six units."""
    rng = random.Random(20261130)
    compared = 0
    for _ in range(RANDOM_TEXTS):
        assert_equal_to_langchain(**random_case(rng))
        compared += 1
    assert compared == RANDOM_TEXTS


@hypothesis_settings(max_examples=1_000)
@given(
    text=st.lists(st.sampled_from(sorted({piece for alphabet in ALPHABETS for piece in alphabet}))).map("".join),
    size=st.integers(1, 40),
    share=st.floats(0, 0.99),
    unit=st.sampled_from(list(UNITS)),
    separators=st.lists(
        st.one_of(st.sampled_from(["\n\n", "\n", " ", ""]), st.text(max_size=2)), min_size=1, max_size=5
    ),
    keep=st.sampled_from(list(KEEP)),
    strip=st.booleans(),
)
def test_c08_equals_langchain_on_what_hypothesis_finds(text, size, share, unit, separators, keep, strip):
    """C08: any separators, every unit; hypothesis shrinks what it finds."""
    assert_equal_to_langchain(text, size, int(size * share), unit, separators, False, keep, strip)


def test_c08_a_longer_separator_is_found_block_by_block(monkeypatch):
    """C08: marks of a separator of several characters are looked for ahead in blocks; blocks of one change nothing."""
    monkeypatch.setattr(recursive_characters, "_AHEAD", 1)
    rng = random.Random(5)
    for _ in range(5_000):
        text = "".join(rng.choices("aab", k=rng.randint(0, 80)))
        size = rng.randint(1, 9)
        assert_equal_to_langchain(text, size, rng.randint(0, size - 1), "chars", ["aa", "ab", ""], False, "start", True)


def test_c08_any_length_function_even_one_that_adds_to_every_text():
    """C08: word pieces with the two special ones, as Chroma's report counts; nothing then has the length 2."""

    class WithSpecialTokens(Unit):
        name = "special"

        def counts(self, pieces):
            return UNITS["wordpieces"].counts(pieces) + 2

        def starts(self, text):
            raise NotImplementedError

    rng = random.Random(11)
    for _ in range(300):
        text = " ".join(rng.choices(["alpha", "beta.", "\n\n", "Gamma", "antidisestablishmentarianism"], k=30))
        size, overlap = rng.randint(4, 30), rng.randint(0, 3)
        keep = rng.choice(list(KEEP))
        options = RecursiveOptions(separators=("\n\n", "\n", ".", "?", "!", " ", ""), keep=keep)
        pieces = split(Request(text, size, overlap, WithSpecialTokens(), no_vectors), options)
        made = list(pieces.texts) or [text[a:b] for a, b in zip(pieces.starts, pieces.ends, strict=True)]
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=WithSpecialTokens().count,
            keep_separator=KEEP[keep],
            separators=list(options.separators),
        )
        assert made == splitter.split_text(text)


class OnlySome(Unit):
    """A length function under which many pieces have no length at all, and what joins them may have one."""

    name = "some"

    def counts(self, pieces):
        return np.array([piece.count("a") + 2 * piece.count(" ") for piece in pieces], dtype=np.int64)

    def starts(self, text):
        raise NotImplementedError


def test_c08_any_length_function_even_one_that_leaves_pieces_without_length():
    """C08: pieces of no length are carried over as LangChain carries them."""
    rng = random.Random(12)
    for _ in range(20_000):
        text = "".join(rng.choices("ab b\n", k=rng.randint(1, 25)))
        size = rng.randint(1, 5)
        overlap, keep = rng.randint(0, size - 1), rng.choice(list(KEEP))
        options = RecursiveOptions(separators=("\n", " ", ""), keep=keep)
        pieces = split(Request(text, size, overlap, OnlySome(), no_vectors), options)
        made = list(pieces.texts) or [text[a:b] for a, b in zip(pieces.starts, pieces.ends, strict=True)]
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=OnlySome().count,
            keep_separator=KEEP[keep],
            separators=list(options.separators),
        )
        assert made == splitter.split_text(text), (text, size, overlap, keep)


# Positions


def unique(text, separators):
    """Every character that is in no separator and no white space made one of a kind."""
    kept = set("".join(separators)) | set(" \n")
    return "".join(c if c in kept else chr(0xF0000 + i) for i, c in enumerate(text))


def test_c08_starts_are_the_true_ones():
    """C08: each separator-free character made unique, LangChain's own search for the start is not ambiguous."""
    rng = random.Random(3)
    for _ in range(6_000):
        text = "".join(rng.choices("ab \n\n .", k=rng.randint(1, 80)))
        separators = rng.choice([["\n\n", "\n", " ", ""], [". ", " ", ""], ["\n", "."]])
        size = rng.randint(1, 20)
        overlap = rng.randint(0, size - 1)
        keep = rng.choice(["start", "end"])
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=overlap, add_start_index=True, separators=separators, keep_separator=keep
        )
        documents = splitter.create_documents([unique(text, separators)])
        # A chunk of separators only is still ambiguous.
        told = [any(ord(c) >= 0xF0000 for c in d.page_content) for d in documents]
        expected = [d.metadata["start_index"] for d, use in zip(documents, told, strict=True) if use]
        made = ours(text, size, overlap, separators=tuple(separators), keep=keep)
        starts = [start for start, use in zip(made.starts.tolist(), told, strict=True) if use]
        assert starts == expected, (text, size, overlap, separators, keep)


def test_c08_spans_of_chunks_without_their_separators_are_true():
    """C08: with separators dropped a chunk is no slice; its span runs from its first to its last own character."""
    rng = random.Random(4)
    for _ in range(3_000):
        text = "".join(rng.choices("ab  \n\n", k=rng.randint(1, 60)))
        marked = unique(text, [])
        size = rng.randint(1, 20)
        overlap = rng.randint(0, size - 1)
        expected = [c for c in langchain(marked, size, overlap, "chars", "none") if not c.isspace()]
        made = [c for c in ours(marked, size, overlap, keep="none") if not c.text.isspace()]
        assert [c.text for c in made] == expected
        assert [(c.start, c.end - 1) for c in made] == [(marked.index(c[0]), marked.index(c[-1])) for c in expected]


# Where LangChain's answer is not right


def reference_without_patterns(text, size, overlap, separators, strip):
    """LangChain's rule for a dropped regular expression, the pieces joined by the text that stood between them.

    Written from the rule, on lists of spans: a slow second way.
    """
    spans = []

    def run(low, high, following):
        chosen, rest = following[-1], []
        for i, separator in enumerate(following):
            if not separator or re.search(separator, text[low:high]):
                chosen, rest = separator, following[i + 1 :] if separator else []
                break
        if chosen:
            edges = [low]
            for match in re.finditer(chosen, text[low:high]):
                edges += [low + match.start(), low + match.end()]
            edges.append(high)
            pieces = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
        else:
            pieces = [(i, i + 1) for i in range(low, high)]
        current = []

        def close():
            if current:
                a, b = current[0][0], current[-1][1]
                spans.append((a, b))

        for piece in pieces:
            if piece[1] - piece[0] >= size:
                close()
                current.clear()
                if rest:
                    run(*piece, rest)
                else:
                    spans.append((*piece, "raw"))
                continue
            if current and piece[1] - current[0][0] > size:
                close()
                while current and (current[-1][1] - current[0][0] > overlap or piece[1] - current[0][0] > size):
                    current.pop(0)
            current.append(piece)
        close()

    if text:
        run(0, len(text), separators)
    made = []
    for a, b, *raw in spans:
        chunk_text = text[a:b] if raw or not strip else text[a:b].strip()
        if chunk_text:
            made.append(chunk_text)
    return made


def test_c08_dropped_regular_separators_leave_slices():
    """Case rec-08, as a kind: every chunk is the slice of its span, by a second way of counting."""
    rng = random.Random(8)
    for _ in range(8_000):
        text = "".join(rng.choices(["a", "b", " ", "  ", ".", "\n", "\t"], k=rng.randint(0, 40)))
        separators = rng.sample([r"\s+", r"[.\n]", r"\.\s*", r"(?<=\.) ", r"b+", r"\n", r" "], rng.randint(1, 3))
        separators += rng.choice([[], [""]])
        size = rng.randint(1, 12)
        overlap = rng.randint(0, size - 1)
        strip = rng.random() < 0.5
        made = ours(text, size, overlap, separators=tuple(separators), regex=True, keep="none", strip=strip)
        assert made.verbatim
        expected = reference_without_patterns(text, size, overlap, separators, strip)
        assert made.texts() == expected, (text, size, overlap, separators, strip)


def test_c08_a_dropped_pattern_that_matches_one_string_is_that_string():
    """C08: where a pattern's matches are all one character and never adjacent, LangChain's literal is the answer."""
    rng = random.Random(9)
    for _ in range(4_000):
        text = "-".join("".join(rng.choices("ab", k=rng.randint(1, 5))) for _ in range(rng.randint(1, 12)))
        size = rng.randint(1, 12)
        overlap = rng.randint(0, size - 1)
        made = ours(text, size, overlap, separators=(r"[-_]", ""), regex=True, keep="none")
        assert made.texts() == langchain(text, size, overlap, "chars", "none", separators=["-", ""])


def test_c08_groups_in_a_pattern_only_group():
    """Cases rec-10 and rec-11, as a kind: a capturing group changes nothing against a group that does not capture."""
    rng = random.Random(10)
    for _ in range(2_000):
        text = "".join(rng.choices(["1.", "2.", " ", "alpha", "x", "\n"], k=rng.randint(0, 20)))
        size = rng.randint(1, 12)
        keep = rng.choice(list(KEEP))
        grouped = ours(text, size, 0, separators=(r"(\d)\.", "( )"), regex=True, keep=keep)
        plain = ours(text, size, 0, separators=(r"(?:\d)\.", "(?: )"), regex=True, keep=keep)
        assert grouped.texts() == plain.texts()
        if keep != "none":
            expected = langchain(
                text, size, 0, "chars", keep, separators=[r"(?:\d)\.", "(?: )"], is_separator_regex=True
            )
            assert grouped.texts() == expected


def test_c08_a_piece_that_is_no_expression_is_named():
    """C08: an expression that cannot be compiled is refused with its own text."""
    with pytest.raises(ValueError, match=r"the separator '\[a' is no regular expression"):
        ours("abc", 3, 0, separators=("[a",), regex=True)
