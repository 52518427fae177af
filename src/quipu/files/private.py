"""Files and folders that only their owner may read and write.

What Quipu keeps is made so, whatever the umask says, and narrowed when it was made wider before.
On a system without such rights nothing happens.
"""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

__all__ = [
    "FILE",
    "make_folder",
    "narrow",
    "open_new",
    "touch",
    "under",
    "wide",
    "write",
    "write_whole",
]

FILE = 0o600
_FOLDER = 0o700
_OTHERS = 0o077


def make_folder(path: Path) -> None:
    """Make `path` where it is missing; folders above it are as the umask says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(_FOLDER, exist_ok=True)


def open_new(path: Path) -> IO[bytes]:
    """`path`, empty, to be written."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    stream = os.fdopen(os.open(path, flags, FILE), "wb")
    narrow([path])
    return stream


def touch(path: Path) -> None:
    """Make `path`, empty, where it is missing; take the rights of others away where it is not."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE))
    narrow([path])


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, over what is there."""
    with open_new(path) as stream:
        stream.write(data)


def write_whole(path: Path, data: bytes, *, rights: int = FILE) -> None:
    """Put `data` at `path`, with these rights, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        if rights != FILE:
            temporary.chmod(rights)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def wide(paths: Iterable[Path]) -> list[Path]:
    """Those of `paths` that are there, are ours, and that others may read or write."""
    return [path for path in paths if _mode(path) & _OTHERS]


def narrow(paths: Iterable[Path]) -> None:
    """Take the rights of others away from what is ours; what cannot be changed stays."""
    for path in wide(paths):
        with suppress(OSError):
            path.chmod(_mode(path) & ~_OTHERS)


def under(folder: Path) -> Iterator[Path]:
    """`folder` and all that lies in it; links are not followed."""
    yield folder
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def _mode(path: Path) -> int:
    """The rights of a file or folder of this user; 0 for anything else."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    ours = os.name == "posix" and found.st_uid == os.geteuid()
    kept = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    return stat.S_IMODE(found.st_mode) if ours and kept else 0
