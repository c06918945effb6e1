"""C14: semantic breakpoints as LangChain's SemanticChunker computes them."""

from __future__ import annotations

import hashlib
import itertools
import random
import re

import numpy as np
import pytest

from ragchunk_core import Document, chunk
from ragchunk_core.chunkers.semantic import SemanticOptions, breakpoints

_RNG = random.Random(5)
_WORDS = [
    "light",
    "tide",
    "brass",
    "fog",
    "lens",
    "keeper",
    "oil",
    "wick",
    "flash",
    "range",
    "tower",
    "storm",
    "glass",
    "prism",
    "gear",
    "clock",
    "weight",
    "sea",
]
TEXT = " ".join(
    " ".join(_RNG.choices(_WORDS, k=_RNG.randint(5, 14))).capitalize() + "." for _ in range(28)
)  # irregular, so that no two distances are equal but for rounding


def vectors(texts):
    """A fixed map from text to a vector: words as hashed counts, so that texts that share words are near."""
    rows = np.zeros((len(texts), 32))
    for row, text in enumerate(texts):
        for word in text.split():
            rows[row, hashlib.blake2b(word.encode(), digest_size=1).digest()[0] % 32] += 1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def oracle(text, rule, amount, buffer, minimum=0):
    """LangChain's algorithm written out a second time, on lists."""
    sentences = re.split(r"(?<=[.?!])\s+", text)
    if len(sentences) == 1 or (rule == "gradient" and len(sentences) == 2):
        return [text]
    joined = [" ".join(sentences[max(0, i - buffer) : i + buffer + 1]) for i in range(len(sentences))]
    made = vectors(joined)
    distances = []
    for a, b in itertools.pairwise(made):
        distances.append(
            1
            - sum(x * y for x, y in zip(a, b, strict=True))
            / (sum(x * x for x in a) ** 0.5 * sum(y * y for y in b) ** 0.5)
        )
    values = distances
    ordered = sorted(distances)

    def percentile(data, share):
        data = sorted(data)
        place = (len(data) - 1) * share / 100
        low = int(place)
        return data[low] + (data[min(low + 1, len(data) - 1)] - data[low]) * (place - low)

    mean = sum(distances) / len(distances)
    if rule == "percentile":
        threshold = percentile(ordered, amount)
    elif rule == "standard_deviation":
        threshold = mean + amount * (sum((d - mean) ** 2 for d in distances) / len(distances)) ** 0.5
    elif rule == "interquartile":
        threshold = mean + amount * (percentile(ordered, 75) - percentile(ordered, 25))
    else:
        last = len(distances) - 1
        values = [
            distances[1] - distances[0] if i == 0
            else distances[-1] - distances[-2] if i == last
            else (distances[i + 1] - distances[i - 1]) / 2
            for i in range(len(distances))
        ]  # fmt: skip
        threshold = percentile(values, amount)
    chunks, start = [], 0
    for i, value in enumerate(values):
        if value > threshold:
            group = " ".join(sentences[start : i + 1])
            if len(group) < minimum:
                continue
            chunks.append(group)
            start = i + 1
    if start < len(sentences):
        chunks.append(" ".join(sentences[start:]))
    return chunks


@pytest.mark.parametrize("buffer", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("rule", "amount"),
    [
        ("percentile", 95),
        ("percentile", 80),
        ("standard_deviation", 1),
        ("interquartile", 1.5),
        ("gradient", 90),
    ],
)
@pytest.mark.parametrize("minimum", [0, 120])
def test_c14_equals_the_published_algorithm(rule, amount, buffer, minimum):
    """C14: every threshold rule, buffers 0–3, with and without a smallest chunk."""
    made = chunk(
        Document.from_text(TEXT), "semantic", embed=vectors,
        threshold=rule, amount=float(amount), buffer=buffer, minimum=minimum, rule="langchain",
    )  # fmt: skip
    assert made.texts() == oracle(TEXT, rule, amount, buffer, minimum)


def test_c14_the_usual_amounts_are_langchains():
    """C14: percentile 95, mean + 3 σ, mean + 1.5 × IQR, gradient 95."""
    for rule, usual in [
        ("percentile", 95.0),
        ("standard_deviation", 3.0),
        ("interquartile", 1.5),
        ("gradient", 95.0),
    ]:
        implied = breakpoints(TEXT, SemanticOptions(threshold=rule), vectors)
        assert implied.threshold == breakpoints(TEXT, SemanticOptions(threshold=rule, amount=usual), vectors).threshold


def test_c14_percentile_is_numpys_linear_interpolation():
    """C14: on the distances themselves."""
    found = breakpoints(TEXT, SemanticOptions(amount=83.0), vectors)
    assert found.threshold == float(np.quantile(found.distances, 0.83, method="linear"))
    assert found.cuts.tolist() == [i for i, d in enumerate(found.distances) if d > found.threshold]


@pytest.mark.parametrize("count", [1, 2, 5, 28])
def test_c14_a_fixed_number_of_chunks_is_reached(count):
    """C14, case sem-03: also as many chunks as sentences."""
    made = chunk(Document.from_text(TEXT), "semantic", embed=vectors, chunks=count, rule="langchain")
    assert len(made) == count


@pytest.mark.parametrize(
    ("text", "options", "chunks"),
    [
        ("", {}, []),
        ("One.", {}, ["One."]),
        ("First one. Second one.", {"threshold": "gradient"}, ["First one. Second one."]),
        ("First one. Second one.", {"chunks": 2}, ["First one.", "Second one."]),
        ("Same. Same. Same. Same.", {"buffer": 0}, ["Same. Same. Same. Same."]),
    ],
)
def test_c14_degenerate_texts_behave(text, options, chunks):
    """C14, cases sem-02, sem-03: none, one or two sentences, all alike."""
    assert chunk(Document.from_text(text), "semantic", embed=vectors, **options).texts() == chunks


def test_c14_chunks_are_slices_whatever_the_white_space():
    """Case sem-04: white space between sentences is not replaced."""
    text = TEXT.replace(". ", ".\n\n  ")
    made = chunk(Document.from_text(text), "semantic", embed=vectors, amount=70.0, rule="langchain")
    assert len(made) > 3
    assert all(c.text == text[c.start : c.end] for c in made)
