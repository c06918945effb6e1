"""Fixed windows (C01, C03): so many units each, every one ``size - overlap`` after the last.

With tokens the cuts are at token boundaries, as LangChain's ``split_text_on_tokens`` makes them; a boundary
inside a character moves back to the character's start, so that every window is a slice of the text.

"Ratio" windows are those of the RAG Chunk Splitter: sizes in tokens become characters by the text's own number of
characters per token, so that windows track the text and need only one count of it.
"""

from __future__ import annotations

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import IntArray


def split(request: Request, _options: ChunkerOptions | None = None) -> Pieces:
    """Windows over the unit boundaries; the last ends at the end of the text, none lies inside the one before."""
    if request.unit.name == "chars":  # every offset is a boundary: no list of them is needed
        return Pieces(*_windows(request, len(request.text), request.size, request.overlap))
    # What stands before the first unit belongs to it; a text of no unit (word pieces leave some characters out) is one.
    boundaries = np.concatenate(([0], request.unit.starts(request.text)[1:], [len(request.text)]))
    first, after = _windows(request, len(boundaries) - 1 if request.text else 0, request.size, request.overlap)
    starts, ends = boundaries[first], boundaries[after]
    # Windows smaller than one character are empty or repeat the end of the one before.
    new = ends > np.concatenate(([0], np.maximum.accumulate(ends)[:-1]))
    return Pieces(as_offsets(starts[new]), as_offsets(ends[new]))


def split_by_ratio(request: Request, _options: ChunkerOptions | None = None) -> Pieces:
    """Windows of ⌊size × ratio⌋ characters that share ⌊overlap × ratio⌋; the ratio is characters / units."""
    characters, units = len(request.text), max(1, request.unit.count(request.text))
    size = max(1, request.size * characters // units)
    overlap = min(size - 1, request.overlap * characters // units)
    return Pieces(*_windows(request, characters, size, overlap))


def _windows(request: Request, length: int, size: int, overlap: int) -> tuple[IntArray, IntArray]:
    """Starts and ends of windows over ``0 … length``; their number is known, and refused, before any is made."""
    if not length:
        return as_offsets([]), as_offsets([])
    step = size - overlap
    count = 1 + max(0, -(-(length - size) // step))
    request.refuse_above(count)
    starts = np.arange(count, dtype=np.int64) * step
    return as_offsets(starts), as_offsets(np.minimum(starts + size, length))


FIXED = Chunker(
    name="fixed",
    label="Fixed windows",
    help="Windows of exactly the size, blind to sentences and words; the only cut that fits logs and long lines.",
    split=split,
)
RATIO = Chunker(
    name="ratio",
    label="Ratio windows",
    help="Windows whose size in tokens becomes characters by this text's own characters per token; quick, not exact.",
    split=split_by_ratio,
    bounded=False,
)
