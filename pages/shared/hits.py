"""The top k of one query under one chunker and method: as a list, and as marks on the text (R07)."""

from __future__ import annotations

import streamlit as st

from pages.shared import cached, panels
from pages.shared.results import Setup
from pages.shared.viewer import Hit
from ragchunk_core.types import Document


def _top(setup: Setup, chunker: str, method: str, query: int) -> list[tuple[int, int, float, bool]]:
    """Rank, chunk number, score, and whether it answers, for the top k."""
    ranked = setup.ranked(chunker, method)
    judgement = cached.judgements(
        setup.corpus.documents, setup.cuts[chunker], setup.corpus.queries, setup.theta
    )[query]  # fmt: skip
    answering = set(judgement.answering().tolist())
    pairs = zip(ranked.ids[query].tolist(), ranked.scores[query].tolist(), strict=True)
    return [(rank, number, score, number in answering) for rank, (number, score) in enumerate(pairs, 1) if rank <= setup.k]


def hits_in(setup: Setup, chunker: str, method: str, query: int, document: Document) -> list[Hit]:
    """The hits that lie in one document, for the viewer."""
    numbers = cached.pool(setup.corpus.documents, setup.cuts[chunker]).range_of(document.id)
    return [
        Hit(number - numbers.start, rank, answers)
        for rank, number, _, answers in _top(setup, chunker, method, query)
        if number in numbers
    ]


def hit_list(setup: Setup, chunker: str, method: str, query: int) -> None:
    """The top k, ticked where they answer; a click shows the chunk in the text."""
    pool = cached.pool(setup.corpus.documents, setup.cuts[chunker])
    top = _top(setup, chunker, method, query)
    if not top:
        st.info("Nothing was found: no chunk shares a word with this query.")
    for rank, number, score, answers in top:
        place, local = pool.place(number)
        chunking = pool.chunkings[place]
        chunk = chunking[local]
        with st.container(border=True, gap="xsmall"):
            left, right = st.columns([5, 1], vertical_alignment="center", wrap=False)
            where = " › ".join(chunk.path) or f"chunk {local + 1}"
            tick = "✓ answers" if answers else "does not answer"
            left.text(f"{rank}  {tick} · {setup.corpus.documents[place].name} · {where} · score {score:.4g}")
            right.button("Show", key=f"hit_{rank}", on_click=_show, args=(place, chunking, local), width="stretch")
            st.text(_short(chunk.text))


def _show(place: int, chunking: cached.Chunking, index: int) -> None:
    st.session_state["doc"] = place
    panels.select_chunk(chunking, index)


def _short(text: str, longest: int = 220) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
