"""A sweep of a session: what it runs over, running it with progress and a stop, and what it found (R12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.shared import cached, choices, sidebar, state
from pages.shared.plain import plain
from pages.shared.search import search_settings
from pages.shared.words import counted
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.by_hand import BY_HAND
from ragchunk_core.chunkers.imported import IMPORTED
from ragchunk_core.options import options_of
from ragchunk_core.retrievers import METHODS
from ragchunk_core.sweep import Step, in_grid_order, sweep
from ragchunk_core.sweep_grid import Grid
from ragchunk_core.sweep_store import MemoryStore
from ragchunk_core.sweep_work import Failure, Result
from ragchunk_core.types import Corpus
from ragchunk_core.units import UNITS


@dataclass(frozen=True)
class Plan:
    """What a sweep measures, and how it judges."""

    corpus: Corpus
    grid: Grid
    k: int
    theta: float
    analyzer: str
    rrf_k: int
    model: str


@dataclass
class Sweeps:
    """What a session holds of sweeps.

    Attributes:
        store: Everything measured, so that a sweep goes on where it was stopped.
        plan: The one on screen.
        running: Whether it is to be measured on; any other click meanwhile only interrupts it.
        results, failures: Of that plan, as they came.
    """

    store: MemoryStore = field(default_factory=MemoryStore)
    plan: Plan | None = None
    running: bool = False
    results: dict[Any, Result] = field(default_factory=dict)
    failures: dict[Any, Failure] = field(default_factory=dict)

    def start(self, plan: Plan) -> None:
        """Put a plan on screen and measure it."""
        self.plan, self.running = plan, True
        self.results, self.failures = {}, {}

    def stop(self) -> None:
        """Keep what is measured."""
        self.running = False

    def in_order(self) -> list[Result]:
        """The results in the order of the grid."""
        return in_grid_order(list(self.results.values()), self.plan.grid) if self.plan else []


def sweeps() -> Sweeps:
    """The session's, made when it is first asked for."""
    made: Sweeps = st.session_state.setdefault("sweeps", Sweeps())
    return made


def plan_widgets(corpus: Corpus) -> Plan:
    """What to combine. Everything else is as on the other pages.

    Raises:
        ValueError: If a list is no list of numbers, or a value is not allowed.
    """
    single = (BY_HAND.name, IMPORTED.name)  # they have no size to vary
    usual = [name for name in sidebar.chosen_chunkers() if name not in single] or ["recursive"]
    names = _several("Chunkers", {name: CHUNKERS[name].label for name in CHUNKERS if name not in single}, usual)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sizes = st.text_input("Sizes", choices.get("sweep_sizes", "200, 400, 800"), **choices.widget("sweep_sizes"))
        overlaps = st.text_input(
            "Overlaps", choices.get("sweep_overlaps", "0, 15%"), **choices.widget("sweep_overlaps"),
            help="In units or percent of the size.",
        )  # fmt: skip
    units = _several("Measured in", {name: unit.label for name, unit in UNITS.items()}, [sidebar.sizes()[2]])
    methods = _several("Methods", {name: method.label for name, method in METHODS.items()}, ["bm25"])
    grid = Grid(names, whole_numbers("Sizes", sizes), shares(overlaps), units, methods, _options(names))
    k = int(choices.get("k", state.DEFAULTS.k))
    theta = float(choices.get("theta", state.DEFAULTS.theta))
    return Plan(corpus, grid, k, theta, **search_settings())


def _several(label: str, labels: dict[str, str], usual: list[str]) -> list[str]:
    key = f"sweep_{label.lower().replace(' ', '_')}"
    chosen = st.pills(
        label, list(labels), selection_mode="multi", default=choices.get(key, usual), format_func=labels.__getitem__,
        **choices.widget(key),
    )  # fmt: skip
    return list(chosen)


def whole_numbers(what: str, text: str) -> list[int]:
    """The numbers in a list with commas.

    Raises:
        ValueError: Naming what is none.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not part.isascii() or not part.isdigit():
            raise ValueError(f"{what}: {part!r} is no whole number; write a list such as 200, 400, 800.")
    return [int(part) for part in parts]


def shares(text: str) -> list[int | str]:
    """The overlaps in a list with commas: numbers, and percentages as they are written.

    Raises:
        ValueError: Naming what is neither.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [part if part.endswith("%") else whole_numbers("Overlaps", part)[0] for part in parts]


def _options(names: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The options set in the sidebar, where they differ from the usual."""
    found = {}
    for name in names:
        now, usual = state.chunker_options(name)[0], CHUNKERS[name].options()
        own = {one: getattr(now, one) for one in options_of(now) if getattr(now, one) != getattr(usual, one)}
        if own:
            found[name] = [own]
    return found


def run() -> None:
    """Measure what is left of the plan, showing how far it is; a click on *Stop* keeps what is done."""
    held = sweeps()
    if not held.running or held.plan is None:
        return
    total = len(held.plan.grid.settings)
    with st.container(border=True, key="sweep_progress"):
        bar = st.progress(0.0, f"0 of {total:,} settings")
        st.button("Stop", key="sweep_stop", on_click=held.stop)
    for step in _steps(held.plan, held.store):
        held.results.update((one.setting, one) for one in step.results)
        held.failures.update((one.setting, one) for one in step.failures)
        bar.progress(step.done / max(1, step.total), progress_sentence(step))
    held.running = False
    st.rerun()


def _steps(plan: Plan, store: MemoryStore) -> Iterator[Step]:
    embedder = cached.embedder(plan.model) if plan.grid.needs_vectors else None
    # One thread: other people may share the machine, and the embedding model uses all processors by itself.
    return sweep(
        plan.corpus.documents, plan.corpus.queries, plan.grid, k=plan.k, theta=plan.theta, analyzer=plan.analyzer,
        rrf_k=plan.rrf_k, embedder=embedder, store=store, workers=1,
    )  # fmt: skip


def progress_sentence(step: Step) -> str:
    """How far a sweep is, and how long it will take."""
    said = f"{step.done:,} of {counted(step.total, 'setting')}"
    if step.seconds_left is not None and step.seconds_left >= 1:
        said += f", about {step.seconds_left:,.0f} s left"
    if step.embedded:
        said += f"; embedding {step.embedded[0]:,} of {step.embedded[1]:,} texts"
    return said


def failures() -> None:
    """Settings that could not be run, with their reasons."""
    failed = list(sweeps().failures.values())
    for one in failed[:5]:
        st.warning(plain(f"{one.setting.label}: {one.reason}"))
    if len(failed) > 5:
        st.caption(f"and {len(failed) - 5:,} more settings could not be run.")


def use(result: Result) -> None:
    """Set size, overlap, unit, chunker and method everywhere to those of a setting."""
    one = result.setting
    on = choices.get("on", list(state.DEFAULTS.on)) or []
    choices.put(
        size=one.size, size_slider=state.slider_size(one.size), overlap=one.overlap, ovpct=False, unit=one.unit,
        chunker=one.chunker, on=on if one.chunker in on else [*on, one.chunker], method=one.method, selected=None,
    )  # fmt: skip
