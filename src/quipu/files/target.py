"""Where a file may be put over what is there, and how: whole or not at all."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files import private

__all__ = ["replacing", "require_target"]

_DATABASE = b"SQLite format 3\0"


@contextmanager
def replacing(path: Path, *, for_owner: bool = False) -> Generator[IO[bytes]]:
    """Yield a stream that takes the place of `path` when the block ends; with an error `path` stays
    as it was. With `for_owner` nobody else may read it. Raises StoreUnavailable when it cannot be
    written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with private.open_new(temporary) if for_owner else temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; choose another place"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def require_target(path: Path, *, overwrite: bool) -> None:
    """Raises InvalidInput when `path` is no place for a file: one that is written beside and then
    renamed would take the place of a device or a pipe, `/dev/null` among them. A file that is
    there is in its place too, unless it is to be overwritten; a memory always is."""
    if not path.name:
        raise InvalidInput(f"{str(path)!r} names no file: write the name of one")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InvalidInput(f"{str(path)!r} is a device or a pipe: name a file")
    if not overwrite and path.exists():
        raise InvalidInput(
            f"{str(path)!r} is there already: name another file, or write over it with --force "
            "(overwrite=True)"
        )
    if path.is_file() and _is_database(path):
        raise InvalidInput(
            f"{str(path)!r} is a database, which nothing is written over: name another file, or "
            "remove it first"
        )


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_DATABASE)) == _DATABASE
