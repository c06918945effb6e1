"""Recursive "sentence buffer" (C09), as the RAG Chunking Playground computes it.

Pieces end at blank lines and after ``.``, ``!`` or ``?`` followed by white space. They fill a buffer, which
becomes a chunk when the next piece would pass the size. Pieces are joined without the white space between them,
so a chunk's text is shorter than the slice of its span; a piece longer than the size is not cut.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.packing import carry_nothing, pack
from ragchunk_core.sentences import sentence_spans
from ragchunk_core.spans import as_offsets


def split(request: Request, _options: ChunkerOptions) -> Pieces:
    """Fill and empty the buffer, measuring its joined text in the unit."""
    sentences = sentence_spans(request.text, "stops")
    joined = "".join([request.text[start:end] for start, end in sentences.tolist()])
    ends = np.cumsum(sentences[:, 1] - sentences[:, 0])
    starts = ends - (sentences[:, 1] - sentences[:, 0])
    groups = list(pack(replace(request, text=joined), starts, ends, carry_nothing))
    return Pieces(
        as_offsets([sentences[first, 0] for first, _ in groups]),
        as_offsets([sentences[after - 1, 1] for _, after in groups]),
        texts=tuple(joined[starts[first] : ends[after - 1]] for first, after in groups),
    )


SENTENCE_BUFFER = Chunker(
    name="sentence-buffer",
    label="Sentence buffer",
    help="Sentences joined without the white space between them until the next would not fit; never cuts inside one.",
    split=split,
    uses_overlap=False,
    bounded=False,
)
