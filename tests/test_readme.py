"""What the README tells is so: its commands, its code, its names."""

from __future__ import annotations

import re
from pathlib import Path

from ragchunk_core import Document
from ragchunk_core.chunkers import CHUNKERS
from ragchunk_core.chunkers.base import Request
from ragchunk_core.retrievers import METHODS
from ragchunk_core.units import UNITS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_ci_runs_the_readmes_test_command():
    """The second of the two commands, word for word but for pip's silence."""
    command = re.search(r"^    (pip install -r requirements-dev\.txt .*)$", README, flags=re.MULTILINE)[1]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace(" --quiet", "")


def test_s06_the_start_command_names_what_is_there():
    """S06: two steps, both files in place."""
    assert "    pip install -r requirements.txt && streamlit run app.py\n" in README
    assert (ROOT / "requirements.txt").is_file()
    assert (ROOT / "app.py").is_file()


def test_the_readmes_chunker_works_as_shown():
    """The chunker that the README adds in one file keeps the contract: slices, in order, nothing lost."""
    space = {}
    exec(next(block for block in CODE if "class LineOptions" in block), space)
    chunker, text = space["LINES"], "one\ntwo\n\nthree\nfour\n" * 7
    pieces = chunker.split(Request(text, 1, 0, UNITS["chars"], lambda texts: None), chunker.options(lines=3))
    spans = list(zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True))
    assert len(spans) == 12
    assert spans == sorted(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(text[place].isspace() for place in set(range(len(text))) - covered)


def test_the_readmes_library_example_runs(tmp_path, monkeypatch):
    """The example for the library, on a file of its name, with a passage that fits it."""
    block = next(block for block in CODE if "from_path" in block)
    text = "How long is failover? Two minutes, says the runbook. " * 60
    monkeypatch.setattr(Document, "from_path", classmethod(lambda cls, path: cls.from_text(text, name=path)))
    space = {}
    exec(block, space)
    assert len(space["c"]) > 1


def test_the_readme_names_every_chunker_unit_and_method():
    words = set(re.findall(r"[\w-]+", README))
    assert {*CHUNKERS, *UNITS, *METHODS} <= words
