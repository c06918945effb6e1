"""Headings and sections as LangChain's MarkdownHeaderTextSplitter sees them (C11, its second mode).

That splitter reads line by line: every line is stripped and loses its non-printable characters; a line of one to six
``#`` and a space is a heading, outside of what it takes for fences. Sections without text vanish, neighbours with the
same headings are one.
"""

from __future__ import annotations

import re

from ragchunk_core.headings import Heading, Section, sections

_MARKS = re.compile(r"[#`~]")
_HEADING = re.compile(r"(#{1,6})(?: |\Z)")


def hash_line_headings(text: str) -> list[Heading]:
    """The lines that are headings: only lines that hold a ``#`` or a fence's mark are looked at."""
    found, fence, at = [], "", 0
    while mark := _MARKS.search(text, at):
        start = text.rfind("\n", 0, mark.start()) + 1
        at = text.find("\n", mark.start()) + 1 or len(text)
        bare = _bare(text[start:at])
        if fence:
            if bare.startswith(fence):
                fence = ""
        elif (bare.startswith("```") and bare.count("```") == 1) or bare.startswith("~~~"):
            fence = bare[:3]
        elif heading := _HEADING.match(bare):
            found.append(Heading(len(heading[1]), bare[heading.end() :].strip(), start, at))
    return found


def hash_sections(text: str, level: int, keep_headings: bool) -> list[list[Section]]:
    """Sections up to ``level``, grouped as that splitter joins them; a group's path is its last section's.

    Args:
        keep_headings: Whether heading lines are text (its ``strip_headers=False``). Then no section vanishes, and one
            that ends in a line that starts with ``#`` is joined to a deeper one after it.
    """
    headings = hash_line_headings(text)
    groups: list[list[Section]] = []
    depths: list[tuple[int, ...]] = []
    for section, outline in zip(sections(text, headings, level), _outlines(text, headings, level), strict=True):
        if not any(map(_bare, text[section.start if keep_headings else section.body : section.end].split("\n"))):
            continue
        if groups:
            last = groups[-1][-1]
            same = (last.path, depths[-1]) == (section.path, outline)
            into_child = keep_headings and len(last.path) < len(section.path) and _ends_in_hash(text, last)
            if same or into_child:
                groups[-1].append(section)
                depths[-1] = outline
                continue
        groups.append([section])
        depths.append(outline)
    return groups


def _outlines(text: str, headings: list[Heading], level: int) -> list[tuple[int, ...]]:
    """For each section, the levels of the headings in its path."""
    opening = [heading for heading in headings if heading.level <= level]
    stack: list[int] = []
    made: list[tuple[int, ...]] = [] if opening and opening[0].start == 0 else [()]
    for heading in opening:
        stack = [*(one for one in stack if one < heading.level), heading.level]
        made.append(tuple(stack))
    return made


def _ends_in_hash(text: str, section: Section) -> bool:
    lines = [line for line in map(_bare, text[section.start : section.end].split("\n")) if line]
    return bool(lines) and lines[-1].startswith("#")


def _bare(line: str) -> str:
    """The line as that splitter reads it."""
    line = line.strip()
    return line if line.isprintable() else "".join(filter(str.isprintable, line))
