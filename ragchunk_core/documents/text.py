"""Plain text and Markdown, kept exactly: only the bytes are decoded, and nothing is stripped or changed.

Bytes that are not UTF-8 are told apart by turbohtml's detector, a port of the one in Firefox: of 846 beginnings (60
characters) of XQuAD's passages in 11 encodings it read all right, charset-normalizer 795; of whole passages all 879,
and 867 (``tests/benchmarks/reading_rivals.py``). It does not know DOS and Mac code pages.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.limits import ReadError
from ragchunk_core.types import Document

ENCODINGS: dict[str, str] = {
    "UTF-8": "utf-8",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "UTF-32LE": "utf-32-le",
    "UTF-32BE": "utf-32-be",
    "windows-1252": "cp1252",  # Western
    **{f"ISO-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-{page}": f"cp{page}" for page in (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)},
    "windows-874": "cp874",
    "Shift_JIS": "cp932",
    "EUC-JP": "euc_jp",
    "ISO-2022-JP": "iso2022_jp",
    "GBK": "gbk",
    "GB18030": "gb18030",
    "Big5": "big5hkscs",
    "EUC-KR": "cp949",
    "KOI8-R": "koi8_r",
    "KOI8-U": "koi8_u",
    "IBM437": "cp437",  # DOS
    "IBM850": "cp850",
    "IBM866": "cp866",
    "macintosh": "mac_roman",
}
"""Encodings that a user may name, by the names of the WHATWG standard where it has them, with Python's codecs."""

# UTF-32 first: its little-endian mark starts with that of UTF-16.
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32BE"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16BE"),
)
_SAMPLE = 500_000  # bytes shown to the detector (14 MB/s) and looked at for signs of binary content
_BLOCK = 1_000_000  # bytes that are looked through at a time for what is shown to the detector
_CONTROL = bytes({*range(0x07), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F})  # not tabs, line ends, bell, escape
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_ISO_2022 = re.compile(rb"\x1b\$[@B]")  # Japanese in seven bits; the escape is in no other text
_LOST = "\ufffd"


class Decoded(NamedTuple):
    """A text, its encoding, how that was told (a sentence or empty), and how many bytes became U+FFFD."""

    text: str
    encoding: str
    told: str = ""
    lost: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the decoding."""
        lost = f"{self.lost:,} place{'s' * (self.lost > 1)} could not be decoded and became {_LOST}."
        return tuple(note for note in (self.told, lost if self.lost > 0 else "") if note)


def read_text(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """A plain-text document (D03). See ``decode``."""
    return read_kept(data, name, asked, "text")


def read_markdown(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """A Markdown document, as it is written (D03). See ``decode``."""
    return read_kept(data, name, asked, "markdown")


def read_kept(data: bytes, name: str, asked: Asked = PLAINLY, kind: str = "text") -> Document:
    """A document of some kind of text, kept as it is. See ``decode``."""
    decoded = decode(data, name, asked.encoding)
    return Document(name=name, text=decoded.text, kind=kind, notes=decoded.notes, encoding=decoded.encoding)


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The text in some bytes: by byte-order mark, as UTF-8, as plain UTF-16, else in the likeliest encoding.

    The mark tells the encoding and is no part of the text. What does not decode becomes U+FFFD, with a note.

    Args:
        encoding: One of ``ENCODINGS``, told by the user: nothing is guessed then.

    Raises:
        ReadError: If the bytes are no text, or nothing but a mark, or the encoding is none that is known.
    """
    if encoding:
        decoded: Decoded | None = _as_told(data, encoding)
    else:
        decoded = _by_mark(data) or _as_utf8(data) or _as_plain_utf16(data)
    if decoded is None and b"\0" not in data:
        decoded = _as_mostly_utf8(data) or _as_guessed(data)
    if decoded is None or _looks_binary(decoded):
        raise ReadError(f"{name!r} holds binary data, not text; only text in a usual encoding is allowed.")
    if not decoded.text:
        raise ReadError(f"{name!r} holds only a byte-order mark; a file with text in it is needed.")
    return decoded


def known_encoding(name: str) -> str:
    """The name in ``ENCODINGS`` that is meant, whatever its case, or whose codec has this name in Python.

    Raises:
        ReadError: If there is none.
    """
    known = next((label for label in ENCODINGS if label.lower() == name.strip().lower()), None)
    if known is None:
        with contextlib.suppress(LookupError, ValueError):
            meant = codecs.lookup(name).name
            known = next((label for label, codec in ENCODINGS.items() if codecs.lookup(codec).name == meant), None)
    if known is None:
        raise ReadError(f"The encoding is {name!r}; allowed are {', '.join(ENCODINGS)}.")
    return known


def _as_told(data: bytes, encoding: str) -> Decoded:
    label = known_encoding(encoding)
    mark = next((mark for mark, _, named in _MARKS if named == label and data.startswith(mark)), b"")
    return _replacing(data[len(mark) :], ENCODINGS[label], label, f"Read as {label}, as told.")


def _by_mark(data: bytes) -> Decoded | None:
    for mark, codec, label in _MARKS:
        if data.startswith(mark):
            told = "" if codec == "utf-8" else f"Read as {label}, by its byte-order mark."
            return _replacing(data[len(mark) :], codec, label, told)
    return None


def _as_utf8(data: bytes) -> Decoded | None:
    """UTF-8; or ISO-2022-JP, all of whose bytes are ASCII."""
    if b"\0" in data:
        return None
    if b"\x1b" in data and data.isascii() and _ISO_2022.search(data):  # the quick questions first
        label = "ISO-2022-JP"
        return _replacing(data, ENCODINGS[label], label, f"Read as {label}, by its escape sequences.")
    try:
        return Decoded(data.decode("utf-8"), "UTF-8")
    except UnicodeDecodeError:
        return None


def _as_plain_utf16(data: bytes) -> Decoded | None:
    """UTF-16 without a mark, where every other byte is NUL as it is in European text."""
    even, odd = (data[start:_SAMPLE:2] for start in (0, 1))
    for codec, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if high.count(0) * 2 > len(high) and low.count(0) * 20 < len(low):
            label = codec.upper().replace("16-", "16")
            return _replacing(data, codec, label, f"Read as {label}, by the pattern of its bytes.")
    return None


def _as_mostly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes, as files that were cut off or glued together have."""
    text = data.decode("utf-8", "replace")
    beyond_ascii = len(text) - len(data.translate(None, _BEYOND_ASCII))  # whatever is broken, ASCII is kept
    if text.count(_LOST) * 10 > beyond_ascii:
        return None
    return _replacing(data, "utf-8", "UTF-8")


def _as_guessed(data: bytes) -> Decoded:
    from turbohtml.detect import detect

    telling = b"\n".join(_telling_lines(data))[:_SAMPLE]
    # The detector looks for an HTML charset in the first 1,024 bytes; a text that talks of one is no HTML.
    match = detect(b"\n" * 1024 + telling)
    label = match.encoding or "windows-1252"
    text = data.decode(match.codec or "cp1252", "replace")
    told = f"Read as {label}, the likeliest encoding: the file is not UTF-8 and does not say which it is."
    return Decoded(text, label, told, text.count(_LOST))


def _telling_lines(data: bytes) -> Iterator[bytes]:
    """The lines that are not ASCII, until there are enough for a sample."""
    start = found = 0
    while start < len(data) and found < _SAMPLE:
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        for line in data[start:end].splitlines():
            if not line.isascii():
                found += len(line)
                yield line
        start = end


def _replacing(data: bytes, codec: str, label: str, told: str = "") -> Decoded:
    text = data.decode(codec, "replace")
    in_the_file = data.count(_LOST.encode(codec)) if codec.startswith(("utf", "gb18030")) else 0
    return Decoded(text, label, told, max(0, text.count(_LOST) - in_the_file))


def _looks_binary(decoded: Decoded) -> bool:
    """Whether there is a NUL anywhere, many control characters at the start, or much that does not decode."""
    sample = decoded.text[:_SAMPLE]
    encoded = sample.encode("utf-8")  # in which every control character is the byte that it is in ASCII
    controls = len(encoded) - len(encoded.translate(None, _CONTROL))
    many = controls * 20 > len(sample) or decoded.lost * 3 > len(decoded.text)
    return many or "\0" in decoded.text
