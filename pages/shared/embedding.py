"""Vectors with a progress bar: computed before the cached results that need them, so that a stop loses nothing."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence

import streamlit as st

from pages.shared import choices, state
from pages.shared.plain import plain
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.embedders import DEFAULT_MODEL, is_ready
from ragchunk_core.types import Document

_SKELETON = 700  # about what the pages draw below


def chosen_model() -> str:
    """The embedding model's name or folder; the local one unless another was named."""
    return str(choices.get("model") or "").strip() or DEFAULT_MODEL


def embed_with_progress(
    texts: Sequence[str],
    what: str,
    stop: Callable[[], None] | None = None,
    height: int | None = None,
) -> None:
    """Compute the vectors of those texts that have none yet, showing how far it is and how long it takes.

    Vectors are kept batch by batch: a changed setting or a closed page stops the work and keeps what is done.

    Args:
        stop: What a *Stop* button beside the bar does, before the page runs anew; no button without it.
        height: Of the skeleton, in pixels, that holds the place of what comes after; none without it.

    Raises:
        ValueError: If the model cannot be loaded.
    """
    from ragchunk_core.embedders import load_embedder

    place, button, below = st.empty(), st.empty(), st.empty()
    started: list[float] = []

    def report(done: int, total: int) -> None:
        if not started and stop:
            button.button("Stop embedding", key=f"stop_embedding_{what}", on_click=stop)
        if not started and height:
            below.skeleton(height=height)
        started.append(time.monotonic())
        left = (started[-1] - started[0]) / max(1, done) * (total - done)
        first = "" if done else " (loading the model takes a few seconds)"
        said = f", about {left:,.0f} s left" if done and left >= 1 else first
        place.progress(done / total, f"Embedding {what}: {done:,} of {total:,}{said}")

    loaded = "torch" in sys.modules
    load_embedder(chosen_model()).encode(texts, progress=report)
    if not loaded and "torch" in sys.modules:
        # PyTorch's half a million objects are here to stay; a search for garbage among them stops a run for 0.3 s.
        gc.collect()
        gc.freeze()
    place.empty()
    button.empty()
    below.empty()


def ready_chunkers(documents: Sequence[Document], chunkers: Sequence[str]) -> list[str]:
    """The chunkers that can run, after computing the vectors that some of them need.

    A model that cannot be loaded is told about, and so is a stop; then the chunkers that need it are left out.
    """
    texts: list[str] = []
    waiting = []
    for name in chunkers:
        if embeds := CHUNKERS[name].embeds:
            waiting.append(CHUNKERS[name].label)
            options = state.chunker_options(name)[0]
            for document in documents:
                texts += embeds(document.text, options)
    if not waiting:
        return list(chunkers)
    without = [name for name in chunkers if not CHUNKERS[name].needs_vectors]
    try:
        if st.session_state.get("sentences_stopped") and not _are_known(texts):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f"Embedding was stopped: there are no {' and no '.join(waiting).lower()}.")
                st.button("Go on embedding", key="sentences_again", on_click=_stop_sentences, args=(False,))
            return without
        embed_with_progress(texts, "sentences", stop=lambda: _stop_sentences(True), height=_SKELETON)
    except ValueError as error:
        st.error(f"{plain(str(error))} Without it there are no {' and no '.join(waiting).lower()}.")
        return without
    return list(chunkers)


def _stop_sentences(stopped: bool) -> None:
    st.session_state["sentences_stopped"] = stopped


def _are_known(texts: Sequence[str]) -> bool:
    from ragchunk_core.embedders import load_embedder

    return is_ready(chosen_model()) and not load_embedder(chosen_model()).missing(texts)
