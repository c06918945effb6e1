"""Chunks: the text with every boundary, the chunkers compared, and how long their chunks are."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import cached, choices, panels, sidebar, state
from pages.shared.details import details
from pages.shared.embedding import ready_chunkers
from pages.shared.length_panel import length_panel
from pages.shared.plain import plain
from pages.shared.tables import comparison_table
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.by_hand import BY_HAND
from ragchunk_core.units import UNITS

corpus = panels.documents_or_stop()
names = ready_chunkers(corpus.documents, sidebar.chosen_chunkers()) or ["recursive"]
try:
    cuts = {name: sidebar.cut_of(name) for name in names}
    table = cached.comparison(corpus.documents, list(cuts.values()))
except ValueError as error:
    st.error(plain(str(error)))
    st.stop()

shown = sidebar.shown_chunker(names)
size, overlap, unit_name, _ = sidebar.sizes()
unit = UNITS[unit_name].short
row, base = table[names.index(shown)], table[0]


def card(label: str, value: str, delta: float, shape: str, about: str) -> None:
    """One figure of the chunker on screen, with its difference to the first chunker."""
    said = f"{delta:{shape}}"
    differs = shown != names[0] and any(digit in said for digit in "123456789")
    st.metric(
        label,
        value,
        said if differs else None,
        "off",
        help=f"{about} Below it: the difference to {CHUNKERS[names[0]].label}.",
    )


with st.container(horizontal=True, border=True, key="cards"):
    card(
        "chunks",
        f"{row['chunks']:,}",
        row["chunks"] - base["chunks"],
        "+,",
        "How many chunks all documents give.",
    )
    card(
        f"mean length ({unit})",
        f"{row['mean']:,.0f} of {size:,}" if CHUNKERS[shown].uses_size else f"{row['mean']:,.0f}",
        row["mean"] - base["mean"], "+,.0f", "Summed length of the chunks / number of chunks.",
    )  # fmt: skip
    card(
        "text covered", f"{row['covered']:.1%}", 100 * (row["covered"] - base["covered"]), "+.1f",
        "Characters that lie in at least one chunk / characters of the text. The rest is mostly white space.",
    )  # fmt: skip
    card(
        "stored twice", f"{row['duplicated']:.1%}", 100 * (row["duplicated"] - base["duplicated"]), "+.1f",
        "(Summed length of the chunks − characters covered) / characters of the text.",
    )  # fmt: skip
    card(
        "overlap tax (tok)", f"{row['overlap_tax']:+,}", row["overlap_tax"] - base["overlap_tax"], "+,",
        "cl100k tokens over all chunks − tokens of the text: what is embedded beyond the text itself.",
    )  # fmt: skip
    warned = cached.warnings(corpus.documents, cuts[shown])
    if warned is not None:
        about = "Chunks that a rule warns of, in all documents; *Warnings* below the text names them."
        st.metric("warnings", f"{warned:,}", help=about)

# Two texts side by side need the whole width.
left, right = (st.container(), st.container()) if choices.get("compare") in names else st.columns(2, gap="small")
with left:
    with st.container(horizontal=True):
        document = corpus.documents[panels.document_picker(corpus)]
        sidebar.chunker_picker(names)
        other = sidebar.other_picker([name for name in names if name != shown])
    chunking = cached.chunking(document, cuts[shown])
    if other is None:
        by_hand = shown == BY_HAND.name
        edit = (lambda cuts: state.cut_by_hand(document.text, cuts)) if by_hand else None
        panels.show_text(chunking, key="chunks_text", height=430, on_cuts=edit)
        if not by_hand:
            st.button(
                "Change these boundaries by hand", key="by_hand", type="tertiary",
                on_click=state.cut_by_hand, args=(document.text, chunking.starts[1:].tolist()),
            )  # fmt: skip
    else:
        panels.show_comparison(chunking, cached.chunking(document, cuts[other]), key="chunks_compared", height=430)
with right:
    comparison_table(table, shown, unit)
    length_panel(corpus.documents, document, cuts, shown, size, unit)

details(corpus, chunking, cuts[shown])
