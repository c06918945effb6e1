"""The ZIP archives that office files are, looked through before anything in them is used.

Nothing is ever written to disk. What an archive declares is what is checked: Python's ``zipfile`` reads no more of a
member than its declared size.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from ragchunk_core.documents.limits import Limits, ReadError
from ragchunk_core.documents.plain_xml import depth_of

Element = Callable[[str, dict[str, str]], None]

_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, KeyError)


class Archive:
    """An archive that is within the limits.

    Raises:
        ReadError: If the file is no archive or a broken one, unpacks to too much, is encrypted, or names a member
            outside of itself.
    """

    def __init__(self, data: bytes, name: str, label: str, limits: Limits) -> None:
        self._name, self._label, self._limits = name, label, limits
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
            raise self.broken() from error
        members = self._zip.infolist()
        if len(members) > limits.members:
            raise ReadError(f"{name!r} holds {len(members):,} files; at most {limits.members:,} are allowed.")
        size = sum(member.file_size for member in members)
        if size > limits.unpacked:
            raise ReadError(
                f"{name!r} unpacks to {size / 1e6:,.0f} MB (a faulty or hostile file?); "
                f"at most {limits.unpacked / 1e6:,.0f} MB are allowed."
            )
        for member in members:
            if _leads_out(member.filename):
                raise ReadError(f"{name!r} holds a file with a path that leads out of it (hostile?); it was not read.")
            if member.flag_bits & _ENCRYPTED:
                raise ReadError(f"{name!r} is an encrypted archive; only one that opens without a password is allowed.")
        self.names = frozenset(member.filename for member in members)

    def read(self, member: str) -> bytes:
        """The bytes of a member."""
        try:
            return self._zip.read(member)
        except _BROKEN as error:
            raise self.broken() from error

    def check_xml(self, look: dict[str, Callable[[bytes], Element | None]] | None = None) -> None:
        """Look through all XML in it before a library builds trees of it.

        Args:
            look: By the pattern of a member's name, what is called with the bytes of such a member and may give a
                function that is then called with name and attributes of each of its elements.

        Raises:
            ReadError: If it is broken, declares a document type or an entity, or is nested too deep.
        """
        for member in sorted(self.names):
            if member.endswith((".xml", ".rels")):
                data = self.read(member)
                made = next((make(data) for pattern, make in (look or {}).items() if re.match(pattern, member)), None)
                self.check(data, made)

    def check(self, data: bytes, called: Element | None = None) -> None:
        """Look through the XML of one member. See ``check_xml``."""
        parser = expat.ParserCreate()
        depth = 0

        def start(element: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > self._limits.nesting:
                raise ReadError(
                    f"{self._name!r} has XML elements nested more than {self._limits.nesting:,} deep (hostile?); "
                    "no more are allowed."
                )
            if called is not None:
                called(element, attributes)

        def end(_: str) -> None:
            nonlocal depth
            depth -= 1

        def doctype(*_: Any) -> None:
            raise ReadError(f"{self._name!r} declares XML entities or a document type (hostile?); it was not read.")

        nesting = None if called is not None else depth_of(data)
        if nesting is None or nesting > self._limits.nesting:
            parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self.broken() from error

    def broken(self) -> ReadError:
        """The error of a file that is not what its name says."""
        return ReadError(f"{self._name!r} is broken or no {self._label}; one saved anew may be readable.")


def _leads_out(path: str) -> bool:
    parts = re.split(r"[/\\]", path)
    return path.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", path) is not None
