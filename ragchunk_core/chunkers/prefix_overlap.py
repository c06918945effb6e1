"""Recursive "prefix overlap" (C10), as the RAG Text Chunker cuts.

The text is broken at paragraphs, else at lines, else after ``". "``, else at spaces, else anywhere, and the pieces
are packed greedily up to the size. Every chunk after the first then gets the end of the one before in front: its
last ``overlap`` units. The size is the budget of what is new in a chunk, so a chunk can be ``size + overlap`` long.

Separators stay at the end of the piece before them, so that what is new in the chunks covers the text without gaps
and each chunk with its prefix is one slice of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, verbatim
from ragchunk_core.chunkers.fixed import split as windows
from ragchunk_core.chunkers.packing import carry_nothing, pack

_SEPARATORS = tuple(re.compile(pattern) for pattern in (r"(?>\r\n?|\n){2,}", r"(?>\r\n?|\n)+", r"\. ", " "))
"""Paragraphs, lines, sentences, words; the pieces end where these do. Line ends are LF, CR or CRLF."""


def split(request: Request, _options: ChunkerOptions) -> Pieces:
    """What is new in each chunk, with the end of the chunk before it in front."""
    bodies: list[tuple[int, int]] = []
    _fill(request, 0, len(request.text), 0, bodies)
    spans: list[tuple[int, int]] = []
    for start, end in bodies:
        spans.append((_prefix_start(request, *spans[-1]) if spans else start, end))
    return verbatim(spans)


def _prefix_start(request: Request, start: int, end: int) -> int:
    """Where the last ``overlap`` units of ``text[start:end]`` begin."""
    if not request.overlap:
        return end
    if request.unit.name == "chars":
        return max(start, end - request.overlap)
    units = request.unit.starts(request.text[start:end])
    return start + int(units[-request.overlap]) if len(units) >= request.overlap else start


def _fill(request: Request, low: int, high: int, level: int, bodies: list[tuple[int, int]]) -> None:
    """Append spans that cover ``text[low:high]``, each within the size, cut at the separators from ``level`` on.

    Spans of white space alone are left out.
    """
    edges = [low, high]
    while len(edges) == 2 and level < len(_SEPARATORS):
        found = [match.end() for match in _SEPARATORS[level].finditer(request.text, low, high)]
        edges = [low, *(edge for edge in found if edge < high), high]
        level += 1
    if len(edges) == 2:
        whole = windows(replace(request.part(low, high), overlap=0))
        spans = zip((low + whole.starts).tolist(), (low + whole.ends).tolist(), strict=True)
        bodies += [(start, end) for start, end in spans if not request.text[start:end].isspace()]
        return
    table = np.array(edges, dtype=np.int64)
    for first, after in pack(request, table[:-1], table[1:], carry_nothing):
        start, end = edges[first], edges[after]
        if after - first == 1 and request.unit.count(request.text[start:end]) > request.size:
            _fill(request, start, end, level, bodies)
        elif not request.text[start:end].isspace():
            bodies.append((start, end))
        request.refuse_above(len(bodies), so_far=True)


PREFIX_OVERLAP = Chunker(
    name="prefix-overlap",
    label="Prefix overlap",
    help="Paragraphs, lines, sentences, words packed up to the size, with the end of the chunk before copied in front.",
    split=split,
    bounded=False,
)
