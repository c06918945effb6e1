"""Where the values, elements and members of a JSON text stand, found by the standard library's own scanner.

Elements are scanned one by one, so that no more than one record is ever held as objects, and every offset is exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
# Numbers are not needed; as floats they have no limit on digits.
_scan = json.JSONDecoder(parse_int=float).scan_once  # type: ignore[attr-defined]


class Item(NamedTuple):
    """An element of an array, a member of an object, or a value at the top.

    Attributes:
        start: Of the value, or of the member's key.
        value: Where the value starts.
        end: Where it ends.
        after: Behind the comma that follows it; ``end`` where none does.
        key: The member's key, the element's index, or None at the top.
    """

    start: int
    value: int
    end: int
    after: int
    key: str | int | None


class NotJsonError(ValueError):
    """The text is no JSON; ``place`` is where."""

    def __init__(self, what: str, place: int) -> None:
        super().__init__(what)
        self.what, self.place = what, place


def top_values(text: str) -> list[Item]:
    """The values at the top of a text, parted by white space: one of a JSON file, many of JSON Lines.

    Raises:
        NotJsonError: If it is none.
    """
    found, at = [], _space(text, int(text.startswith("\ufeff")))
    while at < len(text):
        end = _end(text, at)
        found.append(Item(at, at, end, end, None))
        at = _space(text, end)
    return found


def is_container(text: str, value: int) -> bool:
    """Whether the value that starts there has elements or members."""
    return text[value : value + 1] in ("{", "[")


def items(text: str, start: int) -> tuple[list[Item], int]:
    """The elements or members of the array or object that starts at ``start``, and where it ends.

    Raises:
        NotJsonError: If it is broken.
    """
    closing = "]" if text[start] == "[" else "}"
    at = _space(text, start + 1)
    if text[at : at + 1] == closing:
        return [], at + 1
    made = list(_members(text, at) if closing == "}" else _elements(text, at))
    at = _space(text, made[-1].end)
    if text[at : at + 1] != closing:
        raise NotJsonError(f"Expecting ',' or {closing!r}", at)
    return made, at + 1


def step(path: str, key: str | int | None) -> str:
    """A path one key further: ``orders[3].items``."""
    if key is None:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def _elements(text: str, at: int) -> Iterator[Item]:
    index = 0
    while True:
        end = _end(text, at)
        comma = _space(text, end)
        if text[comma : comma + 1] != ",":
            yield Item(at, at, end, end, index)
            return
        yield Item(at, at, end, comma + 1, index)
        at = _space(text, comma + 1)
        index += 1


def _members(text: str, at: int) -> Iterator[Item]:
    while True:
        if text[at : at + 1] != '"':
            raise NotJsonError("Expecting property name enclosed in double quotes", at)
        try:
            key, end = scanstring(text, at + 1, True)
        except json.JSONDecodeError as error:
            raise NotJsonError(error.msg, error.pos) from None
        colon = _space(text, end)
        if text[colon : colon + 1] != ":":
            raise NotJsonError("Expecting ':' delimiter", colon)
        value = _space(text, colon + 1)
        end = _end(text, value)
        comma = _space(text, end)
        if text[comma : comma + 1] != ",":
            yield Item(at, value, end, end, key)
            return
        yield Item(at, value, end, comma + 1, key)
        at = _space(text, comma + 1)


def _end(text: str, at: int) -> int:
    try:
        return int(_scan(text, at)[1])
    except StopIteration as stop:
        raise NotJsonError("Expecting value", int(stop.value)) from None
    except json.JSONDecodeError as error:
        raise NotJsonError(error.msg, error.pos) from None
    except RecursionError:
        raise NotJsonError("Nested too deeply", at) from None


def _space(text: str, at: int) -> int:
    if text[at : at + 1] > " ":  # nothing to skip, as mostly in files that programs write
        return at
    match = _SPACE.match(text, at)
    return match.end() if match else at
