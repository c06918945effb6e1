"""The worked example step by step, as the engine cuts it (D02, S05)."""

from __future__ import annotations

from typing import NamedTuple

from ragchunk_core.chunking import chunk
from ragchunk_core.sentences import sentence_spans
from ragchunk_core.types import Document
from ragchunk_core.units import unit_named


class Step(NamedTuple):
    """A chunk of the sentence buffer and why it ends where it does.

    Attributes:
        following: Characters of the sentence after it; 0 at the end of the text.
        would_be: Characters that the chunk would have with that sentence.
    """

    number: int
    text: str
    sentences: int
    length: int
    tokens: int
    following: int
    would_be: int


def buffer_steps(document: Document, size: int) -> list[Step]:
    """The sentence buffer's chunks of a document."""
    cut = chunk(document, "sentence-buffer", size=size)
    spans = sentence_spans(document.text, "stops").tolist()
    tokens = unit_named("chars4")
    steps = []
    for one in cut:
        after = next((end - start for start, end in spans if start >= one.end), 0)
        inside = sum(one.start <= start < one.end for start, _ in spans)
        length = len(one.text)
        steps.append(Step(one.index + 1, one.text, inside, length, tokens.count(one.text), after, length + after))
    return steps


def window_overlap(document: Document, size: int, overlap: str) -> tuple[str, int]:
    """What the first two fixed windows share, and the characters that all of them store."""
    cut = chunk(document, "fixed", size=size, overlap=overlap)
    return document.text[int(cut.starts[1]) : int(cut.ends[0])], int((cut.ends - cut.starts).sum())
