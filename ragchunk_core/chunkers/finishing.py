"""What every chunker can be told to do with the chunks it made: keep displayed characters whole, join a short tail."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import numpy as np

from ragchunk_core.chunkers.base import ChunkerOptions, Pieces, Request
from ragchunk_core.graphemes import cluster_edges
from ragchunk_core.spans import as_offsets


def finished(request: Request, pieces: Pieces, options: ChunkerOptions) -> Pieces:
    """The chunks with the shared options carried out (C18, and whole grapheme clusters)."""
    if options.graphemes and len(pieces.starts):
        pieces = _whole_graphemes(request.text, pieces)
    return _joined_tail(request, pieces, options.tail) if options.tail else pieces


def _whole_graphemes(text: str, pieces: Pieces) -> Pieces:
    """Cuts inside a grapheme cluster moved to its end.

    A chunk's start that no chunk before reaches moves to the cluster's start instead, so that nothing is lost. Chunks
    that become empty are dropped; a moved chunk's text is the slice of its span.
    """
    starts, ends = pieces.starts, pieces.ends
    places, where = np.unique(np.concatenate((starts, ends)), return_inverse=True)
    before, after = cluster_edges(text, places)
    first, last = where[: len(starts)], where[len(starts) :]
    reached = np.concatenate(([-1], np.maximum.accumulate(ends)[:-1]))
    new_starts = np.where(reached >= starts, after[first], before[first])
    new_ends = after[last]
    kept = new_ends > new_starts
    texts = pieces.texts
    if texts:
        moved = (new_starts != starts) | (new_ends != ends)
        rows = zip(texts, moved.tolist(), new_starts.tolist(), new_ends.tolist(), strict=True)
        texts = tuple(text[start:end] if changed else own for own, changed, start, end in rows)
    return Pieces(
        as_offsets(new_starts[kept]),
        as_offsets(new_ends[kept]),
        tuple(np.array(pieces.contexts, dtype=object)[kept]) if pieces.contexts else (),
        tuple(path for path, keep in zip(pieces.paths, kept, strict=True) if keep) if pieces.paths else (),
        tuple(one for one, keep in zip(texts, kept, strict=True) if keep) if texts else (),
    )


def _joined_tail(request: Request, pieces: Pieces, minimum: int) -> Pieces:
    """The last chunk joined to the one before it while it is shorter than ``minimum`` units and not the only one.

    The joined chunk is the slice from the earlier one's start to the text's last chunk's end; it keeps the earlier
    one's context and the part of the heading path that both share.
    """
    text = request.text
    starts, ends, paths, texts = pieces.starts.tolist(), pieces.ends.tolist(), list(pieces.paths), list(pieces.texts)
    contexts = list(pieces.contexts)
    while len(starts) > 1 and request.unit.count(texts[-1] if texts else text[starts[-1] : ends[-1]]) < minimum:
        starts.pop()
        ends[-2:] = [max(ends[-2:])]
        if texts:
            texts[-2:] = [text[starts[-1] : ends[-1]]]
        if paths:
            both = zip(*paths[-2:], strict=False)
            paths[-2:] = [tuple(title for title, _ in takewhile(lambda pair: pair[0] == pair[1], both))]
        if contexts:
            contexts.pop()
    return replace(
        pieces, starts=as_offsets(starts), ends=as_offsets(ends), contexts=tuple(contexts), paths=tuple(paths),
        texts=tuple(texts),
    )  # fmt: skip
