"""Running headers and footers of a PDF, found and taken out if wished (D06)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ragchunk_core.documents.pdf_pages import Pages

_EDGE = 3  # lines at the top and at the bottom of a page that may be furniture
_LEAST = 3  # pages that a line must stand on
_SHOWN = 5  # kinds of removed lines that are told
_FEW = 4  # words of a line such as "Page 3 of 9"
_NUMBER = re.compile(r"\d{1,9}")


class _Line(NamedTuple):
    """A line near the edge of a page.

    Attributes:
        page, place: The page, and the line's place on it, from 0.
        said: What it says, white space apart.
        counting: Page numbers that it may hold, each less its page's place among the pages.
    """

    page: int
    place: int
    said: str
    counting: tuple[int, ...]


def without_furniture(pages: Pages) -> None:
    """Take out first and last lines that repeat from page to page, and tell how many.

    A line is furniture if it stands equally far from the same edge of at least three pages, and of half of those with
    text (or of those with text and an even, or odd, number), and says the same there, but for a page number: a number
    at one of its ends, or in a line of at most four words, that counts the pages. Only lines with nothing but
    furniture between them and the edge are taken out.
    """
    with_text = [number for number, page in enumerate(pages.texts) if page]
    split = [page.split("\n") for page in pages.texts]
    gone: dict[int, set[int]] = defaultdict(set)
    for from_top in (True, False):
        inside = set(with_text)  # pages whose lines so far from the edge were all furniture
        for distance in range(_EDGE):
            lines = [_line(number, split[number], distance, from_top) for number in sorted(inside)]
            found = list(_repeated([line for line in lines if line], with_text))
            for line in found:
                gone[line.page].add(line.place)
            inside = {line.page for line in found}
    removed: Counter[str] = Counter()
    for number, places in gone.items():
        removed.update(_NUMBER.sub("…", " ".join(split[number][place].split())) for place in places)
        kept = [line for place, line in enumerate(split[number]) if place not in places]
        pages.texts[number] = "\n".join(kept).strip("\n")
    pages.told.append(_told(removed, len(gone), len(pages.texts)))


def _line(page: int, lines: list[str], distance: int, from_top: bool) -> _Line | None:
    """The line so far from the edge, blank ones not counted."""
    places = [place for place, line in enumerate(lines[: 4 * _EDGE] if from_top else lines) if line.strip()]
    if len(places) <= distance:
        return None
    place = places[distance] if from_top else places[-1 - distance]
    words = lines[place].split()
    numbers = [
        int(number[0])
        for at, word in enumerate(words)
        if at in (0, len(words) - 1) or len(words) <= _FEW
        for number in _NUMBER.finditer(word)
    ]
    return _Line(page, place, " ".join(words), tuple(number - page for number in numbers))


def _repeated(lines: list[_Line], with_text: list[int]) -> Iterator[_Line]:
    """Those of the lines, each of another page, that say the same on enough pages."""
    by_shape: dict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        by_shape[_NUMBER.sub("0", line.said)].append(line)
    for group in by_shape.values():
        same = Counter(line.said for line in group).most_common(1)[0][0]
        counts = Counter(number for line in group for number in set(line.counting)).most_common(1)
        alike = [line for line in group if line.said == same or (counts and counts[0][0] in line.counting)]
        for parities in ((0, 1), (0,), (1,)):
            chosen = [line for line in alike if line.page % 2 in parities]
            of_all = sum(page % 2 in parities for page in with_text)
            if len(chosen) >= _LEAST and 2 * len(chosen) >= of_all:
                yield from chosen
                break


def _told(removed: Counter[str], touched: int, count: int) -> str:
    if not removed:
        return "Headers and footers: none found."
    lines = removed.total()
    kinds = [f"“{line[:60]}”" for line, _ in removed.most_common(_SHOWN)]
    more = " and others" if len(removed) > _SHOWN else ""
    return (
        f"Headers and footers: {lines:,} line{'s' * (lines > 1)} removed from {touched:,} of {count:,} pages: "
        f"{', '.join(kinds)}{more}."
    )
