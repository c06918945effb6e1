"""D08: a project survives its file whole, and a bad file is refused with a sentence that names the place."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core.projects import FORMAT, VERSION, Project, project_json, read_project
from ragchunk_core.samples import sample_corpus, worked_example
from ragchunk_core.types import Corpus, Document, Passage, Query

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@st.composite
def corpora(draw):
    texts = draw(st.lists(TEXTS, max_size=4, unique=True))
    documents = tuple(
        Document(draw(TEXTS), text, draw(st.sampled_from(["text", "markdown", "pdf"])), (0, len(text)), (draw(TEXTS),))
        for text in texts
    )
    queries = []
    for _ in range(draw(st.integers(0, 3))):
        passages = []
        for document in documents:
            start = draw(st.integers(0, len(document.text) - 1))
            passages.append(Passage(document.id, start, draw(st.integers(start + 1, len(document.text)))))
        queries.append(Query(draw(TEXTS), tuple(passages)))
    return Corpus(documents, tuple(queries))


@given(st.dictionaries(TEXTS, corpora(), max_size=2), st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_d08_a_project_comes_back_whole(made, settings):
    """D08: documents with pages and notes, queries, marks and settings, in any characters."""
    project = Project(made, settings)
    assert read_project(project_json(project)) == project
    assert read_project(project_json(project).encode("utf-8")) == project
    assert read_project(b"\xef\xbb\xbf" + project_json(project).encode("utf-8")) == project


def test_d08_the_samples_come_back_whole():
    project = Project({"sample": sample_corpus(), "worked-example": worked_example()}, {"size": "400"})
    assert read_project(project_json(project)) == project


def test_d08_a_passage_is_written_with_its_words():
    """D08: so that a person can read the file, and a changed text is noticed."""
    corpus = sample_corpus()
    written = json.loads(project_json(Project({"sample": corpus})))["corpora"]["sample"]["queries"]
    for query, said in zip(corpus.queries, written, strict=True):
        for passage, one in zip(query.passages, said["passages"], strict=True):
            document = corpus.documents[one["document"]]
            assert document.id == passage.document
            assert one["words"] == document.text[one["start"] : one["end"]]


TWO_WORDS = Document("a.txt", "one two")
GOOD = json.loads(
    project_json(
        Project(
            {"custom": Corpus((TWO_WORDS,), (Query("q", (Passage(TWO_WORDS.id, 0, 3),)),))},
            {"size": "400"},
        )
    )
)  # fmt: skip


def changed(path, value):
    """The good file with one thing put in another's place; ``...`` takes it out."""
    made = copy.deepcopy(GOOD)
    place = made
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(made)


CUSTOM = ("corpora", "custom")
PASSAGE = (*CUSTOM, "queries", 0, "passages", 0)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "other", f'"format" must be "{FORMAT}"'),
        (("version",), VERSION + 1, "made by a newer release"),
        (("version",), "1", '"version" must be a whole number'),
        (("version",), True, '"version" must be a whole number'),
        (("settings",), ..., "settings is missing"),
        (("settings", "size"), 400, "settings.size must be a text, not 400"),
        (("corpora",), [], "corpora must be an object"),
        ((*CUSTOM,), None, "corpora.custom must be an object, not null"),
        ((*CUSTOM, "documents"), ..., "corpora.custom.documents is missing"),
        ((*CUSTOM, "documents", 0), "a", "corpora.custom.documents[0] must be an object"),
        ((*CUSTOM, "documents", 0, "text"), 5, "corpora.custom.documents[0].text must be a text, not 5"),
        ((*CUSTOM, "documents", 0, "text"), "on", "must be a range within the 2 characters"),
        ((*CUSTOM, "documents", 0, "text"), "two one", "words is not what the text has there"),
        ((*CUSTOM, "documents", 0, "page_starts"), [3, 1], "page_starts must be rising offsets"),
        ((*CUSTOM, "documents", 0, "page_starts"), [0, 99], "page_starts must be rising offsets"),
        ((*CUSTOM, "documents", 0, "page_starts"), [0.5], "page_starts must be rising offsets"),
        ((*CUSTOM, "documents", 0, "notes"), [1], "notes must be texts"),
        ((*CUSTOM, "queries", 0, "text"), None, "corpora.custom.queries[0].text must be a text, not null"),
        ((*PASSAGE, "document"), 1, "passages[0].document must be the place of one of 1 documents, not 1"),
        ((*PASSAGE, "start"), -1, "must be a range within the 7 characters"),
        ((*PASSAGE, "end"), True, "passages[0].end must be a whole number, not true"),
        ((*PASSAGE, "end"), 0, "must be a range"),
    ],
)  # fmt: skip
def test_d08_what_is_wrong_with_a_file_is_said(path, value, said):
    with pytest.raises(ValueError) as error:
        read_project(changed(path, value))
    assert said in str(error.value)
    assert str(error.value).endswith(".")


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", "[" * 100_000, "[]", "3", "{", b"%PDF-1.7", '{"format": null}', "{}"], ids=range(9)
)
def test_d08_what_is_no_project_is_said_to_be_none(data):
    with pytest.raises(ValueError, match="This is no project file"):
        read_project(data)


@pytest.mark.parametrize("path", [(*CUSTOM, "documents", 0, "text"), (*CUSTOM, "queries", 0, "text")])
def test_d08_a_lone_surrogate_is_refused(path):
    with pytest.raises(ValueError, match=r"text has a lone surrogate"):
        read_project(changed(path, "one two \ud800"))


def test_d08_the_same_text_twice_is_refused():
    """A text is known by its hash: two of them could not be told apart in marks."""
    twice = copy.deepcopy(GOOD)
    twice["corpora"]["custom"]["documents"] *= 2
    with pytest.raises(ValueError, match="holds the same text twice"):
        read_project(json.dumps(twice))
