"""Python code that makes the same chunks with this core, LangChain or LlamaIndex (V07).

A sample is given only where its chunks are equal, text by text, to those at hand; else there is a sentence that says
why there is none. Where equality hangs on the text (a token that is part of a character, white space that LangChain
replaces), it is looked at. LlamaIndex is given LangChain's splitters, which it takes as node parsers: its own
SentenceSplitter and TokenTextSplitter cut by rules that no chunker here has.

Written for langchain-text-splitters 1.1, langchain-experimental 0.4 and llama-index-core 0.14. Each sample reads the
text from ``document.txt`` and leaves the chunks' texts in ``chunks``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragchunk_core.chunkers import CHUNKERS, ChunkerOptions
from ragchunk_core.chunkers.semantic import USUAL_AMOUNTS
from ragchunk_core.chunking import Chunking
from ragchunk_core.options import options_of
from ragchunk_core.units import UNITS, unit_named
from ragchunk_core.units.tokens import Tiktoken

LIBRARIES = {"ragchunk_core": "This core", "langchain": "LangChain", "llama-index": "LlamaIndex"}
"""Names and labels, in the order in which they are offered."""

_READ = 'with open("document.txt", encoding="utf-8", newline="") as file:\n    text = file.read()\n'
_KEEP = {"start": '"start"', "end": '"end"', "none": "False"}
_OWN_RULES = {
    "ratio": "sizes windows by each text's own characters per token",
    "sentence": "finds sentences by rules of this project and carries whole ones over",
    "paragraph": "packs paragraphs and carries whole ones over, where LangChain merges what one separator leaves",
    "sentence-buffer": "joins sentences without the white space between them",
    "prefix-overlap": "copies the end of each chunk in front of the next",
    "markdown": "keeps chunks as slices, where LangChain's MarkdownHeaderTextSplitter strips every line",
    "section": "packs paragraphs inside sections",
    "structure": "cuts along blocks and puts what a cut takes from them in front",
    "code": "cuts along the syntax tree and puts signatures in front",
    "records": "cuts between records and puts their header or keys in front",
    "cluster": "groups pieces by an optimum over the whole text",
}


@dataclass(frozen=True, slots=True)
class CodeSample:
    """Code that makes the chunks, or, where it is empty, a sentence that says why there is none."""

    code: str
    reason: str = ""


def code_sample(chunkings: Sequence[Chunking], library: str, model: str | None = None) -> CodeSample:
    """Code for one library of ``LIBRARIES`` that makes these chunkings, one document at a time.

    Args:
        chunkings: At least one; all of one chunker with one setting.
        model: Name or folder of the embedding model, where it is not the default.

    Raises:
        ValueError: For an unknown library, or for chunkings of several settings or none.
    """
    if library not in LIBRARIES:
        raise ValueError(f"The library is {library!r}; allowed are {', '.join(LIBRARIES)}.")
    settings = [(one.chunker, one.size, one.overlap, one.unit, one.options) for one in chunkings]
    if not settings or any(other != settings[0] for other in settings):
        raise ValueError(f"The {len(settings)} chunkings must be of one setting, and there must be at least one.")
    if library == "ragchunk_core":
        return CodeSample(_core(chunkings[0], model))
    reason = _reason(chunkings)
    if reason:
        return CodeSample("", f"There is no {LIBRARIES[library]} code for these chunks: {reason}.")
    imports, splitter = _splitter(chunkings[0], model)
    if library == "langchain":
        return CodeSample(_program(imports, f"{splitter}\nchunks = splitter.split_text(text)\n"))
    imports.append("from llama_index.core import Document")
    imports.append("from llama_index.core.node_parser import LangchainNodeParser")
    parsed = "nodes = LangchainNodeParser(splitter).get_nodes_from_documents([Document(text=text)])"
    return CodeSample(_program(imports, f"{splitter}\n{parsed}\nchunks = [node.text for node in nodes]\n"))


def _program(imports: list[str], body: str) -> str:
    plain = sorted(line for line in imports if line.startswith("import "))
    named = sorted(line for line in imports if not line.startswith("import "))
    groups = ["\n".join(group) for group in (plain, named) if group]
    return "\n\n".join(groups) + "\n\n" + _READ + "\n" + body


def _core(chunking: Chunking, model: str | None) -> str:
    """This core's own code, with the options that differ from their defaults."""
    chunker = CHUNKERS[chunking.chunker]
    sizes: dict[str, Any] = {"size": chunking.size, "overlap": chunking.overlap, "unit": chunking.unit}
    arguments = [repr(chunking.chunker), *_arguments({**sizes, **_chosen(chunking.options)})]
    imports = ["from ragchunk_core import Document, chunk"]
    if model and chunker.needs_vectors:
        imports.append("from ragchunk_core.embedders import load_embedder")
        arguments.append(f"embed=load_embedder({model!r}).encode")
    name = f", name={chunking.document.name!r}" if chunker.by_name else ""  # its ending tells the kind of file
    lines = "".join(f"    {argument},\n" for argument in (f"Document.from_text(text{name})", *arguments))
    return _program(imports, f"chunking = chunk(\n{lines})\nchunks = chunking.texts()\n")


def _arguments(values: dict[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in values.items()]


def _chosen(options: ChunkerOptions) -> dict[str, Any]:
    usual = type(options)()
    values = {name: getattr(options, name) for name in options_of(usual)}
    return {name: value for name, value in values.items() if value != getattr(usual, name)}


def _reason(chunkings: Sequence[Chunking]) -> str:
    """Why LangChain cannot make these chunks, completing "for these chunks: …"; empty where it can."""
    one = chunkings[0]
    options, label = one.options, CHUNKERS[one.chunker].label
    if options.tail or options.graphemes:
        return "it joins no short last chunk and keeps no displayed characters whole"
    if one.chunker == "recursive":
        if options.regex and options.keep == "none":
            return "a dropped regular expression comes back as its own pattern there (langchain#39569)"
        if options.regex and any(re.compile(separator).groups for separator in options.separators):
            return "a group in a separator breaks its split (langchain#12832)"
        return ""
    if one.chunker == "fixed":
        return _window_reason(chunkings)
    if one.chunker == "semantic":
        return _semantic_reason(chunkings)
    return f"the chunker “{label}” {_OWN_RULES.get(one.chunker, 'has no counterpart there')}"


def _window_reason(chunkings: Sequence[Chunking]) -> str:
    unit = UNITS[chunkings[0].unit]
    if unit.name == "chars":
        return ""
    if not isinstance(unit, Tiktoken):
        return f"it has no windows of {unit.label}"
    for one in chunkings:
        ids, step = unit.ids(one.document.text).tolist(), one.size - one.overlap
        firsts = range(0, max(1, len(ids) - one.overlap), step) if ids else range(0)
        if [unit.encoding.decode(ids[first : first + one.size]) for first in firsts] != one.texts():
            return "a window begins or ends inside a character of this text, of which it leaves a replacement character"
    return ""


def _semantic_reason(chunkings: Sequence[Chunking]) -> str:
    options = chunkings[0].options
    if options.rule != "langchain":
        return "its SemanticChunker finds sentences by another rule; choose the sentence rule of LangChain"
    if options.maximum:
        return "its SemanticChunker has no largest length"
    if options.chunks:
        return "its SemanticChunker does not always make the number of chunks that is asked for"
    for one in chunkings:
        text = one.document.text
        sentences = re.split(r"(?<=[.?!])\s+", text)
        if text != text.strip() or " ".join(sentences) != text:
            return "its SemanticChunker puts one space in place of the white space between the sentences of this text"
        if len(sentences) == 2 and options.threshold == "gradient":
            return "its SemanticChunker cuts any two sentences apart under the gradient rule"
    return ""


def _splitter(chunking: Chunking, model: str | None) -> tuple[list[str], str]:
    """Import lines, and the lines that make ``splitter``."""
    sizes = {"chunk_size": chunking.size, "chunk_overlap": chunking.overlap}
    options = chunking.options
    if chunking.chunker == "semantic":
        return _semantic_splitter(options, model)
    if chunking.chunker == "fixed" and chunking.unit == "chars":
        imports = ["from langchain_text_splitters import CharacterTextSplitter"]
        return imports, _call(
            "CharacterTextSplitter", _arguments({"separator": "", **sizes, "strip_whitespace": False})
        )
    if chunking.chunker == "fixed":
        imports = ["from langchain_text_splitters import TokenTextSplitter"]
        values = {"encoding_name": f"{chunking.unit}_base", **sizes, "disallowed_special": ()}
        return imports, _call("TokenTextSplitter", _arguments(values))
    imports, before, length = _length_function(chunking.unit)
    arguments = _arguments({"separators": list(options.separators), "is_separator_regex": options.regex, **sizes})
    arguments += [f"length_function={length}", f"keep_separator={_KEEP[options.keep]}"]
    arguments.append(f"strip_whitespace={options.strip!r}")
    imports.append("from langchain_text_splitters import RecursiveCharacterTextSplitter")
    return imports, before + _call("RecursiveCharacterTextSplitter", arguments)


def _call(name: str, arguments: list[str]) -> str:
    return f"splitter = {name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


def _length_function(unit: str) -> tuple[list[str], str, str]:
    """Import lines, lines before the splitter, and the expression that counts a text in the unit."""
    if unit == "chars":
        return [], "", "len"
    if unit == "words":
        return [], "", "lambda text: len(text.split()) or int(bool(text))"
    if isinstance(unit_named(unit), Tiktoken):
        before = f'encoding = tiktoken.get_encoding("{unit}_base")\n'
        return ["import tiktoken"], before, "lambda text: len(encoding.encode_ordinary(text))"
    return ["from ragchunk_core.units import unit_named"], "", f"unit_named({unit!r}).count"


def _semantic_splitter(options: Any, model: str | None) -> tuple[list[str], str]:
    imports = [
        "from langchain_core.embeddings import Embeddings",
        "from langchain_experimental.text_splitter import SemanticChunker",
        "from ragchunk_core.embedders import load_embedder",
    ]
    before = (
        "class Vectors(Embeddings):\n"
        "    def embed_documents(self, texts):\n"
        f"        return load_embedder({model or ''!r}).encode(texts).tolist()\n\n"
        "    def embed_query(self, text):\n"
        "        return self.embed_documents([text])[0]\n\n\n"
    )
    if not model:
        before = before.replace("load_embedder('')", "load_embedder()")
    values = {
        "buffer_size": options.buffer,
        "breakpoint_threshold_type": options.threshold,
        "breakpoint_threshold_amount": options.amount or USUAL_AMOUNTS[options.threshold],
        "min_chunk_size": options.minimum or None,
    }
    return imports, before + _call("SemanticChunker", ["Vectors()", *_arguments(values)])
