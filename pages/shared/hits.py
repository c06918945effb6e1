"""The top k of one query under one chunker and method: as a list, and as marks on the text (R07)."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached, choices, panels
from pages.shared.plain import plain
from pages.shared.results import Setup
from pages.shared.viewer import Hit
from ragchunk_core.chunking import Chunking
from ragchunk_core.types import Document


def _top(setup: Setup, chunker: str, method: str, query: int) -> list[tuple[int, int, float, bool]]:
    """Rank, chunk number, score, and whether it answers, for the top k."""
    ranked = setup.ranked(chunker, method)
    relevant = setup.judgements(chunker)[query].relevant
    pairs = zip(ranked.ids[query].tolist(), ranked.scores[query].tolist(), strict=True)
    return [
        (rank, number, score, bool(relevant[number]))
        for rank, (number, score) in enumerate(pairs, 1)
        if rank <= setup.k
    ]


def hits_in(setup: Setup, chunker: str, method: str, query: int, document: Document) -> list[Hit]:
    """The hits that lie in one document, for the viewer."""
    numbers = setup.pool(chunker).range_of(document.id)
    return [
        Hit(number - numbers.start, rank, answers)
        for rank, number, _, answers in _top(setup, chunker, method, query)
        if number in numbers
    ]


def answering_chunk(setup: Setup, chunker: str, method: str, query: int, document: Document) -> int | None:
    """The chunk of a document to look at first: the best ranked that answers, else one that holds a mark."""
    answering = [hit for hit in hits_in(setup, chunker, method, query, document) if hit.answers]
    if answering:
        return answering[0].chunk
    chunking = cached.chunking(document, setup.cuts[chunker])
    for passage in setup.corpus.queries[query].passages:
        if passage.document == document.id:
            touching = (chunking.starts < passage.end) & (chunking.ends > passage.start)
            return int(touching.argmax()) if touching.any() else None
    return None


def hit_list(setup: Setup, chunker: str, method: str, query: int) -> None:
    """The top k, ticked where they answer; a click shows the chunk in the text."""
    pool = setup.pool(chunker)
    top = _top(setup, chunker, method, query)
    if not top:
        st.info("Nothing was found: no chunk shares a word with this query.")
    for rank, number, score, answers in top:
        place, local = pool.place(number)
        chunking = pool.chunkings[place]
        chunk = chunking[local]
        with st.container(border=True, gap=None):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.badge(f"{rank} ✓" if answers else str(rank), color="green" if answers else "gray")
                st.text(f"{setup.corpus.documents[place].name} · {' › '.join(chunk.path[-2:]) or f'chunk {local + 1}'}")
                st.button(
                    "Show in text",
                    key=f"hit_{rank}",
                    type="tertiary",
                    on_click=_show,
                    args=(place, chunking, local),
                )
            st.caption(f"{'answers' if answers else 'does not answer'} · score {score:.4g}")
            st.text(_short(chunk.text))


def miss_list(setup: Setup, chunker: str, method: str, query: int) -> None:
    """Why each missed answer of one query was missed, with the chunk to look at."""
    for miss in setup.misses(chunker, method):
        if miss.query != query:
            continue
        with st.container(border=True, gap=None, key=f"miss_{miss.passage}"):
            st.markdown(f"**Missed: {plain(miss.cause.label.lower())}**", help=miss.cause.definition)
            st.text(miss.sentence)
            if miss.chunk is not None:
                pool = setup.pool(chunker)
                place, local = pool.place(miss.chunk)
                st.button(
                    "Show that chunk",
                    key=f"missed_{miss.passage}",
                    type="tertiary",
                    on_click=_show,
                    args=(place, pool.chunkings[place], local),
                )


def _show(place: int, chunking: Chunking, index: int) -> None:
    choices.put(doc=place)
    panels.select_chunk(chunking, index)


def _short(text: str, longest: int = 220) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
