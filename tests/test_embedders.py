"""Vectors are those that sentence-transformers gives, with no network (R02); MiniLM's word pieces (U07)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import embedders, model_loading
from ragchunk_core.embedders import BATCH, Embedder, load_embedder, model_folder
from ragchunk_core.retrievers.dense import dense_rankings
from ragchunk_core.vector_cache import VectorCache
from ragchunk_core.wordpieces import WordPieces, packaged_folder, word_pieces

# The example on the library's own page, and the similarities it prints there.
EXAMPLE = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
SIMILARITIES = [0.6660, 0.1046, 0.1411]


def pairs(vectors: embedders.Vectors) -> list[float]:
    return [float(vectors[a] @ vectors[b]) for a, b in ((0, 1), (0, 2), (1, 2))]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    """One loaded model for many tests, in single precision; each test brings its own cache."""
    return load_embedder(dtype="float32")


@pytest.fixture
def fresh(minilm: Embedder) -> Iterator[Embedder]:
    kept, minilm.cache = minilm.cache, VectorCache()
    yield minilm
    minilm.cache = kept


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real, random model: one layer, 24 numbers a vector, 64 word pieces, prompts for both roles."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    base, folder = tmp_path_factory.mktemp("base"), tmp_path_factory.mktemp("tiny")
    torch.manual_seed(0)
    shape = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=30522, max_position_embeddings=64, **shape)).save_pretrained(base)
    AutoTokenizer.from_pretrained(packaged_folder(), local_files_only=True).save_pretrained(base)
    body = Transformer(str(base), max_seq_length=64)
    prompts = {"query": "ask: ", "document": "text: "}
    SentenceTransformer(modules=[body, Pooling(24)], prompts=prompts, device="cpu").save(str(folder))
    return folder


# --- word pieces ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vocabulary() -> set[str]:
    return set((packaged_folder() / "vocab.txt").read_text("utf-8").split("\n"))


def slow_starts(text: str, vocabulary: set[str]) -> list[int]:
    """WordPiece by its description, for ASCII text: each word cut into the longest known pieces."""
    starts = []
    for word in re.finditer(r"[A-Za-z0-9]+|[^\w\s]|_", text):
        place, found = 0, []
        while place < len(word[0]):
            prefix = "##" if place else ""
            ends = range(len(word[0]), place, -1)
            end = next((end for end in ends if prefix + word[0][place:end].lower() in vocabulary), None)
            if end is None or len(word[0]) > 100:
                found = [0]  # the whole word is one unknown piece
                break
            found.append(place)
            place = end
        starts += [word.start() + place for place in found]
    return starts


@given(text=st.text(st.sampled_from("abcdefgABCXYZ 019.,'-_(\n\t"), max_size=80))
def test_u07_pieces_begin_where_a_slow_count_says(vocabulary: set[str], text: str) -> None:
    expected = slow_starts(text, vocabulary)
    assert word_pieces().starts(text).tolist() == expected
    assert word_pieces().counts([text]).tolist() == [len(expected)]


def test_u07_pieces_of_real_text_begin_where_a_slow_count_says(shared_data: Path, vocabulary: set[str]) -> None:
    text = (shared_data / "chroma" / "finance.md").read_text("utf-8")[:120_000]
    assert text.isascii()
    expected = slow_starts(text, vocabulary)
    assert word_pieces().starts(text).tolist() == expected
    assert word_pieces().counts([text]).tolist() == [len(expected)]


@given(st.lists(st.text(max_size=40), max_size=5))
def test_u07_every_text_can_be_counted_and_starts_agree(texts: list[str]) -> None:
    counts = word_pieces().counts(texts)
    assert counts.dtype == np.int64
    for text, count in zip(texts, counts.tolist(), strict=True):
        starts = word_pieces().starts(text)
        assert len(starts) == count
        assert (np.diff(starts) >= 0).all()
        assert all(0 <= start < len(text) for start in starts.tolist())
    assert word_pieces().counts(texts, special=True).tolist() == (counts + 2).tolist()


def test_u07_starts_are_code_points_of_the_text_as_written() -> None:
    # Two emoji, an accent that is stripped, a control character that is dropped, half a surrogate pair.
    text = "😀 é 😀 na\u0301 \x00dog \ud800 cat"
    assert word_pieces().starts(text).tolist() == [0, 2, 4, 6, text.index("d"), text.index("c")]


def test_u07_long_texts_are_counted_in_parts_without_a_difference() -> None:
    definition = (packaged_folder() / "tokenizer.json").read_text("utf-8")
    text = "Lighthouses stand unbelievably tall, " * 8_000 + "x" * 120_000 + " 灯台" * 60_000
    whole = WordPieces(definition)
    whole._cut = lambda text: iter([text])  # type: ignore[method-assign]
    assert word_pieces().starts(text).tolist() == whole.starts(text).tolist()
    assert word_pieces().counts([text, "dog"]).tolist() == whole.counts([text, "dog"]).tolist()


def test_u07_one_bare_string_is_refused() -> None:
    with pytest.raises(ValueError, match="texts must be a list of strings, not one str"):
        word_pieces().counts("a text")


# --- vectors --------------------------------------------------------------------------------------


def test_r02_similarities_are_those_that_the_library_prints(fresh: Embedder) -> None:
    assert pairs(fresh.encode(EXAMPLE)) == pytest.approx(SIMILARITIES, abs=5e-5)


def test_r02_bfloat16_is_close_and_the_number_type_is_shown() -> None:
    half = Embedder("all-MiniLM-L6-v2", "bfloat16", cache=VectorCache())
    vectors = half.encode(EXAMPLE)
    assert (half.dtype, vectors.dtype) == ("bfloat16", np.float32)
    assert pairs(vectors) == pytest.approx(SIMILARITIES, abs=5e-3)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(("flags", "dtype"), [("fpu amx_bf16 amx_tile", "bfloat16"), ("fpu avx512_bf16", "float32")])
def test_r02_auto_chooses_the_number_type_by_the_processor(
    monkeypatch: pytest.MonkeyPatch, flags: str, dtype: str
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: f"processor : 0\nflags\t\t: {flags}\nbugs : amx_bf16\n")
    model_loading._has_amx.cache_clear()
    try:
        assert model_loading.resolve_dtype("auto") == dtype
    finally:
        model_loading._has_amx.cache_clear()


@pytest.fixture(scope="module")
def mixed(shared_data: Path) -> list[str]:
    text = (shared_data / "chroma" / "wikitexts.md").read_text("utf-8")
    lengths = np.random.default_rng(0).integers(10, 1200, 40).tolist()
    ends = np.cumsum(lengths).tolist()
    return [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def test_r02_vectors_equal_the_librarys_own(fresh: Embedder, mixed: list[str]) -> None:
    theirs = fresh.load().encode(mixed, normalize_embeddings=True, show_progress_bar=False)
    assert np.abs(fresh.encode(mixed) - theirs).max() < 1e-6


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_r02_a_vector_does_not_depend_on_the_other_texts_by_one_bit(mixed: list[str], dtype: str) -> None:
    embedder = load_embedder(dtype=dtype)
    kept = embedder.cache
    try:
        runs = []
        for texts in (mixed, mixed[::-1], mixed[:7], mixed[3:4]):
            embedder.cache = VectorCache()
            runs.append(dict(zip(texts, embedder.encode(texts), strict=True)))
    finally:
        embedder.cache = kept
    for run in runs[1:]:
        assert all((vector == runs[0][text]).all() for text, vector in run.items())


def test_r02_blank_texts_are_zeros_and_never_outrank_real_ones(fresh: Embedder, shared_data: Path) -> None:
    lines = (shared_data / "cases.jsonl").read_text("utf-8").rstrip("\n").split("\n")
    blank = next(case["input"] for case in map(json.loads, lines) if case["id"] == "emb-02")
    vectors = fresh.encode([*blank, "\n\u200b\ufeff\x00", "A dog."])
    assert vectors.shape == (4, 384)
    assert not vectors[:3].any()
    assert len(fresh.cache) == 1
    assert dense_rankings(vectors, fresh.encode(["cat"])).ids[0].tolist() == [3]
    assert fresh.encode([]).shape == (0, 384)
    assert fresh.encode([]).dtype == np.float32


def test_r02_texts_past_the_limit_are_truncated_as_the_model_does_and_said_so(fresh: Embedder) -> None:
    assert (fresh.limit, fresh.dimension) == (256, 384)
    texts = ["dog " * 254, "dog " * 255, "dog " * 254 + "cat " * 90, "cat"]
    assert fresh.counts(texts).tolist() == [256, 257, 346, 3]
    assert fresh.truncated(texts).tolist() == [False, True, True, False]
    vectors = fresh.encode(texts)
    assert (vectors[0] == vectors[1]).all()
    assert (vectors[0] == vectors[2]).all()
    assert fresh.truncated([]).shape == (0,)


def test_r02_each_distinct_text_is_computed_once(fresh: Embedder) -> None:
    seen: list[tuple[int, int]] = []
    texts = [f"Lighthouse number {number % 40}." for number in range(100)]
    first = fresh.encode(texts, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 40), (16, 40), (32, 40), (40, 40)]
    assert len(fresh.cache) == 40
    assert (first[:20] == first[40:60]).all()
    seen.clear()
    again = fresh.encode([*texts, "New."], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1), (1, 1)]
    assert (again[:100] == first).all()
    assert (fresh.encode(texts[:1], role="query") == first[:1]).all()


def test_r02_an_interrupted_run_keeps_what_it_had(fresh: Embedder) -> None:
    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    texts = [f"Beacon {number}." for number in range(3 * BATCH)]
    with pytest.raises(KeyboardInterrupt):
        fresh.encode(texts, progress=stop)
    seen: list[tuple[int, int]] = []
    fresh.encode(texts, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 2 * BATCH)


def test_r02_the_cache_forgets_what_was_not_used_for_longest() -> None:
    vector = np.ones(100, dtype=np.float32)
    cache = VectorCache(max_bytes=3 * 600)
    for key in (b"a", b"b", b"c"):
        cache.put(key, vector)
    assert cache.get(b"a") is not None
    cache.put(b"d", vector)
    cache.put(b"d", vector)
    assert [cache.get(key) is not None for key in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
    assert cache.nbytes == 3 * 600
    vector[:] = 2
    assert cache.get(b"d").tolist() == [1.0] * 100  # type: ignore[union-attr]
    cache.put(b"too large", np.ones(1000, dtype=np.float32))
    assert (len(cache), cache.nbytes) == (0, 0)
    cache.put(b"a", vector)
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)


def test_r02_a_full_cache_changes_no_vector(fresh: Embedder) -> None:
    texts = [f"Buoy {number}." for number in range(20)]
    expected = fresh.encode(texts)
    fresh.cache = VectorCache(max_bytes=4_000)
    assert (fresh.encode(texts) == expected).all()
    assert len(fresh.cache) == 2


# --- threads --------------------------------------------------------------------------------------


def test_r02_two_sessions_load_the_model_once_and_take_turns(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    turns: list[str] = []
    real_load, real_forward = embedders.load_model, Embedder._forward

    def load(name: str, dtype: str) -> Any:
        loads.append(name)
        return real_load(name, dtype)

    def forward(self: Embedder, texts: list[str], role: embedders.Role) -> embedders.Vectors:
        turns.append(texts[0][:1])
        return real_forward(self, texts, role)

    monkeypatch.setattr(embedders, "load_model", load)
    monkeypatch.setattr(Embedder, "_forward", forward)
    monkeypatch.setattr(embedders, "_SLOTS", type(embedders._SLOTS)())
    both_ready = threading.Barrier(2)
    results: dict[str, embedders.Vectors] = {}

    def session(letter: str) -> None:
        both_ready.wait()
        embedder = load_embedder(str(tiny_folder))
        both_ready.wait()
        results[letter] = embedder.encode([f"{letter} {number}" for number in range(20 * BATCH)])

    threads = [threading.Thread(target=session, args=(letter,)) for letter in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [str(tiny_folder)]
    assert len(results["a"]) == len(results["b"]) == 20 * BATCH
    # Neither runs away with the model: while both are at it, they alternate.
    first_done = min(len(turns) - turns[::-1].index(letter) for letter in "ab")
    changes = sum(a != b for a, b in pairwise(turns[:first_done]))
    assert first_done > 30
    assert changes > 0.8 * (first_done - 5)


# --- other models ---------------------------------------------------------------------------------


def test_r02_any_other_model_by_folder(tiny_folder: Path) -> None:
    embedder = load_embedder(str(tiny_folder), "float32")
    assert embedder is load_embedder(str(tiny_folder), "float32")
    assert (embedder.dimension, embedder.limit, embedder.dtype) == (24, 64, "float32")
    texts = ["dog " * 59, "dog " * 60, "dog " * 61]
    # Two pieces of the prompt "text:" and two special ones come on top.
    assert embedder.counts(texts).tolist() == [63, 64, 65]
    assert embedder.truncated(texts).tolist() == [False, False, True]
    library = embedder.load()
    for role, prompt in (("document", "text: "), ("query", "ask: ")):
        theirs = library.encode([prompt + EXAMPLE[0]], prompt="", normalize_embeddings=True)
        ours = embedder.encode(EXAMPLE[:1], role=role)  # type: ignore[arg-type]
        assert ours[0] == pytest.approx(theirs[0], abs=1e-6)


def test_r02_a_changed_folder_is_another_model(tiny_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_folder, copy)
    before = load_embedder(str(copy), "float32")
    vector = before.encode(EXAMPLE[:1])
    from safetensors.numpy import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    save_file({name: values * 1.5 for name, values in weights.items()}, copy / "model.safetensors", {"format": "pt"})
    after = load_embedder(str(copy), "float32")
    assert after is not before
    assert np.abs(after.encode(EXAMPLE[:1]) - vector).max() > 1e-3


def test_r02_a_model_that_cannot_be_loaded_is_named(
    tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="'no such model!' is neither"):
        load_embedder("no such model!")
    with pytest.raises(ValueError, match="holds neither modules"):
        load_embedder(str(tmp_path))
    broken = tmp_path / "broken"
    shutil.copytree(tiny_folder, broken)
    (broken / "model.safetensors").write_bytes(b"not a model")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"The model '.*broken' cannot be loaded: \w+"):
            load_embedder(str(broken))
    for name in ("", "  ", None, 3):
        with pytest.raises(ValueError, match="name must be a model's name or folder"):
            load_embedder(name)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dtype must be one of auto, float32, bfloat16, not 'int8'"):
        load_embedder(dtype="int8")

    def no_network(*_: object, **__: object) -> None:
        raise OSError("no network here")

    monkeypatch.setattr("socket.getaddrinfo", no_network)
    with pytest.raises(ValueError, match="The model 'nobody/no-such-model' cannot be loaded: "):
        load_embedder("nobody/no-such-model")


def test_r02_the_weights_are_checked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    model_folder()
    misses = model_loading._sha256.cache_info().misses
    assert model_folder() == packaged_folder()
    assert model_loading._sha256.cache_info().misses == misses
    (tmp_path / "model.safetensors").write_bytes(b"others")
    monkeypatch.setattr(model_loading, "packaged_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"have the SHA-256 \w{64}, not 53aa51172d14"):
        model_folder()
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="The model 'all-MiniLM-L6-v2' cannot be read"):
        model_folder()


def test_r02_d10_the_default_model_asks_no_network_and_prints_nothing() -> None:
    code = """
import sys
tried = []
sys.addaudithook(lambda event, _: tried.append(event) if event.startswith("socket.") else None)
from ragchunk_core.embedders import load_embedder
assert load_embedder().encode(["a dog", "a cat"]).any(axis=1).all()
assert load_embedder("sentence-transformers/all-MiniLM-L6-v2") is load_embedder()
print([event for event in tried if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname")])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_r02_one_bare_string_is_refused(minilm: Embedder) -> None:
    with pytest.raises(ValueError, match="texts must be a list of strings, not one str"):
        minilm.encode("a text")


def test_r02_missing_counts_the_texts_that_encode_would_compute(fresh: Embedder) -> None:
    texts = ["one lamp", "two lamps", "one lamp", " "]
    assert fresh.missing(texts) == 2
    fresh.encode(texts[:1])
    assert fresh.missing(texts) == 1
    fresh.encode(texts)
    assert fresh.missing(texts) == 0
