"""D07: cleaning changes what each step names and nothing else, and says how much; off, the text is the file's."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document
from ragchunk_core.documents import ReadError, ReadOptions, read
from ragchunk_core.documents.cleaning import clean, cleaned
from ragchunk_core.documents.reading_options import CleaningOptions
from ragchunk_core.options import options_of

ALL = CleaningOptions(True, True, True, True, True)
PIECES = [
    *"ab \n\r\t",
    "\r\n",
    "\ufeff",
    "\u200b",
    "\u2060",
    "\u00a0",
    "\u2007",
    "\u202f",
    "\u200d",
    "👩\u200d👧",
    "\u00ad",
    "é",
]
# Displayed characters that are not composed, with what NFC makes of them (Unicode's own data by Python).
LONG = ["e\u0301", "o\u0302\u0301", "\u1112\u1161\u11ab", "\u212b", "q\u0323\u0307", "\u2126", "\u0f69"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def one(name):
    return CleaningOptions(**{name: True})


@given(TEXTS)
def test_d07_every_step_is_equal_to_a_count_character_by_character(text):
    """D07: a second, slow count, one character after the other."""
    for name, removed in (("marks", "\ufeff"), ("zero_width", "\u200b\u2060")):
        kept = [character for character in text if character not in removed]
        assert clean(text, one(name)) == ("".join(kept), [(name, len(text) - len(kept))])
    spaces = [" " if character in "\u00a0\u2007\u202f" else character for character in text]
    different = sum(a != b for a, b in zip(text, spaces, strict=True))
    assert clean(text, one("no_break")) == ("".join(spaces), [("no_break", different)])
    lines, returns = [], 0
    for character, after in itertools.zip_longest(text, text[1:]):
        returns += character == "\r"
        if character != "\r":
            lines.append(character)
        elif after != "\n":
            lines.append("\n")
    assert clean(text, one("line_ends")) == ("".join(lines), [("line_ends", returns)])


@given(st.lists(st.sampled_from([*LONG, "a", "é", "漢", " ", "\n", "한", "👩\u200d👧"]), max_size=30))
def test_d07_nfc_counts_the_displayed_characters_that_it_rewrites(pieces):
    text = "".join(pieces)
    expected = sum(unicodedata.normalize("NFC", piece) != piece for piece in pieces)
    assert clean(text, one("nfc")) == (unicodedata.normalize("NFC", text), [("nfc", expected)])


@given(st.text(max_size=40))
def test_d07_nfc_counts_something_exactly_where_it_changes_something(text):
    made, [(_, count)] = clean(text, one("nfc"))
    assert made == unicodedata.normalize("NFC", text)
    assert (count > 0) == (made != text)


@given(TEXTS)
def test_d07_off_keeps_the_text_and_on_leaves_nothing_to_do(text):
    assert clean(text, CleaningOptions()) == (text, [])
    made, changes = clean(text, ALL)
    assert [change.step for change in changes] == list(options_of(CleaningOptions))
    assert clean(made, ALL) == (made, [(change.step, 0) for change in changes])


def test_d07_each_step_is_told_with_what_it_changed():
    data = "\ufeffone\r\ntwo\u00a0e\u0301 \u200b\ufeff".encode()
    options = ReadOptions(cleaning=ALL)
    document = read(data, "a.txt", options=options)
    assert document.text == "one\ntwo é "
    assert document.notes == (
        "Cleaned: 1 byte-order mark removed.",
        "Cleaned: 1 zero-width space removed.",
        "Cleaned: 1 non-breaking space made ordinary.",
        "Cleaned: 1 carriage return made a line feed or removed before one.",
        "Cleaned: 1 displayed character composed (NFC).",
    )
    assert read(data, "a.txt").text == "one\r\ntwo\u00a0e\u0301 \u200b\ufeff"
    assert read(b"x", "a.txt", options=ReadOptions(cleaning=one("nfc"))).notes == (
        "Cleaned: no displayed characters composed (NFC).",
    )


@given(st.lists(TEXTS.filter(lambda page: page[-1:] != "\r"), min_size=1, max_size=5))
def test_d07_pages_begin_where_they_begin_in_the_cleaned_text(pages):
    starts = [sum(len(page) + 2 for page in pages[:number]) for number in range(len(pages))]
    document = Document("a.pdf", "\n\n".join(pages), "pdf", tuple(starts))
    made = cleaned(document, ALL)
    assert made.text == clean(document.text, ALL)[0]
    ends = [*made.page_starts[1:], len(made.text)]
    for page, start, end in zip(pages, made.page_starts, ends, strict=True):
        assert made.text[start:end].removesuffix("\n\n") == clean(page, ALL)[0].removesuffix("\n\n")


def test_d07_a_text_of_nothing_but_marks_is_refused_once_they_are_removed():
    with pytest.raises(ReadError, match=r"^'a\.txt' has no text left after cleaning; .*\.$"):
        read("\u200b\u200b".encode(), "a.txt", options=ReadOptions(cleaning=ALL))


def test_d07_options_survive_a_link_and_are_checked():
    options = ReadOptions(cleaning=one("line_ends"))
    assert ReadOptions().values() == {}
    assert options.values() == {"cleaning.line_ends": True}
    assert ReadOptions.of(options.values()) == options
    for values, sentence in [
        ({"cleaning.none": True}, "has no option 'none'"),
        ({"colour.red": True}, "There is no reading option 'colour.red'"),
        ({"pdf.engine": "x"}, r"engine is 'x'; allowed are 'pypdf', 'pdfium', 'columns'"),
        ({"html.main": 1}, "it must be true or false"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            ReadOptions.of(values)
