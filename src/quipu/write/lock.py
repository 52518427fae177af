"""Whose turn it is to write: one process at a time between looking and writing.

The store keeps every write whole; this keeps two indexing runs from acting on what the other has
changed meanwhile. The operating system lets go of the lock when its holder dies.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from quipu.files import private
from quipu.write.state_files import writing_in

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class WriteLock:
    """A lock file in the local state; without local state, a lock of this process."""

    def __init__(self, state: Path | None, name: str = "index.lock") -> None:
        self._path: Final = state / name if state else None
        self._thread_lock = threading.Lock()

    @contextmanager
    def taken(self) -> Generator[None]:
        """Wait for the turn and keep it while the block runs."""
        with self._thread_lock:
            if self._path is None:
                yield
                return
            with writing_in(self._path.parent):
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, private.FILE)
            try:
                _lock(handle)
                yield
            finally:
                os.close(handle)

    @contextmanager
    def at_once(self) -> Generator[bool]:
        """Keep the turn while the block runs if it is free now; whether it is."""
        if not self._thread_lock.acquire(blocking=False):
            yield False
            return
        handle = None
        try:
            if self._path is not None:
                private.make_folder(self._path.parent)
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT, private.FILE)
            yield handle is None or _lock_at_once(handle)
        finally:
            if handle is not None:
                os.close(handle)
            self._thread_lock.release()


def _lock(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return
    import msvcrt  # pragma: no cover - Windows

    msvcrt.locking(handle, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]  # pyright: ignore


class Holder:
    """A lock file that is held until it is closed, or until this process ends, however it does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing_in(path.parent):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, private.FILE)
        _lock(self._handle)

    @staticmethod
    def is_locked(path: Path) -> bool:
        """Whether a living process holds the file."""
        try:
            handle = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not _lock_at_once(handle)
        finally:
            os.close(handle)

    def close(self) -> None:
        """Let go and remove the file."""
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def _lock_at_once(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        import msvcrt  # pragma: no cover - Windows

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # pyright: ignore
    except OSError:
        return False
    return True
