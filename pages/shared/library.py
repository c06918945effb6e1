"""The user's documents: adding, listing, renaming, ordering and removing them."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached, choices, edits, sidebar, state, uploads
from pages.shared.words import counted
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.documents import ENCODINGS, advised
from ragchunk_core.types import Corpus, Document
from ragchunk_core.units import UNITS

_ROWS = 30  # documents on one page of the list
_PASTE_KINDS = {
    "text": "pasted.txt", "Markdown": "pasted.md", "HTML": "pasted.html", "CSV": "pasted.csv", "JSON": "pasted.json",
}  # fmt: skip


def add_panel() -> None:
    """Drop files or paste text. A file that cannot be read is told about; the others are added all the same."""
    uploads.uploader()
    with st.container(horizontal=True):
        uploads.reading_options()
        with st.popover("Paste text", key="paste_text", on_change="rerun") as panel:
            if panel.open:
                _paste()
    uploads.messages()


def _paste() -> None:
    with st.form("paste", clear_on_submit=True, border=False):
        st.segmented_control("It is", list(_PASTE_KINDS), default="text", required=True, key="paste_kind")
        st.text_input("Name", placeholder=_PASTE_KINDS["text"], key="paste_name")
        st.text_area("Text", height=160, key="paste_body")
        st.form_submit_button("Add text", on_click=_pasted)


def _pasted() -> None:
    kind, name, text = (st.session_state[f"paste_{part}"] for part in ("kind", "name", "body"))
    uploads.add_pasted(text, _PASTE_KINDS[kind], name.strip())
    st.session_state["paste_text"] = False  # closes the panel


def document_list(corpus: Corpus) -> None:
    """One row a document: what it is, how long, and what can be done with it."""
    st.markdown(f"**{state.CORPORA[state.corpus_name()]}**: {counted(len(corpus.documents), 'document')}")
    for index in _listed(len(corpus.documents)):
        document = corpus.documents[index]
        with st.container(border=True, gap="xsmall"):
            left, right = st.columns([3, 1], vertical_alignment="center", wrap=False)
            left.text(document.name)
            tokens = cached.length(document, "cl100k")
            pages = f" · {counted(len(document.page_starts), 'page')}" if document.page_starts else ""
            kind = f"{document.kind}, {document.encoding}" if document.encoding else document.kind
            left.caption(f"{kind} · {len(document.text):,} characters · {tokens:,} cl100k tokens{pages}")
            corner = right.container(horizontal_alignment="right")
            with corner.popover("Edit", key=f"actions_{document.id}", on_change="rerun") as panel:
                if panel.open:
                    _actions(index, document, len(corpus.documents))
            hint = advised(document)
            if hint:
                st.caption(hint.sentence)
            if hint and hint.chunker and hint.chunker not in sidebar.chosen_chunkers():
                st.button(
                    f"Cut it with {CHUNKERS[hint.chunker].label}", key=f"advised_{document.id}", type="tertiary",
                    on_click=_take_advice, args=(index, hint.chunker),
                )  # fmt: skip


def _listed(count: int) -> range:
    """The documents on the chosen page of the list: every row costs the server a few milliseconds."""
    if count <= _ROWS:
        return range(count)
    pages = -(-count // _ROWS)
    page = min(pages, int(choices.get("list_page", 1)))
    st.number_input(f"Page of the list, of {pages:,}", 1, pages, page, **choices.widget("list_page"))
    return range((page - 1) * _ROWS, min(count, page * _ROWS))


def _actions(index: int, document: Document, count: int) -> None:
    name = st.text_input("Name", document.name, key=f"rename_{document.id}")
    if name.strip() and name != document.name:
        edits.rename_document(index, name)
        st.rerun()
    up, down, remove = st.columns(3)
    up.button("Up", key=f"up_{document.id}", on_click=edits.move_document, args=(index, -1), disabled=index == 0)
    down.button(
        "Down",
        key=f"down_{document.id}",
        on_click=edits.move_document,
        args=(index, 1),
        disabled=index == count - 1,
    )
    remove.button("Remove", key=f"remove_{document.id}", on_click=edits.remove_document, args=(index,))
    if document.id in uploads.files().sources:
        encoding = None
        if uploads.is_decoded(document):
            encoding = st.selectbox(
                "Encoding", list(ENCODINGS), None, placeholder=f"{document.encoding}, as found",
                key=f"encoding_{document.id}",
            )  # fmt: skip
        st.button(
            "Read again", key=f"again_{document.id}", on_click=uploads.read_again, args=(index, document, encoding),
            help="With this encoding and the reading options chosen now. Marks move along with their words.",
        )  # fmt: skip


def _take_advice(index: int, chunker: str) -> None:
    choices.put(on=[*sidebar.chosen_chunkers(), chunker], chunker=chunker, doc=index, selected=None)


def lengths_line(document: Document) -> None:
    """The document's length in every unit, and how far the estimate is off on this very text (U04)."""
    lengths = {name: cached.length(document, name) for name in UNITS}
    said = " · ".join(f"{lengths[name]:,} {unit.label}" for name, unit in UNITS.items())
    st.caption(said)
    exact, estimate = lengths["cl100k"], lengths["tokens"]
    if exact:
        st.caption(f"On this text the ≈ cl100k estimate is {(estimate - exact) / exact:+.1%} off the exact count.")
