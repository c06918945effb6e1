"""The project remembered in the user's own browser (D09): nothing of it is kept on the server.

A new session first asks the browser what it holds; from then on every change is stored there. It is a Streamlit
component (version 2) over the browser's IndexedDB, which has room for large documents.
"""

from __future__ import annotations

import json
import struct
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import sharing, state
from ragchunk_core.projects import project_json, read_project
from ragchunk_core.types import Document

_mount = st.components.v2.component(
    "ragchunk_store", js=(Path(__file__).parent / "store.js").read_text(encoding="utf-8")
)
_NOT_KEPT = (
    "This browser does not remember the project ({reason}). "
    "It is whole in this session: keep it with Project, Download."
)
_UNREADABLE = "What this browser remembered cannot be opened: {reason} It stays there until something is changed."


_NOTHING: tuple[Any, ...] = ((), ())


@dataclass
class _Memory:
    """What is between this session and the browser."""

    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    answered: bool = False
    by_link: bool = False
    kept: tuple[Any, ...] = _NOTHING
    order: dict[str, Any] = field(default_factory=dict)
    texts: bytes | None = None
    ids: tuple[str, ...] = ()
    orders: int = 0
    said: str = ""


def _memory() -> _Memory:
    made: _Memory = st.session_state.setdefault("browser_store", _Memory())
    return made


def draw(opened_by_link: bool) -> None:
    """Exchange the project with the browser; a link's settings go before remembered ones."""
    memory = _memory()
    memory.by_link |= opened_by_link
    if not memory.answered:
        _order(memory, "restore")
    else:
        _keep(memory)
    if memory.said:
        st.warning(memory.said)
    with st.container(gap=None):
        if memory.texts is not None:
            _mount(key="browser_texts", data=memory.texts, on_answer_change=lambda: _answer("browser_texts"))
        _mount(key="browser_project", data=memory.order, on_answer_change=lambda: _answer("browser_project"))
    if memory.answered and memory.kept != _NOTHING:
        st.button(
            "Forget everything",
            key="forget",
            on_click=forget,
            help="Documents, queries, marks and settings: out of this session and out of this browser.",
        )


def forget() -> None:
    """Everything of the user's: out of the browser's store and the session."""
    memory = _memory()
    memory.kept, memory.texts, memory.ids, memory.said = _NOTHING, None, (), ""
    st.session_state["workspace"] = state.Workspace({name: state.untouched(name) for name in state.CORPORA})
    state.apply(state.DEFAULTS)
    _order(memory, "forget")


def _order(memory: _Memory, job: str, project: str | None = None) -> None:
    if job != "restore" or not memory.order:
        memory.orders += 1
        memory.order = {"job": job, "turn": f"{memory.session} {memory.orders}", "project": project}


def _keep(memory: _Memory) -> None:
    """Give the browser the project as it is now, if that is news; an untouched one is not stored."""
    now = sharing.project()
    mark = (tuple(now.corpora.items()), tuple(now.settings.items()))
    if mark == memory.kept:
        return
    memory.kept = mark
    if mark == _NOTHING:
        memory.texts, memory.ids = None, ()
        _order(memory, "forget")
        return
    documents = {document.id: document for corpus in now.corpora.values() for document in corpus.documents}
    if tuple(documents) != memory.ids:
        memory.ids = tuple(documents)
        memory.texts = _texts(list(documents.values()), f"{memory.session} {memory.orders}")
    _order(memory, "save", project_json(now, texts=False))


def _texts(documents: Sequence[Document], turn: str) -> bytes:
    """The texts as one message; store.js says how it is laid out."""
    parts = [document.text.encode("utf-8") for document in documents]
    header = {"turn": turn, "ids": [document.id for document in documents], "bytes": [len(part) for part in parts]}
    head = json.dumps(header).encode()
    return b"".join([struct.pack("<I", len(head)), head, *parts])


def _answer(key: str) -> None:
    answer = st.session_state[key].answer
    memory = _memory()
    if not isinstance(answer, dict):
        return
    first, memory.answered = not memory.answered, True
    if "failed" in answer:
        memory.said = _NOT_KEPT.format(reason=str(answer["failed"])[:200])
    elif first and answer.get("found"):
        _restore(memory, answer["found"])


def _restore(memory: _Memory, found: dict[str, Any]) -> None:
    try:
        project = read_project(str(found["project"]), found["texts"])
        sharing.take_over(project, settings=not memory.by_link)
        state.workspace().undo.clear()
        state.workspace().redo.clear()
    except (ValueError, KeyError, TypeError) as error:
        memory.said = _UNREADABLE.format(reason=error)
