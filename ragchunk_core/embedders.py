"""Texts to vectors by a sentence-transformers model (row R02): loading, number type, limit, cache.

The default, all-MiniLM-L6-v2, comes from an installed package and never touches the network. PyTorch takes
seconds to import, and is imported only when a vector is needed that is not in the cache.

A vector depends on its own text alone. A model's sums come out slightly otherwise in a batch of another shape
(in bfloat16 by up to 0.003 in a cosine, enough to swap two ranks between one run and the next), so every
batch here has one of a few fixed shapes: ``BATCH`` texts, filled up where fewer are left, each padded to the
next multiple of ``PADDING`` pieces. Measured: not one bit differs, whatever the other texts are.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ragchunk_core.model_loading import (
    DEFAULT_MODEL,
    DEFAULT_SHA256,
    fingerprint,
    load_model,
    model_folder,
    resolve_dtype,
)
from ragchunk_core.retrievers.rankings import BoolArray, IntArray, check_texts
from ragchunk_core.vector_cache import VectorCache, Vectors
from ragchunk_core.wordpieces import WordPieces, encodable, packaged_folder, word_pieces

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["DEFAULT_MODEL", "Embedder", "Role", "VectorCache", "Vectors", "load_embedder", "model_folder"]

Role = Literal["document", "query"]

BATCH = 16
"""Texts in every batch, also in the last one, which is filled up."""

PADDING = 32
"""Word pieces of which every batch's width is a multiple."""

COUNTS_KEPT = 50_000
"""Word-piece counts remembered, by hash of the text."""

_SHARED_CACHE = VectorCache()


class Embedder:
    """One model that turns texts into vectors; get one from ``load_embedder``. Safe to share between threads.

    Attributes:
        name: The model's name or folder.
        dtype: The number type it computes in, ``float32`` or ``bfloat16``; vectors are always float32.
        dimension: Numbers in a vector.
        limit: Word pieces that it reads of one text, its own special ones included; None where there is no
            limit, or no telling.
        cache: Where its vectors are kept.
    """

    def __init__(self, name: str, dtype: str = "auto", cache: VectorCache | None = None) -> None:
        self.name = name
        self.dtype = resolve_dtype(dtype)
        self.cache = _SHARED_CACHE if cache is None else cache
        self.dimension: int = 0
        self.limit: int | None = None
        self._prompts: dict[Role, str] = {"document": "", "query": ""}
        self._model: SentenceTransformer | None = None
        self._pieces: WordPieces | None = None
        self._counts: dict[bytes, int] = {}
        self._loading, self._queue, self._turn = Lock(), Lock(), Lock()
        if name == DEFAULT_MODEL:
            # Two small files tell all that is needed before the first vector.
            folder = packaged_folder()
            self.dimension = int(json.loads((folder / "config.json").read_text())["hidden_size"])
            self.limit = int(json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"])
            self._pieces = word_pieces()
            self._fingerprint = DEFAULT_SHA256
        else:
            self._fingerprint = fingerprint(name)
            self._describe(self.load())

    def load(self) -> SentenceTransformer:
        """The model itself, loaded on the first call (seconds) and kept; any number of threads load it once.

        Raises:
            ValueError: If it cannot be loaded.
        """
        with self._loading:
            if self._model is None:
                self._model = load_model(self.name, self.dtype)
            return self._model

    def encode(
        self,
        texts: Sequence[str],
        *,
        role: Role = "document",
        progress: Callable[[int, int], None] | None = None,
    ) -> Vectors:
        """Vectors of length 1, shape ``(len(texts), dimension)``; a blank text's vector is all zeros.

        Each distinct text is computed once and kept in the cache after every batch: when a run is broken off,
        the next one goes on where it stopped.

        Args:
            role: Whether the texts are what is searched or what is asked. Some models put other words in
                front of each; for the default model it makes no difference.
            progress: Called with (texts done, texts to do), counting only those that the model must compute:
                first with 0 done, then after each batch; not at all when every vector is in the cache.

        Raises:
            ValueError: If ``texts`` is one bare string, or the model cannot be loaded.
        """
        listed = check_texts("texts", texts)
        vectors = np.zeros((len(listed), self.dimension), dtype=np.float32)
        rows = self._rows(listed, role)
        missing: list[tuple[bytes, str]] = []
        for key, places in rows.items():
            if (known := self.cache.get(key)) is None:
                missing.append((key, listed[places[0]]))
            else:
                vectors[places] = known
        if missing and progress:
            progress(0, len(missing))
        done = 0
        for batch in self._batches(missing, role):
            for key, vector in self._batch_vectors(batch, role):
                vectors[rows[key]] = vector
            done += len(batch)
            if progress:
                progress(done, len(missing))
        return vectors

    def missing(self, texts: Sequence[str], *, role: Role = "document") -> int:
        """How many vectors ``encode`` would have to compute for these texts."""
        return sum(key not in self.cache for key in self._rows(check_texts("texts", texts), role))

    def _rows(self, texts: list[str], role: Role) -> dict[bytes, list[int]]:
        """The places of each distinct text that is not blank, by the key of its vector."""
        model_key = self._model_key(role)
        rows: dict[bytes, list[int]] = {}
        for row, text in enumerate(texts):
            if not _is_blank(text):
                content = text.encode("utf-8", "surrogatepass")
                rows.setdefault(hashlib.blake2b(content, digest_size=16, key=model_key).digest(), []).append(row)
        return rows

    def counts(self, texts: Sequence[str], *, role: Role = "document") -> IntArray:
        """The word pieces that each text is to this model, with its special ones, before any truncation.

        Raises:
            ValueError: If the model's tokenizer cannot count (it is not one of the usual, fast kind).
        """
        listed = check_texts("texts", texts)
        if self._pieces is None:
            raise ValueError(f"The model {self.name!r} has no tokenizer to count word pieces with.")
        prompt = self._prompts[role]
        asked = [prompt + text for text in listed] if prompt else listed
        keys = [hashlib.blake2b(encodable(text).encode(), digest_size=16).digest() for text in asked]
        known = {key: self._counts.get(key) for key in keys}
        new = {key: text for key, text in zip(keys, asked, strict=True) if known[key] is None}
        if new:
            counted = self._pieces.counts(list(new.values()), special=True).tolist()
            known.update(zip(new, counted, strict=True))
            if len(self._counts) > COUNTS_KEPT:
                self._counts.clear()
            self._counts.update(zip(new, counted, strict=True))
        return np.array([known[key] for key in keys], dtype=np.int64)

    @property
    def pieces(self) -> WordPieces | None:
        """The model's tokenizer; None where it cannot count (it is not one of the usual, fast kind)."""
        return self._pieces

    def truncated(self, texts: Sequence[str]) -> BoolArray:
        """Whether the model reads only the start of each text: it has more word pieces than ``limit``."""
        listed = check_texts("texts", texts)
        if self.limit is None:
            return np.zeros(len(listed), dtype=np.bool_)
        return self.counts(listed) > self.limit

    def _model_key(self, role: Role) -> bytes:
        """What makes a vector another one for the same text."""
        # The default model reads documents and queries alike, so a text in both roles is computed once.
        told_apart = "" if self.name == DEFAULT_MODEL else role
        return hashlib.blake2b("\0".join((self._fingerprint, self.dtype, told_apart)).encode(), digest_size=32).digest()

    def _batches(self, items: list[tuple[bytes, str]], role: Role) -> Iterator[list[tuple[bytes, str]]]:
        """Batches of texts that are padded to the same width, longest first."""
        texts = [text for _, text in items]
        # Without a tokenizer to ask, by characters: that only saves padding.
        by_pieces = self._pieces is not None
        counts = self.counts(texts, role=role) if by_pieces else np.array([len(text) for text in texts])
        widths = -(-np.minimum(counts, self.limit or counts) // PADDING)
        for width in np.unique(widths)[::-1]:
            places = np.flatnonzero(widths == width)
            for start in range(0, len(places), BATCH):
                yield [items[place] for place in places[start : start + BATCH]]

    def _batch_vectors(self, batch: list[tuple[bytes, str]], role: Role) -> list[tuple[bytes, Vectors]]:
        with self._my_turn():
            # Another thread may have come first with some of them.
            known = {key: self.cache.get(key) for key, _ in batch}
            wanted = [(key, text) for key, text in batch if known[key] is None]
            if wanted:
                computed = self._forward([text for _, text in wanted], role)
                known.update((key, vector) for (key, _), vector in zip(wanted, computed, strict=True))
                for (key, _), vector in zip(wanted, computed, strict=True):
                    self.cache.put(key, vector)
        return [(key, vector) for key, vector in known.items() if vector is not None]

    def _forward(self, texts: list[str], role: Role) -> Vectors:
        model = self.load()
        clean = [encodable(text) for text in texts]
        filled = clean + clean[:1] * (BATCH - len(clean))
        # A model that also reads images would take a bare text for a path or a link to one.
        inputs = [{"text": text} for text in filled] if len(model.modalities) > 1 else filled
        options = {"processing_kwargs": {"text": {"pad_to_multiple_of": PADDING}}} if self._pads() else {}
        encode: Callable[..., Any] = model.encode_query if role == "query" else model.encode_document
        raw = encode(inputs, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True, **options)
        vectors = np.asarray(raw[: len(texts)], dtype=np.float64)
        # Lengths in bfloat16 are off by up to 0.0015, hence once more.
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ValueError(f"The model {self.name!r} gave a vector without a direction for one of the texts.")
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    def _pads(self) -> bool:
        """Whether padding to ``PADDING`` keeps within what the model can read."""
        return self._pieces is not None and self.limit is not None and self.limit % PADDING == 0

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        # Who waits for the model holds the queue, so that two runs take turns batch by batch.
        with self._queue:
            self._turn.acquire()
        try:
            yield
        finally:
            self._turn.release()

    def _describe(self, model: SentenceTransformer) -> None:
        if (dimension := model.get_embedding_dimension()) is None:
            raise ValueError(f"The model {self.name!r} does not say how long its vectors are.")
        self.dimension = int(dimension)
        # Where sentence-transformers looks for the words to put in front.
        names: dict[Role, tuple[str, ...]] = {
            "document": ("document", "passage", "corpus"),
            "query": ("query",),
        }
        for role, candidates in names.items():
            given = [name for name in (*candidates, model.default_prompt_name) if name in model.prompts]
            self._prompts[role] = (model.prompts[given[0]] or "") if given else ""
        tokenizer = getattr(model, "tokenizer", None)
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if backend is not None and hasattr(backend, "to_str"):
            self._pieces = WordPieces(backend.to_str())
            limit = model.max_seq_length
            # Tokenizers without a limit say so by a huge number.
            self.limit = int(limit) if limit is not None and limit < 10**6 else None


class _Slot:
    def __init__(self) -> None:
        self.lock = Lock()
        self.embedder: Embedder | None = None


_SLOTS: OrderedDict[tuple[str, str, str], _Slot] = OrderedDict()
_SLOTS_LOCK = Lock()
_MOST_MODELS = 4


def is_ready(name: str, dtype: str = "auto") -> bool:
    """Whether ``load_embedder`` would return at once: always for the default, for others once they are loaded."""
    if name in (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}"):
        return True
    slot = _SLOTS.get((name, resolve_dtype(dtype), fingerprint(name)))
    return slot is not None and slot.embedder is not None


def load_embedder(name: str = DEFAULT_MODEL, dtype: str = "auto") -> Embedder:
    """The embedder of that name, the same one on every call; the four used last are kept.

    The default returns at once and loads its model on the first text. Any other model is loaded here: from a
    folder, from the machine's Hugging Face cache or, when it is not there, from the network, since the user
    named it. Code that a model brings along is never run.

    Args:
        name: ``all-MiniLM-L6-v2``, the folder of a sentence-transformers model, or its name ``owner/model``
            (without an owner, ``sentence-transformers`` is meant).
        dtype: ``auto``, ``float32`` or ``bfloat16``; see ``resolve_dtype``.

    Raises:
        ValueError: If there is no such model, it cannot be loaded, or an argument is not allowed.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name must be a model's name or folder, not {name!r}.")
    name = name.strip()
    if name == f"sentence-transformers/{DEFAULT_MODEL}":
        name = DEFAULT_MODEL
    key = (name, resolve_dtype(dtype), fingerprint(name))
    with _SLOTS_LOCK:
        slot = _SLOTS.setdefault(key, _Slot())
        _SLOTS.move_to_end(key)
        while len(_SLOTS) > _MOST_MODELS:
            _SLOTS.popitem(last=False)
    with slot.lock:
        if slot.embedder is None:
            slot.embedder = Embedder(name, dtype)
        return slot.embedder


def _is_blank(text: str) -> bool:
    """Whether nothing in it can be seen: white space, control and format characters only."""
    return not any(letter.isprintable() and not letter.isspace() for letter in text)
