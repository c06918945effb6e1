"""V04, V07: exported chunks come back whole, by readers that are not ours."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.exports import COLUMNS, FORMATS, columns_of, export, preview_json
from ragchunk_core.samples import sample_corpus

# What RAG Chunking Preview (s3) prints for its worked example, letter by letter.
S3 = (
    r'{"unit":"words","size":6,"overlap":2,"totalUnits":11,"chunks":[{"index":1,"unitStart":0,"unitEnd":6,'
    r'"byteStart":0,"byteEnd":40,"codePointStart":0,"codePointEnd":40,"overlapUnits":0,'
    r'"text":"Build useful tools.\nKeep the boundaries "},{"index":2,"unitStart":4,"unitEnd":10,"byteStart":25,'
    r'"byteEnd":67,"codePointStart":25,"codePointEnd":67,"overlapUnits":2,'
    r'"text":"the boundaries clear.\nTest with fictional "},{"index":3,"unitStart":8,"unitEnd":11,"byteStart":52,'
    r'"byteEnd":72,"codePointStart":52,"codePointEnd":72,"overlapUnits":2,"text":"with fictional data."}]}'
)

NASTY = (
    'a "quoted", b\r\nc\rd\ne\t\x00f\x0b\x0c\x1cg\x85h\u2028i\u2029\ufeff=cmd()+1\n@x\n  spaced  \n'
    "N/A NaN null true 1,5 \U0001f680 e\u0301 \\n \\u0041 'q' ;\n"
)


def rows_of(chunkings):
    """What must come back, from the chunks themselves."""
    return [
        {
            "document": one.document.name, "document_id": one.document.id, "chunk": one.index + 1, "page": one.page,
            "path": list(one.path), "start": one.start, "end": one.end, "text": one.text, "context": one.context,
            "byte_start": len(one.document.text[: one.start].encode()),
            "byte_end": len(one.document.text[: one.end].encode()),
            "chunker": made.chunker, "size": made.size, "overlap": made.overlap, "unit": made.unit,
            "length": int(made.lengths[one.index]), "verbatim": made.verbatim,
        }
        for made in chunkings
        for one in made
    ]  # fmt: skip


def read(data, format):
    """The rows of a file, by the reader that people have for it."""
    if format == "json":
        told = json.loads(data)["chunkings"]
        return [{**{k: v for k, v in one.items() if k != "chunks"}, **row} for one in told for row in one["chunks"]]
    if format == "jsonl":
        return [json.loads(line) for line in data.decode().splitlines()]
    if format == "parquet":
        return pq.read_table(io.BytesIO(data)).to_pylist()
    whole = {
        name
        for name in COLUMNS
        if name in ("size", "overlap", "chunk", "length") or name.endswith(("start", "end", "units"))
    }
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    for row in rows:
        row.update({name: int(row[name]) for name in whole})
        row.update(page=int(row["page"]) if row["page"] else None, path=json.loads(row["path"]))
        row["verbatim"] = {"True": True, "False": False}[row["verbatim"]]
    return rows


def assert_comes_back(chunkings, format):
    rows = read(export(chunkings, format), format)
    expected = rows_of(chunkings)
    assert [{name: row[name] for name in told} for row, told in zip(rows, expected, strict=True)] == expected
    for row in rows:
        assert list(row) == list(COLUMNS) if format != "json" else set(row) == set(COLUMNS)
        json.loads(row["options"])


def test_v04_json_of_s3_to_the_letter():
    """V04: the worked example of s3, as its page prints it."""
    text = "Build useful tools.\nKeep the boundaries clear.\nTest with fictional data."
    assert preview_json(chunk(Document.from_text(text), "fixed", size=6, overlap=2, unit="words")) == S3


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("chunker", [name for name, one in CHUNKERS.items() if not one.needs_vectors])
def test_v07_the_sample_comes_back(chunker, format):
    """V07: several documents, every chunker, every format."""
    made = chunk(list(sample_corpus().documents), chunker, size=100, overlap=20, unit="words")
    assert_comes_back(made, format)


@pytest.mark.parametrize("format", FORMATS)
def test_v07_contexts_paths_and_pages_come_back(format):
    """V07: with a page that starts inside the text, and headings that hold commas and quotes."""
    text = '# A, "b" › c\n\nOne.\n\n## D\n\nTwo.\n\nThree.'
    document = Document(name="x.pdf", text=text, kind="pdf", page_starts=(0, 20))
    made = chunk(document, "markdown", size=10, context="path")
    assert made.contexts
    assert {one.page for one in made} == {1, 2}
    assert_comes_back([made], format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_v07_nothing_of_a_text_is_changed(format, size):
    """V07: line ends of all kinds, NUL, quotes, what looks like a formula, a number or no value."""
    made = chunk(Document.from_text(NASTY), "fixed", size=size)
    assert_comes_back([made], format)
    assert "".join(row["text"] for row in read(export(made, format), format)) == NASTY


@given(
    text=st.text(min_size=1, max_size=60) | st.text(alphabet='",\r\n\x00\u2028=\\', min_size=1, max_size=20),
    size=st.integers(1, 9),
    format=st.sampled_from(list(FORMATS)),
)
def test_v07_any_text_comes_back(text, size, format):
    """V07: any Unicode text, cut anywhere."""
    assert_comes_back([chunk(Document.from_text(text), "fixed", size=size)], format)


def test_v07_pandas_reads_every_format():
    """V07: the same table, texts and numbers alike; CSV with pandas told that no word means "no value"."""
    made = chunk(list(sample_corpus().documents), "markdown", size=400, context="path")
    frames = {
        "jsonl": pd.read_json(io.BytesIO(export(made, "jsonl")), lines=True, dtype=False),
        "csv": pd.read_csv(io.BytesIO(export(made, "csv")), keep_default_na=False),
        "parquet": pd.read_parquet(io.BytesIO(export(made, "parquet"))),
    }
    for format, frame in frames.items():
        assert list(frame.columns) == list(COLUMNS), format
        for name in ("text", "context", "document"):
            assert frame[name].tolist() == [row for one in made for row in columns_of(one)[name]], (format, name)
        for name in ("start", "end", "byte_start", "byte_end", "unit_start", "unit_end", "length"):
            assert frame[name].tolist() == [row for one in made for row in columns_of(one)[name]], (format, name)


def test_v07_parquet_has_types():
    """V07: whole numbers are whole, paths are lists, a page that is not there is null."""
    schema = pq.read_schema(io.BytesIO(export(chunk(sample_corpus().documents[0], "markdown", size=400), "parquet")))
    assert {name: str(schema.field(name).type) for name in ("start", "page", "path", "text", "verbatim")} == {
        "start": "int64", "page": "int32", "path": "list<element: string>", "text": "string", "verbatim": "bool",
    }  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
def test_v07_no_chunks_are_a_sound_file(format):
    """V07: an empty text, and no chunking at all; JSON still tells the settings."""
    made = chunk(Document.from_text(""), "fixed", size=9)
    for chunkings in ([], [made]):
        assert read(export(chunkings, format), format) == []
    assert json.loads(export(made, "json"))["chunkings"][0]["size"] == 9
    assert export(made, "csv").decode().count("\r\n") == 1


@pytest.mark.parametrize("format", FORMATS)
def test_v07_a_name_that_is_no_text_is_written_readably(format):
    """V07: half a character in a file's name, as file systems have it, stops no export."""
    made = chunk(Document.from_text("abc", name="a\udce9.txt"), "fixed", size=2)
    assert {row["document"] for row in read(export(made, format), format)} == {"a\\udce9.txt"}


def test_v07_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="The format is 'xlsx'; allowed are json, jsonl, csv, parquet"):
        export([], "xlsx")
