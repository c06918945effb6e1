"""Source code by its syntax tree (C16): functions, classes and statements stay whole while they fit.

tree-sitter parses also what is broken. Siblings are packed up to the size; a node that is too long is opened, its
signature with its first statements. Comments, decorators and attributes stay with what they stand before. Chunks
inside a function or class carry its signature as context, and if that is wanted the file's imports.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.code_rules import ANY, MAIN, Rules, Types, code_and_comments
from ragchunk_core.chunkers.nesting import Packer
from ragchunk_core.chunkers.parts import (
    ALWAYS_WITH_NEXT,
    LOOSE,
    WITH_NEXT,
    Inside,
    Part,
    lines_of,
    within_option,
)
from ragchunk_core.languages import LANGUAGES, MAIN_LANGUAGES, Language, language_of, parser_of
from ragchunk_core.options import option
from ragchunk_core.spans import trim

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAF = Types(r".*comment|\w*string\w*")
_part = partial(tuple.__new__, Part)  # made by the hundred thousand
_CLOSES = frozenset(")]};,:")
_ASSIGNS = frozenset({"=", ":=", "<-", "<<-"})


@dataclass(frozen=True, slots=True)
class CodeOptions(ChunkerOptions):
    """The language, and what stands in front of the chunks."""

    language: str = option(
        "auto",
        "Language",
        "By the ending of the document's name, else by its first lines; or one for all documents.",
        choices={
            "auto": "by name or look",
            **{name: one.label for name, one in LANGUAGES.items()},
            "text": "none: blank lines and lines",
        },
    )
    signatures: bool = option(
        True, "Signatures in front", "A chunk inside a class or function is indexed with the signatures around it."
    )
    imports: bool = option(False, "Imports in front", "Every chunk after the imports is indexed with them.")
    within: bool = within_option()


def split(request: Request, options: CodeOptions) -> Pieces:
    """Chunks along the syntax tree; without a language, along blank lines and lines."""
    text = request.text
    language = language_of(request.name, text) if options.language == "auto" else LANGUAGES.get(options.language)
    if language is None:
        packer = Packer(request, _opened_text(text), options.within)
        packer.pack(Inside(_paragraphs(text)))
        return packer.pieces()
    tree = _Tree(text, language, options.signatures)
    packer = Packer(request, tree.opened, options.within)
    parts = tree.parts()
    imports, after = tree.imports(parts) if options.imports else ((), 0)
    packer.pack(Inside(parts, imports, after))
    return packer.pieces()


def definitions(text: str, start: int, end: int, language: Language) -> list[Part]:
    """The top of a piece of code inside another text, as parts whose ``node`` opens itself by ``_Piece.opened``."""
    tree = _Tree(text[start:end], language, signatures=True)
    return [tree.shifted(part, start) for part in tree.parts()]


class Piece:
    """A node of a piece of code that begins somewhere in another text."""

    def __init__(self, tree: _Tree, part: Part, start: int) -> None:
        self._tree, self._part, self._start = tree, part, start

    def opened(self) -> Inside:
        """What it is opened into, in the other text."""
        made = self._tree.opened(self._part, ())
        return made._replace(parts=[self._tree.shifted(part, self._start) for part in made.parts])


class _Tree:
    """The syntax tree of a text, with its nodes as parts."""

    def __init__(self, text: str, language: Language, signatures: bool) -> None:
        self.text, self.signatures = text, signatures
        self.rules = MAIN if language.name in MAIN_LANGUAGES else ANY
        data = text.encode("utf-8")
        # Some grammars want a line's end at the end of the text; that of Perl does not return without.
        self._tree = parser_of(language.name).parse(data + b"\n" if self.rules.general else data)
        # Bytes inside characters: so many fewer code points than bytes begin before a place behind them.
        inside = (np.frombuffer(data, dtype=np.uint8) & 0xC0) == 0x80
        self._inside = array("I", np.flatnonzero(inside).astype(np.uint32).tobytes())

    def parts(self) -> list[Part]:
        """What stands at the top of the file."""
        return self._tiled(0, len(self.text), self._tree.root_node.children)

    def imports(self, parts: Sequence[Part]) -> tuple[tuple[str, ...], int]:
        """The imports at the top, each as written, and the part after the last of them."""
        rows = [at for at, part in enumerate(parts) if part.node is not None and self.rules.imports[part.node.type]]
        return tuple(self.text[parts[at].start : parts[at].end] for at in rows), rows[-1] + 1 if rows else 0

    def shifted(self, part: Part, start: int) -> Part:
        """The part of a piece of code in the text around it."""
        return Part(
            part.start + start, part.end + start, part.node and Piece(self, part, start), part.keeps, part.yields
        )

    def opened(self, part: Part, _leads: Sequence[Part]) -> Inside:
        """The parts of a node: its head and the statements of its body, or simply its children; lines of a leaf."""
        node: Node = part.node
        children = node.children
        if not children or _LEAF[node.type]:
            return Inside(lines_of(self.text, part.start, part.end))
        rules = self.rules
        defines = rules.is_definition(node)
        end = self._place(code_and_comments(node)[0].end_byte) if defines else part.end
        if part.start < end < part.end:  # comments after the last statement
            return Inside([Part(part.start, end, node, WITH_NEXT), *lines_of(self.text, end, part.end)], opening=0)
        parted = None if node.type == "ERROR" else rules.parted(node, defines)  # an error's belong to nothing
        if parted is None:
            return Inside(self._tiled(part.start, part.end, children), opening=0)
        rest, opens = parted
        head_end = self._place(rest[0].end_byte if opens else rest[0].start_byte)
        start, end = trim(self.text, part.start, head_end)
        said = (self.text[start:end],) if self.signatures and defines else ()
        head = [Part(start, end, None, ALWAYS_WITH_NEXT)] if start < end else []
        parts = [*head, *self._tiled(head_end, part.end, rest[opens:])]
        return Inside(parts, said, len(head), name=self._name(node) if defines else "")

    def _name(self, node: Node) -> str:
        """What a function, a class or the like is called; empty where nothing tells."""
        named = self.rules.name_of(node)
        return self.text[self._place(named.start_byte) : self._place(named.end_byte)] if named else ""

    def _place(self, byte: int) -> int:
        return byte - bisect_left(self._inside, byte) if self._inside else byte

    def _tiled(self, start: int, end: int, nodes: Sequence[Node]) -> list[Part]:
        """The nodes as parts, with what stands between them, so that nothing is lost."""
        return list(_keeping(self.text, list(self._tiles(start, end, nodes)), self.rules))

    def _tiles(self, start: int, end: int, nodes: Sequence[Node]) -> Iterator[Part]:
        text, reached = self.text, start
        for node, low, high in self._placed(nodes):
            if low < reached or high > end:
                low, high = max(low, reached), min(high, end)
            if low >= high:
                continue
            if text[low].isspace() or text[high - 1].isspace():
                low, high = trim(text, low, high)
                if low == high:
                    continue
            if reached < low and not text[reached:low].isspace():
                yield Part(*trim(text, reached, low))
            yield _part((low, high, node, LOOSE, False))
            reached = high
        if reached < end and (gap := trim(text, reached, end))[0] < gap[1]:
            yield Part(*gap)

    def _placed(self, nodes: Sequence[Node]) -> Iterator[tuple[Node, int, int]]:
        """The nodes with their spans; by general rules comments at a node's end are no part of it."""
        place = self._place
        if not self.rules.general:
            if self._inside:
                return ((node, place(node.start_byte), place(node.end_byte)) for node in nodes)
            return ((node, node.start_byte, node.end_byte) for node in nodes)
        return self._without_comments(nodes)

    def _without_comments(self, nodes: Sequence[Node]) -> Iterator[tuple[Node, int, int]]:
        place = self._place
        for node in nodes:
            low, high = place(node.start_byte), place(node.end_byte)
            last, comments = code_and_comments(node)
            if comments and low < (code_end := place(last.end_byte)) < high:
                yield node, low, code_end
                for comment in comments:
                    yield comment, place(comment.start_byte), place(comment.end_byte)
            else:
                yield node, low, high


def _is_docstring(node: Node) -> bool:
    """Whether a statement is a string and nothing else, or a comment."""
    if node.type == "expression_statement" and node.child_count == 1:
        node = node.children[0]
    return node.is_named and _LEAF[node.type]


def _keeping(text: str, parts: list[Part], rules: Rules) -> Iterator[Part]:
    """The parts with what stays with what: comments with what follows or what they end a line of, marks with both."""
    goes_before = rules.goes_before
    apart, kept = 1, WITH_NEXT  # line ends before the part, and whether the one before stays with it (a head does)
    types = [part[2].type if part[2] is not None else "" for part in parts]
    for at, part in enumerate(parts[:-1]):
        _, end, node, _, _ = part
        following, yields, before = parts[at + 1], kept != LOOSE and node is not None and _is_docstring(node), apart
        begin, behind, next_node, _, _ = following
        apart = text.count("\n", end, begin)
        if node is not None and not node.is_named and text[end - 1] not in _CLOSES:
            kept = ALWAYS_WITH_NEXT  # a keyword, an opening bracket, an operator
        elif not apart and behind - begin <= 3 and text[begin:behind] in _ASSIGNS:
            kept = ALWAYS_WITH_NEXT  # what is assigned to
        elif (
            (text[begin] in _CLOSES and next_node is not None and not next_node.is_named)
            or (before and apart < 2 and goes_before[types[at]])
            or (not apart and goes_before[types[at + 1]])
            or (rules.general and node is not None and next_node is not None and rules.go_on(node, next_node))
        ):
            kept = WITH_NEXT
        else:
            kept = LOOSE
        yield _part((part[0], end, node, kept, yields)) if kept or yields else part
    for part in parts[-1:]:
        node = part.node
        yield part._replace(yields=True) if kept and node is not None and _is_docstring(node) else part


_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t\r]*\n))*")


def _paragraphs(text: str) -> list[Part]:
    return [Part(*trim(text, *match.span()), node="lines") for match in _PARAGRAPH.finditer(text)]


def _opened_text(text: str) -> Any:
    return lambda part, _leads: Inside(lines_of(text, part.start, part.end))


CODE = Chunker(
    name="code",
    label="Source code",
    help="Functions, classes and statements stay whole, as the syntax tree has them, with their signatures in front.",
    split=split,
    options=CodeOptions,
    uses_overlap=False,
    by_name=True,
)
"""Best for source files."""
