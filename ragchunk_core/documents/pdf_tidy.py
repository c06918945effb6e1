"""Words of a PDF put together again if wished (D06): parted at line ends, or written with ligatures."""

from __future__ import annotations

import re

from ragchunk_core.documents.pdf_pages import Pages

_LETTERS = r"[^\W\d_]+"
_BROKEN = re.compile(rf"({_LETTERS})([-\u2010\u00ad\u0002])[ \t]*\n[ \t]*({_LETTERS})(\S*)[ \t]?")
_WORD = re.compile(rf"{_LETTERS}(?:[-\u2010]{_LETTERS})*")
_LIGATURES: dict[str, str] = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LETTERS_OF = {ord(sign): letters for sign, letters in _LIGATURES.items()}
_SOFT = "\u00ad"
# First parts of English compounds: their hyphen belongs to the word, where the text does not say otherwise.
_COMPOUND = """
all anti cross ever ex far fast full half hard high ill left like long low mid non off old one
open part post quasi real right second self semi short single so third two ultra well wide
world
"""
_COMPOUNDING = frozenset(_COMPOUND.split())
_SUSPENDED = frozenset(["and", "or", "to", "und", "oder", "bis", "et", "ou"])  # as in "two- and threefold"


def hyphens_joined(pages: Pages) -> None:
    """Put words together again that a hyphen parts at a line end, and tell how many.

    The hyphen goes, unless the file writes the word with one within a line, or the second part has a capital, or the
    first part is one of the few that English makes compounds with ("well-known"). Where the file writes the word
    without a hyphen, that decides. A soft hyphen (U+00AD) always goes. The line break moves behind the word.
    """
    whole: set[str] = set()
    for page in pages.texts:
        whole.update(word.casefold().replace("\u2010", "-") for word in _WORD.findall(page))
    joined = kept = 0

    def put_together(match: re.Match[str]) -> str:
        nonlocal joined, kept
        left, sign, right, rest = match.groups()
        if right.casefold() in _SUSPENDED and not rest:
            return match[0]
        before = match.string[max(0, match.start() - 40) : match.start()]
        if _keeps(before, left, sign, right, whole):
            kept += 1
            return f"{left}-{right}{rest}\n"
        joined += 1
        return f"{left}{right}{rest}\n"

    for number, page in enumerate(pages.texts):
        text = _BROKEN.sub(put_together, page)
        pages.texts[number] = text.removesuffix("\n") if not page.endswith("\n") else text
    pages.told.append(
        f"Hyphens: {joined + kept:,} word{'s' * (joined + kept != 1)} parted at a line end put together, "
        f"{kept:,} of them with the hyphen kept."
    )


def _keeps(before: str, left: str, sign: str, right: str, whole: set[str]) -> bool:
    """Whether the hyphen belongs to the word."""
    if sign == _SOFT:
        return False
    first, second = left.casefold(), right.casefold()
    if first + second in whole:
        return False
    if f"{first}-{second}" in whole or (right[0].isupper() and not left.isupper()):
        return True
    return first in _COMPOUNDING or before.endswith("-")


def ligatures_spelled(pages: Pages) -> None:
    """Write ligatures as the letters that they are made of, and tell how many."""
    count = 0
    for number, page in enumerate(pages.texts):
        found = sum(map(page.count, _LIGATURES))
        if found:
            pages.texts[number] = page.translate(_LETTERS_OF)
            count += found
    pages.told.append(f"Ligatures: {count:,} spelled out.")
