"""S03: the same work with no screen, by ``python -m ragchunk_core``."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from ragchunk_core import Corpus, Document, Passage, Query, chunk, compare, evaluate
from ragchunk_core.__main__ import main
from ragchunk_core.command_inputs import chunker_spec
from ragchunk_core.exports import export
from ragchunk_core.prefixes import prefix_effect
from ragchunk_core.projects import Project, project_json
from ragchunk_core.wordpieces import word_pieces

ROOT = Path(__file__).resolve().parent.parent
TEXT = "# Storks\n\nStorks nest on the tower. They return in April.\n\n## Food\n\nFrogs are what they eat. 🐸 " * 8


@pytest.fixture
def file(tmp_path):
    """A Markdown file."""
    path = tmp_path / "storks.md"
    path.write_text(TEXT, encoding="utf-8", newline="")
    return path


@pytest.fixture
def project(tmp_path):
    """An exported project with two judged queries, and its corpus."""
    document = Document.from_text(TEXT, name="storks.md", kind="markdown")
    nest, frogs = TEXT.index("Storks nest"), TEXT.index("Frogs")
    queries = (
        Query("where do storks nest", (Passage(document.id, nest, nest + 25),)),
        Query("who eats frogs", (Passage(document.id, frogs, frogs + 24),)),
        Query("not judged"),
    )
    corpus = Corpus((document,), queries)
    settings = {"size": "80", "overlap": "10", "on": "fixed,recursive", "k": "3"}
    path = tmp_path / "project.json"
    path.write_text(project_json(Project({"custom": corpus}, settings)), encoding="utf-8")
    return path, corpus


@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "parquet"])
def test_s03_chunk_writes_what_the_core_exports(file, tmp_path, format):
    """S03: by the ending of the file; settings as words."""
    out = tmp_path / f"chunks.{format}"
    spec = "recursive size=60 overlap=20% unit=words strip=false"
    assert main(["chunk", str(file), "--chunker", spec, "--out", str(out)]) == 0
    document = Document.from_bytes(TEXT.encode(), "storks.md")
    made = chunk(document, "recursive", size=60, overlap=12, unit="words", strip=False)
    assert out.read_bytes() == export(made, format)


def test_s03_chunks_go_to_standard_output_as_json_lines(file, capfdbinary):
    """S03: every line is a chunk, a slice of the file's text; two chunkers follow each other."""
    chunkers = ["--chunker", "sentence size=50", "--chunker", '{"chunker": "recursive", "separators": [" ", ""]}']
    assert main(["chunk", str(file), *chunkers]) == 0
    rows = [json.loads(line) for line in capfdbinary.readouterr().out.decode("utf-8").splitlines()]
    assert [row["chunker"] for row in rows] == sorted([row["chunker"] for row in rows], reverse=True)
    assert {row["chunker"] for row in rows} == {"sentence", "recursive"}
    assert all(row["text"] == TEXT[row["start"] : row["end"]] for row in rows)


def read_table(data, format):
    """A table as pandas reads it."""
    if format == "json":
        return pd.DataFrame(json.loads(data))
    return pd.read_csv(io.BytesIO(data)) if format == "csv" else pd.read_parquet(io.BytesIO(data))


@pytest.mark.parametrize("format", ["json", "csv", "parquet"])
def test_s03_compare_writes_the_cores_table(file, format, capfdbinary):
    """S03: the numbers of ``compare``, one row a chunker."""
    chunkers = ["--chunker", "fixed size=80", "--chunker", "markdown size=80"]
    assert main(["compare", str(file), *chunkers, "--format", format]) == 0
    made = read_table(capfdbinary.readouterr().out, format)
    document = Document.from_bytes(TEXT.encode(), "storks.md")
    expected = compare([[chunk(document, name, size=80)] for name in ("fixed", "markdown")])
    pd.testing.assert_frame_equal(made, expected, check_dtype=False, rtol=1e-9)


def test_s03_evaluate_takes_a_projects_settings(project, tmp_path):
    """S03: chunkers, sizes and k as in the file, unless the command says otherwise."""
    path, corpus = project
    out = tmp_path / "scores.parquet"
    assert main(["evaluate", str(path), "--method", "bm25", "--method", "okapi", "--out", str(out)]) == 0
    sizes = {"size": 80, "overlap": 10}
    expected = evaluate(
        corpus.documents, corpus.queries, [("fixed", sizes), ("recursive", sizes)], ["bm25", "okapi"], k=3
    )
    pd.testing.assert_frame_equal(pd.read_parquet(out), expected, check_dtype=False)
    more = ["--chunker", "sentence size=40", "-k", "1", "--theta", "1", "--budget", "100", "--confidence", "0.9"]
    assert main(["evaluate", str(path), *more, "--out", str(out)]) == 0
    expected = evaluate(
        corpus.documents,
        corpus.queries,
        [("sentence", {"size": 40})],
        ["bm25"],
        k=1,
        theta=1,
        budget=100,
        confidence=0.9,
    )
    pd.testing.assert_frame_equal(pd.read_parquet(out), expected, check_dtype=False)


def test_s03_a_missed_floor_ends_with_one(project, capsys):
    """S03: the sentence names the chunker, the method, the value and the floor; a floor that is met ends with 0."""
    path, corpus = project
    recall = evaluate(corpus.documents, corpus.queries, [("recursive", {"size": 80})], ["bm25"], k=5)["recall"][0]
    command = ["evaluate", str(path), "--chunker", "recursive size=80"]
    assert main([*command, "--fail-under", f"recall@5={recall:.3f}"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*command, "--fail-under", "recall@5=1.01", "--fail-under", "ceiling=0.1"]) == 1
    assert capsys.readouterr().err == f"recall@5 of recursive with bm25 is {recall:.3f}, below the floor of 1.01.\n"


def test_s03_a_folder_of_questions_is_evaluated(shared_data, capsys):
    """S03, R08: Chroma's folder; at k = 5 BM25 over recursive chunks finds most passages."""
    command = ["evaluate", str(shared_data / "chroma"), "--chunker", "recursive size=1000"]
    assert main([*command, "--fail-under", "recall@5=0.5"]) == 0
    assert capsys.readouterr().out.split()[:4] == ["chunker", "method", "recall", "mrr"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chunk", "nowhere.md"], "nowhere.md cannot be read: No such file"),
        (["chunk", "FILE", "--chunker", "magic"], "The chunker is 'magic'; allowed are fixed"),
        (["chunk", "FILE", "--chunker", "fixed 400"], "'400' must be name=value"),
        (["chunk", "FILE", "--chunker", "fixed color=red"], "--chunker fixed has no setting 'color'; it has ceiling"),
        (["chunk", "FILE", "--chunker", "fixed embed=1"], "--chunker fixed has no setting 'embed'"),
        (["chunk", "FILE", "--chunker", "fixed size=ten"], "The size is 'ten'"),
        (["chunk", "FILE", "--chunker", '{"size": 4}'], 'it must be an object with "chunker"'),
        (["chunk", "FILE", "--out", "a.docx"], "its ending must be one of json, jsonl, csv, parquet"),
        (["chunk", "FILE", "--out", "nowhere/a.csv"], "nowhere/a.csv cannot be written"),
        (["compare", "FILE", "--out", "a.jsonl"], "its ending must be one of json, csv, parquet"),
        (["evaluate", "FILE"], "No question has a marked passage"),
        (["alternatives", "FILE"], "No question has a marked passage"),
        (["evaluate", "PROJECT", "--corpus", "sample"], "--corpus is 'sample'"),
        (["evaluate", "PROJECT", "--fail-under", "speed=3"], "it must be a metric and its floor"),
        (["evaluate", "PROJECT", "-k", "3", "--fail-under", "recall@5=1"], "k is 3 and 5; one run has one k"),
        (["evaluate", "PROJECT", "-k", "0"], "k is 0; it must be 1 or more"),
        (["evaluate", "PROJECT", "--budget", "-1"], "budget is -1.0; it must be 0 or more"),
    ],
)
def test_s03_an_error_is_one_sentence_and_ends_with_two(file, project, capsys, arguments, message):
    """S03: nothing on standard output, one line on standard error."""
    places = {"FILE": str(file), "PROJECT": str(project[0])}
    assert main([places.get(one, one) for one in arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_s03_words_and_json_give_the_same_chunker():
    """S03: numbers, truth values and lists are read as such, all else as text."""
    words = chunker_spec('recursive size=400 overlap=15% unit=cl100k separators=["\\n",""] regex=false')
    whole = {"size": 400, "overlap": "15%", "unit": "cl100k", "separators": ["\n", ""], "regex": False}
    assert words == ("recursive", whole) == chunker_spec(json.dumps({"chunker": "recursive", **whole}))


@pytest.mark.parametrize(
    "command", [[], ["chunk"], ["compare"], ["evaluate"], ["alternatives"], ["ledger"], ["chroma-table"]]
)
def test_s03_help_can_be_read(command, capsys):
    """S03: each command explains itself."""
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert "usage: python -m ragchunk_core" in capsys.readouterr().out


def test_s03_it_runs_as_a_module(file):
    """S03: as typed in a shell, without a screen and without the embedding model."""
    command = [sys.executable, "-m", "ragchunk_core", "compare", str(file), "--chunker", "fixed size=50"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].split()[0] == "fixed"


def test_s03_questions_and_chunks_from_files(file, tmp_path, capsys):
    """S03, R13, R14: judged beside ours with the same scores; what could not be placed is told."""
    questions, chunks, table = tmp_path / "q.csv", tmp_path / "mine.jsonl", tmp_path / "table.json"
    start = TEXT.rindex("Frogs")
    document = Document.from_bytes(TEXT.encode(), "storks.md")
    questions.write_text(
        f"question,start,end,passage\nwho eats frogs,{start},{start + 24},\nwhere,,,nowhere\n", "utf-8"
    )
    rows = [{"text": one.text, "start": one.start} for one in chunk(document, "recursive", size=80)]
    chunks.write_text("\n".join(map(json.dumps, [*rows, {"text": "Herons."}])), "utf-8")
    command = ["evaluate", str(file), "--chunker", "recursive size=80", "--questions", str(questions)]
    assert main([*command, "--chunks", str(chunks), "--confidence", "0.95", "--out", str(table)]) == 0
    ours, mine = json.loads(table.read_text())
    assert (ours["chunker"], mine.pop("chunker")) == ("recursive", "mine")
    assert {name: value for name, value in ours.items() if name != "chunker"} == mine
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "q.csv, row 2: 'nowhere' does not occur; it is left out.",
        f"mine.jsonl: {len(rows)} of {len(rows) + 1} chunks placed: {len(rows)} by their offsets; 1 not placed.",
        f"mine.jsonl, chunk {len(rows) + 1}: It does not occur, not even nearly (a score of 0.9 or more).",
    ]
    chunks.write_text('{"text": "Herons."}')
    assert main([*command, "--chunks", str(chunks)]) == 2
    assert "mine.jsonl cannot be used: not one of its chunks could be placed." in capsys.readouterr().err


def test_s03_a_squad_file_is_a_question_set(shared_data, capsys):
    """S03, R14: XQuAD as it is; 1,190 questions are judged."""
    command = ["evaluate", str(shared_data / "xquad" / "xquad.en.json"), "--chunker", "sentence size=300"]
    assert main([*command, "--format", "json", "--fail-under", "recall@5=0.8"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["ceiling"] > 0.99


def test_s03_alternatives_are_those_of_the_core(project, tmp_path):
    """S03, R15, R19: one row a way; what returns or puts in front nothing has the scores of ``evaluate``."""
    path, corpus = project
    out = tmp_path / "ways.csv"
    command = ["alternatives", str(path), "--chunker", "recursive size=80", "-k", "2", "--out", str(out)]
    assert main(command) == 0
    table = pd.read_csv(out, keep_default_na=False)
    plain = evaluate(corpus.documents, corpus.queries, [("recursive", {"size": 80})], ["bm25"], k=2).iloc[0]
    firsts = table[table["way"].isin(["the chunk alone", "nothing"])]
    assert firsts["what"].tolist() == ["returned", "in front"]
    assert firsts["recall"].tolist() == pytest.approx([plain["recall"]] * 2)
    assert firsts["p"].tolist() == ["", ""]
    for name in ("title", "path"):
        effect = prefix_effect(chunk(list(corpus.documents), "recursive", size=80), corpus.queries, name, "bm25", k=2)
        row = table[table["way"] == name].iloc[0]
        assert row["mrr"] == pytest.approx(effect.with_prefix.reciprocal_rank.mean())
    assert len(table) == 8


def test_s03_the_ledger_counts_by_the_tokenizer(tmp_path, capsys):
    """S03, R18: of one long chunk the model reads 254 word pieces, beside its own two."""
    path = tmp_path / "long.md"
    path.write_text(TEXT * 3, encoding="utf-8", newline="")
    assert main(["ledger", str(path), "--chunker", "fixed size=5000", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    unread = len(TEXT * 3) - int(word_pieces().starts(TEXT * 3)[254])
    assert (row["chunks"], row["truncated"], row["unread"]) == (1, 1, unread)
