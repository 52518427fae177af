"""Fakes that ship: real implementations of small ports, for tests without a model.

`HashEmbedder` has the local model's interface and promises; only its idea of nearness is poorer:
texts are near when they share words.
"""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quipu.ports import Embedded, Vectors

__all__ = ["HashEmbedder"]

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """Hashes words to vectors: a text's vector is the scaled sum of its words' vectors.

    Deterministic on every machine, no model, no state. `calls` counts the texts embedded, so a
    test can show that a cache was used.
    """

    def __init__(self, dimension: int = 32) -> None:
        self._dimension = dimension
        self.calls = 0

    @property
    def space(self) -> str:
        """Names the dimension, so fakes of different sizes do not mix."""
        return f"hash/1/exact/{self._dimension}"

    @property
    def dimension(self) -> int:
        """As given."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d]; a zero row for a text without words."""
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row] = self.embed_parts(text, ()).vector
        return rows

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and one for each span: the sum of the words that start in it."""
        self.calls += 1
        words = [(match.start(), match.group()) for match in _WORD.finditer(text)]
        groups = [[word for at, word in words if start <= at < end] for start, end in spans]
        return self._embedded([word for _, word in words], groups)

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and windows of `size` words, one every `stride`, the last at the
        end."""
        self.calls += 1
        words = _WORD.findall(text)
        final = max(len(words) - size, 0)
        firsts = [*range(0, final, stride), final] if words else []
        return self._embedded(words, [words[first : first + size] for first in firsts])

    def _embedded(self, words: list[str], groups: list[list[str]]) -> Embedded:
        parts = np.zeros((len(groups), self._dimension), dtype=np.float32)
        for row, group in enumerate(groups):
            parts[row] = self._sum(group)
        return Embedded(self._sum(words), parts)

    def _sum(self, words: Sequence[str]) -> NDArray[np.float32]:
        total = np.zeros(self._dimension, dtype=np.float32)
        for word in words:
            total += self._word(word.lower())
        length = np.float32(np.sqrt((total * total).sum()))
        return total / length if length else total

    def _word(self, word: str) -> NDArray[np.float32]:
        """±1 in every place, from the word's SHAKE-128 bits."""
        bits = hashlib.shake_128(word.encode()).digest((self._dimension + 7) // 8)
        signs = np.unpackbits(np.frombuffer(bits, np.uint8))[: self._dimension]
        return signs.astype(np.float32) * 2 - 1
