"""C16: source code is cut along its syntax tree; functions that fit are never cut, and nothing is lost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk_core import Document, chunk
from ragchunk_core.languages import LANGUAGES, MAIN_LANGUAGES, guessed, language_named, language_of, parser_of
from ragchunk_core.units import UNITS

LIBRARY = Path(sysconfig.get_path("stdlib"))
ROOT = Path(__file__).resolve().parent.parent
UNKNOWN_TO_THE_GRAMMAR = {"test_compile.py"}
"""Files of the library on which tree-sitter-python 0.25.0 reports errors though Python compiles them, and in which a
function that fits is cut for that."""


def cut(text, size, name="a.py", **options):
    return chunk(Document.from_text(text, name=name), "code", size=size, **options)


def lost(made, text):
    """How many characters that are no white space are in no chunk."""
    edges = [0, *(edge for pair in zip(made.starts.tolist(), made.ends.tolist(), strict=True) for edge in pair)]
    edges.append(len(text))
    gaps = [text[low:high] for low, high in zip(edges[::2], edges[1::2], strict=True)]
    return sum(len("".join(gap.split())) for gap in gaps)


def functions_of(text):
    """Spans of all functions and classes in code points, as Python's own parser sees them."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(row, column):
        line = lines[row - 1]
        return starts[row - 1] + (column if line.isascii() else len(line.encode()[:column].decode()))

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_c16_the_whole_standard_library_loses_nothing_and_no_function_that_fits_is_cut():
    """C16: every file of this Python's library at 1,000 characters; what a function is says the ast module."""
    files = fit = 0
    for path in sorted(LIBRARY.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # test data in other encodings
            continue
        files += 1
        made = cut(text, 1000)
        assert lost(made, text) == 0, path
        assert made.lengths.max(initial=0) <= 1000
        try:
            functions = list(functions_of(text))
        except (SyntaxError, ValueError, RecursionError):  # test data that is meant to be broken: it is cut as well
            continue
        starts, ends = made.starts.tolist(), made.ends.tolist()
        for start, end in functions:
            if end - start <= 1000:
                fit += 1
                assert end <= ends[bisect_right(starts, start) - 1] or path.name in UNKNOWN_TO_THE_GRAMMAR, path
    assert files > 500
    assert fit > 10_000


SAMPLES = {
    "javascript": (
        "function f{n}(x) {{\n  // é{n}\n  return x + {n};\n}}",
        "class A{n} {{\n  @dec\n  run() {{ return {n}; }}\n}}",
    ),
    "typescript": (
        "export function f{n}(x: number): number {{\n  return x + {n};\n}}",
        "interface I{n} {{\n  a: string;\n}}",
    ),
    "tsx": ("const C{n} = () => {{\n  return <b>{n}</b>;\n}};",),
    "java": ("/** Doc {n}. */\n@Deprecated\nclass A{n} {{\n  int run() {{\n    return {n};\n  }}\n}}",),
    "go": ("// F{n} adds.\nfunc F{n}(x int) int {{\n\treturn x + {n}\n}}", "type T{n} struct {{\n\ta int\n}}"),
    "rust": ("/// Doc {n}.\n#[inline]\nfn f{n}(x: i32) -> i32 {{\n    x + {n}\n}}", "struct S{n} {{\n    a: i32,\n}}"),
    "c": ("/* doc {n} */\nstatic int f{n}(int x) {{\n  return x + {n};\n}}", "struct s{n} {{\n  int a;\n}};"),
    "cpp": ("template <class T>\nT f{n}(T x) {{\n  return x + {n};\n}}", "class A{n} {{\n public:\n  int a;\n}};"),
    "python": ("# About {n}.\n@cache\ndef f{n}(x):\n    return x + {n}",),
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(MAIN_LANGUAGES))
@pytest.mark.parametrize("size", [60, 150, 1000])
def test_c16_every_language_keeps_its_functions_with_what_describes_them(language, size):
    """C16: a file of 1,000 definitions each; comments, decorators and attributes are in the definition's chunk."""
    pieces = [sample.format(n=number) for number in range(1000) for sample in SAMPLES[language]]
    text = ("package main\n\n" if language == "go" else "") + "\n\n".join(pieces) + "\n"
    made = cut(text, size, name="a" + LANGUAGES[language].endings[0])
    assert not parser_of(language).parse(text.encode()).root_node.has_error
    assert lost(made, text) == 0
    texts = made.texts()
    assert max(map(len, texts)) <= size
    joined = "\x00".join(texts)
    assert all(piece in joined for piece in pieces if len(piece) <= size)


REAL = {
    "java": ("*.java", 50_000), "go": ("*.go", 130_000), "rust": ("*.rs", 60_000),
    "javascript": ("*.js", 100_000), "typescript": ("types.ts", 150_000),
    "c": ("*.c", 45_000), "cpp": ("*.hpp", 10_000), "python": ("*.py", 100_000),
}  # fmt: skip
"""Files of installed packages and of ``tests/real_code``: a pattern, and how long the largest is at least."""


_FUNCTION = re.compile(r"(?:\w*function|method|constructor)_(?:definition|declaration|item)")


def nodes_of(language, text):
    """Spans in code points of every function that the grammar finds, wherever it is."""
    data = text.encode()
    before = np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80)
    open_nodes = [parser_of(language).parse(data).root_node]
    while open_nodes:
        node = open_nodes.pop()
        open_nodes += node.children
        if _FUNCTION.fullmatch(node.type):
            yield int(before[node.start_byte]) - 1, int(before[node.end_byte - 1])


@pytest.mark.parametrize("language", REAL)
def test_c16_real_files_of_installed_packages_lose_nothing(language):
    """C16: the largest file of its kind that is here; no function that fits is cut, also where the grammar fails."""
    pattern, least = REAL[language]
    folders = [Path(sysconfig.get_path("platlib")), Path(sysconfig.get_path("include")), ROOT / "tests" / "real_code"]
    files = [path for folder in folders for path in folder.rglob(pattern) if path.stat().st_size < 2_000_000]
    path = max(files, key=lambda one: one.stat().st_size)
    text = path.read_text(encoding="utf-8", errors="replace")
    assert len(text) > least
    made = cut(text, 800, name=path.name, language=language)
    assert lost(made, text) == 0
    assert made.lengths.max() <= 800
    starts, ends = made.starts.tolist(), made.ends.tolist()
    fit = [(start, end) for start, end in nodes_of(language, text) if end - start <= 800]
    assert len(fit) >= 20
    assert all(end <= ends[bisect_right(starts, start) - 1] for start, end in fit)


def test_c16_a_class_over_the_size_is_opened_and_its_methods_know_it():
    """C16: the signature with the first statements; later chunks carry the signatures around them."""
    methods = [f"    def m{number}(self, x):\n        '''Doc {number}.'''\n        return x" for number in range(6)]
    text = "import os\nimport re\n\n\nclass A(B):\n    '''About A.'''\n\n" + "\n\n".join(methods)
    made = cut(text, 150)
    assert [one.context for one in made] == ["", "", *["class A(B):"] * (len(made) - 2)]
    assert [one.path for one in made] == [(), *[("A",)] * (len(made) - 1)]
    assert made[1].text.startswith("class A(B):\n    '''About A.'''")
    assert all(sum(method in one.text for one in made) == 1 for method in methods)
    assert set(cut(text, 150, signatures=False).contexts) == set()
    assert cut(text, 150, imports=True)[3].context == "import os\nimport re\nclass A(B):"


def test_c16_comments_stay_with_what_follows_unless_a_blank_line_parts_them():
    """C16: and a comment at the end of a line stays with that line."""
    text = "x = 1  # one\n# About y,\n# two lines.\ny = 2\n\n# Alone.\n\nz = 3\n"
    assert cut(text, 32).texts() == ["x = 1  # one", "# About y,\n# two lines.\ny = 2", "# Alone.\n\nz = 3"]


def test_c16_a_function_over_the_size_is_cut_between_statements():
    """C16: each statement whole and once, with its indentation."""
    body = [f"    step_{number} = call(argument, {number})" for number in range(20)]
    made = cut("def run(argument):\n" + "\n".join(body), 150)
    assert [line for one in made for line in one.text.split("\n")] == ["def run(argument):", *body]
    assert [one.context for one in made] == ["", *["def run(argument):"] * (len(made) - 1)]


def test_c16_what_follows_an_opened_statement_goes_on_in_its_last_chunk_but_not_after_a_function():
    """C16: a long sum is no chunk a term; after a class no chunk mixes it with what comes next."""
    terms = "x = " + " + ".join(["a"] * 1000)
    assert len(cut(terms, 400)) == -(-len(terms) // 400)
    body = "\n".join(f"  m{number}() {{ return {number}; }}" for number in range(20))
    made = cut(f"export class A {{\n{body}\n}}\nlet y = 1;\n", 200, name="a.js")
    assert made.texts()[-1] == "let y = 1;"
    assert made.paths[-1] == ()


TOKENS = [
    "def f(",
    "):",
    "\n",
    "    ",
    "class A",
    "{",
    "}",
    "(",
    '"',
    "'''",
    "# c\n",
    "x = 1\n",
    "return",
    ";",
    "é🚀",
    "\\",
]


@given(
    st.lists(st.sampled_from(TOKENS), max_size=40).map("".join), st.sampled_from(list(LANGUAGES)), st.integers(1, 40)
)
def test_c16_broken_code_in_any_language_is_kept_within_the_size(text, language, size):
    """C16: nothing but white space is lost, chunks do not overlap, chunk and context together fit."""
    made = cut(text, size, language=language, imports=True)
    assert lost(made, text) == 0
    assert (made.starts[1:] >= made.ends[:-1]).all()
    assert all(len(indexed) <= size for indexed in made.indexed_texts())


def test_c16_deep_nesting_is_no_recursion():
    """C16: ten thousand brackets, and a sum of ten thousand terms."""
    for text in ("(" * 10_000 + ")" * 10_000, "x = " + " + ".join(["a"] * 10_000)):
        assert lost(cut(text, 50), text) == 0


@pytest.mark.parametrize("unit", ["words", "cl100k", "wordpieces"])
def test_c16_the_size_holds_with_the_context_in_any_unit(unit):
    """C16: counted on what is indexed."""
    text = (LIBRARY / "queue.py").read_text(encoding="utf-8")
    made = cut(text, 60, unit=unit, imports=True)
    assert all(UNITS[unit].count(indexed) <= 60 for indexed in made.indexed_texts())


def test_c16_the_language_is_told_by_name_or_look():
    """C16: endings, info strings, and the first lines; prose is no code and is cut at blank lines."""
    assert language_named("PY").name == "python"
    assert language_named("c++").name == "cpp"
    assert language_named("no such") is None
    for name, one in LANGUAGES.items():
        assert all(language_of("a" + ending, "").name == name for ending in one.endings)
        assert language_named(name) == one
    for name, samples in SAMPLES.items():
        if name != "tsx":
            text = "\n\n".join(sample.format(n=number) for number in range(5) for sample in samples)
            told = guessed({"cpp": "#include <vector>\n", "go": "package main\n"}.get(name, "") + text)
            assert told is not None, name
    prose = "This is a text of words. It has lines.\n\nAnd a second paragraph, which goes on."
    assert guessed(prose) is None
    assert cut(prose, 50, name="note.txt").texts() == prose.split("\n\n")


def test_c16_no_grammar_is_fetched():
    """C16: with every connection refused each parser is there."""
    code = (
        "import socket\n"
        "def refuse(*_): raise OSError('no network')\n"
        "socket.socket.connect = refuse\n"
        "from ragchunk_core.languages import LANGUAGES, parser_of\n"
        "print(len([parser_of(name) for name in LANGUAGES]))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(LANGUAGES)
    assert "\ntree-sitter-language-pack==0.13.0\n" in (ROOT / "requirements.txt").read_text("utf-8")
