"""R13: chunks made elsewhere are a chunker like all others: aligned, judged, kept in projects."""

from __future__ import annotations

import json

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core import Document, chunk, evaluate
from ragchunk_core.chunkers.imported import spans_entry, spans_of
from ragchunk_core.exports import export
from ragchunk_core.samples import sample_corpus
from tests.page_driver import go, labels, put, unescaped

TEXT = "abc def ghi"


def imported(app, name, data):
    put(app, part="Files")
    app.run()
    app.file_uploader(key=f"chunks_file_{app.session_state['chunks_turn']}").upload(name, data)
    app.run()
    assert not app.exception, app.exception
    return " ".join(unescaped(one) for one in app.info)


def test_r13_spans_are_chunks_as_they_came():
    """R13: also where they overlap, leave something out, or begin with white space."""
    made = chunk(Document("t", TEXT), "imported", spans=(spans_entry(TEXT, [(4, 8), (0, 5)]),))
    assert made.texts() == ["abc d", "def "]
    assert chunk(Document("t", TEXT), "imported", spans=(spans_entry(TEXT, []),)).texts() == []


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("x 0-3", "an entry must be a text's id and spans"),
        (spans_entry(TEXT, [(0, 12)]), "a span is 0-12; it must lie in the text's 11 characters"),
        (spans_entry(TEXT, [(3, 3)]), "a span is 3-3"),
    ],
)
def test_r13_bad_spans_are_refused(entry, message):
    """R13: one sentence."""
    with pytest.raises(ValueError, match=message):
        spans_of(TEXT, [entry])


def test_r13_our_own_export_comes_back_as_the_same_chunks_with_the_same_metrics(app):
    """R13, V07: JSON Lines out, in again; the table of Retrieval has one row like the other."""
    corpus = sample_corpus()
    made = chunk(list(corpus.documents), "recursive", size=400, overlap=50)
    said = imported(app, "mine.jsonl", export(made, "jsonl"))
    assert f"{sum(map(len, made)):,} of {sum(map(len, made)):,} chunks placed" in said
    go(app, "retrieval")
    table = app.dataframe[0].value
    rows = {name: table[[one == name for one in labels(table)]] for name in ("Recursive", "Imported")}
    for column in ("recall@5", "MRR", "context@5", "precision"):
        assert rows["Recursive"][column].tolist() == rows["Imported"][column].tolist()


def test_r13_langchains_texts_without_offsets_are_placed_and_judged(app):
    """R13: texts alone; each is found at its place, and recall is that of the spans LangChain gives with an index."""
    corpus = sample_corpus()
    splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0, add_start_index=True)
    rows, spans = [], []
    for document in corpus.documents:
        found = splitter.create_documents([document.text])
        rows += [{"text": one.page_content, "document": document.name} for one in found]
        own = [(one.metadata["start_index"], one.metadata["start_index"] + len(one.page_content)) for one in found]
        spans.append(spans_entry(document.text, own))
    said = imported(app, "langchain.json", json.dumps(rows).encode())
    assert f"{len(rows)} of {len(rows)} chunks placed" in said
    expected = evaluate(corpus.documents, corpus.queries, [("imported", {"spans": tuple(spans)})], ["bm25"])
    put(app, method="bm25")
    go(app, "retrieval")
    table = app.dataframe[0].value
    ours = table[[one == "Imported" for one in labels(table)]]
    assert ours["recall@5"].tolist() == pytest.approx(expected["recall"].tolist())


def test_r13_what_stands_nowhere_is_listed_and_a_foreign_file_changes_nothing(app):
    """R13: never guessed."""
    words = sample_corpus().documents[1].text[100:180]
    said = imported(app, "two.json", json.dumps([{"text": words}, {"text": "Words that no document has."}]).encode())
    assert "1 of 2 chunks placed" in said
    assert "Row 2 was not placed" in said
    said = imported(app, "foreign.json", json.dumps([{"text": "Nothing of it stands here, not one word."}]).encode())
    assert "none of its 1 chunks stands in the documents" in said
    assert app.session_state["chunker"] == "imported"


def test_r13_the_pill_is_there_only_with_imported_chunks(app):
    """R13: nothing to choose before."""
    pills = next(group for group in app.get("button_group") if "Chunkers" in group.proto.label)
    assert "Imported" not in str(pills.proto.options)
    imported(app, "one.json", json.dumps([{"text": sample_corpus().documents[0].text[:200].strip()}]).encode())
    pills = next(group for group in app.get("button_group") if "Chunkers" in group.proto.label)
    assert "Imported" in str(pills.proto.options)
