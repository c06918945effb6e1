"""The comparison table over chunkers (V02)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunking import Chunking
from ragchunk_core.spans import covered
from ragchunk_core.units import unit_named

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "chunker": "Registry name of the chunker.",
    "chunks": "How many chunks.",
    "mean": "Mean length in the unit.",
    "median": "Median length in the unit.",
    "smallest": "Length of the shortest chunk in the unit.",
    "largest": "Length of the longest chunk in the unit.",
    "size_used": "Mean length / size.",
    "duplicated": "(summed length of the spans - characters covered) / characters of the text.",
    "covered": "Characters in at least one chunk / characters of the text.",
    "tokens": "Tokens over all chunks, each counted by itself.",
    "overlap_tax": "Tokens over all chunks - tokens of the text.",
}


def compare(chunkings: Sequence[Chunking | Sequence[Chunking]], tokens: str = "cl100k") -> pd.DataFrame:
    """One row a chunking; a list of chunkings (one a document of a corpus) is one row too.

    Args:
        tokens: The unit of the columns ``tokens`` and ``overlap_tax``.

    Returns:
        The columns of ``COLUMNS``; shares are from 0, lengths NaN where there is no chunk.
    """
    import pandas as pd

    groups = [[item] if isinstance(item, Chunking) else list(item) for item in chunkings]
    return pd.DataFrame([comparison_row(group, tokens) for group in groups], columns=list(COLUMNS))


def comparison_row(
    group: Sequence[Chunking], tokens: str = "cl100k", source_tokens: int | None = None
) -> dict[str, Any]:
    """One row of ``compare``; ``source_tokens`` spares counting the documents where that is known."""
    lengths = np.concatenate([c.lengths for c in group])
    characters = sum(len(c.document.text) for c in group)
    stored = sum(int((c.ends - c.starts).sum()) for c in group)
    unique = sum(covered(c.starts, c.ends) for c in group)
    unit = unit_named(tokens)
    of_chunks = sum(int(unit.counts(c.texts()).sum()) for c in group)
    if source_tokens is None:
        source_tokens = sum(unit.count(c.document.text) for c in group)
    some = len(lengths) > 0
    mean = float(lengths.mean()) if some else float("nan")
    return {
        "chunker": group[0].chunker,
        "chunks": len(lengths),
        "mean": mean,
        "median": float(np.median(lengths)) if some else float("nan"),
        "smallest": float(lengths.min()) if some else float("nan"),
        "largest": float(lengths.max()) if some else float("nan"),
        "size_used": mean / group[0].size,
        "duplicated": (stored - unique) / characters if characters else 0.0,
        "covered": unique / characters if characters else 0.0,
        "tokens": of_chunks,
        "overlap_tax": of_chunks - source_tokens,
    }
