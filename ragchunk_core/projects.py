"""A whole project as one JSON file (D08): corpora with queries and marks, and the settings.

A file is read completely and checked before anything of it is used, so a bad one changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragchunk_core.types import Corpus, Document, Passage, Query

FORMAT = "rag-chunking-lab/project"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file holds.

    Attributes:
        corpora: By name: ``custom`` for the user's own, and those of ours that were changed.
        settings: The parameters of a link, by name.
    """

    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


def project_json(project: Project, *, texts: bool = True) -> str:
    """The project as JSON, readable by ``read_project`` and by people.

    A passage is written with its document's place in the list, its half-open span in code points, and its words.

    Args:
        texts: Without them each document bears its ``id`` instead, for those who keep texts elsewhere.
    """
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "settings": dict(project.settings),
            "corpora": {name: _corpus_as_json(corpus, texts) for name, corpus in project.corpora.items()},
        },
        ensure_ascii=False,
        indent=1,
    )


def _corpus_as_json(corpus: Corpus, whole: bool) -> dict[str, Any]:
    places = {document.id: place for place, document in enumerate(corpus.documents)}
    texts = {document.id: document.text for document in corpus.documents}
    return {
        "documents": [
            {
                "name": document.name,
                "kind": document.kind,
                **({"text": document.text} if whole else {"id": document.id}),
                "page_starts": list(document.page_starts),
                "notes": list(document.notes),
                "encoding": document.encoding,
            }
            for document in corpus.documents
        ],
        "queries": [
            {
                "text": query.text,
                "passages": [
                    {
                        "document": places[passage.document],
                        "start": passage.start,
                        "end": passage.end,
                        "words": texts[passage.document][passage.start : passage.end],
                    }
                    for passage in query.passages
                    if passage.document in places
                ],
            }
            for query in corpus.queries
        ],
    }


def read_project(data: str | bytes, texts: Mapping[str, str] | None = None) -> Project:
    """The project of a file.

    Args:
        texts: The documents' texts by ``id``, where the file was written without them.

    Raises:
        ValueError: If it is no project file, is of a newer version, or something in it is missing or wrong; the
            sentence names the place, as in ``corpora.custom.queries[2].passages[0].end``.
    """
    try:
        found = json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        said = str(error) if isinstance(error, json.JSONDecodeError) else "it is no JSON in UTF-8"
        raise ValueError(f"This is no project file: {said}.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f'This is no project file: "format" must be "{FORMAT}".')
    version = found.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(f'This project file is damaged: "version" must be a whole number, not {version!r}.')
    if version > VERSION:
        raise ValueError(
            f"This project file is of version {version}, made by a newer release; this one reads up to {VERSION}."
        )
    settings = _expect(found, "settings", dict, "")
    for name, value in settings.items():
        if not isinstance(value, str):
            raise _wrong(f"settings.{name}", "a text", value)
    corpora = _expect(found, "corpora", dict, "")
    if texts is not None:
        _put_in(texts, corpora)
    return Project({name: _corpus(value, f"corpora.{name}") for name, value in corpora.items()}, dict(settings))


def _put_in(texts: Mapping[str, str], corpora: Mapping[str, Any]) -> None:
    for name, corpus in corpora.items():
        for place, document in enumerate(_expect(corpus, "documents", list, f"corpora.{name}")):
            where = f"corpora.{name}.documents[{place}]"
            known = _expect(document, "id", str, where)
            if known not in texts:
                raise ValueError(f"The text of {where} is missing.")
            document["text"] = texts[known]


def _corpus(value: Any, where: str) -> Corpus:
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    documents = tuple(
        _document(one, f"{where}.documents[{place}]")
        for place, one in enumerate(_expect(value, "documents", list, where))
    )
    if len({document.id for document in documents}) < len(documents):
        raise ValueError(f"This project file is damaged: {where}.documents holds the same text twice.")
    queries = tuple(
        _query(one, documents, f"{where}.queries[{place}]")
        for place, one in enumerate(_expect(value, "queries", list, where))
    )
    return Corpus(documents, queries)


def _document(value: Any, where: str) -> Document:
    name, kind, text = (_expect(value, key, str, where) for key in ("name", "kind", "text"))
    starts = _expect(value, "page_starts", list, where)
    whole = all(isinstance(start, int) and not isinstance(start, bool) for start in starts)
    if not whole or starts != sorted(starts) or (starts and not 0 <= starts[0] <= starts[-1] <= len(text)):
        raise _wrong(f"{where}.page_starts", "rising offsets within the text", starts)
    notes = _expect(value, "notes", list, where)
    if not all(isinstance(note, str) for note in notes):
        raise _wrong(f"{where}.notes", "texts", notes)
    encoding = value.get("encoding", "")  # not in the files of older releases
    if not isinstance(encoding, str):
        raise _wrong(f"{where}.encoding", "a text", encoding)
    return Document(name, text, kind, tuple(starts), tuple(notes), encoding)


def _query(value: Any, documents: tuple[Document, ...], where: str) -> Query:
    passages = tuple(
        _passage(one, documents, f"{where}.passages[{place}]")
        for place, one in enumerate(_expect(value, "passages", list, where))
    )
    return Query(_expect(value, "text", str, where), passages)


def _passage(value: Any, documents: tuple[Document, ...], where: str) -> Passage:
    place, start, end = (_expect(value, key, int, where) for key in ("document", "start", "end"))
    if not 0 <= place < len(documents):
        raise _wrong(f"{where}.document", f"the place of one of {len(documents)} documents", place)
    text = documents[place].text
    if not 0 <= start < end <= len(text):
        raise _wrong(f"{where}", f"a range within the {len(text):,} characters of its document", [start, end])
    if _expect(value, "words", str, where) != text[start:end]:
        raise ValueError(f"This project file is damaged: {where}.words is not what the text has there.")
    return Passage(documents[place].id, start, end)


_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


def _expect(value: Any, key: str, kind: type, where: str) -> Any:
    """The value of a key, which must be there and of that kind."""
    place = f"{where}.{key}" if where else key
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    if key not in value:
        raise ValueError(f"This project file is damaged: {place} is missing.")
    found: Any = value[key]
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise _wrong(place, _KINDS[kind], found)
    if isinstance(found, str) and not found.isascii() and any("\ud800" <= letter <= "\udfff" for letter in found):
        raise ValueError(f"This project file is damaged: {place} has a lone surrogate (half a character).")
    return found


def _wrong(where: str, wanted: str, found: Any) -> ValueError:
    said = json.dumps(found, ensure_ascii=False)
    shown = said if len(said) <= 60 else said[:59] + "…"
    return ValueError(f"This project file is damaged: {where} must be {wanted}, not {shown}.")
