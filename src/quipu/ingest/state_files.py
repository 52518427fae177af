"""Files in the local state, each whole or as it was; a folder that cannot be written is named."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from quipu.errors import StoreUnavailable
from quipu.files import private

__all__ = ["replace_file", "writing_in"]


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
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with writing_in(path.parent):
        try:
            private.write(beside, data)
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
