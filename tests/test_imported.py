"""R13: chunks of other libraries stand where they say, and what cannot be placed is listed."""

from __future__ import annotations

import io
import itertools
import json

import chonkie
import numpy as np
import pandas as pd
import pytest
import semchunk
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import (
    MarkdownHeaderTextSplitter,
    MarkdownTextSplitter,
    RecursiveCharacterTextSplitter,
    TokenTextSplitter,
)
from llama_index.core import Document as LlamaDocument
from llama_index.core.node_parser import SentenceSplitter

from ragchunk_core import Corpus, Document, Passage, Query, chunk, evaluate
from ragchunk_core.evaluation import rank, score
from ragchunk_core.exports import export
from ragchunk_core.imported import Given, align, read_chunks
from ragchunk_core.judging import Pool
from ragchunk_core.samples import sample_corpus
from ragchunk_core.units.vocabularies import load

FILES = ("wikitexts", "state_of_the_union", "finance", "chatlogs", "pubmed")


@pytest.fixture(scope="module")
def documents(shared_data):
    """Five real documents."""
    return [
        Document.from_text((shared_data / "chroma" / f"{name}.md").read_text(encoding="utf-8"), name=f"{name}.md")
        for name in FILES
    ]


def llama(text):
    nodes = SentenceSplitter(chunk_size=128, chunk_overlap=20, tokenizer=str.split).get_nodes_from_documents(
        [LlamaDocument(text=text)]
    )
    return [(node.text, node.start_char_idx, node.end_char_idx) for node in nodes]


def chonkie_chunks(text):
    made = chonkie.RecursiveChunker(tokenizer="character", chunk_size=400)(text)
    return [(one.text, one.start_index, one.end_index) for one in made]


def semchunk_chunks(text):
    texts, spans = semchunk.chunkerify(len, 400)(text, offsets=True)
    return [(one, *span) for one, span in zip(texts, spans, strict=True)]


@pytest.mark.parametrize("library", [llama, chonkie_chunks, semchunk_chunks])
def test_r13_chunks_placed_by_their_text_stand_where_the_library_says(documents, library):
    """R13: LlamaIndex, chonkie, semchunk: not one in the wrong place; 99 % placed; the rest occur several times."""
    total = left = 0
    for document in documents:
        theirs = library(document.text)
        made = align([text for text, _, _ in theirs], [document])
        total, left = total + len(theirs), left + len(made.unplaced)
        for one in made.aligned:
            assert (one.place.start, one.place.end) == theirs[one.row][1:]
            assert one.place.score == 1
        for one in made.unplaced:
            assert document.text.count(one.text) > 1
            assert "times, and nothing around it tells which is meant" in one.reason
        (chunking,) = made.chunkings
        assert chunking.verbatim
        assert np.all(np.diff(chunking.starts) >= 0)
    assert left < total / 100


@pytest.mark.parametrize("library", [llama, chonkie_chunks, semchunk_chunks])
def test_r13_with_offsets_every_chunk_is_placed(documents, library):
    """R13: repeated texts too; in one call for all documents, each chunk naming its own."""
    rows = [Given(*one, document=document.name) for document in documents for one in library(document.text)]
    made = align(rows, documents)
    assert (len(made.aligned), made.unplaced, made.moved) == (len(rows), (), ())
    assert all(one.place.how == "offsets" for one in made.aligned)
    assert [len(one) for one in made.chunkings] == [len(library(document.text)) for document in documents]


def test_r13_langchains_recursive_chunks_are_placed_true(documents):
    """R13: at the offsets of our own recursive chunker, which cuts the same; also where its start_index is wrong."""
    for document in documents:
        splitter = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=50, add_start_index=True)
        theirs = splitter.create_documents([document.text])
        ours = chunk(document, "recursive", size=400, overlap=50)
        assert [one.page_content for one in theirs] == ours.texts()
        made = align([one.page_content for one in theirs], [document])
        for one in made.aligned:
            assert (one.place.start, one.place.end) == (ours.starts[one.row], ours.ends[one.row])
        assert len(made.unplaced) < len(theirs) / 30
        stated = align([Given(one.page_content, one.metadata["start_index"]) for one in theirs], [document])
        assert len(stated.aligned) >= len(made.aligned)


def test_r13_langchains_token_windows_are_placed(documents):
    """R13: windows of 100 tokens with overlap 20, where no character is cut: as our own windows."""
    document = documents[0]
    load("cl100k_base")  # so that tiktoken needs no network
    theirs = TokenTextSplitter(encoding_name="cl100k_base", chunk_size=100, chunk_overlap=20).split_text(document.text)
    ours = chunk(document, "fixed", size=100, overlap=20, unit="cl100k")
    whole = [(text, start) for text, start in zip(theirs, ours.starts, strict=True) if "\ufffd" not in text]
    made = align([text for text, _ in whole], [document])
    assert made.unplaced == ()
    assert [one.place.start for one in made.aligned] == [start for _, start in whole]


def test_r13_texts_with_other_white_space_are_placed(shared_data):
    """R13: LangChain's Markdown splitters strip lines and join blocks; every visible character is in its place."""
    placed = 0
    for path in sorted((shared_data / "markdown" / "docs").rglob("*.md"))[:20]:
        text = path.read_text(encoding="utf-8")
        document = Document.from_text(text, name=path.name)
        parts = MarkdownHeaderTextSplitter([("#", "1"), ("##", "2")], strip_headers=False).split_text(text)
        made = align([one.page_content for one in parts], [document])
        for one in made.aligned:
            if one.place.how == "spaces":
                own = text[one.place.start : one.place.end]
                assert "".join(own.split()) == "".join(parts[one.row].page_content.split())
                placed += 1
    assert placed > 100
    spaced = MarkdownTextSplitter(chunk_size=200, chunk_overlap=0).split_text("# A\n\nbody  text\n\n\n## B\n\nmore")
    assert align(spaced, [Document.from_text("# A\n\nbody  text\n\n\n## B\n\nmore")]).unplaced == ()


def test_r13_altered_texts_are_placed_nearly_with_their_score(documents):
    """R13: every twentieth character replaced: within a few characters of where they were cut, score about 0.95."""
    document = documents[3]
    ours = chunk(document, "recursive", size=400)
    altered = ["".join("§" if n % 20 == 10 else c for n, c in enumerate(text)) for text in ours.texts()]
    made = align(altered, [document])
    assert made.unplaced == ()
    long = [one for one in made.aligned if len(altered[one.row]) > 100]
    assert len(long) > 50
    for one in long:
        assert one.place.how == "fuzzy"
        assert 0.9 <= one.place.score < 1
        assert abs(one.place.start - ours.starts[one.row]) <= 12
        assert abs(one.place.end - ours.ends[one.row]) <= 12
    assert made.chunkings[0].texts() == altered
    assert not made.chunkings[0].verbatim
    assert "nearly (scores from 0.9" in made.sentence()


def test_r13_what_cannot_be_placed_is_listed(documents):
    """R13: not in the text, blank, no such document, offsets outside it; each with its reason, in order."""
    document = Document.from_text("Storks nest on the tower. " * 3 + "Frogs do not.", name="a.txt")
    rows = [
        Given("Nothing of this stands in that text at all."), Given(" \n"), Given("Frogs do not.", document="b.txt"),
        Given(start=80, end=999), Given("Storks nest on the tower."), Given("Frogs do not."),
    ]  # fmt: skip
    made = align(rows, [document])
    assert [one.row for one in made.unplaced] == [0, 1, 2, 3, 4]
    reasons = " | ".join(one.reason for one in made.unplaced)
    assert reasons == (
        "It does not occur, not even nearly (a score of 0.9 or more). | It has no visible character. | "
        "Its document, 'b.txt', is not among those here. | "
        "Its offsets, 80 to 999, are no range in the 91 characters of its document. | "
        "It occurs 3 times, and nothing around it tells which is meant."
    )
    assert made.sentence() == "1 of 6 chunks placed: 1 by their text; 5 not placed."
    with pytest.raises(ValueError, match="There is no document"):
        align(["a"], [])


def test_r13_a_repeated_text_is_placed_only_where_its_neighbours_leave_one_answer():
    """R13: as many chunks as occurrences between two sure ones; else none of them."""
    text = "Total: 5\n\nalpha one\n\nTotal: 5\n\nbeta two\n\nTotal: 5\n\nTotal: 5\n\nend"
    document = Document.from_text(text)
    parts = text.split("\n\n")
    made = align(parts, [document])
    assert [one.place.start for one in made.aligned] == [0, 10, 21, 31, 41, 51, 61]
    assert made.unplaced == ()
    fewer = align([*parts[:5], "end"], [document])  # one of the last two is missing: which?
    assert [one.row for one in fewer.unplaced] == [4]
    shuffled = align(["end", "alpha one", "Total: 5"], [document])
    assert [one.row for one in shuffled.unplaced] == [2]


def test_r13_wrong_offsets_are_not_believed():
    """R13: the text is looked for, and the row is told."""
    document = Document.from_text("One. Two. Three.")
    made = align([Given("Two.", 5, 9), Given("Three.", 3, 9), Given("One.", 1)], [document])
    assert [(one.place.start, one.place.how) for one in made.aligned] == [(5, "offsets"), (10, "exact"), (0, "exact")]
    assert made.moved == (1, 2)
    twice = align([Given("same", 9)], [Document.from_text("same same")])
    assert (twice.aligned, twice.moved, len(twice.unplaced)) == ((), (), 1)


def test_r13_a_text_of_several_documents_needs_its_document():
    """R13: which is named by its file's name, with or without folder and ending, or its id."""
    one, two = Document.from_text("Hello there.", name="one.md"), Document.from_text("Hello there. Bye.", name="two.md")
    (left,) = align(["Hello there."], [one, two]).unplaced
    assert left.reason == "It occurs in several documents (one.md, two.md), and no document is named."
    for name in ("two.md", "docs/two.md", "C:\\docs\\two.md", "two", two.id):
        (placed,) = align([Given("Hello there.", document=name)], [one, two]).aligned
        assert placed.document == 1


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "parquet"])
def test_r13_our_own_exports_come_back(format):
    """R13: every span and text, from each format, over three documents."""
    corpus = sample_corpus()
    ours = chunk(list(corpus.documents), "recursive", size=150, overlap=30)
    rows = read_chunks(export(ours, format), f"chunks.{format}")
    made = align(rows, corpus.documents, "mine")
    assert made.unplaced == ()
    for mine, own in zip(made.chunkings, ours, strict=True):
        assert mine.texts() == own.texts()
        assert mine.starts.tolist() == own.starts.tolist()
        assert mine.chunker == "mine"


def test_r13_the_layouts_of_other_libraries_are_read():
    """R13: LangChain's page_content and metadata, LlamaIndex's and chonkie's names, only offsets, only texts."""
    rows = [
        {"page_content": "a b", "metadata": {"source": "x/a.txt", "start_index": 3}},
        {"text": "a b", "start_char_idx": 3, "end_char_idx": 6, "metadata": {"file_name": "a.txt"}},
        {"text": "a b", "start_index": 3, "end_index": 6, "token_count": 2},
        {"start": 3, "end": 6},
        {"content": "a b"},
    ]
    lines = "\n".join(map(json.dumps, rows)).encode()
    assert read_chunks(lines, "c.jsonl") == [
        Given("a b", 3, None, "x/a.txt"), Given("a b", 3, 6, "a.txt"), Given("a b", 3, 6), Given(None, 3, 6),
        Given("a b"),
    ]  # fmt: skip
    assert read_chunks(json.dumps({"chunks": rows}).encode(), "c.json") == read_chunks(lines, "c.jsonl")
    table = io.BytesIO()
    pd.DataFrame({"text": ["a", None], "start": [0.0, 2.0], "end": [1.0, 4.0]}).to_parquet(table)
    assert [one.start for one in read_chunks(table.getvalue(), "c.parquet")] == [0, 2]


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"{", "c.json", "c.json is no JSON"),
        (b'{"text": 1}', "c.jsonl", "c.jsonl, row 1: the text is 1; it must be a string"),
        (b'{"text": "a"}\n[1]', "c.jsonl", "c.jsonl, row 2: it must be an object"),
        (b'{"start": 3}', "c.jsonl", "row 1 has neither a text nor a start and an end; it has start"),
        (b'{"text": "a", "start": -1}', "c.jsonl", "row 1: start is -1; it must be a whole number, 0 or more"),
        (b"3", "c.json", "must be a list of objects"),
        (b"\xff", "c.csv", "c.csv is not UTF-8: byte 0"),
        (b"x", "c.parquet", "c.parquet is no Parquet file"),
        (b"x", "c.xlsx", r"'c.xlsx' must end in \.json"),
    ],
)
def test_r13_a_bad_file_gets_one_sentence(data, name, message):
    """R13: with the row."""
    with pytest.raises(ValueError, match=message):
        read_chunks(data, name)


def test_r13_imported_chunks_are_judged_as_ours():
    """R13: the same chunks by import and by our chunker have the same scores."""
    corpus = sample_corpus()
    ours = chunk(list(corpus.documents), "sentence", size=200)
    rows = [Given(one.text, document=one.document.name) for made in ours for one in made]
    pool = Pool(align(rows, corpus.documents).chunkings)
    rankings = rank(pool, [query.text for query in corpus.queries], "bm25")
    scores = score(pool, rankings, corpus.queries, k=5, theta=0.5).means()
    expected = evaluate(corpus.documents, corpus.queries, [("sentence", {"size": 200})], ["bm25"]).iloc[0]
    assert len(pool) == sum(map(len, ours))
    assert all(scores[name] == expected[name] for name in scores)
    assert Corpus((), (Query("q", (Passage("x", 0, 1),)),)).documents == ()


words = st.lists(st.sampled_from(["ab", "cd", "ef", "Total: 5", "\n"]), min_size=1, max_size=40)


@given(parts=words, cuts=st.lists(st.integers(0, 200), max_size=12))
def test_r13_no_chunk_is_ever_put_in_a_wrong_place(parts, cuts):
    """R13: any text full of repeats, cut anywhere: what is placed is placed where it was cut, or not at all."""
    text = " ".join(parts)
    edges = sorted({0, len(text), *[cut % (len(text) + 1) for cut in cuts]})
    spans = [(a, b) for a, b in itertools.pairwise(edges) if b > a]
    made = align([text[a:b] for a, b in spans], [Document.from_text(text)])
    assert all((one.place.start, one.place.end) == spans[one.row] for one in made.aligned)
