"""Questions and passages made elsewhere, from CSV, JSON, JSON Lines, Parquet, or SQuAD's layout (R14).

A passage comes as offsets, as a text, or as both. Nothing is guessed: offsets at which the text does not stand are
told, and a text that occurs several times or not at all is left out and told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragchunk_core.imported import DOCUMENT, END, START
from ragchunk_core.placing import Searched
from ragchunk_core.table_rows import Row, json_of, offset_of, rows_of, value_of
from ragchunk_core.types import Corpus, Document, Passage, Query

QUESTION = ("question", "query", "text")
PASSAGES = ("passages", "references", "answers")
WORDS = ("passage", "answer", "content", "words", "excerpt", "text")
"""Names of columns that are known; in a passage of a list the same."""


@dataclass(frozen=True, slots=True)
class ImportedQueries:
    """What came of a question file.

    Attributes:
        queries: Every question, in order; one whose passages were all left out is there without any.
        problems: A sentence for each passage that was left out or placed elsewhere than it said.
    """

    queries: tuple[Query, ...]
    problems: tuple[str, ...]

    @property
    def passages(self) -> int:
        """How many passages were placed."""
        return sum(len(query.passages) for query in self.queries)


def read_queries(data: bytes, name: str, documents: Sequence[Document]) -> ImportedQueries:
    """Questions about these documents.

    A row is a question (``QUESTION``) with a list of passages (``PASSAGES``; in a CSV as JSON), or with one passage in
    columns of its own (``WORDS``, ``start``, ``end``, ``document``); rows with the same question are one question. A
    passage is an object with these names, or a bare text.

    Raises:
        ValueError: If the file cannot be read, or a row has no question.
    """
    places = _Places(documents)
    queries: dict[str, list[Passage]] = {}
    problems = []
    for number, row in enumerate(rows_of(data, name), start=1):
        where = f"{name}, row {number}"
        question = value_of(row, QUESTION)
        if not isinstance(question, str) or not question.strip():
            raise ValueError(f"{where} has no question; it has {', '.join(map(str, row))}.")
        passages = queries.setdefault(question, [])
        for one in _given(row, where):
            passage, problem = places.passage(one, value_of(row, DOCUMENT), where)
            if passage is not None and passage not in passages:
                passages.append(passage)
            if problem:
                problems.append(f"{where}: {problem}")
    made = tuple(Query(text, tuple(passages)) for text, passages in queries.items())
    return ImportedQueries(made, tuple(problems))


def _given(row: Row, where: str) -> Iterator[Row]:
    """The passages of a row as mappings."""
    listed = value_of(row, PASSAGES)
    if isinstance(listed, str) and listed.lstrip().startswith("["):
        listed = json_of(listed, f"{where}, passages")
    if listed is not None:
        for one in listed if isinstance(listed, list) else [listed]:
            if not isinstance(one, str | Mapping):
                raise ValueError(f"{where}: a passage is {one!r}; it must be a text or an object.")
            yield {"passage": one} if isinstance(one, str) else one
        return
    # "text" may be the question itself; then it is no passage.
    own = {key: value for key, value in row.items() if key not in QUESTION or value_of(row, QUESTION) != value}
    if value_of(own, WORDS) is not None or value_of(own, START) is not None:
        yield own


class _Places:
    """The documents, to find passages in."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.searched = [Searched(one.text) for one in documents]

    def passage(self, given: Row, document: Any, where: str) -> tuple[Passage | None, str]:
        """The passage, or None; and a sentence where something is to be told."""
        named = value_of(given, DOCUMENT)
        named = document if named is None else named
        indices = self._named(named)
        if not indices:
            return None, f"the document {named!r} is not among those here."
        words = value_of(given, WORDS)
        words = None if words is None else str(words)
        start, end = offset_of(given, (*START, "answer_start"), where), offset_of(given, END, where)
        if start is not None and end is None and words is not None:
            end = start + len(words)
        told = ""
        if start is not None and end is not None:
            if len(indices) == 1:
                text = self.documents[indices[0]].text
                if start < end <= len(text) and words in (None, text[start:end]):
                    return Passage(self.documents[indices[0]].id, start, end), ""
                told = f"the offsets {start} to {end} do not hold {_shown(words)}"
            else:
                told = f"the offsets {start} to {end} name no document"
        if words is None:
            return None, f"{told or 'a passage has no text, or an end is missing'}; it is left out."
        return self._by_words(words, indices, told)

    def _named(self, named: Any) -> list[int]:
        if named is None:
            return list(range(len(self.documents)))
        if isinstance(named, int) and not isinstance(named, bool):
            return [named] if 0 <= named < len(self.documents) else []
        wanted = str(named).replace("\\", "/").rpartition("/")[2]
        exact = [n for n, doc in enumerate(self.documents) if str(named) in (doc.id, doc.name)]
        return exact or [n for n, doc in enumerate(self.documents) if wanted in (doc.name, doc.name.rpartition(".")[0])]

    def _by_words(self, words: str, indices: list[int], told: str) -> tuple[Passage | None, str]:
        found = [(index, place) for index in indices for place in self.searched[index].places(words)]
        found = [one for one in found if one[1].how == "exact"] or [one for one in found if one[1].how == "spaces"]
        told = f"{told}; " if told else ""
        if not found:
            return None, f"{told}{_shown(words)} does not occur; it is left out."
        if len(found) > 1:
            at = ", ".join(f"{place.start:,}" for _, place in found[:5])
            return None, f"{told}{_shown(words)} occurs {len(found):,} times (at {at}); it is left out: give offsets."
        index, place = found[0]
        passage = Passage(self.documents[index].id, place.start, place.end)
        if told:
            return passage, f"{told}it was placed where it occurs, at {place.start:,}."
        return passage, "" if place.how == "exact" else f"{_shown(words)} was placed where only white space differs."


def _shown(words: str | None) -> str:
    if words is None:
        return "a range of the text"
    return repr(words if len(words) <= 60 else words[:59] + "…")


def read_squad(data: bytes, name: str) -> tuple[Corpus, tuple[str, ...]]:
    """A question set in SQuAD's layout (SQuAD, XQuAD, MLQA …), which brings its texts.

    An article's paragraphs are joined by blank lines into one document, since single ones are too short to be cut. An
    answer whose offset does not hold its text is placed where the text occurs in its paragraph, if it does so once.

    Returns:
        The corpus, and a sentence for each answer that was left out or moved.

    Raises:
        ValueError: If it is not of this layout.
    """
    try:
        found = json_of(data.decode("utf-8-sig"), name)
        articles = found["data"]
        documents, queries, problems = [], [], []
        for number, article in enumerate(articles, start=1):
            contexts = [paragraph["context"] for paragraph in article["paragraphs"]]
            title = str(article.get("title") or f"article {number}")
            document = Document.from_text("\n\n".join(contexts), name=title)
            documents.append(document)
            base = 0
            for context, paragraph in zip(contexts, article["paragraphs"], strict=True):
                for asked in paragraph["qas"]:
                    passages = []
                    for answer in asked["answers"]:
                        start, problem = _answer(context, answer["text"], answer["answer_start"])
                        if problem:
                            problems.append(f"{name}, {title}, {asked['question']!r}: {problem}")
                        if start is not None:
                            passages.append(Passage(document.id, base + start, base + start + len(answer["text"])))
                    queries.append(Query(asked["question"], tuple(dict.fromkeys(passages))))
                base += len(context) + 2
    except (KeyError, TypeError, AttributeError, UnicodeDecodeError):
        raise ValueError(
            f"{name} is not in SQuAD's layout: data[].paragraphs[] with context and qas[] of question and answers[]."
        ) from None
    return Corpus(tuple({one.id: one for one in documents}.values()), tuple(queries)), tuple(problems)


def _answer(context: str, words: str, start: int) -> tuple[int | None, str]:
    if words and context[start : start + len(words)] == words and start >= 0:
        return start, ""
    said = (
        f"at {start} stands {context[max(0, start) : max(0, start) + max(1, len(words))][:40]!r}, not {_shown(words)}"
    )
    times = context.count(words) if words else 0
    if times == 1:
        return context.find(words), f"{said}; it was placed where it occurs in its paragraph."
    return None, f"{said}, which occurs {times} times in its paragraph; it is left out."


def is_squad(data: bytes) -> bool:
    """Whether a JSON file looks like SQuAD's layout."""
    try:
        found = json.loads(data)
        return isinstance(found["data"][0]["paragraphs"], list)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return False
