"""What a text is taken apart into before it is packed: parts that are kept whole while they fit (see ``nesting``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ragchunk_core.options import option

LOOSE, WITH_NEXT, ALWAYS_WITH_NEXT = 0, 1, 2
"""Whether a part stays with the next: as it comes; where both fit into one chunk; never last if that can be helped."""


class Part(NamedTuple):
    """A stretch of the text that is kept whole while it fits.

    Attributes:
        start, end: Its span, without white space at its ends.
        node: What the chunker opens it by; None: it is cut by the recursive splitter.
        keeps: ``LOOSE``, ``WITH_NEXT`` or ``ALWAYS_WITH_NEXT``.
        yields: Whether it is rather opened than parted from an ``ALWAYS_WITH_NEXT`` before it.
    """

    start: int
    end: int
    node: Any = None
    keeps: int = LOOSE
    yields: bool = False


class Inside(NamedTuple):
    """What a part is opened into.

    Attributes:
        parts: In order; together they hold all of the part but white space.
        context: Goes in front of the chunks that begin after the opening parts; the outermost line first.
        opening: How many of the first parts say themselves what the context says.
        replaces: Whether the context stands in place of that around it, and not after it.
        name: What the part is called, for the paths of the chunks inside it; empty adds nothing.
    """

    parts: Sequence[Part]
    context: tuple[str, ...] = ()
    opening: int = 1
    replaces: bool = False
    name: str = ""


_part = partial(tuple.__new__, Part)
_LINE = re.compile(r"\S(?:[^\n]*\S)?")

Open = Callable[[Part, Sequence[Part]], Inside]
"""Opens a part that is too long, given the parts before it that lead to it and go into its first chunk."""


def within_option() -> Any:
    """The dataclass field that says whether the size includes the context."""
    return option(
        True,
        "Size includes the context",
        "Chunk and context fit into the size together; context that keeps a part from being whole is left out.",
    )


def lines_of(text: str, start: int, end: int) -> list[Part]:
    """The lines of a stretch of text, without white space at their ends; blank ones are none."""
    return [_part((*line.span(), None, LOOSE, False)) for line in _LINE.finditer(text, start, end)]
