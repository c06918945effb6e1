"""C08: the recursive splitter equals LangChain's in every option, with true spans."""

from __future__ import annotations

import random

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core import Document, chunk
from ragchunk_core.units import UNITS

CORPORA = ["state_of_the_union", "wikitexts", "chatlogs", "finance", "pubmed"]
SETTINGS = [(400, 50), (250, 125), (100, 20), (1000, 0), (37, 36)]
KEEP = {"start": True, "end": "end", "none": False}


def langchain(text, size, overlap, unit="chars", keep="start", **options):
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=UNITS[unit].count,
        keep_separator=KEEP[keep],
        **options,
    )
    return splitter.split_text(text)


def ours(text, size, overlap, **options):
    return chunk(Document.from_text(text), "recursive", size=size, overlap=overlap, ceiling=10**9, **options)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(("size", "overlap"), SETTINGS)
def test_c08_equals_langchain_on_real_texts(shared_data, corpus, size, overlap):
    """C08 in characters, at five settings."""
    text = read(shared_data / "chroma" / f"{corpus}.md")
    made = ours(text, size, overlap)
    assert made.texts() == langchain(text, size, overlap)


@pytest.mark.parametrize("unit", ["words", "tokens", "cl100k"])
@pytest.mark.parametrize("corpus", ["state_of_the_union", "wikitexts"])
def test_c08_equals_langchain_with_other_lengths(shared_data, corpus, unit):
    """C08: any unit as length function."""
    text = read(shared_data / "chroma" / f"{corpus}.md")
    assert ours(text, 60, 10, unit=unit).texts() == langchain(text, 60, 10, unit)


SEPARATORS = [
    ["\n\n", "\n", " ", ""],
    ["\n\n", "\n", " "],
    ["ab", "a", ""],
    [". ", " "],
    ["aa", "a"],
    ["", "a"],
    ["\n"],
    [" "],
]


def test_c08_equals_langchain_on_random_texts():
    """C08: 20,000 texts over a nasty alphabet, every keep_separator, strip on and off, four units."""
    rng = random.Random(20261130)
    for _ in range(20_000):
        text = "".join(rng.choice("aab .\n\n  x") for _ in range(rng.randint(0, 60)))
        size = rng.randint(1, 14)
        overlap = rng.randint(0, size - 1)
        separators = rng.choice(SEPARATORS)
        keep, strip = rng.choice(list(KEEP)), rng.random() < 0.7
        unit = rng.choice(["chars", "chars", "words", "chars4"])
        made = ours(text, size, overlap, unit=unit, separators=tuple(separators), keep=keep, strip=strip)
        expected = langchain(text, size, overlap, unit, keep, separators=separators, strip_whitespace=strip)
        assert made.texts() == expected, (text, size, overlap, separators, keep, strip, unit)
        if made.verbatim:
            assert [text[a:b] for a, b in zip(made.starts, made.ends, strict=True)] == expected


def test_c08_equals_langchain_with_regular_expressions():
    """C08: separators without groups, kept at either side."""
    rng = random.Random(7)
    patterns = [r"\s+", r"[.!?]", r"(?<=[.!?])\s+", r"(?=x)", r"a|b", ""]
    for _ in range(4_000):
        text = "".join(rng.choice("ab .!?\nx") for _ in range(rng.randint(0, 50)))
        separators = rng.sample(patterns, rng.randint(1, 4))
        size = rng.randint(1, 12)
        overlap = rng.randint(0, size - 1)
        keep = rng.choice(["start", "end"])
        made = ours(text, size, overlap, separators=tuple(separators), regex=True, keep=keep)
        expected = langchain(text, size, overlap, "chars", keep, separators=separators, is_separator_regex=True)
        assert made.texts() == expected, (text, size, overlap, separators, keep)


def test_c08_starts_are_the_true_ones():
    """C08: each separator-free character made unique, LangChain's own search for the start is not ambiguous."""
    rng = random.Random(3)
    for _ in range(2_000):
        text = "".join(rng.choice("ab \n\n ") for _ in range(rng.randint(1, 80)))
        unique = "".join(c if c in " \n" else chr(0xF0000 + i) for i, c in enumerate(text))
        size = rng.randint(1, 20)
        overlap = rng.randint(0, size - 1)
        splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap, add_start_index=True)
        documents = splitter.create_documents([unique])
        expected = [d.metadata["start_index"] for d in documents if not d.page_content.isspace()]
        made = ours(text, size, overlap)
        starts = [int(a) for a, t in zip(made.starts, made.texts(), strict=True) if not t.isspace()]
        assert starts == expected, (text, size, overlap)


def test_c08_langchains_own_iterative_test():
    """LangChain's test_iterative_text_splitter: size 10, overlap 1, 18 chunks. Its text is given by its shape."""
    text = (
        "Hi.\n\nI'm Harrison.\n\nHow? Are? You?\nOkay then f f f f.\n"
        "This is a weird text to write, but gotta test the splittingggg some how.\n\nBye!\n\n-H."
    )
    made = ours(text, 10, 1)
    assert made.texts() == [
        "Hi.", "I'm", "Harrison.", "How? Are?", "You?", "Okay then", "f f f f.", "This is a", "weird", "text to",
        "write,", "but gotta", "test the", "splitting", "gggg", "some how.", "Bye!", "-H.",
    ]  # fmt: skip
    assert len(made) == 18


def test_c08_langchains_documentation_example(shared_data):
    """The 2022 State of the Union with size 100 and overlap 20: its documentation shows these first two chunks."""
    made = ours(read(shared_data / "sotu" / "state_of_the_union.txt"), 100, 20)
    assert made.texts()[:2] == [
        "Madam Speaker, Madam Vice President, our First Lady and Second Gentleman. Members of Congress and",
        "of Congress and the Cabinet. Justices of the Supreme Court. My fellow Americans.",
    ]


def test_c08_dropped_regex_separators_leave_slices():
    """Case rec-08: where LangChain pastes the pattern into the text, chunks here are slices of it."""
    text = "alpha  beta\tgamma delta"
    made = ours(text, 20, 0, separators=(r"\s+",), regex=True, keep="none")
    assert made.verbatim
    assert [(c.text, c.start) for c in made] == [("alpha  beta\tgamma", 0), ("delta", 18)]


def test_c08_dropped_literal_separators_are_seen_as_uncovered():
    """Case rec-13: the separators that are in no chunk are in no span either."""
    text = "It rained. We ran. We hid."
    made = ours(text, 14, 0, separators=(". ", " ", ""), keep="none")
    assert [(c.text, c.start) for c in made] == [("It rained", 0), ("We ran", 11), ("We hid.", 19)]


def test_c08_groups_in_a_pattern_only_group():
    """Cases rec-10 and rec-11: a capturing group neither breaks the split nor becomes a chunk."""
    text = "intro 1. alpha 2. beta 3. gamma"
    made = ours(text, 12, 0, separators=(r"(\d)\.",), regex=True)
    assert made.texts() == ["intro", "1. alpha", "2. beta", "3. gamma"]
    dropped = ours(text, 12, 0, separators=(r"(\d)\.",), regex=True, keep="none")
    assert dropped.texts() == ["intro", "alpha", "beta", "gamma"]


def test_c08_without_a_last_resort_a_long_word_stays_whole():
    """Case rec-06: as LangChain leaves it, unstripped and longer than the size."""
    made = ours("short abcdefghijklmnopqrstuvwxyz end", 10, 0, separators=("\n\n", "\n", " "))
    assert made.texts() == ["short", " abcdefghijklmnopqrstuvwxyz", "end"]


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        (
            "one two three four five six seven eight nine ten eleven twelve",
            {"size": 5, "overlap": 2, "unit": "words"},
            [
                ("one two three four five", 0), ("four five six seven eight", 14),
                ("seven eight nine ten eleven", 28), ("ten eleven twelve", 45),
            ],
        ),
        (
            "ref 12\nref 12\nref 12\n\nref 12\nref 123",
            {"size": 13, "overlap": 7},
            [("ref 12\nref 12", 0), ("ref 12", 14), ("ref 12", 22), ("ref 123", 29)],
        ),
    ],
    ids=["rec-03", "rec-04"],
)  # fmt: skip
def test_c08_offsets_where_searching_fails(text, settings, expected):
    """Cases rec-03 and rec-04: true starts on repeated text and in word units."""
    made = chunk(Document.from_text(text), "recursive", **settings)
    assert [(c.text, c.start) for c in made] == expected
