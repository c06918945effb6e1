"""Retrieval: which cut brings the answers back, under keyword search, embeddings and both."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import cached, choices, panels, queries, sidebar, state
from pages.shared.closer import closer_look
from pages.shared.embedding import ready_chunkers
from pages.shared.hits import answering_chunk, hit_list, hits_in, miss_list
from pages.shared.metrics_panel import metrics_panel
from pages.shared.plain import plain
from pages.shared.results import Setup, needs_vectors
from pages.shared.search import embeddings_wanted, search_settings, search_widgets
from pages.shared.tables import losses_sentence, rank_table
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.retrievers import METHODS

ALL = ("bm25", "emb", "hybrid")
THETAS = {0.0: "any", 0.5: "half", 1.0: "all"}

corpus = panels.documents_or_stop()
with st.container(horizontal=True, vertical_alignment="bottom", key="controls"):
    method = st.segmented_control(
        "Method", ["all", *METHODS], default=choices.get("method", "all"), required=True, **choices.widget("method"),
        format_func=lambda name: METHODS[name].label if name in METHODS else "All",
        help="\n\n".join(f"**{m.label}**: {m.help}" for m in METHODS.values()),
    )  # fmt: skip
    share = choices.get("theta", state.DEFAULTS.theta)  # a link may set any
    theta = st.segmented_control(
        "Answers when it covers", sorted({*THETAS, share}), default=share, required=True,
        format_func=lambda theta: THETAS.get(theta, f"{theta:.0%}"), **choices.widget("theta"),
        help="A chunk answers a marked passage when it covers any / at least half / all of its characters.",
    )  # fmt: skip
    k = int(
        st.number_input(
            "Top k",
            1,
            100,
            choices.get("k", state.DEFAULTS.k),
            width=120,
            **choices.widget("k"),
            help="How many of the best ranked chunks are read.",
        )
    )
    with st.popover("More", key="more", on_change="rerun") as more:
        if more.open:
            search_widgets()

if not corpus.queries:
    st.info(
        "No query yet: write a question below, then select its answer in the text and press "
        "**Mark selection relevant**."
    )
names = ready_chunkers(corpus.documents, sidebar.chosen_chunkers()) or ["recursive"]
setup = Setup(corpus, {name: sidebar.cut_of(name) for name in names}, k, theta, **search_settings())
judged = sum(1 for query in corpus.queries if query.passages)
unit = sidebar.sizes()[2]
methods = [
    name for name in (ALL if method == "all" else (method,)) if embeddings_wanted() or not METHODS[name].needs_vectors
]
methods = methods or ["bm25"]
if not embeddings_wanted():
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Embeddings are off: keyword search only.")
        st.button("Compute embeddings", on_click=lambda: choices.put(emb=True), key="embed_again")
progress = st.container()
try:
    waiting = bool(corpus.queries) and needs_vectors(methods) and not setup.embedded()
    refused = st.session_state.get("model_refused", {}).get(setup.model)
    wanted = methods
    if waiting:  # the page works with keyword search meanwhile; the vectors are computed at its end
        methods = [name for name in methods if not METHODS[name].needs_vectors] or ["bm25"]
    if waiting and refused:
        wanted, waiting = methods, False
        progress.error(f"{plain(refused)} Only keyword search is shown.")
        progress.button("Try again", key="model_again", on_click=st.session_state.pop, args=("model_refused",))
    detail = methods[-1]
    if judged:
        progress = metrics_panel(setup, methods, wanted, unit)
        closer_look(setup, sidebar.shown_chunker(names), detail, unit)
except ValueError as error:
    st.error(plain(str(error)))
    st.stop()

index = queries.chosen_query(corpus)
if index is None:
    queries.ask_form()
    document = corpus.documents[panels.document_picker(corpus)]
    panels.show_text(cached.chunking(document, setup.cuts[names[0]]), key="retrieval_text")
    st.stop()

st.subheader(
    f"Query by query, {METHODS[detail].label}",
    help="Rank of the first chunk that answers; in brackets: beyond the top k; –: not found.",
)
if judged:
    rank_table(corpus, setup, detail, index)
    st.caption(losses_sentence(setup, sidebar.shown_chunker(names), detail))
queries.ask_form()
shown = sidebar.shown_chunker(names)
with st.container(horizontal=True, vertical_alignment="bottom"):
    queries.query_picker(corpus, index)
    sidebar.chunker_picker(names)
    queries.edit_popover(corpus.queries[index], index)
    queries.undo_buttons()
left, right = st.columns([7, 5], gap="medium")
with right:
    st.markdown(f"**Top {k} of {CHUNKERS[shown].label} under {METHODS[detail].label}**")
    miss_list(setup, shown, detail, index)
    hit_list(setup, shown, detail, index)
with left:
    document = corpus.documents[panels.document_picker(corpus)]
    chunking = cached.chunking(document, setup.cuts[shown])
    if st.session_state.pop("to_answer", "selected" not in st.session_state):
        panels.select_chunk(chunking, answering_chunk(setup, shown, detail, index, document))
    panels.show_text(
        chunking, key="retrieval_text", marks=panels.marks_of(corpus.queries[index], document),
        hits=hits_in(setup, shown, detail, index, document), on_passage=queries.marker(index),
    )  # fmt: skip
queries.passages_panel(corpus, index)

if waiting:
    with progress:
        try:
            setup.embed()
        except ValueError as error:
            st.session_state["model_refused"] = {setup.model: str(error)}
    st.rerun()
