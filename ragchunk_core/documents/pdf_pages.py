"""What every extractor of PDF text gives, and the sentences that they share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ragchunk_core.documents.limits import Limits, PasswordError, ReadError

MOST_ENTRIES = 10_000
"""Entries of an outline that are looked at."""

_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")


class Entry(NamedTuple):
    """An entry of a file's outline: its level from 1, its title, and the page, from 0, that it leads to."""

    level: int
    title: str
    page: int


@dataclass(slots=True)
class Pages:
    """The text of every page, empty where there is none, and what is to be told about them.

    Attributes:
        texts: By page.
        failed: How many pages could not be read.
        lost: How many characters were none that can be stored and became U+FFFD.
        invisible: How many pages hold text that is not drawn.
        outline: The file's outline, where it was asked for.
        told: Sentences about what was done to the pages.
    """

    texts: list[str] = field(default_factory=list)
    failed: int = 0
    lost: int = 0
    invisible: int = 0
    outline: list[Entry] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def notes(self) -> tuple[str, ...]:
        """What a user should know."""
        notes = []
        of_all = f"of {len(self.texts):,} page{'s' * (len(self.texts) > 1)}"
        empty = self.texts.count("") - self.failed
        if empty:
            notes.append(f"{empty:,} {of_all} {'have' if empty > 1 else 'has'} no text (scanned?).")
        if self.failed:
            notes.append(f"{self.failed:,} {of_all} could not be read.")
        if self.invisible:
            holds = "hold" if self.invisible > 1 else "holds"
            notes.append(f"{self.invisible:,} {of_all} {holds} invisible text (of a scan, or hidden); it is kept.")
        if self.lost:
            notes.append(f"{self.lost:,} character{'s' * (self.lost > 1)} of the file are no text and became \ufffd.")
        return tuple(notes)


def storable(text: str) -> tuple[str, int]:
    """The text without what no encoding can store, and how often something was replaced by U+FFFD."""
    if not _NO_TEXT.search(text):
        return text, 0
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two halves make a character
    made = joined.replace("\0", "\ufffd")
    return made, made.count("\ufffd") - text.count("\ufffd")


def locked(name: str, password: str | None) -> PasswordError:
    """The error of a file that needs a password, or another one."""
    wrong = "and the password given does not open it" if password else "and needs a password"
    return PasswordError(f"{name!r} is encrypted {wrong}; give the password that opens it for reading.")


def too_much_on_page(name: str, number: int, limits: Limits) -> ReadError:
    """The error of a page with more text than is allowed."""
    most = f"{limits.page_text:,}"
    return ReadError(f"{name!r} has too much text on page {number}; at most {most} characters are allowed.")
