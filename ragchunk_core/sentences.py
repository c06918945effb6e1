"""Where sentences begin and end, by named rules (C06).

Each rule gives the spans of a text's sentences: in order, not overlapping, without white space at their ends,
and with nothing but white space between them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ragchunk_core.sentence_rules import rule_ends
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import IntArray


def by_rules(text: str) -> IntArray:
    """Stops that a capital follows, with abbreviations, initials, decimals, ellipses, quotes and brackets.

    List items, table rows, headings and blank lines are boundaries too. Chinese and Japanese full stops need no
    space after them; Arabic, Urdu, Devanagari and Ethiopic stops count.
    """
    return _spans(text, sorted(rule_ends(text)))


def after_stops(text: str) -> IntArray:
    """Broken at blank lines and after every ``.``, ``!`` or ``?`` that white space follows; nothing else."""
    return _spans(text, (m.end() for m in re.finditer(r"[.!?](?=\s)|(?=\r?\n[ \t]*\r?\n)", text)))


def langchain(text: str) -> IntArray:
    r"""LangChain's SemanticChunker: split at ``(?<=[.?!])\s+``."""
    return _spans(text, (m.end() for m in re.finditer(r"[.?!](?=\s)", text)))


@dataclass(frozen=True, slots=True)
class SentenceRule:
    """A named rule. ``find`` maps a text to an int64 array of shape ``(sentences, 2)``."""

    name: str
    label: str
    find: Callable[[str], IntArray]


RULES: dict[str, SentenceRule] = {
    rule.name: rule
    for rule in (
        SentenceRule("rules", "Rules (abbreviations, quotes, lists)", by_rules),
        SentenceRule("stops", "Every . ! ? before white space", after_stops),
        SentenceRule("langchain", "LangChain's SemanticChunker", langchain),
    )
}


def sentence_spans(text: str, rule: str = "rules") -> IntArray:
    """The sentences of ``text`` as an int64 array of shape ``(sentences, 2)``.

    Raises:
        ValueError: If there is no rule of that name.
    """
    if rule not in RULES:
        raise ValueError(f"The sentence rule is {rule!r}; allowed are {', '.join(RULES)}.")
    return RULES[rule].find(text)


def _spans(text: str, ends: Iterable[int]) -> IntArray:
    """The pieces between ascending ``ends`` without the white space around them; pieces of white space drop."""
    found: list[int] = []
    start, length = 0, len(text)
    for end in (*ends, length):
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            last = end
            while text[last - 1].isspace():
                last -= 1
            found += (start, last)
            start = end
    return as_offsets(found).reshape(-1, 2)
