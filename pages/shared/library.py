"""The user's documents: adding, listing, renaming, ordering and removing them."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached, state
from pages.shared.plain import plain
from pages.shared.words import counted
from ragchunk_core.documents import ACCEPTED, ReadError, read
from ragchunk_core.documents.advice import advice
from ragchunk_core.types import Corpus, Document
from ragchunk_core.units import UNITS

_PASTE_KINDS = {"text": "pasted.txt", "Markdown": "pasted.md", "HTML": "pasted.html"}


def add_panel() -> None:
    """Drop files or paste text. A file that cannot be read is told about; the others are added all the same."""
    turn = st.session_state.setdefault("upload_turn", 0)
    files = st.file_uploader(
        "Open or drop files",
        [suffix.removeprefix(".") for suffix in ACCEPTED],
        accept_multiple_files=True,
        key=f"upload_{turn}",
        help="They are read on the machine that this app runs on, and kept in this session and in your browser only.",
    )
    if files:
        with st.status(f"Reading {counted(len(files), 'file')} …") as status:
            documents, refused = [], []
            for file in files:
                status.update(label=f"Reading {plain(file.name)} …")
                try:
                    documents.append(read(file.getvalue(), file.name))
                except ReadError as error:
                    refused.append(str(error))
        _added(documents, refused)
        st.session_state["upload_turn"] = turn + 1  # a new uploader: empty again
        st.rerun()
    with st.expander("Paste text"), st.form("paste", clear_on_submit=True, border=False):
        kind = st.segmented_control("It is", list(_PASTE_KINDS), default="text", required=True)
        name = st.text_input("Name", placeholder=_PASTE_KINDS["text"])
        text = st.text_area("Text", height=160)
        if st.form_submit_button("Add text"):
            try:
                made = read(text.encode("utf-8", errors="replace"), _PASTE_KINDS[kind or "text"])
                _added([Document(name.strip() or made.name, made.text, made.kind, notes=made.notes)], [])
            except ReadError as error:
                _added([], [str(error)])
            st.rerun()
    for message in st.session_state.pop("library_errors", []):
        st.error(plain(message))
    for message in st.session_state.pop("library_notices", []):
        st.info(plain(message))


def _added(documents: list[Document], refused: list[str]) -> None:
    st.session_state["library_notices"] = state.add_documents(documents)
    st.session_state["library_errors"] = refused


def document_list(corpus: Corpus) -> None:
    """One row a document: what it is, how long, and what can be done with it."""
    st.markdown(f"**{state.CORPORA[state.corpus_name()]}**: {counted(len(corpus.documents), 'document')}")
    for index, document in enumerate(corpus.documents):
        with st.container(border=True, gap="xsmall"):
            left, right = st.columns([3, 1], vertical_alignment="center", wrap=False)
            left.text(document.name)
            tokens = cached.length(document, "cl100k")
            pages = f" · {counted(len(document.page_starts), 'page')}" if document.page_starts else ""
            left.caption(f"{document.kind} · {len(document.text):,} characters · {tokens:,} cl100k tokens{pages}")
            corner = right.container(horizontal_alignment="right")
            with corner.popover("Edit", key=f"actions_{document.id}", on_change="rerun") as panel:
                if panel.open:
                    _actions(index, document, len(corpus.documents))
            hint = advice(document)
            if hint:
                st.caption(hint)


def _actions(index: int, document: Document, count: int) -> None:
    name = st.text_input("Name", document.name, key=f"rename_{document.id}")
    if name.strip() and name != document.name:
        state.rename_document(index, name)
        st.rerun()
    up, down, remove = st.columns(3)
    up.button("Up", key=f"up_{document.id}", on_click=state.move_document, args=(index, -1), disabled=index == 0)
    down.button(
        "Down",
        key=f"down_{document.id}",
        on_click=state.move_document,
        args=(index, 1),
        disabled=index == count - 1,
    )
    remove.button("Remove", key=f"remove_{document.id}", on_click=state.remove_document, args=(index,))


def lengths_line(document: Document) -> None:
    """The document's length in every unit, and how far the estimate is off on this very text (U04)."""
    lengths = {name: cached.length(document, name) for name in UNITS}
    said = " · ".join(f"{lengths[name]:,} {unit.label}" for name, unit in UNITS.items())
    st.caption(said)
    exact, estimate = lengths["cl100k"], lengths["tokens"]
    if exact:
        st.caption(f"On this text the ≈ cl100k estimate is {(estimate - exact) / exact:+.1%} off the exact count.")
