"""The question sets of Chroma's "Evaluating Chunking Strategies for Retrieval": a folder with a table of questions.

``questions_df.csv`` has a row a question: ``question``, ``corpus_id`` (the name of a ``.md`` file beside it) and
``references``, a JSON list of ``{"content", "start_index", "end_index"}`` in code points. The data set itself is
published at github.com/brandonstarxel/chunking_evaluation.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from ragchunk_core.types import Corpus, Document, Passage, Query

QUESTIONS = "questions_df.csv"


def read_chroma_folder(folder: str | Path) -> Corpus:
    """The documents of a folder, in the order in which questions first name them, and its questions.

    Raises:
        ValueError: If a file is missing or not UTF-8, or a row is not as described above; among that, if a reference
            is not the text that stands at its place.
    """
    place = Path(folder)
    if not (place / QUESTIONS).is_file():
        raise ValueError(f"The folder is {str(folder)!r}; it must hold a file {QUESTIONS}.")
    documents: dict[str, Document] = {}
    queries = []
    with (place / QUESTIONS).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if missing := {"question", "references", "corpus_id"} - set(reader.fieldnames or ()):
            raise ValueError(f"{QUESTIONS} lacks the columns {', '.join(sorted(missing))}.")
        for number, row in enumerate(reader, start=1):
            name = row["corpus_id"]
            if name not in documents:
                documents[name] = _document(place, name, number)
            queries.append(Query(row["question"], _passages(documents[name], row["references"], number)))
    return Corpus(tuple(documents.values()), tuple(queries))


def _document(place: Path, name: str, number: int) -> Document:
    path = place / f"{name}.md"
    if Path(name).name != name or not path.is_file():
        raise ValueError(f"{QUESTIONS}, question {number}: corpus_id is {name!r}, but {name}.md is not in the folder.")
    try:
        return Document.from_text(path.read_bytes().decode("utf-8"), name=path.name, kind="markdown")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8: byte {error.start} cannot be read.") from None


def _passages(document: Document, references: str, number: int) -> tuple[Passage, ...]:
    where = f"{QUESTIONS}, question {number}"
    try:
        listed: Any = json.loads(references)
        spans = [(one["content"], int(one["start_index"]), int(one["end_index"])) for one in listed]
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            f"{where}: references must be a JSON list of objects with content, start_index and end_index."
        ) from None
    for content, start, end in spans:
        if not 0 <= start < end or document.text[start:end] != content:
            raise ValueError(f"{where}: the text of {document.name} from {start} to {end} is not {content[:60]!r}.")
    return tuple(Passage(document.id, start, end) for _, start, end in spans)
