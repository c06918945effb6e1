"""Programming languages whose grammars come with the app: their names, file endings and tree-sitter parsers.

tree-sitter-language-pack 0.13.0 holds the compiled grammars, so nothing is fetched when one is first used; from 1.0 on
it downloads them then. A grammar is loaded when a text needs it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ragchunk_core.more_languages import MORE_LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Parser
    from tree_sitter_language_pack import SupportedLanguage


class Language(NamedTuple):
    """A language.

    Attributes:
        name: Name of the grammar, in links and in info strings.
        label: What a person reads.
        endings: Of file names, with the dot.
        aliases: Other names in info strings.
        telling: A line that hardly any other language has; empty: it is never guessed.
    """

    name: str
    label: str
    endings: tuple[str, ...]
    aliases: tuple[str, ...]
    telling: str = ""


_MAIN = (
    Language(
        "python", "Python", (".py", ".pyi", ".pyw"), ("py", "python3", "pycon"),
        r"(?:async )?def \w+\(.*|class \w+(?:\(.*\))?:|from [\w.]+ import .+|if __name__ == .+|@\w[\w.]*(?:\(.*\))?"
        r"|elif .+:|except(?: .+)?:",
    ),
    Language(
        "javascript", "JavaScript", (".js", ".mjs", ".cjs", ".jsx"), ("js", "jsx", "node"),
        r"(?:export )?(?:default )?(?:async )?function\*? ?\w*\(.*|(?:const|let|var) \w+ = .*"
        r"|import .+ from ['\"].+|.*=> \{|module\.exports.*|['\"]use strict['\"];?",
    ),
    Language(
        "typescript", "TypeScript", (".ts", ".mts", ".cts"), ("ts",),
        r"(?:export )?(?:interface|type|enum|declare|abstract class) \w+.*"
        r"|.*\w\??: (?:string|number|boolean|void)\b.*|import type .+",
    ),
    Language("tsx", "TypeScript with JSX", (".tsx",), ()),
    Language(
        "java", "Java", (".java",), (),
        r"(?:public|private|protected) (?:(?:static|final|abstract) )*[\w<>\[\], ]+ ?.*\{|package [\w.]+;"
        r"|import (?:static )?[\w.]+(?:\.\*)?;|@Override",
    ),
    Language(
        "go", "Go", (".go",), ("golang",),
        r"func (?:\(.+\) )?\w+\(.*|package \w+|type \w+ (?:struct|interface) \{|.* := .*|import \(",
    ),
    Language(
        "rust", "Rust", (".rs",), ("rs",),
        r"(?:pub(?:\(\w+\))? )?(?:fn|impl|mod|trait|struct|enum|use) \w.*[{;]|let mut .*|#!?\[.+\]|impl<.*",
    ),
    Language(
        "c", "C", (".c", ".h"), (),
        r"#\s*(?:include|define|ifdef|ifndef|endif)\b.*"
        r"|(?:static |const |unsigned )*(?:int|void|char|size_t) \*?\w+\(.*|typedef .*|struct \w+ \{",
    ),
    Language(
        "cpp", "C++", (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".c++"), ("c++", "cxx"),
        r"#\s*include <\w+>|template ?<.*|namespace \w*.*|using .*;|.*\bstd::.*|(?:public|private|protected):",
    ),
)  # fmt: skip

MAIN_LANGUAGES: frozenset[str] = frozenset(language.name for language in _MAIN)
"""Those with rules of their own in the chunker ``code``."""
LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        *_MAIN,
        *(
            Language(name, label, tuple(ends.split()), tuple(more.split()))
            for name, label, ends, more in MORE_LANGUAGES
        ),
    )
}
"""All languages by name."""

_BY_ENDING = {ending: language for language in LANGUAGES.values() for ending in language.endings}
_BY_NAME = {
    name: one
    for one in reversed(LANGUAGES.values())
    for name in (*(ending[1:] for ending in one.endings), *one.aliases, one.name)
}
_SHARED = {
    ".h": (
        ("objc", r"@(?:interface|protocol|class|import)\b"),
        ("cpp", r"class \w+.*[{:;]\s*$|namespace\b[\w: ]*\{|template ?<"),
    ),
    ".m": (("objc", r"#import\b|@(?:interface|implementation|protocol|class|import)\b"),),
    ".v": (("verilog", r"module\b.*[(;]|`(?:timescale|include|define)\b"),),
}
"""Endings of several languages: which it is when some line begins like this."""
_SAMPLE = 200  # lines looked at
_LEAST = 0.04
"""Share of the lines that must tell a language."""


def language_named(name: str) -> Language | None:
    """The language that an info string or an ending without its dot names, in any case; None where it names none."""
    return _BY_NAME.get(name.lower())


def language_of(name: str, text: str) -> Language | None:
    """The language of a document: by its name's ending, else by what its first lines look like; None for no code."""
    language = language_of_name(name)
    for other, pattern in _SHARED.get(_ending(name), ()):
        if re.search(rf"^[ \t]*(?:{pattern})", text, re.MULTILINE):
            return LANGUAGES[other]
    return language or guessed(text)


def language_of_name(name: str) -> Language | None:
    """The language that the ending of a file's name tells, or None."""
    return _BY_ENDING.get(_ending(name))


def _ending(name: str) -> str:
    _, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot else ""


def guessed(text: str) -> Language | None:
    """The language that the most lines at the start of a text tell, where they are enough and two at least."""
    lines = [line.strip() for line in text[:20_000].split("\n") if line.strip()][:_SAMPLE]
    told = {
        one.name: sum(pattern.fullmatch(line) is not None for line in lines)
        for one, pattern in ((one, _telling(one.name)) for one in _MAIN if one.telling)
    }
    best = max(told, key=lambda name: told[name])
    return LANGUAGES[best] if told[best] >= max(2, _LEAST * len(lines)) else None


@cache
def parser_of(name: str) -> Parser:
    """The parser of a language, loaded at first use."""
    from tree_sitter_language_pack import get_parser

    return get_parser(cast("SupportedLanguage", name))


@cache
def _telling(name: str) -> re.Pattern[str]:
    return re.compile(LANGUAGES[name].telling)
