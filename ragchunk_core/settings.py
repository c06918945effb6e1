"""Everything that a link (see ``links``) or a preset can set, and the presets (S02)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """One state of the dashboard, without documents.

    Attributes:
        corpus: ``sample``, ``worked-example``, ``structure`` or ``custom`` (the user's own documents).
        size, unit: Chunk size and its unit.
        overlap: In units, or in percent of the size where ``overlap_percent`` is set.
        on: Registry names of the chunkers compared.
        chunker: The one that is shown.
        k, theta: Top k, and the share of a passage that a chunk must cover to answer it.
        analyzer, rrf_k: BM25's analyzer, and the constant of reciprocal rank fusion.
        method: A retrieval method, or ``all``.
        emb: Whether methods that need an embedding model are run.
        doc, q: The document and the query shown, counted from 0; a viewer with fewer of them shows its last.
        options: The chunkers' own options that differ from their defaults, by chunker and name.
    """

    corpus: str = "sample"
    size: int = 400
    unit: str = "chars"
    overlap: int = 50
    overlap_percent: bool = False
    on: tuple[str, ...] = ("fixed", "sentence", "recursive", "markdown")
    chunker: str = "recursive"
    k: int = 5
    theta: float = 0.5
    analyzer: str = "english"
    rrf_k: int = 60
    method: str = "all"
    emb: bool = True
    doc: int = 0
    q: int = 0
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preset:
    """A named state: its label, what it shows, and the page that shows it best."""

    label: str
    help: str
    page: str
    settings: Settings


PRESETS: dict[str, Preset] = {
    "sample": Preset(
        "Sample corpus",
        "Three documents, eleven judged queries, four chunkers at 400 characters.",
        "retrieval",
        Settings(),
    ),
    "worked-example": Preset(
        "Worked example",
        "Four paragraphs of 801 characters at 300: three chunks of whole sentences against windows with 15 % overlap.",
        "chunks",
        Settings(
            corpus="worked-example",
            size=300,
            overlap=15,
            overlap_percent=True,
            on=("sentence-buffer", "fixed", "sentence", "paragraph"),
            chunker="sentence-buffer",
            options={"sentence": {"pack": False}, "paragraph": {"pack": False}},
        ),
    ),
    "tiny-chunks": Preset(
        "Tiny chunks",
        "120 characters, and a passage must be covered whole: recall falls apart.",
        "retrieval",
        Settings(size=120, overlap=0, theta=1.0),
    ),
    "big-chunks": Preset(
        "Big chunks",
        "1,500 characters: recall is easy, but every answer costs far more context.",
        "retrieval",
        Settings(size=1500, overlap=50),
    ),
    "no-overlap": Preset(
        "No overlap",
        "Fixed windows of 60 tokens that share nothing: sentences and words are cut in two.",
        "chunks",
        Settings(size=60, overlap=0, unit="tokens", on=("fixed",), chunker="fixed"),
    ),
    "tokens": Preset(
        "Token windows",
        "Fixed windows of 128 tokens, each sharing 16 with the one before.",
        "chunks",
        Settings(size=128, overlap=16, unit="tokens", on=("fixed",), chunker="fixed"),
    ),
    "markdown-context": Preset(
        "Markdown with context",
        "Sections with their heading path indexed in front of every chunk, against the recursive splitter.",
        "retrieval",
        Settings(on=("recursive", "markdown"), chunker="markdown", options={"markdown": {"context": "path"}}),
    ),
    "structure": Preset(
        "Tables, code and records",
        "Long tables, a program and a CSV file: chunks that know their header or signature, against the recursive "
        "splitter.",
        "retrieval",
        Settings(corpus="structure", overlap=0, on=("recursive", "structure"), chunker="structure"),
    ),
    "langchain-docs": Preset(
        "LangChain's documentation",
        "Its example of the recursive splitter, 100 characters with 20 overlap, on the State of the Union of 2022. "
        "That text is not shipped here: open state_of_the_union.txt, which LangChain's repository long had in "
        "docs/modules and which hwchase17/chat-your-data still has.",
        "chunks",
        Settings(corpus="custom", size=100, overlap=20, on=("recursive",)),
    ),
    "semantic": Preset(
        "Semantic breakpoints",
        "Cuts above the 80th percentile of the distances between sentences, on the essay about lighthouse optics.",
        "distances",
        Settings(
            on=("semantic",),
            chunker="semantic",
            doc=1,
            options={"semantic": {"amount": 80.0}},
        ),
    ),
    "preview-words": Preset(
        "Word windows",
        "Windows of 6 words that share 2: small enough to check every offset by eye.",
        "chunks",
        Settings(corpus="worked-example", size=6, overlap=2, unit="words", on=("fixed",), chunker="fixed"),
    ),
}
