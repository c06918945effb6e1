"""Two chunkings of one text side by side. See the package for how its components work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy.typing as npt
import streamlit as st

from pages.shared.viewer.mounts import comparison_mount, do_nothing, view_mount
from pages.shared.viewer.overlays import Mark, check_marks
from pages.shared.viewer.payload import Facts, checked_spans, columns_of, packed

if TYPE_CHECKING:
    from streamlit.components.v2.bidi_component.state import ComponentResult


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of two chunkings that are compared.

    Attributes:
        name: What the chunking is called, such as its chunker's label.
        starts, ends: As for ``text_viewer``.
        facts: As for ``text_viewer``.
        colour: Any CSS colour, for the boundaries that only this side has; the theme's primary colour when empty.
    """

    name: str
    starts: npt.ArrayLike
    ends: npt.ArrayLike
    facts: Facts | None = None
    colour: str = ""


def text_comparison(
    text: str,
    left: Side,
    right: Side,
    *,
    key: str,
    version: str,
    marks: Sequence[Mark] = (),
    height: int = 520,
    label: str = "Two chunkings of one text",
    on_selected: Callable[[], None] = do_nothing,
) -> ComponentResult:
    """Show two chunkings of a text side by side (one above the other where there is little room), scrolled together.

    Only what differs stands out. A boundary is a place inside the text where a chunk starts, or where one ends
    before text, other than white space, that is in no chunk. Boundaries of both sides are quiet and those of one side
    strong, and a line counts them; a chunk that both sides have, from start to end, has no colour.

    The result, and ``st.session_state[key]`` inside the callback, have the trigger ``selected``: ``{"side", "chunk"}``,
    the chunk that the user chose by click or key, with side 0 for left and 1 for right; chunk -1 when the user
    unselected it. It is ``None`` but in the run that it starts.

    Args:
        text: The text, any length.
        left, right: The chunkings.
        key: Streamlit's key, and the name of this viewer.
        version: A hash of text and both chunkings' starts and ends.
        marks: Marked passages, shown on both sides.
        height: Greatest height of each text in pixels; about half where one stands above the other.
        label: Name of the viewer for screen readers.
        on_selected: Called before the rerun that the trigger starts.

    Raises:
        ValueError: As ``text_viewer`` does.
    """
    check_marks(marks, len(text))
    columns = [columns_of(*checked_spans(side.starts, side.ends, len(text)), side.facts) for side in (left, right)]
    version = "-".join([version, *(each.digest for each in columns)])
    with st.container(gap=None):
        result = comparison_mount(
            key=key,
            data=packed(text, columns, slot=key, version=version),
            on_selected_change=on_selected,
        )
        view_mount(
            key=f"{key}_view",
            data={
                "slot": key,
                "version": version,
                "marks": [[int(mark.start), int(mark.end), mark.label] for mark in marks],
                "hits": [],
                "height": height,
                "label": label,
                "first": 1,
                "sides": [{"name": side.name, "colour": side.colour} for side in (left, right)],
            },
        )
    return result
