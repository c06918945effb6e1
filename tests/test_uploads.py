"""Files on the Documents page, through Streamlit's AppTest: passwords, encodings, reading options, the same text."""

from __future__ import annotations

import json

import pytest

from ragchunk_core import Document, Passage, Query
from ragchunk_core.projects import Project, project_json
from ragchunk_core.types import Corpus
from tests.page_driver import go, key_of, opened, put, unescaped

DECOMPOSED = "Cafe\u0301 und Tee.\r\nZwei."


def upload(app, *files):
    turn = app.session_state["upload_turn"]
    for name, data in files:
        app.file_uploader(key=f"upload_{turn}").upload(name, data)
    app.run()
    assert not app.exception, app.exception
    return app


def own(app):
    return app.session_state["workspace"].corpora["custom"]


def said(app):
    return " ".join(unescaped(one) for one in (*app.error, *app.info))


def test_d05_an_encrypted_pdf_asks_for_its_password(app, shared_data):
    """D05: a wrong one is told about and asked for again; the right one opens it; the others are there already."""
    go(app, "documents")
    name = "password_openpassword.pdf"
    upload(app, (name, (shared_data / "pdf" / name).read_bytes()), ("other.txt", b"Other text."))
    assert [document.name for document in own(app).documents] == ["other.txt"]
    app.text_input(key=f"password_of_{name}").set_value("no")
    next(button for button in app.button if button.label == "Open").click().run()
    assert name in said(app)
    assert len(own(app).documents) == 1
    app.text_input(key=f"password_of_{name}").set_value("openpassword")
    next(button for button in app.button if button.label == "Open").click().run()
    assert [document.name for document in own(app).documents] == ["other.txt", name]
    assert len(own(app).documents[1].text) > 10
    assert not [box for box in app.text_input if "password" in str(box.key)]


def test_d05_an_encrypted_pdf_can_be_left_out(app, shared_data):
    """D05: then nothing is asked any more."""
    go(app, "documents")
    upload(app, ("locked.pdf", (shared_data / "pdf" / "password_openpassword.pdf").read_bytes()))
    next(button for button in app.button if button.label == "Leave it out").click().run()
    assert not own(app).documents
    assert not [box for box in app.text_input if "password" in str(box.key)]


def test_d03_the_encoding_is_shown_and_can_be_corrected(app):
    """D03: bytes that are also something else; marks move along with their words."""
    go(app, "documents")
    upload(app, ("dos.txt", "Der Bäcker grüßt. The oven is hot.".encode("cp850")))
    first = own(app).documents[0]
    assert first.encoding
    assert first.encoding != "IBM850"
    assert "Bäcker" not in first.text
    assert any(first.encoding in unescaped(caption) for caption in app.caption)
    words = "The oven is hot."
    mark = Passage(first.id, first.text.index(words), first.text.index(words) + len(words))
    app.session_state["workspace"].corpora["custom"] = Corpus((first,), (Query("Is it hot?", (mark,)),))
    opened(app, f"actions_{first.id}")
    app.selectbox(key=f"encoding_{first.id}").set_value("IBM850").run()
    app.button(key=f"again_{first.id}").click().run()
    second = own(app).documents[0]
    assert (second.name, second.text) == ("dos.txt", "Der Bäcker grüßt. The oven is hot.")
    passage = own(app).queries[0].passages[0]
    assert second.text[passage.start : passage.end] == words
    assert passage.document == second.id
    app.button(key="undo").click().run()
    assert own(app).documents == (first,)


def test_d07_reading_options_hold_for_the_next_files_and_say_what_they_changed(app):
    """D07: off keeps the text to the letter; on, each step is told with its number of characters."""
    go(app, "documents")
    upload(app, ("kept.txt", DECOMPOSED.encode()))
    assert own(app).documents[0].text == DECOMPOSED
    opened(app, "reading_options")
    app.toggle(key=key_of(app, "read_cleaning_line_ends")).set_value(True).run()
    app.toggle(key=key_of(app, "read_cleaning_nfc")).set_value(True).run()
    upload(app, ("cleaned.txt", DECOMPOSED.encode()))
    cleaned = own(app).documents[1]
    assert cleaned.text == "Café und Tee.\nZwei."
    assert len(cleaned.notes) >= 2
    assert any("1 " in note or "one" in note for note in cleaned.notes)


def test_d08_a_project_file_among_documents_is_told_about(app):
    """D08: it is not taken for a document of JSON."""
    go(app, "documents")
    project = Project({"custom": Corpus((Document.from_text("abc", name="a.txt"),))}, {})
    upload(app, ("mine.json", project_json(project).encode()))
    assert not own(app).documents
    assert "open it under Project" in said(app)


def test_d11_advice_offers_the_chunker_made_for_it_where_there_is_one(app):
    """D11: JSON is told about; where the registry has the chunker a button sets it."""
    from ragchunk_core.chunkers import CHUNKERS
    from ragchunk_core.documents import advised

    go(app, "documents")
    upload(app, ("rows.json", json.dumps([{"name": f"row {number}"} for number in range(50)]).encode()))
    document = own(app).documents[0]
    assert document.kind == "json"
    hint = advised(document)
    assert hint is not None
    assert any(hint.sentence in unescaped(caption) for caption in app.caption)
    buttons = [button for button in app.button if str(button.key).startswith("advised_")]
    assert len(buttons) == ("records" in CHUNKERS)
    if buttons:
        buttons[0].click().run()
        assert app.session_state["chunker"] == "records"
        go(app, "chunks")
        assert app.dataframe[0].value["chunks"].min() >= 1


@pytest.mark.parametrize("kind", ["text", "CSV"])
def test_d03_a_pasted_text_is_a_document_and_an_empty_one_is_not(app, kind):
    """D03: what is typed is kept to the letter."""
    go(app, "documents")
    opened(app, "paste_text")
    app.segmented_control[0].set_value(kind)
    app.text_area[0].set_value("a,b\n1,2")
    next(button for button in app.button if button.label == "Add text").click().run()
    assert [document.text for document in own(app).documents] == ["a,b\n1,2"]
    opened(app, "paste_text")
    next(button for button in app.button if button.label == "Add text").click().run()
    assert len(own(app).documents) == 1
    assert "empty" in said(app)


def test_d07_reading_options_are_kept_when_their_panel_closes(app):
    """D07: the panel draws its widgets only while it is open."""
    go(app, "documents")
    put(app, read_cleaning_nfc=True)
    app.run()
    upload(app, ("cleaned.txt", DECOMPOSED.encode()))
    assert own(app).documents[0].text == "Café und Tee.\r\nZwei."


def test_d03_two_hundred_files_at_once_and_a_bad_one_costs_no_other(app):
    """D03: all that can be read are there in their order; the twin of one is told about, and so is the bad one."""
    go(app, "documents")
    files = [(f"note-{number:03}.md", f"# Note {number}\n\nText of it.\n".encode()) for number in range(198)]
    upload(app, *files[:100], ("bad.pdf", b"%PDF-1.7 nothing"), ("twin.md", files[3][1]), *files[100:])
    assert [document.name for document in own(app).documents] == [name for name, _ in files]
    assert "bad.pdf" in said(app)
    assert "twin.md holds the same text as note-003.md" in said(app)
    listed = [text.value for text in app.text if text.value.startswith("note-")]
    assert listed == [name for name, _ in files[:30]]
    app.number_input(key=key_of(app, "list_page")).set_value(7).run()
    listed = [text.value for text in app.text if text.value.startswith("note-")]
    assert listed == [name for name, _ in files[180:]]
