"""Questions and their marked answers: choose, ask, change, mark and unmark."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import choices, edits, state
from pages.shared.plain import plain
from ragchunk_core.types import Corpus, Passage, Query


def chosen_query(corpus: Corpus) -> int | None:
    """The index of the query on screen; None when there is no query."""
    if not corpus.queries:
        return None
    index = choices.get("q", 0)
    return min(index, len(corpus.queries) - 1) if isinstance(index, int) and index >= 0 else 0


def query_picker(corpus: Corpus, index: int) -> int:
    """Choose the query on screen; ``index`` is the one until now."""
    st.selectbox(
        "Query",
        range(len(corpus.queries)),
        index,
        format_func=lambda i: _labelled(corpus.queries[i], i),
        **choices.widget("q", then=lambda: edits.choose_query(choices.get("q")), among=range(len(corpus.queries))),
    )
    return index


def _labelled(query: Query, index: int) -> str:
    return f"{index + 1}. {query.text}" + ("" if query.passages else "  (no answer marked)")


def marker(index: int | None) -> Callable[[Passage], None] | None:
    """What the viewer calls when the user marks a passage of that query; None when there is no query to mark for."""
    if index is None:
        return None

    def marked(passage: Passage) -> None:
        old = _adjusted(index)
        if old is None:
            edits.mark(index, passage)
        else:
            edits.adjust(index, old, passage)
            _adjust(None)

    return marked


def _adjust(what: tuple[int, Passage] | None) -> None:
    """Choose the query and mark whose range the next selection replaces; None for none."""
    st.session_state["adjusting"] = what


def _adjusted(index: int) -> Passage | None:
    """The mark of that query that is being adjusted, while it is there."""
    query, passage = st.session_state.get("adjusting") or (None, None)
    return passage if query == index and passage in state.corpus().queries[index].passages else None


def ask_form() -> None:
    """Ask a new query."""
    with st.form("ask", clear_on_submit=True, border=False):
        left, right = st.columns([5, 1], vertical_alignment="bottom")
        text = left.text_input("New query", placeholder="A question that these documents answer", key="ask_text")
        if right.form_submit_button("Add query", width="stretch"):
            refused = edits.add_query(text)
            if refused:
                st.error(plain(refused))
            else:
                st.rerun()


def import_popover() -> None:
    """Questions from a file. What of it could not be placed is listed, until the panel is opened again."""
    with st.popover("Import queries", key="import_queries", on_change="rerun") as panel:
        if panel.open:
            turn = st.session_state.setdefault("import_turn", 0)
            st.caption(
                "CSV, JSON or JSON Lines: a question with passages as texts or as offsets, one or several a row; "
                "or SQuAD's layout, which brings its documents."
            )
            file = st.file_uploader("Question file", ["csv", "json", "jsonl"], key=f"import_file_{turn}")
            if file is not None:
                st.session_state["import_turn"] = turn + 1
                try:
                    st.session_state["import_said"] = edits.import_queries(file.getvalue(), file.name)
                except ValueError as error:
                    st.session_state["import_said"] = [str(error)]
                st.rerun()
    said: list[str] = st.session_state.pop("import_said", [])
    if said:
        st.info(plain("\n\n".join(said[:8])))
    if len(said) > 8:
        with st.expander(f"{len(said) - 8:,} more remarks"):
            for sentence in said[8:]:
                st.text(sentence)


def edit_popover(query: Query, index: int) -> None:
    """Change a query's words or delete it."""
    with st.popover("Edit query", key="edit_query", on_change="rerun") as panel:
        if not panel.open:
            return
        text = st.text_input("Words of the query", query.text, key=f"edit_{index}_{query.text}")
        left, right = st.columns(2)
        if left.button("Save", key="edit_save", width="stretch"):
            refused = edits.edit_query(index, text)
            if refused:
                st.error(plain(refused))
            else:
                st.rerun()
        right.button("Delete query", key="edit_delete", width="stretch", on_click=edits.remove_query, args=(index,))


def passages_panel(corpus: Corpus, index: int) -> None:
    """The marked passages of one query, each with its place and a way to take it back."""
    query = corpus.queries[index]
    if not query.passages:
        st.info(
            "No answer is marked for this query yet: select the answer in the text and press "
            "**Mark selection relevant** (or M)."
        )
    documents = {document.id: (number, document) for number, document in enumerate(corpus.documents)}
    adjusted = _adjusted(index)
    for number, passage in enumerate(query.passages):
        if passage.document not in documents:
            continue
        place, document = documents[passage.document]
        with st.container(gap="xsmall", key=f"passage_{number}"):
            st.caption(f"Passage {number + 1} · {plain(document.name)} · characters {passage.start:,}–{passage.end:,}")
            st.text(_short(document.text[passage.start : passage.end]))
            with st.container(horizontal=True, gap="medium"):
                st.button(
                    "Show", key=f"show_{number}", type="tertiary", on_click=_show, args=(place,),
                    disabled=choices.get("doc", 0) == place,
                )  # fmt: skip
                st.button(
                    "Adjust", key=f"adjust_{number}", type="tertiary", on_click=_start_adjusting,
                    args=(index, passage, place), help="The next passage that you mark takes this one's place.",
                )  # fmt: skip
                st.button(
                    "Unmark", key=f"unmark_{number}", type="tertiary", on_click=edits.unmark, args=(index, passage),
                )  # fmt: skip
        if passage == adjusted:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.info(f"Select the new range of passage {number + 1} in the text, and mark it (M).", width="stretch")
                st.button("Keep it as it is", key="adjust_stop", on_click=_adjust, args=(None,))


def _show(document: int) -> None:
    choices.put(doc=document, selected=None)


def _start_adjusting(index: int, passage: Passage, document: int) -> None:
    _adjust((index, passage))
    if choices.get("doc", 0) != document:
        _show(document)


def _short(text: str, longest: int = 240) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def undo_buttons() -> None:
    """Take the last change of documents, queries or marks back, or do it again; absent where there is none."""
    space = state.workspace()
    for name, changes, step, keys in (
        ("Undo", space.undo, state.undo, "Z"),
        ("Redo", space.redo, state.redo, "Shift+Z"),
    ):
        if changes:
            what, where, _ = changes[-1]
            there = "" if where == state.corpus_name() else f", in “{state.CORPORA[where]}”"
            st.button(f"{name}: {plain(what)}{there}", on_click=step, key=name.lower(), shortcut=keys)
