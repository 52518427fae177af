"""What the small networks on the encoder's layers share: their arithmetic, and weights of which it
is known that they are the fitted ones.
"""

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from quipu.errors import WrongWeights

__all__ = ["Floats", "arrays_in", "gelu", "normal", "softmax", "weights"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.floating[Any]]

_LITTLE = 1e-5


def softmax(scores: Numbers) -> Floats:
    """Shares of 1 along the last axis."""
    shifted = np.exp(scores - scores.max(-1, keepdims=True))
    return (shifted / shifted.sum(-1, keepdims=True)).astype(np.float32)


def gelu(x: Numbers) -> Floats:
    """Hendrycks and Gimpel 2016, by its tangent."""
    return (0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))).astype(np.float32)


def normal(x: Numbers, scale: Floats) -> Floats:
    """Ba, Kiros and Hinton 2016, without a shift."""
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + _LITTLE)
    return (centred / spread * scale).astype(np.float32)


def weights(package: str, file: str, sha256: str) -> bytes:
    """A file of a package. Raises WrongWeights where its SHA-256 is another."""
    data = files(package).joinpath(file).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise WrongWeights(
            f"{file} has SHA-256 {found}, expected {sha256}; install the package again"
        )
    return data


def arrays_in(file: Path | IO[bytes]) -> dict[str, Floats]:
    """The arrays of an npz file, as float32."""
    with np.load(file, allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}
