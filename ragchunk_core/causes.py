"""Why a query's answer was missed (R11), and what each loss is put down to (R17): the cut, the model, or the ranking.

A passage is *missed* when no chunk in the top k answers it. The causes are asked for in the order of ``CAUSES``, and
the first that holds is the one told. The two symptoms named after the chunk size are those of the RAG Chunk Splitter:
half the answer in the results, chunks are too small; the right document but the wrong place, chunks are too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.judging import Judgement, Pool
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.spans import overlap_with
from ragchunk_core.types import FloatArray, IntArray, Passage, Query


@dataclass(frozen=True, slots=True)
class Cause:
    """One kind of miss.

    Attributes:
        name: Name in exports.
        label: A few words.
        loss: What it is put down to: ``cut``, ``limit`` or ``ranking``.
        definition: When exactly it is told.
    """

    name: str
    label: str
    loss: str
    definition: str


NO_DOCUMENT = Cause("no-document", "Document not there", "cut", "The passage's document is not among those cut.")
IN_NO_CHUNK = Cause("in-no-chunk", "In no chunk", "cut", "No chunk holds a single character of the passage.")
TOO_SMALL = Cause(
    "too-small", "Answer cut in two", "cut", "Chunks hold parts of the passage, but none the share θ that answers it."
)
BEYOND_LIMIT = Cause(
    "beyond-limit",
    "Beyond the model's limit",
    "limit",
    "Chunks answer the passage, but in none of them does the model read the share θ of it.",
)
NOT_FOUND = Cause(
    "not-found", "Not found at all", "ranking", "Chunks answer the passage, but none of them is in the ranking."
)
JUST_BELOW = Cause(
    "just-below", "Just below k", "ranking", "The best chunk that answers is ranked after k and up to 2 k."
)
TOO_LARGE = Cause(
    "too-large",
    "Right document, wrong place",
    "ranking",
    "The best chunk that answers is ranked after 2 k, other chunks of its document are in the top k, and there are "
    "several documents.",
)
OUTRANKED = Cause("outranked", "Outranked", "ranking", "The best chunk that answers is ranked after 2 k; all else.")

CAUSES: dict[str, Cause] = {
    cause.name: cause
    for cause in (NO_DOCUMENT, IN_NO_CHUNK, TOO_SMALL, BEYOND_LIMIT, NOT_FOUND, JUST_BELOW, TOO_LARGE, OUTRANKED)
}
"""All causes by name, in the order in which they are asked for."""


@dataclass(frozen=True, slots=True)
class Miss:
    """One passage that was missed, and why.

    Attributes:
        query, passage: Index of the query, and of the passage in it.
        cause: Why.
        sentence: The cause with its evidence; plain text that holds names of documents.
        chunk: Number in the pool of the chunk to look at: the best ranked that answers, else the one that holds most of
            the passage, the earlier of equal ones; None where no chunk holds any of it.
        share: The share of the passage that this chunk holds.
        rank: The rank of the first chunk that answers, from 1; 0 where none is ranked.
        ahead: Numbers of the chunks in the top k, best first.
    """

    query: int
    passage: int
    cause: Cause
    sentence: str
    chunk: int | None
    share: float
    rank: int
    ahead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over the judged queries of the share of their passages; together 1. ``found`` is recall@k."""

    found: float
    cut: float
    limit: float
    ranking: float


def misses(
    pool: Pool,
    rankings: Rankings,
    queries: Sequence[Query],
    judgements: Sequence[Judgement],
    *,
    k: int,
    theta: float,
    method: str,
    read_ends: IntArray | None = None,
) -> list[Miss]:
    """Every passage of every judged query that is missed at k, with its cause, in the queries' order.

    Args:
        rankings: Whole ones, not cut at some depth; one entry a query.
        judgements: What ``judge`` gave with this theta; one entry a query.
        method: Registry name of what made the rankings; it words the sentence where a chunk was not found.
        read_ends: What ``truncation.read_ends`` gives, for methods that embed; None where nothing is truncated.

    Raises:
        ValueError: If k is below 1, or the rankings or judgements are not those of so many queries.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more.")
    if not len(queries) == len(rankings) == len(judgements):
        raise ValueError(
            f"There are {len(queries)} queries, {len(rankings)} rankings and {len(judgements)} judgements; "
            "there must be as many of each."
        )
    asked = _Asked(pool, rankings, k, theta, method, read_ends)
    return [
        asked.miss(query, place, passage, answers)
        for query, (one, judgement) in enumerate(zip(queries, judgements, strict=True))
        for place, (passage, answers) in enumerate(zip(one.passages, judgement.answers, strict=True))
        if not np.isin(answers, rankings.ids[query][:k]).any()
    ]


def losses(found: Sequence[Miss], queries: Sequence[Query]) -> Losses:
    """What the misses cost in recall, by what they are put down to; NaN where no query is judged.

    Args:
        found: What ``misses`` gave for the same queries.
    """
    judged = [query for query in queries if query.passages]
    if not judged:
        return Losses(*[float("nan")] * 4)
    lost = {"cut": 0.0, "limit": 0.0, "ranking": 0.0}
    for miss in found:
        lost[miss.cause.loss] += 1 / len(queries[miss.query].passages) / len(judged)
    return Losses(found=1 - sum(lost.values()), **lost)


@dataclass(frozen=True)
class _Asked:
    """What all misses of one ranking share."""

    pool: Pool
    rankings: Rankings
    k: int
    theta: float
    method: str
    read_ends: IntArray | None

    def miss(self, query: int, place: int, passage: Passage, answers: IntArray) -> Miss:
        ranking = self.rankings.ids[query]
        ranks = np.flatnonzero(np.isin(ranking, answers)) + 1
        rank = int(ranks[0]) if len(ranks) else 0
        shares = self._shares(passage, self.pool.ends)
        if rank:
            chunk: int | None = int(ranking[rank - 1])
        elif len(answers):
            chunk = int(answers[np.argmax(shares[answers])])
        else:
            chunk = int(np.argmax(shares)) if shares.any() else None
        share = float(shares[chunk]) if chunk is not None else 0.0
        cause, sentence = self._cause(query, passage, answers, chunk, shares, rank)
        ahead = tuple(ranking[: self.k].tolist())
        return Miss(query, place, cause, sentence, chunk, share, rank, ahead)

    def _shares(self, passage: Passage, ends: IntArray) -> FloatArray:
        """For each chunk of the pool, the share of the passage that it holds up to ``ends``."""
        shares = np.zeros(len(self.pool))
        numbers = self.pool.range_of(passage.document)
        part = slice(numbers.start, numbers.stop)
        shared = overlap_with(self.pool.starts[part], ends[part], passage.start, passage.end)
        shares[part] = shared / (passage.end - passage.start)
        return shares

    def _cause(
        self, query: int, passage: Passage, answers: IntArray, chunk: int | None, shares: FloatArray, rank: int
    ) -> tuple[Cause, str]:
        if chunk is None:
            return self._nowhere(passage)
        if not len(answers):
            return TOO_SMALL, self._cut_sentence(query, passage, chunk, shares)
        if self.read_ends is not None:
            read = self._shares(passage, self.read_ends)[answers]
            if not ((read > 0) & (read >= self.theta)).any():
                return BEYOND_LIMIT, self._limit_sentence(chunk, float(read.max()))
        if not rank:
            return NOT_FOUND, self._unfound_sentence(chunk)
        return self._ranked(query, passage, chunk, rank)

    def _nowhere(self, passage: Passage) -> tuple[Cause, str]:
        for one in self.pool.chunkings:
            if one.document.id == passage.document:
                where = f"characters {passage.start:,} to {passage.end:,} of {one.document.name}"
                return IN_NO_CHUNK, f"The answer, {where}, is in no chunk: the chunker left that text out."
        return NO_DOCUMENT, "The document that holds the answer is not among those that were cut."

    def _cut_sentence(self, query: int, passage: Passage, chunk: int, shares: FloatArray) -> str:
        numbers = np.array(self.pool.range_of(passage.document))
        edges = np.unique(np.concatenate((self.pool.starts[numbers], self.pool.ends[numbers])))
        inside = edges[(edges > passage.start) & (edges < passage.end)].tolist()
        cuts = f"{'a cut falls' if len(inside) == 1 else f'{len(inside)} chunk edges fall'} inside it"
        ranking = self.rankings.ids[query][: self.k]
        halves = np.flatnonzero(shares[ranking] > 0)
        brought = (
            f"; the part in {self._name(int(ranking[halves[0]]))} came back at rank {halves[0] + 1}"
            if len(halves)
            else ""
        )
        return (
            f"No chunk holds {self._needed()} of the answer's {passage.end - passage.start:,} characters: {cuts}, and "
            f"{self._name(chunk)} holds the most, {shares[chunk]:.0%}{brought}. Chunks are too small for it, or cut in "
            "the wrong place."
        )

    def _needed(self) -> str:
        if self.theta in (0, 1):
            return "all" if self.theta else "any"
        return f"at least {self.theta:.0%}"

    def _limit_sentence(self, chunk: int, read: float) -> str:
        assert self.read_ends is not None
        start, end = int(self.pool.starts[chunk]), int(self.pool.ends[chunk])
        return (
            f"The answer stands in {self._name(chunk)}, but of that chunk's {end - start:,} characters the embedding "
            f"model reads only the first {int(self.read_ends[chunk]) - start:,}, and of the answer {read:.0%}."
        )

    def _unfound_sentence(self, chunk: int) -> str:
        name = self._name(chunk)
        if METHODS[self.method].fuses:
            return f"{name} answers, but none of the fused rankings found it."
        if METHODS[self.method].needs_vectors:
            return f"{name} answers, but it has no vector: its text is blank to the model."
        return f"{name} answers, but it shares no word with the query that counts; only meaning could find it."

    def _ranked(self, query: int, passage: Passage, chunk: int, rank: int) -> tuple[Cause, str]:
        ranking, scores = self.rankings.ids[query], self.rankings.scores[query]
        last = int(ranking[self.k - 1])
        said = f"{self._name(chunk)} answers, at rank {rank:,} (score {scores[rank - 1]:.3g})"
        beaten = f"the last in the top {self.k} is {self._name(last)} (score {scores[self.k - 1]:.3g})"
        if rank <= 2 * self.k:
            return JUST_BELOW, f"{said}, just below k = {self.k}: {beaten}."
        numbers = self.pool.range_of(passage.document)
        near = [place for place, number in enumerate(ranking[: self.k].tolist(), 1) if number in numbers]
        if near and len(self.pool.chunkings) > 1:
            first = self._name(int(ranking[near[0] - 1]))
            return TOO_LARGE, (
                f"{said}. The right document is there, but the wrong place of it: {first} at rank {near[0]}. Chunks "
                "may be too large, so that each speaks of many things."
            )
        return OUTRANKED, f"{said}, beaten by {rank - 1:,} others: {beaten}."

    def _name(self, number: int) -> str:
        place, index = self.pool.place(number)
        return f"chunk {index + 1} of {self.pool.chunkings[place].document.name}"
