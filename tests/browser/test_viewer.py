"""V01, R04, R07: the text viewer shows chunks, marks and hits, at any size, and takes clicks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from viewer_cases import CASES, LOREM
from viewer_driver import (
    choose_in_python,
    echoed,
    in_viewer,
    middle_of,
    press,
    select,
    selected_is_in_sight,
    selected_offsets,
    shown_text,
    status,
    switch,
    texts_of,
    wait_for_echo,
)

from pages.shared.viewer import Hit, Mark, text_viewer

DRAWN_PIECES = """
  const drawn = [];
  for (const piece of text.querySelectorAll(".piece")) {
    const stripes = getComputedStyle(piece).backgroundImage !== "none";
    const number = piece.querySelector(".badge.number")?.dataset.shown ?? null;
    const covered = piece.classList.contains("covered");
    drawn.push([piece.textContent, covered, stripes, Number(piece.dataset.chunk ?? -1), number]);
  }
  return drawn;
"""


@pytest.mark.parametrize("case", ["plain", "deep", "touching", "rtl", "unchunked"])
def test_v01_every_character_is_coloured_by_the_chunks_that_cover_it(open_case: Callable[..., Page], case: str) -> None:
    """V01. Checked against a count of the covering chunks at every single character."""
    page = open_case(case)
    text, starts, ends = CASES[case]()
    at = 0
    numbers: list[str] = []
    for piece, covered, stripes, top, number in in_viewer(page, DRAWN_PIECES):
        assert text[at : at + len(piece)] == piece
        for point in range(at, at + len(piece)):
            covering = [i for i in range(len(starts)) if starts[i] <= point < ends[i]]
            assert covered == bool(covering)
            assert stripes == (len(covering) > 1)
            assert top == (covering[-1] if covering else -1)
        starting = [str(i + 1) for i in range(len(starts)) if starts[i] == at]
        assert (number or "") == " ".join(starting)
        numbers += starting
        at += len(piece)
    assert at == len(text)
    assert numbers == [str(i + 1) for i in range(len(starts))]


def test_v01_neighbouring_chunks_differ_in_colour(open_case: Callable[..., Page]) -> None:
    page = open_case("touching")
    colours = in_viewer(
        page, "return [...text.querySelectorAll('.piece')].map((p) => getComputedStyle(p).backgroundColor)"
    )
    assert len(set(colours)) >= 5
    assert all(a != b for a, b in itertools.pairwise(colours))


def test_v01_numbers_run_on_from_the_first_one_given(open_case: Callable[..., Page]) -> None:
    page = open_case("touching", first="15")
    assert page.locator(".viewer .badge.number").first.get_attribute("data-shown") == "15"
    press(page, "j", "j")
    assert status(page).startswith("Chunk 16 (2 of 43 in this text), characters 7 to 14")


def test_v01_a_click_selects_the_chunk(open_case: Callable[..., Page]) -> None:
    """V01. In an overlap the later chunk is on top, and a second click reaches the one under it."""
    page = open_case("plain")
    text, starts, ends = CASES["plain"]()
    inside = int(ends[1]) + 20
    assert [i for i in range(len(starts)) if starts[i] <= inside < ends[i]] == [2]
    page.mouse.click(*middle_of(page, inside, text))
    assert wait_for_echo(page, lambda echo: echo["selected"] == 2)["received"] == [{"selected": 2}]
    both = int(starts[2]) + 10
    assert [i for i in range(len(starts)) if starts[i] <= both < ends[i]] == [1, 2]
    page.mouse.click(*middle_of(page, both, text))
    wait_for_echo(page, lambda echo: echo["selected"] == 1)
    page.wait_for_timeout(600)  # or the next click would be taken for the second of a double click
    page.mouse.click(*middle_of(page, both, text))
    assert wait_for_echo(page, lambda echo: echo["selected"] == 2)["received"][1:] == [
        {"selected": 1},
        {"selected": 2},
    ]
    page.wait_for_timeout(600)
    grey = int(ends[0]) + 15
    assert not [i for i in range(len(starts)) if starts[i] <= grey < ends[i]]
    page.mouse.click(*middle_of(page, grey, text))
    page.wait_for_timeout(500)
    assert len(echoed(page)["received"]) == 3


def test_v01_clicks_go_down_through_a_deep_overlap(open_case: Callable[..., Page]) -> None:
    page = open_case("deep")
    text, starts, ends = CASES["deep"]()
    covering = [i for i in range(len(starts)) if starts[i] <= 350 < ends[i]]
    assert len(covering) == 12
    for chunk in reversed(covering):
        page.mouse.click(*middle_of(page, 350, text))
        wait_for_echo(page, lambda echo, chunk=chunk: echo["selected"] == chunk)
        page.wait_for_timeout(550)
    page.mouse.click(*middle_of(page, 350, text))
    wait_for_echo(page, lambda echo: echo["selected"] == covering[-1])


def test_v01_the_selected_chunk_is_framed_whole(open_case: Callable[..., Page]) -> None:
    page = open_case("deep")
    text, starts, ends = CASES["deep"]()
    choose_in_python(page, 9)
    framed = texts_of(page, ".piece.selected")
    assert framed == text[starts[9] : ends[9]]


def test_v01_pythons_choice_is_scrolled_to(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    assert in_viewer(page, "return text.scrollTop") == 0
    for chunk in (20, 2):
        choose_in_python(page, chunk)
        page.wait_for_timeout(300)
        assert status(page).startswith(f"Chunk {chunk + 1} of 23")
        assert selected_is_in_sight(page)
    assert page.evaluate("scrollY") == 0


def test_r07_hits_have_rank_badges_and_underlines(open_case: Callable[..., Page]) -> None:
    """R07. Chunk 1 answers at rank 1, chunk 3 does not at rank 2."""
    page = open_case("plain")
    text, starts, ends = CASES["plain"]()
    switch(page, "Hits")
    ranks = page.locator(".viewer .badge.rank")
    assert [ranks.nth(i).get_attribute("data-shown") for i in range(ranks.count())] == ["✓\u2009#1", "#2"]
    answering = texts_of(page, ".piece.answers")
    assert answering == text[starts[1] : ends[1]]
    underlined = texts_of(page, ".piece.hit")
    assert underlined == text[starts[1] : ends[1]] + text[starts[3] : ends[3]]
    assert shown_text(page) == text
    press(page, "j", "j")
    assert status(page).endswith("rank 1, answers")


def test_r04_marks_are_underlined_where_they_are_and_stay_when_scrolled_away(
    open_case: Callable[..., Page],
) -> None:
    """R04. In five million characters: the mark's block is drawn, made plain, and drawn again."""
    page = open_case("long")
    text, starts, _ = CASES["long"]()
    switch(page, "Marks")
    start = len(text) // 3
    chunk = int(np.searchsorted(starts, start)) - 1
    for _ in range(2):
        choose_in_python(page, chunk)
        page.wait_for_timeout(500)
        assert texts_of(page, ".piece.marked") == text[start : start + 40]
        assert "passage 9 of query 3" in str(page.locator(".viewer .piece.marked").first.get_attribute("title"))
        choose_in_python(page, 0)
        page.wait_for_timeout(500)
        assert texts_of(page, ".piece.marked") == text[2:30]


def test_r04_marks_change_nothing_else(open_case: Callable[..., Page]) -> None:
    """R04. Scroll position, selection and every plain block stay when marks and hits come and go."""
    page = open_case("nasty")
    text, _, _ = CASES["nasty"]()
    choose_in_python(page, 60)
    page.wait_for_timeout(300)
    in_viewer(page, "text.querySelectorAll('.block').forEach((block) => { block.witness = true; })")
    middle = in_viewer(page, "return text.scrollTop")
    assert middle > 0
    select(page, text, 3_000, 4_200)
    for name in ("Marks", "Hits", "Marks", "Hits"):
        switch(page, name)
        assert in_viewer(page, "return text.scrollTop") == pytest.approx(middle, abs=2)
        assert selected_offsets(page) == (3_000, 4_200)
        assert in_viewer(page, "return [...text.querySelectorAll('.block')].every((block) => block.witness)")
        assert shown_text(page) == text


def test_v01_other_chunks_of_the_same_text_keep_the_place(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    text, starts, _ = CASES["plain"]()
    in_viewer(page, "text.scrollTop = 300")
    select(page, text, 1_500, 1_600)
    switch(page, "Half as many chunks")
    assert in_viewer(page, "return text.scrollTop") == pytest.approx(300, abs=40)
    assert selected_offsets(page) == (1_500, 1_600)
    number = page.locator(".viewer .badge.number").last.get_attribute("data-shown")
    assert number == str(len(starts[::2]))
    assert shown_text(page) == text


def test_v01_another_text_replaces_the_first(open_case: Callable[..., Page]) -> None:
    page = open_case("plain")
    in_viewer(page, "text.scrollTop = 300")
    switch(page, "Other text")
    assert shown_text(page) == "Another text altogether."
    assert status(page) == "2 chunks"
    switch(page, "Other text")
    assert shown_text(page) == CASES["plain"]()[0]


def test_v01_five_million_characters_open_and_the_end_is_reached(open_case: Callable[..., Page]) -> None:
    """V01. Ten thousand chunks; the elements in the page stay few however far one scrolls."""
    page = open_case("long")
    text, starts, _ = CASES["long"]()
    assert (len(text), len(starts)) == (5_000_000, 10_000)
    count = "return [text.children.length, text.querySelectorAll('.block *').length]"
    press(page, "End")
    page.wait_for_timeout(700)
    expect(page.locator(".viewer .badge[data-shown='10000']")).to_be_visible()
    assert in_viewer(page, "return text.scrollTop + text.clientHeight >= text.scrollHeight - 2")
    blocks, inside = in_viewer(page, count)
    assert blocks < 2_000
    assert inside < 600
    for chunk in (9_999, 0, 5_000, 2_500, 7_500):
        choose_in_python(page, chunk)
        page.wait_for_timeout(400)
        assert selected_is_in_sight(page)
    for tenth in range(10):
        in_viewer(page, f"text.scrollTop = text.scrollHeight * {tenth} / 10")
        page.wait_for_timeout(150)
    blocks, inside = in_viewer(page, count)
    assert blocks < 2_000
    assert inside < 600


def test_v01_a_rerun_with_the_same_text_sends_little(page: Page, open_case: Callable[..., Page]) -> None:
    """V01. Five megabytes are sent once; a mark and a choice send a few kilobytes at most."""
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_case("long")
    assert sum(received) > 5_000_000
    for act in (lambda: switch(page, "Marks"), lambda: choose_in_python(page, 77)):
        received.clear()
        act()
        page.wait_for_timeout(300)
        assert sum(received) < 8_000


def test_v01_one_endless_line_and_one_endless_word_wrap(open_case: Callable[..., Page]) -> None:
    page = open_case("one_line")
    in_viewer(page, "text.scrollTop = text.scrollHeight")
    page.wait_for_timeout(300)
    assert in_viewer(page, "return text.scrollWidth <= text.clientWidth")
    press(page, *"j")
    assert status(page).startswith("Chunk")


@pytest.mark.parametrize(
    ("starts", "ends", "said"),
    [
        ([0, 5], [5], "one length"),
        ([[0]], [[5]], "flat lists"),
        ([0, 5], [5, 999], "999"),
        ([-1], [5], "-1"),
        ([7], [5], r"ends\[0\] is 5"),
        ([5, 0], [9, 4], "sorted"),
    ],
)
def test_v01_spans_outside_the_text_are_refused(starts: list[int], ends: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        text_viewer(LOREM, starts, ends, key="k", version="v")


def test_r04_r07_marks_and_hits_that_name_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="9999"):
        text_viewer(LOREM, [0], [9], key="k", version="v", marks=[Mark(0, 9999)])
    with pytest.raises(ValueError, match="not 1"):
        text_viewer(LOREM, [0], [9], key="k", version="v", hits=[Hit(1, 1, False)])


def test_v01_no_html_is_ever_set_from_text() -> None:
    """The untrusted text reaches the page as text: the code has no way of setting markup."""
    folder = Path(__file__).resolve().parents[2] / "pages" / "shared" / "viewer"
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.js"))
    for means in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "createContextualFragment",
        "eval(",
    ):
        assert means not in source
