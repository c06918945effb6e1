"""Many files at once: each ends in a document or a sentence, one after the other, so that progress can be shown."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass, field

from ragchunk_core.documents import shown_name
from ragchunk_core.documents.isolated import PROCESSES, read_isolated
from ragchunk_core.documents.limits import CancelledError, Limits, PasswordError, ReadError
from ragchunk_core.documents.reading_options import ReadOptions
from ragchunk_core.types import Document

Data = bytes | Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: a document, an error, or the same as another.

    Attributes:
        place: Its place among the files, from 0.
        name: What it is called.
        document: Its document; None where there is an error, or where it is there already.
        error: One sentence, or empty.
        same_as: The name of the file or document whose text is the same, or empty.
        needs_password: Whether a password, or another one, may open it.
        cancelled: Whether it was left out since the user stopped.
    """

    place: int
    name: str
    document: Document | None = None
    error: str = ""
    same_as: str = ""
    needs_password: bool = False
    cancelled: bool = False


def read_many(
    files: Sequence[tuple[str, Data]],
    *,
    passwords: Mapping[str, str] | None = None,
    encodings: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    known: Mapping[str, str] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Outcome]:
    """Yields what became of each file, in their order, as soon as it is known.

    A few files are read at a time, each in a process of its own (``read_isolated``); a bad one costs no other.
    When the iteration is left, what is being read is given up.

    Args:
        files: Names with their bytes, or with functions that give them when they are needed.
        passwords, encodings: By name of the file, where it needs them.
        known: Documents that are there already: their names by ``Document.id``.
        cancelled: Asked ten times a second in the thread that iterates, so it may show how far things are; True gives
            up what is left, and says so of each file. It may raise: that too gives up what is being read.

    Raises:
        ValueError: If an environment variable sets a limit that is none.
    """
    reading = _Reading(passwords or {}, encodings or {}, options, limits or Limits.in_force())
    names = dict(known or {})
    waiting: deque[Future[Outcome]] = deque()
    left = iter(enumerate(files))
    with ThreadPoolExecutor(PROCESSES, "reading") as threads:
        try:
            while True:
                while len(waiting) < 2 * PROCESSES and (following := next(left, None)) is not None:
                    place, (name, data) = following
                    waiting.append(threads.submit(reading.outcome, place, name, data))
                if not waiting:
                    return
                yield _once(_awaited(waiting.popleft(), cancelled, reading.stopped), names)
        finally:
            reading.stopped.set()
            for future in waiting:
                future.cancel()


def _awaited(future: Future[Outcome], cancelled: Callable[[], bool], stopped: threading.Event) -> Outcome:
    while True:
        if not stopped.is_set() and cancelled():
            stopped.set()
        try:
            return future.result(timeout=0.1)
        except NotYetError:
            if future.done():
                return future.result()


def _once(outcome: Outcome, names: dict[str, str]) -> Outcome:
    """The outcome, without its document where one of the same text has been there before."""
    document = outcome.document
    if document is None:
        return outcome
    if document.id in names:
        return Outcome(outcome.place, outcome.name, same_as=names[document.id])
    names[document.id] = document.name
    return outcome


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the files are read."""

    passwords: Mapping[str, str]
    encodings: Mapping[str, str]
    options: ReadOptions | None
    limits: Limits
    stopped: threading.Event = field(default_factory=threading.Event)

    def outcome(self, place: int, name: str, data: Data) -> Outcome:
        """Read one file."""
        shown = shown_name(name)
        if self.stopped.is_set():
            return Outcome(place, shown, error=f"{shown!r} was not read: cancelled.", cancelled=True)
        try:
            document = read_isolated(
                data if isinstance(data, bytes) else data(),
                name,
                password=self.passwords.get(name),
                encoding=self.encodings.get(name),
                options=self.options,
                limits=self.limits,
                cancelled=self.stopped.is_set,
            )
        except ReadError as error:
            password, cancelled = isinstance(error, PasswordError), isinstance(error, CancelledError)
            return Outcome(place, shown, error=str(error), needs_password=password, cancelled=cancelled)
        except Exception as error:  # an upload that is gone, no memory left: it costs no other file
            return Outcome(place, shown, error=f"{shown!r} could not be read ({type(error).__name__}).")
        return Outcome(place, shown, document)
