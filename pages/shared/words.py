"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str, several: str | None = None) -> str:
    """ "1 cut", "2,000 cuts"; ``several`` is the plural where it does not just end in s."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"


def ordinal(number: float) -> str:
    """ "1st", "22nd", "95th"; numbers that are not whole end in "th" too."""
    last = f"{number:g}"[-1]
    teens = float(number) % 100 in (11, 12, 13)
    ending = {"1": "st", "2": "nd", "3": "rd"}.get(last, "th") if float(number).is_integer() and not teens else "th"
    return f"{number:g}{ending}"
