"""The text viewer: a text with its chunks in colour, marked passages and retrieved chunks.

It is a Streamlit component (version 2) with inline JavaScript and CSS. Offsets that cross the border are
half-open ranges of code points, so that ``text[start:end]`` in Python is exactly what the user selected.

It mounts twice. The content (text, chunk spans, the code itself) is one message that Streamlit keeps by its
hash, so that a rerun with the same content sends a reference to it. The view (marks, hits, selected chunk)
is a small message of its own, handed to the content's mount in the browser. The text is only ever put into
the page as text, never as HTML.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.bidi_component.state import ComponentResult

__all__ = ["Hit", "Mark", "text_viewer"]

_HERE = Path(__file__).parent

# One module in the browser, in this order; the last one holds its export.
_SCRIPTS = (
    "offsets.js",
    "segments.js",
    "payload.js",
    "pieces.js",
    "selection.js",
    "text_view.js",
    "words.js",
    "chrome.js",
    "keys.js",
    "viewer.js",
)


def _source(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


_content_mount = st.components.v2.component("ragchunk_viewer", js=_source(*_SCRIPTS), css=_source("viewer.css"))
_view_mount = st.components.v2.component("ragchunk_viewer_view", js=_source("handover.js"))


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked passage, shown by a thick underline.

    Attributes:
        start, end: Half-open range in code points.
        label: What the passage is, such as "passage 1 of query 3"; shown as a tooltip.
    """

    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk, shown underlined, with its rank as a badge.

    Attributes:
        chunk: Index of the chunk in ``starts`` and ``ends``.
        rank: Its place in the result list, from 1.
        answers: Whether it answers the query; then the badge is ticked.
    """

    chunk: int
    rank: int
    answers: bool


def _do_nothing() -> None:
    """A callback: without one a trigger would be missing from the result until it first fires."""


def text_viewer(
    text: str,
    starts: npt.ArrayLike,
    ends: npt.ArrayLike,
    *,
    key: str,
    version: str,
    marks: Sequence[Mark] = (),
    hits: Sequence[Hit] = (),
    selected: int | None = None,
    height: int = 520,
    markable: bool = False,
    label: str = "Document text with chunks",
    first_number: int = 1,
    on_marked: Callable[[], None] = _do_nothing,
    on_selected: Callable[[], None] = _do_nothing,
) -> ComponentResult:
    """Show a text with its chunks.

    The result, and ``st.session_state[key]`` inside the callbacks, have two triggers, each ``None`` but in
    the run that it starts:

    - ``marked``: ``{"start", "end", "quote"}``, the passage that the user selected and marked. It comes from
      a browser: check it against the text before use.
    - ``selected``: ``{"chunk"}``, the index of the chunk that the user chose by click or key; -1 when the
      user unselected it.

    Args:
        text: The text, any length. A lone surrogate is shown as "?".
        starts, ends: The chunks as half-open ranges in code points, sorted by start. They may overlap, any
            number deep, and leave gaps.
        key: Streamlit's key, and the name of this viewer.
        version: A hash of text, starts and ends. The browser shows other content only when it changes.
        marks: Marked passages.
        hits: Retrieved chunks.
        selected: The chunk to show as selected; the viewer scrolls to it when this changes. ``None``, a
            negative index and one past the last chunk (which a new chunking may have left) select nothing.
        height: Greatest height of the text in pixels; a short text takes less, and a small screen gives less.
        markable: Whether the user can mark passages.
        label: Name of the viewer for screen readers.
        first_number: The number shown on chunk 0.
        on_marked, on_selected: Called before the rerun that a trigger starts.

    Raises:
        ValueError: If starts and ends are no sorted ranges in the text, a mark is no range in it, or a hit
            names no chunk.
    """
    first, last = _checked_spans(starts, ends, len(text))
    _check_marks(marks, len(text))
    _check_hits(hits, len(first))
    # No gap: the second mount shows nothing.
    with st.container(gap=None):
        result = _content_mount(
            key=key,
            data=_content(text, first, last, slot=key, version=version),
            on_marked_change=on_marked,
            on_selected_change=on_selected,
        )
        _view_mount(
            key=f"{key}_view",
            data={
                "slot": key,
                "version": version,
                "marks": [[int(mark.start), int(mark.end), mark.label] for mark in marks],
                "hits": [[int(hit.chunk), int(hit.rank), bool(hit.answers)] for hit in hits],
                "selected": int(selected) if selected is not None and 0 <= selected < len(first) else -1,
                "height": height,
                "markable": markable,
                "label": label,
                "first": first_number,
            },
        )
    return result


def _content(
    text: str, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], *, slot: str, version: str
) -> bytes:
    """Text and spans as bytes; payload.js says how they are laid out, and reads them."""
    header = json.dumps({"slot": slot, "version": version, "chunks": len(starts)}).encode()
    spans = np.concatenate([starts, ends]).astype("<i4").tobytes()
    return b"".join([struct.pack("<I", len(header)), header, spans, text.encode("utf-8", errors="replace")])


def _checked_spans(
    starts: npt.ArrayLike, ends: npt.ArrayLike, length: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    first = np.asarray(starts, dtype=np.int64)
    last = np.asarray(ends, dtype=np.int64)
    if first.ndim != 1 or first.shape != last.shape:
        raise ValueError(
            f"starts and ends must be two flat lists of one length, not of shapes {first.shape} and {last.shape}."
        )
    if not first.size:
        return first, last
    if first.min() < 0 or last.max() > length:
        raise ValueError(
            f"starts and ends must lie within the text's {length} characters, "
            f"but they run from {first.min()} to {last.max()}."
        )
    if np.any(first > last):
        chunk = int(np.argmax(first > last))
        raise ValueError(f"ends[{chunk}] is {last[chunk]}, but must not be below starts[{chunk}], {first[chunk]}.")
    if np.any(np.diff(first) < 0):
        chunk = int(np.argmax(np.diff(first) < 0)) + 1
        raise ValueError(f"starts must be sorted, but starts[{chunk}] is {first[chunk]} after {first[chunk - 1]}.")
    return first, last


def _check_marks(marks: Sequence[Mark], length: int) -> None:
    for mark in marks:
        if not 0 <= mark.start <= mark.end <= length:
            raise ValueError(
                f"marks must be ranges within the text's {length} characters, not {mark.start} to {mark.end}."
            )


def _check_hits(hits: Sequence[Hit], count: int) -> None:
    for hit in hits:
        if not 0 <= hit.chunk < count:
            raise ValueError(f"hits must name one of {count} chunks by index, not {hit.chunk}.")
