"""Boundaries that the user moved, as they come from a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def cuts_from_event(text: str, event: object) -> tuple[int, ...]:
    """The boundaries that the browser reports by the trigger ``edited``.

    Args:
        text: The text that the viewer shows.
        event: The trigger's value.

    Returns:
        Offsets in code points, ascending, each inside the text.

    Raises:
        ValueError: If it is no list of whole numbers above 0 and below the text's length, sorted and each once, or one
            of them stands between a carriage return and its line feed. The browser also keeps all other displayed
            characters whole, such as emoji families and accented letters.
    """
    cuts = event.get("cuts") if isinstance(event, Mapping) else None
    if not isinstance(cuts, Sequence) or isinstance(cuts, str):
        raise ValueError(f"cuts must be a list of offsets, not {cuts!r:.80}.")
    before = 0
    for cut in cuts:
        if not isinstance(cut, int) or isinstance(cut, bool):
            raise ValueError(f"cuts must be whole numbers, but one is {cut!r:.80}.")
        if not before < cut < len(text):
            raise ValueError(
                f"cuts must rise from above 0 to below the text's {len(text)} characters, but {cut} follows {before}."
            )
        if text[cut - 1 : cut + 1] == "\r\n":
            raise ValueError(f"cuts must keep a carriage return and its line feed together, but one is at {cut}.")
        before = cut
    return tuple(cuts)
