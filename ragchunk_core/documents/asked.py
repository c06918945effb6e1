"""What is asked of a reader beside the bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragchunk_core.documents.limits import LIMITS, Limits
from ragchunk_core.documents.reading_options import ReadOptions


@dataclass(frozen=True, slots=True)
class Asked:
    """How one file is to be read.

    Attributes:
        password: Opens an encrypted PDF. It is kept nowhere.
        encoding: One of ``ENCODINGS`` for text and HTML, told by the user; None: it is found.
        options: What is done to the text.
        limits: What the reading may take.
    """

    password: str | None = field(default=None, repr=False)
    encoding: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    limits: Limits = LIMITS


PLAINLY = Asked()
"""With all defaults."""
