"""The weights of the 8-bit graphs: rounded on this machine from the checked ones, once.

`minilm_rounding.onnx` rounds them in 0.2 s. The cache folder keeps them, 11 MB laid out as
safetensors are: the length of a header, the header, the numbers. Every step of the rounding is one
that all processors do alike, so the file has one SHA-256, and another file is made again.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.embed.weights import cache_folder, verify, write_whole
from quipu.errors import WrongWeights

__all__ = ["FILE_NAME", "Rounded", "rounded_weights"]

Rounded = Mapping[str, NDArray[Any]]
"""The arrays by name: int8[in, out] of weights, float32[1, out] of what a step is worth, and
float32[out] of what is added."""

FILE_NAME = "all-MiniLM-L6-v2-int8.safetensors"
_SHA256 = "7fa0ef3f565e288bbfa634994d46cbe45328ad3aa2219a99418887e168becbf7"
_TYPES = {"I8": np.int8, "F32": np.float32}
_LENGTH = 8
_ALIGNED = 64


def rounded_weights(options: Any) -> Rounded:
    """Mapped from the cache folder, else made now and left there for the next.

    `options` are the session options of ONNX Runtime that say where the weights are. Where the
    folder cannot be written, they are made every time.
    """
    path = cache_folder() / FILE_NAME
    with suppress(OSError, WrongWeights):
        verify(path, _SHA256)
        return _arrays(np.memmap(path, dtype=np.uint8, mode="r"))
    data = _laid_out(_made(options))
    if sha256(data).hexdigest() == _SHA256:
        with suppress(OSError):
            write_whole(path, data)
    return _arrays(np.frombuffer(data, dtype=np.uint8))


def _made(options: Any) -> Rounded:
    onnxruntime: Any = import_module("onnxruntime")  # Any: it ships no types
    graph = files("quipu.embed").joinpath("minilm_rounding.onnx").read_bytes()
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {}), strict=True))


def _laid_out(arrays: Rounded) -> bytes:
    codes = {np.dtype(kind): code for code, kind in _TYPES.items()}
    header: dict[str, object] = {}
    end = 0
    for name, array in arrays.items():
        span = [end, end + array.nbytes]
        header[name] = {"dtype": codes[array.dtype], "shape": array.shape, "data_offsets": span}
        end += array.nbytes
    written = json.dumps(header).encode()
    written += b" " * (-(_LENGTH + len(written)) % _ALIGNED)
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    return b"".join([len(written).to_bytes(_LENGTH, "little"), written, *parts])


def _arrays(data: NDArray[np.uint8]) -> Rounded:
    start = _LENGTH + int.from_bytes(data[:_LENGTH].tobytes(), "little")
    header: dict[str, Any] = json.loads(data[_LENGTH:start].tobytes())
    found: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = data[start + first : start + last].view(_TYPES[entry["dtype"]])
        found[name] = flat.reshape(entry["shape"])
    return found
