"""Fixed windows (C01): exactly ``size`` units, each ``size - overlap`` after the last.

With tokens the cuts are at token boundaries, as LangChain's ``split_text_on_tokens`` makes them; a boundary
inside a character moves back to the character's start, so that every window is a slice of the text.
"""

from __future__ import annotations

import numpy as np

from ragchunk_core.chunkers.base import Chunker, NoOptions, Pieces, Request
from ragchunk_core.spans import as_offsets


def split(request: Request, _options: NoOptions | None = None) -> Pieces:
    """Windows over the unit boundaries; the last ends at the end of the text, none lies inside the one before."""
    boundaries = np.append(request.unit.starts(request.text), len(request.text))
    units = len(boundaries) - 1
    if not units:
        return Pieces(as_offsets([]), as_offsets([]))
    step = request.size - request.overlap
    count = 1 + max(0, -(-(units - request.size) // step))
    first = np.arange(count) * step
    starts, ends = boundaries[first], boundaries[np.minimum(first + request.size, units)]
    # Windows smaller than one character are empty or repeat the end of the one before.
    new = ends > np.concatenate(([0], np.maximum.accumulate(ends)[:-1]))
    return Pieces(as_offsets(starts[new]), as_offsets(ends[new]))


FIXED = Chunker(
    name="fixed",
    label="Fixed windows",
    help="Windows of exactly the size, blind to sentences and words; the only cut that fits logs and long lines.",
    split=split,
)
