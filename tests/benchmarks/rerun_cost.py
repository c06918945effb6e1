"""What a changed setting costs the server in CPU time, page by page, with vectors already computed.

    python -m tests.benchmarks.rerun_cost

A real server and a real browser, on the sample corpus. Every size is visited in a first browser session, so that
its vectors are known; a second session, which shares nothing else with the first, visits each size again: chunks,
tables, indices, rankings, judgements and figures are computed anew ("changed"). Then it visits them once more
("again"), when all of that is known. On Retrieval it does the same with k, which leaves chunks and rankings as they
are. The figures are medians of what the server process spent (user and system time, from the operating system), from
the change until more than a second after the page is done; "idle" is what it spends in the same time with nothing to
do, and is part of both.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PORT = 8655
SIZE = ("Exact size", [300, 320, 340, 360, 380, 420, 440, 460, 480, 500])
SETTINGS = [
    ("documents", *SIZE),
    ("", *SIZE),
    ("retrieval", *SIZE),
    ("retrieval", "Top k", [*range(6, 15)]),
    ("distances", *SIZE),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def cpu_seconds(pid: int) -> float:
    """User and system time of a process since its start."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settled(page: Page) -> None:
    """Wait until the app is idle."""
    page.wait_for_timeout(300)
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'",
        timeout=120_000,
    )
    page.wait_for_timeout(1_200)


def open_page(browser: Browser, name: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"http://127.0.0.1:{PORT}/{name}")
    page.get_by_label("Exact size").wait_for()
    settled(page)
    return page


def visit(page: Page, pid: int, label: str, value: int) -> float:
    """CPU seconds that the server spends on another value in the box of that label."""
    before = cpu_seconds(pid)
    box = page.get_by_label(label, exact=True)
    box.fill(str(value))
    box.press("Enter")
    settled(page)
    return cpu_seconds(pid) - before


def measure(browser: Browser, pid: int, name: str, label: str, values: list[int]) -> tuple[float, float, float]:
    first = open_page(browser, name)
    for value in values:
        visit(first, pid, label, value)
    first.close()
    page = open_page(browser, name)
    changed = statistics.median(visit(page, pid, label, value) for value in values)
    again = statistics.median(visit(page, pid, label, value) for value in values)
    before = cpu_seconds(pid)
    settled(page)
    idle = cpu_seconds(pid) - before
    page.close()
    return changed, again, idle


def main() -> None:
    """Print one line a page."""
    options = [f"--server.port={PORT}", "--server.headless=true", "--server.fileWatcherType=none"]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{PORT}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            print("page        setting        changed   again    idle   (server CPU, ms, median)")
            for name, label, values in SETTINGS:
                if sys.argv[1:] and name not in sys.argv[1:]:
                    continue
                spent = measure(browser, server.pid, name, label, values)
                figures = "".join(f"{seconds * 1000:>9.0f}" for seconds in spent)
                print(f"{name or 'chunks':<12}{label:<12}{figures}", flush=True)
            browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
