"""Advice on text that a text chunker is wrong for (D11): JSON, tables of values, markup, source code.

A file's ending tells what it is, and where that is only text, its content.
"""

from __future__ import annotations

import csv
import json
import re
from typing import NamedTuple

from ragchunk_core.languages import language_of_name
from ragchunk_core.record_formats import format_of
from ragchunk_core.types import Document

_SAMPLE = 100_000  # characters looked at
# A fence, comment or docstring that is not closed runs to the end: else each would be a search to the end.
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(
    r'(?s:""".*?(?:"""|\Z)|/\*.*?(?:\*/|\Z))|^[ \t]*(?:#(?!include|define|if|endif)|//).*$', re.MULTILINE
)
_PIPE_TABLE = re.compile(r"^ {0,3}\|?[ :]*-+[ :]*\|[-| :]*$", re.MULTILINE)
_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype\s+html|html)[\s>]", re.IGNORECASE)
_RULE = re.compile(r"^\|(?: ?:?-+:? ?\|)+$", re.MULTILINE)  # between a table's header and its rows
_CODE_LINE = re.compile(
    r"""\s*(?:
      .*[;{}]\s*(?://.*)?$                                 # statements and blocks of the C family
      | \#!/ | \#\s*(?:include|define|ifdef|ifndef|endif)\b
      | (?:from\s+[\w.]+\s+)?import\s+[\w.*{}, "']+$
      | (?:async\s+)?(?:def|class|fn|func|function|fun|sub|impl|struct|enum|interface|trait)\s+\w.*[:({]
      | (?:if|elif|else|for|while|try|except|with|switch|match)\b.*:\s*$
      | (?:return|raise|throw|yield|await)\s*[\w("'\[{].*[)\]}\w]$
      | (?:const|let|var|val|public|private|protected|static)\s+\w+
      | [\w.\[\]]+\s*(?:[-+*/|]|:)?=\s*\S+
      | [\w.]+\(.*\)$
      | @\w+
    )""",
    re.VERBOSE,
)


class Advice(NamedTuple):
    """One sentence on a text, and the chunker made for it by its name in ``CHUNKERS``, None where there is none."""

    sentence: str
    chunker: str | None


def advised(document: Document) -> Advice | None:
    """What to say when the text is plainly no prose, else None.

    Only the start of the text is looked at. Code in Markdown fences does not count: it is part of the prose.
    """
    from ragchunk_core.chunkers import CHUNKERS

    found = _found(document)
    if found is None:
        return None
    sentence, chunker = found
    return Advice(sentence, chunker if chunker in CHUNKERS else None)


def advice(document: Document) -> str | None:
    """The sentence of ``advised``."""
    found = advised(document)
    return found.sentence if found else None


def advised_chunker(document: Document) -> str | None:
    """The chunker that is made for such a document: ``records``, ``code`` or, for tables in Markdown, ``structure``.

    The ending of the name decides where it tells; else the look, as for ``advised``. None where any will do.
    """
    if format_of(document.name):
        return "records"
    if language_of_name(document.name):
        return "code"
    found = _found(document)
    if found:
        return found[1] or None
    text = document.text[:_SAMPLE]
    return "structure" if _PIPE_TABLE.search(text) or _FENCED.search(text) else None


def _found(document: Document) -> tuple[str, str] | None:
    text = document.text[:_SAMPLE]
    if document.kind == "json" or _is_json(document.text, text):
        return "This is JSON: a text chunker will cut through its records.", "records"
    if document.kind in ("text", "code") and _MARKUP.match(text):
        return "This is HTML or XML source: a text chunker will cut through its elements.", ""
    if _is_mostly_tables(text):
        return "Most of this text is tables: a text chunker will part rows from their header.", "structure"
    if document.kind == "csv" or _is_table(text):
        return "This is a table of values (CSV): a text chunker will part its rows from their header.", "records"
    if document.kind == "code" or _is_code(text):
        return "This is source code: a text chunker will cut through its functions.", "code"
    return None


def _is_mostly_tables(text: str) -> bool:
    """Whether there is a Markdown table, and more than half of the lines are rows of such."""
    lines = [line for line in text.split("\n") if line.strip()]
    rows = sum(line.startswith("|") for line in lines)
    return 2 * rows > len(lines) and _RULE.search(text) is not None


def _is_json(whole: str, start: str) -> bool:
    """Whether the text is one JSON object or array, or has one on each line."""
    if not start.lstrip().startswith(("{", "[")):
        return False
    cut = len(whole) > len(start)
    lines = [line for line in start.split("\n") if line.strip()]
    lines = (lines[:-1] if cut else lines)[:20]
    return _holds_json(start, cut) or (len(lines) > 1 and all(map(_holds_json, lines)))


def _holds_json(text: str, cut: bool = False) -> bool:
    """Whether the text is JSON that holds something, or, where it is ``cut`` off, so far looks like it."""
    try:
        return isinstance(value := json.loads(text), (dict, list)) and bool(value)
    except json.JSONDecodeError as error:
        return cut and (error.msg.startswith("Unterminated string") or error.pos > len(text) - 100)
    except RecursionError:
        return False


def _is_table(text: str) -> bool:
    """Whether the first lines have one and the same number of fields, three times or more."""
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    if len(lines) < 3:
        return False
    for delimiter, least in ((",", 3), (";", 3), ("\t", 2)):
        try:
            counts = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        except csv.Error:
            continue
        if len(counts) == 1 and counts.pop() >= least:
            return True
    return False


def _is_code(text: str) -> bool:
    lines = [line for line in _COMMENT.sub("", _FENCED.sub("", text)).split("\n") if line.strip()][:400]
    code = sum(_CODE_LINE.match(line) is not None for line in lines)
    return len(lines) >= 3 and code * 2 > len(lines)
