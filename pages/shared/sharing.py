"""Links that carry the settings (S01), and the project as a file (D08)."""

from __future__ import annotations

import streamlit as st

from pages.shared import state
from pages.shared.plain import plain
from ragchunk_core.links import link_parameters, link_query, parse_link
from ragchunk_core.projects import Project, project_json, read_project

_LONG = 8_000
"""Characters from which on servers and mail programs may cut a link."""


def open_link() -> bool:
    """Take over what the address asks for, once; whether it asked for anything.

    The parameters leave the address, so that a reload shows what was done since and not the link again.
    """
    asked = st.query_params.to_dict()
    if not asked:
        return False
    link = parse_link(asked)
    state.apply(link.settings)
    st.session_state["link_notices"] = link.notices
    st.query_params.clear()
    return True


def notices() -> None:
    """What of a link was not taken, until it is read."""
    said: tuple[str, ...] = st.session_state.get("link_notices", ())
    if said:
        with st.container(border=True):
            st.markdown("**Not everything in the link could be used**")
            for sentence in said:
                st.caption(plain(sentence))
            st.button("Close", key="link_notices_close", on_click=lambda: st.session_state.pop("link_notices"))


def draw() -> None:
    """The buttons below the settings."""
    with st.container(horizontal=True):
        with st.popover("Share link", key="share", on_change="rerun") as panel:
            if panel.open:
                _share_panel()
        with st.popover("Project", key="project", on_change="rerun") as panel:
            if panel.open:
                _project_panel()


def _share_panel() -> None:
    address = (st.context.url or "").partition("?")[0]
    query = link_query(state.settings())
    link = f"{address}?{query}" if query else address
    if len(link) > _LONG:
        st.warning(
            f"This link has {len(link):,} characters, for boundaries of your own are in it: some programs will cut it. "
            "A project file carries them safely."
        )
    else:
        st.code(link, language=None, wrap_lines=True)
    st.caption("It carries every setting that differs from the usual, and no document, query or mark.")


def project() -> Project:
    """What is kept of a session: the settings, the user's own corpus, and those of ours that were changed."""
    space = state.workspace()
    kept = {name: corpus for name, corpus in space.corpora.items() if corpus != state.untouched(name)}
    return Project(kept, link_parameters(state.settings()))


def take_over(project: Project, *, settings: bool = True) -> None:
    """Put a project in place of what the session holds; *Undo* brings the documents back."""
    for name in state.CORPORA:
        wanted = project.corpora.get(name, state.untouched(name))
        if wanted != state.workspace().corpora[name]:
            state.change("opened a project", wanted, name)
    if settings:
        link = parse_link(project.settings)
        state.apply(link.settings)
        st.session_state["link_notices"] = link.notices


def _project_panel() -> None:
    now = project()  # here: what makes the file runs at the click, outside of the session
    st.download_button(
        "Download",
        lambda: project_json(now),
        "chunking-project.json",
        "application/json",
        key="project_download",
        width="stretch",
        on_click="ignore",
        help="Documents, queries, marks and settings in one file.",
    )
    turn = st.session_state.setdefault("project_turn", 0)
    file = st.file_uploader("Open a project file", ["json"], key=f"project_file_{turn}")
    if file is not None:
        st.session_state["project_turn"] = turn + 1
        try:
            take_over(read_project(file.getvalue()))
            st.session_state.pop("project_refused", None)
        except ValueError as error:
            st.session_state["project_refused"] = f"{file.name}: {error} Nothing was changed."
        st.rerun()
    if "project_refused" in st.session_state:
        st.error(plain(st.session_state["project_refused"]))
    st.button("New project", key="project_new", on_click=_new, width="stretch", help="Undo brings the old one back.")


def _new() -> None:
    for name in state.CORPORA:
        if state.workspace().corpora[name] != state.untouched(name):
            state.change("began a new project", state.untouched(name), name)
    state.apply(state.DEFAULTS)
