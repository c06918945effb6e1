"""Packing a tree of parts from the top (C15, C16, C17): a part that fits is whole, one that does not is opened.

Siblings are packed up to the size. What a reader of a later piece would miss (a table's header, a function's
signature) goes in front of it as context.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ragchunk_core.chunkers.base import Pieces, Request
from ragchunk_core.chunkers.packing import carry_nothing, furthest, pack
from ragchunk_core.chunkers.parts import ALWAYS_WITH_NEXT, Inside, Open, Part
from ragchunk_core.chunkers.recursive import RecursiveOptions
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.spans import as_offsets, trim

_RECURSIVE = RecursiveOptions()
_BLANKS = (" ", "\t")
_WORD = re.compile(r"\S+")
_SCRAP = 8
"""Characters up to which a chunk may be nothing but closing marks."""


class _Frame:
    """Siblings that are being packed."""

    __slots__ = ("at", "before", "opening", "outer", "own", "parts", "path", "plain")

    def __init__(
        self,
        inside: Inside,
        outer: tuple[str, ...],
        later: tuple[str, ...],
        before: list[int],
        path: tuple[str, ...],
    ) -> None:
        self.parts, self.opening, self.outer, self.before = inside.parts, inside.opening, outer, before
        self.path = (*path, inside.name) if inside.name else path
        self.own = inside.context if inside.replaces else (*later, *inside.context)
        self.plain = not (inside.context or inside.name)  # what follows it may go into its last chunk
        self.at = 0


class Packer:
    """Makes chunks of parts; one for a text.

    Args:
        opened: Opens a part that has a node.
        within: Whether the size holds with the context included.
        edges: Whether chunks are trimmed, but for the blanks that indent their first line; else they are as the parts.
    """

    def __init__(self, request: Request, opened: Open, within: bool, edges: bool = True) -> None:
        self.request, self.opened, self.within, self.edges = request, opened, within, edges
        self.characters = request.unit.name == "chars"
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.contexts: list[str] = []
        self.paths: list[tuple[str, ...]] = []
        self._floor = 0
        self._asked: tuple[str, ...] = ()
        self._context = ""

    def pieces(self) -> Pieces:
        """All chunks so far."""
        contexts = tuple(self.contexts) if any(self.contexts) else ()
        paths = tuple(self.paths) if any(self.paths) else ()
        return Pieces(as_offsets(self.starts), as_offsets(self.ends), contexts, paths)

    def pack(self, inside: Inside, path: tuple[str, ...] = (), outer: tuple[str, ...] = ()) -> None:
        """Add the chunks of these parts, none of which goes into a chunk with what was packed before.

        Args:
            path: Heading path of the chunks; names of what is opened are added to it.
            outer: Context of every chunk, the outermost line first.
        """
        self._floor = len(self.starts)
        closed = len(self.starts)  # so many chunks end where something with a context or a name ends
        stack = [self._frame(inside, outer, outer, path)]
        while stack:
            frame = stack[-1]
            if frame.at == len(frame.parts):
                stack.pop()
                if not frame.plain:
                    closed = len(self.starts)
                elif stack and len(self.starts) > closed:
                    self._go_on(stack[-1])
            elif inner := self._next(frame):
                stack.append(inner)

    def _frame(self, inside: Inside, outer: tuple[str, ...], later: tuple[str, ...], path: tuple[str, ...]) -> _Frame:
        """Siblings with their lengths added up, each with the gap after it: nearly what they count together.

        Args:
            outer, later: Context of the chunks that begin with the opening parts, and of those after them.
        """
        parts, before = inside.parts, []
        if not self.characters and len(parts) > 1:
            starts = np.array([part[0] for part in parts], dtype=np.int64)
            counts = self.request.unit.slice_counts(self.request.text, starts, np.append(starts[1:], parts[-1][1]))
            before = [0, *np.cumsum(counts).tolist()]
        return _Frame(inside, outer, later, before, path)

    def _next(self, frame: _Frame) -> _Frame | None:
        """Make the next chunk, or give back the inside of the next part, which is too long for one."""
        parts, first = frame.parts, frame.at
        lines = frame.outer if first < frame.opening else frame.own
        context = self._within(lines)
        after = self._furthest(frame, first, context)
        if after == first:
            shorter = self._beside(parts[first], lines)
            if shorter is None:
                frame.at = first + 1
                return self._open(frame, parts[first], (), context)
            context = shorter
            after = self._furthest(frame, first, context)
        if after < len(parts) and parts[after - 1][3]:
            last = after
            while last > first and parts[last - 1][3] and self._goes_over(parts, last - 1, after, context):
                last -= 1
            if last > first:
                after = last
            elif parts[after].yields or not self._fits(parts[after][0], parts[after][1], ""):
                frame.at = after + 1
                return self._open(frame, parts[after], parts[first:after], context)
        frame.at = after
        self._add(parts[first][0], parts[after - 1][1], context, frame.path)
        return None

    def _go_on(self, frame: _Frame) -> None:
        """Let the last chunk, which ends what was opened, hold as much of what follows as fits."""
        parts, first = frame.parts, frame.at
        start, context, after = self.starts[-1], self.contexts[-1], first
        while after < len(parts) and self._fits(start, parts[after][1], context):
            after += 1
        while first < after < len(parts) and parts[after - 1][3]:  # it stays with what did not fit
            after -= 1
        if after > first:
            self.ends[-1] = parts[after - 1][1]
            frame.at = after

    def _goes_over(self, parts: Sequence[Part], leading: int, after: int, context: str) -> bool:
        """Whether a leading part had better go into the chunk of what follows it."""
        return (
            parts[leading][3] == ALWAYS_WITH_NEXT
            or self._fits(parts[leading][0], parts[after][1], context)
            or not self._fits(parts[after][0], parts[after][1], "")
        )

    def _open(self, frame: _Frame, part: Part, leads: Sequence[Part], context: str) -> _Frame | None:
        if part.node is not None:
            inside = self.opened(part, leads)
            if len(inside.parts) > 1 or (inside.parts and inside.parts[0].node is not part.node):
                parts = [*leads, *inside.parts] if leads else inside.parts
                first, number = frame.at - 1 - len(leads), frame.at - 1
                outer = frame.outer if first < frame.opening else frame.own
                later = frame.outer if number < frame.opening else frame.own
                inside = inside._replace(parts=parts, opening=inside.opening + len(leads))
                return self._frame(inside, outer, later, frame.path)
        if leads and part.node is None:
            part = Part(leads[0][0], part.end)
        elif leads:
            self._add(leads[0][0], leads[-1][1], context, frame.path)
        self._cut(part, context, self._within(frame.own), frame.path)
        return None

    def _cut(self, part: Part, context: str, later: str, path: tuple[str, ...]) -> None:
        """A part that nothing opens, by the recursive splitter; context that takes more than half is left out.

        Args:
            context, later: What goes in front of the first chunk, and of the others.
        """
        request, size = self.request, self.request.size
        contexts = ["" if self.within and self._cost(one) * 2 > size else one for one in (context, later)]
        room = max(1, size - max(map(self._cost, contexts)) if self.within else size)
        pieces = _cut_to(replace(request.part(part.start, part.end), size=room, overlap=0))
        for number, (start, end) in enumerate(pieces):
            self._add(part.start + start, part.start + end, contexts[number > 0], path)

    def _furthest(self, frame: _Frame, first: int, context: str) -> int:
        """Up to which part all fit into one chunk; ``first`` itself where not even that part does."""
        parts = frame.parts
        start, count = parts[first][0], len(parts)
        if self.characters:
            limit = start + self.request.size - (self._cost(context) if self.within else 0)
            after = first
            while after < count and parts[after][1] <= limit:
                after += 1
            return after
        if not self._fits(start, parts[first][1], context):
            return first
        if count == 1:
            return first + 1
        room = self.request.size - (self._cost(context) if self.within else 0)
        guess = bisect_right(frame.before, frame.before[first] + room) - 2
        return furthest(first, guess, count, lambda last: self._fits(start, parts[last][1], context)) + 1

    def _fits(self, start: int, end: int, context: str) -> bool:
        counted = context if self.within else ""
        if self.characters:
            return end - start + (len(counted) + 1 if counted else 0) <= self.request.size
        text = self.request.text[start:end]
        return self.request.unit.count(f"{counted}\n{text}" if counted else text) <= self.request.size

    def _cost(self, context: str) -> int:
        return self.request.unit.count(context + "\n") if context else 0

    def _within(self, lines: tuple[str, ...]) -> str:
        """The context, without the outermost lines that take it beyond half of the size; the innermost stays."""
        if lines is not self._asked:
            self._asked = lines
            if self.within:
                while len(lines) > 1 and self._cost("\n".join(lines)) * 2 > self.request.size:
                    lines = lines[1:]
            self._context = "\n".join(lines)
        return self._context

    def _beside(self, part: Part, lines: tuple[str, ...]) -> str | None:
        """As much of the context as fits beside a part that is whole; None where the part does not fit by itself."""
        if not self._fits(part[0], part[1], ""):
            return None
        while lines and not self._fits(part[0], part[1], "\n".join(lines)):
            lines = lines[1:]
        return "\n".join(lines)

    def _joined(self, start: int, end: int) -> bool:
        """Whether nothing but closing marks was left over, and went to the chunk before."""
        if len(self.starts) == self._floor or self.request.text[start:end].strip("()[]{},;:`~ \t\r\n"):
            return False
        if self._fits(self.starts[-1], end, self.contexts[-1]):
            self.ends[-1] = end
            return True
        return False

    def _add(self, start: int, end: int, context: str, path: tuple[str, ...]) -> None:
        """A chunk; the blanks that indent its first line are part of it where they fit."""
        text = self.request.text
        if self.edges and (text[start].isspace() or text[end - 1].isspace()):
            start, end = trim(text, start, end)
            if start == end:
                return
        if end - start <= _SCRAP and self._joined(start, end):
            return
        if context and self.within and not self._fits(start, end, context):
            context = ""  # a few tokens more together than apart: the size holds
        if self.edges and text[start - 1 : start] in _BLANKS:
            free = self.ends[-1] if self.ends else 0
            line = max(text.rfind("\n", free, start), text.rfind("\r", free, start)) + 1
            if (line or not free) and not text[line:start].strip(" \t") and self._fits(line, end, context):
                start = line
        self.starts.append(start)
        self.ends.append(end)
        self.contexts.append(context)
        self.paths.append(path)
        self.request.refuse_above(len(self.starts), so_far=True)


def _cut_to(request: Request) -> Iterator[tuple[int, int]]:
    """Spans by the recursive splitter; those that a unit of estimates lets pass the size, by words."""
    made = split_recursively(request, _RECURSIVE)
    counts = request.unit.slice_counts(request.text, made.starts, made.ends)
    for start, end, count in zip(made.starts.tolist(), made.ends.tolist(), counts.tolist(), strict=True):
        if count <= request.size:
            yield start, end
            continue
        words = [match.span() for match in _WORD.finditer(request.text, start, end)]
        low, high = np.array(words, dtype=np.int64).reshape(-1, 2).T
        for first, after in pack(request, low, high, carry_nothing):
            yield words[first][0], words[after - 1][1]
