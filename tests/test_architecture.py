"""The rules of the tree: imports go down, the core has no screen, nothing heavy at start, pages are thin."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = sorted((ROOT / "ragchunk_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_knows_no_screen(path):
    assert not {"streamlit", "plotly", "pages", "app"} & set(imported(path))


def test_importing_the_core_loads_nothing_heavy():
    """Models, data frames and tokenisers come in when they are first used."""
    code = (
        "import sys, ragchunk_core; from ragchunk_core import Document, chunk\n"
        "chunk(Document.from_text('a b c'), 'recursive', size=2)\n"
        "heavy = 'torch sentence_transformers transformers pandas tiktoken scipy bm25s pypdf turbohtml markdown_it'\n"
        "print([name for name in heavy.split() if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_pages_are_thin_and_start_the_frame_first(path):
    """Under 150 lines, and the first statement after the docstring makes a cold link work."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") < 150
    statements = ast.parse(text).body[1:3]
    assert [ast.unparse(s) for s in statements] == ["from pages.shared import frame", "frame.ensure()"]


def test_only_one_file_uses_streamlits_caches():
    users = [p.name for p in (ROOT / "pages").rglob("*.py") if "st.cache_" in p.read_text(encoding="utf-8")]
    assert users == ["cached.py"]
    text = (ROOT / "pages/shared/cached.py").read_text(encoding="utf-8")
    assert text.count("@st.cache_") == text.count("max_entries=") == text.count('scope="session"')


def test_text_never_becomes_html():
    """The project's own code has no door through which a document's text could become markup."""
    doors = (
        "unsafe_allow_html",
        "innerHTML",
        "insertAdjacentHTML",
        "st.html",
        "document.write",
        "dangerouslySetInnerHTML",
    )
    frame = ROOT / "pages/shared/frame.py"
    style = next(
        node.value
        for node in ast.parse(frame.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_STYLE"
    )
    assert isinstance(style, ast.Constant), "The one style sheet is a constant, which nothing is put into."
    for path in [*(ROOT / "pages").rglob("*.py"), *(ROOT / "pages").rglob("*.js"), ROOT / "app.py"]:
        text = path.read_text(encoding="utf-8")
        if path == frame:
            text = text.replace("st.html(_STYLE)", "")
        assert not [door for door in doors if door in text], path


def test_d10_the_app_calls_no_network_service_of_its_own():
    """D10: no usage statistics, no question to a public service for the server's outside address."""
    with (ROOT / ".streamlit" / "config.toml").open("rb") as file:
        config = tomllib.load(file)
    assert config["browser"] == {"gatherUsageStats": False, "serverAddress": "localhost"}
    assert config["server"]["showEmailPrompt"] is False


def test_d10_the_server_starts_without_a_look_outside(tmp_path):
    """D10: with every connection but those to this machine refused and told, a start tells of none."""
    (tmp_path / "sitecustomize.py").write_text(
        "import socket, sys\n"
        "real = socket.getaddrinfo\n"
        "def told(host, *rest, **more):\n"
        "    if host not in (None, '', 'localhost', '127.0.0.1', '::1', '0.0.0.0', '::'):\n"
        "        print('LOOKED OUTSIDE', host, file=sys.stderr, flush=True)\n"
        "        raise OSError('refused by the test')\n"
        "    return real(host, *rest, **more)\n"
        "socket.getaddrinfo = told\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port=0", "--server.headless=true"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as server:
        watchdog = threading.Timer(60, server.kill)
        watchdog.start()
        said = ""
        for line in server.stdout:
            said += line
            if "URL:" in line:
                break
        server.terminate()
        said += server.stdout.read()
        watchdog.cancel()
    assert "URL:" in said
    assert "LOOKED OUTSIDE" not in said
