"""Below the text on Chunks: the chosen chunk, warnings, files, code and cost of the chunker on screen (V04–V07)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.shared import cached, choices, panels, state
from pages.shared.plain import plain
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import Chunking
from ragchunk_core.types import Corpus

PARTS = ("Chunk", "Warnings", "Files", "Code", "Cost")
_ICONS = {"error": "⛔", "warning": "⚠️", "note": "ℹ️"}
_MOST_BUTTONS = 12


def details(corpus: Corpus, chunking: Chunking, cut: cached.Cut) -> None:
    """One part at a time; only the one on screen is computed."""
    quick = len(chunking.document.text) <= cached.COUNTED_AT_ONCE
    count = sum(len(found.chunks) for found in cached.findings(chunking, cut)) if quick else 0
    part = st.segmented_control(
        "Below the text",
        PARTS,
        default=choices.get("part", PARTS[0]),
        required=True,
        format_func=lambda name: f"{name} ({count:,})" if name == "Warnings" and count else name,
        label_visibility="collapsed",
        **choices.widget("part", among=PARTS),
    )
    if part == "Chunk":
        _chunk(chunking)
    elif part == "Warnings":
        _warnings(chunking, cut)
    elif part == "Files":
        _files([cached.chunking(document, cut) for document in corpus.documents], chunking)
    elif part == "Code":
        _code([cached.chunking(document, cut) for document in corpus.documents], cut)
    else:
        _cost([cached.chunking(document, cut) for document in corpus.documents], cut)


def _chunk(chunking: Chunking) -> None:
    chosen = panels.selected_chunk(chunking)
    if chosen is not None:
        panels.show_chunk(chunking, chosen)
    else:
        st.caption("Click a chunk, or walk with J and K, to read it alone with its offsets.")


def _warnings(chunking: Chunking, cut: cached.Cut) -> None:
    found = cached.findings(chunking, cut)
    if not found:
        st.caption(f"Nothing to warn of in {plain(chunking.document.name)} under {CHUNKERS[chunking.chunker].label}.")
    for number, finding in enumerate(found):
        with st.container(border=True, gap="small"):
            st.markdown(f"{_ICONS[finding.rule.severity]} **{plain(finding.sentence)}**", help=finding.rule.definition)
            with st.container(horizontal=True, gap="xsmall"):
                for chunk in finding.chunks[:_MOST_BUTTONS].tolist():
                    st.button(
                        f"Chunk {chunk + 1:,}",
                        key=f"warned_{number}_{chunk}",
                        type="tertiary",
                        on_click=panels.select_chunk,
                        args=(chunking, chunk),
                    )
                if len(finding.chunks) > _MOST_BUTTONS:
                    st.caption(f"and {len(finding.chunks) - _MOST_BUTTONS:,} more")


def _files(chunkings: Sequence[Chunking], shown: Chunking) -> None:
    from ragchunk_core.exports import COLUMNS, FORMATS, export, preview_json

    st.caption(f"All {sum(map(len, chunkings)):,} chunks of all documents, each with " + ", ".join(COLUMNS) + ".")
    with st.container(horizontal=True):
        for name, form in FORMATS.items():
            st.download_button(
                form.label,
                partial(export, chunkings, name),
                f"chunks-{shown.chunker}{form.suffix}",
                form.media_type,
                key=f"export_{name}",
                on_click="ignore",
            )
        st.download_button(
            "JSON of offsets, this document",
            lambda: preview_json(shown),
            f"offsets-{shown.chunker}.json",
            "application/json",
            key="export_preview",
            on_click="ignore",
            help="The layout of RAG Chunking Preview: offsets in code points, bytes and units.",
        )
    _import()


def _import() -> None:
    st.markdown("**Chunks made elsewhere**")
    turn = st.session_state.setdefault("chunks_turn", 0)
    file = st.file_uploader(
        "CSV, JSON or JSON Lines: a chunk a row, with its text, its start and end, or both, and its document",
        ["csv", "json", "jsonl"],
        key=f"chunks_file_{turn}",
    )
    if file is not None:
        st.session_state["chunks_turn"] = turn + 1
        try:
            st.session_state["chunks_said"] = state.import_chunks(file.getvalue(), file.name)
        except ValueError as error:
            st.session_state["chunks_said"] = [str(error)]
        st.rerun()
    said: list[str] = st.session_state.pop("chunks_said", [])
    for sentence in said[:8]:
        st.info(plain(sentence))
    if len(said) > 8:
        with st.expander(f"{len(said) - 8:,} more remarks"):
            for sentence in said[8:]:
                st.text(sentence)


def _code(chunkings: Sequence[Chunking], cut: cached.Cut) -> None:
    from ragchunk_core.code_samples import LIBRARIES, code_sample

    library = st.segmented_control(
        "Library",
        list(LIBRARIES),
        default=choices.get("library", "langchain"),
        required=True,
        format_func=LIBRARIES.__getitem__,
        **choices.widget("library"),
    )
    sample = code_sample(chunkings, library or "langchain", cut.model or None)
    if sample.code:
        st.caption("It makes these very chunks of a document's text.")
        st.code(sample.code, language="python")
    else:
        st.info(plain(sample.reason))


def _cost(chunkings: Sequence[Chunking], cut: cached.Cut) -> None:
    import pandas as pd

    from ragchunk_core.cost import Prices, cost_table, measured_cost

    with st.container(horizontal=True, vertical_alignment="bottom"):
        millions = st.number_input(
            "Corpus, million characters", 0.001, 1e6, float(choices.get("cost_millions", 10.0)), 1.0,
            **choices.widget("cost_millions"),
        )  # fmt: skip
        dimension = st.number_input(
            "Vector dimension",
            1,
            100_000,
            int(choices.get("cost_dimension", 1_536)),
            **choices.widget("cost_dimension"),
        )
        price = st.number_input(
            "Dollars for a million tokens embedded", 0.0, 1e4, float(choices.get("cost_price", 0.02)), 0.01,
            **choices.widget("cost_price"),
        )  # fmt: skip
    prices = Prices(characters=round(millions * 1e6), dimension=int(dimension), embedding=float(price))
    label = f"{CHUNKERS[cut.chunker].label}, as here"
    here = pd.DataFrame([dataclasses.asdict(measured_cost(label, chunkings, prices))])
    table = pd.concat([here, cost_table(prices=prices)], ignore_index=True)
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(
            {
                "cut": table["label"],
                "vectors": table["vectors"],
                "stored text": table["text_bytes"] / 1e6,
                "extra": table["extra"] * 100,
                "vectors, MB": table["vector_bytes"] / 1e6,
                "tokens": table["tokens"] / 1e6,
                "embedding": table["embedding"],
                "tokens a query": table["query_tokens"],
            }
        ),
        hide_index=True,
        key="cost_table",
        height="content",
        column_config={
            "vectors": number(format="%,d", help="Chunks, one vector each."),
            "stored text": number("text, MB", format="%.1f", help="UTF-8 bytes of all chunks."),
            "extra": number(
                format="%.0f %%", help="Stored beyond the text itself: 1 / (1 − overlap) − 1 on long texts."
            ),
            "vectors, MB": number(format="%,.1f", help="Vectors × dimension × 4 bytes (float32), without an index."),
            "tokens": number("tokens, million", format="%,.2f", help="To embed; four characters each for windows."),
            "embedding": number(format="$%,.2f", help="Once for the whole corpus."),
            "tokens a query": number(format="%,.0f", help="Of the five chunks that go into the prompt."),
        },
        alt="Cost of the chunker on screen and of windows of several sizes with 15 percent overlap.",
    )
    st.caption("Windows with 15 % overlap for comparison. Prices change: the one above is yours to set.")
