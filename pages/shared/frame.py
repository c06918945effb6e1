"""The frame that every screen lives in: page configuration, navigation and the shared sidebar."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.shared import sidebar, state

_HERE = Path(__file__).resolve().parent
PAGES = {
    "documents": ("Documents", "Open, drop or paste documents; ask questions and mark the answers."),
    "chunks": ("Chunks", "The text with every chunk's boundary, and the chunkers compared."),
    "retrieval": ("Retrieval", "Which cut brings the answers back: recall, MRR, context and precision."),
    "distances": (
        "Semantic distances",
        "Distance between neighbouring sentences, the threshold and the cuts.",
    ),
}
OPENS_FIRST = "chunks"


def run() -> None:
    """Draw the frame and the page that the address names."""
    st.session_state["_in_frame"] = True
    state.begin_run()
    st.set_page_config(page_title="RAG Chunking Lab", page_icon=str(_HERE / "icon.png"), layout="wide")
    pages = {
        name: st.Page(
            f"pages/{name}.py",
            title=title,
            help=about,
            default=name == OPENS_FIRST,
            url_path="start" if name == OPENS_FIRST else None,
        )
        for name, (title, about) in PAGES.items()
    }
    # The page that opens first stands at "/" and at no other address; links to it by its name are to work too.
    named = st.Page(f"pages/{OPENS_FIRST}.py", title=PAGES[OPENS_FIRST][0], url_path=OPENS_FIRST, visibility="hidden")
    page = st.navigation([*pages.values(), named], position="top")
    current = next((name for name, made in pages.items() if made.url_path == page.url_path), OPENS_FIRST)
    with st.sidebar:
        sidebar.draw(current)
    try:
        page.run()
    finally:
        st.session_state["_in_frame"] = False


def ensure() -> None:
    """First line of every page: start the frame when the page was opened directly by its address."""
    if not st.session_state.get("_in_frame"):
        run()
        st.stop()
