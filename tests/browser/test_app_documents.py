"""The Documents page, driven as a person drives it: D03, D04, D05, D09, R04."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from operator import eq
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ragchunk_core.samples import sample_corpus
from tests.browser.app_driver import APP, COMPARISON, METRICS, MODEL_SECONDS, App, eventually, watched_apps
from tests.browser.viewer_driver import in_viewer, said_offsets, shown_text


def one_page_pdf(line: str) -> bytes:
    """A PDF of one page with one line of plain Latin text, built by hand after ISO 32000."""
    words = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    content = f"BT /F1 14 Tf 72 720 Td ({words}) Tj ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, table, size, len(made))
    )


NOTES = "# Lamp room 🗼\n\nThe lamp burned rape oil — “colza” 🪔 — since 1846. It is trimmed every four hours.\n"
PLAIN = "The fog signal is a reed horn. It sounds twice a minute.\n"
HTML = "<html><head><title>x</title></head><body><h1>Visits</h1><p>Bread &amp; tea.</p><script>1</script></body>"
PDF_LINE = "The mercury float weighs three tonnes."
FILES = (
    ("notes.md", NOTES.encode()),
    ("horn.txt", PLAIN.encode()),
    ("visits.html", HTML.encode()),
    ("float.pdf", one_page_pdf(PDF_LINE)),
)
ANSWER = "rape oil — “colza” 🪔 — since 1846"


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def listed(app: App) -> list[str]:
    """The documents in the list on the left."""
    rows = app.page.get_by_test_id("stColumn").filter(has=app.page.get_by_test_id("stCaptionContainer"))
    return rows.locator("[data-testid=stColumn] [data-testid=stText]").all_inner_texts()


def shows(app: App, name: str, text: str) -> None:
    app.press_button("doc", name)
    eventually(lambda: shown_text(app.page), lambda shown: shown == text, app.page)


def test_d03_files_of_four_kinds_are_read_and_a_broken_one_loses_nothing(open_app: Callable[..., App]) -> None:
    """D03, D04, D05: .md, .txt, .html and .pdf at once; one sentence names each file that cannot be read."""
    app = open_app("documents")
    app.upload(*FILES[:2], ("broken.pdf", b"%PDF-1.7 nothing here"), ("lamp.png", b"\x89PNG\r\n\x1a\n"), *FILES[2:])
    wrong = app.page.get_by_test_id("stMain").get_by_test_id("stAlert")
    expect(wrong).to_have_count(2)
    app.settled()
    for place, name in enumerate(("broken.pdf", "lamp.png")):
        expect(wrong.nth(place)).to_contain_text(name)
        said = re.sub(r"\.\w+", "", wrong.nth(place).inner_text())  # without the endings of names
        assert len(re.findall(r"[.!?](?:\s|$)", said)) == 1, said
    expect(wrong.nth(1)).to_contain_text("allowed are .txt, ")
    assert listed(app) == [name for name, _ in FILES]
    shows(app, "notes.md", NOTES)
    shows(app, "horn.txt", PLAIN)
    shows(app, "visits.html", "# Visits\n\nBread & tea.")
    app.press_button("doc", "float.pdf")
    eventually(lambda: shown_text(app.page).strip(), lambda text: text == PDF_LINE, app.page)
    app.go("Chunks")
    eventually(lambda: app.table(COMPARISON, "chunks")["chunks"], lambda chunks: int(chunks[0]) == 4, app.page)


def test_d03_another_pdf_made_by_others(open_app: Callable[..., App], shared_data: Path) -> None:
    """D05: its text, page by page, is in the viewer."""
    app = open_app("documents")
    app.upload(("crazyones.pdf", (shared_data / "pdf" / "crazyones.pdf").read_bytes()))
    eventually(lambda: listed(app), lambda names: names == ["crazyones.pdf"], app.page)
    eventually(lambda: shown_text(app.page), lambda text: "Here" in text and "crazy ones" in text, app.page)


def test_r04_an_answer_selected_with_the_mouse_is_marked_counted_and_taken_back(open_app: Callable[..., App]) -> None:
    """R04: upload, ask, select, mark; the passage is exactly what was selected; every page knows; undo forgets."""
    app = open_app("documents")
    page = app.page
    app.upload(*FILES)
    eventually(lambda: shown_text(page), lambda text: text == NOTES, page)
    app.settled()
    app.ask("What did the lamp burn?")
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile(r"^1\. What did the lamp burn\?"))
    app.settled()
    expect(page.get_by_test_id("stAlert").filter(has_text="No answer is marked")).to_be_visible()

    start = NOTES.index(ANSWER)
    app.select_with_mouse(NOTES, start, start + len(ANSWER))
    mark = page.locator(".viewer .mark")
    expect(mark).to_be_enabled()
    assert said_offsets(page) == (start, start + len(ANSWER))
    mark.click()
    place = page.get_by_test_id("stCaptionContainer").filter(has_text=re.compile("^Passage 1"))
    expect(place).to_have_count(1)
    app.settled()
    first, last = app.range_after("characters", place.inner_text())
    assert NOTES[first:last] == ANSWER
    expect(app.passage(1)).to_have_text(ANSWER)
    marked = "return [...text.querySelectorAll('.marked')].map((each) => each.textContent).join('')"
    assert in_viewer(page, marked) == ANSWER

    app.go("Retrieval")
    expect(page.get_by_text(re.compile(r"^Means over 1 judged quer"))).to_be_visible(timeout=90_000)
    table = eventually(
        lambda: app.table(METRICS),
        lambda table: len(table["recall@5"]) == 12 and all(table["recall@5"]),
        page,
        MODEL_SECONDS,
    )
    assert "1" in table["recall@5"]
    expect(app.passage(1)).to_have_text(ANSWER)
    eventually(lambda: in_viewer(page, marked), lambda text: text == ANSWER, page)

    app.undo.click()
    expect(page.get_by_text(re.compile(r"^Means over"))).to_have_count(0)
    app.settled()
    expect(page.get_by_test_id("stAlert").filter(has_text="No answer is marked")).to_be_visible()
    app.go("Documents")
    expect(page.get_by_test_id("stCaptionContainer").filter(has_text=re.compile("^Passage"))).to_have_count(0)
    assert listed(app) == [name for name, _ in FILES], "Undo takes back the mark alone."


def test_r04_the_key_m_marks_and_unmark_takes_it_back(open_app: Callable[..., App]) -> None:
    """R04 on the Retrieval page: a passage more for a sample query, by keyboard; *Unmark* removes that one."""
    app = open_app("retrieval")
    page = app.page
    app.table(METRICS, "chunker")
    places = page.get_by_test_id("stCaptionContainer").filter(has_text=re.compile(r"^Passage \d"))
    expect(places).to_have_count(1)
    answer = sample_corpus().queries[0].passages[0]  # what the text is scrolled to
    app.select_with_mouse(shown_text(page), answer.start, answer.start + 9)
    page.locator(".viewer .text").press("m")
    expect(places).to_have_count(2)
    app.settled()
    assert app.range_after("characters", places.nth(1).inner_text()) == (answer.start, answer.start + 9)
    app.keyed("unmark_1").get_by_role("button").click()
    expect(places).to_have_count(1)
    app.settled()
    page.locator(".viewer .text").press("z")
    expect(places).to_have_count(2)
    app.settled()
    page.locator(".viewer .text").press("Shift+Z")
    expect(places).to_have_count(1)


def test_r04_a_mark_is_adjusted_by_a_new_selection(open_app: Callable[..., App]) -> None:
    """R04: *Adjust*, select, M: the same passage has another range, and none is added."""
    app = open_app("retrieval")
    page = app.page
    app.table(METRICS, "chunker")
    answer = sample_corpus().queries[0].passages[0]
    app.keyed("adjust_0").get_by_role("button").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="Select the new range of passage 1")).to_be_visible()
    app.settled()
    app.select_with_mouse(shown_text(page), answer.start + 2, answer.start + 21)
    page.locator(".viewer .text").press("m")
    place = page.get_by_test_id("stCaptionContainer").filter(has_text=re.compile(r"^Passage \d"))
    eventually(
        lambda: app.range_after("characters", place.first.inner_text()),
        lambda found: found == (answer.start + 2, answer.start + 21),
        page,
    )
    expect(place).to_have_count(1)
    expect(page.get_by_test_id("stAlert").filter(has_text="Select the new range")).to_have_count(0)


def test_d09_another_visitor_sees_nothing_of_it(open_app: Callable[..., App]) -> None:
    """D09: documents and queries of one session are not in another's."""
    first = open_app("documents")
    first.upload(FILES[0])
    eventually(lambda: listed(first), lambda names: names == ["notes.md"], first.page)
    first.settled()
    first.ask("What did the lamp burn?")
    expect(first.keyed("q").get_by_role("combobox")).to_have_value(re.compile("lamp burn"))

    second = open_app("documents")
    assert listed(second) == ["runbook.md", "lighthouse-optics.txt", "faq.html"]
    second.choose("corpus", "My documents")
    eventually(lambda: listed(second), lambda names: names == [], second.page)
    for word in ("notes.md", "colza", "lamp burn"):
        assert word not in second.page.locator("body").inner_text()
    assert listed(first.settled()) == ["notes.md"]


def test_d03_an_emptied_sample_can_be_shown_again(open_app: Callable[..., App]) -> None:
    """D03, D01: where a page offers the sample corpus as the way out, it is there, whatever was removed."""
    app = open_app("documents")
    for left in (2, 1, 0):
        app.page.locator("[class*=st-key-actions_] button").first.click()
        app.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Remove", exact=True).click()
        eventually(lambda: len(listed(app)), partial(eq, left), app.page)
        app.settled()
    app.go("Chunks")
    app.page.get_by_role("button", name="Show the sample corpus").click()
    expect(app.page.locator(".viewer .piece").first).to_be_visible()
    assert len(app.table(COMPARISON, "chunks")["chunks"]) == 4


def test_d03_reading_many_files_can_be_stopped(open_app: Callable[..., App], shared_data: Path) -> None:
    """D03: what was read until then is there, and how many were not read is said."""
    pdf = (shared_data / "pdf" / "tracemonkey_a11y.pdf").read_bytes()
    app = open_app("documents")
    app.upload(("first.txt", b"Read first."), *((f"{number}.pdf", pdf) for number in range(60)))
    app.keyed("stop_reading").get_by_role("button").click()
    said = app.page.get_by_test_id("stAlert").filter(has_text=re.compile(r"Stopped: \d+ files of 61 not read"))
    expect(said).to_be_visible()
    app.settled()
    assert "first.txt" in listed(app)
