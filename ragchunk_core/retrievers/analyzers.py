"""Text to search terms, as Elasticsearch's ``standard`` and ``english`` analyzers do it (row R01).

``standard``: Lucene's standard tokenizer and lower case. ``english`` also drops a final possessive ``'s``,
drops Lucene's 33 English stop words and stems by Porter's algorithm. What this file does not do: synonyms,
accents, other languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock

import regex
import Stemmer

from ragchunk_core.retrievers.rankings import check_texts

MAX_TOKEN_LENGTH = 255
"""Characters of the longest term; a longer word is cut up, as Elasticsearch does by default."""

_LONGEST_KEPT = 50  # characters of a word that is remembered: a text without white space is one word, and comes once

# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
})
# fmt: on
"""Lucene's English stop words (EnglishAnalyzer.ENGLISH_STOP_WORDS_SET)."""


def _token_pattern() -> regex.Pattern[str]:
    """One pattern for Lucene's standard tokenizer: the word boundaries of Unicode's UAX #29, of which only
    those segments count that hold a letter, a digit, an ideograph, a syllable or an emoji.

    As in Lucene, and unlike the bare UAX #29, a run of letters from scripts that need a dictionary (Thai,
    Lao, Khmer, Burmese) is one token.
    """
    x = r"[\p{WB=Format}\p{WB=Extend}\p{WB=ZWJ}]*+"  # rule WB4: these stick to what they follow
    letter = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
    hebrew = r"\p{WB=Hebrew_Letter}"
    digit = r"\p{WB=Numeric}"
    mid_letter = r"[\p{WB=MidLetter}\p{WB=MidNumLet}\p{WB=Single_Quote}]"
    mid_digit = r"[\p{WB=MidNum}\p{WB=MidNumLet}\p{WB=Single_Quote}]"
    low_line = rf"(?:\p{{WB=ExtendNumLet}}{x})"
    # An atom takes the mark behind it only where that links it to the next atom (WB6, WB7, WB11, WB12).
    letters = rf"(?:[A-Za-z]++|\p{{WB=ALetter}}){x}(?:{mid_letter}{x}(?={letter}))?+"
    hebrews = rf"{hebrew}{x}(?:\"{x}(?={hebrew})|'{x}|{mid_letter}{x}(?={letter}))?+"
    digits = rf"{digit}{x}(?:{mid_digit}{x}(?={digit}))?+"
    core = rf"(?:(?:{letters}|{digits}|{hebrews})++|(?:\p{{WB=Katakana}}{x})++)"
    word = rf"{low_line}*+{core}(?:{low_line}++{core})*+{low_line}*+"
    pictograph = rf"\p{{Extended_Pictographic}}{x}"
    alternatives = [
        r"[A-Za-z]++(?=[ \n])",  # the common case, only for speed
        word,
        rf"{low_line}++(*SKIP)(*FAIL)",  # underscores alone: skipped whole, to stay linear
        rf"[\p{{Script=Han}}\p{{Script=Hiragana}}]{x}",
        rf"(?:\p{{LB=SA}}{x})++",
        rf"(?:(?<!\u200D)\u200D++)?{pictograph}(?:(?<=\u200D){pictograph})*+",
        rf"\p{{RI}}{x}\p{{RI}}{x}",
        rf"[#*]\uFE0F?\u20E3{x}",
    ]
    return regex.compile("|".join(alternatives))


_TOKEN = _token_pattern()
# The same for ASCII, where the standard library's plainer engine takes a third of the time.
_ASCII_TOKEN = re.compile(r"\w+(?:(?:(?<=[A-Za-z])[.:'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))\w+)*", re.ASCII)


def tokenize(text: str) -> list[str]:
    """The tokens of Lucene's standard tokenizer, in order, as written (upper case kept)."""
    if text.isascii():
        tokens: list[str] = _ASCII_TOKEN.findall(text)
        if "_" in text:
            tokens = [token for token in tokens if token.strip("_")]
    else:
        tokens = _TOKEN.findall(text)
    if max(map(len, tokens), default=0) > MAX_TOKEN_LENGTH:
        return [piece for token in tokens for piece in _short_enough(token)]
    return tokens


def _short_enough(token: str) -> list[str]:
    if len(token) <= MAX_TOKEN_LENGTH:
        return [token]
    cuts = range(0, len(token), MAX_TOKEN_LENGTH)
    # Tokenised again, since a piece may now begin or end with a mark that joined two letters.
    return [piece for cut in cuts for piece in _TOKEN.findall(token[cut : cut + MAX_TOKEN_LENGTH])]


def _lower_case(tokens: list[str]) -> list[str]:
    # Java lowers one character at a time: no final sigma, and the dotted capital I becomes a plain i. No
    # token holds a line break, so one call can lower them all.
    joined = "\n".join(tokens)
    if not joined.isascii():
        joined = joined.replace("\u0130", "i").replace("\u03a3", "\u03c3")
    return joined.lower().split("\n") if joined else []


def _standard(texts: Sequence[str]) -> list[list[str]]:
    return [tokenize(text.lower()) if text.isascii() else _lower_case(tokenize(text)) for text in texts]


def _english(texts: Sequence[str]) -> list[list[str]]:
    tokens = _standard(texts)
    distinct = list(set().union(*tokens))
    bare = [token[:-2] if token.endswith(_POSSESSIVES) else token for token in distinct]
    stemmed = zip(distinct, bare, _stems(bare), strict=True)
    terms = {token: None if word in STOP_WORDS else stem for token, word, stem in stemmed}
    return [[term for term in map(terms.__getitem__, row) if term is not None] for row in tokens]


_POSSESSIVES = ("'s", "\u2019s", "\uff07s")
_LATER_RULE = regex.compile(r"(.+)(bl|log)(?:ies|[iy](?:ed|ing)?s?)")
_DOUBLED = regex.compile(r"(.+)([chjkqvwx])\2(?:ed|ing)s?")


def _stems(words: list[str]) -> list[str]:
    """Porter stems as Lucene computes them; words of one or two letters stay as they are.

    PyStemmer's ``porter`` differs from the Porter stemmer in Lucene in three places. Lucene has two rules of
    Porter's later program (``bli`` to ``ble``, ``logi`` to ``log``: possibly, technology) and undoubles any
    consonant before -ed and -ing, as the paper of 1980 says (trekked, revved). Such words are given to
    PyStemmer in the form that those rules leave.
    """
    # A new stemmer each time: one must not be shared between threads, and making it costs microseconds.
    stems = Stemmer.Stemmer("porter", 0).stemWords([_prepared(word) for word in words])
    return [stem if len(word) > 2 else word for word, stem in zip(words, stems, strict=True)]


def _prepared(word: str) -> str:
    if (later := _LATER_RULE.fullmatch(word)) and "vc" in _form(later[1]):
        return f"{later[1]}ble" if later[2] == "bl" else f"{later[1]}log"
    if (doubled := _DOUBLED.fullmatch(word)) and "v" in _form(doubled[1]):
        return f"{doubled[1]}{doubled[2]}"
    return word


def _form(stem: str) -> str:
    """Vowels as ``v`` and consonants as ``c``; y is a vowel where it follows a consonant."""
    form = ""
    for letter in stem:
        form += "v" if letter in "aeiou" or (letter == "y" and form.endswith("c")) else "c"
    return form


class _Words:
    """Analyzes texts word by word, a word being what stands between white space, and remembers a bounded number.

    No token holds white space, and none depends on what stands beyond it. The one exception is U+202F, the narrow
    no-break space, which Unicode counts among the low lines: a text with it is analyzed whole.
    """

    def __init__(self, run: Callable[[Sequence[str]], list[list[str]]], most: int = 100_000) -> None:
        self._run, self._most = run, most
        self._known: dict[str, list[str]] = {}
        self._lock = Lock()

    def analyze(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text, in order."""
        rows = [text.split() if "\u202f" not in text else [text] for text in texts]
        terms = self._terms(set().union(*rows))
        return [list(chain.from_iterable(map(terms.__getitem__, row))) for row in rows]

    def _terms(self, words: set[str]) -> dict[str, list[str]]:
        with self._lock:
            answer = {word: self._known[word] for word in words if word in self._known}
        fresh = [word for word in words if word not in answer]
        if fresh:
            new = dict(zip(fresh, self._run(fresh), strict=True))
            short = {word: terms for word, terms in new.items() if len(word) <= _LONGEST_KEPT}
            with self._lock:
                if len(self._known) + len(short) > self._most:
                    self._known.clear()
                if len(short) <= self._most:
                    self._known.update(short)
            answer.update(new)
        return answer


@dataclass(frozen=True)
class Analyzer:
    """A named way from text to terms; ``run`` does many texts at once."""

    name: str
    label: str
    help: str
    run: Callable[[Sequence[str]], list[list[str]]]


ANALYZERS: dict[str, Analyzer] = {
    analyzer.name: analyzer
    for analyzer in (
        Analyzer(
            "english",
            "English",
            "Lower case, possessive 's and stop words dropped, Porter stems.",
            _Words(_english).analyze,
        ),
        Analyzer(
            "standard", "Standard", "Lower case only: every word counts, in the form it has.", _Words(_standard).analyze
        ),
    )
}


def analyze(texts: Sequence[str], analyzer: str) -> list[list[str]]:
    """The terms of each text, in order, by the analyzer of that name (see ``ANALYZERS``).

    Raises ValueError for an unknown analyzer, or when ``texts`` is one bare string.
    """
    if analyzer not in ANALYZERS:
        raise ValueError(f"analyzer must be one of {', '.join(ANALYZERS)}, not {analyzer!r}.")
    return ANALYZERS[analyzer].run(check_texts("texts", texts))
