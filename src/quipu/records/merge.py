"""What a record is, given everything that asserts it: pure, and blind to the order.

The latest observation wins where sources disagree (then the larger episode id); names are
united; counts are added; first and last seen are the extremes of the times that are known.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from quipu.records.record import Asserted, Entity, Fact, Properties, Relation, Value
from quipu.when.instants import UNKNOWN_TIME

_Order: TypeAlias = tuple[str, str]


class Assertion(NamedTuple):
    """A record as one episode asserted it, and when that episode was observed."""

    record: Asserted
    episode_id: str
    observed_at: str


def merge(assertions: Iterable[Assertion]) -> Asserted:
    """The record that `assertions` (at least one, all of one id) make together."""
    ordered = sorted(assertions, key=_order)
    latest = ordered[-1].record
    match latest:
        case Entity():
            entity = MergedEntity()
            for each in ordered:
                entity.add(each)
            return entity.record
        case Relation():
            return _merge_relation(latest, ordered)
        case Fact():
            return latest


class MergedEntity:
    """An entity that many episodes assert, as far as they were added, in any order."""

    __slots__ = (
        "_count",
        "_described",
        "_first_seen",
        "_last_seen",
        "_latest",
        "_names",
        "_properties",
        "_record",
    )

    def __init__(self) -> None:
        self._latest: tuple[_Order, Entity] | None = None
        self._described: tuple[_Order, str] | None = None
        self._properties: dict[str, tuple[_Order, Value]] = {}
        self._names: set[str] = set()
        self._first_seen = self._last_seen = UNKNOWN_TIME
        self._count = 0
        self._record: Entity | None = None

    def add(self, assertion: Assertion) -> None:
        """Take in what one more episode asserts."""
        entity, seen, at = assertion.record, assertion.observed_at, _order(assertion)
        assert isinstance(entity, Entity)
        self._record = None
        if self._latest is None or at >= self._latest[0]:
            self._latest = at, entity
        if entity.description and (self._described is None or at >= self._described[0]):
            self._described = at, entity.description
        for name, value in entity.properties.items():
            known = self._properties.get(name)
            if known is None or at >= known[0]:
                self._properties[name] = at, value
        self._names.add(entity.name)
        self._names.update(entity.aliases)
        self._count += entity.mention_count
        self._last_seen = max(self._last_seen, seen)
        if seen != UNKNOWN_TIME:
            first = self._first_seen
            self._first_seen = seen if first == UNKNOWN_TIME else min(first, seen)

    @property
    def record(self) -> Entity:
        """What they make together; there must be one at least."""
        assert self._latest is not None
        if self._record is None:
            latest = self._latest[1]
            self._record = msgspec.structs.replace(
                latest,
                aliases=tuple(sorted(self._names - {latest.name})),
                description=self._described[1] if self._described else "",
                properties={name: self._properties[name][1] for name in sorted(self._properties)},
                first_seen=self._first_seen,
                last_seen=self._last_seen,
                mention_count=self._count,
            )
        return self._record


def _order(assertion: Assertion) -> _Order:
    return assertion.observed_at, assertion.episode_id


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
