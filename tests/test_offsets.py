"""V04, U02: offsets in code points, UTF-8 bytes and units, as RAG Chunking Preview (s3) shows them."""

from __future__ import annotations

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.offsets import offsets_of, preview
from ragchunk_core.units import UNITS

S3_EXAMPLE = json.loads(
    r"""{"unit":"words","size":6,"overlap":2,"totalUnits":11,"chunks":[
    {"index":1,"unitStart":0,"unitEnd":6,"byteStart":0,"byteEnd":40,"codePointStart":0,"codePointEnd":40,
     "overlapUnits":0,"text":"Build useful tools.\nKeep the boundaries "},
    {"index":2,"unitStart":4,"unitEnd":10,"byteStart":25,"byteEnd":67,"codePointStart":25,"codePointEnd":67,
     "overlapUnits":2,"text":"the boundaries clear.\nTest with fictional "},
    {"index":3,"unitStart":8,"unitEnd":11,"byteStart":52,"byteEnd":72,"codePointStart":52,"codePointEnd":72,
     "overlapUnits":2,"text":"with fictional data."}]}"""
)


def test_u02_s3_worked_example_whole():
    """C01, U02, V04: the same keys in the same order, the same values."""
    text = "Build useful tools.\nKeep the boundaries clear.\nTest with fictional data."
    made = preview(chunk(Document.from_text(text), "fixed", size=6, overlap=2, unit="words"))
    assert made == S3_EXAMPLE
    assert json.dumps(made) == json.dumps(S3_EXAMPLE)


@given(
    words=st.lists(st.sampled_from(["a", "東京", "é", "🚀", " ", "\n", "b c"]), max_size=30).map("".join),
    size=st.integers(1, 9),
    share=st.floats(0, 0.9),
    unit=st.sampled_from(list(UNITS)),
)
def test_v04_bytes_are_those_of_utf8_and_units_those_of_the_windows(words, size, share, unit):
    """V04: bytes by encoding what is before; window i has the units from i × (size − overlap) on."""
    overlap = min(size - 1, int(size * share))
    made = chunk(Document.from_text(words), "fixed", size=size, overlap=overlap, unit=unit)
    told = offsets_of(made)
    assert told.byte_starts.tolist() == [len(words[: one.start].encode()) for one in made]
    assert told.byte_ends.tolist() == [len(words[: one.end].encode()) for one in made]
    assert told.total == len(UNITS[unit].starts(words))
    if unit in ("chars", "words"):  # no unit is smaller than a character
        firsts = [i * (size - overlap) for i in range(len(made))]
        assert told.unit_starts.tolist() == firsts
        assert told.unit_ends.tolist() == [min(first + size, told.total) for first in firsts]
        assert told.overlaps.tolist() == [0, *[overlap] * (len(made) - 1)][: len(made)]


def test_v04_overlap_is_what_two_chunks_share_not_what_was_asked_for():
    """Case rec-14: LangChain's rule carries whole pieces only, so here nothing is shared though 8 was asked for."""
    text = "Alpha beta gamma.\n\nDelta epsilon zeta."
    made = chunk(Document.from_text(text), "recursive", size=20, overlap=8)
    assert made.texts() == ["Alpha beta gamma.", "Delta epsilon zeta."]
    assert offsets_of(made).overlaps.tolist() == [0, 0]


def test_v04_a_chunk_inside_a_unit_touches_it():
    """V04: chunks cut by characters, told in words."""
    document = Document.from_text("alpha beta gamma")
    made = chunk(document, "section", size=100, unit="words")
    assert (offsets_of(made).unit_starts.tolist(), offsets_of(made).unit_ends.tolist()) == ([0], [3])
    halves = chunk(document, "ratio", size=1, unit="words")  # windows of 5 characters
    told = offsets_of(halves)
    assert [one.text for one in halves] == ["alpha", " beta", " gamm", "a"]
    assert list(itertools.chain(told.unit_starts, told.unit_ends)) == [0, 0, 1, 2, 1, 2, 3, 3]
    assert told.overlaps.tolist() == [0, 0, 0, 0]
