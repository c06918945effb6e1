"""The session's state: corpora with undo, and the settings that the widgets hold.

A widget's session key is the setting's name in a link.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import streamlit as st

from pages.shared import choices
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.by_hand import BY_HAND, entry, with_entry
from ragchunk_core.chunkers.imported import IMPORTED, spans_entry
from ragchunk_core.chunkers.semantic import USUAL_AMOUNTS
from ragchunk_core.links import option_name
from ragchunk_core.options import checked, options_of
from ragchunk_core.samples import sample_corpus, structure_corpus, worked_example
from ragchunk_core.settings import Settings
from ragchunk_core.types import Corpus

CORPORA = {
    "sample": "Sample corpus",
    "worked-example": "Worked example",
    "structure": "Tables, code and records",
    "custom": "My documents",
}
_OURS = {"sample": sample_corpus, "worked-example": worked_example, "structure": structure_corpus}
DEFAULTS = Settings()
SLIDER_START, SLIDER_END = 10, 2_000
# What the settings' fields are called here; a widget's setting has its name in a link.
_FIELDS = {
    "size": "size", "unit": "unit", "overlap": "overlap", "overlap_percent": "ovpct", "on": "on", "chunker": "chunker",
    "k": "k", "theta": "theta", "analyzer": "an", "rrf_k": "rrfk", "method": "method", "emb": "emb",
    "doc": "doc", "q": "q",
}  # fmt: skip


Change = tuple[str, str, Corpus]
"""What was done, to which corpus, and that corpus on the other side of it."""


@dataclass
class Workspace:
    """One session's corpora; every change can be undone, and what was undone done again."""

    corpora: dict[str, Corpus]
    undo: list[Change] = field(default_factory=list)
    redo: list[Change] = field(default_factory=list)


def workspace() -> Workspace:
    """The session's corpora, made at its first run."""
    if "workspace" not in st.session_state:
        corpora = {name: untouched(name) for name in CORPORA}
        st.session_state["workspace"] = Workspace(corpora)
    made: Workspace = st.session_state["workspace"]
    return made


@cache
def untouched(name: str) -> Corpus:
    """A corpus as it is at first; the user's own is empty."""
    return _OURS[name]() if name in _OURS else Corpus()


def corpus_name() -> str:
    """Which corpus is on screen."""
    name = choices.get("corpus", DEFAULTS.corpus)
    return name if name in CORPORA else DEFAULTS.corpus


def corpus() -> Corpus:
    """The corpus on screen."""
    return workspace().corpora[corpus_name()]


def show_corpus(name: str) -> None:
    """Put another corpus on screen; one of ours that holds no text any more is as it was at first."""
    made = _OURS.get(name)
    if made and not any(document.text.strip() for document in workspace().corpora[name].documents):
        change(f"brought back the {CORPORA[name].lower()}", made(), name)
    choices.put(corpus=name, doc=0, q=0, selected=None)


def change(what: str, changed: Corpus, name: str | None = None) -> None:
    """Put a changed corpus in place of the old one, which *Undo* brings back. ``what`` says what was done."""
    space, name = workspace(), name or corpus_name()
    space.undo = [*space.undo[-19:], (what, name, space.corpora[name])]
    space.redo = []
    space.corpora[name] = changed


def undo() -> None:
    """Take the last change back."""
    space = workspace()
    _step(space, space.undo, space.redo)


def redo() -> None:
    """Do again what was undone last."""
    space = workspace()
    _step(space, space.redo, space.undo)


def _step(space: Workspace, back: list[Change], forth: list[Change]) -> None:
    if back:
        what, name, other = back.pop()
        forth.append((what, name, space.corpora[name]))
        space.corpora[name] = other


def chunker_options(chunker: str) -> tuple[Any, str | None]:
    """The options that the widgets hold for a chunker, and a sentence on what was refused (else None).

    Options that are out of bounds fall back to the defaults, all of that chunker's at once.
    """
    params, values = CHUNKERS[chunker].options, {}
    for name in options_of(params):
        value = choices.get(option_name(chunker, name))
        if value is not None:
            values[name] = _from_widget(getattr(params(), name), value)
    try:
        return checked(params, values, CHUNKERS[chunker].label), None
    except ValueError as error:
        return params(), f"{error} The usual options are used instead."


def _from_widget(default: Any, value: Any) -> Any:
    if not isinstance(default, tuple):
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    return tuple(parsed) if isinstance(parsed, list) else value


def to_widget(value: Any) -> Any:
    """How an option's value stands in its widget: lists as JSON."""
    return json.dumps(list(value), ensure_ascii=False) if isinstance(value, tuple) else value


def option_chosen(key: str) -> None:
    """What follows from a user's choice of a chunker's option: another threshold rule has another scale."""
    if key == option_name("semantic", "threshold"):
        choices.put(amt=USUAL_AMOUNTS[choices.get(key)])


def cut_by_hand(text: str, cuts: Sequence[int]) -> None:
    """Set the boundaries of one document by hand, and show them (V09)."""
    name = BY_HAND.name
    before = chunker_options(name)[0].cuts
    choices.put(**{option_name(name, "cuts"): to_widget(with_entry(before, entry(text, cuts)))})
    on = choices.get("on", list(DEFAULTS.on)) or []
    if name not in on:
        choices.put(on=[*on, name])
    if choices.get("chunker") != name:
        choices.put(chunker=name, selected=None)


def import_chunks(data: bytes, name: str) -> list[str]:
    """Place the chunks of a file on the documents on screen and show them (R13). What is to be told of them.

    Raises:
        ValueError: If the file cannot be read, or none of its chunks stands in the documents.
    """
    from ragchunk_core.imported import align, read_chunks

    documents = corpus().documents
    found = align(read_chunks(data, name), documents, name)
    if not found.aligned:
        raise ValueError(f"{name}: none of its {len(found.unplaced):,} chunks stands in the documents on screen.")
    spans = chunker_options(IMPORTED.name)[0].spans
    for place, document in enumerate(documents):
        own = [(one.place.start, one.place.end) for one in found.aligned if one.document == place]
        spans = with_entry(spans, spans_entry(document.text, own))  # none: the file has no chunk of that document
    on = choices.get("on", list(DEFAULTS.on)) or []
    choices.put(
        **{option_name(IMPORTED.name, "spans"): to_widget(spans)}, chunker=IMPORTED.name, selected=None,
        on=on if IMPORTED.name in on else [*on, IMPORTED.name],
    )  # fmt: skip
    return [
        f"{name}: {found.sentence()}",
        *(f"Row {row + 1:,} was moved: its offsets hold another text." for row in found.moved),
        *(f"Row {one.row + 1:,} was not placed: {one.reason}" for one in found.unplaced),
    ]


def settings() -> Settings:
    """Everything that a link or a project keeps, as it stands now."""
    options = {}
    for chunker in CHUNKERS.values():
        now, usual = chunker_options(chunker.name)[0], chunker.options()
        own = {name: getattr(now, name) for name in options_of(now) if getattr(now, name) != getattr(usual, name)}
        if own:
            options[chunker.name] = own
    values = {field: choices.get(key) for field, key in _FIELDS.items()}
    known = {field: value for field, value in values.items() if value is not None}
    if "on" in known:
        known["on"] = tuple(known["on"])
    return dataclasses.replace(DEFAULTS, **{**known, "corpus": corpus_name(), "options": options})


def apply(settings: Settings) -> None:
    """Set everything that a link, a preset or a project keeps; what it does not name is as at first."""
    show_corpus(settings.corpus)
    values = {key: getattr(settings, field) for field, key in _FIELDS.items()}
    choices.put(**{**values, "on": list(settings.on)}, size_slider=slider_size(settings.size))
    for chunker in CHUNKERS.values():
        usual, own = chunker.options(), settings.options.get(chunker.name, {})
        for option in options_of(usual):
            value = to_widget(own.get(option, getattr(usual, option)))
            choices.put(**{option_name(chunker.name, option): value})


def slider_size(size: int) -> int:
    """What the size slider shows, which ends before the largest sizes do."""
    return min(max(SLIDER_START, size), SLIDER_END)
