"""Reading in a process of its own: whatever a file does there, the app and its other sessions go on.

A few processes are kept warm and lent to one file at a time. One that takes too long, needs too much memory or
crashes is killed and replaced; the file gets one sentence. Text is read where we are, unless much is to be done
to it: decoding is one pass, and a second process would only copy the text.

Memory is held by ``RLIMIT_DATA`` on Linux. macOS knows that limit and does not keep it, Windows has none: there time
and output are limited, memory is not (``MEMORY_IS_LIMITED``).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragchunk_core.documents import read as read_here
from ragchunk_core.documents import reader_of, shown_name
from ragchunk_core.documents.asked import Asked
from ragchunk_core.documents.limits import CancelledError, Limits, ReadError
from ragchunk_core.documents.messages import Message, document_in, question, receive, send
from ragchunk_core.documents.reading_options import ReadOptions
from ragchunk_core.types import Document

MEMORY_IS_LIMITED = sys.platform == "linux"
"""Whether this system keeps the limit on memory."""

PROCESSES = max(2, min(4, os.cpu_count() or 1))
"""How many files are read at the same time, by all sessions together."""

_ROOT = Path(__file__).resolve().parents[2]
_COMMAND = ("-P", "-m", "ragchunk_core.documents.worker")
_START_SECONDS = 60.0
_LOOK = 0.1  # seconds between looks at the clock and at whether the reading was cancelled
_FILES_EACH = 500  # after so many a process is replaced, should a library lose memory


class _GoneError(Exception):
    """The process ended without an answer."""


class _NoStartError(Exception):
    """The process did not start."""


class _TimeError(Exception):
    """The process was killed for taking too long."""


def _never() -> bool:
    return False


class _Process:
    """One reading process."""

    def __init__(self) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONPATH": path},
        )
        self._ready = False
        self._files = 0
        self.worn = False

    def ask(self, header: dict[str, Any], data: bytes, limits: Limits, cancelled: Callable[[], bool]) -> Message:
        """The answer to a question; the process is killed when there is none in time."""
        if not self._ready:
            try:
                self._within(_START_SECONDS, cancelled, lambda: receive(self._out, 0))
            except (_GoneError, _TimeError):
                raise _NoStartError from None
            self._ready = True
        most = 4 * max(limits.text, limits.bytes) + 1_000_000

        def talk() -> Message:
            send(self._in, header, data)
            return receive(self._out, most)

        found = self._within(limits.seconds, cancelled, talk)
        self._files += 1
        # What one file left behind must not be missing for the next.
        self.worn = self._files >= _FILES_EACH or found[0].get("memory", 0) > limits.memory / 4
        return found

    def _within(self, seconds: float, cancelled: Callable[[], bool], talk: Callable[[], Message]) -> Message:
        found: list[Message] = []

        def run() -> None:
            with contextlib.suppress(OSError, EOFError, ValueError):
                found.append(talk())

        # A thread, since a pipe cannot be waited for with a time limit on every system.
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        end = time.monotonic() + seconds
        while thread.is_alive():
            thread.join(max(0.0, min(_LOOK, end - time.monotonic())))
            if not thread.is_alive():
                break
            stop = CancelledError if cancelled() else _TimeError if time.monotonic() >= end else None
            if stop is not None:
                self.kill()
                thread.join()  # its pipe has just ended
                raise stop
        if not found:
            raise _GoneError
        return found[0]

    @property
    def _in(self) -> Any:
        return self._process.stdin

    @property
    def _out(self) -> Any:
        return self._process.stdout

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it and give its pipes back."""
        self.kill()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):
                pipe.close()


class _Pool:
    """The processes of this app: each is lent to one file at a time."""

    def __init__(self, most: int) -> None:
        self._free = threading.Semaphore(most)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []

    def ask(self, header: dict[str, Any], data: bytes, limits: Limits, cancelled: Callable[[], bool]) -> Message:
        """The answer of a free process, once there is one."""
        while not self._free.acquire(timeout=_LOOK):
            if cancelled():
                raise CancelledError
        try:
            process = self._lent()
            kept = False
            try:
                found = process.ask(header, data, limits, cancelled)
                kept = not process.worn and "out_of_memory" not in found[0]
                return found
            finally:
                if kept:
                    with self._lock:
                        self._idle.append(process)
                else:
                    process.close()
        finally:
            self._free.release()

    def _lent(self) -> _Process:
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None:
                return _Process()
            if process.alive:
                return process
            process.close()

    def close(self) -> None:
        """End all processes that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()


_POOL = _Pool(PROCESSES)
atexit.register(_POOL.close)


def read_isolated(
    data: bytes,
    name: str,
    *,
    password: str | None = None,
    encoding: str | None = None,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
    cancelled: Callable[[], bool] = _never,
) -> Document:
    """What ``documents.read`` gives, with the limits on time and memory held too. Several threads may call it.

    Args:
        cancelled: Asked ten times a second, from the calling thread; True ends the reading.

    Raises:
        ReadError: As ``read`` does; or if the file passes a limit or brings its process down.
        CancelledError: If it was cancelled (a ``ReadError``).
    """
    limits = limits or Limits.in_force()
    asked = Asked(password, encoding, options or ReadOptions(), limits)
    name = shown_name(name)
    if reader_of(data, name, limits)[1].harmless and _in_one_pass(asked.options):
        return read_here(data, name, encoding=encoding, options=options, limits=limits)
    try:
        found = _POOL.ask(question(name, asked), data, limits, cancelled)
    except _TimeError:
        raise ReadError(
            f"{name!r} takes longer than {limits.seconds:g} seconds to read (a faulty, hostile or very large file)."
        ) from None
    except _GoneError:
        raise ReadError(f"{name!r} brought its reader down (a faulty or hostile file); it was not read.") from None
    except (OSError, _NoStartError):
        raise ReadError(f"{name!r} was not read: this machine starts no reading process (out of memory?).") from None
    except CancelledError:
        raise CancelledError(f"{name!r} was not read: cancelled.") from None
    if "out_of_memory" in found[0]:
        raise ReadError(
            f"{name!r} needs more than {limits.memory / 1e6:,.0f} MB of memory to be read (a faulty or hostile file)."
        )
    if "failed" in found[0]:
        raise ReadError(f"{name!r} could not be read ({found[0]['failed']}): a faulty file.")
    return document_in(found)


def _in_one_pass(options: ReadOptions) -> bool:
    """Whether nothing is asked of a text that takes much longer than to decode it."""
    return not (options.table.markdown or options.cleaning.nfc)
