"""Rankings are right, and the same on every run: BM25 (R01), cosine (R02), reciprocal rank fusion (R03)."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
import rank_bm25
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.analyzers import analyze
from ragchunk_core.retrievers.bm25 import Bm25Index
from ragchunk_core.retrievers.dense import dense_rankings
from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion
from ragchunk_core.retrievers.okapi import OkapiIndex
from ragchunk_core.retrievers.postings import build
from ragchunk_core.retrievers.rankings import Rankings, ranked

INDEXES = {"bm25": Bm25Index, "okapi": OkapiIndex}


@pytest.fixture(scope="module")
def lucene(shared_data: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared_data / "lucene" / "wikitexts.json").read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> dict[str, dict[str, Any]]:
    lines = (shared_data / "cases.jsonl").read_text("utf-8").rstrip("\n").split("\n")
    return {case["id"]: case for case in map(json.loads, lines)}


def listed(rankings: Rankings) -> list[list[tuple[int, float]]]:
    return [
        list(zip(ids.tolist(), scores.tolist(), strict=True))
        for ids, scores in zip(rankings.ids, rankings.scores, strict=True)
    ]


# --- rankings -------------------------------------------------------------------------------------


@given(
    arrays(np.float64, (2, 9), elements=st.sampled_from([-1.0, -0.0, 0.0, 0.5, 0.5 + 1e-16, 2.0])),
    arrays(np.bool_, (2, 9)),
    st.booleans(),
    st.none() | st.integers(1, 12),
)
def test_r01_ties_are_broken_by_chunk_index_at_every_depth(
    scores: NDArray[np.float64], found: NDArray[np.bool_], positive: bool, depth: int | None
) -> None:
    got = listed(ranked(scores, positive_only=positive, found=found, depth=depth))
    for row, row_found, ranking in zip(scores.tolist(), found.tolist(), got, strict=True):
        kept = [(place, score) for place, score in enumerate(row) if row_found[place] and (score > 0 or not positive)]
        assert ranking == sorted(kept, key=lambda pair: (-pair[1], pair[0]))[:depth]


def test_r01_rankings_cannot_be_changed_and_bad_input_is_named() -> None:
    rankings = ranked(np.array([[1.0, 3.0, 2.0]]), positive_only=True)
    assert listed(rankings.top(2)) == [[(1, 3.0), (2, 2.0)]]
    with pytest.raises(ValueError, match="read-only"):
        rankings.ids[0][0] = 7
    for depth in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="depth must be None or a whole number of at least 1"):
            rankings.top(depth)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="some are NaN"):
        ranked(np.array([[np.nan]]), positive_only=True)
    with pytest.raises(ValueError, match="two dimensions"):
        ranked(np.array([1.0]), positive_only=True)
    with pytest.raises(ValueError, match="equal lengths"):
        Rankings((np.array([1]),), (np.array([1.0, 2.0]),))


# --- BM25 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("analyzer", ["english", "standard"])
def test_r01_scores_and_top_ten_equal_a_real_lucene(lucene: dict[str, Any], analyzer: str) -> None:
    got = listed(Bm25Index(lucene["chunks"], analyzer).search(lucene["queries"], depth=10))
    for ours, theirs in zip(got, lucene[analyzer]["top10"], strict=True):
        assert [score / 2.2 for _, score in ours] == pytest.approx([score for _, score in theirs], abs=1e-5)
        assert len(ours) == len(theirs)
        for place, ((our_chunk, our_score), (their_chunk, their_score)) in enumerate(zip(ours, theirs, strict=True)):
            if our_chunk != their_chunk:
                # Only where single precision cannot tell scores apart, or the tie goes on past the end.
                tied = [chunk for chunk, score in theirs if score == pytest.approx(their_score, rel=2e-7)]
                assert our_chunk in tied or place + len(tied) >= 10
                assert our_score / 2.2 == pytest.approx(their_score, rel=1e-6)


def test_r01_scores_are_bm25s_own_times_k1_plus_1(lucene: dict[str, Any]) -> None:
    chunks, queries = lucene["chunks"], lucene["queries"]
    theirs = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    theirs.index(analyze(chunks, "english"), show_progress=False)
    for query, ours in zip(analyze(queries, "english"), listed(Bm25Index(chunks).search(queries)), strict=True):
        scores = theirs.get_scores(query)
        assert len(ours) == np.count_nonzero(scores)
        assert [score for _, score in ours] == pytest.approx([2.2 * scores[chunk] for chunk, _ in ours], rel=1e-5)


WORDS = st.sampled_from(["pump", "seal", "valve", "lag", "alert"])
TEXTS = st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=8)


def slow_bm25(chunks: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """Elasticsearch's formula, term by term."""
    full = [chunk for chunk in chunks if chunk]
    size, average = len(full), sum(map(len, full)) / max(1, len(full))
    scores = [0.0] * len(chunks)
    for term in query:
        holders = sum(term in chunk for chunk in full)
        idf = math.log(1 + (size - holders + 0.5) / (holders + 0.5))
        for place, chunk in enumerate(chunks):
            if f := chunk.count(term):
                scores[place] += idf * (k1 + 1) * f / (f + k1 * (1 - b + b * len(chunk) / average))
    return scores


@given(
    TEXTS,
    st.lists(WORDS, max_size=5).map(" ".join),
    st.sampled_from([(1.2, 0.75), (0.0, 0.5), (2.0, 1.0), (0.9, 0.0)]),
)
def test_r01_bm25_equals_the_formula_counted_slowly(
    texts: list[str], query: str, parameters: tuple[float, float]
) -> None:
    k1, b = parameters
    (ours,) = listed(Bm25Index(texts, "standard", k1, b).search([query]))
    slow = slow_bm25([text.split() for text in texts], query.split(), k1, b)
    assert {chunk for chunk, _ in ours} == {chunk for chunk, score in enumerate(slow) if score > 0}
    assert [score for _, score in ours] == pytest.approx([slow[chunk] for chunk, _ in ours], rel=1e-6)
    assert ours == sorted(ours, key=lambda pair: (-pair[1], pair[0]))


def test_r01_a_word_twice_in_the_query_counts_twice() -> None:
    once, twice = Bm25Index(["pump seal", "valve", "pump"]).search(["pump", "pump pump"]).scores
    assert twice == pytest.approx(2 * once, rel=1e-6)


def test_r01_scores_that_differ_only_by_the_order_of_addition_tie() -> None:
    # By symmetry the first three are equal; added up in double precision the third would come out larger.
    texts = ["pump pump seal valve", "pump seal seal valve", "pump seal valve valve", "lag", "lag"]
    rankings = Bm25Index(texts).search(["pump seal valve"])
    assert rankings.ids[0].tolist() == [0, 1, 2]
    assert len(set(rankings.scores[0].tolist())) == 1


def test_r01_blank_chunks_do_not_change_the_scores_of_others() -> None:
    # Lucene's docCount and mean length are over the chunks that have a term; "the" has none in english.
    texts = ["pump seal", "valve", "seal lag alert"]
    assert (
        Bm25Index(["", *texts, "the", "  "]).search(["seal"]).scores[0].tolist()
        == Bm25Index(texts).search(["seal"]).scores[0].tolist()
    )
    assert Bm25Index(["", *texts]).search(["seal"]).ids[0].tolist() == [1, 3]


@pytest.mark.parametrize("method", ["bm25", "okapi"])
@pytest.mark.parametrize("case", ["bm-02", "bm-06", "bm-07", "bm-08", "bm-09", "bm-11", "bm-12"])
def test_r01_the_reported_faults_of_others_are_none_of_ours(
    cases: dict[str, dict[str, Any]], case: str, method: str
) -> None:
    reported = cases[case]
    texts, settings, right = reported["input"], reported["settings"], reported["right"]
    if case == "bm-06":
        with pytest.raises(ValueError, match="texts must be a list of strings, not one str"):
            INDEXES[method](texts[0])
        with pytest.raises(ValueError, match="queries must be a list of strings, not one str"):
            INDEXES[method](texts).search(settings["query"])
        return
    hits = INDEXES[method](texts).search([settings["query"]], depth=settings.get("k")).ids[0].tolist()
    if "top" in right:
        # Splitting on white space cannot split Chinese or Japanese: that is what rank-bm25 does.
        assert hits == ([right["top"]] if (case, method) != ("bm-12", "okapi") else [])
    else:
        expected = right.get("hits", [])
        assert (len(hits) if isinstance(expected, int) else hits) == expected


@pytest.mark.parametrize("index", [Bm25Index, OkapiIndex])
@pytest.mark.parametrize("texts", [[], [""], ["", " \n"], ["pump"], ["the", "pump"]])
@pytest.mark.parametrize("queries", [[], [""], ["…"], ["zzz"], ["", "zzz"]])
def test_r01_nothing_in_common_finds_nothing(
    index: type[Bm25Index] | type[OkapiIndex], texts: list[str], queries: list[str]
) -> None:
    assert listed(index(texts).search(queries)) == [[] for _ in queries]


def test_r01_bm25_parameters_out_of_bounds_are_named() -> None:
    for k1 in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="k1 must be a number of at least 0"):
            Bm25Index(["a"], k1=k1)
    for b in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="b must be a number from 0 to 1"):
            Bm25Index(["a"], b=b)


def test_r01_indexing_and_searching_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    Bm25Index(["pump seal", "valve"]).search(["pump"])
    OkapiIndex(["pump seal", "valve"]).search(["pump"])
    assert capfd.readouterr() == ("", "")


# --- Okapi ----------------------------------------------------------------------------------------


def okapi_by_hand(texts: list[str], query: str) -> dict[int, float]:
    """The formula of oracles.md, chunk by chunk: idf without the 1 +, negative ones 0.25 × the mean idf."""
    chunks = [text.split() for text in texts]
    average = sum(map(len, chunks)) / len(chunks)
    words = {word for chunk in chunks for word in chunk}
    holders = {word: sum(word in chunk for chunk in chunks) for word in words}
    idf = {word: math.log((len(chunks) - n + 0.5) / (n + 0.5)) for word, n in holders.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    scores = {}
    for place, chunk in enumerate(chunks):
        if not set(query.split()) & set(chunk):
            continue
        weight = 1.5 * (1 - 0.75 + 0.75 * len(chunk) / average)
        scores[place] = sum(
            (idf[word] if idf[word] >= 0 else floor) * chunk.count(word) * 2.5 / (chunk.count(word) + weight)
            for word in query.split()
            if word in words
        )
    return scores


def check_okapi(texts: list[str], queries: list[str]) -> None:
    theirs = rank_bm25.BM25Okapi([text.split() for text in texts])
    for query, ours in zip(queries, listed(OkapiIndex(texts).search(queries)), strict=True):
        by_hand = okapi_by_hand(texts, query)
        assert {place for place, _ in ours} == set(by_hand)
        for place, score in ours:
            assert score == pytest.approx(by_hand[place], abs=1e-9)
            assert score == theirs.get_scores(query.split())[place]
        assert ours == sorted(ours, key=lambda pair: (-pair[1], pair[0]))


@given(TEXTS.filter(lambda texts: any(texts)), st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=3))
def test_r01_okapi_equals_its_formula_and_rank_bm25(texts: list[str], queries: list[str]) -> None:
    check_okapi(texts, queries)


def test_r01_okapi_equals_its_formula_and_rank_bm25_on_real_text(lucene: dict[str, Any]) -> None:
    check_okapi(lucene["chunks"], lucene["queries"][:5])


def test_r01_okapi_finds_what_shares_a_word_even_at_a_score_of_zero_or_less() -> None:
    # In two chunks of different words every idf is ln(1.5) - ln(1.5) = 0; in one chunk it is below 0.
    assert listed(OkapiIndex(["alpha beta", "gamma"]).search(["alpha"])) == [[(0, 0.0)]]
    ((chunk, score),) = listed(OkapiIndex(["alpha"]).search(["alpha"]))[0]
    assert (chunk, score < 0) == (0, True)


# --- embeddings -----------------------------------------------------------------------------------


def unit_rows(seed: int, rows: int, dimension: int = 48) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(rows, dimension))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@given(st.integers(0, 2**32), st.integers(0, 30), st.integers(0, 4), st.none() | st.integers(1, 40))
def test_r02_dense_scores_are_cosines_and_all_chunks_are_ranked(
    seed: int, chunks: int, queries: int, depth: int | None
) -> None:
    corpus, asked = unit_rows(seed, chunks), unit_rows(seed + 1, queries)
    got = listed(dense_rankings(corpus, asked, depth))
    assert len(got) == queries
    for query, ranking in zip(asked.tolist(), got, strict=True):
        cosines = [math.fsum(a * b for a, b in zip(query, chunk, strict=True)) for chunk in corpus.tolist()]
        assert len(ranking) == min(chunks, depth or chunks)
        assert [score for _, score in ranking] == pytest.approx(sorted(cosines, reverse=True)[:depth], abs=1e-7)
        assert [score for _, score in ranking] == pytest.approx([cosines[chunk] for chunk, _ in ranking], abs=1e-7)


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 9))
def test_r02_a_score_is_the_same_to_the_last_bit_in_every_batch(seed: int, chunks: int, queries: int) -> None:
    corpus, asked = unit_rows(seed, chunks, 384), unit_rows(seed + 1, queries, 384)
    together = [dict(ranking) for ranking in listed(dense_rankings(corpus, asked))]
    alone = [
        {chunk: listed(dense_rankings(corpus[[chunk]], asked[[query]]))[0][0][1] for chunk in range(chunks)}
        for query in range(queries)
    ]
    assert together == alone
    shuffled = np.random.default_rng(seed).permutation(chunks)
    again = listed(dense_rankings(corpus[shuffled], asked))
    assert [{int(shuffled[chunk]): score for chunk, score in ranking} for ranking in again] == together


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_r02_equal_vectors_tie_and_go_by_chunk_index(copies: list[int]) -> None:
    distinct = unit_rows(5, 4, 384)
    (ranking,) = dense_rankings(distinct[copies], unit_rows(6, 1, 384)).ids
    order = [copies[chunk] for chunk in ranking.tolist()]
    runs = [chunk for copy in dict.fromkeys(order) for chunk, other in enumerate(copies) if other == copy]
    assert ranking.tolist() == runs


def test_r02_blank_chunks_and_blank_queries_find_nothing() -> None:
    corpus, asked = unit_rows(1, 3), unit_rows(2, 2)
    corpus[1], asked[0] = 0, 0
    ids = dense_rankings(corpus, asked).ids
    assert ids[0].tolist() == []
    assert sorted(ids[1].tolist()) == [0, 2]


def test_r02_vectors_that_do_not_fit_are_named() -> None:
    with pytest.raises(ValueError, match=r"chunk_vectors\[1\] must have length 1 \(or be all zeros\), not 2"):
        dense_rankings(np.float32([[1, 0], [0, 2]]), np.float32([[1, 0]]))
    with pytest.raises(ValueError, match="not nan"):
        dense_rankings(np.float32([[np.nan, 0]]), np.float32([[1, 0]]))
    with pytest.raises(ValueError, match="query_vectors must have the dimension of chunk_vectors, 2, not 3"):
        dense_rankings(np.float32([[1, 0]]), np.float32([[1, 0, 0]]))
    with pytest.raises(ValueError, match="query_vectors must have two dimensions"):
        dense_rankings(np.float32([[1, 0]]), np.float32([1, 0]))


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), min_size=1, max_size=12),
    st.sampled_from([0.0, 1.2, 2.0]),
    st.sampled_from([0.0, 0.75, 1.0]),
)
def test_r01_postings_are_those_of_bm25s_to_the_bit(texts: list[list[str]], k1: float, b: float) -> None:
    """Against bm25s's own way of building its index from the same terms."""
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(itertools.chain.from_iterable(texts)))}
    rows = [[vocabulary[term] for term in text] for text in texts]
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64", backend="numpy")
    theirs.index((rows, vocabulary), create_empty_token=False, show_progress=False)
    lengths = np.array([len(row) for row in rows])
    ours = build(np.array(list(itertools.chain.from_iterable(rows))), lengths, len(vocabulary), k1, b)
    for name in ("data", "indices", "indptr", "num_docs"):
        np.testing.assert_array_equal(ours.scores[name], theirs.scores[name])


# --- fusion ---------------------------------------------------------------------------------------

ORDERS = st.lists(st.integers(0, 200), unique=True, max_size=150)


def as_rankings(*orders: list[int]) -> Rankings:
    return Rankings(
        tuple(np.array(order, dtype=np.int64) for order in orders),
        tuple(-np.arange(len(order), dtype=np.float64) for order in orders),
    )


def slow_fusion(orders: list[list[int]], k: int) -> list[tuple[int, Fraction]]:
    sums: dict[int, Fraction] = {}
    for order in orders:
        for rank, chunk in enumerate(order, start=1):
            sums[chunk] = sums.get(chunk, Fraction(0)) + Fraction(1, k + rank)
    return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))


@given(st.lists(ORDERS, min_size=1, max_size=4), st.sampled_from([0, 1, 60, 61]), st.none() | st.integers(1, 50))
def test_r03_fusion_equals_a_slow_count_in_fractions(orders: list[list[int]], k: int, depth: int | None) -> None:
    (fused,) = listed(reciprocal_rank_fusion([as_rankings(order) for order in orders], k, depth))
    slow = slow_fusion(orders, k)[:depth]
    assert [chunk for chunk, _ in fused] == [chunk for chunk, _ in slow]
    assert [score for _, score in fused] == pytest.approx([float(score) for _, score in slow], rel=1e-14)
    (backwards,) = listed(reciprocal_rank_fusion([as_rankings(order) for order in reversed(orders)], k, depth))
    assert [chunk for chunk, _ in backwards] == [chunk for chunk, _ in fused]


def test_r03_sums_that_are_equal_as_fractions_tie() -> None:
    # Both sums are 29/1260; in floating point the second comes out larger.
    assert 1 / 63 + 1 / 140 < 1 / 84 + 1 / 90
    first, second = list(range(100, 200)), list(range(200, 300))
    first[3 - 1], second[80 - 1] = 1, 1
    first[24 - 1], second[30 - 1] = 2, 2
    (fused,) = listed(reciprocal_rank_fusion([as_rankings(first), as_rankings(second)]))
    assert fused[:2] == [(1, float(Fraction(29, 1260))), (2, float(Fraction(29, 1260)))]


def test_r03_the_worked_numbers_of_two_short_rankings() -> None:
    fused = listed(reciprocal_rank_fusion([as_rankings([3, 1], []), as_rankings([1], [7])], k=60))
    assert fused == [[(1, 1 / 62 + 1 / 61), (3, 1 / 61)], [(7, 1 / 61)]]


def test_r03_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="rankings must hold at least one ranking"):
        reciprocal_rank_fusion([])
    with pytest.raises(ValueError, match="they are of 1, 2 queries"):
        reciprocal_rank_fusion([as_rankings([1]), as_rankings([1], [2])])
    for k in (-1, 0.5, True):
        with pytest.raises(ValueError, match="k must be a whole number of at least 0"):
            reciprocal_rank_fusion([as_rankings([1])], k)  # type: ignore[arg-type]


# --- registry -------------------------------------------------------------------------------------


def test_r03_the_methods_are_registered_in_the_order_in_which_they_are_shown() -> None:
    assert list(METHODS) == ["bm25", "okapi", "emb", "hybrid"]
    assert [name for name, method in METHODS.items() if method.needs_vectors] == ["emb", "hybrid"]
    assert METHODS["hybrid"].fuses == ("bm25", "emb")
    for name, method in METHODS.items():
        assert name == method.name
        assert all(not METHODS[part].fuses for part in method.fuses)
        assert method.needs_vectors >= any(METHODS[part].needs_vectors for part in method.fuses)
        assert method.label
        assert method.help.endswith(".")
        assert "\n" not in method.help


def test_r02_importing_the_retrievers_and_embedders_loads_nothing_heavy() -> None:
    code = """
import sys
from ragchunk_core import embedders, wordpieces
from ragchunk_core.retrievers import bm25, dense, fusion, okapi
embedders.load_embedder()
heavy = "torch", "sentence_transformers", "transformers", "scipy", "streamlit"
print([module for module in heavy if module in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


@pytest.mark.parametrize("kind", ["random", "near", "equal", "blank"])
def test_r02_the_first_few_are_those_of_the_whole_ranking_to_the_bit(kind: str) -> None:
    """R02: among random vectors, near ties (a few bits apart), equal and blank ones; scores by exact fractions."""
    rng = np.random.default_rng(3)
    chunks = rng.normal(size=(900, 48))
    if kind == "near":
        chunks = chunks[rng.integers(0, 3, 900)] + rng.normal(scale=1e-7, size=(900, 48))
    elif kind == "equal":
        chunks = chunks[rng.integers(0, 40, 900)]
    elif kind == "blank":
        chunks[5:] = 0
    asked = np.concatenate((rng.normal(size=(6, 48)), chunks[:3], np.zeros((1, 48))))
    tables = []
    for table in (chunks, asked):
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        tables.append(np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0).astype(np.float32))
    whole = dense_rankings(*tables)
    for depth in (1, 10, 100):
        few = dense_rankings(*tables, depth)
        for query in range(len(asked)):
            assert few.ids[query].tolist() == whole.ids[query][:depth].tolist()
            assert few.scores[query].tobytes() == whole.scores[query][:depth].tobytes()
    grid = [[[Fraction(round(float(x) * 2**26), 2**26) for x in row] for row in table] for table in tables]
    exact = [float(sum(a * b for a, b in zip(row, grid[1][0], strict=True))) for row in grid[0]]
    found = [number for number in range(900) if tables[0][number].any()]
    expected = sorted(found, key=lambda number: (-exact[number], number))[:10]
    few = dense_rankings(*tables, 10)
    assert few.ids[0].tolist() == expected
    assert few.scores[0].tolist() == [exact[number] for number in expected]
    assert len(few.ids[-1]) == 0
