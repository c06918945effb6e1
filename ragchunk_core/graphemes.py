"""Displayed characters (extended grapheme clusters of Unicode's UAX #29): where a text may be cut without breaking one.

An emoji family, a flag, a letter with its accents and CR LF are several code points and one cluster each. The package
``regex`` decides; it differs from Unicode 17's test only in keeping together a virama that follows no consonant with
the consonant after it.
"""

from __future__ import annotations

import numpy as np
import regex

from ragchunk_core.types import IntArray

_CLUSTER = regex.compile(r"\X")
# Between two ordinary characters, and after white space before all but marks and joiners, there is a boundary whatever
# else stands around.
_ALWAYS = regex.compile(r"(?<=\p{GCB=Other})\p{GCB=Other}|(?<=\s)[^\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\n]")


def cluster_edges(text: str, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """For each offset the last cluster boundary not after it, and the first not before it; equal at a boundary.

    Only the text around the offsets is read.

    Args:
        offsets: Offsets in code points, ascending, shape ``(n,)``.
    """
    before, after = [], []
    known = edge = 0  # a boundary, and the one after it
    for place in offsets.tolist():
        if place > edge:
            low = place
            while low > edge and not (low == len(text) or _ALWAYS.match(text, low)):
                low -= 1
            known = edge = low
            while edge < place:
                known = edge
                edge = _CLUSTER.match(text, edge).end()
        if place == edge:
            known = edge
        before.append(known)
        after.append(known if place == known else edge)
    return np.array(before, dtype=np.int64), np.array(after, dtype=np.int64)
