"""What the commands read and write: documents, questions, chunkers given as words, and tables (S03)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragchunk_core.chroma_data import QUESTIONS, read_chroma_folder
from ragchunk_core.chunkers import chunker_named
from ragchunk_core.chunking import Chunking
from ragchunk_core.documents import ReadError
from ragchunk_core.documents.many import read_many
from ragchunk_core.imported_queries import is_squad, read_queries, read_squad
from ragchunk_core.links import parse_link
from ragchunk_core.options import options_of
from ragchunk_core.projects import FORMAT, read_project
from ragchunk_core.settings import Settings
from ragchunk_core.types import Corpus, Document

if TYPE_CHECKING:
    import pandas as pd

ChunkerSpec = tuple[str, dict[str, Any]]
"""A registry name and the settings of ``chunk``."""

_MOST_TOLD = 20  # sentences about one file

TABLE_FORMATS = ("json", "csv", "parquet")


@dataclass(frozen=True, slots=True)
class Given:
    """What a command was given to work on: a corpus, and the settings of a project file or the defaults."""

    corpus: Corpus
    settings: Settings = field(default_factory=Settings)
    is_project: bool = False


def read_given(paths: list[str], corpus: str | None = None, questions: str | None = None) -> Given:
    """The documents of some files; or one exported project, a question set like SQuAD's, or a folder like Chroma's.

    What a question file holds that cannot be used is told on standard error.

    Args:
        corpus: Which corpus of a project file is meant; needed where it holds several.
        questions: A file of questions about the documents (``imported_queries``), in place of any that they have.

    Raises:
        ValueError: If a file cannot be read, or what was named is not there.
    """
    given = _documents(paths, corpus)
    if questions is None:
        return given
    made = read_queries(_bytes(Path(questions)), Path(questions).name, given.corpus.documents)
    _tell(made.problems)
    return replace(given, corpus=Corpus(given.corpus.documents, made.queries))


def read_chunk_files(files: list[str], documents: Sequence[Document]) -> dict[str, tuple[Chunking, ...]]:
    """Chunks made elsewhere, by the file's name without its ending; what was placed how is told on standard error.

    Raises:
        ValueError: If a file cannot be read, two have the same name, or not one of its chunks could be placed.
    """
    from ragchunk_core.imported import align, read_chunks

    found: dict[str, tuple[Chunking, ...]] = {}
    for file in files:
        path = Path(file)
        made = align(read_chunks(_bytes(path), path.name), documents, path.stem)
        _tell([f"{path.name}: {made.sentence()}"])
        _tell([f"{path.name}, chunk {one.row + 1}: {one.reason}" for one in made.unplaced])
        if path.stem in found or not made.aligned:
            wrong = "its name is there twice" if path.stem in found else "not one of its chunks could be placed"
            raise ValueError(f"{file} cannot be used: {wrong}.")
        found[path.stem] = made.chunkings
    return found


def _tell(sentences: Sequence[str]) -> None:
    for one in sentences[:_MOST_TOLD]:
        print(one, file=sys.stderr)
    if len(sentences) > _MOST_TOLD:
        print(f"… and {len(sentences) - _MOST_TOLD:,} more.", file=sys.stderr)


def _documents(paths: list[str], corpus: str | None) -> Given:
    first = Path(paths[0])
    if len(paths) == 1 and first.is_dir():
        return Given(read_chroma_folder(first))
    if len(paths) == 1 and first.suffix == ".json" and FORMAT.encode() in (data := _bytes(first))[:1000]:
        project = read_project(data)
        names = list(project.corpora)
        if corpus is None and len(names) != 1:
            raise ValueError(f"{first} holds {len(names)} corpora ({', '.join(names)}); name one with --corpus.")
        if (chosen := corpus or names[0]) not in project.corpora:
            raise ValueError(f"--corpus is {chosen!r}; {first} holds {', '.join(names) or 'none'}.")
        link = parse_link(project.settings)
        for notice in link.notices:
            print(f"{first}: {notice}", file=sys.stderr)
        return Given(project.corpora[chosen], link.settings, is_project=True)
    if len(paths) == 1 and first.suffix == ".json" and is_squad(data := _bytes(first)):
        made, problems = read_squad(data, first.name)
        _tell(problems)
        return Given(made)
    return Given(Corpus(tuple(_read(paths))))


def _read(paths: list[str]) -> Iterator[Document]:
    """The documents of some files, each read in a process of its own as the app does; the first bad one ends it all.

    Of files with the same text one is used, and standard error tells which.
    """
    for found in read_many([(Path(path).name, partial(_bytes, Path(path))) for path in paths]):
        if found.error:
            raise ReadError(found.error)
        if found.document is None:
            _tell([f"{paths[found.place]} holds the same text as {found.same_as}; it is used once."])
        else:
            yield found.document


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = f"{QUESTIONS} is not in it" if path.is_dir() else error.strerror
        raise ReadError(f"{path} cannot be read: {reason}.") from None


def chunker_spec(words: str) -> ChunkerSpec:
    """A chunker as ``recursive size=400 overlap=15% unit=cl100k``, or as a JSON object with a key ``chunker``.

    Raises:
        ValueError: If it is neither.
    """
    if words.lstrip().startswith("{"):
        try:
            settings = json.loads(words)
            name = str(settings.pop("chunker"))
        except (ValueError, KeyError):
            raise ValueError(f'--chunker is {words!r}; as JSON it must be an object with "chunker".') from None
    else:
        name, *rest = words.split() or [""]
        pairs = [one.partition("=") for one in rest]
        if wrong := [one for one, sign, _ in pairs if not (one and sign)]:
            raise ValueError(f"--chunker is {words!r}; after the name, {wrong[0]!r} must be name=value.")
        settings = {one: _value(value) for one, _, value in pairs}
    known = {"size", "overlap", "unit", "ceiling", *options_of(chunker_named(name).options)}
    if unknown := [one for one in settings if one not in known]:
        raise ValueError(f"--chunker {name} has no setting {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    return name, settings


def _value(written: str) -> Any:
    """A number, true, false or a list where it is one in JSON, else the text itself."""
    try:
        return json.loads(written)
    except ValueError:
        return written


def chunkers_of(specs: list[str] | None, settings: Settings) -> list[ChunkerSpec]:
    """The chunkers that were named, or those that the project's settings have on."""
    if specs:
        return [chunker_spec(words) for words in specs]
    sizes: Mapping[str, Any] = {
        "size": settings.size,
        "overlap": f"{settings.overlap}%" if settings.overlap_percent else settings.overlap,
        "unit": settings.unit,
    }
    return [(name, {**sizes, **settings.options.get(name, {})}) for name in settings.on]


def write_bytes(data: bytes, out: str | None) -> None:
    """To the file ``out``, or to standard output."""
    if out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        Path(out).write_bytes(data)
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror}.") from None


def format_of(chosen: str | None, out: str | None, allowed: tuple[str, ...]) -> str | None:
    """The format that was named, or that of the file's ending; None where neither says one.

    Raises:
        ValueError: If the ending is none of those allowed.
    """
    if chosen or out is None:
        return chosen
    ending = Path(out).suffix.removeprefix(".").lower()
    if ending not in allowed:
        raise ValueError(f"--out is {out!r}; its ending must be one of {', '.join(allowed)}, or give --format.")
    return ending


def write_table(table: pd.DataFrame, format: str | None, out: str | None) -> None:
    """A table as JSON records, CSV or Parquet; without a format as text that a person reads."""
    if format == "json":
        data = (table.to_json(orient="records", force_ascii=False, indent=1) + "\n").encode("utf-8")
    elif format == "csv":
        data = table.to_csv(index=False, lineterminator="\r\n").encode("utf-8")
    elif format == "parquet":
        data = table.to_parquet(index=False)
    else:
        data = (table.to_string(index=False, float_format="{:.4g}".format) + "\n").encode("utf-8")
    write_bytes(data, out)
