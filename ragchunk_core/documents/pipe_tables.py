"""Rows of words as a Markdown table: the same lines whatever file they come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pipe_table(rows: Iterable[Sequence[str]]) -> list[str]:
    """``| cell | cell |`` lines, the first row being the header, as wide as the widest row; blank rows are left out.

    Cells are not escaped (as in HTML tables): what stands between the pipes is the cell's own text on one line.
    """
    grid = [[" ".join(cell.split()) for cell in row] for row in rows]
    grid = [row for row in grid if any(row)]
    if not grid:
        return []
    width = max(map(len, grid))
    grid[0] += [""] * (width - len(grid[0]))
    grid.insert(1, ["---"] * width)
    return [f"| {' | '.join(row)} |" for row in grid]
