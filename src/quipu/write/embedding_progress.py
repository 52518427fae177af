"""How far the vectors are that some process is making now, and which passages it should take first,
kept in the local state.

One process tells how far it is at a time: who holds the lock. The operating system lets go of the
lock when its holder dies, so what a killed one has told counts for nothing.

A search that found passages which have no vector yet leaves their ids in the local state, and
whoever makes vectors takes them before its next page. It is a hint: ids of passages, nothing of the
question; it may be lost, and what is not there any more is passed over.
"""

import os
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec

from quipu.errors import QuipuError
from quipu.files import private
from quipu.ports import Store
from quipu.records.progress import Progress
from quipu.records.record import Chunk
from quipu.write.lock import Holder, WriteLock
from quipu.write.state_files import replace_file

__all__ = [
    "EmbeddingProgress",
    "ask_first",
    "asked_first",
    "embedding_progress",
    "reporting",
    "without_vector",
]

_LOCK: Final = "embedding.lock"
_FILE: Final = "embedding.json"

_REQUESTS_FILE = "asked-first.txt"
_LARGEST_REQUESTS = 64_000


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


def ask_first(state: Path | None, chunk_ids: Sequence[str]) -> None:
    """Leave word of passages, the most wanted first, if vectors are being made; what cannot be
    written, or is too much, is not."""
    if state is None or not chunk_ids or embedding_progress(state) is None:
        return
    path = state / _REQUESTS_FILE
    with suppress(OSError):
        if path.exists() and path.stat().st_size > _LARGEST_REQUESTS:
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, private.FILE), "ab", buffering=0) as stream:
            stream.write("".join(f"{each}\n" for each in chunk_ids).encode())


def asked_first(
    state: Path | None, store: Store, space: str, *, profiles: Collection[str] = (), limit: int
) -> list[Chunk]:
    """Of what was asked about since the last call the first `limit` live passages (of the
    `profiles`, if any are named) that have no vector in `space`."""
    requested = _taken(state)
    if not requested:
        return []
    with suppress(QuipuError):
        return without_vector(store, space, requested, profiles=profiles, limit=limit)
    return []


def without_vector(
    store: Store,
    space: str,
    chunk_ids: Sequence[str],
    *,
    profiles: Collection[str] = (),
    limit: int | None = None,
) -> list[Chunk]:
    """Of `chunk_ids` the first `limit` that are live (of the `profiles`, if any are named) and have
    no vector in `space`."""
    with store.moment():
        numbers = store.numbers(chunk_ids)
        numbers = numbers[numbers >= 0]
        bare = numbers[~store.vectors(numbers, space).any(axis=1)][:limit]
        return [c for c in store.chunks(bare) if not profiles or c.profile in profiles]


def _taken(state: Path | None) -> list[str]:
    """The ids that were left, each once, in their order; they are there no more."""
    if state is None:
        return []
    path, mine = state / _REQUESTS_FILE, state / f"{_REQUESTS_FILE}.{os.getpid()}"
    try:
        path.rename(mine)
        with mine.open("rb") as stream:
            read = stream.read(2 * _LARGEST_REQUESTS).decode("ascii", "replace")
        mine.unlink()
    except OSError:
        return []
    return list(dict.fromkeys(read.split()))
