"""Cluster semantic chunker (C20) of Chroma's report "Evaluating Chunking Strategies for Retrieval" (2024).

The text is cut into small pieces, each is embedded, and neighbouring pieces are grouped so that the similarity inside
the groups, above the mean similarity of all pairs, is as large as it can be.

Chroma's code can make one group of any length of the pieces before the first pair that is more similar than the mean;
here no group is ever larger than the limit. It joins pieces with a space; here a chunk is the slice of the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request, no_vectors, verbatim
from ragchunk_core.chunkers.limits import cut_above, joined_below, maximum_option, minimum_option, vectors_of
from ragchunk_core.chunkers.recursive import RecursiveOptions
from ragchunk_core.chunkers.recursive import split as split_recursively
from ragchunk_core.options import option
from ragchunk_core.types import FloatArray, IntArray
from ragchunk_core.units import unit_named

REPORT_SPLITTER = RecursiveOptions(separators=("\n\n", "\n", ".", "?", "!", " ", ""))
"""How the report's own recursive splitter cuts, here and in its table."""


@dataclass(frozen=True, slots=True)
class ClusterOptions(ChunkerOptions):
    """How small the pieces are, and how many make a chunk."""

    tokens: int = option(
        400,
        "Group up to, in tokens",
        "At most ⌊this / piece⌋ pieces make a chunk; cl100k tokens, whatever the unit of the size.",
        minimum=1,
        maximum=100_000,
        step=50,
    )
    piece: int = option(
        50,
        "Piece, in tokens",
        "The text is first cut recursively into pieces of at most this many cl100k tokens.",
        minimum=1,
        maximum=10_000,
        step=10,
    )
    minimum: int = minimum_option()
    maximum: int = maximum_option()


def piece_spans(text: str, options: ClusterOptions) -> list[tuple[int, int]]:
    """The pieces that are embedded: recursive splitting at ``\\n\\n \\n . ? ! space`` and anywhere, no overlap."""
    request = Request(text, options.piece, 0, unit_named("cl100k"), no_vectors)
    pieces = split_recursively(request, REPORT_SPLITTER)
    return list(zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True))


def cluster_starts(vectors: FloatArray, largest: int) -> IntArray:
    """The first piece of each group, ascending: the grouping with the largest reward, by dynamic programming.

    The reward of a group is the sum, over all pairs of two different pieces in it, of their dot product less the mean
    dot product of all pairs in the text. Of equally good groupings the one that ends in the smallest group
    is taken. Time is O(pieces × largest × dimension); no more than one row of the similarity matrix is ever held, for
    the mean over its upper triangle is ((Σv)·(Σv) − Σ v·v) / (n (n − 1)).

    Args:
        vectors: One row for each piece, shape ``(pieces, dimension)``.
        largest: How many pieces a group may have, 1 or more.
    """
    count = len(vectors)
    total = vectors.sum(axis=0)
    pairs = max(1, count * (count - 1))
    mean = (total @ total - np.einsum("ij,ij->", vectors, vectors)) / pairs
    best = np.zeros(count + 1)  # best[i]: the largest reward of the first i pieces
    first_of = np.zeros(count, dtype=np.int64)
    inside = np.zeros(0)  # the reward of one group from each piece in reach to the last
    for last in range(count):
        reach = max(0, last - largest + 1)
        above = vectors[reach:last] @ vectors[last] - mean
        inside = np.append(inside[len(inside) - len(above) :] + np.cumsum(above[::-1])[::-1], 0.0)
        rewards = best[reach : last + 1] + inside
        first_of[last] = last - int(np.argmax(rewards[::-1]))
        best[last + 1] = rewards[first_of[last] - reach]
    starts = []
    after = count
    while after:
        after = int(first_of[after - 1])
        starts.append(after)
    return np.array(starts[::-1], dtype=np.int64)


def split(request: Request, options: ClusterOptions) -> Pieces:
    """Groups of neighbouring pieces, each a slice from its first piece to its last.

    Raises:
        ValueError: If a group may not even hold one piece.
    """
    if options.tokens < options.piece:
        raise ValueError(
            f"Semantic clusters: tokens is {options.tokens} and piece is {options.piece}; "
            f"tokens must be {options.piece} or more."
        )
    pieces = piece_spans(request.text, options)
    if not pieces:
        return verbatim([])
    vectors = vectors_of([request.text[start:end] for start, end in pieces], request.embed)
    starts = cluster_starts(vectors, options.tokens // options.piece).tolist()
    spans = [(pieces[a][0], pieces[b - 1][1]) for a, b in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    return verbatim(cut_above(request, joined_below(spans, options.minimum), options.maximum))


def embedded_texts(text: str, options: ClusterOptions) -> list[str]:
    """What is embedded: the pieces."""
    return [text[start:end] for start, end in piece_spans(text, options)]


CLUSTER = Chunker(
    name="cluster",
    label="Semantic clusters",
    help="Groups small neighbouring pieces that mean alike, up to a number of tokens; needs the embedding model.",
    split=split,
    options=ClusterOptions,
    uses_size=False,
    uses_overlap=False,
    embeds=embedded_texts,
    bounded=False,
)
