"""The session's state: corpora with undo, and the settings that the widgets hold.

A widget's session key is the setting's name in a link.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import streamlit as st

from pages.shared import choices
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.by_hand import BY_HAND, entry, with_entry
from ragchunk_core.chunkers.semantic import USUAL_AMOUNTS
from ragchunk_core.links import option_name
from ragchunk_core.options import checked, options_of
from ragchunk_core.samples import sample_corpus, structure_corpus, worked_example
from ragchunk_core.settings import Settings
from ragchunk_core.types import Corpus, Document, Passage, Query

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


def add_documents(documents: Iterable[Document]) -> list[str]:
    """Add to the user's own corpus and show it; a text that is there already is left out and named."""
    own = workspace().corpora["custom"]
    known, new, notices = {d.id for d in own.documents}, [], []
    for document in documents:
        if document.id in known:
            notices.append(f"{document.name} is already there: the same text is kept once.")
            continue
        known.add(document.id)
        new.append(document)
    if new:
        names = ", ".join(d.name for d in new)
        change(f"added {names}", dataclasses.replace(own, documents=(*own.documents, *new)), "custom")
        choices.put(corpus="custom", doc=len(own.documents), q=0, selected=None)
    return notices


def remove_document(index: int) -> None:
    """Remove a document and the passages marked in it."""
    now = corpus()
    gone = now.documents[index]
    kept = tuple(d for i, d in enumerate(now.documents) if i != index)
    queries = tuple(
        dataclasses.replace(q, passages=tuple(p for p in q.passages if p.document != gone.id)) for q in now.queries
    )
    change(f"removed {gone.name}", Corpus(kept, queries))


def replace_document(index: int, made: Document) -> int:
    """Put what a file gives when it is read anew in the place of a document; how many marks were lost.

    A mark moves to where its words stand now, if they stand there once.
    """
    now, lost = corpus(), 0
    old = now.documents[index]
    made = dataclasses.replace(made, name=old.name)

    def moved(passage: Passage) -> Passage | None:
        words = old.text[passage.start : passage.end]
        place = made.text.find(words)
        if place < 0 or made.text.find(words, place + 1) >= 0:
            return None
        return Passage(made.id, place, place + len(words))

    queries = []
    for query in now.queries:
        passages = [moved(one) if one.document == old.id else one for one in query.passages]
        lost += passages.count(None)
        queries.append(dataclasses.replace(query, passages=tuple(filter(None, passages))))
    documents = tuple(made if place == index else document for place, document in enumerate(now.documents))
    change(f"read {old.name} again", Corpus(documents, tuple(queries)))
    choices.put(selected=None)
    return lost


def rename_document(index: int, name: str) -> None:
    """Give a document another name; its text and marks stay."""
    now = corpus()
    if name.strip() and name != now.documents[index].name:
        renamed = dataclasses.replace(now.documents[index], name=name.strip())
        documents = tuple(renamed if i == index else d for i, d in enumerate(now.documents))
        change(f"renamed {now.documents[index].name}", dataclasses.replace(now, documents=documents))


def move_document(index: int, by: int) -> None:
    """Move a document up (-1) or down (1)."""
    documents = list(corpus().documents)
    other = index + by
    if 0 <= other < len(documents):
        documents[index], documents[other] = documents[other], documents[index]
        change(f"moved {documents[other].name}", dataclasses.replace(corpus(), documents=tuple(documents)))
        choices.put(doc=other)


def add_query(text: str) -> str | None:
    """Ask a new question of the corpus; the sentence that refuses it, or None."""
    if not any(character.isalnum() for character in text):
        return "The query has no words; write a question with at least one."
    now = corpus()
    change(
        f"added the query “{_short(text)}”",
        dataclasses.replace(now, queries=(*now.queries, Query(text.strip()))),
    )
    choices.put(q=len(now.queries))
    return None


def choose_query(index: int) -> None:
    """Put a query on screen, with the document of its first answer."""
    st.session_state["to_answer"] = True
    choices.put(q=index, selected=None)
    now = corpus()
    passages = now.queries[index].passages
    for place, document in enumerate(now.documents):
        if passages and document.id == passages[0].document:
            choices.put(doc=place)


def remove_query(index: int) -> None:
    """Remove a query with its marks."""
    now = corpus()
    queries = tuple(q for i, q in enumerate(now.queries) if i != index)
    change(f"removed the query “{_short(now.queries[index].text)}”", dataclasses.replace(now, queries=queries))


def edit_query(index: int, text: str) -> str | None:
    """Change a query's words; its marks stay. The sentence that refuses it, or None."""
    if not any(character.isalnum() for character in text):
        return "The query has no words; write a question with at least one."
    if text.strip() != corpus().queries[index].text:
        _replace_query(index, dataclasses.replace(corpus().queries[index], text=text.strip()), "changed")
    return None


def mark(index: int, passage: Passage) -> None:
    """Mark a passage as an answer of a query; the same one twice is one."""
    query = corpus().queries[index]
    if passage not in query.passages:
        _replace_query(index, dataclasses.replace(query, passages=(*query.passages, passage)), "marked a passage of")


def adjust(index: int, before: Passage, after: Passage) -> None:
    """Put another range in the place of one mark of a query."""
    query = corpus().queries[index]
    if before in query.passages and after not in query.passages:
        passages = tuple(after if passage == before else passage for passage in query.passages)
        _replace_query(index, dataclasses.replace(query, passages=passages), "adjusted a passage of")


def unmark(index: int, passage: Passage) -> None:
    """Take one mark of a query away."""
    query = corpus().queries[index]
    kept = tuple(p for p in query.passages if p != passage)
    _replace_query(index, dataclasses.replace(query, passages=kept), "unmarked a passage of")


def _replace_query(index: int, query: Query, what: str) -> None:
    now = corpus()
    queries = tuple(query if i == index else q for i, q in enumerate(now.queries))
    change(f"{what} the query “{_short(query.text)}”", dataclasses.replace(now, queries=queries))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


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
