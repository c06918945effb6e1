"""Tables of an HTML page: ``| cell | cell |`` lines where one holds data, blocks where it lays out the page.

turbohtml's own pipe tables turn into raw HTML where cells span or rows differ in length, and escape ``|``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element, Node

_TOO_TALL = {"table", "pre", "blockquote", "hr"}  # what no line of a pipe table can hold
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_PARTS = {"caption", "thead", "tbody", "tfoot", "tr", "td", "th"}
# Elements that add nothing to the words in them, as ``render`` is set up.
_MERE_WORDS = (
    "a, abbr, acronym, b, bdi, bdo, big, cite, code, data, del, dfn, em, font, i, ins, kbd, label, mark, nobr, s, "
    "samp, small, span, strike, strong, sub, sup, time, tt, u, var"
)
_MORE_THAN_WORDS = f":not({_MERE_WORDS})"
_SPACE = re.compile(r"[ \t\n\r\f]+")


@dataclass(slots=True)
class _Table:
    """What is known of one table: its own parts, and whether it looks like data."""

    rows: list[list[Element]] = field(default_factory=list)
    parts: list[Element] = field(default_factory=list)
    captions: list[Element] = field(default_factory=list)
    blocks: bool = False
    lists: bool = False
    headers: bool = False

    def is_layout(self, role: str | None) -> bool:
        """Whether the cells hold more than lines of text, or stand in one column only."""
        one_column = max(map(len, self.rows), default=0) < 2
        only_lists = self.lists and not self.headers
        return role in ("presentation", "none") or one_column or self.blocks or only_lists


def tables_to_text(tree: Tree, render: Callable[[Element], str]) -> None:
    """Replace every table by a paragraph that reads as a Markdown table, or by the blocks in its cells.

    Args:
        tree: A parsed page; changed in place.
        render: Gives the text of one cell.
    """
    for element, table in _found(tree).items():
        if table.is_layout(element.attr("role")):
            for part in table.parts:
                part.tag = "div"
            element.tag = "div"
        else:
            spans = element.select_one("[colspan], [rowspan]") is not None
            _replace(element, table, _lines(table.rows, render, spans))


def _found(tree: Tree) -> dict[Element, _Table]:
    """All tables with their parts, in one pass: a pass for each would be quadratic in nested ones."""
    found: dict[Element, _Table] = {}
    around: Node | None = None
    table: _Table | None = None
    for element in tree.iter_elements({*_PARTS, *_TOO_TALL, *_HEADINGS, "li"}) if tree.find("table") else ():
        if element.parent != around:  # the cells of a row have the same table
            around = element.parent
            owner = around.closest("table") if around is not None else None
            table = found.get(owner) if owner is not None else None
        if element.tag == "table":
            found[element] = _Table()
        if table is not None:
            _note(element, table)
    return found


def _note(element: Element, table: _Table) -> None:
    tag = element.tag
    if tag in _PARTS:
        table.parts.append(element)
    if tag in ("td", "th"):
        if not table.rows:  # a cell without a row: only inside SVG, where the parser lets it be
            table.rows.append([])
        table.rows[-1].append(element)
        table.headers = table.headers or tag == "th"
    elif tag == "tr":
        table.rows.append([])
    elif tag == "caption":
        table.captions.append(element)
    elif tag == "li":
        table.lists = True
    elif tag in _TOO_TALL:
        table.blocks = True
    elif tag in _HEADINGS and not table.blocks:
        cell = element.closest("td, th")
        table.blocks = cell is not None and cell.tag == "td"


def _replace(element: Element, table: _Table, lines: list[str]) -> None:
    from turbohtml import Element, Text

    paragraph = Element("p")
    for number, line in enumerate(lines):
        if number:
            paragraph.append(Element("br"))
        paragraph.append(Text(line))
    captions = [Element("p", None, list(caption.children)) for caption in table.captions]
    element.replace_with(*captions, paragraph)


def _lines(rows: list[list[Element]], render: Callable[[Element], str], spans: bool) -> list[str]:
    """A pipe table. Its header, the first row, is as wide as the widest: Markdown drops cells beyond it."""
    texts = [[_SPACE.sub(" ", _text(cell, render)).strip(" ") for cell in row] for row in rows]
    grid = [row for row in (_grid(rows, texts) if spans else None) or texts if any(row)]
    if not grid:
        return []
    width = max(map(len, grid))
    grid[0] += [""] * (width - len(grid[0]))
    grid.insert(1, ["---"] * width)
    return [f"| {' | '.join(row)} |" for row in grid]


def _text(cell: Element, render: Callable[[Element], str]) -> str:
    return cell.text if cell.select_one(_MORE_THAN_WORDS) is None else render(cell)


def _grid(rows: list[list[Element]], texts: list[list[str]]) -> list[list[str]] | None:
    """The texts in their columns, empty where a cell spans; None where spans would blow the table up."""
    widest = max(map(len, rows))
    left = 10 * sum(map(len, rows)) + 100  # empty cells that may still be added
    taken: dict[int, int] = {}  # column -> the first row that no cell from above reaches into
    grid = []
    for number, (cells, words) in enumerate(zip(rows, texts, strict=True)):
        line: list[str] = []
        column = 0
        for cell, word in zip(cells, words, strict=True):
            while taken.get(column, 0) > number:
                column += 1
            wide, high = _span(cell, "colspan", widest), _span(cell, "rowspan", len(rows))
            left -= column - len(line) + (wide if high > 1 else 0)
            if left < 0:
                return None
            if high > 1:
                taken.update(dict.fromkeys(range(column, column + wide), number + high))
            line += [""] * (column - len(line)) + [word]
            column += wide
        grid.append(line)
    return grid


def _span(cell: Element, name: str, most: int) -> int:
    """How many columns or rows a cell covers; a row span of 0 reaches to the end of the table."""
    value = cell.attr(name)
    digits = re.match(r"\s*\+?(\d{1,6})", value) if value else None
    number = int(digits[1]) if digits else 1
    if number == 0:
        return most if name == "rowspan" else 1
    return min(number, most)
