"""The recursive splitter's fast way: sizes in characters, literal separators kept at the start of a piece.

Pieces are then contiguous, so a chunk's end is the last separator within reach (``str.rfind``) and the overlap
restarts at the first one not before ``max(end - overlap, next end - size)``. No list of pieces is built, and
the cost follows the number of chunks rather than of words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ragchunk_core.chunkers.base import Request

_AHEAD = 65_536
"""How far a longer separator is looked for at once: its matches have to be found from left to right."""


def character_spans(request: Request, separators: tuple[str, ...], strip: bool) -> tuple[list[int], list[int]]:
    """Starts and ends of the chunks of LangChain's RecursiveCharacterTextSplitter with ``length_function=len``."""
    run = _Run(request, separators, strip)
    if request.text:
        run.split(0, len(request.text), 0)
    return run.starts, run.ends


class _Run:
    def __init__(self, request: Request, separators: tuple[str, ...], strip: bool) -> None:
        self.request, self.separators, self.strip = request, separators, strip
        self.text, self.size, self.overlap = request.text, request.size, request.overlap
        self.starts: list[int] = []
        self.ends: list[int] = []

    def split(self, low: int, high: int, level: int) -> None:
        """Split ``text[low:high]`` with the separators from ``level`` on."""
        for index in range(level, len(self.separators)):
            separator = self.separators[index]
            if not separator:
                self._anywhere(low, high)
                return
            if self.text.find(separator, low, high) >= 0:
                cut = self._at_character if len(separator) == 1 else self._at_string
                cut(low, high, separator, index + 1)
                return
        # No separator is left: the piece stays whole, and unstripped when it is too long, as LangChain leaves it.
        if high - low < self.size:
            self._emit(low, high)
        else:
            self._append(low, high)

    def _append(self, start: int, end: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        if len(self.starts) > self.request.ceiling:
            self.request.refuse_above(len(self.starts), so_far=True)

    def _emit(self, start: int, end: int) -> None:
        if self.strip:
            text = self.text
            while start < end and text[start].isspace():
                start += 1
            while end > start and text[end - 1].isspace():
                end -= 1
        if start < end:
            self._append(start, end)

    def _long_piece(self, low: int, high: int, level: int) -> None:
        if level < len(self.separators):
            self.split(low, high, level)
        else:
            self._append(low, high)

    def _anywhere(self, low: int, high: int) -> None:
        """Pieces of one character."""
        size, overlap = self.size, self.overlap
        if size == 1:  # each piece is already too long to merge, and is taken as it is
            self.request.refuse_above(len(self.starts) + high - low, so_far=True)
            self.starts += range(low, high)
            self.ends += range(low + 1, high + 1)
            return
        start = low
        while high - start > size:
            end = start + size
            self._emit(start, end)
            start = max(end - overlap, end + 1 - size)
        self._emit(start, high)

    def _at_character(self, low: int, high: int, separator: str, level: int) -> None:
        """Pieces that start at a separator of one character."""
        find, rfind, size, overlap = self.text.find, self.text.rfind, self.size, self.overlap
        text, strip, ceiling = self.text, self.strip, self.request.ceiling
        starts, ends = self.starts, self.ends
        start = low
        while start < high:
            piece_end = find(separator, start + 1, high)
            if piece_end < 0:
                piece_end = high
            if piece_end - start >= size:
                self._long_piece(start, piece_end, level)
                start = piece_end
                continue
            while True:  # a run of pieces short enough to merge
                if start + size >= high:
                    self._emit(start, high)
                    return
                end = rfind(separator, start + 1, start + size + 1)
                next_end = find(separator, end + 1, high)
                if next_end < 0:
                    next_end = high
                first, last = start, end  # as ``_emit``, without a call for each chunk
                if strip:
                    while first < last and text[first].isspace():
                        first += 1
                    while last > first and text[last - 1].isspace():
                        last -= 1
                if first < last:
                    starts.append(first)
                    ends.append(last)
                    if len(starts) > ceiling:
                        self.request.refuse_above(len(starts), so_far=True)
                if next_end - end >= size:
                    self._long_piece(end, next_end, level)
                    start = next_end
                    break
                restart = max(end - overlap, next_end - size)
                found = find(separator, restart, end) if restart < end else -1
                start = end if found < 0 else found

    def _at_string(self, low: int, high: int, separator: str, level: int) -> None:
        """Pieces that start at a longer separator: leftmost matches that do not overlap."""
        find, size, overlap = self.text.find, self.size, self.overlap
        marks = [low]
        match = find(separator, low, high)
        if match == low:
            match = find(separator, low + len(separator), high)
        index, known = 0, low  # up to here all marks are in the list
        while marks[index] < high:
            start = marks[index]
            if start + 2 * size >= known:
                del marks[:index]
                index, known = 0, start + 2 * size + _AHEAD
                while marks[-1] < known and marks[-1] < high:
                    marks.append(match if match >= 0 else high)
                    if match >= 0:
                        match = find(separator, match + len(separator), high)
            if marks[index + 1] - start >= size:
                self._long_piece(start, marks[index + 1], level)
                index += 1
                continue
            after = bisect_right(marks, start + size, index + 1) - 1
            end = marks[after]
            self._emit(start, end)
            if end == high:
                return
            next_end = marks[after + 1]
            if next_end - end >= size:
                index = after  # the piece that is too long is next, and nothing is carried over to it
            else:
                restart = max(end - overlap, next_end - size)
                index = bisect_left(marks, restart, index, after) if restart < end else after
