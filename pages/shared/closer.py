"""A closer look at the comparison, computed when asked for: a budget of context (R09, R16), more text returned than
was ranked (R15), headings in front of the chunks (R19), and what the embedding model never reads (R18)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from pages.shared import cached, choices
from pages.shared.closer_tables import Within, alternatives_table, budget_table, ledger_table
from pages.shared.embedding import embed_with_progress
from pages.shared.plain import plain
from pages.shared.results import Setup
from pages.shared.trust import said
from ragchunk_core import alternatives, budgets, prefixes
from ragchunk_core.alternatives import Alternative
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunking import chunk
from ragchunk_core.intervals import paired_comparisons
from ragchunk_core.retrievers import METHODS
from ragchunk_core.truncation import ledger
from ragchunk_core.units import UNITS


def closer_look(setup: Setup, chunker: str, method: str, unit: str) -> None:
    """A choice of views, none at first; the one that is chosen stands below it."""
    view = st.segmented_control(
        "Look closer",
        list(_VIEWS),
        default=choices.get("closer"),
        **choices.widget("closer"),
        help="\n\n".join(f"**{name}**: {help}" for name, (help, _) in _VIEWS.items()),
    )
    if view:
        with st.container(border=True, key="closer_view"):
            _VIEWS[view][1](setup, chunker, method, unit)


def _budget(setup: Setup, chunker: str, method: str, unit: str) -> None:
    short = UNITS[unit].short
    scores = {name: setup.scores(name, method) for name in setup.cuts}
    usual = max(1, round(float(np.mean([one.context.mean() for one in scores.values()]))))
    budget = st.number_input(
        f"Context to spend on a query ({short})",
        1,
        10_000_000,
        choices.get("budget", usual),
        width=260,
        **choices.widget("budget"),
        help="Chunks are read best first for as long as the next one still fits. At first: the mean context@k of all "
        "chunkers, so that each reads as much.",
    )

    def rows() -> list[Within]:
        found = []
        for name, one in scores.items():
            pool, ranked = setup.pool(name), setup.ranked(name, method)
            costs = budgets.context_costs([ranked.ids[index] for index in one.judged.tolist()], pool.lengths)
            spent = budgets.answer_costs(one.first_ranks, costs)
            merged = budgets.merged_lengths(pool, ranked, one.judged, setup.k)
            within, area = budgets.recall_within(spent, budget), budgets.area_within(spent, budget)
            found.append(Within(name, within, area, one.context, merged))
        return found

    made = cached.once(f"{setup.scored_key(list(setup.cuts), method)} {setup.k} within {budget}", rows)
    budget_table(made, setup.k, budget, short, METHODS[method].label)
    compared = paired_comparisons({CHUNKERS[one.chunker].label: one.recall for one in made}, intervals=False)
    if compared:
        st.caption(f"{METHODS[method].label} in {budget:,} {short}: {plain(said(compared))}")


def _returned(setup: Setup, chunker: str, method: str, unit: str) -> None:
    size = setup.cuts[chunker].size * alternatives.PARENT_SIZES

    def rows() -> list[Alternative]:
        parents = chunk(list(setup.corpus.documents), "recursive", size=size, overlap=0, unit=unit)
        ranked = setup.ranked(chunker, method)
        return alternatives.returned(setup.pool(chunker), ranked, parents, setup.corpus.queries, setup.k, setup.theta)

    st.caption(
        f"{plain(_named(chunker, method))}: chunks are ranked as above, and for each the prompt gets more of its text, "
        f"each stretch once; the top {setup.k} are {setup.k} distinct stretches. A section is what stands under one "
        f"Markdown heading; a parent is a recursive chunk of up to {size:,} {UNITS[unit].label}."
    )
    _compared(setup, chunker, method, unit, "returned", rows)


def _in_front(setup: Setup, chunker: str, method: str, unit: str) -> None:
    pools = alternatives.in_front(setup.pool(chunker))
    if METHODS[method].needs_vectors:
        texts = [text for pool in pools.values() for text in pool.indexed_texts()]
        embed_with_progress(texts, "chunks with headings", stop=lambda: choices.put(closer=None), height=150)

    def rows() -> list[Alternative]:
        return alternatives.indexed(
            pools, lambda pool: setup.rank(pool, method), setup.corpus.queries, setup.k, setup.theta
        )

    said_of = " ".join(f"**{name}**: {plain(help)}" for name, help in prefixes.PREFIXES.items())
    st.caption(f"{plain(_named(chunker, method))}: the same chunks, with text indexed in front of each. {said_of}")
    _compared(setup, chunker, method, unit, "in front", rows)


def _compared(
    setup: Setup, chunker: str, method: str, unit: str, what: str, rows: Callable[[], list[Alternative]]
) -> None:
    made = cached.once(f"{setup.scored_key([chunker], method)} {setup.k} {what}", rows)
    alternatives_table(made, what, setup.k, UNITS[unit].short)


def _unread(setup: Setup, chunker: str, method: str, unit: str) -> None:
    model = cached.embedder(setup.model)
    if not model.limit or not model.pieces:
        st.caption(f"{plain(model.name)} reads texts of any length, or does not say how much it reads.")
        return
    found = []
    for name in setup.cuts:
        pool = setup.pool(name)
        ends = cached.ends_read(setup.key(name), pool, setup.model)
        if ends is not None:
            found.append((name, ledger(pool, ends, setup.corpus.queries, setup.theta)))
    st.caption(f"{plain(model.name)} reads {model.limit} word pieces of a chunk; what comes after is in no vector.")
    ledger_table(found)


def _named(chunker: str, method: str) -> str:
    return f"{CHUNKERS[chunker].label} under {METHODS[method].label}"


_VIEWS: dict[str, tuple[str, Callable[[Setup, str, str, str], None]]] = {
    "Within a budget": ("recall when each chunker may spend the same context, not the same k.", _budget),
    "More than the chunk": ("small-to-big: rank small chunks, return their neighbours, section or parent.", _returned),
    "Headings in front": ("the same cut with the title or the heading path indexed in front of each chunk.", _in_front),
    "Past the model's limit": ("what of each cut the embedding model never reads.", _unread),
}
