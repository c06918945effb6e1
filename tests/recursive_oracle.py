"""What the tests of the recursive splitter share: LangChain's answer and ours."""

from __future__ import annotations

from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragchunk_core import Document, chunk
from ragchunk_core.units import UNITS

KEEP = {"start": True, "end": "end", "none": False}


def langchain(text, size, overlap, unit="chars", keep="start", **options):
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        length_function=UNITS[unit].count if unit != "chars" else len,
        keep_separator=KEEP[keep],
        **options,
    )
    return splitter.split_text(text)


def ours(text, size, overlap, **options):
    return chunk(Document.from_text(text), "recursive", size=size, overlap=overlap, ceiling=10**9, **options)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()
