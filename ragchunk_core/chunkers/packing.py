"""Packing neighbouring parts (sentences, paragraphs) into chunks up to a size. Used by several chunkers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ragchunk_core.chunkers.base import Request
from ragchunk_core.types import IntArray


def pack(
    request: Request, starts: IntArray, ends: IntArray, carry: Callable[[int, int], int]
) -> Iterator[tuple[int, int]]:
    """Ranges ``[first, after)`` of parts, each as long as fits into the size, at least one part long.

    A part that is longer than the size by itself is a range of its own and carries nothing over. The length of
    a range is that of the text from its first part's start to its last part's end, counted exactly.

    Args:
        starts, ends: The parts' spans, in order and not overlapping.
        carry: Given a range that was closed, the first part that the next may repeat.

    Raises:
        ValueError: As soon as there are more ranges than the request's ceiling.
    """
    if not len(starts):
        return
    text, size, unit = request.text, request.size, request.unit
    low, high = starts.tolist(), ends.tolist()
    count = len(low)
    # Lengths with the gap after each part add up, nearly; they find the place, the exact count decides.
    gaps = np.append(starts[1:], ends[-1])
    before = np.concatenate(([0], np.cumsum(unit.slice_counts(text, starts, gaps))))

    def fits(first: int, last: int) -> bool:
        return unit.count(text[low[first] : high[last]]) <= size

    def last(first: int) -> int:
        guess = min(count, int(np.searchsorted(before, before[first] + size, side="right"))) - 1
        return furthest(first, guess, count, lambda part: fits(first, part))

    first = made = 0
    while first < count:
        made += 1
        request.refuse_above(made, so_far=True)
        after = last(first) + 1
        yield first, after
        if after == count:
            return
        first = min(after, max(first + 1, carry(first, after)))
        while first < after and not fits(first, after):
            first += 1


def furthest(first: int, guess: int, count: int, fits: Callable[[int], bool]) -> int:
    """The last of ``count`` parts up to which all from ``first`` on fit: from a guess in steps that double, then halve.

    The first part is taken to fit; ``fits`` is asked about the last one of a range.
    """
    guess, step = max(first, min(guess, count - 1)), 1
    if guess == first or fits(guess):
        good = guess
        while good + step < count and fits(good + step):
            good, step = good + step, 2 * step
        bad = min(count, good + step)
    else:
        bad = guess
        while bad - step > first and not fits(bad - step):
            bad, step = bad - step, 2 * step
        good = max(first, bad - step)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def carry_nothing(_first: int, after: int) -> int:
    """Repeat nothing."""
    return after


def carry_last(parts: int) -> Callable[[int, int], int]:
    """Repeat the last ``parts`` parts."""
    return lambda first, after: after - parts


def carry_length(request: Request, starts: IntArray, ends: IntArray) -> Callable[[int, int], int]:
    """Walk back over whole parts while together they are no longer than the overlap."""

    def carry(first: int, after: int) -> int:
        begin = after
        while begin > first and (
            request.unit.count(request.text[starts[begin - 1] : ends[after - 1]]) <= request.overlap
        ):
            begin -= 1
        return begin

    return carry
