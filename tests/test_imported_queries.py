"""R14: questions and passages from files, by text or by offsets; what is doubtful is told and not used."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest

from ragchunk_core import Document, Passage, Query
from ragchunk_core.chroma_data import read_chroma_folder
from ragchunk_core.imported_queries import is_squad, read_queries, read_squad

TEXT = "Storks nest on the tower. They return in April.\n\nTotal: 5\n\nmore\n\nTotal: 5"
STORKS = Document.from_text(TEXT, name="storks.md")
FROGS = Document.from_text("Frogs are eaten by storks.", name="frogs.md")


def asked(rows, name="q.jsonl"):
    data = "\n".join(map(json.dumps, rows)) if name.endswith("jsonl") else json.dumps(rows)
    return read_queries(data.encode(), name, [STORKS, FROGS])


def test_r14_passages_come_by_text_by_offsets_or_both():
    """R14: bare texts, objects, one passage in the row's own columns; rows of one question are one question."""
    made = asked(
        [
            {"question": "When?", "passages": ["They return in April."]},
            {"query": "Where?", "references": [{"content": TEXT[:25], "start_index": 0, "end_index": 25}]},
            {"question": "What?", "answer": "Frogs are eaten", "document": "frogs.md"},
            {"question": "What?", "start": 19, "end": 25, "document": "notes/frogs.md"},
            {"question": "Which total?", "passages": [{"text": "Total: 5", "start": 65, "document": "storks"}]},
            {"question": "Not judged"},
        ]
    )  # fmt: skip
    start = TEXT.index("They")
    assert made.problems == (
        "q.jsonl, row 2: the offsets 0 to 25 name no document; it was placed where it occurs, at 0.",
    )
    assert made.queries == (
        Query("When?", (Passage(STORKS.id, start, start + 21),)),
        Query("Where?", (Passage(STORKS.id, 0, 25),)),
        Query("What?", (Passage(FROGS.id, 0, 15), Passage(FROGS.id, 19, 25))),
        Query("Which total?", (Passage(STORKS.id, 65, 73),)),
        Query("Not judged"),
    )
    assert made.passages == 5


def test_r14_a_text_that_occurs_twice_or_not_at_all_is_said():
    """R14: and left out; its places are told. White space alone is no difference, but is told."""
    made = asked(
        [
            {"question": "a", "passages": ["Total: 5", "Herons nest."]},
            {"question": "b", "passages": ["Storks  nest\non the tower."]},
            {"question": "c", "passages": [{"text": "April", "document": "herons.md"}]},
            {"question": "d", "passages": [{"start": 4, "document": "frogs.md"}]},
            {"question": "e", "passages": [{"start": 4, "end": 900, "document": "frogs.md"}]},
        ]
    )
    assert [query.passages for query in made.queries] == [(), (Passage(STORKS.id, 0, 25),), (), (), ()]
    assert made.problems == (
        "q.jsonl, row 1: 'Total: 5' occurs 2 times (at 49, 65); it is left out: give offsets.",
        "q.jsonl, row 1: 'Herons nest.' does not occur; it is left out.",
        "q.jsonl, row 2: 'Storks  nest\\non the tower.' was placed where only white space differs.",
        "q.jsonl, row 3: the document 'herons.md' is not among those here.",
        "q.jsonl, row 4: a passage has no text, or an end is missing; it is left out.",
        "q.jsonl, row 5: the offsets 4 to 900 do not hold a range of the text; it is left out.",
    )


def test_r14_offsets_that_do_not_hold_the_text_are_not_used():
    """R14: the passage goes where its text occurs once, and that is told; where it occurs twice it is left out."""
    made = asked(
        [
            {"question": "a", "passages": [{"text": "April", "start": 2, "end": 7, "document": "storks.md"}]},
            {"question": "b", "passages": [{"text": "Total: 5", "start": 50, "document": "storks.md"}]},
        ]
    )
    april = TEXT.index("April")
    assert [query.passages for query in made.queries] == [(Passage(STORKS.id, april, april + 5),), ()]
    assert made.problems == (
        f"q.jsonl, row 1: the offsets 2 to 7 do not hold 'April'; it was placed where it occurs, at {april}.",
        "q.jsonl, row 2: the offsets 50 to 58 do not hold 'Total: 5'; 'Total: 5' occurs 2 times (at 49, 65); "
        "it is left out: give offsets.",
    )


def test_r14_csv_parquet_and_json_are_read_alike():
    """R14: in a CSV a list of passages is JSON in a cell, or each row has one passage."""
    rows = [{"question": "When?", "passages": ["They return in April."]}, {"question": "Who?", "passages": ["Frogs"]}]
    expected = asked(rows).queries
    assert asked(rows, "q.json").queries == expected
    cells = io.StringIO(newline="")
    table = csv.DictWriter(cells, ["question", "passages"])
    table.writeheader()
    table.writerows({**row, "passages": json.dumps(row["passages"])} for row in rows)
    assert read_queries(cells.getvalue().encode("utf-8-sig"), "q.csv", [STORKS, FROGS]).queries == expected
    flat = "question,passage,document\nWhen?,They return in April.,storks.md\nWho?,Frogs,\n"
    assert read_queries(flat.encode(), "q.csv", [STORKS, FROGS]).queries == expected
    parquet = io.BytesIO()
    pd.DataFrame({"question": ["When?", "Who?"], "answer": ["They return in April.", "Frogs"]}).to_parquet(parquet)
    assert read_queries(parquet.getvalue(), "q.parquet", [STORKS, FROGS]).queries == expected


def test_r14_chromas_table_is_read_as_its_own_reader_does(shared_data):
    """R14: 472 questions and 790 passages, the offsets of all of them, also where a text occurs several times."""
    corpus = read_chroma_folder(shared_data / "chroma")
    data = (shared_data / "chroma" / "questions_df.csv").read_bytes()
    made = read_queries(data, "questions_df.csv", corpus.documents)
    assert made.problems == ()
    assert made.passages == 790
    assert made.queries == corpus.queries


@pytest.mark.parametrize("language", ["en", "ar", "hi", "th", "zh", "ru", "de"])
def test_r14_xquad_is_read_in_seven_languages(shared_data, language):
    """R14: 48 articles, 1,190 questions; every passage is the answer's text, in the paragraph that it was asked of."""
    data = (shared_data / "xquad" / f"xquad.{language}.json").read_bytes()
    corpus, problems = read_squad(data, "xquad.json")
    assert is_squad(data)
    assert problems == ()
    source = json.loads(data)["data"]
    assert len(corpus.documents) == len(source)
    flat = [
        (paragraph["context"], qa["question"], qa["answers"][0])
        for article in source
        for paragraph in article["paragraphs"]
        for qa in paragraph["qas"]
    ]
    assert len(flat) == len(corpus.queries) == 1190
    texts = {one.id: one.text for one in corpus.documents}
    for (context, question, answer), query in zip(flat, corpus.queries, strict=True):
        (passage,) = query.passages
        text = texts[passage.document]
        assert (query.text, text[passage.start : passage.end]) == (question, answer["text"])
        base = passage.start - answer["answer_start"]
        assert text[base : base + len(context)] == context


def test_r14_a_squad_answer_whose_offset_is_wrong_is_told():
    """R14: moved where its text occurs once in its paragraph, else left out; an unanswerable question has none."""
    paragraph = {
        "context": "One two. Two one two.",
        "qas": [
            {"question": "a", "answers": [{"text": "One", "answer_start": 3}]},
            {"question": "b", "answers": [{"text": "two", "answer_start": 0}]},
            {"question": "c", "answers": [{"text": "three", "answer_start": 4}, {"text": "two", "answer_start": 4}]},
            {"question": "d", "answers": []},
        ],
    }
    data = json.dumps({"data": [{"title": "T", "paragraphs": [{"context": "First.", "qas": []}, paragraph]}]}).encode()
    corpus, problems = read_squad(data, "s.json")
    (document,) = corpus.documents
    assert document.text == "First.\n\nOne two. Two one two."
    assert [query.passages for query in corpus.queries] == [
        (Passage(document.id, 8, 11),), (), (Passage(document.id, 12, 15),), (),
    ]  # fmt: skip
    assert problems == (
        "s.json, T, 'a': at 3 stands ' tw', not 'One'; it was placed where it occurs in its paragraph.",
        "s.json, T, 'b': at 0 stands 'One', not 'two', which occurs 2 times in its paragraph; it is left out.",
        "s.json, T, 'c': at 4 stands 'two. ', not 'three', which occurs 0 times in its paragraph; it is left out.",
    )


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b'{"passages": ["a"]}', "q.jsonl", "q.jsonl, row 1 has no question; it has passages"),
        (b'{"question": "a", "passages": [3]}', "q.jsonl", "row 1: a passage is 3; it must be a text or an object"),
        (b'{"question": "a", "passages": "[3"}', "q.jsonl", "row 1, passages is no JSON"),
        (b'{"question": "a", "start": "x", "end": 2}', "q.jsonl", "row 1: start is 'x'"),
    ],
)
def test_r14_a_bad_file_gets_one_sentence(data, name, message):
    """R14: with the row."""
    with pytest.raises(ValueError, match=message):
        read_queries(data, name, [STORKS])


@pytest.mark.parametrize("data", [b"[]", b'{"data": 3}', b'{"data": [{"paragraphs": [{}]}]}', b"\xff"])
def test_r14_another_layout_is_not_squads(data):
    """R14: one sentence that says what was expected."""
    with pytest.raises(ValueError, match="is not in SQuAD's layout"):
        read_squad(data, "s.json")
    assert not is_squad(b"[]")
