"""Chunkings × retrieval methods on judged queries: rank, judge, measure (R01–R06, R17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core import budgets, metrics
from ragchunk_core.chunking import Chunking, chunk
from ragchunk_core.intervals import bootstrap_intervals
from ragchunk_core.judging import Judgement, Pool, judge
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.rankings import Rankings
from ragchunk_core.types import Document, FloatArray, IntArray, Query

if TYPE_CHECKING:
    import pandas as pd

    from ragchunk_core.embedders import Embedder

COLUMNS = {
    "chunker": "Registry name of the chunker.",
    "method": "Registry name of the retrieval method.",
    "recall": "Mean over judged queries of the share of passages that some chunk in the top k answers.",
    "mrr": "Mean over judged queries of 1 / rank of the first chunk that answers any passage (top 100, else 0).",
    "context": "Mean over judged queries of the summed length of the top k chunks, in the unit.",
    "precision": "Mean over judged queries of the share of the top k chunks' characters inside marked passages.",
    "ndcg": "Mean over judged queries of nDCG@k; a chunk is relevant when it answers any passage.",
    "map": "Mean over judged queries of the average precision of the whole ranking (MAP), chunks likewise.",
    "ceiling": "The recall that a perfect ranking would reach: share of passages that some chunk answers.",
}
BUDGET_COLUMNS = {
    "merged": "Mean over judged queries of the length of the top k chunks, overlaps merged, in the unit.",
    "recall_within": "Mean over judged queries of the recall of as many chunks, best first, as fit into the budget.",
    "area_within": "Mean over judged queries of that recall, averaged over all budgets from 0 to the budget.",
}
INTERVAL_COLUMNS = {
    "recall_low": "Lower bound of the bootstrap interval of the mean recall; NaN where all queries have the same.",
    "recall_high": "Its upper bound. The same samples of queries are drawn for all rows.",
}


@dataclass(frozen=True, eq=False)
class Scores:
    """What one ranking method on one pool gave, one entry a judged query, in the queries' order.

    Attributes:
        judged: Indices of the queries that have passages.
        first_ranks: The table of ``metrics.first_ranks``, one row a judged query.
        recall, reciprocal_rank, context, precision, ndcg, average_precision, ceiling: The metrics at k, shape
            ``(judged,)``.
    """

    judged: IntArray
    first_ranks: IntArray
    recall: FloatArray
    reciprocal_rank: FloatArray
    context: FloatArray
    precision: FloatArray
    ndcg: FloatArray
    average_precision: FloatArray
    ceiling: FloatArray

    def means(self) -> dict[str, float]:
        """The means over the judged queries, under the names of ``COLUMNS``; NaN when none is judged."""
        columns = {
            "recall": self.recall,
            "mrr": self.reciprocal_rank,
            "context": self.context,
            "precision": self.precision,
            "ndcg": self.ndcg,
            "map": self.average_precision,
            "ceiling": self.ceiling,
        }
        return {name: float(values.mean()) if len(values) else float("nan") for name, values in columns.items()}


def rank(
    pool: Pool,
    queries: Sequence[str],
    method: str,
    *,
    analyzer: str = "english",
    rrf_k: int = 60,
    embedder: Embedder | None = None,
) -> Rankings:
    """Rank the pool's chunks for every query by one method of ``retrievers.METHODS``.

    Args:
        analyzer: BM25's analyzer.
        rrf_k: The constant of reciprocal rank fusion.
        embedder: By default the local all-MiniLM-L6-v2.
    """
    if method not in METHODS:
        raise ValueError(f"The method is {method!r}; allowed are {', '.join(METHODS)}.")
    if METHODS[method].fuses:
        from ragchunk_core.retrievers.fusion import reciprocal_rank_fusion

        parts = [
            rank(pool, queries, part, analyzer=analyzer, rrf_k=rrf_k, embedder=embedder)
            for part in METHODS[method].fuses
        ]
        return reciprocal_rank_fusion(parts, k=rrf_k)
    texts = pool.indexed_texts()
    if method == "bm25":
        from ragchunk_core.retrievers.bm25 import Bm25Index

        return Bm25Index(texts, analyzer=analyzer).search(queries)
    if method == "okapi":
        from ragchunk_core.retrievers.okapi import OkapiIndex

        return OkapiIndex(texts).search(queries)
    from ragchunk_core.embedders import load_embedder
    from ragchunk_core.retrievers.dense import dense_rankings

    model = embedder or load_embedder()
    return dense_rankings(model.encode(texts), model.encode(queries, role="query"))


def score(pool: Pool, rankings: Rankings, queries: Sequence[Query], k: int, theta: float) -> Scores:
    """Measure one method's rankings of one pool at k; queries without passages are left out of it."""
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more.")
    judged = [index for index, query in enumerate(queries) if query.passages]
    judgements = [judge(pool, queries[index], theta) for index in judged]
    return score_judged(pool, rankings, np.array(judged, dtype=np.int64), judgements, k)


def score_judged(pool: Pool, rankings: Rankings, judged: IntArray, judgements: Sequence[Judgement], k: int) -> Scores:
    """``score`` where the judgements, which no method changes, were made before."""
    tops = [rankings.ids[index] for index in judged.tolist()]
    answers = [one.answers for one in judgements]
    relevant = [one.relevant for one in judgements]
    ranks = metrics.first_ranks(tops, answers, len(pool))
    return Scores(
        judged=judged,
        first_ranks=ranks,
        recall=metrics.recall_at_k(ranks, k),
        reciprocal_rank=metrics.reciprocal_rank(ranks),
        context=metrics.context_at_k(tops, pool.lengths, k),
        precision=metrics.precision_at_k(tops, [one.inside for one in judgements], pool.ends - pool.starts, k),
        ndcg=metrics.ndcg_at_k(tops, relevant, k),
        average_precision=metrics.average_precision(tops, relevant),
        ceiling=metrics.ceiling(answers),
    )


def recall_context_curve(pool: Pool, rankings: Rankings, scores: Scores, depth: int) -> tuple[FloatArray, FloatArray]:
    """Mean Context@k and mean Recall@k for k = 1 … depth, from one ranking; each of shape ``(depth,)``."""
    if not len(scores.judged):
        return np.full(depth, np.nan), np.full(depth, np.nan)
    recall = [float(metrics.recall_at_k(scores.first_ranks, k).mean()) for k in range(1, depth + 1)]
    lengths = np.zeros((len(scores.judged), depth))
    for row, index in enumerate(scores.judged.tolist()):
        top = rankings.ids[index][:depth]
        lengths[row, : len(top)] = pool.lengths[top]
    return np.cumsum(lengths, axis=1).mean(axis=0), np.array(recall)


def evaluate(
    documents: Sequence[Document],
    queries: Sequence[Query],
    chunkers: Sequence[tuple[str, Mapping[str, Any]]],
    methods: Sequence[str] = ("bm25", "emb", "hybrid"),
    *,
    k: int = 5,
    theta: float = 0.5,
    analyzer: str = "english",
    rrf_k: int = 60,
    embedder: Embedder | None = None,
    budget: float | None = None,
    confidence: float | None = None,
    others: Mapping[str, Sequence[Chunking]] | None = None,
) -> pd.DataFrame:
    """Means over the judged queries, one row a chunker and method; the columns are those of ``COLUMNS``.

    Args:
        chunkers: Pairs of a registry name and the settings of ``chunk`` (size, overlap, unit, options).
        embedder: By default the local all-MiniLM-L6-v2, loaded only when a vector is needed.
        budget: Context that a prompt may hold, in each chunking's unit; with it come the columns of
            ``BUDGET_COLUMNS``, which are fair to chunkers of every size.
        confidence: Such as 0.95; with it come the columns of ``INTERVAL_COLUMNS``. Two intervals that overlap do not
            say that two chunkers are alike: ``intervals.paired_comparisons`` compares them query by query.
        others: Chunks made elsewhere (``imported.align``), by the name that their rows bear; they come last.

    Raises:
        ValueError: For an unknown name or a value out of bounds.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    recalls = []
    texts = [query.text for query in queries]
    embed = embedder.encode if embedder else None
    ours = ((name, chunk(list(documents), name, embed=embed, **settings)) for name, settings in chunkers)
    for name, made in chain(ours, (others or {}).items()):
        pool = Pool(tuple(made))
        for method in methods:
            rankings = rank(pool, texts, method, analyzer=analyzer, rrf_k=rrf_k, embedder=embedder)
            scores = score(pool, rankings, queries, k, theta)
            rows.append({"chunker": name, "method": method, **scores.means()})
            if budget is not None:
                rows[-1].update(_budget_means(pool, rankings, scores, k, budget))
            recalls.append(scores.recall)
    columns = [*COLUMNS, *(BUDGET_COLUMNS if budget is not None else ())]
    if confidence is not None:
        columns += INTERVAL_COLUMNS
        if any(map(len, recalls)):
            for row, one in zip(rows, bootstrap_intervals(np.stack(recalls), confidence=confidence), strict=True):
                row.update(recall_low=one.low, recall_high=one.high)
    return pd.DataFrame(rows, columns=columns)


def _budget_means(pool: Pool, rankings: Rankings, scores: Scores, k: int, budget: float) -> dict[str, float]:
    """The means of ``BUDGET_COLUMNS``; NaN when no query is judged."""
    tops = [rankings.ids[index] for index in scores.judged.tolist()]
    spent = budgets.answer_costs(scores.first_ranks, budgets.context_costs(tops, pool.lengths))
    columns = (
        budgets.merged_lengths(pool, rankings, scores.judged, k),
        budgets.recall_within(spent, budget),
        budgets.area_within(spent, budget),
    )
    means = [float(values.mean()) if len(values) else float("nan") for values in columns]
    return dict(zip(BUDGET_COLUMNS, means, strict=True))
