"""D03: the encoding of a text is found, told, and corrected by the user; what cannot be stored never gets through."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core.documents import ENCODINGS, ReadError, read

# Encodings of ordinary files; a passage is read right when it is what Python's own codec encoded.
LEGACY = {
    "de": ["cp1252"],
    "ru": ["cp1251", "koi8_r", "iso8859_5", "cp866"],
    "ar": ["cp1256", "iso8859_6"],
    "th": ["cp874"],
    "zh": ["gbk", "big5", "gb18030"],
}


@pytest.mark.parametrize(("language", "codec"), [(lang, codec) for lang in LEGACY for codec in LEGACY[lang]])
def test_d03_encodings_that_no_file_names_are_mostly_guessed_right(shared_data, language, codec):
    data = json.loads((shared_data / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    passages = [paragraph["context"] for article in data for paragraph in article["paragraphs"]][:60]
    texts = [passage.encode(codec, "ignore").decode(codec) for passage in passages]
    texts = [text for text in texts if not text.isascii()]
    right = sum(read(text.encode(codec), "a.txt").text == text for text in texts)
    assert right >= 0.9 * len(texts) > 20


EAST_ASIAN = {
    "cp932": "日本語の文書です。カタカナと、ひらがなと、漢字を含みます。今日は天気が良いので散歩に行きましょう。",
    "euc_jp": "日本語の文書です。カタカナと、ひらがなと、漢字を含みます。今日は天気が良いので散歩に行きましょう。",
    "iso2022_jp": "日本語の文書です。カタカナと、ひらがなと、漢字を含みます。今日は天気が良いので散歩に行きましょう。",
    "cp949": "한국어로 쓴 문서입니다. 오늘은 날씨가 좋아서 산책을 하려고 합니다. 내일도 맑으면 좋겠습니다.",
    "gb18030": "这是一份中文文件。今天天气很好，我们去公园散步吧。文字的编码有很多种，必须正确识别。",
}


@pytest.mark.parametrize("codec", EAST_ASIAN)
def test_d03_the_encoding_found_is_told_and_is_one_that_can_be_set(codec):
    text = EAST_ASIAN[codec]
    document = read(text.encode(codec), "a.txt")
    assert document.text == text
    assert document.encoding in ENCODINGS
    assert read(text.encode(codec), "a.txt", encoding=document.encoding).text == text


def test_d03_the_user_corrects_the_encoding():
    """A DOS file, which no detector tells from a Windows file."""
    data = "Größe: 3 m².".encode("cp850")
    assert read(data, "a.txt").text != "Größe: 3 m²."
    for name in ("IBM850", "ibm850", "cp850"):
        document = read(data, "a.txt", encoding=name)
        assert (document.text, document.encoding) == ("Größe: 3 m².", "IBM850")
        assert document.notes == ("Read as IBM850, as told.",)
    page = b"<meta charset=utf-8><p>" + data
    assert read(page, "a.html", encoding="IBM850").text == "Größe: 3 m²."


@pytest.mark.parametrize("label", ENCODINGS)
def test_d03_every_encoding_on_offer_reads_what_it_wrote(label):
    """As Python's codec wrote it; a mark of the same encoding is no text."""
    text = "Plain words, 123.\n"
    document = read(text.encode(ENCODINGS[label]), "a.txt", encoding=label)
    assert (document.text, document.encoding) == (text, label)
    if label.startswith("UTF"):
        assert read(("\ufeff" + text).encode(ENCODINGS[label]), "a.txt", encoding=label).text == text


def test_d03_a_wrong_encoding_is_refused_or_told():
    with pytest.raises(ReadError, match=r"^The encoding is 'klingon'; allowed are UTF-8, .*\.$"):
        read(b"x", "a.txt", encoding="klingon")
    with pytest.raises(ReadError, match=r"^'a\.pdf' is PDF, which tells its encoding itself: "):
        read(b"%PDF-1.7 1 0 obj", "a.pdf", encoding="UTF-8")
    wrong = read("Größe ist gut".encode("cp1252"), "a.txt", encoding="UTF-8")
    assert wrong.notes == ("Read as UTF-8, as told.", "2 places could not be decoded and became \ufffd.")


@given(st.binary(min_size=1, max_size=60), st.sampled_from([None, *ENCODINGS]), st.sampled_from(["a.txt", "a.html"]))
def test_d03_no_half_characters_and_no_nul_ever_get_through(data, encoding, name):
    for sent in (data, b"\xff\xfe" + data, b"<pre>&#0;&#xD800;" + data.replace(b"\0", b"\xed\xa0\x80")):
        try:
            text = read(sent, name, encoding=encoding).text
        except ReadError:
            continue
        text.encode("utf-8")
        assert "\0" not in text


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_d03_what_tells_the_encoding_may_stand_far_behind(line_end):
    text = f"Plain words, 123.{line_end}" * 150_000 + "Съешь же ещё этих мягких французских булок, да выпей чаю."
    document = read(text.encode("cp1251"), "a.txt")
    assert (document.text, document.encoding) == (text, "windows-1251")


def test_d03_a_text_that_talks_of_a_charset_is_not_read_in_it():
    text = 'Schreib <meta charset="utf-8"> in jede Seite, die Umlaute enthält: für größere Klarheit.'
    assert read(text.encode("cp1252"), "a.txt").text == text


def test_d03_one_broken_byte_does_not_turn_utf8_into_mojibake():
    document = read("Größe, Länge, Höhe und Gewicht: überall. ".encode() * 3 + b"\xff", "a.txt")
    assert document.text == "Größe, Länge, Höhe und Gewicht: überall. " * 3 + "\ufffd"
    assert document.notes == ("1 place could not be decoded and became \ufffd.",)


def test_d03_a_replacement_character_of_the_file_itself_is_not_counted_as_lost():
    assert read("Größe \ufffd".encode(), "a.txt").notes == ()
    assert read(codecs.BOM_UTF16_LE + "a\ufffdb".encode("utf-16-le"), "a.txt").notes == (
        "Read as UTF-16LE, by its byte-order mark.",
    )
