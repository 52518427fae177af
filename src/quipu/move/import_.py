"""A file to a store."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from quipu.domain.batch import Batch, Claim, Embedding, IndexedChunk
from quipu.domain.instants import Clock
from quipu.domain.progress import Progress
from quipu.domain.records import Episode
from quipu.errors import InvalidInput, NewerStore
from quipu.move.lines import (
    DECODER,
    HEADER,
    VERSION,
    ChunkLine,
    EpisodeLine,
    Line,
    Moved,
    VectorLine,
    embedding,
)
from quipu.ports import Store
from quipu.retrieve.profiles import profile

_CHUNKS = 1_000
_CLAIMS = 5_000


@dataclass(slots=True)
class _Pending:
    """Whole sources, waiting to be written together."""

    episodes: list[Episode] = field(default_factory=list[Episode])
    chunks: list[IndexedChunk] = field(default_factory=list[IndexedChunk])
    claims: list[Claim] = field(default_factory=list[Claim])
    embeddings: list[Embedding] = field(default_factory=list[Embedding])

    def batch(self, now: str) -> Batch:
        return Batch(
            recorded_at=now,
            episodes=tuple(self.episodes),
            chunks=tuple(self.chunks),
            claims=tuple(self.claims),
            embeddings=tuple(self.embeddings),
            replaces=tuple(dict.fromkeys(e.source_ref for e in self.episodes)),
        )


def import_(store: Store, path: Path, *, clock: Clock, progress: Progress | None = None) -> Moved:
    """Take in what `export` wrote; a source that is there already becomes what the file says.

    Sources come in whole, in batches; what was imported before changes nothing. Raises
    InvalidInput with the line that cannot be used; what stands before it is in by then.
    """
    counts = {"episodes": 0, "chunks": 0, "claims": 0, "vectors": 0}
    changes = 0
    pending = _Pending()
    try:
        with path.open("rb") as stream:
            _check_header(stream, path)
            for number, line in _lines(stream, path):
                full = len(pending.chunks) >= _CHUNKS or len(pending.claims) >= _CLAIMS
                if full and _begins_source(line, pending):
                    changes += store.write(pending.batch(clock())).changes
                    pending = _Pending()
                    if progress:
                        progress("import", number, 0)
                if not pending.episodes and not isinstance(line, EpisodeLine):
                    raise InvalidInput(f"{path}:{number}: the first record must be an episode")
                counts[_take(line, pending)] += 1
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    if pending.episodes:
        changes += store.write(pending.batch(clock())).changes
    return Moved(**counts, changes=changes)


def _begins_source(line: Line, pending: _Pending) -> bool:
    return (
        isinstance(line, EpisodeLine) and line.record.source_ref != pending.episodes[-1].source_ref
    )


def _take(line: Line, pending: _Pending) -> str:
    match line:
        case EpisodeLine():
            pending.episodes.append(line.record)
            return "episodes"
        case ChunkLine():
            chunk = line.record
            pending.chunks.append(profile(chunk.profile).index_chunk(chunk))
            return "chunks"
        case VectorLine():
            pending.embeddings.append(embedding(line))
            return "vectors"
        case _:
            pending.claims.append(Claim(line.record, line.episode_id, line.chunk_ids))
            return "claims"


def _check_header(stream: IO[bytes], path: Path) -> None:
    try:
        header = HEADER.decode(stream.readline())
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{path}:1: is not the header of a Quipu export ({error}): give a file that "
            "`quipu export` wrote"
        ) from error
    if header.version > VERSION:
        raise NewerStore(
            f"{path} has export version {header.version} and this Quipu reads up to {VERSION}: "
            "upgrade quipu-memory"
        )


def _lines(stream: IO[bytes], path: Path) -> Iterator[tuple[int, Line]]:
    for number, data in enumerate(stream, 2):
        try:
            yield number, DECODER.decode(data)
        except msgspec.DecodeError as error:
            raise InvalidInput(
                f"{path}:{number}: cannot be used ({error}): export again, the file is damaged"
            ) from error
