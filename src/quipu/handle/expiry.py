"""What was given with an end: after `expires` it is no longer recalled, until it is purged.

`expires` is a property of a document: an ISO date or instant. Sessions have none.
"""

from collections.abc import Callable

import msgspec

from quipu.errors import InvalidInput
from quipu.handle.dates import first_instant
from quipu.ports import Graph, Planner
from quipu.records.record import Entity, Record
from quipu.records.reply import Retrieved

__all__ = ["EXPIRES", "expired_sources", "has_expired", "is_expired", "unexpired"]

EXPIRES = "expires"
_ROUNDS = 4


def is_expired(expires: object, now: str) -> bool:
    """Whether `now` is at or after a date; what is no date never expires."""
    try:
        return isinstance(expires, str) and first_instant(expires) <= now
    except InvalidInput:
        return False


def expired_sources(graph: Graph, now: str) -> list[str]:
    """The sources whose documents have expired, by reference."""
    gone = {e.entity_id for e in graph.with_property(EXPIRES) if has_expired(e, now)}
    if not gone:
        return []
    return sorted({s.source_ref for s in graph.sources() if s.document_id in gone})


def unexpired(
    planner: Planner, fetch: Callable[[int], Retrieved], limit: int, now: str
) -> Retrieved:
    """What `fetch` gives for a limit, without what has expired; more is fetched in its place."""
    requested, found = limit, fetch(limit)
    for _ in range(_ROUNDS):
        asked = {h.document_id for h in found.hits if h.source_type != "session"}
        documents = planner.get(sorted(asked))
        gone = {i for i, d in documents.items() if has_expired(d, now)}
        if not gone:
            break
        kept = tuple(hit for hit in found.hits if hit.document_id not in gone)
        lost = len(found.hits) - len(kept)
        note = f"{lost} of the passages found had expired and are left out"
        exhausted = len(found.hits) < requested
        found = msgspec.structs.replace(found, hits=kept[:limit], notes=(*found.notes, note))
        if len(kept) >= limit or exhausted:
            break
        requested += _ROUNDS * lost
        found = fetch(requested)
    return found


def has_expired(record: Record, now: str) -> bool:
    """Whether a document holds no more, by what its property `expires` says."""
    return isinstance(record, Entity) and is_expired(record.properties.get(EXPIRES), now)
