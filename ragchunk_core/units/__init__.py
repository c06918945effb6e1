"""What sizes are measured in: the registry of units by name."""

from __future__ import annotations

from ragchunk_core.units.base import Unit
from ragchunk_core.units.characters import Characters
from ragchunk_core.units.estimates import ApproximateTokens, LatinAndCjk, QuarterCharacters
from ragchunk_core.units.tokens import CL100K, O200K
from ragchunk_core.units.word_pieces import WordPieceUnit
from ragchunk_core.units.words import Words

UNITS: dict[str, Unit] = {
    unit.name: unit
    for unit in (
        Characters(),
        Words(),
        ApproximateTokens(),
        CL100K,
        O200K,
        QuarterCharacters(),
        LatinAndCjk(),
        WordPieceUnit(),
    )
}


def unit_named(name: str) -> Unit:
    """The unit registered as ``name``.

    Raises:
        ValueError: If there is none of that name.
    """
    if name not in UNITS:
        raise ValueError(f"The unit is {name!r}; allowed are {', '.join(UNITS)}.")
    return UNITS[name]


__all__ = ["UNITS", "Unit", "unit_named"]
