"""S03, R12: ``python -m ragchunk_core sweep``."""

from __future__ import annotations

import io
import json
import re

import pandas as pd
import pytest

from ragchunk_core.__main__ import main
from ragchunk_core.projects import Project, project_json
from ragchunk_core.samples import sample_corpus
from ragchunk_core.sweep import COLUMNS, sweep, sweep_table
from ragchunk_core.sweep_choice import pareto_front, recommend
from ragchunk_core.sweep_grid import Grid

LISTS = ["--chunkers", "recursive,markdown", "--sizes", "200,400", "--overlaps", "0,20%,300"]


@pytest.fixture
def project(tmp_path):
    """An exported project with the sample corpus."""
    path = tmp_path / "project.json"
    settings = {"size": "300", "overlap": "10", "on": "fixed,sentence", "k": "3", "unit": "chars"}
    path.write_text(project_json(Project({"sample": sample_corpus()}, settings)), encoding="utf-8")
    return str(path)


@pytest.fixture
def results():
    """What the core gives for the same lists."""
    corpus = sample_corpus()
    grid = Grid(("recursive", "markdown"), (200, 400), (0, "20%", 300), options={"markdown": ({}, {"context": "path"})})
    return [one for step in sweep(corpus.documents, corpus.queries, grid, k=3, workers=1) for one in step.results]


OPTIONS = ["--option", "markdown", "--option", "markdown context=path"]


@pytest.mark.parametrize("format", ["json", "csv", "parquet"])
def test_s03_sweep_writes_the_cores_table(project, results, format, capfdbinary):
    """S03: a row a setting in the grid's order; progress and what to take are on stderr."""
    assert main(["sweep", project, *LISTS, *OPTIONS, "--format", format]) == 0
    said = capfdbinary.readouterr()
    if format == "json":
        made = pd.DataFrame(json.loads(said.out))
    else:
        made = (pd.read_csv if format == "csv" else pd.read_parquet)(io.BytesIO(said.out))
    expected = sweep_table(results)
    assert list(made.columns) == list(COLUMNS)
    pd.testing.assert_frame_equal(made, expected, check_dtype=False, rtol=1e-9)
    shown = said.err.decode()
    assert "3 combinations left out: their overlap is not below their size." in shown
    assert f"{len(expected)} of {len(expected)} settings" in shown
    assert recommend(results).sentence() in shown


def test_s03_the_lists_default_to_the_projects_settings(project, tmp_path):
    """S03: chunkers, size, overlap, unit and k as in the file."""
    out = tmp_path / "table.parquet"
    assert main(["sweep", project, "--methods", "okapi", "--out", str(out)]) == 0
    table = pd.read_parquet(out)
    named = table[["chunker", "size", "overlap", "unit", "method"]].values.tolist()
    assert named == [["fixed", 300, 10, "chars", "okapi"], ["sentence", 300, 10, "chars", "okapi"]]


def test_s03_only_the_pareto_front_when_asked(project, results, tmp_path):
    """S03: its rows, best recall first."""
    out = tmp_path / "front.json"
    assert main(["sweep", project, *LISTS, *OPTIONS, "--pareto", "--out", str(out)]) == 0
    expected = pareto_front(sweep_table(results)).reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(out.read_text())), expected, check_dtype=False)


def test_s03_a_sweep_fails_when_its_best_setting_misses_the_floor(project, results, capsys):
    """S03: 0 when one setting reaches it, 1 when none does, with a sentence that names the best."""
    best = max(one.means["recall"] for one in results)
    command = ["sweep", project, *LISTS, *OPTIONS]
    assert main([*command, "--fail-under", f"recall@3={best - 0.001:.3f}"]) == 0
    capsys.readouterr()
    assert main([*command, "--fail-under", "recall@3=1.01", "--fail-under", "mrr=0.1"]) == 1
    assert f"The best of {len(results)}: recall@3 of " in (said := capsys.readouterr().err)
    assert f"is {best:.3f}, below the floor of 1.01." in said


def test_s03_the_same_command_again_runs_nothing_twice(project, tmp_path, monkeypatch, capsys):
    """S03, R12: with a store, and the same table."""
    command = ["sweep", project, *LISTS, "--store", str(tmp_path / "sweep.sqlite"), "--format", "csv"]
    assert main(command) == 0
    first = capsys.readouterr().out
    monkeypatch.setattr("ragchunk_core.sweep.run_cut", None)
    assert main(command) == 0
    assert capsys.readouterr().out == first
    with pytest.raises(TypeError):
        main([*command, "-k", "1"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "small"], "--sizes is 'small'; 'small' must be a whole number"),
        (["--sizes", "0"], "The size is 0"),
        (["--overlaps", "-3"], "The overlap is -3"),
        (["--chunkers", "magic"], "The chunker is 'magic'"),
        (["--methods", "luck"], "The method is 'luck'"),
        (["--units", "miles"], "The unit is 'miles'"),
        (["--option", "markdown size=3"], "size is no option of a chunker"),
        (["--option", "markdown colour=3"], "has no setting 'colour'"),
        (["--cost", "euros"], "--cost is 'euros'; allowed are characters, index_bytes, chunks"),
        (["-k", "3", "--fail-under", "recall@5=1"], "k is 3 and 5; one run has one k"),
        (["--fail-under", "map=0.5"], "--fail-under names map, which a sweep does not measure"),
        (["--scheduler", "tcp://127.0.0.1:1", "--workers", "2"], "with --scheduler give neither"),
        (["--workers", "0"], "workers is 0; it must be 1 or more"),
        (["--out", "a.docx"], "its ending must be one of json, csv, parquet"),
        (["--store", "nowhere/store.sqlite"], "The store 'nowhere/store.sqlite' cannot be used"),
    ],
)
def test_s03_an_error_is_one_sentence_and_ends_with_two(project, capsys, arguments, message):
    """S03: before anything is measured."""
    assert main(["sweep", project, *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_s03_files_without_questions_cannot_be_swept(tmp_path, capsys):
    """S03: one sentence."""
    path = tmp_path / "a.txt"
    path.write_text("Storks.")
    assert main(["sweep", str(path)]) == 2
    assert capsys.readouterr().err == "error: No question has a marked passage, so there is nothing to measure.\n"


def test_s03_help_teaches(capsys):
    """S03: what it does, how it resumes, and examples whose every option exists."""
    with pytest.raises(SystemExit):
        main(["sweep", "--help"])
    shown = capsys.readouterr().out
    assert "goes on where it was: the same command again" in shown
    for line in shown.splitlines():
        if line.startswith("  sweep "):
            assert all(f"  {word}" in shown for word in line.split() if word.startswith("--"))


@pytest.mark.parametrize("stored", [True, False])
def test_s03_an_interrupted_sweep_says_what_is_kept(project, tmp_path, monkeypatch, capsys, stored):
    """S03, R12: Ctrl+C after the first settings is one sentence, and with a store nothing is lost."""
    import ragchunk_core.sweep_command

    def interrupted(step):
        if step.done >= 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(ragchunk_core.sweep_command, "_tell", interrupted)
    command = ["sweep", project, *LISTS, *(["--store", str(tmp_path / "kept.sqlite")] if stored else [])]
    assert main(command) == 2
    said = capsys.readouterr()
    expected = "kept; the same command goes on there" if stored else "lost; with --store they are kept"
    assert re.search(rf"error: Stopped after \d+ of 10 settings: they are {expected}\.\n$", said.err)
    assert said.out == ""
