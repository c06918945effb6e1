"""Recursive separators (C08), identical to LangChain's RecursiveCharacterTextSplitter, with true spans.

A text is split at the first separator that occurs in it; neighbouring pieces are merged up to the size, with up
to ``overlap`` carried over; a piece that is still too long is split with the next separators. All of it runs on
offsets, so no chunk's place is ever searched for.

Two faults of LangChain are not copied. Where it pastes a dropped regular expression back as its own pattern (``keep``
"none" with ``regex``, langchain#39569), what joins the pieces here is the text that stood between them, so chunks
are slices. And a group in an expression only groups (langchain#12832); there it breaks the split.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.recursive_characters import character_spans
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim
from ragchunk_core.types import IntArray

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True)
class RecursiveOptions(ChunkerOptions):
    """LangChain's options, under names that say what they do."""

    separators: tuple[str, ...] = option(
        SEPARATORS,
        "Separators",
        "Tried in this order; an empty one cuts anywhere, so that no chunk passes the size.",
        minimum=1,
        maximum=100,
    )
    regex: bool = option(False, "Separators are regular expressions", "Groups in them are only for grouping.")
    keep: str = option(
        "start",
        "Keep the separator",
        "At the start of the piece after it, at the end of the piece before it, or not at all.",
        choices={"start": "at the start", "end": "at the end", "none": "drop it"},
    )
    strip: bool = option(True, "Strip white space", "Leaves white space at the ends of a chunk out of it.")


def split(request: Request, options: RecursiveOptions) -> Pieces:
    """The chunks of LangChain's splitter with the same settings and the unit's count as length function.

    Raises:
        ValueError: If a separator is not a regular expression where it should be.
    """
    if request.unit.name == "chars" and options.keep == "start" and not options.regex:
        starts, ends = character_spans(request, tuple(options.separators), options.strip)
        return Pieces(as_offsets(starts), as_offsets(ends))
    run = _Run(request, options)
    run.split(0, len(request.text), 0)
    return Pieces(as_offsets(run.starts), as_offsets(run.ends), texts=run.own_texts())


def _compiled(options: RecursiveOptions) -> list[re.Pattern[str] | None]:
    compiled: list[re.Pattern[str] | None] = []
    for separator in options.separators:
        try:
            compiled.append(re.compile(separator if options.regex else re.escape(separator)) if separator else None)
        except re.error as error:
            raise ValueError(f"recursive: the separator {separator!r} is no regular expression: {error}.") from None
    return compiled


class _Run:
    """One split of one text."""

    def __init__(self, request: Request, options: RecursiveOptions) -> None:
        self.request, self.options, self.patterns = request, options, _compiled(options)
        self.drops_literal = options.keep == "none" and not options.regex
        self.drops_regex = options.keep == "none" and options.regex
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.texts: list[str] = []  # filled only where chunks need not be slices

    def own_texts(self) -> tuple[str, ...]:
        """The chunks' texts, or nothing when all are slices."""
        text = self.request.text
        spans = zip(self.starts, self.ends, self.texts, strict=False)
        return () if all(text[a:b] == own for a, b, own in spans) else tuple(self.texts)

    def split(self, low: int, high: int, level: int) -> None:
        """Split ``text[low:high]`` with the separators from ``level`` on."""
        request = self.request
        segment = request.text[low:high]
        chosen, following = self._separator(segment, level)
        starts, ends, pieces = self._cut(segment, chosen)
        lengths = request.unit.counts_up_to(pieces, request.size)  # longer ones are not merged
        glue = self.options.separators[chosen] if self.drops_literal else ""
        if self.drops_regex:
            gaps = request.unit.slice_counts(segment, np.append(0, ends[:-1])[: len(starts)], starts)
        else:
            gaps = np.full(len(pieces), request.unit.count(glue))
        reached = np.cumsum(lengths + gaps)
        merge = _Merge((reached - lengths).tolist(), [0, *reached.tolist()], request.size, request.overlap)
        run = 0
        for index in [*np.flatnonzero(lengths >= request.size).tolist(), len(pieces)]:
            for first, after in merge.ranges(run, index):
                start, end = low + int(starts[first]), low + int(ends[after - 1])
                self._emit(start, end, glue.join(pieces[first:after]) if self.drops_literal else None)
            run = index + 1
            if index == len(pieces):
                return
            start, end = low + int(starts[index]), low + int(ends[index])
            if following < len(self.patterns):
                self.split(start, end, following)
            else:  # too long, and appended as it is, unstripped
                self._append(start, end, pieces[index])

    def _separator(self, segment: str, level: int) -> tuple[int, int]:
        """The first separator that occurs in this piece, and the first of those to use after it."""
        end = len(self.patterns)
        for index in range(level, end):
            pattern = self.patterns[index]
            if pattern is None:
                return index, end
            if pattern.search(segment):
                return index, index + 1
        return end - 1, end

    def _cut(self, segment: str, chosen: int) -> tuple[IntArray, IntArray, list[str]]:
        """Starts, ends and texts of the segment's pieces at one separator, without empty ones."""
        pattern, keep = self.patterns[chosen], self.options.keep
        if pattern is None:
            pieces, gap = list(segment), 0
        elif self.options.regex:
            return _cut_at(segment, [match.span() for match in pattern.finditer(segment)], keep)
        else:
            separator = self.options.separators[chosen]
            pieces, gap = segment.split(separator), len(separator) if keep == "none" else 0
            if keep == "start":
                pieces[1:] = [separator + piece for piece in pieces[1:]]
            elif keep == "end":
                pieces[:-1] = [piece + separator for piece in pieces[:-1]]
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        ends = np.cumsum(lengths + gap) - gap
        if not lengths.all():
            pieces, ends, lengths = [piece for piece in pieces if piece], ends[lengths > 0], lengths[lengths > 0]
        return ends - lengths, ends, pieces

    def _emit(self, start: int, end: int, joined: str | None) -> None:
        """Append a merged chunk, stripped where that is wanted; an empty one is dropped."""
        if self.options.strip:
            start, end = trim(self.request.text, start, end)
            joined = joined.strip() if joined else joined
        if start < end:
            self._append(start, end, joined)

    def _append(self, start: int, end: int, joined: str | None) -> None:
        self.starts.append(start)
        self.ends.append(end)
        if self.drops_literal:
            self.texts.append(joined or "")
        self.request.refuse_above(len(self.starts), so_far=True)


def _cut_at(segment: str, matches: list[tuple[int, int]], keep: str) -> tuple[IntArray, IntArray, list[str]]:
    """Like ``_Run._cut``, at the spans of a regular expression's matches."""
    sides = {"start": (0, 0), "end": (1, 1), "none": (0, 1)}[keep]
    edges = [0, *(match[side] for match in matches for side in sides), len(segment)]
    spans = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1], [segment[a:b] for a, b in spans]


class _Merge:
    """LangChain's ``_merge_splits`` on running lengths: which pieces share a chunk.

    Args:
        before: Summed length of the pieces and of what joins them, up to each piece.
        reached: The same up to each piece's end, with a 0 in front; so pieces ``[i, j)`` joined are
            ``reached[j] - before[i]`` long.
    """

    def __init__(self, before: Sequence[int], reached: Sequence[int], size: int, overlap: int) -> None:
        self.before, self.reached, self.size, self.overlap = before, reached, size, overlap

    def ranges(self, first: int, stop: int) -> list[tuple[int, int]]:
        """Ranges ``[first, after)`` of the pieces from ``first`` to ``stop``, each shorter than the size by itself."""
        before, reached, size = self.before, self.reached, self.size
        made = []
        least = first + 1  # the piece that closed a chunk is always in the next one
        while first < stop:
            after = max(least, bisect_right(reached, before[first] + size, least, stop + 1) - 1)
            made.append((first, after))
            if after == stop:
                break
            # Pieces are carried over while they fit into the overlap and, with the next piece, into the size; those
            # of no length at all always are.
            begin = min(max(reached[after] - self.overlap, reached[after + 1] - size), reached[after])
            first, least = bisect_left(before, begin, first, after), after + 1
        return made


RECURSIVE = Chunker(
    name="recursive",
    label="Recursive",
    help="LangChain's RecursiveCharacterTextSplitter: paragraphs, then lines, then words; a sound start for any prose.",
    split=split,
    options=RecursiveOptions,
)
