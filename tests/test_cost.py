"""V06: the cost table; every figure that the RAG Chunking Playground (s0) states comes out to the digit."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.cost import SIZES, Cost, Prices, cost_table, growth, measured_cost, window_cost, windows
from ragchunk_core.samples import sample_corpus, worked_example


@pytest.mark.parametrize(("overlap", "said"), [(0.10, "11%"), (0.15, "18%"), (0.20, "25%"), (0.50, "100%"), (0, "0%")])
def test_v06_growth_is_what_s0_says(overlap, said):
    """V06: 11 % at 10 %, 18 % at 15 %, 25 % at 20 %, double at 50 %."""
    assert f"{growth(overlap):.0%}" == said


def test_v06_s0_on_the_short_sample():
    """V06, D02: 15 % of 300 is 45; 891 characters are stored for 801, 11 % extra."""
    made = chunk(worked_example().documents[0], "fixed", size=300, overlap="15%")
    assert windows(801, 300, 45) == (3, 891) == (len(made), sum(map(len, made.texts())))
    row = window_cost(300, "15%", Prices(characters=801))
    assert (row.vectors, row.stored, f"{row.extra:.0%}") == (3, 891, "11%")
    assert row.label == "windows 300 / 45"


def test_v06_vectors_of_s0():
    """V06: 1,536 float32 numbers are 6,144 bytes, for a corpus of 10 million characters by default."""
    assert Prices().vector_bytes == 6_144
    assert Prices().characters == 10_000_000
    row = window_cost(1_000, 0)
    assert (row.vectors, row.vector_bytes, row.stored, row.tokens) == (10_000, 61_440_000, 10_000_000, 2_500_000)
    assert row.embedding == pytest.approx(0.05)  # 2.5 million tokens at 0.02 $ a million
    assert (row.query_tokens, row.query) == (1_250, pytest.approx(0.1875))  # 5 × 250, a thousand times, at 0.15 $


def test_v06_on_ten_million_characters_the_growth_formula_holds():
    """V06: with the windows counted one by one, the extra text is that of the formula to four digits."""
    for share in (10, 15, 20, 50):
        assert window_cost(1_000, f"{share}%").extra == pytest.approx(growth(share / 100), abs=2e-4)


@given(characters=st.integers(0, 2_000), size=st.integers(1, 300), data=st.data())
def test_v06_windows_are_those_of_the_chunker(characters, size, data):
    """V06, C01: number and stored characters, against the windows themselves."""
    overlap = data.draw(st.integers(0, size - 1))
    made = chunk(Document.from_text("x" * characters), "fixed", size=size, overlap=overlap)
    assert windows(characters, size, overlap) == (len(made), sum(map(len, made.texts())))


def test_v06_the_table_over_sizes():
    """V06: smaller chunks, more vectors and less context; the text stored grows with the overlap, not with the size."""
    table = cost_table()
    assert list(table.columns) == [field.name for field in dataclasses.fields(Cost)]
    assert len(table) == len(SIZES)
    assert table["vectors"].is_monotonic_decreasing
    assert table["query_tokens"].is_monotonic_increasing
    assert table["extra"].between(0.168, 0.177).all()  # 18 of 125 is less than 15 %
    assert cost_table((500,), 0)["vectors"].tolist() == [20_000]


def test_v06_measured_on_the_documents():
    """V06: chunks that were made, on a corpus just as large: counted texts, tokens by tiktoken, UTF-8 bytes."""
    import tiktoken

    from ragchunk_core.units.vocabularies import load

    documents = list(sample_corpus().documents)
    made = chunk(documents, "markdown", size=400, context="path")
    texts = [text for one in made for text in one.indexed_texts()]
    characters = sum(len(d.text) for d in documents)
    row = measured_cost("Markdown", made, Prices(characters=characters))
    encoding: tiktoken.Encoding = load("cl100k_base")
    assert row.vectors == len(texts)
    assert row.stored == sum(map(len, texts))
    assert row.tokens == sum(len(encoding.encode(text)) for text in texts)
    assert row.text_bytes == sum(len(text.encode()) for text in texts)
    assert row.text_bytes > row.stored  # the lighthouse has accents


def test_v06_measured_in_proportion():
    """V06: a corpus a thousand times as large costs a thousand times as much."""
    made = chunk(worked_example().documents[0], "fixed", size=300, overlap=45)
    row = measured_cost("Fixed", [made], Prices(characters=801_000), unit="chars4")
    assert (row.vectors, row.stored, row.tokens) == (3_000, 891_000, 223_000)  # 75 + 75 + 73 quarters, halves up
    assert row.extra == pytest.approx(90 / 801)
    assert row.query_tokens == pytest.approx(5 * 223 / 3)


def test_v06_no_more_chunks_are_read_than_there_are():
    """V06: k = 5 over three chunks reads three."""
    assert window_cost(300, 45, Prices(characters=801)).query_tokens == round(891 / 4)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("dimension", 0, "dimension is 0; it must be 1 or more"),
        ("k", 0, "k is 0"),
        ("characters", -1, "characters is -1; it must be 0 or more"),
        ("embedding", float("nan"), "embedding is nan"),
        ("reading", float("inf"), "reading is inf"),
        ("characters_per_token", 0, "must be above 0"),
    ],
)
def test_v06_prices_out_of_bounds_are_refused(name, value, said):
    with pytest.raises(ValueError, match=said):
        Prices(**{name: value})


def test_v06_sizes_out_of_bounds_are_refused():
    with pytest.raises(ValueError, match="The overlap is 100 and the size is 100"):
        window_cost(100, 100)
    with pytest.raises(ValueError, match="below 1"):
        growth(1)
    with pytest.raises(ValueError, match="no text to measure"):
        measured_cost("Fixed", [chunk(Document.from_text(""), "fixed")])
    assert windows(0, 10, 0) == (0, 0)
