"""Text becomes the terms that Elasticsearch would make of it (R01)."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core.retrievers.analyzers import (
    _TOKEN,
    ANALYZERS,
    STOP_WORDS,
    _english,
    _standard,
    _Words,
    analyze,
    tokenize,
)


@pytest.fixture(scope="module")
def lucene(shared_data: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared_data / "lucene" / "wikitexts.json").read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("analyzer", ["english", "standard"])
def test_r01_terms_equal_those_of_a_real_lucene(lucene: dict[str, Any], analyzer: str) -> None:
    assert analyze(lucene["chunks"], analyzer) == lucene[analyzer]["chunk_tokens"]
    assert analyze(lucene["queries"], analyzer) == lucene[analyzer]["query_tokens"]


def _is_word_by_category(part: str) -> bool:
    """A second way to say which segments Lucene keeps: letters, numbers, pictographs, and flags in pairs."""
    if sum("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in part) == 1:
        return False
    return any(
        unicodedata.category(letter)[0] in "LN"
        or (unicodedata.category(letter) == "So" and letter != "✁")  # half a pair of scissors is no emoji
        for letter in part
    )


def test_r01_words_end_where_unicode_says(shared_data: Path) -> None:
    rows = json.loads((shared_data / "unicode17" / "word_break_test.json").read_text("utf-8"))
    assert len(rows) == 1944
    # Lucene's grammar has no rule that glues a pictograph to a word in front of it (WB3c does).
    glued = [row for row in rows if re.search("\\w\u0308?\u200d[🛑Ⓜ👶©]", row["text"])]
    assert len(glued) < 20
    for row in (row for row in rows if row not in glued):
        assert tokenize(row["text"]) == [part for part in row["parts"] if _is_word_by_category(part)], row


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("今日は晴れ", ["今", "日", "は", "晴", "れ"]),
        ("ヴァルキュリア3", ["ヴァルキュリア", "3"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("ภาษาไทย ง่าย", ["ภาษาไทย", "ง่าย"]),
        ('צה"ל', ['צה"ל']),
        ("can't 3.14 1,000 U.S.A. a:b", ["can't", "3.14", "1,000", "U.S.A", "a:b"]),
        ("foo_bar __ x-y", ["foo_bar", "x", "y"]),
        ("👩‍💻👍🏽 🇩🇪 1️⃣ #️⃣", ["👩‍💻", "👍🏽", "🇩🇪", "1️⃣", "#️⃣"]),
        ("…—!?", []),
        ("", []),
    ],
)  # fmt: skip
def test_r01_standard_tokenizer_in_many_scripts(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_r01_lower_case_is_made_one_character_at_a_time_as_in_java() -> None:
    assert analyze(["ΟΔΟΣ İstanbul ÉCOLE"], "standard") == [["οδοσ", "istanbul", "école"]]


def test_r01_a_word_of_more_than_255_characters_is_cut() -> None:
    assert [len(token) for token in tokenize("a" * 600)] == [255, 255, 90]
    assert tokenize("b" * 255 + ".c") == ["b" * 255, "c"]


def test_r01_possessives_and_the_33_stop_words_are_dropped_by_english_only() -> None:
    assert analyze(["Gear's GEAR’S gear＇s gears'"], "english") == [["gear"] * 4]
    assert len(STOP_WORDS) == 33
    assert analyze([" ".join(STOP_WORDS).upper()], "english") == [[]]
    assert len(analyze([" ".join(STOP_WORDS)], "standard")[0]) == 33


def test_r01_stems_are_those_that_porter_printed() -> None:
    # The two worked words of Porter's paper (1980), and the two rules of his later program that Lucene has.
    words = "generalizations oscillators possibly technologies is be"
    assert analyze([words], "english") == [["gener", "oscil", "possibl", "technolog"]]


_SUFFIXES = """
a e i o u y b c d g k l n r s t v w x z bl bli log logi ed ing ies s sses eed ly at ate ation ational ator
ative al ical icate alize alism aliti ize izer ization iz able ible iviti biliti ful fulness ness ous
ousness ive iveness enci anci ence ance ent entli ement ment ant ion tion sion ism ou er ll ss zz tt kk vv
"""


@given(st.lists(st.sampled_from(_SUFFIXES.split()), min_size=1, max_size=5).map("".join))
def test_r01_stems_equal_a_slow_second_porter(word: str) -> None:
    if word not in STOP_WORDS and "yy" not in word:
        assert analyze([word], "english") == [[_slow_porter(word)]]


def _slow_porter(word: str) -> str:
    """Porter's algorithm as in his own program, written from its description, with no thought for speed."""

    def form(stem: str) -> str:
        made = ""
        for letter in stem:
            made += "v" if letter in "aeiou" or (letter == "y" and made[-1:] == "c") else "c"
        return made

    def measure(stem: str) -> int:
        return len(re.findall("v+c+", form(stem)))

    def doubled(stem: str) -> bool:
        return stem[-2:-1] == stem[-1:] and form(stem).endswith("c")

    def short_end(stem: str) -> bool:
        return form(stem).endswith("cvc") and stem[-1] not in "wxy"

    def replaced(word: str, rules: str, least: int) -> str:
        for rule in rules.split():
            old, _, new = rule.partition(">")
            if word.endswith(old):
                stem = word.removesuffix(old)
                return stem + new if measure(stem) > least else word
        return word

    if len(word) <= 2:
        return word
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if measure(word[:-3]) > 0 else word
    elif (ending := re.search("(ed|ing)$", word)) and "v" in form(word[: ending.start()]):
        word = word[: ending.start()]
        if word.endswith(("at", "bl", "iz")):
            word += "e"
        elif doubled(word):
            word = word if word[-1] in "lsz" else word[:-1]
        elif measure(word) == 1 and short_end(word):
            word += "e"
    if word.endswith("y") and "v" in form(word[:-1]):
        word = word[:-1] + "i"
    if len(word) == 1:
        return word
    step2 = """
        ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous
        ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al
        iviti>ive biliti>ble logi>log
    """
    step3 = "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>"
    word = replaced(replaced(word, step2, 0), step3, 0)
    step4 = """
        al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> iti> ous> ive>
        ize>
    """
    for rule in step4.split():
        old, _, kept = rule.partition(">")
        if word.endswith(old):
            stem = word.removesuffix(old) + kept
            word = stem if measure(stem) > 1 else word
            break
    if word.endswith("e") and (measure(word[:-1]) > 1 or (measure(word[:-1]) == 1 and not short_end(word[:-1]))):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and measure(word) > 1 else word


@given(st.lists(st.text(max_size=30), max_size=4), st.sampled_from(sorted(ANALYZERS)))
def test_r01_texts_are_analyzed_each_for_itself(texts: list[str], analyzer: str) -> None:
    assert analyze(texts, analyzer) == [analyze([text], analyzer)[0] for text in texts]


@pytest.mark.parametrize("unit", ["_", "a.", "'", "\u0301", "\u200d", "1,", "_a", 'א"', "ก", "😀\u200d", "日"])
def test_r01_no_text_takes_more_than_linear_time(unit: str) -> None:
    start = time.process_time()
    analyze([unit * 200_000], "english")
    # A pattern that goes back over a run at each of its characters takes minutes here.
    assert time.process_time() - start < 10


def test_r01_what_is_remembered_of_words_is_bounded() -> None:
    words = _Words(_english, most=10)
    for start in range(0, 100, 7):
        text = [f"word{number}ing" for number in range(start, start + 7)]
        assert words.analyze([" ".join(text)]) == [[word.removesuffix("ing") for word in text]]
    assert len(words._known) <= 10
    assert len(words.analyze([" ".join(f"other{number}" for number in range(50))])[0]) == 50
    assert words.analyze(["日" * 60]) == [["日"] * 60]
    assert len(words._known) <= 10


_PIECES = [
    "a",
    "B9",
    "_",
    "'",
    ".",
    ":",
    ",",
    "́",
    "\u200d",
    "\xad",
    "א",
    '"',
    "ก",
    "日",
    "カ",
    "한",
    "😀",
    "👩\u200d🚀",
    "🇵🇹",
    "Σ",
    "İ",
    "don't",
    "3.14",
]
_SPACES = list(" \n\t\x0b\x1c\x85\xa0\u1680\u2003\u2007\u2028\u202f\u3000")


@given(st.lists(st.sampled_from(_PIECES + _SPACES), max_size=20).map("".join))
def test_r01_word_by_word_gives_the_terms_of_the_whole_text(text: str) -> None:
    """The tokenizer over the whole text decides, whatever white space and marks stand in it."""
    assert "".join(_SPACES).split() == []
    assert analyze([text], "english") == _english([text])
    assert analyze([text], "standard") == _standard([text])


def test_r01_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="analyzer must be one of english, standard, not 'german'"):
        analyze(["a"], "german")
    with pytest.raises(ValueError, match="texts must be a list of strings, not one str"):
        analyze("pump seal", "english")
    with pytest.raises(ValueError, match=r"texts\[1\] must be a string, not int"):
        analyze(["a", 1], "english")  # type: ignore[list-item]


@given(text=st.text(alphabet="abZ019_.:',;\"-#*/@ \n\t\x00\x7f", max_size=60))
def test_r01_the_quick_way_for_ascii_finds_the_same_tokens(text: str) -> None:
    """The pattern of the Unicode rules decides; the one for ASCII must say the same."""
    assert tokenize(text) == _TOKEN.findall(text)


def test_r01_the_quick_way_for_ascii_agrees_on_real_texts(shared_data: Path) -> None:
    for name in ("state_of_the_union", "wikitexts", "finance"):
        text = (shared_data / "chroma" / f"{name}.md").read_text("utf-8").encode("ascii", "ignore").decode()
        assert tokenize(text) == _TOKEN.findall(text)
