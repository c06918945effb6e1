"""The recursive splitter's fast way: sizes in characters, literal separators kept at the start of a piece.

Pieces are then contiguous, so a chunk's end is the last separator within reach (``str.rfind``) and the overlap
restarts at the first one not before ``max(end - overlap, next end - size)``. No list of pieces is built, and
the cost follows the number of chunks rather than of words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right


def character_spans(
    text: str, size: int, overlap: int, separators: tuple[str, ...], strip: bool
) -> list[tuple[int, int]]:
    """The spans of LangChain's RecursiveCharacterTextSplitter with ``length_function=len``."""
    run = _Run(text, size, overlap, separators, strip)
    if text:
        run.split(0, len(text), 0)
    return run.spans


class _Run:
    def __init__(self, text: str, size: int, overlap: int, separators: tuple[str, ...], strip: bool) -> None:
        self.text, self.size, self.overlap, self.separators, self.strip = (
            text,
            size,
            overlap,
            separators,
            strip,
        )
        self.spans: list[tuple[int, int]] = []

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
            self.spans.append((low, high))

    def _emit(self, start: int, end: int) -> None:
        text = self.text
        if self.strip:
            while start < end and text[start].isspace():
                start += 1
            while end > start and text[end - 1].isspace():
                end -= 1
        if start < end:
            self.spans.append((start, end))

    def _long_piece(self, low: int, high: int, level: int) -> None:
        if level < len(self.separators):
            self.split(low, high, level)
        else:
            self.spans.append((low, high))

    def _anywhere(self, low: int, high: int) -> None:
        """Pieces of one character."""
        size, overlap = self.size, self.overlap
        if size == 1:  # each piece is already too long to merge, and is taken as it is
            self.spans += [(i, i + 1) for i in range(low, high)]
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
                    start = high
                    break
                end = rfind(separator, start + 1, start + size + 1)
                next_end = find(separator, end + 1, high)
                if next_end < 0:
                    next_end = high
                self._emit(start, end)
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
        starts = [low]
        match = find(separator, low, high)
        while match >= 0:
            if match > low:
                starts.append(match)
            match = find(separator, match + len(separator), high)
        starts.append(high)
        last = len(starts) - 1
        index = 0
        while index < last:
            if starts[index + 1] - starts[index] >= size:
                self._long_piece(starts[index], starts[index + 1], level)
                index += 1
                continue
            while True:
                after = bisect_right(starts, starts[index] + size, index + 1) - 1
                if after >= last:
                    self._emit(starts[index], high)
                    index = last
                    break
                end, next_end = starts[after], starts[after + 1]
                self._emit(starts[index], end)
                if next_end - end >= size:
                    self._long_piece(end, next_end, level)
                    index = after + 1
                    break
                restart = max(end - overlap, next_end - size)
                index = bisect_left(starts, restart, index, after) if restart < end else after
