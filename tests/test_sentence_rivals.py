"""C06: the golden rules of sentence segmentation, and what other libraries make of them.

All are compared in one way: the sentences' characters without any white space, so that it is boundaries that count and
not what becomes of the white space at them. Libraries that take a language are told it; ours is not.
"""

from __future__ import annotations

import json
import warnings

import pytest

from ragchunk_core.sentences import sentence_spans

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)  # pysbd writes regular expressions in plain strings
    import nupunkt
    import pysbd
    import sentencex
    import syntok.segmenter

CODES = {
    "English": "en", "German": "de", "Japanese": "ja", "Arabic": "ar", "Italian": "it", "Russian": "ru",
    "Spanish": "es", "Greek": "el", "Hindi": "hi", "Armenian": "hy", "Burmese": "my", "Amharic": "am", "Persian": "fa",
    "Urdu": "ur", "Dutch": "nl",
}  # fmt: skip
TASTE = {("English", 52), ("Arabic", 5)}
"""No space between two sentences; sentences that end in a comma: the data's own README calls them matters of taste."""

RIVALS = {
    "pysbd": lambda text, code: pysbd.Segmenter(language=code, clean=False).segment(text),
    "syntok": lambda text, _: [
        "".join(token.spacing + token.value for token in sentence)
        for paragraph in syntok.segmenter.analyze(text)
        for sentence in paragraph
    ],
    "sentencex": lambda text, code: list(sentencex.segment(code, text)),
    "nupunkt": lambda text, _: nupunkt.sent_tokenize(text),
}


@pytest.fixture(scope="module")
def golden_rules(shared_data):
    return json.loads((shared_data / "golden_rules" / "golden_rules.json").read_text(encoding="utf-8"))


def ours(text, _):
    return [text[a:b] for a, b in sentence_spans(text).tolist()]


def bare(sentences):
    """The sentences without white space; those of white space alone are none."""
    return [joined for joined in ("".join(sentence.split()) for sentence in sentences) if joined]


def held(rules, segment):
    """The rules that a segmenter holds, by language and number."""
    return {
        (rule["lang"], rule["n"])
        for rule in rules
        if bare(segment(rule["text"], CODES[rule["lang"]])) == bare(rule["expected"])
    }


def test_c06_all_golden_rules_hold_but_two_matters_of_taste(golden_rules):
    """C06: 85 of 87 rules in 15 languages, 50 of 51 in English."""
    everything = {(rule["lang"], rule["n"]) for rule in golden_rules}
    assert everything - held(golden_rules, ours) == TASTE
    assert len(everything) == 87


def test_c06_the_golden_rules_offsets_are_ours(golden_rules):
    """C06: where the data gives offsets, ours are these to the character."""
    checked = 0
    for rule in golden_rules:
        if rule["spans"] is not None and (rule["lang"], rule["n"]) not in TASTE:
            assert sentence_spans(rule["text"]).tolist() == rule["spans"], rule["rule"]
            checked += 1
    assert checked == 83


@pytest.mark.parametrize("rival", RIVALS)
def test_c06_ours_hold_more_golden_rules_than_any_other_library(golden_rules, rival):
    """C06: in English at least as many as each rival, in all languages together more."""
    theirs, own = held(golden_rules, RIVALS[rival]), held(golden_rules, ours)
    english = [sum(lang == "English" for lang, _ in rules) for rules in (own, theirs)]
    assert english[0] >= english[1]
    assert len(own) > len(theirs)


def test_c06_the_rivals_run_as_their_makers_mean_them(golden_rules):
    """C06: their counts, so that a rival that stops working is not taken for one that is worse."""
    counts = {name: len(held(golden_rules, segment)) for name, segment in RIVALS.items()}
    assert counts == {"pysbd": 80, "syntok": 53, "sentencex": 77, "nupunkt": 53}
