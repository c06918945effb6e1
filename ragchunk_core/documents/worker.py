"""A process that reads files for the app, one after the other, and may be killed at any time.

    python -P -m ragchunk_core.documents.worker

It is started by ``isolated``, speaks over its standard input and output (``messages``), and ends when the app does.
It never opens a file of the user's, and has no more memory than is allowed where the system can hold that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import IO, Any

from ragchunk_core.documents import read
from ragchunk_core.documents.limits import Limits, ReadError
from ragchunk_core.documents.messages import answer, asked_in, receive, refusal, send

with contextlib.suppress(ImportError):  # not on Windows
    import resource

_MEMORY_LIMITS = ("RLIMIT_DATA",) if sys.platform == "linux" else ("RLIMIT_DATA", "RLIMIT_AS")
_MOST_BYTES = 2**33


def main() -> None:
    """Answer questions until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the app's to deal with
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what a library prints is no answer
    _limit("RLIMIT_CORE", 0)
    send(answers, {"ready": True})
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            _answer_one(questions, answers)


def _answer_one(questions: IO[bytes], answers: IO[bytes]) -> None:
    header, data = receive(questions, _MOST_BYTES)
    asked = asked_in(header)
    _hold(asked.limits)
    name = header["name"]
    found: tuple[dict[str, Any], bytes]
    try:
        document = read(
            data,
            name,
            password=asked.password,
            encoding=asked.encoding,
            options=asked.options,
            limits=asked.limits,
        )
        found = answer(document)
    except ReadError as error:
        # pypdf and others turn any failure into an error of their own.
        found = ({"out_of_memory": True} if _came_of_memory(error) else refusal(error)), b""
    except MemoryError:
        found = {"out_of_memory": True}, b""
    except Exception as error:
        found = {"failed": type(error).__name__}, b""
    send(answers, found[0] | {"memory": _memory()}, found[1])


def _came_of_memory(error: BaseException | None) -> bool:
    seen = 0
    while error is not None and seen < 20:
        if type(error) is MemoryError:
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _hold(limits: Limits) -> None:
    for name in _MEMORY_LIMITS:
        _limit(name, limits.memory)
    with contextlib.suppress(NameError):
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The app watches the clock; this ends a process whose app has gone.
        _limit("RLIMIT_CPU", int(used.ru_utime + used.ru_stime + 2 * limits.seconds + 10))


def _limit(name: str, value: int) -> None:
    """Lower a limit of this process where the system has it."""
    with contextlib.suppress(NameError, AttributeError, ValueError, OSError):
        which = getattr(resource, name)
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _memory() -> int:
    """The memory of this process that the limit counts, in bytes; where that is not known, the most it ever had."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(NameError):
        unit = 1 if sys.platform == "darwin" else 1024
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
    return 0


if __name__ == "__main__":
    main()
