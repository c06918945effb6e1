"""What chunks cost (V06): vectors, storage, embedding, and each query's context; after the RAG Chunking Playground.

Two ways to the same table: ``window_cost`` computes fixed windows over one long text exactly, with no text at hand;
``measured_cost`` takes chunks that were really made, and scales them to a corpus of another size in proportion.
Prices are list prices in US dollars at the dates told below; they are parameters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ragchunk_core.chunking import Chunking, resolve_overlap
from ragchunk_core.units import unit_named

if TYPE_CHECKING:
    import pandas as pd

SIZES = (125, 250, 500, 1_000, 2_000, 4_000)
"""Chunk sizes of the usual table, in characters."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a corpus and its queries are reckoned with.

    Attributes:
        characters: Characters of the corpus.
        dimension, number_bytes: Numbers in a vector, and bytes of each (float32: 4).
        characters_per_token: For text that is not counted; 4 is the average of English prose.
        text_bytes: Bytes that a stored character takes (UTF-8; ASCII: 1).
        embedding: Dollars for a million tokens embedded; 0.02 is text-embedding-3-small (25 January 2024).
        reading: Dollars for a million tokens of a prompt; 0.15 is GPT-4o mini (18 July 2024).
        k: Chunks that go into the prompt of each query.

    Raises:
        ValueError: If a value is below what it can be.
    """

    characters: int = 10_000_000
    dimension: int = 1_536
    number_bytes: int = 4
    characters_per_token: float = 4.0
    text_bytes: float = 1.0
    embedding: float = 0.02
    reading: float = 0.15
    k: int = 5

    def __post_init__(self) -> None:
        for name in ("dimension", "number_bytes", "k"):
            if getattr(self, name) < 1:
                raise ValueError(f"Prices: {name} is {getattr(self, name)}; it must be 1 or more.")
        for name in ("characters", "text_bytes", "embedding", "reading"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"Prices: {name} is {getattr(self, name)}; it must be 0 or more.")
        if not 0 < self.characters_per_token < math.inf:
            raise ValueError(f"Prices: characters_per_token is {self.characters_per_token}; it must be above 0.")

    @property
    def vector_bytes(self) -> int:
        """Bytes of one vector: 1,536 × 4 = 6,144."""
        return self.dimension * self.number_bytes


@dataclass(frozen=True, slots=True)
class Cost:
    """One row of the cost table.

    Attributes:
        label: What was cut, and how.
        vectors: Chunks, each with one vector.
        stored: Characters over all chunks, what overlap repeats counted each time.
        extra: Stored characters beyond those of the corpus, as a share of them; below 0 where chunks leave some out.
        text_bytes, vector_bytes: Storage of the texts and of the vectors, without any index around them.
        tokens: Tokens to embed.
        embedding: Dollars to embed them once.
        query_tokens: Tokens of the k chunks of one query, at their mean length.
        query: Dollars to read them, for a thousand queries.
    """

    label: str
    vectors: int
    stored: int
    extra: float
    text_bytes: int
    vector_bytes: int
    tokens: int
    embedding: float
    query_tokens: float
    query: float


def growth(overlap: float | Fraction) -> float:
    """How much more is stored with that share of each window repeated, on a long text: 1 / (1 − overlap) − 1.

    Raises:
        ValueError: Unless the share is at least 0 and below 1.
    """
    if not 0 <= overlap < 1:
        raise ValueError(f"The overlap is {overlap} of the size; it must be at least 0 and below 1.")
    return float(1 / (1 - Fraction(overlap)) - 1)


def windows(characters: int, size: int, overlap: int) -> tuple[int, int]:
    """How many fixed windows a text of so many characters gives (C01), and the characters that they store.

    Raises:
        ValueError: For sizes that ``chunk`` would refuse.
    """
    overlap = resolve_overlap(size, overlap)
    if characters <= 0:
        return 0, 0
    step = size - overlap
    more = max(0, -(-(characters - size) // step))
    return 1 + more, characters + more * overlap


def window_cost(size: int, overlap: int | str = 0, prices: Prices | None = None) -> Cost:
    """The cost of fixed windows of ``size`` characters over the whole corpus as one text.

    Args:
        overlap: In characters, or a percentage such as ``"15%"``, rounded down to characters.

    Raises:
        ValueError: For sizes that ``chunk`` would refuse.
    """
    prices = prices or Prices()
    shared = resolve_overlap(size, overlap)
    vectors, stored = windows(prices.characters, size, shared)
    return _cost(f"windows {size:,} / {shared:,}", prices, vectors, stored, None)


def measured_cost(
    label: str, chunkings: Sequence[Chunking], prices: Prices | None = None, unit: str = "cl100k"
) -> Cost:
    """The cost of a corpus that is cut as these documents were, in proportion to its characters.

    Args:
        chunkings: One a document. Contexts are embedded and read with their chunks, and count.
        unit: Counts the tokens.

    Raises:
        ValueError: If the documents hold no text.
    """
    prices = prices or Prices()
    texts = [text for one in chunkings for text in one.indexed_texts()]
    characters = sum(len(one.document.text) for one in chunkings)
    if not characters:
        raise ValueError(f"{label!r} has no text to measure; at least one character is needed.")
    scale = Fraction(prices.characters, characters)
    stored, tokens = sum(map(len, texts)), int(unit_named(unit).counts(texts).sum())
    in_bytes = sum(len(text.encode("utf-8")) for text in texts)
    prices = dataclasses.replace(prices, text_bytes=in_bytes / stored if stored else 1.0)
    return _cost(label, prices, round(len(texts) * scale), round(stored * scale), round(tokens * scale))


def cost_table(sizes: Sequence[int] = SIZES, overlap: int | str = "15%", prices: Prices | None = None) -> pd.DataFrame:
    """One row of ``window_cost`` for each size; the columns are the fields of ``Cost``."""
    import pandas as pd

    rows = [dataclasses.asdict(window_cost(size, overlap, prices)) for size in sizes]
    return pd.DataFrame(rows, columns=[field.name for field in dataclasses.fields(Cost)])


def _cost(label: str, prices: Prices, vectors: int, stored: int, tokens: int | None) -> Cost:
    if tokens is None:
        tokens = round(stored / prices.characters_per_token)
    query_tokens = min(prices.k, vectors) * tokens / vectors if vectors else 0.0
    return Cost(
        label=label,
        vectors=vectors,
        stored=stored,
        extra=stored / prices.characters - 1 if prices.characters else 0.0,
        text_bytes=round(stored * prices.text_bytes),
        vector_bytes=vectors * prices.vector_bytes,
        tokens=tokens,
        embedding=tokens * prices.embedding / 1e6,
        query_tokens=query_tokens,
        query=1_000 * query_tokens * prices.reading / 1e6,
    )
