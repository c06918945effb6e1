"""How much is read, and the error that says why something is not.

The limits keep one hostile or mistaken file from taking the machine down; ordinary documents stay far below.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

_PREFIX = "RAGCHUNK_READ_"


def _limit(default: float, help: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may take. Each limit is set by the environment variable ``RAGCHUNK_READ_<NAME>`` too.

    ``seconds`` and ``memory`` hold where the file is read in a process of its own (``read_isolated``), the others
    everywhere.

    Raises:
        ValueError: If a limit is not above zero.
    """

    bytes: int = _limit(50_000_000, "bytes of a file")
    text: int = _limit(20_000_000, "characters that a page, a PDF or an office file may unfold to")
    pages: int = _limit(5_000, "pages of a PDF, slides, sheets or chapters")
    page_text: int = _limit(1_000_000, "characters on one page of a PDF; pypdf's time grows with their square")
    unpacked: int = _limit(200_000_000, "bytes that an archive (.docx, .pptx, .xlsx, .epub) may unpack to")
    members: int = _limit(10_000, "files in an archive")
    nesting: int = _limit(250, "levels of XML elements within each other in an office file")
    seconds: float = _limit(20.0, "seconds that one file may take")
    memory: int = _limit(1_000_000_000, "bytes of memory that one file may take")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            whole = isinstance(field.default, int)
            if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not value > 0:
                kind = "a whole number" if whole else "a number"
                raise ValueError(f"The reading limit {field.name} is {value!r}; it must be {kind} above 0.")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Self:
        """The defaults, but for what the environment sets.

        Raises:
            ValueError: If a variable holds no number above zero.
        """
        found = os.environ if environment is None else environment
        given: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            said = found.get(_PREFIX + field.name.upper())
            if said is not None:
                try:
                    given[field.name] = type(field.default)(said)  # type: ignore[misc]
                except ValueError:
                    raise ValueError(
                        f"{_PREFIX}{field.name.upper()} is {said!r}; it must be a number above 0."
                    ) from None
        return cls(**given)

    @classmethod
    def in_force(cls) -> Self:
        """The limits that this process was started with."""
        return cls.from_environment()

    def lines(self) -> list[str]:
        """Each limit in words, to be shown."""
        return [f"at most {getattr(self, f.name):,} {f.metadata['help']}" for f in dataclasses.fields(self)]


LIMITS = Limits()
"""The defaults."""


class ReadError(ValueError):
    """A file that cannot be read; the sentence names the file, what is wrong and what is allowed."""


class PasswordError(ReadError):
    """A file that needs a password, or another one than it was given."""


class CancelledError(ReadError):
    """A file that was not read since the user did not want it any more."""


def check_length(length: int, name: str, limits: Limits) -> None:
    """Refuse a text of more characters than a file may unfold to.

    Raises:
        ReadError: If it has more.
    """
    if length > limits.text:
        raise ReadError(f"{name!r} unfolds to more than {limits.text:,} characters; no more are allowed.")
