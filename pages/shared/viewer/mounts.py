"""The components as Streamlit knows them: their JavaScript and CSS, registered once."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

__all__ = ["comparison_mount", "content_mount", "do_nothing", "view_mount"]

_HERE = Path(__file__).parent

# One module in the browser for each component, in this order; the last file holds its export.
_SHARED = (
    "offsets.js",
    "bytes.js",
    "segments.js",
    "payload.js",
    "model.js",
    "pieces.js",
    "heights.js",
    "selection.js",
    "text_view.js",
    "words.js",
    "facts.js",
    "card.js",
    "focus.js",
    "layers.js",
    "white_space.js",
    "boundaries.js",
    "boundary_layer.js",
    "minimap.js",
    "passages.js",
    "told.js",
    "edit_keys.js",
    "chrome.js",
    "full_screen.js",
    "keys.js",
    "mount.js",
)
_VIEWER = ("edit_cuts.js", "edit_drag.js", "edit_mode.js", "viewer.js")
_COMPARE = ("compare_chrome.js", "scroll_sync.js", "difference_map.js", "compare.js")
_STYLES = ("text.css", "card.css", "map.css", "viewer.css")


def _source(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


content_mount = st.components.v2.component(
    "ragchunk_viewer", js=_source(*_SHARED, *_VIEWER), css=_source(*_STYLES, "edit.css")
)
comparison_mount = st.components.v2.component(
    "ragchunk_comparison", js=_source(*_SHARED, *_COMPARE), css=_source(*_STYLES, "compare.css")
)
view_mount = st.components.v2.component("ragchunk_viewer_view", js=_source("handover.js"))


def do_nothing() -> None:
    """A callback: without one a trigger would be missing from the result until it first fires."""
