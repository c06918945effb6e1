"""What the app and its reading processes say to each other: a JSON header and some bytes, over a pipe.

JSON, not pickle: a reading process that a hostile file has taken over can say nothing but a text.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import IO, Any

from ragchunk_core.documents.asked import Asked
from ragchunk_core.documents.limits import Limits, PasswordError, ReadError
from ragchunk_core.documents.reading_options import ReadOptions
from ragchunk_core.types import Document

_LENGTHS = struct.Struct(">IQ")
_MOST_HEADER = 50_000_000

Message = tuple[dict[str, Any], bytes]


def send(pipe: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    """Write one message."""
    head = json.dumps(header).encode()
    pipe.write(_LENGTHS.pack(len(head), len(body)) + head)
    pipe.write(body)
    pipe.flush()


def receive(pipe: IO[bytes], most: int) -> Message:
    """Read one message whose body has at most ``most`` bytes.

    Raises:
        EOFError: If the other side has gone.
        ValueError: If it says what it may not.
    """
    lengths = pipe.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        raise EOFError
    head, body = _LENGTHS.unpack(lengths)
    if head > _MOST_HEADER or body > most:
        raise ValueError(f"A message of {head:,} and {body:,} bytes is longer than allowed.")
    header = json.loads(_exactly(pipe, head))
    return header, _exactly(pipe, body)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data


def question(name: str, asked: Asked) -> dict[str, Any]:
    """The header that asks for a file; its bytes are the body."""
    return {
        "name": name,
        "password": asked.password,
        "encoding": asked.encoding,
        "options": asked.options.values(),
        "limits": dataclasses.asdict(asked.limits),
    }


def asked_in(header: dict[str, Any]) -> Asked:
    """What a question asks for."""
    options = ReadOptions.of(header["options"])
    return Asked(header["password"], header["encoding"], options, Limits(**header["limits"]))


def answer(document: Document) -> Message:
    """A document as header and body."""
    header = {
        "name": document.name,
        "kind": document.kind,
        "page_starts": document.page_starts,
        "notes": document.notes,
        "encoding": document.encoding,
    }
    return header, document.text.encode("utf-8")


def refusal(error: ReadError) -> dict[str, Any]:
    """An error as a header."""
    return {"error": str(error), "password": isinstance(error, PasswordError)}


def document_in(message: Message) -> Document:
    """The document of an answer.

    Raises:
        ReadError: If the answer is a refusal.
    """
    header, body = message
    if "error" in header:
        raise (PasswordError if header["password"] else ReadError)(header["error"])
    return Document(
        header["name"],
        body.decode("utf-8"),
        header["kind"],
        tuple(header["page_starts"]),
        tuple(header["notes"]),
        header["encoding"],
    )
