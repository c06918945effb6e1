"""ragchunk_core: cut documents into chunks, and measure which cut brings the answers back.

>>> from ragchunk_core import Document, chunk
>>> document = Document.from_text("One sentence. And another one.", name="a.txt")
>>> chunk(document, "recursive", size=16).texts()
['One sentence.', 'And another one.']

Nothing heavy is imported here; the embedding model is loaded when a vector is first needed.
"""

from __future__ import annotations

from ragchunk_core.chunking import Chunking, chunk
from ragchunk_core.comparison import compare
from ragchunk_core.evaluation import evaluate
from ragchunk_core.types import Chunk, Corpus, Document, Passage, Query, Span

__all__ = [
    "Chunk",
    "Chunking",
    "Corpus",
    "Document",
    "Passage",
    "Query",
    "Span",
    "chunk",
    "compare",
    "evaluate",
]
