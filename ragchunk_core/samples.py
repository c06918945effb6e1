"""The sample corpora: three documents with eleven judged queries (D01), the worked example (D02), and tables and code.

The files stand in ``sample_data`` beside the package. The files of queries keep every marked passage with its text,
so that a document or reader that has changed under its marks is found out here and not in the scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragchunk_core.types import Corpus, Document, Passage, Query

FOLDER = Path(__file__).resolve().parent.parent / "sample_data"
DOCUMENTS = ("runbook.md", "lighthouse-optics.txt", "faq.html")
QUERIES = "queries.json"
STRUCTURE_DOCUMENTS = ("countries.md", "dispatcher.py", "tickets.csv")
STRUCTURE_QUERIES = "structure_queries.json"
WORKED_EXAMPLE = "chunking-explained.txt"


def sample_corpus() -> Corpus:
    """The runbook, the essay on lighthouse optics and the FAQ, with eleven queries and their passages.

    Raises:
        ValueError: If a file is missing, or a passage's text does not stand where it is marked.
    """
    return _corpus(DOCUMENTS, QUERIES)


def structure_corpus() -> Corpus:
    """A page with long tables, a Python program and a CSV file, with twenty queries and their passages.

    Raises:
        ValueError: If a file is missing, or a passage's text does not stand where it is marked.
    """
    return _corpus(STRUCTURE_DOCUMENTS, STRUCTURE_QUERIES)


def worked_example() -> Corpus:
    """Four paragraphs about chunking, 801 characters, as one document without queries.

    Raises:
        ValueError: If the file is missing.
    """
    return Corpus((Document.from_bytes(_bytes(WORKED_EXAMPLE), WORKED_EXAMPLE),))


def _corpus(names: tuple[str, ...], file: str) -> Corpus:
    documents = {name: Document.from_bytes(_bytes(name), name) for name in names}
    rows = json.loads(_bytes(file))
    queries = tuple(Query(row["query"], tuple(_passage(mark, documents) for mark in row["passages"])) for row in rows)
    return Corpus(tuple(documents.values()), queries)


def _passage(mark: Mapping[str, Any], documents: Mapping[str, Document]) -> Passage:
    document = documents[mark["document"]]
    passage = Passage(document.id, mark["start"], mark["end"])
    if document.text[passage.start : passage.end] != mark["text"]:
        raise ValueError(
            f"The sample {document.name!r} does not hold its marked passage at {passage.start} to "
            f"{passage.end}; the file must be the one that its queries were made for, line ends unchanged."
        )
    return passage


def _bytes(name: str) -> bytes:
    try:
        return (FOLDER / name).read_bytes()
    except OSError:
        raise ValueError(
            f"The sample file {name!r} cannot be read; it must stand in the folder 'sample_data' beside "
            "'ragchunk_core'."
        ) from None
