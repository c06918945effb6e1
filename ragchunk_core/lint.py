"""Warnings about chunks (V05): rules with exact definitions, each naming the chunks that break it.

All rules look at spans on the document, so a chunk is judged by what its cut did to the text and not by how it reads.
Every rule is linear in the text and the chunks (times log). The rule on lost subjects knows English only, and is silent
where it is in doubt. Where a context stands in front of a chunk, it counts as giving back a table's header, a fence's
opening line, and the subject.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragchunk_core.chunking import Chunking
from ragchunk_core.csv_records import OpenQuoteError, rows, sniffed
from ragchunk_core.documents import advised_chunker
from ragchunk_core.fences_and_tables import Fence, Table, fences_and_tables
from ragchunk_core.lost_subjects import LONGEST, lost_subject
from ragchunk_core.record_formats import format_of
from ragchunk_core.sentences import sentence_spans
from ragchunk_core.spans import as_offsets
from ragchunk_core.types import IntArray
from ragchunk_core.units import unit_named

HEAVY_OVERLAP = 0.3
"""Share of the characters that repeat the chunk before, above which overlap is heavy (RAG Text Chunker's rule)."""
TINY_TAIL = 0.2
"""A last chunk whose own text is shorter than this share of the median chunk is tiny."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a model reads of one text: so many units; ``label`` completes "longer than …"."""

    label: str
    unit: str
    most: int


LIMITS = (
    Limit("all-MiniLM-L6-v2 reads (256 word pieces, two of them its own)", "wordpieces", 254),
    Limit("8,192 cl100k tokens, the most that text-embedding-3 and its like read", "cl100k", 8_192),
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of warning.

    Attributes:
        name: Name in exports.
        label: Two or three words.
        definition: What exactly is flagged.
        severity: ``error`` (text is lost), ``warning`` (a chunk misleads) or ``note`` (worth a look).
    """

    name: str
    label: str
    definition: str
    severity: str


@dataclass(frozen=True, eq=False)
class Finding:
    """What one rule found in one chunking: a sentence, and the indices of the chunks, ascending, at least one."""

    rule: Rule
    sentence: str
    chunks: IntArray


OVER_LIMIT = Rule(
    "over-limit",
    "Over the model's limit",
    "The chunk with its context has more units than the limit; a model reads only its start, and says nothing.",
    "error",
)
CUT_SENTENCE = Rule(
    "cut-sentence",
    "Cut inside a sentence",
    "The chunk starts or ends inside a sentence, as the sentence rules find them; code, in fences or as a whole "
    "document, and records (JSON, CSV) have no sentences.",
    "warning",
)
TABLE_HEADER = Rule(
    "table-header",
    "Row without its header",
    "The chunk holds some of the rows of a pipe table or a CSV file, and neither it nor its context holds the whole "
    "header line.",
    "warning",
)
OPEN_FENCE = Rule(
    "open-fence",
    "Fence left open",
    "The chunk holds one of the two marks of a code fence without the other; a fence that the text itself leaves "
    "open is not counted, nor one whose opening line is in the context.",
    "warning",
)
OVERLAP = Rule(
    "overlap",
    "Heavy overlap",
    "Over all chunks but the first, more than 30 % of the characters repeat the chunk before; and of this chunk's do.",
    "warning",
)
LOST_SUBJECT = Rule(
    "lost-subject",
    "Subject lost",
    "The chunk has no context and starts with a sentence, not the text's first, that opens with a pronoun or a "
    "connective (it, they, this is, however …; English): what it speaks of stands in the text before.",
    "note",
)
TAIL = Rule(
    "tiny-tail",
    "Tiny last chunk",
    "Of the last of two or more chunks, with the heading path of the one before, less than a fifth of the other "
    "chunks' median length is text of its own.",
    "note",
)


def lint(chunking: Chunking, limits: Sequence[Limit] = LIMITS) -> list[Finding]:
    """Everything that the rules find in one chunking, the gravest first; nothing where all is well.

    Args:
        limits: What the models that will read the chunks can take; each is told by itself.
    """
    if not len(chunking):
        return []
    seen = _Seen(chunking)
    found = [(OVER_LIMIT, _over(chunking, limit), f"longer than {limit.label}") for limit in limits]
    found += [(rule, find(seen), said) for rule, find, said in _FINDERS]
    return [
        Finding(rule, _sentence(rule, len(chunks), len(chunking), said), chunks)
        for rule, chunks, said in found
        if len(chunks)
    ]


def _sentence(rule: Rule, count: int, total: int, said: str) -> str:
    return f"{rule.label}: {count:,} of {total:,} chunk{'s' * (total != 1)} {'is' if count == 1 else 'are'} {said}."


class _Seen:
    """A chunking with what the rules ask of its text, each found once."""

    def __init__(self, chunking: Chunking) -> None:
        self.chunking = chunking
        self.text = chunking.document.text
        self.starts, self.ends = chunking.starts, chunking.ends
        self.reached = np.maximum.accumulate(self.ends)

    @cached_property
    def made_for(self) -> str | None:
        """``code`` or ``records`` where the document is plainly no prose."""
        made = advised_chunker(self.chunking.document)
        return made if made in ("code", "records") else None

    @cached_property
    def sentences(self) -> IntArray:
        return as_offsets([]).reshape(-1, 2) if self.made_for else sentence_spans(self.text)

    @cached_property
    def blocks(self) -> tuple[list[Fence], list[Table]]:
        if self.made_for == "records":
            return [], self._csv()
        return ([], []) if self.made_for else fences_and_tables(self.text)

    def _csv(self) -> list[Table]:
        """A CSV file as one table; none of JSON, or where a quote is never closed."""
        name, text = self.chunking.document.name, self.text
        form, delimiter = format_of(name) or ("csv", "")
        delimiter = delimiter or sniffed(text) or ""
        try:
            found = rows(text, delimiter) if form == "csv" and delimiter else []
        except OpenQuoteError:
            found = []
        return [Table(found[0], (found[1][0], found[-1][1]))] if len(found) > 1 else []

    def context(self, index: int) -> str:
        return self.chunking.contexts[index] if self.chunking.contexts else ""

    def touching(self, start: int, end: int) -> IntArray:
        """Chunks that share a character with ``[start, end)``."""
        first, after = np.searchsorted(self.reached, start, "right"), np.searchsorted(self.starts, end, "left")
        near = np.arange(first, after)
        touched: IntArray = near[self.ends[near] > start]
        return touched

    def holding(self, start: int, end: int) -> set[int]:
        """Chunks that hold all of ``[start, end)``."""
        first, after = np.searchsorted(self.reached, end, "left"), np.searchsorted(self.starts, start, "right")
        near = np.arange(first, after)
        return set(near[self.ends[near] >= end].tolist())


def _over(chunking: Chunking, limit: Limit) -> IntArray:
    texts = chunking.indexed_texts()
    # No character is more than four tokens or word pieces, so most chunks need no count.
    long = np.flatnonzero(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) * 4 > limit.most)
    counts = unit_named(limit.unit).counts([texts[index] for index in long.tolist()])
    return as_offsets(long[counts > limit.most])


def _cut_sentences(seen: _Seen) -> IntArray:
    inside = _inside(seen.starts, seen.sentences) | _inside(seen.ends, seen.sentences)
    if inside.any() and seen.blocks[0]:
        code = as_offsets([offset for fence in seen.blocks[0] for offset in (fence.start, fence.end)]).reshape(-1, 2)
        prose_start = _inside(seen.starts, seen.sentences) & ~_inside(seen.starts, code)
        inside = prose_start | (_inside(seen.ends, seen.sentences) & ~_inside(seen.ends, code))
    return as_offsets(np.flatnonzero(inside))


def _inside(places: IntArray, spans: IntArray) -> NDArray[np.bool_]:
    """Whether each place lies inside one of the disjoint, sorted spans, and not at its edge."""
    if not len(spans):
        return np.zeros(len(places), dtype=np.bool_)
    before = np.searchsorted(spans[:, 0], places, "left") - 1
    inside: NDArray[np.bool_] = (before >= 0) & (places < spans[np.maximum(before, 0), 1])
    return inside


def _without_header(seen: _Seen) -> IntArray:
    found: set[int] = set()
    for table in seen.blocks[1]:
        header = seen.text[slice(*table.header)].strip()
        rows = set(seen.touching(*table.rows).tolist()) - seen.holding(*_trimmed(seen.text, table.header))
        found |= {index for index in rows if header not in seen.context(index)}
    return as_offsets(sorted(found))


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int]:
    piece = text[slice(*span)]
    start = span[0] + len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _open_fences(seen: _Seen) -> IntArray:
    found: set[int] = set()
    for fence in seen.blocks[0]:
        if fence.closed:
            opened, closed = seen.holding(*fence.opening), seen.holding(*fence.closing)
            line = seen.text[fence.opening[0] :].split("\n", 1)[0].strip() if closed - opened else ""
            found |= opened - closed
            found |= {index for index in closed - opened if line not in seen.context(index)}
    return as_offsets(sorted(found))


def _heavy_overlap(seen: _Seen) -> IntArray:
    lengths = seen.ends - seen.starts
    shared = np.zeros(len(lengths), dtype=np.int64)
    shared[1:] = np.clip(np.minimum(seen.ends[:-1], seen.ends[1:]) - seen.starts[1:], 0, None)
    if shared.sum() <= HEAVY_OVERLAP * lengths[1:].sum():
        return as_offsets([])
    return as_offsets(np.flatnonzero(shared > HEAVY_OVERLAP * lengths))


def _lost_subjects(seen: _Seen) -> IntArray:
    text, starts = seen.text, set(seen.sentences[1:, 0].tolist())
    return as_offsets(
        [
            index
            for index, start in enumerate(seen.starts.tolist())
            if not seen.context(index)
            and (at := start + len(piece := text[start : start + LONGEST]) - len(piece.lstrip())) in starts
            and lost_subject(text[at : at + LONGEST])
        ]
    )


def _tiny_tail(seen: _Seen) -> IntArray:
    paths = seen.chunking.paths
    last = len(seen.starts) - 1
    if not last or (paths and paths[last] != paths[last - 1]):
        return as_offsets([])
    own = int(seen.ends[last]) - max(int(seen.starts[last]), int(seen.reached[last - 1]))
    usual = float(np.median((seen.ends - seen.starts)[:-1]))
    return as_offsets([last] if own < TINY_TAIL * usual else [])


_FINDERS: tuple[tuple[Rule, Callable[[_Seen], IntArray], str], ...] = (
    (CUT_SENTENCE, _cut_sentences, "cut inside a sentence, so that half a thought is embedded"),
    (TABLE_HEADER, _without_header, "holding table rows without their header"),
    (OPEN_FENCE, _open_fences, "left with half a code fence"),
    (OVERLAP, _heavy_overlap, "for more than 30 % a copy of the chunk before"),
    (LOST_SUBJECT, _lost_subjects, "opened by a word that points to text before it"),
    (TAIL, _tiny_tail, "a last one with hardly any text of its own"),
)
RULES: dict[str, Rule] = {
    rule.name: rule for rule in (OVER_LIMIT, CUT_SENTENCE, TABLE_HEADER, OPEN_FENCE, OVERLAP, LOST_SUBJECT, TAIL)
}
"""All rules by name, the gravest first."""
