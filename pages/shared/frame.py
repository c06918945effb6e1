"""The frame that every screen lives in: page configuration, navigation and the shared sidebar."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import streamlit as st

from pages.shared import browser_store, sharing, sidebar

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

Visibility = Literal["visible", "hidden"]
_HERE = Path(__file__).resolve().parent
PAGES = {
    "documents": ("Documents", "Open, drop or paste documents; ask questions and mark the answers."),
    "chunks": ("Chunks", "The text with every chunk's boundary, and the chunkers compared."),
    "retrieval": ("Retrieval", "Which cut brings the answers back: recall, MRR, context and precision."),
    "distances": (
        "Semantic distances",
        "Distance between neighbouring sentences, the threshold and the cuts.",
    ),
    "sweep": ("Sweep", "Many settings measured at once, and which one to take."),
    "guide": ("Guide", "A worked example, what each strategy is for, symptoms and common mistakes."),
}
OPENS_FIRST = "chunks"
# The page uses the width that it has: Streamlit's own margins take a fifth of a laptop's.
_STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding-inline: clamp(1rem, 2.5vw, 3rem); }
</style>"""
_thread = threading.local()


def run() -> None:
    """Draw the frame and the page that the address names."""
    _thread.in_frame = True
    try:
        st.set_page_config(page_title="RAG Chunking Lab", page_icon=str(_HERE / "icon.png"), layout="wide")
        page, current = _chosen_page()
        by_link = sharing.open_link()
        st.html(_STYLE)
        with st.sidebar:
            sharing.draw()
            sidebar.draw(current, {name: title for name, (title, _) in PAGES.items()})
            browser_store.draw(by_link)
        sharing.notices()
        page.run()
    finally:
        _thread.in_frame = False  # not in the session's state, which cannot be set after ``st.stop``


def _chosen_page() -> tuple[Page, str]:
    """The page that the address names, and its name here.

    The page that opens first stands at "/", and Streamlit knows it at no other address. So that a link by its
    name works too it is there twice, and the one that the address means is the one in the menu.
    """
    named = (st.context.url or "").partition("?")[0].rstrip("/").endswith(f"/{OPENS_FIRST}")
    pages: dict[str, Page] = {}
    for name, (title, about) in PAGES.items():
        file = f"pages/{name}.py"
        if name == OPENS_FIRST:
            at_root: Visibility = "hidden" if named else "visible"
            at_name: Visibility = "visible" if named else "hidden"
            pages["/"] = st.Page(file, title=title, help=about, default=True, url_path="start", visibility=at_root)
            pages[name] = st.Page(file, title=title, help=about, visibility=at_name)
        else:
            pages[name] = st.Page(file, title=title, help=about)
    page = st.navigation(list(pages.values()), position="top")
    current = next(name for name, made in pages.items() if made.url_path == page.url_path)
    return page, OPENS_FIRST if current == "/" else current


def ensure() -> None:
    """First line of every page: start the frame when the page was opened directly by its address."""
    if not getattr(_thread, "in_frame", False):
        run()
        st.stop()
