"""A store to a file."""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from quipu.domain.records import Chunk, Episode
from quipu.errors import StoreUnavailable
from quipu.move.lines import (
    ENCODER,
    ChunkLine,
    EpisodeLine,
    Header,
    Line,
    Moved,
    claim_line,
    vector_line,
)
from quipu.ports import Source, Store

_PAGE = 100


def export(store: Store, path: Path, *, vectors: bool = False) -> Moved:
    """Write all that is live in the store to `path`: the same store gives the same bytes.

    Written beside and then renamed, so `path` is whole or as it was. Ended records (history)
    stay behind. Raises StoreUnavailable when the file cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    counted: dict[str, int] = {}
    try:
        with beside.open("wb") as stream:
            stream.write(ENCODER.encode(Header(namespace=store.namespace)) + b"\n")
            for line in _lines(store, vectors=vectors):
                kind = type(line).__name__
                counted[kind] = counted.get(kind, 0) + 1
                stream.write(ENCODER.encode(line) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreUnavailable(
            f"{str(path)!r} cannot be written: {error.strerror or error}; choose another place"
        ) from error
    return Moved(
        episodes=counted.get("EpisodeLine", 0),
        chunks=counted.get("ChunkLine", 0),
        claims=sum(counted.get(f"{kind}Line", 0) for kind in ("Entity", "Relation", "Fact")),
        vectors=counted.get("VectorLine", 0),
    )


def _lines(store: Store, *, vectors: bool) -> Iterator[Line]:
    spaces = sorted(store.spaces()) if vectors else []
    sources = store.sources()
    for at in range(0, len(sources), _PAGE):
        page = sources[at : at + _PAGE]
        episodes = store.get([s.episode_id for s in page])
        claims = store.claims([s.episode_id for s in page])
        chunks = _chunks(store, page)
        for source in page:
            episode = episodes.get(source.episode_id)
            if not isinstance(episode, Episode):
                continue  # ended since the sources were listed
            own = chunks.get(source.episode_id, [])
            yield EpisodeLine(record=episode)
            yield from (ChunkLine(record=chunk) for chunk in own)
            yield from map(claim_line, claims.get(source.episode_id, ()))
            for space in spaces:
                yield from _vectors(store, own, space)


def _chunks(store: Store, page: Sequence[Source]) -> dict[str, list[Chunk]]:
    documents = sorted({s.document_id for s in page if s.document_id})
    found = store.numbers_in(documents)
    chunks = [c for document in documents for c in store.chunks(found[document])]
    chunks.sort(key=lambda c: (c.episode_id, c.position, c.chunk_id))
    return {key: list(group) for key, group in groupby(chunks, key=lambda c: c.episode_id)}


def _vectors(store: Store, chunks: Sequence[Chunk], space: str) -> Iterator[Line]:
    if not chunks:
        return
    numbers = store.numbers([c.chunk_id for c in chunks])
    live = numbers[numbers >= 0]
    embedded = store.vectors(live, space)
    parts = store.parts(live, space)
    kept = [c for c, number in zip(chunks, numbers, strict=True) if number >= 0]
    for chunk, vector, rows in zip(kept, embedded, parts, strict=True):
        if np.any(vector) or len(rows):
            yield vector_line(chunk.chunk_id, space, vector, rows)
