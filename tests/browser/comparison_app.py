"""A page with nothing but two chunkings side by side, which says what Python received.

The address chooses the text (``case``); the left side has the case's chunks, the right side others (``other``, the name
of a function of viewer_cases that takes text, starts and ends).
"""

from __future__ import annotations

import hashlib
import json

import streamlit as st
import viewer_cases
from viewer_cases import CASES, facts_of

from pages.shared.viewer import Mark, Side, text_comparison

st.set_page_config(page_title="Comparison", layout="wide")

text, starts, ends = CASES[st.query_params.get("case", "plain")]()
other = getattr(viewer_cases, st.query_params.get("other", "shifted"))
starts_right, ends_right = other(text, starts, ends)
received = st.session_state.setdefault("received", [])

with st.sidebar:
    marks_on = st.toggle("Marks", key="marks_on")


def on_selected() -> None:
    """Keep the choice."""
    received.append(st.session_state["comparison"].selected)


parts = (starts, ends, starts_right, ends_right)
text_comparison(
    text,
    Side("recursive", starts, ends, facts_of(text, starts, ends), "#0072B2"),
    Side("sentence", starts_right, ends_right, colour="#E69F00"),
    key="comparison",
    version=hashlib.sha256(text.encode() + b"".join(part.tobytes() for part in parts)).hexdigest(),
    marks=[Mark(2, 30, "passage 1")] if marks_on else [],
    height=420,
    on_selected=on_selected,
)
st.session_state.runs = st.session_state.get("runs", 0) + 1
with st.container(key="echo"):
    st.text(json.dumps({"runs": st.session_state.runs, "received": received, "length": len(text)}))
