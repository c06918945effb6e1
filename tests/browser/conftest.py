"""Browser tests: a Streamlit server of our own and Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
VIEWER_APP = Path(__file__).with_name("viewer_app.py")
COMPARISON_APP = Path(__file__).with_name("comparison_app.py")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_SECONDS = 60


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _start_streamlit(script: Path, port: int, log: IO[str]) -> subprocess.Popen[str]:
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "global.developmentMode": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += [f"--{name}={value}" for name, value in options.items()]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=log,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _wait_until_healthy(url: str, server: subprocess.Popen[str], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"Streamlit did not start. It said:\n{log.read_text(encoding='utf-8')}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use the browser bear its marker, so that ``-m "not browser"`` leaves them out."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], str]]:
    """A function that serves a script, once per session, and gives its address."""
    servers: dict[Path, tuple[str, subprocess.Popen[str]]] = {}

    def serve(script: Path) -> str:
        if script not in servers:
            port = _free_port()
            log = tmp_path_factory.mktemp("server") / "log.txt"
            with log.open("w", encoding="utf-8") as stream:
                server = _start_streamlit(script, port, stream)
            url = f"http://127.0.0.1:{port}"
            servers[script] = (url, server)
            _wait_until_healthy(url, server, log)
        return servers[script][0]

    yield serve
    for _, server in servers.values():
        server.terminate()
    for _, server in servers.values():
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window. In CI its absence is a failure, elsewhere a reason to skip."""
    executable = chromium.find()
    if executable is None:
        message = "No Chromium found; `python -m tests.browser.chromium` installs one."
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_FLAGS), headless=True)
        yield launched
        launched.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A function that opens a page in a context of its own; arguments as for ``browser.new_context``."""
    contexts = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of 1280 × 800, in the light theme."""
    return new_page(color_scheme="light")


@pytest.fixture
def open_case(app_server: Callable[[Path], str], page: Page) -> Callable[..., Page]:
    """Opens a case of viewer_app.py, in the standard page or another, and waits until it is drawn."""

    def open_it(case: str, on: Page | None = None, **query: str) -> Page:
        target = on or page
        target.goto(f"{app_server(VIEWER_APP)}/?{urlencode({'case': case, **query})}")
        target.locator(".viewer .empty" if case == "empty" else ".viewer .piece").first.wait_for()
        target.locator(".st-key-echo").wait_for()
        return target

    return open_it


@pytest.fixture
def open_comparison(app_server: Callable[[Path], str], page: Page) -> Callable[..., Page]:
    """Opens a case of comparison_app.py, in the standard page or another, and waits until it is drawn."""

    def open_it(case: str, on: Page | None = None, **query: str) -> Page:
        target = on or page
        target.goto(f"{app_server(COMPARISON_APP)}/?{urlencode({'case': case, **query})}")
        target.locator(".viewer .piece").first.wait_for()
        target.locator(".st-key-echo").wait_for()
        return target

    return open_it
