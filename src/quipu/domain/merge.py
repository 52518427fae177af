"""What a record is, given everything that asserts it: pure, and blind to the order.

The latest observation wins where sources disagree (then the larger episode id); names are
united; counts are added; first and last seen are the extremes of the times that are known.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from quipu.domain.instants import UNKNOWN_TIME
from quipu.domain.records import Asserted, Entity, Fact, Properties, Relation


class Assertion(NamedTuple):
    """A record as one episode asserted it, and when that episode was observed."""

    record: Asserted
    episode_id: str
    observed_at: str


def merge(assertions: Iterable[Assertion]) -> Asserted:
    """The record that `assertions` (at least one, all of one id) make together."""
    ordered = sorted(assertions, key=lambda a: (a.observed_at, a.episode_id))
    latest = ordered[-1].record
    match latest:
        case Entity():
            return _merge_entity(latest, ordered)
        case Relation():
            return _merge_relation(latest, ordered)
        case Fact():
            return latest


def _merge_entity(latest: Entity, ordered: Sequence[Assertion]) -> Entity:
    entities = [a.record for a in ordered if isinstance(a.record, Entity)]
    names = {name for e in entities for name in (e.name, *e.aliases)} - {latest.name}
    described = [e.description for e in entities if e.description]
    return msgspec.structs.replace(
        latest,
        aliases=tuple(sorted(names)),
        description=described[-1] if described else "",
        properties=_united(e.properties for e in entities),
        first_seen=_first_seen(ordered),
        last_seen=max(a.observed_at for a in ordered),
        mention_count=sum(e.mention_count for e in entities),
    )


def _first_seen(ordered: Sequence[Assertion]) -> str:
    """The earliest time that is known at all."""
    times = [a.observed_at for a in ordered]
    return next((time for time in times if time != UNKNOWN_TIME), UNKNOWN_TIME)


def _merge_relation(latest: Relation, ordered: Sequence[Assertion]) -> Relation:
    relations = [a.record for a in ordered if isinstance(a.record, Relation)]
    described = [r.description for r in relations if r.description]
    return msgspec.structs.replace(
        latest,
        created_at=min(r.created_at for r in relations),
        confidence=max(r.confidence for r in relations),
        weight=sum(r.weight for r in relations),
        description=described[-1] if described else "",
        properties=_united(r.properties for r in relations),
    )


def _united(properties: Iterable[Properties]) -> Properties:
    united: Properties = {}
    for each in properties:
        united.update(each)
    return dict(sorted(united.items()))
