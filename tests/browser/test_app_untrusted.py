"""Text of users and documents is shown as it is, letter for letter, and never becomes anything else: D10, V01, R07."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.shared.plain import JOINER
from tests.browser.app_driver import APP, RANKS, App, eventually, watched_apps
from tests.browser.viewer_driver import press, shown_text

# Whatever a browser, Streamlit's Markdown, its LaTeX or Plotly's own little HTML might make something of.
MARKUP = "<b>b</b> *i* `c` $x^2$ :red[r] :material/bolt: :tada: [l](h) %{y} &lt; ![p](https://images.invalid/p.png)"
NAME = "<b>b</b> *i* $x^2$ :material/bolt: ![p](https://images.invalid/p.png).md"
ONE_SENTENCE = "*one* $y$.txt"
QUERY = f"Which lamp {MARKUP} burned?"
TEXT = (
    f"# Lamp {MARKUP}\n\nThe lamp <img src=x onerror=window.hacked=1> burned {MARKUP} brightly. "
    f"<script>window.hacked=2</script> All {MARKUP} night long. It went out <b>at dawn</b>.\n"
)

# Elements that only such text can have made. The chunkers' dots are coloured Markdown of our own.
_MADE = """
() => {
  const ours = new Set(["●", "◆", "▲"]);
  const wanted = "img, b, i, em, script:not([src]), .katex, a[href$='/h'], [role=img][aria-label*=bolt],"
    + " .stMarkdownColoredText, [data-testid=stMarkdownContainer] code";
  const roots = [document.body, ...[...document.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean)];
  return roots.flatMap((root) => [...root.querySelectorAll(wanted)])
    .filter((each) => !ours.has(each.textContent) && !each.closest("head, [data-testid=stTooltipContent]"))
    .filter((each) => each.tagName !== "SCRIPT" || each.textContent.includes("hacked"))
    .map((each) => `${each.closest("[data-testid]")?.dataset.testid}: ${each.outerHTML.slice(0, 90)}`);
}
"""


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def made(app: App) -> list[str]:
    app.settled()
    assert app.page.evaluate("window.hacked") is None
    found: list[str] = app.page.evaluate(_MADE)
    return found


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_v01_the_text_of_a_document_is_only_ever_text(open_app: Callable[..., App]) -> None:
    """V01, V03, R07: in the viewer, the chunk alone, the hits with their headings, the passages and the chart."""
    app = open_app("documents")
    page = app.page
    app.upload(("lamp.md", TEXT.encode()))
    eventually(lambda: shown_text(page), lambda text: text == TEXT, page)
    assert not made(app)
    app.ask("Which lamp burned?")
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile("lamp burned"))
    app.settled()
    press(page, "Control+a", "m")
    expect(app.passage(1)).to_contain_text(one_line(TEXT)[:200])
    assert not made(app)

    app.go("Chunks")
    press(page, "j")
    alone = page.get_by_test_id("stCode").locator("code")
    expect(alone).to_be_visible()
    assert TEXT.startswith(str(alone.text_content()))
    assert not made(app)

    app.go("Retrieval")
    app.table(RANKS, "query")
    app.choose("chunker", "Markdown headings")
    expect(page.get_by_text(re.compile("^Top 5 of Markdown headings"))).to_be_visible()
    assert not made(app)
    assert app.hits()[0][3] == f"Lamp {MARKUP}", "The heading path, letter for letter."
    expect(page.get_by_test_id("stText").filter(has_text=one_line(TEXT)[:80]).first).to_be_visible()

    app.go("Semantic distances")
    x, y = app.figure(
        "distances",
        """{
          const { xaxis, yaxis } = figure._fullLayout;
          const { x, y } = figure.calcdata[0][0];
          const box = figure.getBoundingClientRect();
          return [box.x + xaxis._offset + xaxis.d2p(x), box.y + yaxis._offset + yaxis.d2p(y)];
        }""",
    )
    page.mouse.move(x, y)
    hover = app.keyed("distances").locator(".hoverlayer .hovertext")
    expect(hover.first).to_be_visible()
    said = "".join(hover.all_text_contents())
    for part in ("<b>b</b> *i* `c` $x^2$", "%{y} &lt;", "<img src=x onerror=window.hacked=1>"):
        assert part in said, said
    assert app.keyed("distances").locator(".hoverlayer a, .hoverlayer [style*=bold]").count() == 0
    assert not made(app)


def test_d10_names_and_questions_are_only_ever_text(open_app: Callable[..., App]) -> None:
    """D10, D03, R04: in lists, pickers, captions, notices, errors, tables and the undo button; no image is fetched."""
    app = open_app("documents")
    page = app.page
    faults: list[str] = []

    def look(place: str, **literal: tuple[Locator, str]) -> None:
        """Notes elements that the text has made, and places that do not show it letter for letter."""
        faults.extend(f"{place}: {element}" for element in made(app))
        for what, (where, text) in literal.items():
            shown = " | ".join(where.all_inner_texts()).replace(JOINER, "")
            if one_line(text) not in one_line(shown):
                faults.append(f"{place}, {what}: {one_line(shown)!r} instead of {text!r}")

    picker, alerts = app.keyed("doc"), page.get_by_test_id("stMain").get_by_test_id("stAlert")
    captions = page.get_by_test_id("stCaptionContainer").filter(has_text=re.compile("^Passage 1"))
    app.paste(NAME, TEXT)
    eventually(lambda: shown_text(page), lambda text: text == TEXT, page)
    app.upload((ONE_SENTENCE, b"One sentence only"))
    eventually(lambda: shown_text(page), lambda text: text == "One sentence only", page)
    look("two documents", picker=(picker, NAME), list=(page.get_by_test_id("stText"), NAME), undo=(app.undo, "*one*"))
    bad = MARKUP.replace("/", "|")
    app.upload((f"{bad}.pdf", b"%PDF-1.7 nothing"), (f"{bad}.txt", b"One sentence only"))
    expect(alerts).to_have_count(2)
    look("bad files", error=(alerts, f"{bad}.pdf"), notice=(alerts, f"{bad}.txt"))
    app.press_button("doc", "b")
    eventually(lambda: shown_text(page), lambda text: text == TEXT, page)
    app.ask(QUERY)
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile(re.escape(QUERY)))
    app.settled()
    look("a query", undo=(app.undo, QUERY[:35]))
    press(page, "Control+a", "m")
    expect(app.passage(1)).to_be_visible()
    look("a passage", caption=(captions, NAME))

    app.go("Chunks")
    look("chunks", picker=(picker, NAME))
    app.go("Retrieval")
    assert app.table(RANKS, "query")["query"] == [f"▸ 1. {QUERY}"]
    assert NAME in {name for _, _, name, _ in app.hits()}
    look("retrieval", picker=(picker, NAME), caption=(captions, NAME), undo=(app.undo, QUERY[:35]))
    app.go("Semantic distances")
    look("distances", picker=(picker, NAME))
    app.press_button("doc", "one")
    expect(alerts).to_contain_text("1 sentence")
    look("one sentence", notice=(alerts, ONE_SENTENCE))
    assert not faults, "\n".join(faults)
