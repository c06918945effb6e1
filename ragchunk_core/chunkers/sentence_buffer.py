"""Recursive "sentence buffer" (C09), as the RAG Chunking Playground computes it.

Pieces end at blank lines and after ``.``, ``!`` or ``?`` followed by white space. They fill a buffer, which
becomes a chunk when the next piece would pass the size. Pieces are joined without the white space between them,
so a chunk's text is shorter than the slice of its span; a piece longer than the size is not cut.
"""

from __future__ import annotations

from ragchunk_core.chunkers.base import Chunker, NoOptions, Pieces, Request
from ragchunk_core.sentences import sentence_spans
from ragchunk_core.spans import as_offsets


def split(request: Request, _options: NoOptions) -> Pieces:
    """Fill and empty the buffer, measuring its joined text in the unit."""
    spans: list[tuple[int, int]] = []
    texts: list[str] = []
    for start, end in sentence_spans(request.text, "stops").tolist():
        piece = request.text[start:end]
        if texts and request.unit.count(texts[-1] + piece) <= request.size:
            spans[-1] = (spans[-1][0], end)
            texts[-1] += piece
        else:
            spans.append((start, end))
            texts.append(piece)
    table = as_offsets(spans).reshape(-1, 2)
    return Pieces(as_offsets(table[:, 0]), as_offsets(table[:, 1]), texts=tuple(texts))


SENTENCE_BUFFER = Chunker(
    name="sentence-buffer",
    label="Sentence buffer",
    help="Sentences joined without the white space between them until the next would not fit; never cuts inside one.",
    split=split,
    uses_overlap=False,
    bounded=False,
)
