"""Texts and chunks for the viewer's tests: each case gives (text, starts, ends), in code points."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pages.shared.viewer import Facts

Spans = npt.NDArray[np.int64]
Case = tuple[str, Spans, Spans]

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
# Emoji, a family joined by ZWJ, a flag, combining marks, CJK in and beyond the first plane, Arabic, Hebrew,
# Hindi, line ends of all kinds, controls, a byte-order mark, a soft hyphen, an accent after no letter.
WORDS = [
    *("retrieval", "chunk", "the", "passage", "na\u00efve", "e\u0301tude", "a\u0301\u0323\u0308", "\u0301x"),
    *("\U0001f680", FAMILY, "\U0001f1eb\U0001f1f7", "\U0001d4d0"),
    *("\u6771\u4eac\u90fd", "\U00020bb7\u91ce\u5bb6", "\ud55c\uad6d\uc5b4"),
    *("\u0645\u0631\u062d\u0628\u0627", "\u05e9\u05dc\u05d5\u05dd", "\u0939\u093f\u0928\u094d\u0926\u0940"),
    *("\u2028", "\u2029", "\x07", "\x1b[0m", "\x0b", "\x0c", "\t"),
    *("\ufeff", "co\u00adop", "\u200b", "\u00a0"),
]
GAPS = [" ", " ", " ", " ", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", ""]

LOREM = (
    "Restart the replica only after the lag has been read twice. A chunk that ends inside a sentence loses "
    "its subject, and the reader loses the thread. Small chunks are found more often; large chunks answer "
    "more. The lens gathers what the lamp throws away, and sends it out to sea as one bright sheet.\n\n"
)


def nasty_text(length: int, seed: int = 7) -> str:
    """A text of exactly so many code points, made of everything that can shift an offset."""
    rng = random.Random(seed)
    parts: list[str] = []
    size = 0
    while size < length:
        parts.append(rng.choice(WORDS) + rng.choice(GAPS))
        size += len(parts[-1])
    return "".join(parts)[:length]


def spans(length: int, size: int, overlap: int = 0, gap_every: int = 0) -> tuple[Spans, Spans]:
    """Windows of a size; with ``gap_every`` each n-th ends half way, so that text stays uncovered."""
    starts = np.arange(0, length, size - overlap)
    ends = np.minimum(starts + size, length)
    if gap_every:
        ends[::gap_every] = starts[::gap_every] + size // 2
    return starts, np.minimum(ends, length)


def facts_of(text: str, starts: Spans, ends: Spans) -> Facts:
    """Words of each chunk, a page of a thousand characters, and a heading path; the first chunk has no path."""
    words = [len(text[start:end].split()) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    paths = [("Handbook", f"Part {start // 1000 + 1}") if start else () for start in starts.tolist()]
    return Facts(words, "words", starts // 1000 + 1, paths)


def shifted(text: str, starts: Spans, ends: Spans) -> tuple[Spans, Spans]:
    """Every third chunk starts five characters later, and so does each chunk that ended where one starts."""
    moved = starts.copy()
    moved[1::3] += 5
    return moved, np.maximum(ends, np.minimum(moved + 5, len(text)))


def same(text: str, starts: Spans, ends: Spans) -> tuple[Spans, Spans]:
    """The same chunks."""
    return starts, ends


def plain() -> Case:
    text = LOREM * 14
    return text, *spans(len(text), 240, 50, 5)


def nasty() -> Case:
    text = "\ufeff" + nasty_text(40_000)
    return text, *spans(len(text), 90, 20, 6)


def deep() -> Case:
    """Windows that overlap by nine tenths, and two that hold many others."""
    text = LOREM * 4
    starts, ends = spans(len(text), 200, 180)
    starts = np.concatenate([[0, 0], starts])
    ends = np.concatenate([[len(text), len(text) // 2], ends])
    return text, starts, ends


def touching() -> Case:
    """Windows of seven characters, end to end: nearly all borders are inside words."""
    text = LOREM
    return text, *spans(len(text), 7)


def long() -> Case:
    """Five million characters and ten thousand chunks."""
    line = LOREM[:-2] + " \U0001f680 "
    paragraph = line * 3 + "\n\n"
    text = (paragraph * (5_000_000 // len(paragraph) + 1))[:5_000_000]
    return text, *spans(len(text), 550, 50)


def one_line() -> Case:
    """No line end at all, and one word of many thousand letters."""
    text = LOREM.replace("\n", " ") * 60 + "x" * 20_000 + " " + "\u6771\u4eac" * 5_000
    return text, *spans(len(text), 500, 50)


def hostile() -> Case:
    text = (
        "<img src=x onerror=\"document.title='broken'\"> </script><script>document.title='broken'</script>\n"
        "<b>bold</b> &amp; <svg/onload=document.title='broken'> </style><style>*{display:none}</style>\n"
        "[link](javascript:alert(1)) ${document.title} {{7*7}} \u202etfel ot thgir\u202c\n"
    )
    return text, *spans(len(text), 30, 5)


def rtl() -> Case:
    arabic = "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645"
    hebrew = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"
    text = f"{arabic}, {arabic} chunk 12.\nAn English line.\n{hebrew}, {hebrew}.\n" * 3
    return text, *spans(len(text), 20)


def spaces() -> Case:
    """Every kind of white space."""
    text = "a b  c\td\r\ne\rf\u00a0g\u202fh\u2007i\u2003j\u3000k\u200bl\u00adm\u2060n\ufeffo\n\n \t \n" * 8
    return text, *spans(len(text), 20)


def empty() -> Case:
    return "", *spans(0, 10)


def unchunked() -> Case:
    return LOREM, *spans(0, 10)


CASES: dict[str, Callable[[], Case]] = {
    case.__name__: case
    for case in (plain, nasty, deep, touching, long, one_line, hostile, rtl, spaces, empty, unchunked)
}
