"""R14: questions of a file on the Documents page: placed exactly, or told about."""

from __future__ import annotations

import json

from ragchunk_core import Document
from ragchunk_core.samples import sample_corpus
from ragchunk_core.types import Corpus
from tests.page_driver import go, opened, put, unescaped


def imported(app, name, data):
    opened(app, "import_queries")
    app.file_uploader(key=f"import_file_{app.session_state['import_turn']}").upload(name, data)
    app.run()
    assert not app.exception, app.exception
    return " ".join(unescaped(one) for one in app.info)


def test_r14_questions_of_a_csv_are_marked_where_their_answers_stand(app):
    """R14: an answer that stands once is marked there; one that stands nowhere is named; the same question is one."""
    go(app, "documents")
    document = sample_corpus().documents[0]
    words = "The dispatcher" if document.text.count("The dispatcher") == 1 else document.text[100:160]
    known = sample_corpus().queries[0].text
    rows = [["query", "passage"], ["What is it?", words], ["What is it?", "nowhere to be found"], [known, words]]
    table = "\n".join(",".join(json.dumps(cell) for cell in row) for row in rows)
    said = imported(app, "asked.csv", table.encode())
    assert "2 questions with 2 passages" in said
    assert "'nowhere to be found' does not occur" in said
    now = app.session_state["workspace"].corpora["sample"]
    assert len(now.queries) == 12
    start = document.text.index(words)
    assert [(one.start, one.end) for one in now.queries[11].passages] == [(start, start + len(words))]
    assert len(now.queries[0].passages) == len(sample_corpus().queries[0].passages) + 1
    app.button(key="undo").click().run()
    assert app.session_state["workspace"].corpora["sample"] == sample_corpus()


def test_r14_xquad_brings_its_documents_and_questions(app, shared_data):
    """R14: XQuAD's 240 paragraphs and 1,190 questions, every answer at its place."""
    go(app, "documents")
    put(app, corpus="custom")
    app.run()
    app.session_state["workspace"].corpora["custom"] = Corpus((Document.from_text("Mine.", name="mine.txt"),))
    app.run()
    data = (shared_data / "xquad" / "xquad.en.json").read_bytes()
    said = imported(app, "xquad.en.json", data)
    assert "1,190 questions" in said
    now = app.session_state["workspace"].corpora["custom"]
    assert now.documents[0].name == "mine.txt"
    texts = {document.id: document.text for document in now.documents}
    answers = {
        answer["text"]
        for article in json.loads(data)["data"]
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
        for answer in asked["answers"]
    }
    marked = {texts[one.document][one.start : one.end] for query in now.queries for one in query.passages}
    assert marked == answers


def test_r14_a_file_that_cannot_be_read_changes_nothing(app):
    """R14: one sentence."""
    go(app, "documents")
    said = imported(app, "broken.json", b'{"a": ')
    assert "broken.json" in said
    assert app.session_state["workspace"].corpora["sample"] == sample_corpus()
