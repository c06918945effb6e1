"""The columns of a page, told by the white gutter between them, and its text one column after the other.

A page is cut by the gutter that has many lines on both sides and few across it; lines across it (titles, wide
figures) part the page into bands. In a band with lines beside each other on both sides, the left column comes before
the right one. Each side is cut again in the same way, for three columns and more. A table looks much like columns of
prose, so this is done only where it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

_MOST_BOXES = 5_000
_DEEPEST = 3
_LEAST_LINES = 3  # in each column
_MOST_CROSSING = 0.4  # of the lines
_LEAST_WIDTH = 0.1  # of the page's text, of the middle line of a column: page numbers are none
_MARGIN = 10_000.0  # points beyond the page


class _Box(NamedTuple):
    """A run of text on a line, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


def by_columns(textpage: PdfTextPage) -> tuple[str, int]:
    """The text, and how many columns it was read in at most; as it stands where there is one, or a sign got lost."""
    whole = textpage.get_text_bounded()
    count = textpage.count_rects()
    if not 2 * _LEAST_LINES <= count <= _MOST_BOXES:
        return whole, 1
    boxes = [_Box(*textpage.get_rect(number)) for number in range(count)]
    regions = _regions(boxes, _Box(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN), 0)
    if len(regions) < 2:
        return whole, 1
    parts = [textpage.get_text_bounded(*region) for region in regions]
    text = "\r\n".join(line.rstrip() for part in parts for line in part.splitlines() if line.strip())
    if sorted("".join(text.split())) != sorted("".join(whole.split())):
        return whole, 1
    return text, 2


def _regions(boxes: list[_Box], region: _Box, depth: int) -> list[_Box]:
    """The parts of a region in the order of reading."""
    gutter = _gutter(boxes) if depth < _DEEPEST else None
    if gutter is None:
        return [region]
    bands = _joined(_bands(boxes, gutter), gutter)
    if not any(columns for columns, _ in bands):
        return [region]
    found: list[_Box] = []
    top = region.top
    for number, (columns, inside) in enumerate(bands):
        bottom = region.bottom
        if number + 1 < len(bands):
            bottom = (min(box.bottom for box in inside) + max(box.top for box in bands[number + 1][1])) / 2
        band = _Box(region.left, bottom, region.right, top)
        if columns:
            left, right = _sides(inside, gutter)
            found += _regions(left, band._replace(right=gutter), depth + 1)
            found += _regions(right, band._replace(left=gutter), depth + 1)
        else:
            found.append(band)
        top = bottom
    return found


def _joined(bands: list[tuple[bool, list[_Box]]], gutter: float) -> list[tuple[bool, list[_Box]]]:
    """The bands, those without columns joined to one where they follow each other."""
    everything = [box for _, boxes in bands for box in boxes]
    width = max(box.right for box in everything) - min(box.left for box in everything)
    joined: list[tuple[bool, list[_Box]]] = []
    for across, boxes in bands:
        columns = not across and _has_columns(boxes, gutter, width)
        if joined and not columns and not joined[-1][0]:
            joined[-1][1].extend(boxes)
        else:
            joined.append((columns, list(boxes)))
    return joined


def _has_columns(boxes: list[_Box], gutter: float, width: float) -> bool:
    """Whether most lines of the shorter side have one beside them, and both sides are wide enough for prose."""
    sides = _sides(boxes, gutter)
    if min(len({round(box.bottom) for box in side}) for side in sides) < _LEAST_LINES:
        return False
    for side in sides:
        widths = sorted(box.right - box.left for box in side)
        if widths[len(widths) // 2] < _LEAST_WIDTH * width:
            return False
    shorter, longer = sorted(sides, key=len)
    beside = sum(any(one.bottom < _middle(box) < one.top for one in longer) for box in shorter)
    return 2 * beside >= len(shorter)


def _sides(boxes: list[_Box], gutter: float) -> tuple[list[_Box], list[_Box]]:
    return [box for box in boxes if box.left < gutter], [box for box in boxes if box.left >= gutter]


def _bands(boxes: list[_Box], gutter: float) -> list[tuple[bool, list[_Box]]]:
    """Boxes from top to bottom, parted where lines that cross the gutter begin and end."""
    wide = [box for box in boxes if box.left < gutter < box.right]
    bands: list[tuple[bool, list[_Box]]] = []
    for box in sorted(boxes, key=lambda box: -_middle(box)):
        across = any(one.bottom < _middle(box) < one.top for one in wide)
        if not bands or bands[-1][0] != across:
            bands.append((across, []))
        bands[-1][1].append(box)
    return bands


def _middle(box: _Box) -> float:
    return (box.top + box.bottom) / 2


def _gutter(boxes: list[_Box]) -> float | None:
    """The middle of the white stripe with many lines on both sides and few across; None without one."""
    if len(boxes) < 2 * _LEAST_LINES:
        return None
    heights = sorted(box.top - box.bottom for box in boxes)
    least = heights[len(heights) // 2] / 2
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    margin = (right - left) * _LEAST_WIDTH
    margin = (right - left) * _LEAST_WIDTH
    best, place = 0, None
    for edge in sorted({box.right for box in boxes if left + margin < box.right < right - margin}):
        before = sum(box.right <= edge for box in boxes)
        behind = sum(box.left >= edge + least for box in boxes)
        crossing = len(boxes) - before - behind
        if crossing <= _MOST_CROSSING * len(boxes) and min(before, behind) - crossing >= max(best, 1):
            best, place = min(before, behind) - crossing, edge + least / 2
    return place
