"""The sidebar: the settings that all screens share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.shared import choices, state
from pages.shared.cached import Cut
from pages.shared.embedding import chosen_model
from pages.shared.figures import DOTS
from pages.shared.plain import plain
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.imported import IMPORTED
from ragchunk_core.chunking import resolve_overlap
from ragchunk_core.links import LARGEST_SIZE, option_name
from ragchunk_core.options import Option, options_of
from ragchunk_core.settings import PRESETS
from ragchunk_core.units import UNITS


def draw(page: str, titles: Mapping[str, str]) -> None:
    """Draw the settings.

    Args:
        page: Names the screen, which may show some chunker's options itself.
        titles: What each screen is called.
    """
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
    preset = PRESETS.get(st.session_state.get("preset") or "")
    if preset and preset.page != page:
        st.page_link(f"pages/{preset.page}.py", label=f"Best seen on {titles[preset.page]} →")
    st.selectbox(
        "Documents",
        list(state.CORPORA),
        format_func=state.CORPORA.__getitem__,
        index=list(state.CORPORA).index(state.corpus_name()),
        **choices.widget("corpus", then=lambda: state.show_corpus(state.corpus_name())),
    )
    _size_and_overlap()
    st.pills(
        "Chunkers",
        offered(),
        selection_mode="multi",
        default=choices.get("on", list(state.DEFAULTS.on)),
        format_func=lambda name: f"{DOTS[name]} {CHUNKERS[name].label}",
        **choices.widget("on"),
        help="What to compare. " + " ".join(f"**{c.label}**: {c.help}" for c in CHUNKERS.values()),
    )
    if not choices.get("on", True):
        st.caption(f"None is chosen: {CHUNKERS[state.DEFAULTS.chunker].label} is shown.")
    st.caption("Options of")
    with st.container(horizontal=True, gap="xsmall"):
        for name in chosen_chunkers():
            if name == IMPORTED.name:
                continue  # its spans come from a file
            if options_of(CHUNKERS[name].options) and not (page == "distances" and name == "semantic"):
                # Drawn only while open: a widget costs the server about a millisecond each run.
                label = f"{DOTS[name]} {CHUNKERS[name].label}"
                with st.popover(label, width="content", key=f"options_{name}", on_change="rerun") as panel:
                    if panel.open:
                        option_widgets(name)
    for name in chosen_chunkers():
        refused = state.chunker_options(name)[1]
        if refused:
            st.warning(plain(refused))


def _preset_chosen() -> None:
    if st.session_state["preset"]:
        state.apply(PRESETS[st.session_state["preset"]].settings)


def _size_and_overlap() -> None:
    size, _, unit, notice = sizes()
    left, right = st.columns([1, 1], vertical_alignment="bottom", gap="small")
    left.slider(
        "Chunk size",
        state.SLIDER_START,
        state.SLIDER_END,
        choices.get("size_slider", state.slider_size(size)),
        step=10,
        **choices.widget("size_slider", then=lambda: choices.put(size=choices.get("size_slider"))),
    )
    right.number_input(
        "Exact size",
        1,
        LARGEST_SIZE,
        size,
        10,
        label_visibility="collapsed",
        **choices.widget("size", then=lambda: choices.put(size_slider=state.slider_size(sizes()[0]))),
    )
    st.selectbox(
        "Measured in",
        list(UNITS),
        list(UNITS).index(unit),
        format_func=lambda name: UNITS[name].label,
        help="\n\n".join(f"**{one.label}**: {one.help}" for one in UNITS.values()),
        **choices.widget("unit"),
    )
    left, right = st.columns([6, 5], vertical_alignment="bottom", wrap=False)
    left.number_input(
        "Overlap",
        0,
        LARGEST_SIZE - 1,
        _asked_overlap(),
        5,
        help="Length that a chunk shares with the one before it; smaller than the size.",
        **choices.widget("overlap"),
    )
    right.toggle(
        "in %",
        bool(choices.get("ovpct", state.DEFAULTS.overlap_percent)),
        help="The overlap is a percentage of the size, rounded down.",
        **choices.widget("ovpct"),
    )
    if notice:
        st.warning(notice)


def _asked_overlap() -> int:
    asked = choices.get("overlap")
    return state.DEFAULTS.overlap if asked is None else int(asked)


def sizes() -> tuple[int, int, str, str | None]:
    """Size and overlap in units, the unit, and a sentence when the overlap had to be clamped."""
    defaults = state.DEFAULTS
    size = min(max(1, int(choices.get("size") or defaults.size)), LARGEST_SIZE)
    unit = str(choices.get("unit")) if choices.get("unit") in UNITS else defaults.unit
    asked, percent = _asked_overlap(), bool(choices.get("ovpct", defaults.overlap_percent))
    try:
        return size, resolve_overlap(size, f"{asked}%" if percent else asked), unit, None
    except ValueError:
        said = f"{asked} %" if percent else f"{asked:,}"
        clamped = f"The overlap of {said} is not smaller than the size of {size:,}: {size - 1:,} is used."
        return size, size - 1, unit, clamped


def offered() -> list[str]:
    """The chunkers to choose from; imported chunks only where there are some."""
    imported = state.chunker_options(IMPORTED.name)[0].spans
    return [name for name in CHUNKERS if name != IMPORTED.name or imported]


def chosen_chunkers() -> list[str]:
    """The chunkers to compare, in registry order; the recursive one when none is chosen."""
    on = choices.get("on", list(state.DEFAULTS.on)) or []
    return [name for name in offered() if name in on] or ["recursive"]


def shown_chunker(names: list[str]) -> str:
    """The chunker on screen: the one chosen, else the recursive one, else the first."""
    usual = state.DEFAULTS.chunker if state.DEFAULTS.chunker in names else names[0]
    return str(choices.get("chunker")) if choices.get("chunker") in names else usual


def chunker_picker(names: list[str]) -> None:
    """Choose the chunker on screen; a click in a table does the same."""
    st.selectbox(
        "Chunker",
        names,
        names.index(shown_chunker(names)),
        format_func=lambda name: CHUNKERS[name].label,
        label_visibility="collapsed",
        width=200,
        **choices.widget("chunker", then=lambda: choices.put(selected=None), among=names),
    )


def other_picker(names: list[str]) -> str | None:
    """Choose a chunker to compare the one on screen with, in the text; None for none."""
    now = choices.get("compare") if choices.get("compare") in names else None
    st.selectbox(
        "Compare with",
        names,
        None if now is None else names.index(now),
        format_func=lambda name: CHUNKERS[name].label,
        placeholder="Compare with …",
        label_visibility="collapsed",
        width=200,
        **choices.widget("compare", among=[None, *names]),
    )
    return now


def cut_of(chunker: str) -> Cut:
    """A chunker with the settings on screen."""
    size, overlap, unit, _ = sizes()
    return Cut.of(chunker, size, overlap, unit, state.chunker_options(chunker)[0], chosen_model())


def option_widgets(chunker: str, *, only: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> None:
    """One widget for each option of a chunker, made from its description."""
    params = CHUNKERS[chunker].options
    for name, rule in options_of(params).items():
        if name not in without and (not only or name in only):
            _widget(option_name(chunker, name), rule, getattr(params(), name))


def _widget(key: str, rule: Option, default: Any) -> None:
    value = choices.get(key)
    value = state.to_widget(default) if value is None else value
    shared = {"help": rule.help, **choices.widget(key, then=lambda: state.option_chosen(key))}
    if rule.choices:
        allowed = list(rule.choices)
        place = allowed.index(value if value in allowed else default)
        st.selectbox(rule.label, allowed, place, rule.choices.__getitem__, **shared)
    elif isinstance(default, bool):
        st.toggle(rule.label, bool(value), **shared)
    elif isinstance(default, tuple):
        st.text_input(rule.label, value, **shared)
    else:
        kind = type(default)
        bounds = [None if bound is None else kind(bound) for bound in (rule.minimum, rule.maximum)]
        st.number_input(rule.label, bounds[0], bounds[1], kind(value), kind(rule.step or 1), **shared)
