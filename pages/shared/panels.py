"""Parts that several screens share: the document picker, the text with its chunks, and one chunk alone."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from pages.shared import choices, state
from pages.shared.figures import COLOURS
from pages.shared.plain import plain
from pages.shared.viewer import Facts, Hit, Mark, Side, cuts_from_event, text_comparison, text_viewer
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import Chunking
from ragchunk_core.types import Corpus, Document, Passage, Query
from ragchunk_core.units import UNITS


def documents_or_stop() -> Corpus:
    """The corpus on screen; an empty one is told about, with the way out, and ends the page."""
    corpus = state.corpus()
    if not any(document.text.strip() for document in corpus.documents):
        with st.container(border=True):
            st.subheader("No text yet")
            st.write(
                "These documents hold no text to cut. Open, drop or paste one on the **Documents** page, "
                "or look at the sample corpus."
            )
            with st.container(horizontal=True):
                st.page_link("pages/documents.py", label="Go to Documents")
                st.button("Show the sample corpus", on_click=state.show_corpus, args=("sample",))
        st.stop()
    return corpus


def document_picker(corpus: Corpus) -> int:
    """Choose the document that is shown; its index."""
    count = len(corpus.documents)
    place = choices.get("doc")
    place = min(place, count - 1) if isinstance(place, int) and place >= 0 else 0
    names = [document.name for document in corpus.documents]
    if count > 1:
        few = count <= 5 and sum(map(len, names)) <= 90
        shared = {
            "label_visibility": "collapsed",
            **choices.widget("doc", then=lambda: choices.put(selected=None), among=range(count)),
        }
        if few:
            st.segmented_control(
                "Document",
                range(count),
                required=True,
                default=place,
                format_func=lambda i: plain(names[i]),
                **shared,
            )
        else:
            st.selectbox("Document", range(count), place, format_func=names.__getitem__, **shared)
    return place


def version_of(chunking: Chunking) -> str:
    """Names text and spans, for the viewer."""
    digest = hashlib.blake2b(chunking.starts.tobytes(), digest_size=8)
    digest.update(chunking.ends.tobytes())
    return f"{chunking.document.id}-{digest.hexdigest()}"


def selected_chunk(chunking: Chunking) -> int | None:
    """The chunk that was clicked, unless the chunking has changed since."""
    chosen = st.session_state.get("selected")
    if chosen and chosen[0] == version_of(chunking) and 0 <= chosen[1] < len(chunking):
        return int(chosen[1])
    return None


def select_chunk(chunking: Chunking, index: int | None) -> None:
    """Choose a chunk, as a click on it does."""
    st.session_state["selected"] = None if index is None else (version_of(chunking), index)


def facts_of(chunking: Chunking) -> Facts:
    """What the card of each chunk says beyond its offsets."""
    begins = chunking.document.page_starts
    pages = np.maximum(1, np.searchsorted(begins, chunking.starts, side="right")) if begins else None
    return Facts(chunking.lengths, UNITS[chunking.unit].short, pages, chunking.paths or None)


def show_comparison(left: Chunking, right: Chunking, *, key: str, height: int = 520) -> None:
    """Two chunkings of one document side by side; a click chooses a chunk of the left one."""

    def on_selected() -> None:
        event = st.session_state[key].selected
        if event is not None and event["side"] == 0:
            select_chunk(left, event["chunk"] if event["chunk"] >= 0 else None)

    def side(chunking: Chunking) -> Side:
        name = chunking.chunker
        return Side(CHUNKERS[name].label, chunking.starts, chunking.ends, facts_of(chunking), COLOURS[name])

    text_comparison(
        left.document.text,
        side(left),
        side(right),
        key=key,
        version=f"{version_of(left)}-{version_of(right)}",
        height=height,
        label=f"{left.document.name}, two ways of cutting it",
        on_selected=on_selected,
    )


def show_text(
    chunking: Chunking,
    *,
    key: str,
    marks: Sequence[Mark] = (),
    hits: Sequence[Hit] = (),
    height: int = 520,
    on_passage: Callable[[Passage], None] | None = None,
    on_cuts: Callable[[Sequence[int]], None] | None = None,
) -> None:
    """The text with its chunks; ``on_passage`` gets what the user marks, ``on_cuts`` boundaries that were moved."""

    def on_selected() -> None:
        event = st.session_state[key].selected
        if event is not None:
            select_chunk(chunking, event["chunk"] if event["chunk"] >= 0 else None)

    def on_edited() -> None:
        event = st.session_state[key].edited
        if event is not None and on_cuts is not None:
            with contextlib.suppress(ValueError):  # from a browser: what is no list of cuts is no choice
                on_cuts(cuts_from_event(chunking.document.text, event))

    text_viewer(
        chunking.document.text,
        chunking.starts,
        chunking.ends,
        key=key,
        version=version_of(chunking),
        facts=facts_of(chunking),
        marks=marks,
        hits=hits,
        selected=selected_chunk(chunking),
        height=height,
        markable=on_passage is not None,
        editable=on_cuts is not None,
        on_edited=on_edited,
        label=f"{chunking.document.name} with its chunks",
        on_marked=_marked(chunking.document, key, on_passage),
        on_selected=on_selected,
    )


def show_document(
    document: Document, *, key: str, marks: Sequence[Mark], on_passage: Callable[[Passage], None] | None
) -> None:
    """The text of a document uncut; ``on_passage`` gets what the user marks."""
    text_viewer(
        document.text,
        (),
        (),
        key=key,
        version=document.id,
        marks=marks,
        height=560,
        markable=on_passage is not None,
        label=f"Text of {document.name}",
        on_marked=_marked(document, key, on_passage),
    )


def _marked(document: Document, key: str, on_passage: Callable[[Passage], None] | None) -> Callable[[], None]:
    def on_marked() -> None:
        event = st.session_state[key].marked
        passage = passage_from_event(document, event) if event is not None else None
        if passage is not None and on_passage is not None:
            on_passage(passage)

    return on_marked


def passage_from_event(document: Document, event: dict[str, object]) -> Passage | None:
    """The passage that the browser reports, or None when it is no range of the text as the server knows it."""
    start, end = event.get("start"), event.get("end")
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(document.text)):
        return None
    quote = event.get("quote")
    if isinstance(quote, str) and not document.text[start:end].startswith(quote[:50]):
        return None
    return Passage(document.id, start, end)


def marks_of(query: Query | None, document: Document) -> list[Mark]:
    """A query's passages in one document, as the viewer shows them."""
    if query is None:
        return []
    return [
        Mark(passage.start, passage.end, f"passage {number} of this query")
        for number, passage in enumerate(query.passages, start=1)
        if passage.document == document.id
    ]


def show_chunk(chunking: Chunking, index: int) -> None:
    """One chunk alone: its text, what is indexed in front of it, and where it stands."""
    chunk = chunking[index]
    unit = UNITS[chunking.unit]
    text = chunking.document.text
    first_byte = len(text[: chunk.start].encode("utf-8"))
    last_byte = first_byte + len(text[chunk.start : chunk.end].encode("utf-8"))
    shared = max(0, int(chunking.ends[:index].max(initial=0)) - chunk.start)
    with st.container(border=True):
        st.markdown(f"**Chunk {index + 1} of {len(chunking)}**")
        facts = [
            f"{int(chunking.lengths[index]):,} {unit.short}",
            f"code points {chunk.start:,}–{chunk.end:,}",
            f"bytes {first_byte:,}–{last_byte:,}",
            f"overlaps the chunk before by {shared:,} ch" if shared else "no overlap with the chunk before",
        ]
        if chunk.page:
            facts.append(f"page {chunk.page}")
        if not chunking.verbatim:
            facts.append("joined text, not a slice of the document")
        st.caption(" · ".join(facts))
        if chunk.path:
            st.text(" › ".join(chunk.path))
        if chunk.context:
            st.caption("Indexed in front of it:")
            st.code(chunk.context, language=None, wrap_lines=True)
        st.code(chunk.text, language=None, wrap_lines=True)
