"""A Dask cluster as the executor of a sweep (R12): for corpora and grids past one machine.

The workers need this package, of the same release, and the same versions of what it needs. dask.distributed
(BSD-3-Clause) is an extra that nothing else uses.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragchunk_core.sweep import Send


@contextmanager
def scheduler(address: str, timeout: float = 30) -> Iterator[tuple[Executor, Send]]:
    """The executor of the cluster at that address, and how documents come to its workers: once each.

    They are copied to every worker before the first task, so that a worker's end loses none of them; its tasks are done
    again by others.

    Args:
        address: Such as ``tcp://10.0.0.5:8786``.
        timeout: Seconds to wait for an answer.

    Raises:
        ValueError: If dask.distributed is not installed, no scheduler answers, or a task ends worker after worker.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise ValueError(
            "A scheduler needs dask.distributed, which is not installed: pip install distributed."
        ) from None
    try:
        client = distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"The scheduler at {address!r} does not answer: {error}.") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise ValueError(f"The scheduler at {address!r} has no workers; start some with: dask worker {address}")
        try:
            yield client.get_executor(pure=False), partial(client.scatter, broadcast=True)
        except distributed.scheduler.KilledWorker:
            raise ValueError(
                "A task ended one worker of the cluster after the other, most often for want of memory. What was "
                "finished is in the store; try again with more memory for each worker."
            ) from None
