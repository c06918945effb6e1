"""Settings as URL query parameters and back (S01), under the names and values of Chris Collins's playground.

Its table of parameters is kept: ``example corpus size overlap unit on ov level mdsplit ctx seps sem amt k theta an
rrfk emb method chunker doc q``. ``ovpct`` (the overlap is a percentage) and ``<chunker>.<option>`` for every other
option are ours. No document, query, mark or model name is ever in a link: ``corpus=custom`` opens with the documents
of whoever opens it.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.options import checked, options_of
from ragchunk_core.retrievers import METHODS
from ragchunk_core.retrievers.analyzers import ANALYZERS
from ragchunk_core.settings import PRESETS, Settings
from ragchunk_core.units import UNITS

CORPORA = ("sample", "worked-example", "structure", "custom")
LARGEST_SIZE = 100_000

OPTION_NAMES = {
    ("sentence", "carry"): "ov",
    ("markdown", "level"): "level",
    ("markdown", "split_long"): "mdsplit",
    ("markdown", "context"): "ctx",
    ("recursive", "separators"): "seps",
    ("semantic", "threshold"): "sem",
    ("semantic", "amount"): "amt",
}
"""The options that the playground has too, by their names there."""

_CONTEXTS = {"0": "none", "1": "path"}
_FLAGS = {"1": True, "0": False, "true": True, "false": False}
_WHOLE = re.compile(r"-?\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,20})?(?:e-?\d{1,3})?", re.ASCII)
_SPEECH = (
    "The corpus 'sotu' is LangChain's example text, which is not shipped: open its state_of_the_union.txt as a "
    "document of your own."
)


@dataclass(frozen=True, slots=True)
class Link:
    """What a link sets.

    Attributes:
        settings: The defaults, or those of its ``example``, with every parameter that is sound.
        notices: One sentence for each parameter, or part of one, that was not taken; plain text.
    """

    settings: Settings
    notices: tuple[str, ...] = ()


def option_name(chunker: str, option: str) -> str:
    """The parameter that carries an option of a chunker."""
    return OPTION_NAMES.get((chunker, option), f"{chunker}.{option}")


def link_parameters(settings: Settings) -> dict[str, str]:
    """The parameters that lead back to these settings: those that differ from the defaults, in a fixed order."""
    usual = Settings()
    values = {name: getattr(settings, one.field) for name, one in _PARAMETERS.items()}
    made = {
        name: ",".join(value) if name == "on" else _written(value)
        for name, value in values.items()
        if value != getattr(usual, _PARAMETERS[name].field)
    }
    for (chunker, option), name in _OPTIONS.items():
        chosen = settings.options.get(chunker, {})
        if option in chosen:
            made[name] = _context_written(chosen[option]) if name == "ctx" else _written(chosen[option])
    return made


def link_query(settings: Settings) -> str:
    """``link_parameters`` percent-encoded, without a question mark: what stands behind it in an address."""
    return urlencode(link_parameters(settings))


def parse_link(parameters: Mapping[str, str] | str) -> Link:
    """Read a link's parameters; what is unknown or unsound is left out, with a sentence, and never an error.

    Args:
        parameters: Names and values, or the query string of an address (of a name that stands twice, the last).

    Returns:
        Settings and sentences. An overlap that is not below the size is left as it is: the screen clamps it (C19).
    """
    if isinstance(parameters, str):
        parameters = dict(parse_qsl(parameters.removeprefix("?"), keep_blank_values=True))
    notices: list[str] = []
    given = dict(parameters)
    settings = _base(given.pop("example", None), notices)
    changes: dict[str, Any] = {}
    options = {chunker: dict(values) for chunker, values in settings.options.items()}
    for name, value in given.items():
        try:
            if name in _PARAMETERS:
                changes[_PARAMETERS[name].field] = _PARAMETERS[name].read(name, value, notices)
            elif name in _BY_NAME:
                chunker, option = _BY_NAME[name]
                options.setdefault(chunker, {})[option] = _read_option(chunker, option, value)
            else:
                notices.append(f"The link's parameter {_quoted(name)} is unknown and was left out.")
        except ValueError as error:
            notices.append(f"{error} It was left out.")
    if "sem" in given and "amt" not in given:  # an amount belongs to its rule: each has another scale
        options.get("semantic", {}).pop("amount", None)
    return Link(dataclasses.replace(settings, **changes, options=_differing(options)), tuple(notices))


def _base(example: str | None, notices: list[str]) -> Settings:
    if example is None:
        return Settings()
    if example in PRESETS:
        return PRESETS[example].settings
    notices.append(f"The link's example is {_quoted(example)}; allowed are {', '.join(PRESETS)}. It was left out.")
    return Settings()


def _differing(options: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The options that are not the defaults, in the registry's order."""
    kept = {}
    for chunker, which in CHUNKERS.items():
        usual = which.options()
        values = options.get(chunker, {})
        own = {
            name: values[name]
            for name in options_of(usual)
            if values.get(name, getattr(usual, name)) != getattr(usual, name)
        }
        if own:
            kept[chunker] = own
    return kept


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, tuple):
        return json.dumps(value, separators=(",", ":"))
    return str(value)


def _context_written(value: str) -> str:
    return next((short for short, long in _CONTEXTS.items() if long == value), value)


def _quoted(value: str) -> str:
    return repr(value if len(value) <= 60 else value[:59] + "…")


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A parameter that is a field of ``Settings``: which, and how its text is read (ValueError if it is unsound)."""

    field: str
    read: Callable[[str, str, list[str]], Any]


def _whole(least: int, most: int) -> Callable[[str, str, list[str]], int]:
    def read(name: str, value: str, _notices: list[str]) -> int:
        if not _WHOLE.fullmatch(value) or not least <= int(value) <= most:
            raise ValueError(
                f"The link's {name} is {_quoted(value)}; it must be a whole number from {least} to {most}."
            )
        return int(value)

    return read


def _one_of(allowed: Collection[str]) -> Callable[[str, str, list[str]], str]:
    def read(name: str, value: str, _notices: list[str]) -> str:
        if value not in allowed:
            raise ValueError(f"The link's {name} is {_quoted(value)}; allowed are {', '.join(allowed)}.")
        return value

    return read


def _corpus(name: str, value: str, notices: list[str]) -> str:
    if value == "sotu":
        notices.append(_SPEECH)
        return "custom"
    return _one_of(CORPORA)(name, value, notices)


def _flag(name: str, value: str, _notices: list[str]) -> bool:
    if value not in _FLAGS:
        raise ValueError(f"The link's {name} is {_quoted(value)}; it must be 1 or 0.")
    return _FLAGS[value]


def _share(name: str, value: str, _notices: list[str]) -> float:
    if not _NUMBER.fullmatch(value) or not 0 <= float(value) <= 1:
        raise ValueError(f"The link's {name} is {_quoted(value)}; it must be a number from 0 to 1.")
    return float(value)


def _chunkers(name: str, value: str, notices: list[str]) -> tuple[str, ...]:
    """The known ones of a list, each once; unknown ones are told. An empty list is one."""
    asked = [entry for entry in value.split(",") if entry]
    known = tuple(dict.fromkeys(entry for entry in asked if entry in CHUNKERS))
    if asked and not known:
        raise ValueError(
            f"The link's {name} is {_quoted(value)}; allowed are {', '.join(CHUNKERS)}, separated by commas."
        )
    unknown = [entry for entry in asked if entry not in CHUNKERS]
    if unknown:
        notices.append(f"The link's {name} names no chunker with {_quoted(','.join(unknown))}; the others were taken.")
    return known


_PARAMETERS = {
    "corpus": _Parameter("corpus", _corpus),
    "size": _Parameter("size", _whole(1, LARGEST_SIZE)),
    "overlap": _Parameter("overlap", _whole(0, LARGEST_SIZE - 1)),
    "ovpct": _Parameter("overlap_percent", _flag),
    "unit": _Parameter("unit", _one_of(UNITS)),
    "on": _Parameter("on", _chunkers),
    "k": _Parameter("k", _whole(1, 100)),
    "theta": _Parameter("theta", _share),
    "an": _Parameter("analyzer", _one_of(ANALYZERS)),
    "rrfk": _Parameter("rrf_k", _whole(1, 1000)),
    "emb": _Parameter("emb", _flag),
    "method": _Parameter("method", _one_of(("all", *METHODS))),
    "chunker": _Parameter("chunker", _one_of(CHUNKERS)),
    "doc": _Parameter("doc", _whole(0, 999_999)),
    "q": _Parameter("q", _whole(0, 999_999)),
}
_OPTIONS = {
    (name, option): option_name(name, option)
    for name, chunker in CHUNKERS.items()
    for option in options_of(chunker.options)
}
_BY_NAME = {name: place for place, name in _OPTIONS.items()}


def _read_option(chunker: str, option: str, value: str) -> Any:
    which = CHUNKERS[chunker]
    rule, default, name = options_of(which.options)[option], getattr(which.options(), option), _OPTIONS[chunker, option]
    read: Any = value
    if rule.choices:
        read = _one_of(rule.choices)(name, _CONTEXTS.get(value, value) if name == "ctx" else value, [])
    elif isinstance(default, bool):
        read = _flag(name, value, [])
    elif isinstance(default, tuple):
        read = _string_list(name, value)
    elif isinstance(default, (int, float)):
        whole = isinstance(default, int)
        if not (_WHOLE if whole else _NUMBER).fullmatch(value):
            raise ValueError(f"The link's {name} is {_quoted(value)}; it must be a {'whole ' if whole else ''}number.")
        read = type(default)(value)
    return getattr(checked(which.options, {option: read}, f"The link's {name}"), option)


def _string_list(name: str, value: str) -> tuple[str, ...]:
    rule = f"The link's {name} is {_quoted(value)}; it must be a list of strings as JSON."
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError(rule) from None
    if not isinstance(read, list) or not all(isinstance(entry, str) for entry in read):
        raise ValueError(rule)
    return tuple(read)
