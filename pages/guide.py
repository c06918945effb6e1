"""Guide: the worked example on the real engine, what each strategy is for, symptoms, mistakes, questions."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import state
from pages.shared.lessons import MISTAKES, QUESTIONS, SYMPTOMS, WHEN
from pages.shared.plain import plain
from pages.shared.worked import Step, buffer_steps, window_overlap
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.samples import worked_example
from ragchunk_core.settings import PRESETS

st.header("How to choose a cut")
st.markdown(
    "A retriever finds what was stored, and what is stored are chunks. Open your documents, mark the answers of "
    "some real questions, and see which cut brings them back: **Documents → Chunks → Retrieval**."
)

st.subheader("A worked example")
document = worked_example().documents[0]
st.markdown(f"Four paragraphs, {len(document.text):,} characters, whole sentences in a buffer of 300 characters:")


def shown(step: Step) -> None:
    """One chunk of the buffer: what is in it, and why it ends there."""
    with st.container(border=True):
        end = (
            f"The next sentence has {step.following:,} characters; with it there would be {step.would_be:,}: it closes."
            if step.following
            else "Then the text ends."
        )
        st.markdown(
            f"**Chunk {step.number}: {step.sentences} sentences, {step.length:,} characters, {step.tokens:,} tokens.** "
            f"{end}"
        )
        st.text(step.text)


steps = buffer_steps(document, 300)
for step in steps:
    shown(step)
mean = round(sum(step.tokens for step in steps) / len(steps))
st.markdown(f"{len(steps)} chunks, {mean} tokens on average (a token for four characters).")
phrase, stored = window_overlap(document, 300, "15%")
st.markdown(
    f"Fixed windows of 300 with 15 % overlap share {len(phrase)} characters: “{plain(phrase)}” stands in two chunks, "
    f"and {stored:,} characters are stored for {len(document.text):,}. That is the price of cutting blind."
)
if st.button("Open it on Chunks", key="guide_example"):
    state.apply(PRESETS["worked-example"].settings)
    st.switch_page("pages/chunks.py")

st.subheader("What each strategy is for")
for name, chunker in CHUNKERS.items():
    st.markdown(f"- **{chunker.label}.** {WHEN.get(name, chunker.help)}")

st.subheader("What the results tell you")
for symptom in SYMPTOMS:
    st.markdown(f"- **{symptom.seen}** {symptom.meaning} *{symptom.cure}*")

st.subheader("Common mistakes")
for mistake, why in MISTAKES:
    st.markdown(f"- **{mistake}** {why}")

st.subheader("Check yourself")
for number, question in enumerate(QUESTIONS, start=1):
    with st.expander(f"{number}. {question.asked}"):
        st.markdown(question.answer)
