"""Semantic distances: how far each sentence is from the next, the threshold, and the cuts it makes."""

from pages.shared import frame

frame.ensure()

import numpy as np
import streamlit as st

from pages.shared import cached, choices, panels, sidebar, state
from pages.shared.distance_figure import distance_chart
from pages.shared.embedding import chosen_model, ready_chunkers
from pages.shared.figures import chart_config
from pages.shared.plain import plain
from pages.shared.words import counted, ordinal
from ragchunk_core.chunkers.semantic import USUAL_AMOUNTS

RANGES = {
    "percentile": (0.0, 100.0, 0.5),
    "gradient": (0.0, 100.0, 0.5),
    "standard_deviation": (0.0, 5.0, 0.1),
    "interquartile": (0.0, 5.0, 0.1),
}

corpus = panels.documents_or_stop()
place = panels.document_picker(corpus)
document = corpus.documents[place]

rule = choices.get("sem", "percentile")
low, high, step = RANGES[rule]
amount = choices.get("amt") or USUAL_AMOUNTS[rule]
if not low < amount <= high:
    amount = USUAL_AMOUNTS[rule]
    choices.put(amt=amount)
with st.container(horizontal=True, vertical_alignment="bottom", key="semantic_controls"):
    sidebar.option_widgets("semantic", without=("amount", "chunks", "minimum", "maximum"))
with st.container(horizontal=True, vertical_alignment="bottom"):
    st.slider(
        "Amount", low, high, float(amount), step, **choices.widget("amt"),
        help="The percentile, or the factor of σ or of the interquartile range. Lower cuts more.",
    )  # fmt: skip
    sidebar.option_widgets("semantic", only=("chunks", "minimum", "maximum"))

if not ready_chunkers([document], ["semantic"]):
    st.stop()
try:
    options, refused = state.chunker_options("semantic")
    if refused:
        st.warning(plain(refused))
    found = cached.semantic_breakpoints(document, options, chosen_model())
    chunking = cached.chunking(document, sidebar.cut_of("semantic"))
except ValueError as error:
    st.error(plain(str(error)))
    st.stop()

if len(found.sentences) < 2:
    st.info(f"{plain(document.name)} has {len(found.sentences)} sentence: there is no neighbour to be distant from.")
else:
    lengths = chunking.ends - chunking.starts
    by = {
        "percentile": f"at the {ordinal(options.amount or 95)} percentile of the distances",
        "gradient": f"at the {ordinal(options.amount or 95)} percentile of the gradient",
        "standard_deviation": f"at mean + {options.amount or 3:g} σ",
        "interquartile": f"at mean + {options.amount or 1.5:g} × interquartile range",
    }[options.threshold]
    if options.chunks:
        by = f"at the {counted(options.chunks - 1, 'largest distance')}"
    st.markdown(
        f"**{counted(len(found.cuts), 'cut')}** {by} (above {found.threshold:.3f}): "
        f"{counted(len(chunking), 'chunk')} of "
        f"{int(lengths.min()):,}–{int(lengths.max()):,} characters, mean {np.mean(lengths):,.0f}."
    )
    begins = np.searchsorted(chunking.starts, found.sentences[found.cuts + 1, 0], side="right") - 1
    st.plotly_chart(
        distance_chart(found, document.text, begins.tolist(), options.threshold == "gradient" and not options.chunks),
        key="distances", config=chart_config("distances"), on_select=lambda: _to_text(),
        selection_mode="points",
        alt=f"Cosine distance between {len(found.sentences)} neighbouring sentences; {len(found.cuts)} cuts.",
    )  # fmt: skip


def _to_text() -> None:
    """A click on a point shows the chunk that the sentence before it stands in."""
    points = st.session_state["distances"].selection.points
    if points:
        sentence = min(max(0, int(points[0]["x"]) - 1), len(found.sentences) - 1)
        chunk = int(np.searchsorted(chunking.starts, found.sentences[sentence, 0], side="right")) - 1
        panels.select_chunk(chunking, max(0, chunk))


panels.show_text(chunking, key="distance_text", height=460)
chosen = panels.selected_chunk(chunking)
if chosen is not None:
    panels.show_chunk(chunking, chosen)
