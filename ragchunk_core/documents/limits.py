"""How much is read, and the error that says why something is not.

The limits keep one hostile or mistaken file from taking the machine down; ordinary documents stay far below.
"""

from __future__ import annotations

MAX_BYTES = 50_000_000
"""Largest file."""

MAX_TEXT = 20_000_000
"""Most characters that an HTML page or a PDF may unfold to."""

MAX_PAGES = 5_000
"""Most pages of a PDF."""

MAX_PAGE_TEXT = 1_000_000
"""Most characters on one page of a PDF: pypdf's time grows with their square."""


class ReadError(ValueError):
    """A file that cannot be read; the sentence names the file, what is wrong and what is allowed."""
