"""Numbers in sentences read as a person writes them."""

import pytest

from pages.shared.words import counted, ordinal


def test_one_stands_without_s():
    assert [counted(number, "cut") for number in (0, 1, 2, 2000)] == ["0 cuts", "1 cut", "2 cuts", "2,000 cuts"]


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "1st"), (2.0, "2nd"), (3, "3rd"), (11, "11th"), (12, "12th"), (13, "13th"), (23, "23rd"), (95, "95th"),
     (91, "91st"), (97.5, "97.5th"), (2.1, "2.1th"), (100, "100th")],
)  # fmt: skip
def test_ordinals_have_their_ending(number, said):
    assert ordinal(number) == said
