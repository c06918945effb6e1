"""How fast the chunkers along structure are, beside the rivals named in the README, in one run.

    python -m tests.benchmarks.structure_speed

Each figure is CPU time of this process, the median of five runs (of one, where a run takes longer than five
seconds); ours and the rival's take turns. The Markdown is the project's test data where it is there
(``RAGCHUNK_SHARED_DATA`` or ``../shared/data``), else the sample documents; the code is this Python's library; the data
files are made here. chonkie's CodeChunker is left out: from chonkie 1.6 on it needs a tree-sitter-language-pack that
downloads its grammars. Version 1.5.6 runs with the pack that is used here, in an environment of its own:
``CodeChunker("character", 400, "python").chunk(text)`` with the text of ``library()``.
"""

from __future__ import annotations

import asyncio
import json
import platform
import random
import subprocess
import sys
import sysconfig
import time
import tracemalloc
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from ragchunk_core import Document, chunk
from tests.benchmarks.chunking_speed import MANY, ROOT, Run, row, texts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

RIVALS = ("langchain-text-splitters", "chonkie", "semantic-text-splitter", "llama-index-core", "tree-sitter")
SIZE = 400


def ours(text: str, name: str, chunker: str) -> Run:
    """``chunk`` and the texts of all chunks with their contexts."""
    document = Document(name, text)
    return lambda: chunk(document, chunker, size=SIZE, ceiling=MANY).indexed_texts()


def library(characters: int = 1_000_000) -> str:
    """So much of the standard library's modules, one after the other."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return "\n\n".join(file.read_text(encoding="utf-8") for file in files)[:characters]


def records(count: int) -> list[dict[str, object]]:
    """Made records: some with a long text, all with a list."""
    draw = random.Random(1)
    return [
        {"id": number, "name": f"name {number}", "text": "lorem ipsum dolor " * draw.randrange(8), "tags": ["a", "b"]}
        for number in range(count)
    ]


def csv_of(count: int) -> str:
    """The same as CSV with quotes in every row."""
    rows = (f'{one["id"]},"{one["name"]}","{one["text"]}, ""x"""' for one in records(count))
    return "id,name,text\n" + "\n".join(rows) + "\n"


def table_of(count: int) -> str:
    """One long pipe table."""
    rows = (f"| {one['id']} | {one['name']} | {one['text']} |" for one in records(count))
    return "| id | name | text |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def markdown(text: str) -> None:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.llms import MockLLM
    from llama_index.core.node_parser import MarkdownElementNodeParser
    from semantic_text_splitter import MarkdownSplitter

    langchain = RecursiveCharacterTextSplitter.from_language(Language.MARKDOWN, chunk_size=SIZE, chunk_overlap=0)
    rust = MarkdownSplitter(SIZE)
    asyncio.set_event_loop(asyncio.new_event_loop())
    elements = MarkdownElementNodeParser(llm=MockLLM(), num_workers=1)
    row(
        "structure, Markdown", len(text), ours(text, "a.md", "structure"),
        ("LangChain, separators of Markdown", lambda: langchain.split_text(text)),
        ("semantic-text-splitter MarkdownSplitter (Rust)", lambda: rust.chunks(text)),
    )  # fmt: skip
    part = text[:50_000]
    whole = LlamaDocument(text=part)
    row(
        "structure, Markdown", len(text), ours(text, "a.md", "structure"),
        ("markdown-it-py, its blocks alone", lambda: _blocks().parse(text)),
    )  # fmt: skip
    row(
        "structure, Markdown", len(part), ours(part, "a.md", "structure"),
        ("LlamaIndex MarkdownElementNodeParser, mock model", lambda: elements.get_nodes_from_documents([whole])),
    )  # fmt: skip


def _blocks() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def tables() -> None:
    from chonkie import TableChunker

    text = table_of(5_000)
    chonkie = TableChunker("character", SIZE)
    row(
        "structure, one table",
        len(text),
        ours(text, "a.md", "structure"),
        ("chonkie TableChunker", lambda: chonkie.chunk(text)),
    )


def code(text: str) -> None:
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
    from semantic_text_splitter import CodeSplitter
    from tree_sitter_language_pack import get_binding

    from ragchunk_core.languages import parser_of

    langchain = RecursiveCharacterTextSplitter.from_language(Language.PYTHON, chunk_size=SIZE, chunk_overlap=0)
    rust = CodeSplitter(get_binding("python"), SIZE)
    data = text.encode()
    row(
        "code, Python", len(text), ours(text, "a.py", "code"),
        ("LangChain, separators of Python", lambda: langchain.split_text(text)),
        ("semantic-text-splitter CodeSplitter (Rust)", lambda: rust.chunks(text)),
        ("tree-sitter's parse alone", lambda: parser_of("python").parse(data)),
    )  # fmt: skip


def data() -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter, RecursiveJsonSplitter

    made = records(10_000)
    text = json.dumps(made)
    splitter = RecursiveJsonSplitter(max_chunk_size=SIZE)
    members = {str(one["id"]): one for one in made[:1_000]}
    part = json.dumps(members)
    row(
        "records, JSON", len(part), ours(part, "a.json", "records"),
        ("LangChain RecursiveJsonSplitter", lambda: splitter.split_text(json.loads(part))),
    )  # fmt: skip
    row("records, JSON", len(text), ours(text, "a.json", "records"), ("json.loads alone", lambda: json.loads(text)))
    text = csv_of(10_000)
    lines = RecursiveCharacterTextSplitter(separators=["\n", ""], chunk_size=SIZE, chunk_overlap=0)
    row(
        "records, CSV",
        len(text),
        ours(text, "a.csv", "records"),
        ("LangChain at line ends", lambda: lines.split_text(text)),
    )


def growth(kind: str, megabytes: int) -> None:
    """In a process of its own: seconds and extra memory for a text of so many megabytes."""
    base = {
        "a.md": lambda: texts("markdown/docs/*.md"),
        "a.py": library,
        "a.json": lambda: json.dumps(records(megabytes * 7_500)),
        "a.csv": lambda: csv_of(megabytes * 9_000),
    }[kind]()
    text = base if kind in ("a.json", "a.csv") else (base + "\n\n") * -(-megabytes * 1_000_000 // len(base))
    document = Document(kind, text)
    chunker = {"a.md": "structure", "a.py": "code"}.get(kind, "records")
    start = time.process_time()
    made = chunk(document, chunker, size=SIZE, ceiling=MANY)
    seconds = time.process_time() - start
    many = len(made)
    del made
    tracemalloc.start()
    chunk(document, chunker, size=SIZE, ceiling=MANY)
    extra = tracemalloc.get_traced_memory()[1] / sys.getsizeof(text)
    size = len(text) / 1e6
    print(f"| {kind} | {size:.1f} | {seconds:.2f} | {size / seconds:.1f} | {extra:.1f} × | {many:,} |", flush=True)


def main() -> None:
    """Print the tables as Markdown."""
    print(f"Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in RIVALS))
    print("\n| what | against | ours, MB/s | theirs, MB/s | ours is |\n| --- | --- | --- | --- | --- |")
    markdown(texts("markdown/docs/*.md"))
    tables()
    code(library())
    data()
    print(
        "\n| file | MB | CPU seconds | MB/s | extra memory, of the text's | chunks |"
        "\n| --- | --- | --- | --- | --- | --- |"
    )
    for kind in ("a.md", "a.py", "a.json", "a.csv"):
        for megabytes in (1, 10, 50):
            call = f"from tests.benchmarks.structure_speed import growth; growth({kind!r}, {megabytes})"
            subprocess.run([sys.executable, "-c", call], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
