"""How fast the chunkers are, beside the rivals named in the README, in one run.

    python -m tests.benchmarks.chunking_speed [text files …]

Each figure is CPU time of this process, the median of five runs (of one, where a run takes longer than five
seconds); ours and the rival's take turns. Without files the texts are the project's test data where they are there
(``RAGCHUNK_SHARED_DATA`` or ``../shared/data``), else the sample documents, repeated. Ours includes everything that
``chunk`` does and the texts of all chunks; the ``Document``, which is made once however often it is cut, is ready.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ragchunk_core import Document, chunk
from ragchunk_core.sentences import sentence_spans
from ragchunk_core.units.vocabularies import load

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("RAGCHUNK_SHARED_DATA", ROOT.parent / "shared" / "data"))
RIVALS = ("langchain-text-splitters", "chonkie", "syntok", "tiktoken", "markdown-it-py")
MANY = 10**9
SIZES = {"size": 400, "overlap": 50}

Run = Callable[[], Any]


def texts(pattern: str) -> str:
    """All text of the data, as one; the sample documents where there is no data."""
    files = [Path(name) for name in sys.argv[1:]] or sorted(DATA.glob(pattern))
    if not files:
        files = sorted((ROOT / "sample_data").glob("*.md")) + sorted((ROOT / "sample_data").glob("*.txt"))
    joined = "\n\n".join(file.read_text(encoding="utf-8") for file in files)
    return joined if len(joined) > 200_000 else joined * -(-200_000 // len(joined))


def medians(*runs: Run) -> list[float]:
    """CPU seconds of each, run in turns."""
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(5):
        for run, times in zip(runs, taken, strict=True):
            if times and times[0] > 5:
                continue
            before = time.process_time()
            run()
            times.append(time.process_time() - before)
    return [statistics.median(times) for times in taken]


def row(what: str, characters: int, ours: Run, *rivals: tuple[str, Run]) -> None:
    """One line a rival: our speed and how many times the rival's it is."""
    own, *others = medians(ours, *(run for _, run in rivals))
    for (name, _), seconds in zip(rivals, others, strict=True):
        speed = characters / own / 1e6
        print(
            f"| {what} | {name} | {speed:,.1f} | {characters / seconds / 1e6:,.2f} | {seconds / own:,.1f} × |",
            flush=True,
        )


def ours(text: str, chunker: str, **settings: Any) -> Run:
    """``chunk`` and the texts of all chunks."""
    document = Document("benchmark", text)
    return lambda: chunk(document, chunker, ceiling=MANY, **settings).texts()


def unlike(text: str, characters: int) -> str:
    """So much text that no two places are alike: the sentences of a text, shuffled anew each time around."""
    spans, shuffle, parts = sentence_spans(text).tolist(), random.Random(1).shuffle, []
    for _ in range(-(-characters // len(text))):
        shuffle(spans)
        parts += [text[start:end] for start, end in spans]
    return " ".join(parts)[:characters]


def recursive(text: str) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter as Splitter

    plain = Splitter(chunk_size=400, chunk_overlap=50)
    indexed = Splitter(chunk_size=400, chunk_overlap=50, add_start_index=True)
    row(
        "recursive 400 / 50, characters", len(text), ours(text, "recursive", **SIZES),
        ("LangChain", lambda: plain.split_text(text)),
        ("LangChain with start_index", lambda: indexed.create_documents([text])),
    )  # fmt: skip
    tokens = Splitter.from_tiktoken_encoder("cl100k_base", chunk_size=400, chunk_overlap=50, disallowed_special=())
    row(
        "recursive 400 / 50, cl100k tokens", len(text), ours(text, "recursive", unit="cl100k", **SIZES),
        ("LangChain", lambda: tokens.split_text(text)),
    )  # fmt: skip


def windows(text: str) -> None:
    from chonkie import TokenChunker
    from langchain_text_splitters import TokenTextSplitter

    chonkie = TokenChunker("character", 400, 50)
    row(
        "fixed windows 400 / 50, characters", len(text), ours(text, "fixed", **SIZES),
        ("chonkie", lambda: chonkie.chunk(text)),
    )  # fmt: skip
    plain = TokenTextSplitter("cl100k_base", chunk_size=400, chunk_overlap=50, disallowed_special=())
    row(
        "token windows 400 / 50, cl100k", len(text), ours(text, "fixed", unit="cl100k", **SIZES),
        ("LangChain", lambda: plain.split_text(text)),
    )  # fmt: skip
    long = unlike(text, 10_000_000)
    indexed = TokenTextSplitter(
        "cl100k_base", chunk_size=400, chunk_overlap=50, disallowed_special=(), add_start_index=True
    )
    row(
        "the same, 10 MB", len(long), ours(long, "fixed", unit="cl100k", **SIZES),
        ("LangChain with start_index", lambda: indexed.create_documents([long])),
    )  # fmt: skip


def headings(text: str) -> None:
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    levels = [("#" * level, str(level)) for level in (1, 2, 3)]
    splitter = MarkdownHeaderTextSplitter(levels)
    row(
        "Markdown headings, levels 1–3", len(text), ours(text, "markdown", level=3, split_long=False),
        ("LangChain", lambda: splitter.split_text(text)),
    )  # fmt: skip


def sentences(text: str) -> None:
    from syntok import segmenter

    # syntok's own way to a text's sentences; it takes a second a megabyte.
    part = text[:300_000]
    row(
        "sentences", len(part), lambda: sentence_spans(part),
        ("syntok", lambda: [list(paragraph) for paragraph in segmenter.process(part)]),
    )  # fmt: skip


def growth(chunker: str, megabytes: int) -> None:
    """In a process of its own: seconds and extra memory for a text of so many megabytes."""
    base = texts("chroma/*.md")
    text = (base * -(-megabytes * 1_000_000 // len(base)))[: megabytes * 1_000_000]
    document = Document("benchmark", text)
    start = time.process_time()
    found = chunk(document, chunker, ceiling=MANY, **SIZES)
    seconds = time.process_time() - start
    del found
    tracemalloc.start()
    found = chunk(document, chunker, ceiling=MANY, **SIZES)
    extra = tracemalloc.get_traced_memory()[1]
    print(
        f"| {chunker} | {megabytes} | {seconds:.3f} | {extra / sys.getsizeof(text):.2f} × | {len(found):,} |",
        flush=True,
    )


def main() -> None:
    """Print the tables as Markdown."""
    load("cl100k_base")  # without the network; LangChain finds it in tiktoken from then on
    print(f"Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in RIVALS))
    print("\n| what | against | ours, MB/s | theirs, MB/s | ours is |\n| --- | --- | --- | --- | --- |")
    prose, markdown = texts("chroma/*.md"), texts("markdown/docs/*.md")
    recursive(prose)
    windows(prose)
    headings(markdown)
    sentences(prose)
    print(
        "\n| spans of | MB of text | CPU seconds | extra memory, of the text's | chunks |"
        "\n| --- | --- | --- | --- | --- |"
    )
    for chunker in ("recursive", "fixed"):
        for megabytes in (1, 10, 100):
            call = f"from tests.benchmarks.chunking_speed import growth; growth({chunker!r}, {megabytes})"
            subprocess.run([sys.executable, "-c", call], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
