"""Vectors with a progress bar: computed before the cached results that need them, so that a stop loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import streamlit as st

from pages.shared import state
from ragchunk_core.chunkers.semantic import grouped_sentences
from ragchunk_core.types import Document


def embed_with_progress(texts: Sequence[str], what: str) -> None:
    """Compute the vectors of those texts that have none yet, showing how far it is and how long it takes.

    Vectors are kept batch by batch: a changed setting or a closed page stops the work and keeps what is done.
    """
    from ragchunk_core.embedders import load_embedder

    embedder = load_embedder()
    missing = embedder.missing(texts)
    if not missing:
        return
    bar = st.progress(0.0, f"Loading the embedding model for {len(missing):,} {what} …")
    embedder.encode(missing, progress=_reporter(bar, what))
    bar.empty()


def _reporter(bar: st.delta_generator.DeltaGenerator, what: str) -> Callable[[int, int], None]:
    started = time.monotonic()

    def report(done: int, total: int) -> None:
        left = (time.monotonic() - started) / max(1, done) * (total - done)
        said = f", about {left:,.0f} s left" if done and left >= 1 else ""
        bar.progress(min(1.0, done / max(1, total)), f"Embedding {what}: {done:,} of {total:,}{said}")

    return report


def warm_semantic(documents: Sequence[Document], chunkers: Sequence[str]) -> None:
    """The sentence vectors that the semantic chunker needs, when it is among ``chunkers``."""
    if "semantic" not in chunkers:
        return
    options = state.chunker_options("semantic")[0]
    texts = [text for document in documents for text in grouped_sentences(document.text, options.buffer, options.rule)[1]]
    embed_with_progress(texts, "sentences")


