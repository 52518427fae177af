"""How far the vectors are that some process is making now, kept in the local state.

One process tells how far it is at a time: who holds the lock. The operating system lets go of the
lock when its holder dies, so what a killed one has told counts for nothing.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import msgspec

from quipu.records.progress import Progress
from quipu.write.lock import Holder, WriteLock
from quipu.write.state_files import replace_file

__all__ = ["EmbeddingProgress", "embedding_progress", "reporting"]

_LOCK: Final = "embedding.lock"
_FILE: Final = "embedding.json"


class EmbeddingProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Vectors that are being made now."""

    done: Annotated[int, "passages that got a vector since it began"]
    total: Annotated[int, "passages that lacked one then, and those that came since"]
    seconds: Annotated[float, "how long it has taken until `done`"]

    @property
    def left_s(self) -> float | None:
        """How long the rest takes at this pace; None before the first."""
        return self.seconds / self.done * (self.total - self.done) if self.done else None


@contextmanager
def reporting(state: Path | None, progress: Progress | None) -> Generator[Progress | None]:
    """A progress that is kept in `state` too while the block runs, unless another process tells
    its own there."""
    if state is None:
        yield progress
        return
    with WriteLock(state, _LOCK).at_once() as first:
        if not first:
            yield progress
            return
        began, path = time.monotonic(), state / _FILE

        def tell(stage: str, done: int, total: int) -> None:
            if done < total:
                kept = EmbeddingProgress(done=done, total=total, seconds=time.monotonic() - began)
                replace_file(path, msgspec.json.encode(kept))
            if progress:
                progress(stage, done, total)

        try:
            yield tell
        finally:
            path.unlink(missing_ok=True)


def embedding_progress(state: Path | None) -> EmbeddingProgress | None:
    """What a living process has told last, at first that it has begun; None when none makes
    vectors."""
    if state is None or not _is_locked(state / _LOCK):
        return None
    try:
        return msgspec.json.decode((state / _FILE).read_bytes(), type=EmbeddingProgress)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return EmbeddingProgress(done=0, total=0, seconds=0.0)


def _is_locked(lock: Path) -> bool:
    try:
        return Holder.is_locked(lock)
    except OSError:  # a memory that may only be read
        return False
