"""HTML to text (D04): headings as ``#`` lines, list items as ``- `` lines, tables as pipe lines, code fenced.

turbohtml (MIT) parses and converts: it keeps to the HTML standard in parsing and charsets (all 82 cases of
html5lib) and never recurses. Of 38 pages of inscriptis 36 have the right words here (30 in its order), 32 by
html-to-markdown and html2text, 30 by markdownify, which take 1.4, 4 and 10 times as long. A page 1,000 elements deep
ends markdownify in an error, 2,000 nested tables lose their text in html-to-markdown, and 10,000 nested lists take
html2text 18 s. Of 7 reported faults all are right here, 4, 3 and 4 there (``tests/benchmarks/reading_rivals.py``).

The text is what a reader of the page sees. A link is its words without the address and an image its alt text,
since addresses would distort chunk sizes; bold, italic and inline code are plain words. Nothing is escaped:
``snake_case`` stays ``snake_case``.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.limits import ReadError, check_length
from ragchunk_core.documents.tables import tables_to_text
from ragchunk_core.documents.text import Decoded, decode
from ragchunk_core.types import Document

if TYPE_CHECKING:
    from turbohtml import Document as Tree
    from turbohtml import Element, Markdown

# What no browser shows. Text of <noscript> stays: it is what a reader without scripts sees.
_UNSEEN = (
    "head, script, style, template, iframe, noframes, object, audio, video, canvas, datalist, [hidden], "
    "dialog:not([open]), svg title, svg desc, svg metadata, math annotation, math annotation-xml"
)
_LEAST_MAIN = 250  # characters that stand out as main content; less is a scrap of a page
_CONTROLS = "option, button, select, textarea, svg text"  # apart on the screen, with no space in the source
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_BLOCKS = [*_HEADINGS, "p", "ul", "ol", "dl", "table", "pre", "blockquote", "hr", "section", "article"]
_BULLET = "\x1e"  # see _as_markdown
_FENCE = re.compile(r"[ >]*(?:(?:-|\d+[.)]) +)*(`{3,})")


def read_html(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of an HTML page.

    The charset is told by a byte-order mark, then by ``<meta>`` as the HTML standard's prescan finds it, then
    by the bytes: UTF-8, else the likeliest encoding, windows-1252 where nothing speaks for another.

    Raises:
        ReadError: If the page has no text that is seen, or more than is allowed, or the bytes are no text.
    """
    tree, encoding, notes = _parsed(data, name, asked.encoding)
    _drop_unseen(tree)
    if asked.options.html.main:
        notes = (*notes, _keep_main(tree))
    text = _text(tree)
    if not text:
        raise ReadError(f"{name!r} has no visible text; save a page that scripts fill in from the browser.")
    check_length(len(text), name, asked.limits)
    return Document(name=name, text=text, kind="html", notes=notes, encoding=encoding)


def text_of_html(page: str) -> str:
    """The text of a page that is not the user's own file but a step on the way, such as a converted Word file."""
    from turbohtml import parse

    tree = parse(page, positions=False)
    _drop_unseen(tree)
    return _text(tree)


def _text(tree: Tree) -> str:
    _open_headings(tree)
    tables_to_text(tree, _as_markdown)
    text = _as_markdown(tree)
    return _tidy(text.replace(f"{_BULLET} ", "- ") if _BULLET in text else text)


def _parsed(data: bytes, name: str, told: str | None) -> tuple[Tree, str, tuple[str, ...]]:
    """The page as a tree, its encoding, and what is to be told about that."""
    from turbohtml import parse

    if told:
        decoded = decode(data, name, told)
        return parse(decoded.text, positions=False), decoded.encoding, decoded.notes
    tree = parse(data, positions=False)
    if tree.encoding_confidence == "certain":
        encoding = tree.encoding or "UTF-8"
        told = "" if encoding == "UTF-8" or data.isascii() else f"Read as {encoding}, as the page says."
        text = tree.text
        lost = text.count("\ufffd")
        if lost:
            lost -= data.count("\ufffd".encode())
        return tree, encoding, Decoded(text, encoding, told, lost).notes
    if data.isascii() and b"\0" not in data:
        return tree, "UTF-8", ()
    decoded = decode(data, name)
    return parse(decoded.text, positions=False), decoded.encoding, decoded.notes


def _drop_unseen(tree: Tree) -> None:
    from turbohtml import Text

    tree.remove(_UNSEEN)
    for element in tree.select("[style]"):
        if _displayed_none(element.attr("style") or ""):
            element.decompose()
    tree.strip_tags("rp")  # the brackets around a reading (ruby), which turbohtml would drop
    for control in tree.select(_CONTROLS):
        control.insert_after(Text(" "))
    for old in list(tree.iter_elements({"menu", "dir"})):
        old.tag = "ul"
    for item in list(tree.iter_elements({"li"})):
        if _is_blank(item):
            item.decompose()


def _keep_main(tree: Tree) -> str:
    """Take out all but the element that holds the main content, where one stands out; tells what was done."""
    from turbohtml import Element

    main, body = tree.main_content(), tree.find("body")
    if not isinstance(main, Element) or not isinstance(body, Element) or len(main.text.strip()) < _LEAST_MAIN:
        return "Main content: none stands out, so the whole page was read."
    whole = len(body.text)
    if main != body:
        main = main.extract()
        for node in list(body.children):
            node.extract()
        body.append(main)
    return f"Main content: {whole - len(main.text):,} of {whole:,} characters left out."


def _displayed_none(style: str) -> bool:
    if "none" not in style.lower():
        return False
    rules = [rule.partition(":") for rule in style.lower().replace("!important", "").split(";")]
    values = [value.strip() for name, _, value in rules if name.strip() == "display"]
    return values[-1:] == ["none"]


def _is_blank(element: Element) -> bool:
    text = element.text
    return (not text or text.isspace()) and element.select_one("img[alt]") is None


def _open_headings(tree: Tree) -> None:
    """Move what is no title out of the headings: one that is not closed swallows the paragraphs after it."""
    from turbohtml import Range

    blocks = ", ".join(_BLOCKS)
    for heading in list(tree.iter_elements(set(_HEADINGS))):
        block = _first_block_after_title(heading) if heading.select_one(blocks) else None
        if block is not None:
            rest = Range(heading)
            rest.set_start_before(block)
            rest.set_end(heading, len(heading))
            heading.insert_after(rest.extract_contents())
        if _is_blank(heading):
            heading.decompose()


def _first_block_after_title(heading: Element) -> Element | None:
    from turbohtml import Element, Text

    titled = False
    for node in heading.descendants:
        if isinstance(node, Text):
            titled = titled or bool(node.data.strip())
        elif titled and isinstance(node, Element) and node.tag in _BLOCKS:
            return node
    return None


def _as_markdown(node: Tree | Element) -> str:
    # Where two lists follow each other, turbohtml gives the second one another bullet: "*" after "-", and "-"
    # after any other. A bullet that no text has, turned into "-" at the end, makes all of them "-".
    text = node.to_markdown(_options())
    if text.startswith("&#65279;") and node.text.lstrip().startswith("\ufeff"):
        return text.replace("&#65279;", "\ufeff", 1)  # turbohtml spells a mark at the start of its output out
    return text


@cache
def _options() -> Markdown:
    from turbohtml import Markdown

    return Markdown(
        lists=Markdown.Lists(bullets=_BULLET),
        inline=Markdown.Inline(ignore_emphasis=True),
        links=Markdown.Links(ignore=True, autolink=False),
        images=Markdown.Images(mode="alt"),
        escaping=Markdown.Escaping(mode="none", asterisks=False, underscores=False),
        strip=["code", "kbd", "samp", "tt"],
    )


def _tidy(markdown: str) -> str:
    """No space at line ends and no second blank line, but for what stands in a fence."""
    if "`" not in markdown:
        ended = [line.rstrip(" \t") for line in markdown.split("\n")]
        return "\n".join([line for before, line in pairwise(["", *ended]) if before or line]).strip("\n")
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if fence:
            fence = "" if line.strip(" >") == fence else fence
        else:
            line = line.rstrip(" \t")
            if not line and lines and not lines[-1]:
                continue
            match = _FENCE.match(line) if "```" in line else None
            fence = match[1] if match else ""
        lines.append(line)
    return "\n".join(lines).strip("\n")
