"""Drives the whole app as a person does, and watches meanwhile that nothing fails and nothing leaves the machine."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, FilePayload, Locator, Page, expect

from tests.browser.viewer_driver import middle_of

APP = Path(__file__).resolve().parents[2] / "app.py"
MODEL_SECONDS = 240  # the embedding model is loaded once a server; on a busy machine that takes more than a minute
COMPARISON = "Comparison of the chunkers"
METRICS = "Retrieval metrics"
RANKS = "Rank of the first answering chunk"

# On a cold link to a page Streamlit looks for its own addresses below that page first, in vain.
_PROBE = re.compile(r"/(?:chunks|retrieval|documents|distances|sweep|guide)/_stcore/(?:health|host-config)$")

# Notes every error box that is ever drawn, however short.
_WATCH = """
  window.errorBoxes = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) {
        if (!node.querySelectorAll) continue;
        const boxes = [node, ...node.querySelectorAll("*")];
        for (const box of boxes)
          if (box.matches("[data-testid=stException]")) window.errorBoxes.push(box.textContent);
      }
  }).observe(document, { childList: true, subtree: true });
"""

_SETTLED = """
() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const viewers = all("[data-testid=stMain] [data-testid=stBidiComponentIsolated]").map((host) => host.shadowRoot);
  return all("[data-testid=stApp]")[0]?.dataset.testScriptState === "notRunning"
    && all("[data-testid=stMainBlockContainer] [data-testid=stElementContainer]").length > 0
    && !all("[data-testid=stSkeleton], [data-stale=true]").length
    && (!viewers.length || viewers.some((root) => root?.querySelector(".viewer .piece, .viewer .empty")));
}
"""

T = TypeVar("T")


class App:
    """The app in one page of the browser."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.add_init_script(_WATCH)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        page.on("websocket", lambda socket: self.requests.append(socket.url))
        page.context.on("request", lambda request: self.requests.append(request.url))

    def _on_console(self, message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        if message.type == "error" and not ("404" in message.text and _PROBE.search(urlsplit(url).path)):
            self.errors.append(f"console: {message.text} ({url})")

    # ---- going about

    def open(self, path: str = "") -> App:
        self.page.goto(f"{self.address}/{path}")
        return self.settled()

    def settled(self) -> App:
        """Waits until the script has run to its end and the browser has drawn what it sent."""
        self.page.wait_for_function(_SETTLED, timeout=MODEL_SECONDS * 1000)
        return self

    def go(self, title: str) -> App:
        """Goes to a page by the navigation, which a narrow screen keeps in the sidebar."""
        links = self.page.get_by_test_id("stTopNavLink")
        if not links.first.is_visible():
            self.open_sidebar()
            links = self.page.get_by_test_id("stSidebarNavLink")
        link = links.filter(has_text=title)
        link.click()
        self.page.wait_for_function(
            "(title) => document.title.startsWith(title) || document.querySelector('[aria-current=page]')"
            "?.textContent === title",
            arg=title,
        )
        self.close_sidebar()
        return self.settled()

    def open_sidebar(self) -> None:
        """On a narrow screen; on a wide one the sidebar is open."""
        if self.page.get_by_test_id("stExpandSidebarButton").is_visible():
            self.page.get_by_test_id("stExpandSidebarButton").click()
            expect(self.page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")

    def close_sidebar(self) -> None:
        if self.is_narrow and not self.page.get_by_test_id("stExpandSidebarButton").is_visible():
            self.page.get_by_test_id("stSidebar").hover()
            self.page.get_by_test_id("stSidebarCollapseButton").locator("button").click()
            expect(self.page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")

    @property
    def is_narrow(self) -> bool:
        size = self.page.viewport_size
        return size is not None and size["width"] < 768

    # ---- widgets

    def keyed(self, key: str) -> Locator:
        """The element of a Streamlit key, or of a setting's widget, whose key is the name and a count."""
        return self.page.locator(_of_key(key))

    def type_number(self, key: str, value: float) -> App:
        box = self.keyed(key).locator("input")
        box.fill(str(value))
        box.press("Enter")
        return self

    def choose(self, key: str, option: str) -> App:
        """Chooses in a select box."""
        box = self.keyed(key).get_by_role("combobox")
        for _ in range(5):
            box.scroll_into_view_if_needed()
            box.press("ArrowDown")
            try:
                self.page.get_by_role("option", name=option, exact=True).click(timeout=2000)
            except Error:  # the list closes when the page is scrolled or drawn anew under it
                continue
            return self
        raise AssertionError(f"No option {option!r} in {key}.")

    def press_button(self, key: str, name: str) -> App:
        """Presses one of several buttons: a pill, a segment, or a form's."""
        self.keyed(key).get_by_role("button", name=name).or_(
            self.keyed(key).get_by_role("radio", name=name)
        ).first.click()
        return self

    # ---- reading

    def frame(self, alt: str) -> Locator:
        """The table whose text alternative holds these words."""
        return self.page.get_by_test_id("stDataFrame").filter(has=self.page.locator(f'[aria-label*="{alt}"]'))

    def table(self, alt: str, *wanted: str) -> dict[str, list[str]]:
        """Columns of a table by their titles, as screen readers are told them; all, or at least the wanted ones.

        A wide table tells only the columns in sight, so it is scrolled through.
        """
        frame = self.frame(alt)
        grid = frame.locator("[role=grid]")
        grid.wait_for(state="attached", timeout=MODEL_SECONDS * 1000)
        scroller = frame.locator(".dvn-scroller")
        # To the left again, should an earlier reading or the user have left it elsewhere.
        scroller.evaluate("(box) => { box.scrollLeft = 0; }")
        grid.locator("[aria-colindex='1']").first.wait_for(state="attached")
        columns: dict[int, list[str]] = {}
        for _ in range(20):
            columns.update(grid.evaluate(_READ_COLUMNS))
            titles = [cells[0] for cells in columns.values()]
            if wanted and all(title in titles for title in wanted):
                break
            if len(columns) == int(grid.get_attribute("aria-colcount") or 0):
                break
            scroller.evaluate("(box) => { box.scrollLeft += box.clientWidth / 2; }")
            self.page.wait_for_timeout(250)  # the grid tells screen readers at most five times a second
        scroller.evaluate("(box) => { box.scrollLeft = 0; }")
        return {cells[0]: cells[1:] for _, cells in sorted(columns.items())}

    def click_row(self, alt: str, row: int, x: int = 40) -> App:
        """Clicks in a row of a table, which is a picture: where it is follows from the height of a row."""
        frame = self.frame(alt)
        canvas = frame.get_by_test_id("data-grid-canvas")
        grid = frame.locator("[role=grid]")
        grid.wait_for(state="attached")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        assert box
        height = box["height"] / int(grid.get_attribute("aria-rowcount") or 0)
        self.page.mouse.click(box["x"] + x, box["y"] + height * (row + 1.5))
        return self

    def hits(self) -> list[tuple[int, bool, str, str]]:
        """The list of hits on the Retrieval page: rank, whether ticked, document, and place in it."""
        rows = self.page.get_by_test_id("stHorizontalBlock").filter(
            has=self.page.locator("[class*=st-key-hit_]"), has_not=self.page.get_by_test_id("stColumn")
        )
        found = []
        for row in rows.all():
            rank, *tick = row.locator(".stMarkdownBadge").inner_text().split()
            name, _, place = row.get_by_test_id("stText").inner_text().partition(" · ")
            found.append((int(rank), bool(tick), name, place))
        return found

    def metric(self, label: str) -> Locator:
        """The value on the card of that label."""
        card = self.page.get_by_test_id("stMetric").filter(
            has=self.page.get_by_test_id("stMetricLabel").get_by_text(label, exact=True)
        )
        return card.get_by_test_id("stMetricValue")

    def figure(self, key: str, expression: str) -> Any:
        """The value of a JavaScript expression about a drawn Plotly ``figure``."""
        selector = f"{_of_key(key)} .js-plotly-plot:not([data-stale=true] *)"
        self.page.wait_for_function("(selector) => document.querySelector(selector)?.calcdata", arg=selector)
        return self.page.locator(selector).first.evaluate(f"(figure) => {expression}")

    @staticmethod
    def range_after(word: str, text: str) -> tuple[int, int]:
        """The two numbers of "code points 1,275–1,588"."""
        found = re.search(rf"{word} ([\d,]+)–([\d,]+)", text)
        assert found, f"No range of {word} in {text!r}."
        return int(found[1].replace(",", "")), int(found[2].replace(",", ""))

    def select_with_mouse(self, text: str, start: int, end: int) -> None:
        """Drags over a range of code points of the text on screen, from whole pixel to whole pixel as a mouse does."""
        self.page.locator(".viewer .text").scroll_into_view_if_needed()
        left, before = middle_of(self.page, start, text), None
        while left != before:  # the text may still be on its way to the chosen chunk
            self.page.wait_for_timeout(150)
            left, before = middle_of(self.page, start, text), left
        right = middle_of(self.page, end - 1, text)
        self.page.mouse.move(round(left[0]) - 2, round(left[1]))
        self.page.mouse.down()
        self.page.mouse.move(round((left[0] + right[0]) / 2), round((left[1] + right[1]) / 2), steps=4)
        self.page.mouse.move(round(right[0]) + 2, round(right[1]), steps=4)
        self.page.mouse.up()

    def ask(self, question: str) -> App:
        """Adds a query by the form."""
        box = self.keyed("ask_text").locator("input")
        box.fill(question)
        box.press("Enter")
        expect(box).to_have_value("")
        return self

    @property
    def undo(self) -> Locator:
        return self.keyed("undo").get_by_role("button")

    def passage(self, number: int) -> Locator:
        """The words of a marked passage in the list of passages."""
        return self.keyed(f"passage_{number - 1}").get_by_test_id("stText")

    def look_into(self, key: str, words: str) -> App:
        """Opens the panel of a popover button, looks for words in it, and closes it again."""
        self.keyed(key).get_by_role("button").first.click()
        panel = self.page.get_by_test_id("stPopoverBody")
        expect(panel).to_contain_text(words)
        self.settled()
        for _ in range(5):
            self.page.keyboard.press("Escape")
            try:
                panel.wait_for(state="hidden", timeout=1000)
            except Error:  # the panel was drawn anew and had not the focus yet
                continue
            return self
        raise AssertionError(f"The panel of {key} stays open.")

    def paste(self, name: str, text: str) -> App:
        """Adds a Markdown text by the paste box."""
        self.keyed("paste_text").get_by_role("button").click()
        panel = self.page.get_by_test_id("stPopoverBody")
        panel.get_by_role("radio", name="Markdown").or_(panel.get_by_role("button", name="Markdown")).first.click()
        panel.get_by_label("Name", exact=True).fill(name)
        panel.get_by_label("Text", exact=True).fill(text)
        panel.get_by_role("button", name="Add text").click()
        return self

    def upload(self, *files: tuple[str, bytes]) -> App:
        kinds = {"md": "text/markdown", "txt": "text/plain", "html": "text/html", "pdf": "application/pdf"}
        payloads: list[FilePayload] = [
            {"name": name, "mimeType": kinds.get(name.rpartition(".")[2], "text/plain"), "buffer": data}
            for name, data in files
        ]
        self.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(payloads)
        return self

    # ---- judging

    def assert_well(self) -> None:
        """No error in the console, no error box ever, and nothing asked of any other machine."""
        host = urlsplit(self.address).netloc
        away = [
            url
            for url in self.requests
            if urlsplit(url).netloc != host and urlsplit(url).scheme not in ("data", "blob")
        ]
        assert not away, f"Asked of other machines: {away}"
        assert not self.errors, f"The browser reports {self.errors}"
        boxes = self.page.evaluate("window.errorBoxes")
        assert not boxes, f"Error boxes: {boxes}"

    def assert_nothing_sticks_out(self) -> None:
        """The page does not scroll sideways."""
        widths = self.page.get_by_test_id("stMain").evaluate("(main) => [main.scrollWidth, main.clientWidth]")
        assert widths[0] <= widths[1]


def _of_key(key: str) -> str:
    # A widget that another has just replaced stays in the page for a moment, without height.
    return f':is(.st-key-{key}, [class*="st-key-{key}__"]:not([data-stale=true] *, [data-stale=true]))'


_READ_COLUMNS = """
(grid) => {
  const columns = new Map();
  for (const cell of grid.querySelectorAll("[role=columnheader], [role=gridcell]")) {
    const column = Number(cell.ariaColIndex);
    if (!columns.has(column)) columns.set(column, []);
    columns.get(column).push(cell.textContent);
  }
  return [...columns];
}
"""


@contextmanager
def watched_apps(address: str, new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    """A function that opens the app in a browser context of its own; at the end all of them must be well."""
    apps: list[App] = []

    def open_app(path: str = "", prepare: Callable[[Page], None] = lambda page: None, **context: Any) -> App:
        page = new_page(**context)
        prepare(page)
        apps.append(App(page, address))
        return apps[-1].open(path)

    yield open_app
    for app in apps:
        app.assert_well()


def eventually(read: Callable[[], T], holds: Callable[[T], bool], page: Page, seconds: float = 20) -> T:
    """What is read, as soon as it can be read and fulfils a condition."""
    last: object = None
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found = read()
            if holds(found):
                return found
            last = found
        except Error as error:  # what is read is not drawn yet
            last = error
        page.wait_for_timeout(100)
    raise AssertionError(f"After {seconds} s it was still {last!r}.")


def numbers(column: list[str]) -> list[float]:
    return [float(cell) for cell in column]
