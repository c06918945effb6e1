"""The outline of a PDF (its bookmarks) as Markdown headings: the lines of the text that it names are marked."""

from __future__ import annotations

import re
import unicodedata

from ragchunk_core.documents.pdf_pages import Entry, Pages

_MOST_LINES = 3  # that one title may be broken into
_LONGEST = 400  # characters of a title
_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part|appendix|kapitel|abschnitt|teil|chapitre) )?"
    r"(?:\d+(?:\.\d+)*[.:)]?|[ivxlc]+[.:)]|[a-z][.:)]) (?=\S)"
)


def headings_from_outline(pages: Pages) -> None:
    """Put ``#`` in front of each line that is a title of the outline on the page that it leads to.

    A title that is broken over two or three lines becomes one. One that the page does not have is left out; a
    sentence tells how many were found.
    """
    by_page: dict[int, list[Entry]] = {}
    for entry in pages.outline:
        by_page.setdefault(entry.page, []).append(entry)
    found = 0
    for page, entries in by_page.items():
        if page < len(pages.texts) and pages.texts[page]:
            pages.texts[page], marked = _marked(pages.texts[page], entries)
            found += marked
    if pages.outline:
        count = len(pages.outline)
        pages.told.append(f"Outline: {found:,} of its {count:,} title{'s' * (count > 1)} found and made headings.")
    else:
        pages.told.append("Outline: the file has none, so there are no headings.")


def _marked(text: str, entries: list[Entry]) -> tuple[str, int]:
    """A page with its titles marked, and how many it has."""
    lines = text.split("\n")
    places = _places(lines)
    taken: dict[int, tuple[int, int]] = {}  # first line -> (how many lines, level)
    after = 0
    for entry in entries:
        found = next((places[key] for key in _keys(entry.title) if key in places), [])
        # After the title before, if possible: the same words may stand in a table of contents above.
        free = [place for place in found if place[0] not in taken]
        place = next((place for place in free if place[0] >= after), free[0] if free else None)
        if place is not None:
            taken[place[0]] = (place[1], min(entry.level, 6))
            after = place[0] + place[1]
    made, number = [], 0
    while number < len(lines):
        count, level = taken.get(number, (1, 0))
        title = " ".join(" ".join(lines[number : number + count]).split())
        made.append(f"{'#' * level} {title}" if level else lines[number])
        number += count
    return "\n".join(made), len(taken)


def _places(lines: list[str]) -> dict[str, list[tuple[int, int]]]:
    """Where each run of one to three lines stands, by what it says: its first line, and how many it has."""
    places: dict[str, list[tuple[int, int]]] = {}
    for first in range(len(lines)):
        for count in range(1, _MOST_LINES + 1):
            joined = " ".join(lines[first : first + count])
            if first + count > len(lines) or len(joined) > _LONGEST or not lines[first + count - 1].strip():
                break
            for key in _keys(joined):
                places.setdefault(key, []).append((first, count))
    return places


def _keys(title: str) -> list[str]:
    """What a title says, whatever its case, width and spacing; with its number and without."""
    plain = " ".join(unicodedata.normalize("NFKC", title).casefold().split())
    keys = [plain, _NUMBER.sub("", plain)]
    return [key for key in dict.fromkeys(one.replace(" ", "") for one in keys) if key]
