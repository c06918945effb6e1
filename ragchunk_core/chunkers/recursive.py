"""Recursive separators (C08), identical to LangChain's RecursiveCharacterTextSplitter, with true spans.

A text is split at the first separator that occurs in it; neighbouring pieces are merged up to the size, with up
to ``overlap`` carried over; a piece that is still too long is split with the next separators. All of it runs on
offsets, so no chunk's place is ever searched for.

Where LangChain pastes a regex separator back as its own pattern (``keep="none"`` with ``regex``), chunks here
are slices of the text instead.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, Pieces, Request
from ragchunk_core.chunkers.recursive_characters import character_spans
from ragchunk_core.options import option
from ragchunk_core.spans import as_offsets, trim

SEPARATORS = ("\n\n", "\n", " ", "")


@dataclass(frozen=True, slots=True)
class RecursiveOptions:
    """LangChain's options, under names that say what they do."""

    separators: tuple[str, ...] = option(
        SEPARATORS,
        "Separators",
        "Tried in this order; an empty one cuts anywhere, so that no chunk passes the size.",
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
        ValueError: If there is no separator or one is not a regular expression where it should be.
    """
    patterns = _compiled(options)
    if request.unit.name == "chars" and options.keep == "start" and not options.regex:
        spans = character_spans(request.text, request.size, request.overlap, tuple(options.separators), options.strip)
        return _pieces(request.text, spans, None)
    run = _Run(request, options, patterns)
    run.split(0, len(request.text), 0)
    return _pieces(request.text, run.spans, run.texts if options.keep == "none" else None)


def _compiled(options: RecursiveOptions) -> list[re.Pattern[str] | None]:
    if not options.separators or not all(isinstance(s, str) for s in options.separators):
        raise ValueError(f"recursive: separators is {options.separators!r}; it must be a list of at least one string.")
    compiled: list[re.Pattern[str] | None] = []
    for separator in options.separators:
        try:
            compiled.append(re.compile(separator if options.regex else re.escape(separator)) if separator else None)
        except re.error as error:
            raise ValueError(f"recursive: the separator {separator!r} is no regular expression: {error}.") from None
    return compiled


def _pieces(text: str, spans: Sequence[tuple[int, int]], texts: list[str] | None) -> Pieces:
    table = as_offsets(spans).reshape(-1, 2)
    if texts is not None and all(text[a:b] == piece for (a, b), piece in zip(spans, texts, strict=True)):
        texts = None
    return Pieces(as_offsets(table[:, 0]), as_offsets(table[:, 1]), texts=tuple(texts or ()))


class _Run:
    """One split of one text. ``texts`` is filled beside ``spans`` only where chunks need not be slices."""

    def __init__(self, request: Request, options: RecursiveOptions, patterns: list[re.Pattern[str] | None]) -> None:
        self.request, self.options, self.patterns = request, options, patterns
        self.spans: list[tuple[int, int]] = []
        self.texts: list[str] = []

    def split(self, low: int, high: int, level: int) -> None:
        """Split ``text[low:high]`` with the separators from ``level`` on."""
        segment = self.request.text[low:high]
        chosen, following = self._separator(segment, level)
        cuts = self._cut(segment, chosen)
        spans = [(low + a, low + b) for a, b in cuts]
        lengths = self._lengths(spans)
        glue = self._glue(chosen)
        glue_length = self.request.unit.count(glue) if glue else 0
        run = 0
        for index in range(len(spans) + 1):
            long = index < len(spans) and lengths[index] >= self.request.size
            if index < len(spans) and not long:
                continue
            for first, after in _merge(lengths[run:index], self.request.size, self.request.overlap, glue_length):
                self._emit(spans[run + first : run + after], glue)
            run = index + 1
            if long and following < len(self.patterns):
                self.split(*spans[index], following)
            elif long:
                self._append(*spans[index], self.request.text[slice(*spans[index])])

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

    def _cut(self, segment: str, chosen: int) -> list[tuple[int, int]]:
        """Pieces of the segment at one separator, without empty ones."""
        pattern = self.patterns[chosen]
        if pattern is None:
            return [(i, i + 1) for i in range(len(segment))]
        matches = [match.span() for match in pattern.finditer(segment)]
        if self.options.keep == "none":
            edges = [0, *(edge for match in matches for edge in match), len(segment)]
            cuts = list(zip(edges[::2], edges[1::2], strict=True))
        else:
            side = 0 if self.options.keep == "start" else 1
            edges = [0, *(match[side] for match in matches), len(segment)]
            cuts = list(itertools.pairwise(edges))
        return [(a, b) for a, b in cuts if b > a]

    def _lengths(self, spans: list[tuple[int, int]]) -> list[int]:
        """Each piece's length; a dropped regex separator counts with the piece after it."""
        text = self.request.text
        if self.options.keep == "none" and self.options.regex:
            before = [spans[0][0] if spans else 0, *(end for _, end in spans)]
            pieces = [text[a:b] for a, (_, b) in zip(before, spans, strict=False)]
        else:
            pieces = [text[a:b] for a, b in spans]
        lengths: list[int] = self.request.unit.counts(pieces).tolist()
        return lengths

    def _glue(self, chosen: int) -> str:
        drops_literal = self.options.keep == "none" and not self.options.regex
        return self.options.separators[chosen] if drops_literal else ""

    def _emit(self, parts: list[tuple[int, int]], glue: str) -> None:
        start, end = parts[0][0], parts[-1][1]
        text = self.request.text
        joined = glue.join(text[a:b] for a, b in parts) if glue else text[start:end]
        if self.options.strip:
            start, end = trim(text, start, end)
            joined = joined.strip()
        if joined:
            self._append(start, end, joined)

    def _append(self, start: int, end: int, joined: str) -> None:
        self.spans.append((start, end))
        self.texts.append(joined)


def _merge(lengths: list[int], size: int, overlap: int, glue: int) -> list[tuple[int, int]]:
    """LangChain's ``_merge_splits`` on indices: ranges ``[first, after)`` of pieces.

    ``glue`` is the length of what joins two pieces.
    """
    ranges: list[tuple[int, int]] = []
    first, total = 0, 0
    for index, length in enumerate(lengths):
        if total + length + (glue if index > first else 0) > size and index > first:
            ranges.append((first, index))
            while total > overlap or (total + length + (glue if index > first else 0) > size and total > 0):
                total -= lengths[first] + (glue if index - first > 1 else 0)
                first += 1
        total += length + (glue if index > first else 0)
    if lengths:
        ranges.append((first, len(lengths)))
    return ranges


RECURSIVE = Chunker(
    name="recursive",
    label="Recursive",
    help="LangChain's RecursiveCharacterTextSplitter: paragraphs, then lines, then words; a sound start for any prose.",
    split=split,
    options=RecursiveOptions,
)
