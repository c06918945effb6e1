"""Whole sentences, one each or packed up to the size (C04, C05)."""

from __future__ import annotations

from dataclasses import dataclass

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, verbatim
from ragchunk_core.chunkers.fixed import split as windows
from ragchunk_core.chunkers.packing import carry_last, carry_length, pack
from ragchunk_core.options import option
from ragchunk_core.sentences import RULES, sentence_spans


@dataclass(frozen=True, slots=True)
class SentenceOptions(ChunkerOptions):
    """How sentences are found, packed and repeated."""

    pack: bool = option(True, "Pack up to the size", "Off: one chunk a sentence, the size is ignored.")
    carry: int = option(
        1,
        "Sentences carried over",
        "Whole sentences repeated at the start of the next chunk.",
        minimum=0,
        maximum=20,
        step=1,
    )
    overlap_by: str = option(
        "sentences",
        "Overlap by",
        "What is repeated: a number of sentences, or whole sentences up to the overlap.",
        choices={"sentences": "sentences carried over", "size": "whole sentences up to the overlap"},
    )
    long: str = option(
        "keep",
        "Sentence over the size",
        "A sentence longer than the size is a chunk of its own, or is cut into windows.",
        choices={"keep": "keep whole", "cut": "cut to size"},
    )
    rule: str = option(
        "rules",
        "Sentence rule",
        "Where sentences end.",
        choices={name: rule.label for name, rule in RULES.items()},
    )


def split(request: Request, options: SentenceOptions) -> Pieces:
    """Sentences packed greedily; a boundary never falls inside one, unless it is longer than the size."""
    sentences = sentence_spans(request.text, options.rule)
    starts, ends = sentences[:, 0], sentences[:, 1]
    if not options.pack:
        return Pieces(starts, ends)
    by_size = options.overlap_by == "size"
    carry = carry_length(request, starts, ends) if by_size else carry_last(options.carry)
    spans: list[tuple[int, int]] = []
    for first, after in pack(request, starts, ends, carry):
        start, end = int(starts[first]), int(ends[after - 1])
        if options.long == "cut" and after - first == 1:
            spans += cut_to_size(request, start, end)
        else:
            spans.append((start, end))
    return verbatim(spans)


def cut_to_size(request: Request, start: int, end: int) -> list[tuple[int, int]]:
    """Fixed windows over one part of the text; the part itself where it fits."""
    part = request.part(start, end)
    if request.unit.count(part.text) <= request.size:
        return [(start, end)]
    pieces = windows(part)
    return [(start + a, start + b) for a, b in zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)]


SENTENCE = Chunker(
    name="sentence",
    label="Sentences",
    help="Whole sentences packed up to the size, the last repeated in the next chunk; good when chunks are quoted.",
    split=split,
    options=SentenceOptions,
    bounded=False,
)
