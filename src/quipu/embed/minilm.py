"""all-MiniLM-L6-v2 in this process: no PyTorch, no network, one text at a time.

The package ships a graph of 30 KB without weights (`minilm.onnx`, made by
`bench/teach/minilm_graph.py`); its initialisers are byte ranges of the official
`model.safetensors`. A second graph multiplies 8-bit integers, twice as fast, over the same weights
rounded (`embed/weights.py`); a third gives the same bytes at the speed of fp32 where a processor
cannot add such products. One text at a time, without padding, gives the same bytes in any batch,
any order and with any number of threads; several texts run side by side.

A text's vector is the mean of its token vectors, scaled to length 1 (Sentence-BERT, Reimers &
Gurevych 2019); the means of spans of one pass are late chunking (Günther et al. 2024).
"""

import logging
import os
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from quipu.embed.weights import (
    MODEL_NAME,
    WEIGHTS_SHA256,
    ModelFiles,
    Rounded,
    find_model,
    rounded_weights,
)
from quipu.errors import InvalidConfig
from quipu.ports import Embedded, Layers, Vectors

__all__ = [
    "DIMENSION",
    "MAX_CHARACTERS",
    "MiniLM",
    "Precision",
    "Tokens",
    "pool_spans",
    "pool_text",
    "pool_windows",
    "precision_of",
    "scale",
]


Float = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tokens:
    """One tokenized text: ids with the two special tokens, and where each *word* token stands.

    `ids` int64[t]; `starts` and `ends` int64[t - 2], character offsets of the tokens between the
    special ones, ascending.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def scale(rows: Float) -> Float:
    """`rows` float32[..., d], each scaled to length 1; a zero row stays zero."""
    lengths = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def pool_text(vectors: Float) -> Float:
    """The mean of all token vectors float32[t, d], special tokens included, as the model was
    trained."""
    return scale(vectors.mean(axis=0))


def pool_spans(
    vectors: Float, starts: NDArray[np.int64], spans: Sequence[tuple[int, int]]
) -> Float:
    """float32[len(spans), d]: the mean of the tokens that start inside each half-open span.

    A zero row where none does: an empty span, white space, or text beyond the token limit.
    """
    rows = np.zeros((len(spans), vectors.shape[1]), dtype=np.float32)
    words = vectors[1:-1]
    for row, (start, end) in enumerate(spans):
        first, last = np.searchsorted(starts, [start, end])
        if first < last:
            rows[row] = words[first:last].mean(axis=0)
    return scale(rows)


def pool_windows(vectors: Float, *, size: int, stride: int) -> Float:
    """float32[m, d]: means of `size` consecutive word tokens, one every `stride` tokens.

    The last window ends at the last token, so every token lies in one; a text of fewer than
    `size` tokens is one window.
    """
    words = vectors[1:-1]
    final = max(len(words) - size, 0)
    firsts = [*range(0, final, stride), final]
    return scale(np.stack([words[first : first + size].mean(axis=0) for first in firsts]))


DIMENSION = 384
_MAX_TOKENS = 256
MAX_CHARACTERS = 32_768

_SURROGATE = re.compile("[\ud800-\udfff]")
_log = logging.getLogger(__name__)

Precision = Literal["auto", "fp32", "int8", "openvino-bf16"]
"""`openvino-bf16` counts as `auto`, for one version."""

_LAYERS = ("layer2", "layer3", "layer4", "token_vectors")

_QUESTION_THREADS = 4
_FP32 = "onnx-fp32"
_INT8 = "onnx-int8-2"  # other roundings are another space
_PRECISIONS: dict[str, Precision] = {_FP32: "fp32", _INT8: "int8"}
_PROBE_SIZE = 64


class _Network(NamedTuple):
    """Two ways through the same weights, equal to the last bit, and one for what layers say.

    Many passages go fastest side by side with one thread each (55 texts/s against 49 on two
    cores); a question alone goes fastest with several threads (3.1 ms against 5.4).
    """

    passage: "_OnDemand"
    question: "_OnDemand"
    inner: "_OnDemand"
    ran: str


class MiniLM:
    """The local embedder, float32[n, 384]; safe to share between threads.

    Only the first `max_tokens` tokens of a text (the two special ones included), and of those
    only the ones in its first 32,768 characters, are read: the rest does not change the vector.
    A text without tokens (empty, white space, control characters) has the zero vector, which is
    near nothing. Vectors are the same bytes for the same text on one machine; another processor
    may differ in the last bits.
    """

    max_tokens = _MAX_TOKENS

    def __init__(
        self,
        folder: Path | None = None,
        *,
        threads: int = 0,
        precision: Precision = "fp32",
    ) -> None:
        """Load the model from `folder`, else from the usual places (`embed/weights.py`).

        `int8` is about twice as fast as `fp32`, in a space of its own (`onnx-int8-2`), and as slow
        where the processor cannot add 8-bit products exactly. `auto` is `int8` where that is
        faster, else `fp32`; `space` says which.
        `threads` (0: one a core) is how many texts are embedded side by side. Raises MissingModel,
        WrongWeights or InvalidConfig.
        """
        if precision not in get_args(Precision):
            choices = ", ".join(get_args(Precision))
            raise InvalidConfig(f"precision is {precision!r}; give one of {choices}")
        model = find_model(folder)
        precision = _settled(precision)
        self.made_by = folder, precision
        self._threads = threads or os.cpu_count() or 1
        self._tokenize = _load_tokenizer(model)
        self._network = _load_network(model, precision, self._threads)
        self._question: tuple[str, Float] = ("", np.zeros((0, DIMENSION), np.float32))

    @property
    def space(self) -> str:
        """Model, version and precision that really run."""
        return f"{MODEL_NAME}/{WEIGHTS_SHA256[:12]}/{self._network.ran}/{DIMENSION}"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def prepare(self) -> None:
        """Load now what the first question would load."""
        self._network.question.load()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384], a row a text, in order; [0, 384] for no texts."""
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        if self._threads == 1 or len(texts) < 2:
            found = map(self._embed_one, texts)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                found = pool.map(self._embed_one, texts)
        for row, vector in enumerate(found):
            rows[row] = vector
        return rows

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector and, from the same pass, one for each character span of it.

        A part is the mean of the tokens that start inside its half-open span: read in the whole
        text's context (late chunking). Zero where there are none or the token limit cut them.
        """
        tokens = self._tokenize(text)
        if not len(tokens.starts):
            return _nothing(len(spans))
        question, read = self._question
        vectors = read if text == question else self._network.passage(tokens.ids)
        return Embedded(pool_text(vectors), pool_spans(vectors, tokens.starts, spans))

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector and, from the same pass, means of `size` consecutive tokens.

        One window every `stride` tokens, the last ending at the last token; special tokens
        excluded. A text without tokens has no windows.
        """
        tokens = self._tokenize(text)
        if not len(tokens.starts):
            return _nothing(0)
        vectors = self._network.question(tokens.ids)
        self._question = text, vectors  # an answer reads its words again; they are the same bytes
        return Embedded(pool_text(vectors), pool_windows(vectors, size=size, stride=stride))

    def read(self, text: str) -> Layers:
        """What the layers say of each word piece of `text`, and the text's vector, from one pass.

        float32[t, 1536], beside each other the outputs of layers 2, 3, 4 and 6, in float32 whatever
        the precision of the vectors is.
        """
        tokens = self._tokenize(text)
        if not len(tokens.starts):
            return Layers(tokens.starts, tokens.ends, np.zeros((0, 4 * DIMENSION), np.float32))
        vectors = np.hstack(self._network.inner.layers(tokens.ids))[1:-1]
        return Layers(tokens.starts, tokens.ends, vectors)

    def _embed_one(self, text: str) -> Float:
        return self.embed_parts(text, ()).vector


def _nothing(parts: int) -> Embedded:
    return Embedded(
        np.zeros(DIMENSION, dtype=np.float32), np.zeros((parts, DIMENSION), dtype=np.float32)
    )


def _load_tokenizer(model: ModelFiles) -> Callable[[str], Tokens]:
    # Late, as ONNX Runtime below: commands without vectors do not pay for these imports.
    tokenizers: Any = import_module("tokenizers")  # Any: its stubs leave types out
    tokenizer = tokenizers.Tokenizer.from_file(str(model.tokenizer))
    tokenizer.no_padding()  # the file asks for padding to 128 tokens
    tokenizer.enable_truncation(_MAX_TOKENS)

    def tokenize(text: str) -> Tokens:
        readable = _SURROGATE.sub("\ufffd", text[:MAX_CHARACTERS])  # the tokenizer takes UTF-8
        encoding = tokenizer.encode(readable)
        spans = np.array(encoding.offsets[1:-1], np.int64).reshape(-1, 2)
        return Tokens(np.array(encoding.ids, np.int64), spans[:, 0], spans[:, 1])

    return tokenize


def _load_network(model: ModelFiles, precision: Precision, threads: int) -> _Network:
    graph = files("quipu.embed").joinpath("minilm.onnx").read_bytes()
    passage = _OnDemand(graph, model, threads=1)
    if precision == "int8":
        name = "minilm_int8.onnx" if _sums_are_exact() else "minilm_int8_exact.onnx"
        integers = files("quipu.embed").joinpath(name).read_bytes()
        alone = _OnDemand(integers, model, threads=1, rounded=True)
        return _Network(alone, alone.with_threads(threads), passage, _INT8)
    return _Network(passage, passage.with_threads(threads), passage, _FP32)


def precision_of(space: str) -> Precision | None:
    """The precision in which MiniLM fills `space`, alone or beside another model; None for another
    model's."""
    model, _, rest = space.partition("/")
    if model.partition("+")[0] != MODEL_NAME or rest.count("/") != 2:
        return None
    return _PRECISIONS.get(rest.split("/")[1])


def _settled(precision: Precision) -> Precision:
    """What `auto` comes to here."""
    if precision == "openvino-bf16":
        _log.warning(
            "embed.precision 'openvino-bf16' is gone, and counts as 'auto' until the next version: "
            "run `quipu reindex` for what it had embedded"
        )
        precision = "auto"
    if precision == "auto":
        return "int8" if _sums_are_exact() else "fp32"
    return precision


@cache
def _sums_are_exact() -> bool:
    """Whether this processor adds products of 8-bit integers without saturating (on x86: VNNI)."""
    onnxruntime: Any = import_module("onnxruntime")  # Any: it ships no types
    graph = files("quipu.embed").joinpath("int8_probe.onnx").read_bytes()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    left = np.full((1, _PROBE_SIZE), 255, np.uint8)
    return bool((session.run(["sums"], {"left": left})[0] == 255 * 127 * _PROBE_SIZE).all())


class _OnDemand:
    """The forward pass; its session (42 MB, 60 ms) is made by the first text that needs it."""

    def __init__(
        self,
        graph: bytes,
        model: ModelFiles,
        *,
        threads: int,
        rounded: bool = False,
    ) -> None:
        self._graph, self._model, self._threads = graph, model, threads
        self._rounded = rounded
        self._weights: Rounded = {}
        self._lock = threading.Lock()
        self._session: Any = None

    def with_threads(self, threads: int) -> "_OnDemand":
        """The same for a question alone, which several threads make faster."""
        count = min(threads, _QUESTION_THREADS)
        if count == self._threads:
            return self
        return _OnDemand(self._graph, self._model, threads=count, rounded=self._rounded)

    def load(self) -> Any:
        """The session."""
        with self._lock:
            if self._session is None:
                if self._rounded:  # kept, as the session reads them where they are
                    self._weights = rounded_weights(_options(self._model, 1))
                options = _options(self._model, self._threads)
                self._session = _session(self._graph, options, self._weights)
            return self._session

    def __call__(self, ids: NDArray[np.int64]) -> Float:
        return self.load().run(["token_vectors"], {"token_ids": ids})[0]

    def layers(self, ids: NDArray[np.int64]) -> list[Float]:
        """What the layers of `_LAYERS` say, each float32[t, 384], from one pass."""
        return self.load().run(list(_LAYERS), {"token_ids": ids})


def _options(model: ModelFiles, threads: int) -> Any:
    onnxruntime: Any = import_module("onnxruntime")  # Any: it ships no types
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads that spin keep a core from the search that follows.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(model.weights.parent)
    )
    return options


def _session(graph: bytes, options: Any, weights: Rounded) -> Any:
    """With `weights` handed over in place of those that the graph only names."""
    onnxruntime: Any = import_module("onnxruntime")
    if weights:
        given = [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in weights.values()]
        options.add_external_initializers(list(weights), given)
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
