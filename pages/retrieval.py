"""Retrieval: which cut brings the answers back, under keyword search, embeddings and both."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import cached, panels, queries, sidebar, state
from pages.shared.embedding import warm_semantic
from pages.shared.figures import metric_bars, recall_against_context
from pages.shared.hits import hit_list, hits_in
from pages.shared.results import Setup, needs_vectors
from pages.shared.tables import metric_table, rank_table
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.retrievers import METHODS
from ragchunk_core.units import UNITS

ALL = ("bm25", "emb", "hybrid")
LABELS = {name: method.label for name, method in METHODS.items()}
THETAS = {0.0: "any of it", 0.5: "half", 1.0: "all of it"}

corpus = panels.documents_or_stop()
with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
    method = st.segmented_control(
        "Method", ["all", *METHODS], default="all", required=True, key="method", persist_state="session",
        format_func=lambda name: LABELS.get(name, "All"),
        help="\n\n".join(f"**{m.label}**: {m.help}" for m in METHODS.values()),
    )  # fmt: skip
    theta = st.segmented_control(
        "A chunk answers when it covers", list(THETAS), default=0.5, required=True, key="theta",
        format_func=THETAS.__getitem__, persist_state="session",
        help="Share of a marked passage's characters that one chunk must cover.",
    )  # fmt: skip
    k = st.slider("Top k", 1, 20, state.DEFAULTS.k, key="k", persist_state="session", width=220)
    with st.popover("More"):
        analyzer = st.selectbox(
            "BM25 analyzer", ["english", "standard"], key="an", persist_state="session",
            help="english: stop words, possessives and Porter stemming; standard: lower case only.",
        )  # fmt: skip
        rrf_k = st.number_input("Rank fusion constant", 1, 1000, state.DEFAULTS.rrf_k, key="rrfk", persist_state="session")
        with_vectors = st.toggle("Embeddings", True, key="emb", persist_state="session", help="Off: BM25 only.")

queries.ask_form()
if not corpus.queries:
    st.info("No query yet: write a question above, then select its answer in the text and press **Mark selection relevant**.")
names = sidebar.chosen_chunkers()
warm_semantic(corpus.documents, names)
setup = Setup(corpus, {name: sidebar.cut_of(name) for name in names}, k, theta, analyzer, int(rrf_k))
judged = sum(1 for query in corpus.queries if query.passages)
unit = UNITS[sidebar.sizes()[2]].short
methods = [name for name in (ALL if method == "all" else (method,)) if with_vectors or not METHODS[name].needs_vectors]
methods = methods or ["bm25"]

try:
    slot = st.empty()
    if needs_vectors(methods):
        with slot.container():
            quick = [name for name in methods if not METHODS[name].needs_vectors]
            if quick and judged:
                metric_table(setup.rows(quick), k, unit, LABELS, judged, key="quick")
            setup.embed()
    with slot.container():
        if judged:
            rows = setup.rows(methods)
            left, right = st.columns([6, 5], gap="medium")
            with left:
                metric_table(rows, k, unit, LABELS, judged, key="metrics")
                st.caption(f"Means over {judged} judged queries; the best recall of each method is green.")
            with right:
                bars, curve = st.tabs(["Recall against context", "Metrics"])
                shared = {"config": {"displaylogo": False}}
                bars.plotly_chart(
                    recall_against_context(setup.curves(methods), k, unit, LABELS), key="curves",
                    alt="Mean recall over mean context for k from 1, one line a chunker and method.", **shared,
                )  # fmt: skip
                curve.plotly_chart(
                    metric_bars(rows, k, unit, LABELS), key="bars",
                    alt="Recall, MRR, context and precision of each chunker by method.", **shared,
                )  # fmt: skip
except ValueError as error:
    st.error(str(error))
    st.stop()

index = queries.chosen_query(corpus)
if index is None:
    document = corpus.documents[panels.document_picker(corpus)]
    panels.show_text(cached.chunking(document, setup.cuts[names[0]]), key="retrieval_text")
    st.stop()

detail = methods[-1] if method == "all" else methods[0]
st.subheader("Query by query", help="Rank of the first chunk that answers; in brackets: beyond the top k; –: not found.")
if judged:
    rank_table(corpus, setup, detail, index)
with st.container(horizontal=True, vertical_alignment="bottom"):
    index = queries.query_picker(corpus)
    st.selectbox(
        "Chunker", names, key="chunker", format_func=lambda name: CHUNKERS[name].label, persist_state="session", width=240
    )
    queries.edit_popover(corpus.queries[index], index)
    queries.undo_button()
shown = st.session_state["chunker"]
left, right = st.columns([7, 5], gap="medium")
with right:
    st.markdown(f"**Top {k} of {CHUNKERS[shown].label} under {LABELS[detail]}**")
    hit_list(setup, shown, detail, index)
with left:
    document = corpus.documents[panels.document_picker(corpus)]
    chunking = cached.chunking(document, setup.cuts[shown])
    panels.show_text(
        chunking, key="retrieval_text", marks=panels.marks_of(corpus.queries[index], document),
        hits=hits_in(setup, shown, detail, index, document), on_passage=queries.marker(index),
    )  # fmt: skip
queries.passages_panel(corpus, index)
