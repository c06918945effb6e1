"""S03, S04: ``python -m ragchunk_core report``."""

from __future__ import annotations

import html
import re

import pytest

from ragchunk_core import compare, evaluate
from ragchunk_core.__main__ import main
from ragchunk_core.chunking import chunk
from ragchunk_core.projects import Project, project_json
from ragchunk_core.samples import sample_corpus


@pytest.fixture
def project(tmp_path):
    """An exported project with the sample corpus."""
    path = tmp_path / "project.json"
    settings = {"size": "200", "overlap": "0", "on": "fixed,sentence", "k": "2"}
    path.write_text(project_json(Project({"sample": sample_corpus()}, settings)), encoding="utf-8")
    return str(path)


def cells(page):
    """All table cells' texts in order."""
    return [html.unescape(one) for one in re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", page)]


def test_s03_the_report_holds_the_cores_numbers(project, tmp_path):
    """S03: chunks, recall and MRR of each chunker, and as many misses as passages that were not found."""
    out = tmp_path / "report.html"
    assert main(["report", project, "--method", "bm25", "--out", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    corpus = sample_corpus()
    sizes = {"size": 200}
    scored = evaluate(corpus.documents, corpus.queries, [("fixed", sizes), ("sentence", sizes)], ["bm25"], k=2)
    counted = compare([chunk(list(corpus.documents), name, size=200) for name in ("fixed", "sentence")])
    found = cells(page)
    assert all(f"{value:.3f}" in found for name in ("recall", "mrr") for value in scored[name])
    assert all(f"{value:,}" in found for value in counted["chunks"])
    assert len(re.findall(r"<summary>[^<]*BM25: \d+ missed</summary>", page)) == 2
    assert "<script" not in page
    assert "http" not in page.split("<h2>Versions")[0].replace("http-equiv", "")


def test_s03_one_chunker_twice_is_told_apart(project, capsysbinary):
    """S03: by its settings; the page goes to standard output."""
    chunkers = ["--chunker", "recursive size=100", "--chunker", "recursive size=300"]
    assert main(["report", project, *chunkers]) == 0
    found = cells(capsysbinary.readouterr().out.decode("utf-8"))
    assert {"recursive size=100", "recursive size=300"} <= set(found)


def test_s03_documents_without_questions_have_a_report_too(tmp_path, capsysbinary):
    """S03: the chunks alone."""
    path = tmp_path / "a.txt"
    path.write_text("Storks nest on the tower. " * 50)
    assert main(["report", str(path), "--chunker", "fixed size=100"]) == 0
    page = capsysbinary.readouterr().out.decode("utf-8")
    assert "<h2>Chunks</h2>" in page
    assert "<h2>Retrieval</h2>" not in page


def test_s03_an_error_is_one_sentence(project, capsys):
    """S03: k out of its bounds."""
    assert main(["report", project, "-k", "0"]) == 2
    assert capsys.readouterr().err == "error: k is 0; it must be 1 or more.\n"
