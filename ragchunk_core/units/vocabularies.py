"""tiktoken's vocabularies without the network.

The package ``bpe-openai`` carries them compressed. They are unpacked once into a folder of this project's own,
under the names that tiktoken looks for; tiktoken then checks each file's hash itself. (It deletes a file that
does not match, so it is never pointed at the package.)
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import importlib.util
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
_lock = threading.Lock()


def load(name: str) -> tiktoken.Encoding:
    """The encoding ``cl100k_base`` or ``o200k_base``.

    Raises:
        ValueError: If the vocabulary is not one of these or its file is missing from the package.
    """
    if name not in _SHA256:
        raise ValueError(f"The encoding is {name!r}; allowed are {', '.join(_SHA256)}.")
    import tiktoken

    with _lock:
        folder = _unpacked(name)
        with _environment("TIKTOKEN_CACHE_DIR", str(folder)):
            return tiktoken.get_encoding(name)


def _unpacked(name: str) -> Path:
    """The folder that holds the vocabulary under tiktoken's cache name (SHA-1 of the file's public address)."""
    key = hashlib.sha1(_ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()
    for folder in (Path.home() / ".cache" / "ragchunk", Path(tempfile.gettempdir()) / "ragchunk"):
        file = folder / key
        with contextlib.suppress(OSError):
            if hashlib.sha256(file.read_bytes()).hexdigest() == _SHA256[name]:
                return folder
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(gzip.decompress(_packed(name).read_bytes()))
            part.replace(file)
            return folder
    raise ValueError(f"The vocabulary {name} needs a folder that can be written to, and there is none.")


def _packed(name: str) -> Path:
    # find_spec does not import the package, whose binary part is 70 MB and not needed here.
    spec = importlib.util.find_spec("bpe_openai")
    if spec is not None:
        for folder in spec.submodule_search_locations or ():
            file = Path(folder) / "data" / f"{name}.tiktoken.gz"
            if file.is_file():
                return file
    raise ValueError(f"The package bpe-openai, which carries the vocabulary {name}, is not installed.")


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
