"""How files are read, as options that describe themselves: pages draw their widgets from them, links store them.

Everything is off by default: the text is then what the file holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragchunk_core.options import checked, option


@dataclass(frozen=True, slots=True)
class CleaningOptions:
    """What is changed in a text after it was read, of whatever kind (D07)."""

    marks: bool = option(
        False, "Byte-order marks", "Remove U+FEFF, left in a text where files were joined; the mark at the start of a "
        "file is never part of its text.",
    )  # fmt: skip
    zero_width: bool = option(
        False, "Zero-width spaces", "Remove U+200B and U+2060. Joiners (U+200C, U+200D) stay: emoji and scripts "
        "need them.",
    )  # fmt: skip
    no_break: bool = option(False, "Non-breaking spaces", "Make U+00A0, U+2007 and U+202F ordinary spaces.")
    line_ends: bool = option(False, "Line ends", "Make CR LF and lone CR line feeds.")
    nfc: bool = option(False, "Unicode NFC", "Compose letters and their accents: e + U+0301 becomes é.")


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """How PDF files are read (D05, D06)."""

    engine: str = option(
        "pypdf", "Extractor", "Where one reads a file badly another may read it well; column by column suits "
        "prose, not tables.",
        choices={"pypdf": "pypdf", "pdfium": "PDFium", "columns": "PDFium, column by column"},
    )  # fmt: skip
    furniture: bool = option(
        False, "Remove headers and footers", "Remove first and last lines that repeat from page to page, page numbers "
        "among them.",
    )  # fmt: skip
    hyphens: bool = option(
        False, "Join hyphenated words", "Put words together that are parted at a line end; the hyphen stays where the "
        "word has one.",
    )  # fmt: skip
    ligatures: bool = option(False, "Spell out ligatures", "Write ﬁ, ﬂ and their kind as single letters.")
    outline: bool = option(
        False, "Outline as headings", "Make the lines that the file's outline names Markdown headings."
    )


@dataclass(frozen=True, slots=True)
class HtmlOptions:
    """How HTML pages are read (D04)."""

    main: bool = option(
        False, "Main content only", "Leave out navigation, side columns and footers, found by the density of words "
        "and links.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How .csv and .tsv files are read (D12)."""

    markdown: bool = option(
        False, "As a Markdown table", "Turn rows into | cell | lines; off keeps the file as it is, for chunkers that "
        "cut records.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """All options, by the kind of file that they are for. ``GROUPS`` names the groups."""

    cleaning: CleaningOptions = field(default_factory=CleaningOptions)
    pdf: PdfOptions = field(default_factory=PdfOptions)
    html: HtmlOptions = field(default_factory=HtmlOptions)
    table: TableOptions = field(default_factory=TableOptions)

    def values(self) -> dict[str, Any]:
        """What differs from the defaults, by ``group.name``: as links and projects store it."""
        return {
            f"{group}.{name}": value
            for group, (kind, _) in GROUPS.items()
            for name, value in dataclasses.asdict(getattr(self, group)).items()
            if value != getattr(kind(), name)
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ReadOptions:
        """The options that ``values`` told.

        Raises:
            ValueError: If a name is unknown or a value not allowed.
        """
        given: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
        for name, value in values.items():
            group, _, option_name = name.partition(".")
            if group not in GROUPS or not option_name:
                raise ValueError(f"There is no reading option {name!r}; its name must begin with {_GROUP_NAMES}.")
            given[group][option_name] = value
        return cls(
            **{group: checked(kind, given[group], f"reading ({label})") for group, (kind, label) in GROUPS.items()}
        )


GROUPS: dict[str, tuple[type, str]] = {
    "cleaning": (CleaningOptions, "cleaning"),
    "pdf": (PdfOptions, "PDF"),
    "html": (HtmlOptions, "HTML"),
    "table": (TableOptions, "CSV"),
}
"""The groups of options: dataclass and label by the name of the field in ``ReadOptions``."""

_GROUP_NAMES = ", ".join(f"{group}." for group in GROUPS)
