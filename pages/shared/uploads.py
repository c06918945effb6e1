"""Files that are dropped or opened: read one by one, with progress, a stop, and what became of each (D03, D05, D07)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.shared import choices, edits, state
from pages.shared.plain import plain
from pages.shared.words import counted
from ragchunk_core.documents import KINDS, ReadError, ReadOptions
from ragchunk_core.documents.isolated import read_isolated
from ragchunk_core.documents.limits import Limits
from ragchunk_core.documents.many import Outcome, read_many
from ragchunk_core.documents.reading_options import GROUPS
from ragchunk_core.options import options_of
from ragchunk_core.projects import FORMAT
from ragchunk_core.types import Document

_KEPT_BYTES = 100_000_000
"""Bytes of files that a session keeps, the latest ones, to read them anew with other options."""


@dataclass
class Files:
    """What a session holds of files.

    Attributes:
        outcomes: What became of each file of the upload that is being read, by the browser's id of the file.
        sources: Name and bytes of files that were read, by ``Document.id``, the latest last.
        locked: Name and bytes of files that wait for a password.
        errors, notices: What is to be said once.
    """

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    sources: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    locked: dict[str, bytes] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def files() -> Files:
    """The session's, made when it is first asked for."""
    made: Files = st.session_state.setdefault("files", Files())
    return made


def uploader() -> None:
    """Drop files. A bad one is told about and costs none of the others; so does a stop."""
    turn = st.session_state.setdefault("upload_turn", 0)
    dropped = st.file_uploader(
        "Open or drop files",
        accept_multiple_files=True,  # of any kind: what the browser refused would vanish when the others are taken
        key=f"upload_{turn}",
        help="Text, Markdown, HTML, PDF, Word, PowerPoint, Excel, EPUB, CSV, JSON and source code. They are read on "
        "the machine that this app runs on, and kept in this session and in your browser only.",
    )
    if dropped:
        _read(dropped)
        _finish(dropped)
        st.rerun()


def _read(dropped: Sequence[Any]) -> None:
    """Read the files that were not read yet: another click while they are read begins where it stopped."""
    held, known = files(), {document.id: document.name for document in state.workspace().corpora["custom"].documents}
    left = [file for file in dropped if file.file_id not in held.outcomes]
    with st.container(border=True, key="reading"):
        bar = st.progress(0.0, "Reading …")
        st.button("Stop reading", key="stop_reading", on_click=_finish, args=(dropped,))

    def show(name: str) -> None:
        done = len(held.outcomes)
        bar.progress(done / len(dropped), f"Reading {plain(name)}: {done:,} of {counted(len(dropped), 'file')} done")

    def at_work() -> bool:
        show(left[min(len(left) - 1, len(held.outcomes) + len(left) - len(dropped))].name)
        return False

    for outcome in read_many(
        [(file.name, file.getvalue) for file in left], options=chosen_options(), known=known, cancelled=at_work
    ):
        held.outcomes[left[outcome.place].file_id] = outcome
        show(outcome.name)


def _finish(dropped: Sequence[Any]) -> None:
    """Add what was read, say what was not, and offer an empty uploader."""
    held = files()
    documents: list[Document] = []
    held.errors, held.notices = [], []
    for file in dropped:
        outcome = held.outcomes.get(file.file_id)
        if outcome is None:
            continue
        if outcome.needs_password:
            held.locked[outcome.name] = file.getvalue()
        elif outcome.error:
            held.errors.append(outcome.error)
        elif outcome.same_as:
            held.notices.append(f"{outcome.name} holds the same text as {outcome.same_as}: it is kept once.")
        elif outcome.document and _is_project(outcome.document):
            held.errors.append(f"{outcome.name} is a project of this app: open it under Project in the sidebar.")
        elif outcome.document:
            documents.append(outcome.document)
            _keep(outcome.document, file.name, file.getvalue())
    unread = len(dropped) - len(held.outcomes)
    if unread:
        held.notices.insert(0, f"Stopped: {counted(unread, 'file')} of {len(dropped):,} not read.")
    held.notices += edits.add_documents(documents)
    held.outcomes = {}
    st.session_state["upload_turn"] += 1


def _is_project(document: Document) -> bool:
    return document.kind == "json" and f'"{FORMAT}"' in document.text[:500]


def _keep(document: Document, name: str, data: bytes) -> None:
    sources = files().sources
    sources.pop(document.id, None)
    sources[document.id] = (name, data)
    while sum(len(kept) for _, kept in sources.values()) > _KEPT_BYTES:
        del sources[next(iter(sources))]


def messages() -> None:
    """What the last files had to say, and the passwords that are waited for."""
    held = files()
    for name in list(held.locked):
        with st.form(f"password_{name}", border=True):
            st.text(f"{name} is encrypted.")
            with st.container(horizontal=True, vertical_alignment="bottom"):
                password = st.text_input("Password", type="password", key=f"password_of_{name}")
                opened = st.form_submit_button("Open")
                left_out = st.form_submit_button("Leave it out")
            if left_out:
                del held.locked[name]
                st.rerun()
            if opened:
                _unlock(name, password)
    for message in held.errors[:5]:
        st.error(plain(message))
    if len(held.errors) > 5:
        with st.expander(f"{len(held.errors) - 5:,} more files could not be read"):
            for message in held.errors[5:]:
                st.text(message)
    if held.notices:
        st.info(plain("\n\n".join(held.notices[:8])))
    held.errors, held.notices = [], []


def _unlock(name: str, password: str) -> None:
    held = files()
    try:
        document = read_isolated(held.locked[name], name, password=password, options=chosen_options())
    except ReadError as error:
        st.error(plain(str(error)))
        return
    del held.locked[name]
    held.notices = edits.add_documents([document])
    st.rerun()


def add_pasted(text: str, kind_of: str, name: str) -> None:
    """Add a pasted text, read like a file of that name; ``name`` is what it is called, or empty."""
    held = files()
    try:
        made = read_isolated(text.encode("utf-8", errors="replace"), kind_of, options=chosen_options())
        held.notices = edits.add_documents([dataclasses.replace(made, name=name or made.name, encoding="")])
    except ReadError as error:
        held.errors = [str(error)]


def read_again(index: int, document: Document, encoding: str | None) -> None:
    """Read a document's file once more with the options chosen now, in the place of what it gave before."""
    name, data = files().sources[document.id]
    try:
        made = read_isolated(data, name, encoding=encoding, options=chosen_options())
    except ReadError as error:
        files().errors = [str(error)]
        return
    if made.text == document.text:
        files().notices = [f"{document.name} gives the same text as before."]
        return
    twin = next((other.name for other in state.corpus().documents if other.id == made.id), None)
    if twin:
        files().errors = [f"{document.name} would give the same text as {twin}: nothing was changed."]
        return
    _keep(made, name, data)
    lost = edits.replace_document(index, made)
    if lost:
        files().notices = [f"{counted(lost, 'mark')} in {document.name} could not be found again in the new text."]


def reading_options() -> None:
    """A button that opens to how files are read: what is changed in their text, and the limits."""
    with st.popover("Reading options", key="reading_options", on_change="rerun") as panel:
        if not panel.open:
            return
        st.caption("For the next files; Edit › Read again applies them to one that is there. Usually all are off.")
        for group, (params, label) in GROUPS.items():
            st.markdown(f"**{label[0].upper()}{label[1:]}**")
            for name, rule in options_of(params).items():
                key, usual = f"read_{group}_{name}", getattr(params(), name)
                shared = {"help": rule.help, **choices.widget(key)}
                if rule.choices:
                    allowed = list(rule.choices)
                    place = allowed.index(choices.get(key, usual))
                    st.selectbox(rule.label, allowed, place, rule.choices.__getitem__, **shared)
                else:
                    st.toggle(rule.label, bool(choices.get(key, usual)), **shared)
        st.caption("Limits, set where the app is started: " + "; ".join(Limits.in_force().lines()) + ".")


def chosen_options() -> ReadOptions:
    """How files are read, as the widgets are set, whether they are drawn or not."""
    values = {}
    for group, (params, _) in GROUPS.items():
        for name in options_of(params):
            value = choices.get(f"read_{group}_{name}")
            if value is not None:
                values[f"{group}.{name}"] = value
    return ReadOptions.of(values)


def is_decoded(document: Document) -> bool:
    """Whether its file is text that a user may name the encoding of."""
    return any(reader.kind == document.kind and reader.decoded for reader in KINDS.values())
