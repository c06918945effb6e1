"""Documents: open, drop or paste them, read what was extracted, ask questions and mark the answers."""

from pages.shared import frame

frame.ensure()

import streamlit as st

from pages.shared import panels, queries, state
from pages.shared.library import add_panel, document_list, lengths_line
from pages.shared.plain import plain

corpus = state.corpus()
left, right = st.columns([5, 7], gap="medium")
with left:
    add_panel()
    document_list(corpus)
    queries.undo_buttons()

corpus = state.corpus()
index = queries.chosen_query(corpus)
with right:
    if not corpus.documents:
        with st.container(border=True):
            st.subheader("Three ways in")
            st.markdown(
                "- **Drop** or open your own files on the left: PDF, Word, web pages, Markdown, text, tables, code.\n"
                "- **Paste** a text.\n"
                "- Look at the **sample corpus**: three documents with eleven judged queries."
            )
            st.button("Show the sample corpus", on_click=state.show_corpus, args=("sample",), key="to_sample")
            st.caption(
                "Your text stays on the machine that this app runs on, in this session's memory, and in your own "
                "browser, which remembers the project until you press Forget everything. "
                "No network service is called with it, and no usage statistics are sent."
            )
    else:
        place = panels.document_picker(corpus)
        document = corpus.documents[place]
        lengths_line(document)
        for note in document.notes:
            st.caption(plain(note))
        query = corpus.queries[index] if index is not None else None
        panels.show_document(
            document,
            key="document_text",
            marks=panels.marks_of(query, document),
            on_passage=queries.marker(index),
        )

if corpus.documents:
    st.subheader("Queries", help="Questions with the passages that answer them; every chunker is judged by these.")
    queries.ask_form()
    queries.import_popover()
    if index is not None:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            queries.query_picker(corpus, index)
            queries.edit_popover(corpus.queries[index], index)
        queries.passages_panel(corpus, index)
