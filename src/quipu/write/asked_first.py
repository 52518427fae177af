"""Passages that somebody asked about while vectors are being made: they are embedded first.

A search that found passages which have no vector yet leaves their ids in the local state, and
whoever makes vectors takes them before its next page. It is a hint: ids of passages, nothing of the
question; it may be lost, and what is not there any more is passed over.
"""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from quipu.errors import QuipuError
from quipu.files import private
from quipu.ports import Store
from quipu.records.record import Chunk
from quipu.write.embedding_progress import embedding_progress

__all__ = ["ask_first", "asked_first"]

_FILE = "asked-first.txt"
_LARGEST = 64_000


def ask_first(state: Path | None, chunk_ids: Sequence[str]) -> None:
    """Leave word of passages, the most wanted first, if vectors are being made; what cannot be
    written, or is too much, is not."""
    if state is None or not chunk_ids or embedding_progress(state) is None:
        return
    path = state / _FILE
    with suppress(OSError):
        if path.exists() and path.stat().st_size > _LARGEST:
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, private.FILE), "ab", buffering=0) as stream:
            stream.write("".join(f"{each}\n" for each in chunk_ids).encode())


def asked_first(
    state: Path | None, store: Store, space: str, *, profiles: Collection[str] = (), limit: int
) -> list[Chunk]:
    """Of what was asked about since the last call the first `limit` live passages (of the
    `profiles`, if any are named) that have no vector in `space`."""
    wanted = _taken(state)
    if not wanted:
        return []
    with suppress(QuipuError), store.moment():
        numbers = store.numbers(wanted)
        numbers = numbers[numbers >= 0]
        bare = numbers[~store.vectors(numbers, space).any(axis=1)][:limit]
        return [c for c in store.chunks(bare) if not profiles or c.profile in profiles]
    return []


def _taken(state: Path | None) -> list[str]:
    """The ids that were left, each once, in their order; they are there no more."""
    if state is None:
        return []
    path, mine = state / _FILE, state / f"{_FILE}.{os.getpid()}"
    try:
        path.rename(mine)
        with mine.open("rb") as stream:
            read = stream.read(2 * _LARGEST).decode("ascii", "replace")
        mine.unlink()
    except OSError:
        return []
    return list(dict.fromkeys(read.split()))
