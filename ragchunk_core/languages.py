"""Programming languages whose grammars come with the app: their names, file endings and tree-sitter parsers.

Each grammar is a wheel of its own that holds the compiled parser, so nothing is fetched when one is first used
(tree-sitter-language-pack downloads its grammars then). A new language is one line here and one in requirements.txt.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Parser


class Language(NamedTuple):
    """A language.

    Attributes:
        name: Name in the registry, in links and in info strings.
        label: What a person reads.
        endings: Of file names, with the dot.
        aliases: Other names in info strings.
        module, function: Where the grammar is.
        telling: A line that hardly any other language has.
    """

    name: str
    label: str
    endings: tuple[str, ...]
    aliases: tuple[str, ...]
    module: str
    function: str
    telling: str


LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        Language(
            "python", "Python", (".py", ".pyi", ".pyw"), ("py", "python3", "pycon"), "tree_sitter_python", "language",
            r"(?:async )?def \w+\(.*|class \w+(?:\(.*\))?:|from [\w.]+ import .+|if __name__ == .+|@\w[\w.]*(?:\(.*\))?"
            r"|elif .+:|except(?: .+)?:",
        ),
        Language(
            "javascript", "JavaScript", (".js", ".mjs", ".cjs", ".jsx"), ("js", "jsx", "node"),
            "tree_sitter_javascript", "language",
            r"(?:export )?(?:default )?(?:async )?function\*? ?\w*\(.*|(?:const|let|var) \w+ = .*"
            r"|import .+ from ['\"].+|.*=> \{|module\.exports.*|['\"]use strict['\"];?",
        ),
        Language(
            "typescript", "TypeScript", (".ts", ".mts", ".cts"), ("ts",), "tree_sitter_typescript",
            "language_typescript",
            r"(?:export )?(?:interface|type|enum|declare|abstract class) \w+.*"
            r"|.*\w\??: (?:string|number|boolean|void)\b.*|import type .+",
        ),
        Language(
            "tsx", "TypeScript with JSX", (".tsx",), (), "tree_sitter_typescript", "language_tsx", r"(?!)",
        ),
        Language(
            "java", "Java", (".java",), (), "tree_sitter_java", "language",
            r"(?:public|private|protected) (?:(?:static|final|abstract) )*[\w<>\[\], ]+ ?.*\{|package [\w.]+;"
            r"|import (?:static )?[\w.]+(?:\.\*)?;|@Override",
        ),
        Language(
            "go", "Go", (".go",), ("golang",), "tree_sitter_go", "language",
            r"func (?:\(.+\) )?\w+\(.*|package \w+|type \w+ (?:struct|interface) \{|.* := .*|import \(",
        ),
        Language(
            "rust", "Rust", (".rs",), ("rs",), "tree_sitter_rust", "language",
            r"(?:pub(?:\(\w+\))? )?(?:fn|impl|mod|trait|struct|enum|use) \w.*[{;]|let mut .*|#!?\[.+\]|impl<.*",
        ),
        Language(
            "c", "C", (".c", ".h"), (), "tree_sitter_c", "language",
            r"#\s*(?:include|define|ifdef|ifndef|endif)\b.*"
            r"|(?:static |const |unsigned )*(?:int|void|char|size_t) \*?\w+\(.*|typedef .*|struct \w+ \{",
        ),
        Language(
            "cpp", "C++", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".c++"), ("c++", "cxx"), "tree_sitter_cpp",
            "language",
            r"#\s*include <\w+>|template ?<.*|namespace \w*.*|using .*;|.*\bstd::.*|(?:public|private|protected):",
        ),
    )
}  # fmt: skip

_BY_ENDING = {ending: language for language in LANGUAGES.values() for ending in language.endings}
_BY_NAME = {name: one for one in LANGUAGES.values() for name in (one.name, *one.aliases, *(e[1:] for e in one.endings))}
_SAMPLE = 200  # lines looked at
_LEAST = 0.04
"""Share of the lines that must tell a language."""


def language_named(name: str) -> Language | None:
    """The language that an info string or an ending without its dot names, in any case; None where it names none."""
    return _BY_NAME.get(name.lower())


def language_of(name: str, text: str) -> Language | None:
    """The language of a document: by its name's ending, else by what its first lines look like; None for no code."""
    return language_of_name(name) or guessed(text)


def language_of_name(name: str) -> Language | None:
    """The language that the ending of a file's name tells, or None."""
    _, dot, ending = name.rpartition(".")
    return _BY_ENDING.get(f".{ending.lower()}") if dot else None


def guessed(text: str) -> Language | None:
    """The language that the most lines at the start of a text tell, where they are enough and two at least."""
    lines = [line.strip() for line in text[:20_000].split("\n") if line.strip()][:_SAMPLE]
    told = {
        one.name: sum(pattern.fullmatch(line) is not None for line in lines)
        for one, pattern in ((one, _telling(one.name)) for one in LANGUAGES.values())
    }
    best = max(told, key=lambda name: told[name])
    return LANGUAGES[best] if told[best] >= max(2, _LEAST * len(lines)) else None


@cache
def parser_of(name: str) -> Parser:
    """The parser of a language, loaded at first use."""
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    language = LANGUAGES[name]
    return Parser(Grammar(getattr(import_module(language.module), language.function)()))


@cache
def _telling(name: str) -> re.Pattern[str]:
    return re.compile(LANGUAGES[name].telling)
