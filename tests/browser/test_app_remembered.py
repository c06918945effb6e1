"""What a person made is still there: in the browser after a reload, in a project file, and settings in a link."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_driver import APP, App, eventually, watched_apps
from tests.browser.conftest import _free_port, _start_streamlit, _wait_until_healthy
from tests.browser.test_app_documents import listed

NOTES = ("notes.md", "\ufeff# Notes\r\n\r\nThe lamp burnt colza oil. \U0001f600\r\n".encode())
STORED = """
async () => {
  const opened = await new Promise((resolve) => {
    const request = indexedDB.open("rag-chunking-lab", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("kept");
    request.onsuccess = () => resolve(request.result);
  });
  const store = opened.transaction("kept").objectStore("kept");
  const keys = await new Promise((resolve) => {
    store.getAllKeys().onsuccess = (event) => resolve(event.target.result);
  });
  const project = await new Promise((resolve) => {
    opened.transaction("kept").objectStore("kept").get("project").onsuccess = (event) => resolve(event.target.result);
  });
  opened.close();
  return [keys.length, project ?? ""];
}
"""
FULL = """
  IDBObjectStore.prototype.put = () => { throw new DOMException("no room", "QuotaExceededError"); };
"""


@pytest.fixture
def open_app(app_server: Callable[[Path], str], new_page: Callable[..., Page]) -> Iterator[Callable[..., App]]:
    with watched_apps(app_server(APP), new_page) as opened:
        yield opened


def stored(app: App) -> tuple[int, str]:
    count, project = app.page.evaluate(STORED)
    return count, project


def with_notes(app: App) -> App:
    """A document, a query and two settings of one's own, as soon as the browser has stored them."""
    app.upload(NOTES)
    eventually(lambda: listed(app), lambda names: names == ["notes.md"], app.page)
    app.settled()
    app.ask("What did the lamp burn?")
    app.settled()
    app.type_number("size", 90)
    eventually(lambda: stored(app)[1], lambda project: '"size": "90"' in project and "the lamp" in project, app.page)
    return app


def assert_has_notes(app: App) -> None:
    eventually(lambda: listed(app), lambda names: names == ["notes.md"], app.page)
    expect(app.keyed("q").get_by_role("combobox")).to_have_value(re.compile("the lamp burn"))
    expect(app.keyed("size").locator("input")).to_have_value("90")


def test_d09_a_reload_brings_everything_back(open_app: Callable[..., App]) -> None:
    """D09: documents with every character, queries and settings; another browser sees nothing of it."""
    app = with_notes(open_app("documents"))
    app.page.reload()
    assert_has_notes(app.settled())
    expect(app.page.get_by_text(f"{len(NOTES[1].decode('utf-8-sig'))} characters").first).to_be_visible()
    other = open_app("documents")
    assert listed(other) == ["runbook.md", "lighthouse-optics.txt", "faq.html"]
    assert stored(other) == (0, "")


def test_d09_it_is_there_after_the_server_has_restarted(
    new_page: Callable[..., Page], tmp_path: Path, browser: Browser
) -> None:
    """D09: nothing of it is on the server."""
    port = _free_port()
    for visit in (1, 2):
        with (tmp_path / f"log{visit}").open("w", encoding="utf-8") as log:
            server = _start_streamlit(APP, port, log)
            _wait_until_healthy(f"http://127.0.0.1:{port}", server, tmp_path / f"log{visit}")
            if visit == 1:
                app = with_notes(App(new_page(), f"http://127.0.0.1:{port}").open("documents"))
            else:
                assert_has_notes(app.open("documents"))
            server.terminate()
            server.wait(timeout=20)


def test_d09_forget_everything_leaves_nothing(open_app: Callable[..., App]) -> None:
    """D09: neither in the session nor in the browser."""
    app = with_notes(open_app("documents"))
    app.keyed("forget").get_by_role("button").click()
    eventually(lambda: listed(app), lambda names: names[0] == "runbook.md", app.page)
    eventually(lambda: stored(app), lambda found: found == (0, ""), app.page)
    expect(app.keyed("size").locator("input")).to_have_value("400")
    app.page.reload()
    app.settled()
    assert listed(app) == ["runbook.md", "lighthouse-optics.txt", "faq.html"]


def test_d09_a_full_browser_store_is_told_and_loses_nothing(open_app: Callable[..., App]) -> None:
    app = open_app("documents", prepare=lambda page: page.add_init_script(FULL))
    app.upload(NOTES)
    expect(app.page.get_by_text("This browser does not remember the project")).to_be_visible()
    assert listed(app.settled()) == ["notes.md"]


@pytest.mark.parametrize(
    "record", ["{", '{"format": "rag-chunking-lab/project", "version": 99}'], ids=["broken", "newer"]
)
def test_d09_a_remembered_project_that_cannot_be_read_is_told(open_app: Callable[..., App], record: str) -> None:
    """D09: a sentence, the sample to go on with, and the record left as it was."""
    app = open_app("documents")
    stored(app)
    app.page.evaluate(
        """async (record) => {
          const opened = await new Promise((resolve) => {
            indexedDB.open("rag-chunking-lab", 1).onsuccess = (event) => resolve(event.target.result);
          });
          await new Promise((resolve) => {
            opened.transaction("kept", "readwrite").objectStore("kept").put(record, "project").onsuccess = resolve;
          });
          opened.close();
        }""",
        record,
    )
    app.page.reload()
    app.settled()
    expect(app.page.get_by_text("What this browser remembered cannot be opened")).to_be_visible()
    assert listed(app) == ["runbook.md", "lighthouse-optics.txt", "faq.html"]
    assert stored(app) == (1, record)


def test_s01_a_link_goes_before_what_is_remembered(open_app: Callable[..., App]) -> None:
    """S01, D09: its settings, over the recipient's own documents; what it cannot set is told."""
    app = with_notes(open_app("documents"))
    app.open("documents?corpus=custom&size=120&theta=2")
    expect(app.keyed("size").locator("input")).to_have_value("120")
    eventually(lambda: listed(app), lambda names: names == ["notes.md"], app.page)
    expect(app.page.get_by_text("must be a number from 0 to 1")).to_be_visible()
    assert "?" not in app.page.url


def test_s01_the_link_of_the_share_button_opens_the_same(open_app: Callable[..., App]) -> None:
    app = open_app("retrieval?emb=0")
    app.type_number("size", 150)
    app.settled()
    app.type_number("k", 3)
    app.settled()
    app.keyed("share").get_by_role("button").first.click()
    link = app.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
    expect(link).to_contain_text("size=150")
    address = link.inner_text().strip()
    assert address.startswith(app.address + "/retrieval?")
    assert "emb=0" in address
    other = open_app(address.removeprefix(app.address + "/"))
    expect(other.keyed("size").locator("input")).to_have_value("150")
    expect(other.keyed("k").locator("input")).to_have_value("3")


def test_d08_a_project_file_brings_everything_back(open_app: Callable[..., App], tmp_path: Path) -> None:
    """D08: download, new, undo of new, and the file opened by another browser; a bad file changes nothing."""
    app = with_notes(open_app("documents"))
    app.keyed("project").get_by_role("button").first.click()
    with app.page.expect_download() as download:
        app.keyed("project_download").get_by_role("button").click()
    file = tmp_path / "project.json"
    download.value.save_as(file)
    assert json.loads(file.read_text(encoding="utf-8"))["settings"]["size"] == "90"
    app.keyed("project_new").get_by_role("button").click()
    eventually(lambda: listed(app), lambda names: names[0] == "runbook.md", app.page)

    other = open_app("documents")
    other.keyed("project").get_by_role("button").first.click()
    chooser = other.page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploaderDropzoneInput")
    bad = tmp_path / "bad.json"
    bad.write_text("[]", encoding="utf-8")
    chooser.set_input_files(bad)
    expect(other.page.get_by_text("bad.json: This is no project file")).to_be_visible()
    assert listed(other)[0] == "runbook.md"
    other.page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    assert_has_notes(other)
