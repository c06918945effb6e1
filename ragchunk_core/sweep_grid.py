"""What a sweep runs over: every combination of chunker, size, overlap, unit, options and method, each once (R12)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ragchunk_core.chunkers import chunker_named
from ragchunk_core.chunking import resolve_overlap
from ragchunk_core.options import checked
from ragchunk_core.retrievers import METHODS
from ragchunk_core.units import unit_named


@dataclass(frozen=True, slots=True)
class Setting:
    """One cut, and one method that ranks its chunks.

    Attributes:
        chunker, size, overlap, unit: As in ``chunk``, the overlap in units.
        options: The chunker's options that were named, as JSON with sorted keys.
        method: Registry name of the retrieval method.
    """

    chunker: str
    size: int
    overlap: int
    unit: str
    options: str
    method: str

    @property
    def cut(self) -> tuple[str, dict[str, Any]]:
        """The chunker and the keyword arguments of ``chunk``."""
        sizes = {"size": self.size, "overlap": self.overlap, "unit": self.unit}
        return self.chunker, {**sizes, **json.loads(self.options)}

    @property
    def label(self) -> str:
        """What a person reads, such as ``recursive 400/50 chars, bm25``."""
        options = "" if self.options == "{}" else f" {self.options}"
        return f"{self.chunker} {self.size}/{self.overlap} {self.unit}{options}, {self.method}"


@dataclass(frozen=True)
class Grid:
    """The values that a sweep combines.

    A combination whose overlap is not below its size is left out (``left_out`` counts them). A chunker that does not
    look at the size, or at the overlap, is run with the first size, or without overlap, once.

    Attributes:
        chunkers: Registry names.
        sizes: In the unit, each 1 or more.
        overlaps: In units, or percentages of the size such as ``"15%"``.
        units: Registry names.
        methods: Registry names of retrieval methods.
        options: By chunker, the sets of options to try, each in place of the defaults; chunkers without an entry are
            run with their defaults. Give ``{}`` as one of the sets to have the defaults too.

    Raises:
        ValueError: For an empty list, an unknown name, or a value out of its bounds.
    """

    chunkers: Sequence[str] = ("recursive",)
    sizes: Sequence[int] = (400,)
    overlaps: Sequence[int | str] = (0,)
    units: Sequence[str] = ("chars",)
    methods: Sequence[str] = ("bm25",)
    options: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("chunkers", "sizes", "overlaps", "units", "methods"):
            values = getattr(self, name)
            if isinstance(values, str) or not len(values):
                raise ValueError(f"The grid's {name} are {values!r}; they must be a list of at least one.")
        for unit in self.units:
            unit_named(unit)
        if unknown := [method for method in self.methods if method not in METHODS]:
            raise ValueError(f"The method is {unknown[0]!r}; allowed are {', '.join(METHODS)}.")
        for name in (*self.chunkers, *self.options):
            chunker = chunker_named(name)
            for options in self.options.get(name, ()):
                checked(chunker.options, options, chunker.label)
        for size, overlap in itertools.product(self.sizes, self.overlaps):
            resolve_overlap(size, 0)
            if isinstance(overlap, str) or not (isinstance(overlap, int) and overlap >= size):
                resolve_overlap(size, overlap)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """All settings, those that share a cut next to each other."""
        return tuple(dict.fromkeys(setting for setting in self._combined() if setting is not None))

    @cached_property
    def left_out(self) -> int:
        """How many combinations have an overlap that is not below the size."""
        return sum(setting is None for setting in self._combined())

    @cached_property
    def needs_vectors(self) -> bool:
        """Whether a model must run for any of the methods or chunkers."""
        chunkers = any(chunker_named(name).needs_vectors for name in self.chunkers)
        return chunkers or any(METHODS[method].needs_vectors for method in self.methods)

    def _combined(self) -> list[Setting | None]:
        found: list[Setting | None] = []
        for unit, name in itertools.product(self.units, self.chunkers):
            chunker = chunker_named(name)
            sizes = self.sizes if chunker.uses_size else self.sizes[:1]
            overlaps = self.overlaps if chunker.uses_overlap else (0,)
            choices = [json.dumps(dict(one), sort_keys=True) for one in self.options.get(name, ({},))]
            for options, size, overlap in itertools.product(choices, sizes, overlaps):
                if isinstance(overlap, int) and overlap >= size:
                    found.append(None)
                    continue
                shared = resolve_overlap(size, overlap)
                found += [Setting(name, int(size), shared, unit, options, method) for method in self.methods]
        return found
