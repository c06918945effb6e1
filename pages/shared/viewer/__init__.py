"""The text viewer: a text with its chunks in colour, marked passages and retrieved chunks.

It is a Streamlit component (version 2) with inline JavaScript and CSS. Offsets that cross the border are
half-open ranges of code points, so that ``text[start:end]`` in Python is exactly what the user selected.

It mounts twice. The content (text, chunk spans, the code itself) is one message that Streamlit keeps by its
hash, so that a rerun with the same content sends a reference to it. The view (marks, hits, selected chunk)
is a small message of its own, handed to the content's mount in the browser. The text is only ever put into
the page as text, never as HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy.typing as npt
import streamlit as st

from pages.shared.viewer.comparison import Side, text_comparison
from pages.shared.viewer.edited import cuts_from_event
from pages.shared.viewer.mounts import content_mount, do_nothing, view_mount
from pages.shared.viewer.overlays import Hit, Mark, check_hits, check_marks
from pages.shared.viewer.payload import Facts, checked_spans, columns_of, packed

if TYPE_CHECKING:
    from streamlit.components.v2.bidi_component.state import ComponentResult

__all__ = ["Facts", "Hit", "Mark", "Side", "cuts_from_event", "text_comparison", "text_viewer"]


def text_viewer(
    text: str,
    starts: npt.ArrayLike,
    ends: npt.ArrayLike,
    *,
    key: str,
    version: str,
    facts: Facts | None = None,
    marks: Sequence[Mark] = (),
    hits: Sequence[Hit] = (),
    selected: int | None = None,
    height: int = 520,
    markable: bool = False,
    editable: bool = False,
    label: str = "Document text with chunks",
    first_number: int = 1,
    on_marked: Callable[[], None] = do_nothing,
    on_selected: Callable[[], None] = do_nothing,
    on_edited: Callable[[], None] = do_nothing,
) -> ComponentResult:
    """Show a text with its chunks.

    The chunk under the pointer stands out and a card says what it is; a click, a tap, J or K selects a chunk and
    pins its card. A strip beside the text shows all cuts, marks and hits, and scrolls.

    The result, and ``st.session_state[key]`` inside the callbacks, have three triggers, each ``None`` but in
    the run that it starts:

    - ``marked``: ``{"start", "end", "quote"}``, the passage that the user selected and marked. It comes from
      a browser: check it against the text before use.
    - ``selected``: ``{"chunk"}``, the index of the chunk that the user chose by click or key; -1 when the
      user unselected it.
    - ``edited``: ``{"cuts"}``, the boundaries as the user has them now: offsets inside the text, sorted. Sent after
      each change; ``cuts_from_event`` checks it. The viewer goes on showing the user's boundaries until the user
      leaves the mode, and then what Python has made of them.

    Args:
        text: The text, any length. A lone surrogate is shown as "?".
        starts, ends: The chunks as half-open ranges in code points, sorted by start. They may overlap, any
            number deep, and leave gaps.
        key: Streamlit's key, and the name of this viewer.
        version: A hash of text, starts and ends. The browser shows other content only when it, or a fact, changes.
        facts: What the card of each chunk says beyond its offsets.
        marks: Marked passages.
        hits: Retrieved chunks.
        selected: The chunk to show as selected; the viewer scrolls to it when this changes. ``None``, a
            negative index and one past the last chunk (which a new chunking may have left) select nothing.
        height: Greatest height of the text in pixels; a short text takes less, and a small screen gives less.
        markable: Whether the user can mark passages.
        editable: Whether the user can move, add and remove boundaries (see ``text_comparison`` for what is one). The
            chunks are then the parts between them: no gaps, no overlaps, no cut inside a displayed character.
        label: Name of the viewer for screen readers.
        first_number: The number shown on chunk 0.
        on_marked, on_selected, on_edited: Called before the rerun that a trigger starts.

    Raises:
        ValueError: If starts and ends are no sorted ranges in the text, a mark is no range in it, or a hit
            names no chunk, or a column of facts does not have one value for each chunk.
    """
    first, last = checked_spans(starts, ends, len(text))
    check_marks(marks, len(text))
    check_hits(hits, len(first))
    columns = columns_of(first, last, facts)
    version = f"{version}-{columns.digest}"
    # No gap: the second mount shows nothing.
    with st.container(gap=None):
        result = content_mount(
            key=key,
            data=packed(text, [columns], slot=key, version=version),
            on_marked_change=on_marked,
            on_selected_change=on_selected,
            on_edited_change=on_edited,
        )
        view_mount(
            key=f"{key}_view",
            data={
                "slot": key,
                "version": version,
                "marks": [[int(mark.start), int(mark.end), mark.label] for mark in marks],
                "hits": [[int(hit.chunk), int(hit.rank), bool(hit.answers)] for hit in hits],
                "selected": int(selected) if selected is not None and 0 <= selected < len(first) else -1,
                "height": height,
                "markable": markable,
                "editable": editable,
                "label": label,
                "first": first_number,
            },
        )
    return result
