"""Chunks made elsewhere, aligned to the documents and judged beside ours (R13).

A chunk comes as a text, as offsets, or as both. Offsets count when the text stands there; else the text is looked for
(``placing``). A text that occurs several times is placed only where the chunks around it leave one answer: chunks come
in the order of the document, so between the two neighbours whose places are sure there must be as many occurrences as
chunks with that text. What cannot be placed is listed with the reason.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragchunk_core.chunkers.base import ChunkerOptions
from ragchunk_core.chunking import Chunking
from ragchunk_core.placing import FUZZY_FLOOR, Place, Searched
from ragchunk_core.spans import as_offsets
from ragchunk_core.table_rows import Row, offset_of, rows_of, value_of
from ragchunk_core.types import Document

TEXT = ("text", "content", "page_content", "chunk")
START = ("start", "start_index", "start_char_idx", "start_char")
END = ("end", "end_index", "end_char_idx", "end_char")
DOCUMENT = ("document", "document_id", "doc_id", "source", "file_name", "file", "corpus_id")
"""Names of columns that are known, the first that has a value counts; those of LangChain, LlamaIndex, chonkie and
Chroma among them, and what stands in ``metadata``."""


@dataclass(frozen=True, slots=True)
class Given:
    """A chunk as it was given: its text, its offsets in code points, or both; and its document's name or id."""

    text: str | None = None
    start: int | None = None
    end: int | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Aligned:
    """Where one chunk was placed: its row, counted from 0, its document's index, and the place."""

    row: int
    document: int
    place: Place


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A chunk that was not placed, and the sentence that says why."""

    row: int
    text: str
    reason: str


@dataclass(frozen=True, eq=False)
class Imported:
    """What came of the chunks.

    Attributes:
        chunkings: One a document, in the documents' order: what ``judging.Pool`` and ``export`` take. Where any chunk's
            text is not the slice of its place they keep the texts as given.
        aligned: Every chunk that was placed, in the order of the rows.
        unplaced: The others, likewise.
        moved: Rows whose offsets did not hold, and whose text was found elsewhere.
    """

    chunkings: tuple[Chunking, ...]
    aligned: tuple[Aligned, ...]
    unplaced: tuple[Unplaced, ...]
    moved: tuple[int, ...]

    def sentence(self) -> str:
        """How many were placed, and how."""
        ways = {"offsets": "by their offsets", "exact": "by their text", "spaces": "but for white space"}
        found = [one.place for one in self.aligned]
        said = [f"{n:,} {way}" for how, way in ways.items() if (n := sum(one.how == how for one in found))]
        if fuzzy := [one.score for one in found if one.how == "fuzzy"]:
            said.append(f"{len(fuzzy):,} nearly (scores from {min(fuzzy):.2f})")
        rows = len(self.aligned) + len(self.unplaced)
        left = f"; {len(self.unplaced):,} not placed" if self.unplaced else ""
        return f"{len(found):,} of {rows:,} chunks placed{': ' if said else ''}{', '.join(said)}{left}."


def read_chunks(data: bytes, name: str) -> list[Given]:
    """The chunks of a JSONL, JSON, CSV or Parquet file, by the ending of its name; columns as in ``TEXT`` and so on.

    Raises:
        ValueError: If the file cannot be read, or a row has neither a text nor both offsets.
    """
    made = []
    rows = [one for row in rows_of(data, name) for one in _flat(row)]
    for number, row in enumerate(rows, start=1):
        where = f"{name}, row {number}"
        text, document = value_of(row, TEXT), value_of(row, DOCUMENT)
        start, end = offset_of(row, START, where), offset_of(row, END, where)
        if text is not None and not isinstance(text, str):
            raise ValueError(f"{where}: the text is {str(text)[:40]}; it must be a string.")
        if text is None and (start is None or end is None):
            raise ValueError(f"{where} has neither a text nor a start and an end; it has {', '.join(map(str, row))}.")
        made.append(Given(text, start, end, None if document is None else str(document)))
    return made


def _flat(row: Row) -> list[Row]:
    """Our own JSON holds one object a document, with its chunks in a list."""
    inner = row.get("chunks")
    if not isinstance(inner, list) or not all(isinstance(one, Mapping) for one in inner):
        return [row]
    return [{"document": value_of(row, DOCUMENT), **one} for one in inner]


def align(chunks: Sequence[Given | str], documents: Sequence[Document], name: str = "imported") -> Imported:
    """Place chunks on the documents.

    Args:
        chunks: In the order of each document; a bare string is a text without offsets.
        name: What the chunker is called in tables.

    Raises:
        ValueError: If there is no document.
    """
    if not documents:
        raise ValueError("There is no document to align chunks to.")
    aligner = _Aligner(documents)
    given = [Given(one) if isinstance(one, str) else one for one in chunks]
    for row, one in enumerate(given):
        aligner.look(row, one)
    aligner.settle()
    placed = sorted(aligner.placed.items())
    chunkings = [
        _chunking(document, name, [(given[row].text, place) for row, (where, place) in placed if where == index])
        for index, document in enumerate(documents)
    ]
    return Imported(
        tuple(chunkings),
        tuple(Aligned(row, where, place) for row, (where, place) in placed),
        tuple(Unplaced(row, given[row].text or "", reason) for row, reason in sorted(aligner.unplaced.items())),
        tuple(aligner.moved),
    )


class _Aligner:
    """First what is sure, then what its neighbours make sure."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.searched = [Searched(one.text) for one in documents]
        self.placed: dict[int, tuple[int, Place]] = {}
        self.unplaced: dict[int, str] = {}
        self.moved: list[int] = []
        self.open: dict[int, tuple[int, list[Place], str]] = {}

    def look(self, row: int, one: Given) -> None:
        """Place a chunk, or keep its candidates, or say why not."""
        indices = self._indices(one)
        if not indices:
            self.unplaced[row] = f"Its document, {one.document!r}, is not among those here."
            return
        if one.start is not None and self._by_offsets(row, one, indices):
            return
        if one.text is None:
            self.unplaced[row] = self._outside(one, indices)
            return
        if not one.text.strip():
            self.unplaced[row] = "It has no visible character."
            return
        found = [(index, place) for index in indices for place in self.searched[index].places(one.text)]
        sure = [pair for pair in found if pair[1].how == "exact"] or [p for p in found if p[1].how == "spaces"] or found
        if not sure:
            self.unplaced[row] = f"It does not occur, not even nearly (a score of {FUZZY_FLOOR} or more)."
        elif len({index for index, _ in sure}) > 1:
            names = ", ".join(sorted({self.documents[index].name for index, _ in sure})[:3])
            self.unplaced[row] = f"It occurs in several documents ({names}), and no document is named."
        elif len(sure) == 1:
            self.placed[row] = sure[0]
        else:
            self.open[row] = (sure[0][0], [place for _, place in sure], one.text)
        if one.start is not None and row not in self.unplaced:
            self.moved.append(row)

    def _indices(self, one: Given) -> list[int]:
        if one.document is None:
            return list(range(len(self.documents)))
        wanted = one.document.replace("\\", "/").rpartition("/")[2]
        named = [n for n, doc in enumerate(self.documents) if one.document in (doc.id, doc.name)]
        return named or [n for n, doc in enumerate(self.documents) if wanted in (doc.name, doc.name.rpartition(".")[0])]

    def _by_offsets(self, row: int, one: Given, indices: list[int]) -> bool:
        """Whether the offsets hold in exactly one document."""
        assert one.start is not None
        end = one.end if one.end is not None else one.start + len(one.text or "")
        fits = [
            index
            for index in indices
            if one.start < end <= len(self.documents[index].text)
            and (one.text is None or self.documents[index].text[one.start : end] == one.text)
        ]
        if len(fits) == 1:
            self.placed[row] = fits[0], Place(one.start, end, "offsets")
        return len(fits) == 1

    def _outside(self, one: Given, indices: list[int]) -> str:
        if len(indices) > 1:
            return "It has offsets but no text, and no document is named."
        text = self.documents[indices[0]].text
        return f"Its offsets, {one.start} to {one.end}, are no range in the {len(text):,} characters of its document."

    def settle(self) -> None:
        """Place repeated texts where the chunks around them leave one answer; say of the others that they are open."""
        groups: dict[tuple[int, str, int], list[int]] = {}
        sure = {index: self._sure(index) for index in {index for index, _, _ in self.open.values()}}
        for row, (index, _, text) in sorted(self.open.items()):
            groups.setdefault((index, text, bisect.bisect(sure[index], row, key=lambda one: one[0])), []).append(row)
        for (index, _, gap), rows in groups.items():
            every = self.open[rows[0]][1]
            inside = _between(every, sure[index], gap)
            if len(inside) == len(rows):
                self.placed.update((row, (index, place)) for row, place in zip(rows, inside, strict=True))
                continue
            for row in rows:
                self.unplaced[row] = f"It occurs {len(every):,} times, and nothing around it tells which is meant."
        self.moved = [row for row in self.moved if row in self.placed]

    def _sure(self, index: int) -> list[tuple[int, Place]]:
        """Rows and places in one document that are sure, by row."""
        return sorted(
            ((row, place) for row, (where, place) in self.placed.items() if where == index), key=lambda one: one[0]
        )


def _between(places: list[Place], sure: list[tuple[int, Place]], gap: int) -> list[Place]:
    """The places that start and end after the sure chunk before the gap and before the one after it.

    None where the sure chunks do not go on along the document, so that order says nothing.
    """
    if not all(a.start < b.start and a.end < b.end for (_, a), (_, b) in itertools.pairwise(sure)):
        return []
    if gap:
        before = sure[gap - 1][1]
        places = [one for one in places if one.start > before.start and one.end > before.end]
    if gap < len(sure):
        after = sure[gap][1]
        places = [one for one in places if one.start < after.start and one.end < after.end]
    return places


def _chunking(document: Document, name: str, chunks: list[tuple[str | None, Place]]) -> Chunking:
    """The chunks of one document, by start; texts as given where any is not the slice of its place."""
    ordered = sorted(chunks, key=lambda one: (one[1].start, one[1].end))
    slices = [document.text[place.start : place.end] for _, place in ordered]
    texts = [own if text is None else text for own, (text, _) in zip(slices, ordered, strict=True)]
    starts, ends = [place.start for _, place in ordered], [place.end for _, place in ordered]
    size = int(max(np.subtract(ends, starts), default=1))
    own_texts = tuple(texts) if texts != slices else ()
    return Chunking(
        document, name, size, 0, "chars", ChunkerOptions(), as_offsets(starts), as_offsets(ends), own_texts=own_texts
    )
