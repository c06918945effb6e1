"""Changes of the corpus on screen: documents, queries and marks. Each can be undone (see ``state.change``)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import streamlit as st

from pages.shared import choices, state
from ragchunk_core.types import Corpus, Document, Passage, Query


def add_documents(documents: Iterable[Document]) -> list[str]:
    """Add to the user's own corpus and show it; a text that is there already is left out and named."""
    own = state.workspace().corpora["custom"]
    known, new, notices = {d.id for d in own.documents}, [], []
    for document in documents:
        if document.id in known:
            notices.append(f"{document.name} is already there: the same text is kept once.")
            continue
        known.add(document.id)
        new.append(document)
    if new:
        names = ", ".join(d.name for d in new)
        state.change(f"added {names}", dataclasses.replace(own, documents=(*own.documents, *new)), "custom")
        choices.put(corpus="custom", doc=len(own.documents), q=0, selected=None)
    return notices


def remove_document(index: int) -> None:
    """Remove a document and the passages marked in it."""
    now = state.corpus()
    gone = now.documents[index]
    kept = tuple(d for i, d in enumerate(now.documents) if i != index)
    queries = tuple(
        dataclasses.replace(q, passages=tuple(p for p in q.passages if p.document != gone.id)) for q in now.queries
    )
    state.change(f"removed {gone.name}", Corpus(kept, queries))


def replace_document(index: int, made: Document) -> int:
    """Put what a file gives when it is read anew in the place of a document; how many marks were lost.

    A mark moves to where its words stand now, if they stand there once.
    """
    now, lost = state.corpus(), 0
    old = now.documents[index]
    made = dataclasses.replace(made, name=old.name)

    def moved(passage: Passage) -> Passage | None:
        words = old.text[passage.start : passage.end]
        place = made.text.find(words)
        if place < 0 or made.text.find(words, place + 1) >= 0:
            return None
        return Passage(made.id, place, place + len(words))

    queries = []
    for query in now.queries:
        passages = [moved(one) if one.document == old.id else one for one in query.passages]
        lost += passages.count(None)
        queries.append(dataclasses.replace(query, passages=tuple(filter(None, passages))))
    documents = tuple(made if place == index else document for place, document in enumerate(now.documents))
    state.change(f"read {old.name} again", Corpus(documents, tuple(queries)))
    choices.put(selected=None)
    return lost


def rename_document(index: int, name: str) -> None:
    """Give a document another name; its text and marks stay."""
    now = state.corpus()
    if name.strip() and name != now.documents[index].name:
        renamed = dataclasses.replace(now.documents[index], name=name.strip())
        documents = tuple(renamed if i == index else d for i, d in enumerate(now.documents))
        state.change(f"renamed {now.documents[index].name}", dataclasses.replace(now, documents=documents))


def move_document(index: int, by: int) -> None:
    """Move a document up (-1) or down (1)."""
    documents = list(state.corpus().documents)
    other = index + by
    if 0 <= other < len(documents):
        documents[index], documents[other] = documents[other], documents[index]
        state.change(f"moved {documents[other].name}", dataclasses.replace(state.corpus(), documents=tuple(documents)))
        choices.put(doc=other)


def add_query(text: str) -> str | None:
    """Ask a new question of the corpus; the sentence that refuses it, or None."""
    if not any(character.isalnum() for character in text):
        return "The query has no words; write a question with at least one."
    now = state.corpus()
    state.change(
        f"added the query “{_short(text)}”",
        dataclasses.replace(now, queries=(*now.queries, Query(text.strip()))),
    )
    choices.put(q=len(now.queries))
    return None


def import_queries(data: bytes, name: str) -> list[str]:
    """Add the questions of a file; a set in SQuAD's layout brings its documents too. What is to be told of it.

    Raises:
        ValueError: If the file cannot be read; nothing is changed then.
    """
    from ragchunk_core.imported_queries import is_squad, read_queries, read_squad

    now = state.corpus()
    if is_squad(data):
        found, problems = read_squad(data, name)
        known = {document.id for document in now.documents}
        documents = (*now.documents, *(document for document in found.documents if document.id not in known))
        queries = found.queries
    else:
        if not now.documents:
            raise ValueError(f"{name} has questions about documents, and there is none yet: open those first.")
        read = read_queries(data, name, now.documents)
        documents, queries, problems = now.documents, read.queries, read.problems
    asked = {query.text: place for place, query in enumerate(now.queries)}
    merged = list(now.queries)
    for query in queries:
        if query.text in asked:
            old = merged[asked[query.text]]
            passages = tuple(dict.fromkeys((*old.passages, *query.passages)))
            merged[asked[query.text]] = dataclasses.replace(old, passages=passages)
        else:
            merged.append(query)
    state.change(f"imported {name}", Corpus(documents, tuple(merged)))
    marks = sum(len(query.passages) for query in queries)
    return [f"{name}: {len(queries):,} questions with {marks:,} passages.", *problems]


def choose_query(index: int) -> None:
    """Put a query on screen, with the document of its first answer."""
    st.session_state["to_answer"] = True
    choices.put(q=index, selected=None)
    now = state.corpus()
    passages = now.queries[index].passages
    for place, document in enumerate(now.documents):
        if passages and document.id == passages[0].document:
            choices.put(doc=place)


def remove_query(index: int) -> None:
    """Remove a query with its marks."""
    now = state.corpus()
    queries = tuple(q for i, q in enumerate(now.queries) if i != index)
    state.change(f"removed the query “{_short(now.queries[index].text)}”", dataclasses.replace(now, queries=queries))


def edit_query(index: int, text: str) -> str | None:
    """Change a query's words; its marks stay. The sentence that refuses it, or None."""
    if not any(character.isalnum() for character in text):
        return "The query has no words; write a question with at least one."
    if text.strip() != state.corpus().queries[index].text:
        _replace_query(index, dataclasses.replace(state.corpus().queries[index], text=text.strip()), "changed")
    return None


def mark(index: int, passage: Passage) -> None:
    """Mark a passage as an answer of a query; the same one twice is one."""
    query = state.corpus().queries[index]
    if passage not in query.passages:
        _replace_query(index, dataclasses.replace(query, passages=(*query.passages, passage)), "marked a passage of")


def adjust(index: int, before: Passage, after: Passage) -> None:
    """Put another range in the place of one mark of a query."""
    query = state.corpus().queries[index]
    if before in query.passages and after not in query.passages:
        passages = tuple(after if passage == before else passage for passage in query.passages)
        _replace_query(index, dataclasses.replace(query, passages=passages), "adjusted a passage of")


def unmark(index: int, passage: Passage) -> None:
    """Take one mark of a query away."""
    query = state.corpus().queries[index]
    kept = tuple(p for p in query.passages if p != passage)
    _replace_query(index, dataclasses.replace(query, passages=kept), "unmarked a passage of")


def _replace_query(index: int, query: Query, what: str) -> None:
    now = state.corpus()
    queries = tuple(query if i == index else q for i, q in enumerate(now.queries))
    state.change(f"{what} the query “{_short(query.text)}”", dataclasses.replace(now, queries=queries))


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
