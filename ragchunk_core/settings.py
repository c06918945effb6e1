"""Everything that a link or a preset can set, and the presets (S02)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """One state of the dashboard, without documents.

    Attributes:
        corpus: ``sample``, ``worked-example`` or ``custom`` (the user's own documents).
        size, unit: Chunk size and its unit.
        overlap: In units, or in percent of the size where ``overlap_percent`` is set.
        on: Registry names of the chunkers compared.
        chunker: The one that is shown.
        k, theta: Top k, and the share of a passage that a chunk must cover to answer it.
        analyzer, rrf_k: BM25's analyzer, and the constant of reciprocal rank fusion.
        method: A retrieval method, or ``all``.
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
}
