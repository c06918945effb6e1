"""S03, D10: commands read files as the app does: in processes of their own, within the limits, a bad one told."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from ragchunk_core.__main__ import main
from ragchunk_core.documents import isolated
from tests.test_isolated import SLOW, deep

HOSTILE = [
    "inputs/pdf_flate_bomb.pdf",
    "inputs/pdf_zero_pages.pdf",
    "pdf/bomb_giant.pdf",
    "pdf/evil_xobjects.pdf",
    "pdf/pages-tree-cyclic.pdf",
    "pdf/bug1020226_broken.pdf",
]


def refused(capsys, *paths):
    """The one sentence of a command that ends with 2."""
    assert main(["chunk", *map(str, paths)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("error: ")
    assert said.err.endswith(".\n")
    return said.err.removeprefix("error: ").strip()


@pytest.mark.parametrize("name", HOSTILE)
def test_s03_a_hostile_file_is_one_sentence_that_names_it(shared_data, capsys, name):
    path = shared_data / name
    assert refused(capsys, path).startswith(f"{path.name!r} ")


def test_s03_a_bomb_in_an_archive_is_not_unpacked(tmp_path, capsys):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("word/document.xml", bytes(300_000_000))
    path = tmp_path / "bomb.docx"
    path.write_bytes(packed.getvalue())
    assert path.stat().st_size < 500_000
    assert refused(capsys, path).startswith("'bomb.docx' unpacks to 300 MB ")


def test_s03_the_limits_on_time_and_memory_hold_for_commands(tmp_path, capsys, monkeypatch):
    """As the environment sets them; the process that reads is ended, the command goes on to say so."""
    slow, heavy = tmp_path / "slow.pdf", tmp_path / "heavy.html"
    slow.write_bytes(SLOW)
    heavy.write_bytes(deep(1_000_000))
    monkeypatch.setenv("RAGCHUNK_READ_SECONDS", "0.5")
    assert refused(capsys, slow).startswith("'slow.pdf' takes longer than 0.5 seconds to read ")
    monkeypatch.setenv("RAGCHUNK_READ_SECONDS", "300")
    monkeypatch.setenv("RAGCHUNK_READ_MEMORY", "120000000")
    assert refused(capsys, heavy).startswith("'heavy.html' needs more than 120 MB of memory to be read ")
    monkeypatch.setenv("RAGCHUNK_READ_MEMORY", "lots")
    assert refused(capsys, slow) == "RAGCHUNK_READ_MEMORY is 'lots'; it must be a number above 0."


def test_s03_many_files_share_a_few_processes_and_plain_text_needs_none(tmp_path, capsys, monkeypatch):
    started = []
    made = isolated._Process
    monkeypatch.setattr(isolated, "_Process", lambda: started.append(made()) or started[-1])
    isolated._POOL.close()
    texts, pages = [], []
    for number in range(30):
        texts.append(tmp_path / f"{number}.md")
        texts[-1].write_text(f"text {number}")
        pages.append(tmp_path / f"{number}.html")
        pages[-1].write_text(f"<p>page {number}")
    assert main(["chunk", *map(str, texts)]) == 0
    assert started == []
    assert main(["chunk", *map(str, pages)]) == 0
    assert 1 <= len(started) <= isolated.PROCESSES
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["text"] for row in rows] == [f"{kind} {n}" for kind in ("text", "page") for n in range(30)]


def test_s03_a_bad_file_among_good_ones_is_named(tmp_path, capsys):
    good, bad, gone = tmp_path / "good.txt", tmp_path / "bad.pdf", tmp_path / "gone.txt"
    good.write_text("good")
    bad.write_bytes(b"%PDF-1.7 broken")
    assert refused(capsys, good, bad, good).startswith("'bad.pdf' is broken or no PDF; ")
    assert refused(capsys, good, gone) == f"{gone} cannot be read: No such file or directory."


def test_s03_the_same_text_twice_is_noticed_and_used_once(tmp_path, capsys):
    one, two = tmp_path / "one.txt", tmp_path / "two.md"
    one.write_text("The same words.")
    two.write_text("The same words.")
    assert main(["chunk", str(one), str(two)]) == 0
    said = capsys.readouterr()
    assert said.err == f"{two} holds the same text as one.txt; it is used once.\n"
    assert [json.loads(line)["text"] for line in said.out.splitlines()] == ["The same words."]
