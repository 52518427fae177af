"""Files in the local state, each whole or as it was; a folder that cannot be written is named."""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from quipu.errors import StoreUnavailable
from quipu.files import private

__all__ = [
    "HINTS",
    "RESOLVED",
    "STAMPS",
    "WORDS",
    "forgetting_file",
    "hint_file",
    "replace_file",
    "writing_in",
]

STAMPS: Final = "stamps-{}.msgpack"
RESOLVED: Final = "resolved-{}.msgpack"
WORDS: Final = "words-{}"
HINTS: Final = (STAMPS, RESOLVED, WORDS, "incident-shadow.jsonl")
"""What runs keep to save work, a file a store and namespace, and a log of earlier versions: it can
go at any time."""


def hint_file(name: str, state: Path | None, key: str) -> Path | None:
    """Where the hints of that name are of one store and namespace."""
    return state / name.format(hashlib.sha256(key.encode()).hexdigest()[:16]) if state else None


def forgetting_file(state: Path, name: str) -> Path:
    """What a memory (by what the local state calls it) is forgetting, while it does."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return state / f"forgetting-{digest[:16]}.json"


@contextmanager
def writing_in(folder: Path) -> Generator[None]:
    """Make `folder` and let the block write into it. Raises StoreUnavailable, naming the folder."""
    try:
        private.make_folder(folder)
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {str(folder)!r} cannot be written ({error.strerror or error}): change its "
            "rights, free some space, or name another store with --store"
        ) from error


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` at `path`. Raises StoreUnavailable when that cannot be."""
    with writing_in(path.parent):
        private.write_whole(path, data)
