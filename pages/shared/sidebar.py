"""The sidebar: the settings that all screens share."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared import state
from pages.shared.cached import Cut
from pages.shared.embedding import chosen_model
from pages.shared.figures import DOTS
from pages.shared.plain import plain
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import resolve_overlap
from ragchunk_core.options import Option, options_of
from ragchunk_core.settings import PRESETS
from ragchunk_core.units import UNITS

LARGEST_SIZE = 100_000
SLIDER_END = 2_000


def draw(page: str) -> None:
    """Draw the settings. ``page`` names the screen, which may show some chunker's options itself."""
    st.selectbox(
        "Preset",
        list(PRESETS),
        index=None,
        format_func=lambda name: PRESETS[name].label,
        placeholder="Start from a preset …",
        key="preset",
        on_change=_preset_chosen,
        help="Sets everything below, and the documents. "
        + " ".join(f"**{p.label}**: {p.help}" for p in PRESETS.values()),
    )
    st.selectbox(
        "Documents",
        list(state.CORPORA),
        format_func=state.CORPORA.__getitem__,
        key="corpus",
        persist_state="session",
        on_change=lambda: state.show_corpus(st.session_state["corpus"]),
    )
    _size_and_overlap()
    st.pills(
        "Chunkers",
        list(CHUNKERS),
        selection_mode="multi",
        default=list(state.DEFAULTS.on),
        format_func=lambda name: f"{DOTS[name]} {CHUNKERS[name].label}",
        key="on",
        persist_state="session",
        help="What to compare. " + " ".join(f"**{c.label}**: {c.help}" for c in CHUNKERS.values()),
    )
    for name in chosen_chunkers():
        if options_of(CHUNKERS[name].options) and not (page == "distances" and name == "semantic"):
            label = f"{DOTS[name]} {CHUNKERS[name].label}: options"
            # Drawn only while open: a widget costs the server about a millisecond each run.
            with st.popover(label, width="stretch", key=f"options_{name}", on_change="rerun") as panel:
                if panel.open:
                    option_widgets(name)
        refused = state.chunker_options(name)[1]
        if refused:
            st.warning(plain(refused))


def _preset_chosen() -> None:
    if st.session_state["preset"]:
        state.apply_preset(st.session_state["preset"])
        st.session_state["size_slider"] = min(st.session_state["size"], SLIDER_END)


def _size_and_overlap() -> None:
    defaults = state.DEFAULTS
    st.session_state.setdefault("size_slider", min(st.session_state.get("size", defaults.size), SLIDER_END))
    left, right = st.columns([1, 1], vertical_alignment="bottom", gap="small")
    left.slider(
        "Chunk size", 10, SLIDER_END, step=10, key="size_slider", persist_state="session",
        on_change=lambda: st.session_state.update(size=st.session_state["size_slider"]),
    )  # fmt: skip
    right.number_input(
        "Exact size", 1, LARGEST_SIZE, defaults.size, 10,
        key="size", persist_state="session", label_visibility="collapsed",
        on_change=lambda: st.session_state.update(size_slider=min(max(10, st.session_state["size"]), SLIDER_END)),
    )  # fmt: skip
    st.selectbox(
        "Measured in",
        list(UNITS),
        format_func=lambda name: UNITS[name].label,
        key="unit",
        persist_state="session",
        help="\n\n".join(f"**{unit.label}**: {unit.help}" for unit in UNITS.values()),
    )
    left, right = st.columns([6, 5], vertical_alignment="bottom", wrap=False)
    left.number_input(
        "Overlap", 0, LARGEST_SIZE - 1, defaults.overlap, 5, key="overlap", persist_state="session",
        help="Length that a chunk shares with the one before it; smaller than the size.",
    )  # fmt: skip
    right.toggle(
        "in %",
        key="ovpct",
        persist_state="session",
        help="The overlap is a percentage of the size, rounded down.",
    )
    notice = sizes()[3]
    if notice:
        st.warning(notice)


def sizes() -> tuple[int, int, str, str | None]:
    """Size and overlap in units, the unit, and a sentence when the overlap had to be clamped."""
    session, defaults = st.session_state, state.DEFAULTS
    size = min(max(1, int(session.get("size") or defaults.size)), LARGEST_SIZE)
    unit = str(session["unit"]) if session.get("unit") in UNITS else defaults.unit
    asked = session.get("overlap")
    asked = defaults.overlap if asked is None else int(asked)
    percent = bool(session.get("ovpct", defaults.overlap_percent))
    try:
        return size, resolve_overlap(size, f"{asked}%" if percent else asked), unit, None
    except ValueError:
        said = f"{asked} %" if percent else f"{asked:,}"
        clamped = f"The overlap of {said} is not smaller than the size of {size:,}: {size - 1:,} is used."
        return size, size - 1, unit, clamped


def chosen_chunkers() -> list[str]:
    """The chunkers to compare, in registry order; the recursive one when none is chosen."""
    on = st.session_state.get("on", list(state.DEFAULTS.on)) or []
    return [name for name in CHUNKERS if name in on] or ["recursive"]


def shown_chunker(names: list[str]) -> str:
    """The chunker on screen: the one chosen, else the recursive one, else the first."""
    if st.session_state.get("chunker") not in names:
        st.session_state["chunker"] = state.DEFAULTS.chunker if state.DEFAULTS.chunker in names else names[0]
    return str(st.session_state["chunker"])


def chunker_picker(names: list[str]) -> None:
    """Choose the chunker on screen; a click in a table does the same."""
    st.session_state["chunker_widget"] = shown_chunker(names)
    st.selectbox(
        "Chunker",
        names,
        format_func=lambda name: CHUNKERS[name].label,
        key="chunker_widget",
        on_change=lambda: st.session_state.update(chunker=st.session_state["chunker_widget"], selected=None),
        label_visibility="collapsed",
        width=200,
    )


def cut_of(chunker: str) -> Cut:
    """A chunker with the settings on screen."""
    size, overlap, unit, _ = sizes()
    return Cut.of(chunker, size, overlap, unit, state.chunker_options(chunker)[0], chosen_model())


def option_widgets(chunker: str, *, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> None:
    """One widget for each option of a chunker, made from its description."""
    params = CHUNKERS[chunker].options
    for name, rule in options_of(params).items():
        if name not in without and (not only or name in only):
            _widget(state.option_key(chunker, name), rule, getattr(params(), name))


def _widget(key: str, rule: Option, default: Any) -> None:
    shared: dict[str, Any] = {"key": key, "help": rule.help, "persist_state": "session"}
    if rule.choices:
        choices = list(rule.choices)
        st.selectbox(rule.label, choices, choices.index(default), rule.choices.__getitem__, **shared)
    elif isinstance(default, bool):
        st.toggle(rule.label, default, **shared)
    elif isinstance(default, tuple):
        st.text_input(rule.label, state.to_widget(default), **shared)
    else:
        kind = type(default)
        bounds = [None if bound is None else kind(bound) for bound in (rule.minimum, rule.maximum)]
        st.number_input(rule.label, bounds[0], bounds[1], default, kind(rule.step or 1), **shared)
