"""Semantic breakpoints (C14): Greg Kamradt's method, as LangChain's SemanticChunker computes it.

Each sentence is embedded together with its neighbours; the text is cut where the cosine distance between
consecutive ones is above a threshold. White space at the ends of the text is no sentence; LangChain takes what
follows a last stop for one more, an empty one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Embed, Pieces, Request, verbatim
from ragchunk_core.chunkers.limits import cut_above, maximum_option, minimum_option, vectors_of
from ragchunk_core.options import option
from ragchunk_core.sentences import RULES, sentence_spans
from ragchunk_core.types import FloatArray, IntArray

USUAL_AMOUNTS = {"percentile": 95.0, "standard_deviation": 3.0, "interquartile": 1.5, "gradient": 95.0}


@dataclass(frozen=True, slots=True)
class SemanticOptions(ChunkerOptions):
    """The threshold and what it is computed from."""

    threshold: str = option(
        "percentile",
        "Threshold rule",
        "A cut is made where the distance (for gradient: its slope) is above this.",
        choices={
            "percentile": "percentile of the distances",
            "standard_deviation": "mean + amount × σ",
            "interquartile": "mean + amount × interquartile range",
            "gradient": "percentile of the gradient",
        },
    )
    amount: float = option(
        0.0,
        "Amount",
        "Percentile, or factor of σ or of the interquartile range; 0 takes the usual 95, 3, 1.5, 95.",
        minimum=0.0,
        maximum=100.0,
        step=0.5,
    )
    buffer: int = option(
        1, "Neighbours each side", "Sentences embedded together with each one.", minimum=0, maximum=10, step=1
    )
    chunks: int = option(
        0,
        "Number of chunks",
        "Cut at the largest distances to get this many; 0 lets the rule decide.",
        minimum=0,
        maximum=100_000,
        step=1,
    )
    minimum: int = minimum_option()
    maximum: int = maximum_option()
    rule: str = option(
        "rules",
        "Sentence rule",
        "Where sentences end.",
        choices={name: rule.label for name, rule in RULES.items()},
    )


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """Where a text would be cut, and why.

    Attributes:
        sentences: Spans in code points, shape ``(n, 2)``.
        distances: Cosine distance between sentences i and i + 1 with their neighbours, shape ``(n - 1,)``.
        compared: What is held against the threshold: the distances, or their gradient.
        threshold: The value above which a cut is made.
        cuts: Indices i, ascending, after whose sentence a chunk ends.
    """

    sentences: IntArray
    distances: FloatArray
    compared: FloatArray
    threshold: float
    cuts: IntArray


def grouped_sentences(text: str, buffer: int, rule: str) -> tuple[IntArray, list[str]]:
    """The sentences' spans, and each sentence joined with ``buffer`` neighbours each side: what is embedded."""
    sentences = sentence_spans(text, rule)
    words = [text[start:end] for start, end in sentences.tolist()]
    return sentences, [" ".join(words[max(0, i - buffer) : i + buffer + 1]) for i in range(len(words))]


def sentence_distances(text: str, buffer: int, rule: str, embed: Embed) -> tuple[IntArray, FloatArray]:
    """The sentences' spans, and the cosine distance of each to the next, both embedded with their neighbours."""
    sentences, grouped = grouped_sentences(text, buffer, rule)
    if len(grouped) < 2:
        return sentences, np.zeros(0)
    vectors = vectors_of(grouped, embed)
    norms = np.linalg.norm(vectors, axis=1)
    dots = np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    lengths = norms[:-1] * norms[1:]
    return sentences, 1.0 - np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


def breakpoints(text: str, options: SemanticOptions, embed: Embed) -> Breakpoints:
    """Distances, threshold and cuts of one text.

    One sentence, or two under the gradient rule (a single distance has no gradient), are never cut. A fixed
    number of chunks cuts at the largest distances, the earlier of equal ones first.
    """
    sentences, distances = sentence_distances(text, options.buffer, options.rule, embed)
    amount = options.amount or USUAL_AMOUNTS[options.threshold]
    compared = distances
    if options.threshold == "gradient" and not options.chunks:
        compared = np.gradient(distances) if len(distances) > 1 else np.zeros(0)
    if not len(compared):
        return Breakpoints(sentences, distances, compared, float("inf"), np.zeros(0, dtype=np.int64))
    if options.chunks:
        largest = np.argsort(-distances, kind="stable")[: options.chunks - 1]
        rest = np.delete(distances, largest)
        threshold = float(rest.max()) if len(rest) else 0.0
        candidates = np.sort(largest)
    else:
        threshold = _threshold(compared, options.threshold, amount)
        candidates = np.flatnonzero(compared > threshold)
    return Breakpoints(sentences, distances, compared, threshold, _long_enough(sentences, candidates, options.minimum))


def _threshold(values: FloatArray, rule: str, amount: float) -> float:
    if rule == "standard_deviation":
        return float(np.mean(values) + amount * np.std(values))
    if rule == "interquartile":
        low, high = np.percentile(values, [25, 75])
        return float(np.mean(values) + amount * (high - low))
    return float(np.percentile(values, amount))


def _long_enough(sentences: IntArray, candidates: IntArray, minimum: int) -> IntArray:
    """Candidates without those that would close a chunk shorter than ``minimum`` characters."""
    kept, start = [], 0
    # As LangChain counts: the sentences' own lengths, and one for the white space between two.
    before = np.concatenate(([0], np.cumsum(sentences[:, 1] - sentences[:, 0] + 1)))
    for cut in candidates.tolist():
        if before[cut + 1] - before[start] - 1 >= minimum:
            kept.append(cut)
            start = cut + 1
    return np.array(kept, dtype=np.int64)


def split(request: Request, options: SemanticOptions) -> Pieces:
    """Chunks from the first to the last sentence between two cuts."""
    found = breakpoints(request.text, options, request.embed)
    if not len(found.sentences):
        return verbatim([])
    first = np.concatenate(([0], found.cuts + 1))
    last = np.append(found.cuts, len(found.sentences) - 1)
    starts, ends = found.sentences[first, 0], found.sentences[last, 1]
    spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
    return verbatim(cut_above(request, spans, options.maximum))


def embedded_texts(text: str, options: SemanticOptions) -> list[str]:
    """What is embedded: each sentence with its neighbours."""
    return grouped_sentences(text, options.buffer, options.rule)[1]


SEMANTIC = Chunker(
    name="semantic",
    label="Semantic breakpoints",
    help="Cuts where the meaning moves most between neighbouring sentences; needs the embedding model; any length.",
    split=split,
    options=SemanticOptions,
    uses_size=False,
    uses_overlap=False,
    embeds=embedded_texts,
    bounded=False,
)
