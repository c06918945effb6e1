"""C20, C21: the cluster semantic chunker, and the limits on chunks that go by meaning."""

from __future__ import annotations

import hashlib
import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.cluster import ClusterOptions, cluster_starts, embedded_texts
from ragchunk_core.units import unit_named

cl100k = unit_named("cl100k").count


def vectors(texts):
    """Unit vectors seeded by the text's hash."""
    rows = []
    for text in texts:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        rows.append(np.random.default_rng(seed).normal(size=8))
    made = np.array(rows).reshape(len(texts), 8)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def excess(matrix):
    """Similarities less the mean of the upper triangle, with a zero diagonal: the report's matrix, in full."""
    count = len(matrix)
    upper = [matrix[i][j] for i in range(count) for j in range(i + 1, count)]
    mean = sum(upper) / len(upper) if upper else 0.0
    return [[0.0 if i == j else matrix[i][j] - mean for j in range(count)] for i in range(count)]


def reward(matrix, starts):
    """The sum of all entries inside the groups that begin at ``starts``."""
    groups = itertools.pairwise([*starts, len(matrix)])
    return sum(matrix[i][j] for a, b in groups for i in range(a, b) for j in range(a, b))


def every_grouping(count, largest):
    """All ways to cut ``count`` pieces into groups of at most ``largest``, as the groups' first pieces."""
    for cuts in itertools.product([False, True], repeat=count - 1):
        starts = [0, *(i + 1 for i, cut in enumerate(cuts) if cut)]
        if all(b - a <= largest for a, b in itertools.pairwise([*starts, count])):
            yield starts


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 9), largest=st.integers(1, 10))
def test_c20_no_grouping_has_a_larger_reward(seed, count, largest):
    """C20: the best of all groupings, by trying every one of them."""
    rows = np.random.default_rng(seed).normal(size=(count, 4)) + 0.5
    matrix = excess((rows @ rows.T).tolist())
    rewards = {tuple(starts): reward(matrix, starts) for starts in every_grouping(count, largest)}
    found = tuple(cluster_starts(rows, largest).tolist())
    assert found in rewards  # within the limit
    assert rewards[found] == pytest.approx(max(rewards.values()), abs=1e-9)
    second = sorted(rewards.values())[-2:]
    if len(second) == 2 and second[1] - second[0] > 1e-9:
        assert found == max(rewards, key=rewards.get)


def published(matrix, largest):
    """The report's dynamic programming on the whole matrix, group sizes from one up, better ones only."""
    count = len(matrix)
    best, first = [0.0] * count, [0] * count
    for last in range(count):
        for size in range(1, min(largest, last + 1) + 1):
            start = last - size + 1
            total = sum(matrix[i][j] for i in range(start, last + 1) for j in range(start, last + 1))
            total += best[start - 1] if start else 0.0
            if total > best[last]:
                best[last], first[last] = total, start
    starts, last = [], count - 1
    while last >= 0:
        starts.insert(0, first[last])
        last = first[last] - 1
    return starts


@pytest.mark.parametrize("largest", [1, 2, 4, 8])
@pytest.mark.parametrize("seed", range(8))
def test_c20_equals_the_reports_own_steps(seed, largest):
    """C20: on sixty pieces; where the first two are alike, so that its code has no group beyond the limit."""
    rows = np.random.default_rng(seed).normal(size=(60, 6))
    rows[1] = rows[0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert cluster_starts(rows, largest).tolist() == (
        published(excess((rows @ rows.T).tolist()), largest) if largest > 1 else list(range(60))
    )


def test_c20_no_more_than_a_band_of_the_similarities_is_held():
    """C20: 4,000 pieces take a hundredth of the 128 MB of their similarity matrix."""
    rows = np.random.default_rng(1).normal(size=(4000, 8))
    tracemalloc.start()
    starts = cluster_starts(rows, 8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 500 < len(starts) < 4000
    assert peak < 1_300_000


@pytest.mark.parametrize("name", ["state_of_the_union.md", "chatlogs.md"])
def test_c20_pieces_are_those_of_the_recursive_splitter(shared_data, name):
    r"""C20: at most 50 cl100k tokens, separators ``\n\n \n . ? ! space`` and none, as LangChain cuts them."""
    text = (shared_data / "chroma" / name).read_bytes().decode("utf-8")[:20_000]
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=50, chunk_overlap=0, length_function=cl100k, separators=["\n\n", "\n", ".", "?", "!", " ", ""]
    )
    expected = splitter.split_text(text)
    assert embedded_texts(text, ClusterOptions()) == expected
    made = chunk(Document.from_text(text), "cluster", embed=vectors)
    groups = published(excess((vectors(expected) @ vectors(expected).T).tolist()), 8)
    joined = [" ".join(expected[a:b]) for a, b in itertools.pairwise([*groups, len(expected)])]
    bare = ["".join(one.split()) for one in joined]
    assert ["".join(one.text.split()) for one in made] == bare  # its chunks, as slices
    assert all(one.text == text[one.start : one.end] for one in made)


def test_c20_how_many_pieces_make_a_group_is_rounded_down():
    """C20: ⌊tokens / piece⌋, seen where all pieces are alike but for the first and last, so that groups are full."""
    text = "one two three four. " * 100

    def mostly_alike(texts):
        rows = np.tile([1.0, 0.0], (len(texts), 1))
        rows[0] = rows[-1] = [0.0, 1.0]
        return rows

    pieces = len(embedded_texts(text, ClusterOptions(piece=10)))
    for tokens, each in [(10, 1), (19, 1), (20, 2), (59, 5)]:
        made = chunk(Document.from_text(text), "cluster", embed=mostly_alike, tokens=tokens, piece=10)
        assert -(-(pieces - 2) // each) <= len(made) <= -(-(pieces - 2) // each) + 2


@pytest.mark.parametrize("text", ["", " \n ", "One.", "One piece only, of a few words.", "same " * 200])
def test_c20_degenerate_texts_behave(text):
    """C20: nothing, one piece, all alike; every character but white space is in a chunk."""
    made = chunk(Document.from_text(text), "cluster", embed=lambda texts: np.ones((len(texts), 3)), piece=10, tokens=50)
    assert "".join("".join(made.texts()).split()) == "".join(text.split())


def test_c20_a_group_must_hold_a_piece():
    """C20: the error names both options."""
    with pytest.raises(ValueError, match="tokens is 40 and piece is 50; tokens must be 50 or more"):
        chunk(Document.from_text("text"), "cluster", embed=vectors, tokens=40)


@pytest.fixture(scope="module")
def speech(shared_data):
    """Half of LangChain's example text."""
    return (shared_data / "sotu" / "state_of_the_union.txt").read_text(encoding="utf-8")[:20_000]


@pytest.mark.parametrize("chunker", ["semantic", "cluster"])
@pytest.mark.parametrize(("unit", "maximum"), [("chars", 300), ("cl100k", 60), ("words", 40)])
def test_c21_a_chunk_over_the_maximum_is_cut_again_recursively(speech, chunker, unit, maximum):
    """C21: as LangChain's recursive splitter cuts that chunk, in the unit; shorter ones stay as they are."""
    count = unit_named(unit).count
    free = chunk(Document.from_text(speech), chunker, embed=vectors, unit=unit)
    held = chunk(Document.from_text(speech), chunker, embed=vectors, unit=unit, maximum=maximum)
    assert max(free.lengths) > maximum >= max(held.lengths)
    again = RecursiveCharacterTextSplitter(chunk_size=maximum, chunk_overlap=0, length_function=count)
    expected = []
    for text in free.texts():
        expected += [text] if count(text) <= maximum else again.split_text(text)
    assert held.texts() == expected


@pytest.mark.parametrize("chunker", ["semantic", "cluster"])
def test_c21_no_chunk_but_the_last_is_under_the_minimum(speech, chunker):
    """C21: a short chunk goes on to the next cut; of clusters the last joins the one before it."""
    settings = {"rule": "langchain", "amount": 60.0} if chunker == "semantic" else {"tokens": 100}
    free = chunk(Document.from_text(speech), chunker, embed=vectors, **settings)
    held = chunk(Document.from_text(speech), chunker, embed=vectors, minimum=400, **settings)
    spans = held.ends - held.starts
    assert min(free.ends - free.starts) < 200
    assert min(spans[:-1]) >= 400
    assert chunker == "semantic" or spans[-1] >= 400
    assert set(held.starts.tolist()) < set(free.starts.tolist())  # cuts only drop


@pytest.mark.parametrize("name", [name for name, one in CHUNKERS.items() if one.needs_vectors])
@given(text=st.text(alphabet="ab. \n!?", max_size=80))
def test_what_a_chunker_says_it_embeds_is_what_it_embeds(name, text):
    """C14, C20: a page that embeds ``embeds(text, options)`` first leaves nothing for the chunker to wait for."""
    one, asked = CHUNKERS[name], []
    chunk(Document.from_text(text), name, embed=lambda texts: asked.extend(texts) or vectors(texts))
    assert asked == (one.embeds(text, one.options()) if len(asked) else [])
    assert set(one.embeds(text, one.options())) >= set(asked)
