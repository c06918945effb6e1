"""C06: the sentence rules kind by kind; the golden rules stand in ``test_sentence_rivals.py``."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk_core import sentence_rules
from ragchunk_core.abbreviations import ABBREVIATIONS, ALSO_LAST
from ragchunk_core.sentences import sentence_spans

PIECES = [
    "word", "Word", "He", "Mr.", "Dr", "etc.", "a.m.", "U.S.", "z.", "B.", "J.", "5", "3.14", "12.", "2)", "1.)", "(b)",
    ".", "..", "...", ". . .", "!", "?", "?!", "…", ",", ";", ":", '"', "”", "'", ")", "(", "[", "]", "« ", "»", " ",
    " ", " ", "  ", "\n", "\n", "\n\n", "\n \n", "\t", "- ", "• ", "# ", "## Head\n", "| a |\n", "```\n", "。", "！",
    "」", "と", "猫", "؟", "كيف", ":", "κόσμος", "Και", "։", "Ոչ", "।", "है", "။", "July", "Juni", "Monday", "page",
    "The", "é", "Ü", "ж", "Ж",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def sentences(text):
    return [text[a:b] for a, b in sentence_spans(text).tolist()]


@settings(max_examples=1500)
@given(text=texts)
def test_c06_sentences_and_gaps_of_white_space_are_the_whole_text(text):
    """C06: in order, apart, without white space at their ends, nothing but white space between them."""
    end = 0
    for a, b in sentence_spans(text).tolist():
        assert not text[end:a].strip()
        assert text[a:b] == text[a:b].strip() != ""
        end = b
    assert not text[end:].strip()


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
@settings(max_examples=1000)
@given(text=texts)
def test_c06_line_ends_are_alike(line_end, text):
    """C06: a carriage return, with a line feed or bare, changes no boundary."""
    other = sentences(text.replace("\n", line_end))
    assert [one.replace(line_end, "\n") for one in other] == sentences(text)


@settings(max_examples=1000)
@given(text=texts)
def test_c06_the_quick_way_gives_what_the_rules_give(text):
    """C06: without the alternative that settles plain ends inside the expression, all ends are the same."""
    quick = sentence_rules._BOUNDARY
    slow = re.compile(quick.pattern.replace("(?P<plain>", "(?P<plain> (?!)"), quick.flags)
    assert slow.pattern != quick.pattern
    with_it = sorted(set(sentence_rules.rule_ends(text)))
    sentence_rules._BOUNDARY = slow
    try:
        assert sorted(set(sentence_rules.rule_ends(text))) == with_it
    finally:
        sentence_rules._BOUNDARY = quick


def test_c06_the_quick_way_gives_what_the_rules_give_on_real_documents(shared_data, monkeypatch):
    """C06: the same on speech, papers and encyclopedia."""
    quick = sentence_rules._BOUNDARY
    slow = re.compile(quick.pattern.replace("(?P<plain>", "(?P<plain> (?!)"), quick.flags)
    for name in ("chroma/state_of_the_union.md", "chroma/wikitexts.md", "unicode_text/russian.txt"):
        text = (shared_data / name).read_text(encoding="utf-8")
        with_it = sentences(text)
        monkeypatch.setattr(sentence_rules, "_BOUNDARY", slow)
        assert sentences(text) == with_it
        monkeypatch.setattr(sentence_rules, "_BOUNDARY", quick)
        assert len(with_it) > 150


@pytest.mark.parametrize("word", sorted(ABBREVIATIONS))
def test_c06_no_sentence_ends_after_an_abbreviation_and_before_a_name(word):
    """C06: whatever its case; a name or a number follows inside the sentence."""
    for written in (word, word.capitalize(), word.upper()):
        for text in (f"They met {written}. Smithers in town.", f"See {written}. 7 here."):
            assert sentences(text) == [text]


@pytest.mark.parametrize("word", sorted(ALSO_LAST))
def test_c06_some_abbreviations_end_a_sentence_before_a_common_word(word):
    """C06: "Acme Inc. The firm"."""
    assert sentences(f"He joined Acme {word}. The firm is old.") == [f"He joined Acme {word}.", "The firm is old."]


@pytest.mark.parametrize("mark", [".", ")", ".)"])
@pytest.mark.parametrize("bullet", ["", "• ", "⁃", "▪ "])
@pytest.mark.parametrize("stop", ["", "."])
@pytest.mark.parametrize("count", [2, 3, 12])
def test_c06_numbered_items_in_one_line_are_sentences(mark, bullet, stop, count):
    """C06: with any mark, with or without a bullet and a stop; beyond nine too."""
    items = [f"{bullet}{number}{mark} The {number + 100} things{stop}" for number in range(1, count + 1)]
    assert sentences(" ".join(items)) == items
    assert sentences("Before it.\n\n" + " ".join(items) + "\n\nAfter it.") == ["Before it.", *items, "After it."]


@pytest.mark.parametrize("mark", [".", ")"])
def test_c06_lettered_items_in_one_line_are_sentences(mark):
    """C06: a to e."""
    items = [f"{letter}{mark} The item" for letter in "abcde"]
    assert sentences(" ".join(items)) == items


@pytest.mark.parametrize("bullet", list("•‣◦⁃▪●"))
def test_c06_a_bullet_in_a_line_begins_an_item(bullet):
    """C06: no number is needed where a bullet stands."""
    assert sentences(f"{bullet} first {bullet} second one {bullet}third") == [
        f"{bullet} first", f"{bullet} second one", f"{bullet}third",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "1. As shown on page 2. The rest follows.",
        "1. It is 2) the price of one.",
        "1. First 3. Third",
        "They came 1. first and 2. second",
    ],
)
def test_c06_numbers_that_belong_to_words_open_no_item(text):
    """C06: after "page", out of order, or in a line that begins with no mark."""
    assert not any(re.match(r"[23][.)]", one) for one in sentences(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("features\ncontact manager\nevents, activities", ["features", "contact manager", "events, activities"]),
        ("Intro here.\n\nred\ngreen\nblue\n\nEnd.", ["Intro here.", "red", "green", "blue", "End."]),
        ("two lines\nonly", ["two lines\nonly"]),
        ("a wrapped line of\nprose that goes on\nand has its stop.", None),
        ("a line that is far longer than any item of a list would be\nb\nc", None),
    ],
)  # fmt: skip
def test_c06_short_lines_without_a_stop_are_a_list(text, expected):
    """C06: three or more, in a paragraph of their own; wrapped prose stays whole."""
    assert sentences(text) == ([text] if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opens at 9 a.m. Bring a coat.", ["It opens at 9 a.m.", "Bring a coat."]),
        ("At 9 a.m. Smith came. He left.", ["At 9 a.m. Smith came.", "He left."]),
        ("It opens at 9 a.m. Monday to Friday.", ["It opens at 9 a.m. Monday to Friday."]),
        ("We land at 6 P.M. Eastern time.", ["We land at 6 P.M. Eastern time."]),
        ("am 3. Oktober 1990. Dann", ["am 3. Oktober 1990.", "Dann"]),
        ("Es waren 12. Dann gingen sie.", ["Es waren 12.", "Dann gingen sie."]),
        ("Das gilt u. a. für ihn, i. d. R. nicht.", ["Das gilt u. a. für ihn, i. d. R. nicht."]),
        ("He left . . . and came back. . . . Then he slept.", ["He left . . . and came back. . . .", "Then he slept."]),
    ],
)
def test_c06_times_ordinals_spaced_abbreviations_and_spaced_dots(text, expected):
    """C06."""
    assert sentences(text) == expected


@pytest.mark.parametrize("stop", list("。！？｡।॥။፧።։៕᠃"))
def test_c06_stops_of_other_scripts_need_no_space(stop):
    """C06: Chinese, Japanese, Devanagari, Burmese, Ethiopic, Armenian, Khmer, Mongolian."""
    assert sentences(f"猫{stop}犬{stop}") == [f"猫{stop}", f"犬{stop}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「はい。」と言った。", ["「はい。」と言った。"]),
        ("「はい。」彼は帰った。", ["「はい。」", "彼は帰った。"]),
        ("３．５％だ。次", ["３．５％だ。", "次"]),
        ("ماذا قال؟ لا شيء. العنوان: نص", ["ماذا قال؟", "لا شيء.", "العنوان:", "نص"]),
        ("الساعة 05:01 صباحا", ["الساعة 05:01 صباحا"]),
        ("Τι κάνεις; Καλά. και εσύ;", ["Τι κάνεις;", "Καλά. και εσύ;"]),
        ("Ήρθε χθες στο σπίτι. μετά έφυγε.", ["Ήρθε χθες στο σπίτι.", "μετά έφυγε."]),
        ("This; that: those. these", ["This; that: those. these"]),
    ],
)
def test_c06_quotes_colons_and_semicolons_by_script(text, expected):
    """C06: a Japanese quotation goes on with its particle; colons and semicolons end sentences in their own scripts."""
    assert sentences(text) == expected


REPEATED = [
    ".", "." * 50 + "x", "." * 2000 + "x", "1. ", "1. a 2. ", "\n", "\r\n", "a\n\n", "| a | b |\n", "- item\n",
    "1. item\n", '"', '."', "#", "# h\n", "• a ", "•", "。", "。" * 500 + "3", "at 5 p.m. EST ", " ", " \n", "ab\n",
    "A. ", "(", "! ", "…", "word ", "a) b) ", ".)", "1. a\n\n", "؟", "\u2003", "«.»",
]  # fmt: skip


@pytest.mark.parametrize("unit", REPEATED, ids=lambda unit: repr(unit[:10]))
def test_c06_work_is_linear_in_the_text(unit):
    """C06: the ratio of CPU times of a text and of eight times that text, far from the 64 of quadratic work."""

    def cpu(length):
        text, best = (unit * (length // len(unit) + 1))[:length] + "x", float("inf")
        for _ in range(3):
            start = time.process_time()
            sentence_spans(text)
            best = min(best, time.process_time() - start)
        return best

    assert cpu(120_000) < 35 * max(cpu(15_000), 1e-4)
