"""Word and PowerPoint files as Markdown (D12): headings, lists and tables stay what they are.

mammoth (BSD) turns .docx into HTML, which is then read as HTML is; python-pptx (MIT) reads .pptx. What is drawn
(pictures, charts, SmartArt) has no text here, nor have headers and footers of pages.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from ragchunk_core.documents.archives import Archive
from ragchunk_core.documents.asked import PLAINLY, Asked
from ragchunk_core.documents.html import text_of_html
from ragchunk_core.documents.limits import Limits, ReadError, check_length
from ragchunk_core.documents.pipe_tables import one_line, pipe_table
from ragchunk_core.types import Document

_BETWEEN_SLIDES = "\n\n"
_DEEPEST = 20  # groups of shapes within each other
_BACK = re.compile(r' ?<a href="#[^"<>]*note-ref-[^"<>]*">↑</a>')  # from a footnote to its place, of no use in a text
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
"""


def read_docx(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of a Word file: headings by their styles, lists, tables, footnotes at the end; no pictures.

    Raises:
        ReadError: If it is no Word file, hostile, past a limit, or has no text.
    """
    import mammoth

    archive = Archive(data, name, "Word file (.docx)", asked.limits)
    archive.check_xml()
    try:
        # Without this mammoth writes every picture into the page.
        picture = mammoth.images.img_element(lambda _: {})
        page = mammoth.convert_to_html(io.BytesIO(data), style_map=_STYLES, convert_image=picture).value
    except MemoryError:
        raise
    except Exception as error:  # whatever a broken file makes of it
        raise archive.broken() from error
    return Document(name, _checked(text_of_html(_BACK.sub("", page)), name, asked.limits), "docx")


def read_pptx(data: bytes, name: str, asked: Asked = PLAINLY) -> Document:
    """The text of a PowerPoint file, a page for each slide: title as heading, lists, tables, speaker's notes.

    Raises:
        ReadError: If it is no PowerPoint file, hostile, past a limit, or has no text.
    """
    from pptx import Presentation

    archive = Archive(data, name, "PowerPoint file (.pptx)", asked.limits)
    archive.check_xml()
    try:
        presentation = Presentation(io.BytesIO(data))
        slides = list(presentation.slides)
        if len(slides) > asked.limits.pages:
            raise ReadError(f"{name!r} has {len(slides):,} slides; at most {asked.limits.pages:,} are allowed.")
        texts = [_slide(slide) for slide in slides]
    except (ReadError, MemoryError):
        raise
    except Exception as error:  # whatever a broken file makes of it
        raise archive.broken() from error
    _checked("".join(texts), name, asked.limits)
    starts, start = [], 0
    for text in texts:
        starts.append(start)
        start += len(text) + len(_BETWEEN_SLIDES)
    empty = texts.count("")
    told = f"{empty:,} of {len(texts):,} slide{'s' * (len(texts) > 1)} {'have' if empty > 1 else 'has'} no text."
    return Document(name, _BETWEEN_SLIDES.join(texts), "pptx", tuple(starts), (told,) if empty else ())


def _checked(text: str, name: str, limits: Limits) -> str:
    if not text.strip():
        raise ReadError(f"{name!r} has no text; a file with words in it is needed.")
    check_length(len(text), name, limits)
    return text


def _slide(slide: Any) -> str:
    title = slide.shapes.title
    told = None if title is None else title.shape_id
    blocks = []
    if title is not None and title.text_frame.text.strip():
        blocks.append(f"# {one_line(title.text_frame.text)}")
    for shape in _shapes(slide.shapes, 0):
        if title is not None and shape.shape_id == told:
            continue
        if shape.has_table:
            rows = [[one_line(cell.text) for cell in row.cells] for row in shape.table.rows]
            blocks.append("\n".join(pipe_table(rows)))
        elif shape.has_text_frame:
            blocks.append(_paragraphs(shape))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        blocks.append(f"Notes: {_lines(notes)}" if notes else "")
    return "\n\n".join(block for block in blocks if block)


def _shapes(shapes: Any, depth: int) -> Iterator[Any]:
    """Every shape that is not a group, in the order of the slide, which screen readers follow too."""
    for shape in shapes:
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        elif hasattr(shape, "has_table"):
            yield shape


def _paragraphs(shape: Any) -> str:
    """A body placeholder is a list, by PowerPoint's convention; a text box is paragraphs."""
    lines = [(paragraph.level, one_line(paragraph.text)) for paragraph in shape.text_frame.paragraphs]
    lines = [(level, line) for level, line in lines if line]
    is_list = shape.is_placeholder and len(lines) > 1
    if is_list:
        return "\n".join(f"{'  ' * level}- {line}" for level, line in lines)
    return "\n".join(line for _, line in lines)


def _lines(text: str) -> str:
    return text.replace("\v", "\n").replace("\r\n", "\n")
