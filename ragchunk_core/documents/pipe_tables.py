"""Rows of words as a Markdown table: the same lines whatever file they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def pipe_table(rows: Iterable[Sequence[str]], check: Callable[[int], None] = lambda length: None) -> list[str]:
    """``| cell | cell |`` lines, the first row being the header, as wide as the widest row; blank rows are left out.

    Cells are not escaped (as in HTML tables): what stands between the pipes is the cell's own text.

    Args:
        rows: Cells that are one line each (``one_line``).
        check: Called with the number of characters so far; may raise.
    """
    lines: list[str] = []
    header: list[str] = []
    width = length = 0
    for row in rows:
        if not any(row):
            continue
        width = max(width, len(row))
        header = header or [*row]
        lines.append(f"| {' | '.join(row)} |")
        length += len(lines[-1]) + 1
        check(length)
    if not lines:
        return []
    header += [""] * (width - len(header))
    return [f"| {' | '.join(header)} |", f"| {' | '.join(['---'] * width)} |", *lines[1:]]


def one_line(text: str) -> str:
    """The words of a text with one space between them."""
    return " ".join(text.split())
