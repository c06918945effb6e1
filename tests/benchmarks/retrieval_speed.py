"""BM25, exact cosine and rank fusion at 100,000 chunks, against rank-bm25, bm25s and faiss's flat index in one run.

    python -m tests.benchmarks.retrieval_speed ../shared/data/chroma [CHUNKS]

Texts are random spans of Chroma's five corpora (60 to 400 characters), queries its 472 questions; vectors are random
unit ones of 384 numbers, queries 64 of them. Times are medians of several runs, after one to warm up, with
as many threads as the libraries take: set OMP_NUM_THREADS=1 and OPENBLAS_NUM_THREADS=1 to compare by one.
"Ours" ranks ties by chunk index and gives the same order on every machine; the others do not.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import bm25s
import faiss
import numpy as np
import rank_bm25

from ragchunk_core.chroma_data import read_chroma_folder
from ragchunk_core.retrievers.bm25 import Bm25Index
from ragchunk_core.retrievers.dense import DenseIndex
from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion
from ragchunk_core.retrievers.rankings import Rankings

TOP = 10


def seconds(run: Callable[[], Any], times: int = 5) -> float:
    """The median of several runs."""
    run()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def line(name: str, value: float, each: str, ratio: str = "") -> None:
    print(f"{name:<44}{value * 1000:>10.3f} ms {each}{f'   {ratio}' if ratio else ''}", flush=True)


def texts_of(corpus: Any, chunks: int) -> list[str]:
    rng = np.random.default_rng(0)
    whole = "\n".join(document.text for document in corpus.documents)
    starts = rng.integers(0, len(whole) - 400, chunks).tolist()
    return [whole[start : start + length] for start, length in zip(starts, rng.integers(60, 401, chunks), strict=True)]


def bm25(texts: list[str], queries: list[str]) -> None:
    start = time.perf_counter()
    ours = Bm25Index(texts)
    print(
        f"index of {len(texts):,} chunks: {time.perf_counter() - start:.1f} s, {ours.nbytes / 2**20:.0f} MB of postings"
    )
    terms = [list(map(str, one)) for one in _terms(texts)]
    asked = [list(map(str, one)) for one in _terms(queries)]
    start = time.perf_counter()
    rival = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numpy")
    rival.index(terms, show_progress=False)
    print(f"the same in bm25s, terms given: {time.perf_counter() - start:.1f} s")
    many = len(queries)
    own = seconds(lambda: ours.search(queries, TOP)) / many
    line("BM25 query, ours (analysis, top 10)", own, "a query")
    theirs = seconds(lambda: rival.retrieve(asked, k=TOP, show_progress=False, n_threads=1)) / many
    line("BM25 query, bm25s (terms given, top 10)", theirs, "a query", f"{theirs / own:.2f} of ours")
    start = time.perf_counter()
    okapi = rank_bm25.BM25Okapi(terms)
    print(f"the same in rank-bm25, terms given: {time.perf_counter() - start:.1f} s")
    few = asked[:8]
    slow = seconds(lambda: [okapi.get_top_n(one, range(len(texts)), TOP) for one in few], 1) / len(few)
    same = seconds(lambda: ours.search(queries[:8], TOP)) / 8
    line("BM25 query, rank-bm25 (terms given)", slow, "a query", f"{slow / same:.0f} times ours")


def _terms(texts: list[str]) -> list[list[str]]:
    from ragchunk_core.retrievers.analyzers import analyze

    return analyze(texts, "english")


def dense(chunks: int) -> None:
    rng = np.random.default_rng(1)
    vectors, asked = (rng.normal(size=(n, 384)).astype(np.float32) for n in (chunks, 64))
    for table in (vectors, asked):
        table /= np.linalg.norm(table, axis=1, keepdims=True)
    index, flat = DenseIndex(vectors), faiss.IndexFlatIP(384)
    flat.add(vectors)
    for batch in (asked, asked[:1]):
        own = seconds(lambda b=batch: index.search(b, TOP)) / len(batch)
        theirs = seconds(lambda b=batch: flat.search(b, TOP)) / len(batch)
        each = f"a query, of {len(batch)}"
        line("exact cosine top 10, ours", own, each)
        line("exact cosine top 10, faiss IndexFlatIP", theirs, each, f"{theirs / own:.2f} of ours")
    ours, (_, ids) = index.search(asked, TOP), flat.search(asked, TOP)
    same = np.mean([np.array_equal(a, b) for a, b in zip(ours.ids, ids, strict=True)])
    print(f"the same ten in the same order: {same:.0%} of the queries")
    tracemalloc.start()
    index.search(asked[:1], TOP)
    held = tracemalloc.get_traced_memory()[1]
    print(f"memory on top of the vectors ({vectors.nbytes / 2**20:.0f} MB): {held / 2**20:.0f} MB")
    tracemalloc.stop()


def fusion(chunks: int) -> None:
    rng = np.random.default_rng(2)
    for depth in (100, 1000, chunks):
        parts = [
            Rankings((rng.permutation(chunks)[:depth],), (np.arange(depth, 0, -1, dtype=float),)) for _ in range(2)
        ]
        line(
            f"fusion of two rankings of {depth:,}",
            seconds(lambda p=parts: reciprocal_rank_fusion(p, depth=TOP)),
            "a query",
        )


def main() -> None:
    """Print one line a figure."""
    corpus = read_chroma_folder(sys.argv[1])
    chunks = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    fusion(chunks)
    dense(chunks)
    bm25(texts_of(corpus, chunks), [query.text for query in corpus.queries])


if __name__ == "__main__":
    main()
