"""Settings of the retrieval methods that most people leave as they are."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared import choices, state
from pages.shared.embedding import chosen_model
from ragchunk_core.retrievers.analyzers import ANALYZERS


def search_widgets() -> None:
    """BM25's analyzer, the fusion constant, the embedding model, and embeddings on or off."""
    st.selectbox(
        "BM25 analyzer",
        list(ANALYZERS),
        format_func=lambda name: ANALYZERS[name].label,
        index=list(ANALYZERS).index(search_settings()["analyzer"]),
        **choices.widget("an"),
        help="\n\n".join(f"**{analyzer.label}**: {analyzer.help}" for analyzer in ANALYZERS.values()),
    )
    st.number_input("Rank fusion constant", 1, 1000, search_settings()["rrf_k"], **choices.widget("rrfk"))
    st.text_input(
        "Embedding model",
        value=str(choices.get("model") or ""),
        **choices.widget("model"),
        placeholder="all-MiniLM-L6-v2 (local)",
        help="Any sentence-transformers model, by name or folder. A name that is not on this machine is "
        "downloaded: that is the only case in which this app uses the network.",
    )
    st.toggle("Embeddings", embeddings_wanted(), help="Off: BM25 only.", **choices.widget("emb"))


def search_settings() -> dict[str, Any]:
    """What these widgets are set to, whether they are drawn or not."""
    analyzer = choices.get("an")
    return {
        "analyzer": analyzer if analyzer in ANALYZERS else state.DEFAULTS.analyzer,
        "rrf_k": int(choices.get("rrfk") or state.DEFAULTS.rrf_k),
        "model": chosen_model(),
    }


def embeddings_wanted() -> bool:
    """Whether methods that need vectors are shown."""
    return bool(choices.get("emb", True))
