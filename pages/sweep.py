"""Sweep: many settings measured at once; which one brings the answers back, and which costs less and is no worse."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import choices, panels
from pages.shared.figures import chart_config
from pages.shared.plain import plain
from pages.shared.sweep_figures import heat_map, pareto_chart
from pages.shared.sweep_table import sweep_list
from pages.shared.sweeping import Plan, failures, plan_widgets, run, sweeps, use
from pages.shared.words import counted
from ragchunk_core.sweep import sweep_table
from ragchunk_core.sweep_choice import COSTS, recommend

corpus = panels.documents_or_stop()
held = sweeps()
if not any(query.passages for query in corpus.queries):
    st.info("No query has a marked answer yet: ask and mark on **Documents** or **Retrieval**, then sweep.")
    st.stop()
plan: Plan | None = None
try:
    plan = plan_widgets(corpus)
except ValueError as error:
    st.error(plain(str(error)))
with st.container(horizontal=True, vertical_alignment="center"):
    number = len(plan.grid.settings) if plan else 0
    st.button(
        f"Measure {counted(number, 'setting')}", key="sweep_start", disabled=not number or held.running,
        on_click=held.start, args=(plan,),
    )  # fmt: skip
    if plan:
        said = f"k = {plan.k}, a passage counts as found when {plan.theta:.0%} is covered, as on Retrieval."
        if plan.grid.left_out:
            said += f" {counted(plan.grid.left_out, 'combination')} left out: the overlap is not below the size."
        st.caption(said, width="stretch")
try:
    run()
except ValueError as error:
    held.stop()
    st.error(plain(str(error)))

results = held.in_order()
if held.plan is None or not results:
    with st.container(border=True):
        st.subheader("Which setting, of all?")
        st.write(
            "Choose chunkers, sizes, overlaps and methods above. Every combination is cut, ranked and judged on your "
            "marked answers; you get the setting with the best recall, those that cost less and are not shown to be "
            "worse, and a map of all. A sweep can be stopped; what was measured is kept."
        )
    st.stop()

left = len(held.plan.grid.settings) - len(results) - len(held.failures)
if left and not held.running:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(f"Stopped: {left:,} of {counted(len(held.plan.grid.settings), 'setting')} not measured.")
        st.button("Go on", key="sweep_go_on", on_click=held.start, args=(held.plan,))
if plan and held.plan != plan and not held.running:
    st.caption("What is shown was measured with other choices, documents or marks than those on screen now.")
failures()

cost = st.segmented_control(
    "What a setting costs", list(COSTS), default=choices.get("sweep_cost", "characters"), required=True,
    format_func=COSTS.__getitem__, **choices.widget("sweep_cost"),
)  # fmt: skip
found = recommend(results, cost=cost or "characters")
with st.container(border=True, key="recommendation"):
    st.markdown(f"**{plain(found.sentence())}**")
    with st.container(horizontal=True):
        st.button("Use the best", key="use_best", on_click=use, args=(found.best,))
        for place, other in enumerate(found.alternatives[:3]):
            label = f"Use {other.result.setting.label} ({other.saved:.0%} less)"
            st.button(plain(label), key=f"use_{place}", on_click=use, args=(other.result,))

table = sweep_table(results)
k = held.plan.k
left_side, right_side = st.columns(2, gap="medium")
with left_side:
    st.markdown("**Where recall is high**")
    st.plotly_chart(
        heat_map(table, k), key="sweep_heat", config=chart_config("sweep-heat-map"), theme="streamlit",
        alt=f"Heat map of recall for {counted(len(results), 'setting')}, by chunker and by size and overlap.",
    )  # fmt: skip
with right_side:
    st.markdown("**What recall costs**")
    st.plotly_chart(
        pareto_chart(table, cost or "characters", k), key="sweep_pareto", config=chart_config("sweep-pareto"),
        alt=f"Recall over {COSTS[cost or 'characters']}, one point a setting; a line joins those that none beats.",
    )  # fmt: skip
sweep_list(results, table, k)
