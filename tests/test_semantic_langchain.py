"""C14: breakpoints and chunks are those of SemanticChunker (langchain-experimental) given the same vectors.

It replaces the white space between sentences by one space, so chunks are compared with white space made alike.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langchain_experimental.text_splitter import SemanticChunker

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers.semantic import USUAL_AMOUNTS

FILES = {
    "speech": ("sotu/state_of_the_union.txt", 0, 12_000),
    "encyclopedia": ("chroma/wikitexts.md", 0, 25_000),
    "papers": ("chroma/pubmed.md", 40_000, 60_000),
    "chat": ("chroma/chatlogs.md", 0, 12_000),
    "finance": ("chroma/finance.md", 100_000, 120_000),
}


def vectors(texts):
    """Unit vectors seeded by the text's hash, none of them alike: the distances are what is tested, not the meaning."""
    rows = []
    for text in texts:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        rows.append(np.random.default_rng(seed).normal(size=24) + 1)
    made = np.array(rows).reshape(len(texts), 24)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


class SameVectors(Embeddings):
    """The vectors that our chunker gets, for theirs."""

    def __init__(self, embed):
        self.embed = embed

    def embed_documents(self, texts):
        return np.asarray(self.embed(texts), dtype=np.float64).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def alike(texts):
    return [" ".join(text.split()) for text in texts]


def theirs(text, embed=vectors, **options):
    return alike(SemanticChunker(SameVectors(embed), **options).split_text(text))


@pytest.fixture(scope="module", params=FILES)
def text(request, shared_data):
    """A real document, without the white space at its end that SemanticChunker takes for one more sentence."""
    name, start, end = FILES[request.param]
    return (shared_data / name).read_bytes().decode("utf-8")[start:end].strip()


@pytest.mark.parametrize("buffer", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("threshold", "amount"),
    [
        ("percentile", None),
        ("percentile", 70.5),
        ("standard_deviation", None),
        ("standard_deviation", 1.25),
        ("interquartile", None),
        ("interquartile", 0.5),
        ("gradient", None),
        ("gradient", 81.0),
    ],
)
def test_c14_equals_semantic_chunker(text, threshold, amount, buffer):
    """C14: four threshold types with their usual amount and another, buffers 0–3, with and without a minimum size."""
    for minimum in (None, 150, 900):
        expected = theirs(
            text, buffer_size=buffer, breakpoint_threshold_type=threshold, breakpoint_threshold_amount=amount,
            min_chunk_size=minimum,
        )  # fmt: skip
        made = chunk(
            Document.from_text(text), "semantic", embed=vectors, threshold=threshold, amount=amount or 0.0,
            buffer=buffer, minimum=minimum or 0, rule="langchain",
        )  # fmt: skip
        assert alike(made.texts()) == expected
        assert made.texts() == [text[a:b] for a, b in zip(made.starts, made.ends, strict=True)]
        assert not "".join(text[b:a] for a, b in zip(made.starts[1:], made.ends[:-1], strict=True)).strip()


def test_c14_a_number_of_chunks_equals_semantic_chunker_or_is_the_number_asked_for(text):
    """C14: number_of_chunks.

    SemanticChunker takes it to a percentile and back; where rounding on that way gives one chunk more than was asked
    for, ours are its chunks without its weakest cut.
    """
    sentences = len(re.split(r"(?<=[.?!])\s+", text))
    exact = 0
    for count in range(1, sentences, max(1, sentences // 40)):
        expected = theirs(text, number_of_chunks=count)
        made = chunk(Document.from_text(text), "semantic", embed=vectors, chunks=count, rule="langchain")
        assert len(made) == count
        if len(expected) == count:
            assert alike(made.texts()) == expected
            exact += 1
        else:
            assert len(expected) == count + 1
            assert set(np.cumsum([len(one) + 1 for one in alike(made.texts())])) < set(
                np.cumsum([len(one) + 1 for one in expected])
            )
    assert exact > 10


def test_c14_the_usual_amounts_are_those_of_semantic_chunker():
    """C14: percentile 95, mean + 3 σ, mean + 1.5 × IQR, gradient 95."""
    for threshold, amount in USUAL_AMOUNTS.items():
        splitter = SemanticChunker(SameVectors(vectors), breakpoint_threshold_type=threshold)
        assert splitter.breakpoint_threshold_amount == amount


def test_c14_offsets_are_true_where_those_of_semantic_chunker_are_not(text):
    """C14: its start_index is the sum of the lengths before, without the white space that it replaced."""
    splitter = SemanticChunker(SameVectors(vectors), add_start_index=True, breakpoint_threshold_amount=60)
    claimed = [(one.metadata["start_index"], one.page_content) for one in splitter.create_documents([text])]
    assert sum(text[start : start + len(content)] != content for start, content in claimed) > len(claimed) / 2
    made = chunk(Document.from_text(text), "semantic", embed=vectors, amount=60.0, rule="langchain")
    assert [" ".join(text[one.start : one.end].split()) for one in made] == alike(content for _, content in claimed)


@pytest.mark.parametrize("threshold", USUAL_AMOUNTS)
@pytest.mark.parametrize("buffer", [0, 1, 3])
@pytest.mark.parametrize(
    "words", ["One.", "One. Two.", "Same. Same. Same. Same.", "No stop at all", "A? B! C. D? E! F. G"]
)
def test_c14_degenerate_texts_equal_semantic_chunker(threshold, buffer, words):
    """C14: one sentence, two, all alike, none that ends."""
    expected = theirs(words, buffer_size=buffer, breakpoint_threshold_type=threshold)
    if threshold == "gradient" and words == "One. Two.":
        expected = [words]  # it gives the sentences; a single distance has no gradient (case sem-02)
    made = chunk(
        Document.from_text(words), "semantic", embed=vectors, threshold=threshold, buffer=buffer, rule="langchain"
    )
    assert made.texts() == expected


def test_c14_equals_semantic_chunker_with_the_real_model(shared_data):
    """C14: all-MiniLM-L6-v2 on LangChain's own example text."""
    from ragchunk_core.embedders import load_embedder

    encode = load_embedder().encode
    text = (shared_data / "sotu" / "state_of_the_union.txt").read_text(encoding="utf-8")[:4000].strip()
    made = chunk(Document.from_text(text), "semantic", embed=encode, rule="langchain", amount=85.0)
    assert alike(made.texts()) == theirs(text, encode, breakpoint_threshold_amount=85)
    assert len(made) > 4
