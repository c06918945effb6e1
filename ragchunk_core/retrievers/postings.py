"""bm25s's index, built from all texts at once.

bm25s goes text by text, at some twenty microseconds each. The formulas, the postings and how they are searched are
its own, and the postings are the same to the bit. A module by itself, since bm25s brings SciPy along.
"""

from __future__ import annotations

import logging

import bm25s
import numpy as np
from bm25s.scoring import _select_idf_scorer, _select_tfc_scorer

from ragchunk_core.types import IntArray

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it lets every debug line through by default


def build(ids: IntArray, lengths: IntArray, terms: int, k1: float, b: float) -> bm25s.BM25:
    """An index in Lucene's form and double precision.

    Args:
        ids: The term numbers of all texts, one text after the other.
        lengths: How many of them each text has.
        terms: How many different ones there are.
    """
    engine = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64", backend="numpy")
    texts = len(lengths)
    keys, counts = np.unique(ids * texts + np.repeat(np.arange(texts), lengths), return_counts=True)
    term_of, text_of = np.divmod(keys, texts)
    holding = np.bincount(term_of, minlength=terms)
    sizes, of_size = np.unique(holding, return_inverse=True)
    idf = np.array([_select_idf_scorer("lucene")(size, texts) for size in sizes.tolist()])[of_size]
    weight = _select_tfc_scorer("lucene")(counts.astype(np.float64), lengths[text_of], lengths.mean(), k1, b)
    engine.nonoccurrence_array = None  # Lucene's form gives nothing for a term that is not there
    engine.scores = {
        "data": idf[term_of] * weight,
        "indices": text_of.astype(np.int32),
        "indptr": np.concatenate(([0], np.cumsum(holding))),
        "num_docs": texts,
    }
    return engine
