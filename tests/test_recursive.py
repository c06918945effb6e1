"""C08: the recursive splitter equals LangChain's on real texts, and its published examples."""

from __future__ import annotations

import json

import pytest

from ragchunk_core.units import UNITS
from tests.recursive_oracle import KEEP, langchain, ours, read

CORPORA = ["state_of_the_union", "wikitexts", "chatlogs", "finance", "pubmed"]
LANGUAGES = ["arabic", "english", "hindi", "japanese", "korean", "mandarin", "russian"]
XQUAD = ["ar", "de", "en", "hi", "ru", "th", "zh"]
SETTINGS = [(400, 50), (250, 125), (100, 20), (1000, 0), (37, 36)]


# Real texts


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(("size", "overlap"), SETTINGS)
def test_c08_equals_langchain_on_real_texts(shared_data, corpus, size, overlap):
    """C08 in characters, at five settings."""
    text = read(shared_data / "chroma" / f"{corpus}.md")
    made = ours(text, size, overlap)
    assert made.verbatim
    assert made.texts() == langchain(text, size, overlap)


@pytest.mark.parametrize("keep", KEEP)
@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("corpus", ["state_of_the_union", "chatlogs"])
def test_c08_equals_langchain_however_separators_are_kept(shared_data, corpus, keep, strip):
    """C08: kept at the start, at the end or not at all, stripped or not, with punctuation as separators."""
    text = read(shared_data / "chroma" / f"{corpus}.md")
    separators = ["\n\n", "\n", ". ", "? ", ", ", " ", ""]
    made = ours(text, 150, 30, separators=tuple(separators), keep=keep, strip=strip)
    assert made.texts() == langchain(text, 150, 30, "chars", keep, separators=separators, strip_whitespace=strip)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("corpus", ["state_of_the_union", "wikitexts"])
def test_c08_equals_langchain_with_other_lengths(shared_data, corpus, unit):
    """C08: any unit as length function."""
    text = read(shared_data / "chroma" / f"{corpus}.md")[:40_000]
    assert ours(text, 60, 10, unit=unit).texts() == langchain(text, 60, 10, unit)


@pytest.mark.parametrize("corpus", ["finance", "pubmed", "chatlogs"])
def test_c08_equals_langchain_in_exact_tokens(shared_data, corpus):
    """C08: cl100k lengths on the corpora with tables, double spaces and addresses."""
    text = read(shared_data / "chroma" / f"{corpus}.md")[:120_000]
    assert ours(text, 200, 40, unit="cl100k").texts() == langchain(text, 200, 40, "cl100k")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("unit", ["chars", "o200k", "chars38"])
def test_c08_equals_langchain_in_seven_languages(shared_data, language, unit):
    """C08 on running text of seven languages, three of them without spaces."""
    text = read(shared_data / "unicode_text" / f"{language}.txt")
    if unit == "o200k":
        text = text[:15_000]
    assert ours(text, 120, 30, unit=unit).texts() == langchain(text, 120, 30, unit)


@pytest.mark.parametrize("language", XQUAD)
def test_c08_equals_langchain_on_question_answering_texts(shared_data, language):
    """C08 on every paragraph of XQuAD, one document a language."""
    articles = json.loads(read(shared_data / "xquad" / f"xquad.{language}.json"))["data"]
    text = "\n\n".join(paragraph["context"] for article in articles for paragraph in article["paragraphs"])
    for size, overlap in [(400, 50), (90, 45)]:
        assert ours(text, size, overlap).texts() == langchain(text, size, overlap)


# What LangChain publishes


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


def test_c08_langchains_merge_example():
    """CharacterTextSplitter's "foo bar baz 123" at size 7, overlap 3: one separator, dropped."""
    made = ours("foo bar baz 123", 7, 3, separators=(" ",), keep="none")
    assert made.texts() == ["foo bar", "bar baz", "baz 123"]


def test_c08_langchains_documentation_example(shared_data):
    """The 2022 State of the Union with size 100 and overlap 20: its documentation shows these first two chunks."""
    text = read(shared_data / "sotu" / "state_of_the_union.txt")
    made = ours(text, 100, 20)
    assert made.texts()[:2] == [
        "Madam Speaker, Madam Vice President, our First Lady and Second Gentleman. Members of Congress and",
        "of Congress and the Cabinet. Justices of the Supreme Court. My fellow Americans.",
    ]
    assert made.texts() == langchain(text, 100, 20)
