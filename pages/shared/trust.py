"""How far the differences between chunkers can be trusted (R10): one line, and every test behind it."""

from __future__ import annotations

import streamlit as st

from pages.shared.plain import plain
from pages.shared.results import Setup
from pages.shared.words import counted
from ragchunk_core.intervals import Comparison
from ragchunk_core.retrievers import METHODS


def trust_line(setup: Setup, method: str) -> None:
    """What is established under one method; nothing where there is only one chunker."""
    made = setup.comparisons(method)
    if made:
        st.caption(f"{METHODS[method].label}: {plain(said(made))}")


def tests_popover(setup: Setup, method: str) -> None:
    """A button that opens to every comparison of two chunkers, the surest first."""
    with st.popover("Tests", key="tests", on_change="rerun") as panel:
        if panel.open:
            made = setup.comparisons(method)
            st.caption(
                f"Recall under {METHODS[method].label}, query by query: paired randomisation test; p corrected by Holm "
                f"for {counted(len(made), 'comparison')}."
            )
            for one in sorted(made, key=lambda one: one.adjusted):
                st.text(one.sentence())


def said(made: list[Comparison]) -> str:
    """What is established of the differences in recall, the largest of them first; or that nothing is."""
    established = [one for one in made if one.established]
    largest = max(established or made, key=lambda one: abs(one.difference.mean))
    if established:
        more = f" {counted(len(established) - 1, 'other difference')} too." if len(established) > 1 else ""
        return f"{largest.sentence()}{more}"
    if len(made) == 1:
        return largest.sentence()
    return f"no difference in recall is established. The largest, {largest.sentence()}"
