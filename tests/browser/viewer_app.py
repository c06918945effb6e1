"""A page with nothing but the text viewer, which says what Python received from it.

The address chooses the text (``case``), the number shown on the first chunk (``first``), whether more is known of
each chunk than its offsets (``facts``), whether boundaries can be moved (``editable``), whether Python ignores where
they were moved to (``deaf``), and the seconds that Python takes to send the user's choice back (``slow``).
"""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

import numpy as np
import streamlit as st
from viewer_cases import CASES, facts_of

from pages.shared.viewer import Hit, Mark, cuts_from_event, text_viewer

st.set_page_config(page_title="Viewer", layout="wide")

case = CASES[st.query_params.get("case", "plain")]
text, starts, ends = case()
state = st.session_state
state.setdefault("marks", [])
state.setdefault("selected", None)
state.setdefault("received", [])
state.setdefault("cuts", None)


def on_marked() -> None:
    """Keep the passage, and whether its quote is what Python finds at its offsets."""
    passage: dict[str, Any] = state["viewer"].marked
    start, end = passage["start"], passage["end"]
    state.marks.append((start, end))
    state.received.append({"marked": [start, end], "exact": text[start:end] == passage["quote"]})


def on_selected() -> None:
    """Keep the chunk, and send it back to the viewer."""
    time.sleep(float(st.query_params.get("slow", 0)))
    state.selected = state["viewer"].selected["chunk"]
    state.received.append({"selected": state.selected})


def on_edited() -> None:
    """Keep the boundaries that the user made."""
    time.sleep(float(st.query_params.get("slow", 0)))
    state.cuts = list(cuts_from_event(text, state["viewer"].edited))
    state.received.append({"cuts": state.cuts})


with st.sidebar:
    if (jump := st.text_input("Chunk", key="jump")) and state.get("jumped") != jump:
        state.jumped = jump
        state.selected = int(jump)
    marks_on = st.toggle("Marks", key="marks_on")
    hits_on = st.toggle("Hits", key="hits_on")
    coarse = st.toggle("Half as many chunks", key="coarse")
    other = st.toggle("Other text", key="other")

if coarse:
    starts, ends = starts[::2], np.append(starts[2::2], len(text))
if other:
    text, starts, ends = "Another text altogether.", np.array([0, 8]), np.array([8, 24])
if state.cuts is not None and not other and "deaf" not in st.query_params:
    starts, ends = np.array([0, *state.cuts]), np.array([*state.cuts, len(text)])
marks = [Mark(start, end, f"passage {i}") for i, (start, end) in enumerate(state.marks, 1) if end <= len(text)]
if marks_on:
    marks.append(Mark(len(text) // 3, len(text) // 3 + 40, "passage 9 of query 3"))
    marks.append(Mark(2, min(30, len(text)), "passage 1 of query 3"))
hits = [Hit(1, 1, True), Hit(3, 2, False)] if hits_on else []
digest = hashlib.sha256(text.encode() + starts.tobytes() + ends.tobytes()).hexdigest()
result = text_viewer(
    text,
    starts,
    ends,
    key="viewer",
    version=digest,
    facts=facts_of(text, starts, ends) if "facts" in st.query_params else None,
    marks=marks,
    hits=hits,
    selected=state.selected,
    height=420,
    markable=True,
    editable="editable" in st.query_params,
    first_number=int(st.query_params.get("first", 1)),
    on_marked=on_marked,
    on_selected=on_selected,
    on_edited=on_edited,
)
state.runs = state.get("runs", 0) + 1
echo = {"runs": state.runs, "received": state.received, "selected": state.selected, "length": len(text)}
with st.container(key="echo"):
    st.text(json.dumps(echo))
