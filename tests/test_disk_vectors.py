"""R02, S03: the disk cache of vectors of the command line, and how close bfloat16 comes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from ragchunk_core.__main__ import main
from ragchunk_core.disk_vectors import DiskVectors, embedder_with
from ragchunk_core.embedders import Embedder
from ragchunk_core.projects import Project, project_json
from ragchunk_core.samples import sample_corpus
from ragchunk_core.vector_cache import VectorCache

ROOT = Path(__file__).resolve().parent.parent


def test_r02_vectors_come_back_from_the_file_to_the_bit(tmp_path):
    """R02: by another object, with no memory of them; and nothing is dropped for want of memory."""
    rows = np.random.default_rng(0).normal(size=(50, 384)).astype(np.float32)
    first = DiskVectors(tmp_path / "v.sqlite", max_bytes=5_000)
    for number, row in enumerate(rows):
        first.put(bytes([number]), row)
    for cache in (first, DiskVectors(tmp_path / "v.sqlite")):
        assert len(cache) == 50
        for number, row in enumerate(rows):
            assert bytes([number]) in cache
            assert cache.get(bytes([number])).tobytes() == row.tobytes()
        assert cache.get(b"unknown") is None
        assert b"unknown" not in cache
    first.clear()
    assert len(DiskVectors(tmp_path / "v.sqlite")) == 0


def test_r02_threads_and_objects_share_the_file(tmp_path):
    """R02: four threads, two of them on the same object, write and read at the same time."""
    caches = [DiskVectors(tmp_path / "v.sqlite", max_bytes=1) for _ in range(3)]

    def work(cache, first):
        for number in range(first, first + 100):
            cache.put(number.to_bytes(2), np.full(8, number, dtype=np.float32))
            assert cache.get(number.to_bytes(2)).tolist() == [number] * 8

    threads = [
        threading.Thread(target=work, args=(cache, 50 * place)) for place, cache in enumerate([*caches, caches[0]])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caches[1]) == 250


def test_r02_a_second_run_of_the_command_embeds_nothing(tmp_path):
    """R02, S03: the second process does not so much as import PyTorch, and its table is the same to the last digit."""
    path = tmp_path / "project.json"
    path.write_text(project_json(Project({"sample": sample_corpus()}, {"size": "900", "on": "recursive"})), "utf-8")
    code = "import sys; from ragchunk_core.__main__ import main; print(main(sys.argv[1:]), 'torch' in sys.modules)"
    command = [
        "evaluate",
        str(path),
        "--method",
        "emb",
        "--vector-cache",
        str(tmp_path / "v.sqlite"),
        "--format",
        "csv",
    ]
    ran = [
        subprocess.run([sys.executable, "-c", code, *command], cwd=ROOT, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    tables, ends = zip(*[(one.stdout.splitlines()[:-1], one.stdout.splitlines()[-1]) for one in ran], strict=True)
    assert ends == ("0 True", "0 False")
    assert tables[0] == tables[1]
    assert len(tables[0]) == 2


def test_r02_the_key_tells_models_number_types_and_texts_apart(tmp_path, monkeypatch):
    """R02: the same text in another number type is another vector."""
    asked = []

    def forward(self, texts, role):
        asked.append((self.dtype, texts))
        return np.eye(len(texts), 384, dtype=np.float32)

    monkeypatch.setattr(Embedder, "_forward", forward)
    for dtype in ("float32", "bfloat16", "float32"):
        embedder_with(tmp_path / "v.sqlite", dtype).encode(["a text"])
    embedder_with(tmp_path / "v.sqlite", "float32").encode(["a text", "another"])
    assert asked == [("float32", ["a text"]), ("bfloat16", ["a text"]), ("float32", ["another"])]


def test_r02_without_a_file_nothing_is_written(tmp_path, monkeypatch, capsys):
    """R02: off unless it is asked for."""
    monkeypatch.setattr(sqlite3, "connect", None)
    path = tmp_path / "project.json"
    path.write_text(project_json(Project({"sample": sample_corpus()}, {"on": "recursive"})), encoding="utf-8")
    assert main(["evaluate", str(path)]) == 0
    assert capsys.readouterr().err == ""


def test_r02_bfloat16_vectors_point_where_float32s_do(shared_data):
    """R02: cosine of each text's two vectors 0.999 or more, on real paragraphs of every length; with or without AMX."""
    text = (shared_data / "chroma" / "wikitexts.md").read_text(encoding="utf-8")
    lengths = [10, 40, 120, 300, 600, 1200] * 8
    ends = np.cumsum(lengths).tolist()
    pieces = [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    exact, half = (
        Embedder("all-MiniLM-L6-v2", dtype, VectorCache()).encode(pieces) for dtype in ("float32", "bfloat16")
    )
    cosines = np.einsum("ij,ij->i", exact.astype(float), half.astype(float))
    assert cosines.min() >= 0.999
    assert (exact != half).any()


def test_r02_a_vector_cache_in_the_wrong_place_is_one_sentence(tmp_path, capsys):
    """S03: exit code 2."""
    path = tmp_path / "project.json"
    path.write_text(project_json(Project({"sample": sample_corpus()}, {"on": "recursive"})), encoding="utf-8")
    with pytest.raises(ValueError, match="The vector cache"):
        embedder_with(tmp_path / "no" / "v.sqlite")
    assert main(["evaluate", str(path), "--method", "emb", "--vector-cache", str(tmp_path / "no" / "v")]) == 2
    assert "cannot be used: unable to open database file." in capsys.readouterr().err
