"""Options that describe themselves: one dataclass field says what a widget, a link and an error need."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Option:
    """How one option is shown and what it accepts.

    Attributes:
        label: Two or three words.
        help: One line: what it does.
        minimum, maximum, step: Bounds of a number, or None; of a list, how many entries it has.
        choices: Allowed values with their labels, or empty.
    """

    label: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    choices: Mapping[Any, str] = field(default_factory=dict)


def option(default: Any, label: str, help: str, *, kw_only: bool = False, **rules: Any) -> Any:
    """A dataclass field that carries an ``Option``; keyword arguments are those of ``Option``."""
    return field(default=default, kw_only=kw_only, metadata={"option": Option(label, help, **rules)})


def options_of(params: type | object) -> dict[str, Option]:
    """The options of a parameters dataclass by field name: its own in order, then those that it inherits."""
    own = (params if isinstance(params, type) else type(params)).__annotations__
    fields = sorted(dataclasses.fields(params), key=lambda f: f.name not in own)  # type: ignore[arg-type]
    return {f.name: f.metadata["option"] for f in fields if "option" in f.metadata}


def checked(params: type[P], values: Mapping[str, Any], owner: str) -> P:
    """``params(**values)`` after checking names, types, bounds and choices.

    Raises:
        ValueError: With one sentence naming the option, its value and what is allowed.
    """
    allowed = options_of(params)
    unknown = [name for name in values if name not in allowed]
    if unknown:
        known = ", ".join(allowed) or "none"
        raise ValueError(f"{owner} has no option {unknown[0]!r}; its options are: {known}.")
    made = params(**values)
    for name, rule in allowed.items():
        _check(getattr(made, name), name, rule, _default(params, name), owner)
    return made


def _default(params: type, name: str) -> Any:
    return next(f.default for f in dataclasses.fields(params) if f.name == name)


def _check(value: Any, name: str, rule: Option, default: Any, owner: str) -> None:
    what, kind = f"{owner}: {name} is {value!r}", type(default)
    if rule.choices:
        if value not in list(rule.choices):
            raise ValueError(f"{what}; allowed are {', '.join(map(repr, rule.choices))}.")
        return
    if kind is bool and not isinstance(value, bool):
        raise ValueError(f"{what}; it must be true or false.")
    if kind is tuple:
        _check_list(value, rule, type(default[0]) if default else str, what)
    if kind in (int, float):
        whole = kind is int
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise ValueError(f"{what}; it must be a {'whole ' if whole else ''}number.")
        low, high = rule.minimum, rule.maximum
        if not (value == value and (low is None or value >= low) and (high is None or value <= high)):
            raise ValueError(f"{what}; it must be {_range(low, high)}.")


def _check_list(value: Any, rule: Option, kind: type, what: str) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{what}; it must be a list, not one {'string' if isinstance(value, str) else 'value'}.")
    if not all(isinstance(entry, kind) for entry in value):
        raise ValueError(f"{what}; all its entries must be {'strings' if kind is str else 'numbers'}.")
    low, high = rule.minimum or 0, rule.maximum
    if len(value) < low or (high is not None and len(value) > high):
        raise ValueError(f"{what[:200]}; it must have {_range(low, high)} entries.")


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"{low} or more"
    return f"from {low} to {high}" if low is not None else f"{high} or less"
