"""A store to a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from quipu.files.target import replacing, require_target
from quipu.kind import source_types
from quipu.limits import TEXTS_AT_ONCE
from quipu.ports import Store, changes_after
from quipu.records.batch import Period
from quipu.records.record import Chunk, Episode, Relation
from quipu.records.record import record_id as id_of
from quipu.transfer.lines import (
    ENCODER,
    NOTHING,
    Header,
    Line,
    Moved,
    kind_of_line,
    period_line,
    vector_line,
)


def export(store: Store, path: Path, *, vectors: bool = False, overwrite: bool = True) -> Moved:
    """Write all that the store holds to `path`, what has ended included: the same store gives the
    same bytes. What was forgotten is not there, nor are reports, which `reflect` makes again.

    Written beside and then renamed, so `path` is whole or as it was. Raises InvalidInput for a
    file that is there when it is not to be overwritten, StoreUnavailable when it cannot be written.
    """
    require_target(path, overwrite=overwrite)
    counted = NOTHING.copy()
    with replacing(path) as stream:
        stream.write(ENCODER.encode(Header(namespace=store.namespace)) + b"\n")
        with store.moment():  # others may write meanwhile
            for line in lines_of(store, vectors=vectors):
                counted[kind_of_line(line)] += 1
                stream.write(ENCODER.encode(line) + b"\n")
    return Moved(**counted)


def lines_of(
    store: Store, *, vectors: bool, without: frozenset[str] = frozenset()
) -> Iterator[Line]:
    """The lines of all that the store holds at one `moment`, in the order of an export; those of
    the episodes `without` are left out."""
    spaces = sorted(store.spaces()) if vectors else []
    sources = store.sources()
    reports = {s.episode_id for s in sources if s.source_type in source_types("derived")}
    live = [s.episode_id for s in sources if s.episode_id not in reports]
    for episode_id, periods in _periods(store, [i for i in live if i not in without]):
        chunks = [p.record for p in periods if isinstance(p.record, Chunk) and not p.known_until]
        chunks.sort(key=lambda c: (c.position, c.chunk_id))
        for period in periods:
            yield period_line(period)
        for space in spaces:
            yield from _vectors(store, [c for c in chunks if c.episode_id == episode_id], space)
    for _, periods in _periods(store, sorted(_ever(store) - set(live) - reports - without)):
        yield from map(period_line, periods)


def _periods(store: Store, episode_ids: Sequence[str]) -> Iterator[tuple[str, list[Period]]]:
    """What each episode asserted, in this order: live before ended, the episode itself, its
    chunks by position, its claims by id. Relations to what was forgotten are left out."""
    for at in range(0, len(episode_ids), TEXTS_AT_ONCE):
        page = store.periods(episode_ids[at : at + TEXTS_AT_ONCE])
        endless = _endless(store, [p for periods in page.values() for p in periods])
        for episode_id, periods in page.items():
            kept = [p for p in periods if p.known_until or id_of(p.record) not in endless]
            yield episode_id, sorted(kept, key=_place)


def _endless(store: Store, periods: Sequence[Period]) -> set[str]:
    """The relations among them to what was forgotten: an import could not tell them from damage."""
    records = [p.record for p in periods]
    ahead = source_types("ahead")
    waiting = {e.episode_id for e in records if isinstance(e, Episode) and e.source_type in ahead}
    relations = [
        p.record for p in periods if isinstance(p.record, Relation) and p.episode_id not in waiting
    ]
    known = store.support(
        sorted({end for r in relations for end in (r.source_entity_id, r.target_entity_id)})
    )
    return {
        r.rel_id
        for r in relations
        if not (known.get(r.source_entity_id) and known.get(r.target_entity_id))
    }


def _place(period: Period) -> tuple[bool, int, int]:
    match period.record:
        case Episode():
            return period.known_until is not None, 0, 0
        case Chunk(position=position):
            return period.known_until is not None, 1, position
        case _:
            return period.known_until is not None, 2, 0


def _ever(store: Store) -> set[str]:
    """Every episode there ever was; what was forgotten has no periods."""
    return {c.record_id for c in changes_after(store, 0) if c.kind == "episode"}


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
