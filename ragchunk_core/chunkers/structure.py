"""Markdown blocks kept whole (C15): headings, paragraphs, list items, tables, fences, quotes.

Blocks are packed up to the size within their section. One that is too long is cut where its kind allows: a table
between rows, a list between items, a fence between lines (between definitions where its language is known), a
paragraph between sentences. The chunks after the first cut carry as context what they would miss: the table's header
and the line that leads to it, the line that leads to a list, the fence's opening line.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ragchunk_core.chunkers.base import Chunker, ChunkerOptions, Pieces, Request
from ragchunk_core.chunkers.code import CodeOptions, Piece, definitions
from ragchunk_core.chunkers.code import split as split_code
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
from ragchunk_core.chunkers.records import RecordsOptions
from ragchunk_core.chunkers.records import split as split_records
from ragchunk_core.languages import language_named, language_of_name
from ragchunk_core.markdown_blocks import Block, blocks_inside, blocks_of, table_rows
from ragchunk_core.options import option
from ragchunk_core.record_formats import format_of
from ragchunk_core.sentences import sentence_spans

PATH_MARK = " › "
_MAY_BE_LED = ("table", "list", "fence")
_BY_SENTENCES = ("paragraph", "other")
_part = partial(tuple.__new__, Part)  # without the named tuple's own constructor, which is slower


@dataclass(frozen=True, slots=True)
class StructureOptions(ChunkerOptions):
    """Where sections begin, and what stands in front of the chunks."""

    level: int = option(
        6,
        "Deepest heading level",
        "No chunk goes on over a heading up to this level; 0: headings are blocks like others.",
        minimum=0,
        maximum=6,
        step=1,
    )
    context: str = option(
        "blocks",
        "Index in front",
        "Text that is indexed with a chunk though it is not part of it.",
        choices={
            "blocks": "table header, lead-in, fence line",
            "path": "the heading path as well",
            "none": "nothing",
        },
    )
    within: bool = within_option()
    files: bool = option(
        True,
        "Code and data files their own way",
        "A document whose name ends as source code, JSON or CSV does is cut as the chunkers for these do it.",
    )


def split(request: Request, options: StructureOptions) -> Pieces:
    """A section that is only a heading goes into the chunk of the next one."""
    text = request.text
    if options.files and language_of_name(request.name):
        return split_code(request, CodeOptions(signatures=options.context != "none", within=options.within))
    if options.files and format_of(request.name):
        context = "none" if options.context == "none" else "full"
        return split_records(request, RecordsOptions(context=context, within=options.within))
    packer = Packer(request, _Opener(text, options.context != "none").opened, options.within)
    section: list[Block] = []
    path: list[tuple[int, str]] = []
    # A heading that only further headings follow is kept with the first that has text: its path is that one's.
    for block in blocks_of(text):
        if block.kind == "heading" and 0 < block.level <= options.level:
            if any(one.kind != "heading" for one in section):
                _pack(packer, section, path, options)
                section = []
            while path and path[-1][0] >= block.level:
                path.pop()
            path = [*path, (block.level, block.title)]
        section.append(block)
    _pack(packer, section, path, options)
    return packer.pieces()


def _pack(packer: Packer, section: list[Block], path: list[tuple[int, str]], options: StructureOptions) -> None:
    titles = tuple([title for _, title in path])
    outer = (PATH_MARK.join(titles),) if options.context == "path" and titles else ()
    packer.pack(Inside(_parts(section)), titles, outer)


def _parts(blocks: Sequence[Block]) -> list[Part]:
    """Each block with whether it stays with the next."""
    parts = []
    for block, following in itertools.zip_longest(blocks, blocks[1:]):
        keeps = LOOSE
        if block.kind == "heading":
            keeps = ALWAYS_WITH_NEXT
        elif block.kind == "paragraph" and following is not None and following.kind in _MAY_BE_LED:
            keeps = WITH_NEXT
        parts.append(Part(block.start, block.end, block, keeps))
    return parts


class _Opener:
    """Opens the blocks of one text."""

    def __init__(self, text: str, said: bool) -> None:
        self.text, self.said = text, said

    def opened(self, part: Part, leads: Sequence[Part]) -> Inside:
        """What a block that is too long is cut into, and what its later chunks need in front of them."""
        block, text = part.node, self.text
        if isinstance(block, Piece):  # a definition in a fence
            return block.opened()
        lead = self._lead_in(leads)
        if block.kind in _BY_SENTENCES:
            spans = sentence_spans(text[block.start : block.end]).tolist()
            return Inside([Part(block.start + start, block.start + end) for start, end in spans])
        if block.kind == "table":
            return self._table(block, lead)
        if block.kind in ("list", "item", "quote"):
            parts = _parts(blocks_inside(text, block))
            return self._inside(parts, lead if block.kind == "list" else (), 0)
        if block.kind == "fence":
            return self._fence(block, lead)
        return Inside(lines_of(text, block.start, block.end))

    def _inside(self, parts: list[Part], context: tuple[str, ...], opening: int) -> Inside:
        return Inside(parts, context if self.said else (), opening)

    def _lead_in(self, leads: Sequence[Part]) -> tuple[str, ...]:
        """The last sentence of the paragraph right before the block, where it announces something or is a caption."""
        last = leads[-1] if leads else None
        if last is None or last.node.kind != "paragraph":
            return ()
        paragraph = self.text[last.start : last.end]
        start = int(sentence_spans(paragraph)[-1, 0])
        return (paragraph[start:],) if start == 0 or paragraph.endswith((":", "：")) else ()

    def _table(self, block: Block, lead: tuple[str, ...]) -> Inside:
        rows = table_rows(self.text, block)
        parts: list[Part] = [_part((start, end, None, LOOSE, False)) for start, end in rows]
        parts[0] = parts[0]._replace(keeps=ALWAYS_WITH_NEXT)
        said = self.text[parts[0].start : parts[0].end]
        return self._inside(parts, (*lead, said), 1)

    def _fence(self, block: Block, lead: tuple[str, ...]) -> Inside:
        lines = lines_of(self.text, block.start, block.end)
        opening = self.text[lines[0].start : lines[0].end]
        mark = set(self.text[lines[-1].start : lines[-1].end].lstrip("> \t"))
        closed = len(lines) > 1 and mark in ({"`"}, {"~"})
        body = lines[1 : -1 if closed else None]
        language = language_named(block.title.split()[0].strip("{}.,")) if block.title else None
        if body and language and self.text[block.start - 1 : block.start] in ("", "\n"):
            body = definitions(self.text, body[0].start, body[-1].end, language)
        parts = [lines[0]._replace(keeps=ALWAYS_WITH_NEXT), *body]
        if closed:
            parts[-1] = parts[-1]._replace(keeps=ALWAYS_WITH_NEXT)
            parts.append(lines[-1])
        return self._inside(parts, (*lead, opening), 1)


STRUCTURE = Chunker(
    name="structure",
    label="Structure",
    help="Paragraphs, tables, lists and code stay whole; long tables are cut between rows, with their header in front.",
    split=split,
    options=StructureOptions,
    uses_overlap=False,
    by_name=True,
)
"""Best for documents in Markdown, and what HTML, PDF and DOCX files become."""
