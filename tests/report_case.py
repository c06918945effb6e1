"""The report that the tests look at: hostile names and queries, real results of the sample corpus."""

from __future__ import annotations

import dataclasses

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from ragchunk_core import chunk, compare, evaluate
from ragchunk_core.causes import misses
from ragchunk_core.evaluation import rank, recall_context_curve, score
from ragchunk_core.judging import Pool, judge
from ragchunk_core.report import Chart, report_html
from ragchunk_core.samples import sample_corpus
from ragchunk_core.types import Query

HOSTILE = '</title></script><script>window.broken = 1</script><img src=x onerror="window.broken=1">&\'"\udce9'


def sample_report(**changes):
    """A report with two charts and the misses of one chunker, under hostile names."""
    corpus = sample_corpus()
    documents = [dataclasses.replace(d, name=HOSTILE + d.name) for d in corpus.documents]
    queries = [Query(HOSTILE + q.text, q.passages) for q in corpus.queries]
    sizes = {"size": 200, "overlap": 20}
    pool = Pool(tuple(chunk(documents, "recursive", **sizes)))
    rankings = rank(pool, [query.text for query in queries], "bm25")
    curve = recall_context_curve(pool, rankings, score(pool, rankings, queries, 2, 0.5), 10)
    judged = [judge(pool, query, 0.5) for query in queries]
    scored = evaluate(documents, queries, [("recursive", sizes), ("fixed", sizes)], ["bm25"], k=2)
    histogram = go.Figure(go.Histogram(x=pool.lengths, hovertemplate="%{y} chunks<extra></extra>"))
    histogram.update_layout(xaxis_title=HOSTILE[:-1], height=230)
    line = go.Figure(go.Scatter(x=curve[0], y=curve[1], mode="lines+markers"), {"height": 300})
    arguments = {
        "title": "Report " + HOSTILE,
        "made": "30 November 2026",
        "settings": {"Documents": ", ".join(d.name for d in documents), "Size": 200, "Overlap " + HOSTILE: 20},
        "compared": compare([pool.chunkings, chunk(documents, "fixed", **sizes)]).to_dict("records"),
        "scored": scored.to_dict("records"),
        "charts": [
            Chart("Most chunks are full " + HOSTILE, "Histogram " + HOSTILE, histogram),
            Chart("Recall against context", "Curve", line),
        ],
        "missed": {
            ("recursive", "bm25"): misses(pool, rankings, queries, judged, k=2, theta=0.5, method="bm25"),
            ("fixed", "bm25"): [],
        },
        "queries": queries,
        "plotly_js": get_plotlyjs(),
        "notes": ["A note " + HOSTILE],
    }  # fmt: skip
    return report_html(**{**arguments, **changes})
