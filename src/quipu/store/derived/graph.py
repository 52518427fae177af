"""Records, relations, facts and history, out of rows of support."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import attrgetter
from typing import Any

import msgspec

from quipu.index.mentions import FIELD
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Change, Direction, Source
from quipu.records.batch import Claim, Period
from quipu.records.ids import Kind
from quipu.records.record import (
    Asserted,
    Entity,
    Fact,
    Record,
    Relation,
    Support,
    nearest_neighbors,
)
from quipu.store import rules
from quipu.store.backend import NAME, SUPPORT, Above, Beginning, Row
from quipu.store.derived.known import unlisted
from quipu.store.derived.neighbors import Hop, Side, first_relations
from quipu.store.derived.records import by_kind
from quipu.store.derived.state import StoreState

_WORTH_KEEPING = 20  # periods of support that are kept once they were read


class _Origin(msgspec.Struct, frozen=True):
    """What `sources` tells of an episode: the rest of its body is not read."""

    source_ref: str
    content_hash: str
    episode_id: str
    source_type: str
    document_id: str | None = None


_ORIGIN = msgspec.json.Decoder(_Origin)
_ASSERTED = (2, 3, 4)
_PERIOD = ("kind", "record_id", "episode_id", "recorded_at", "known_until", "chunk_ids", "body")


class GraphReads(StoreState):
    """The reading half that knows no index: mixed into the store."""

    def moment(self) -> AbstractContextManager[None]:
        """One moment of the store."""
        return self._session.reading()

    def visit(self) -> AbstractContextManager[None]:
        """Nothing held: each read of a question is of a moment of its own."""
        return nullcontext()

    def sequence(self) -> int:
        """The number of the last change."""
        with self._session.reading():
            return self._sequence()

    def get(self, ids: Sequence[str], *, known_at: str | None = None) -> dict[str, Record]:
        """The live records among `ids`."""
        with self._session.reading():
            self._fresh()
            return self._records.get(ids, known_at)

    def scan(self, kind: Kind, *, after: str = "", limit: int = 1000) -> list[Record]:
        """A page of the live records of one kind."""
        seen: list[Record] = []
        with self._session.reading():
            self._fresh()
            while len(seen) < limit:
                ids = self._page_of_ids(kind, after)
                records = self._records.of_kind(kind, ids)
                seen += [records[i] for i in ids if i in records]
                if len(ids) < ROWS_AT_ONCE:
                    break
                after = ids[-1]
        return seen[: max(limit, 0)]

    def _page_of_ids(self, kind: Kind, after: str) -> list[str]:
        where = {"kind": rules.KINDS.index(kind), "record_id": Above(after), "known_until": None}
        by = ("record_id",)
        rows = self._session.select(SUPPORT, by, where, order=by, limit=ROWS_AT_ONCE, distinct=True)
        return [record_id for (record_id,) in rows]

    def named(self, keys: Sequence[str]) -> dict[str, list[Entity]]:
        """Live entities by their folded names."""
        found: dict[str, list[Entity]] = {key: [] for key in keys}
        with self._session.reading():
            self._fresh()
            columns = ("key", "entity_id")
            pairs = self._session.select(
                NAME, columns, {"key": list(found)}, order=columns, distinct=True
            )
            entities = self._records.of_kind("entity", [i for _, i in pairs]) if pairs else {}
            for key, entity_id in pairs:
                entity = entities[entity_id]
                assert isinstance(entity, Entity)
                found[key].append(entity)
        return found

    def neighbors(
        self,
        ids: Sequence[str],
        *,
        direction: Direction = "out",
        types: frozenset[str] = frozenset(),
        limit_per_id: int = 100,
        known_at: str | None = None,
    ) -> dict[str, list[Relation]]:
        """The live relations one hop away."""
        found: dict[str, list[Relation]] = {each: [] for each in ids}
        if limit_per_id <= 0:
            return found
        sides: tuple[Side, ...] = ("out", "in") if direction == "both" else (direction,)
        with self._session.reading():
            self._fresh()
            for side in sides:
                hop = Hop(self._records, side, types, known_at, self._edges)
                for each, relations in first_relations(hop, list(found), limit_per_id).items():
                    found[each] += relations
        return {each: nearest_neighbors(each, near, limit_per_id) for each, near in found.items()}

    def _edges(self, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
        """(record, type, other end, relation) of the relations on one side of the records, by
        (type, other end, relation): of a record with more than `size` at least so many of each
        type. This is all of them; a store that can read fewer does."""
        del size
        here, there = ("near", "far") if hop.side == "out" else ("far", "near")
        where: dict[str, Any] = {"kind": 3, here: ids}
        if hop.types:
            where["label"] = hop.types
        rows = self._session.periods((here, "label", there, "record_id"), where, hop.known_at)
        return sorted(rows, key=lambda row: row[1:])

    def support(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        """All periods of support."""
        found: dict[str, list[Support]] = {each: [] for each in ids}
        with self._session.reading():
            self._fresh()
            for kind, asked in by_kind(found).items():
                self._read_support(kind, asked, found)
        return found

    def _read_support(self, kind: Kind, asked: list[str], found: dict[str, list[Support]]) -> None:
        known = self._records.known
        periods_of = {each: known.support(each) for each in asked}
        found |= {each: periods for each, periods in periods_of.items() if periods is not None}
        missing = [each for each, periods in periods_of.items() if periods is None]
        rows = self._session.select(
            SUPPORT,
            ("record_id", "episode_id", "recorded_at", "chunk_ids", "known_until"),
            {"kind": rules.KINDS.index(kind), "record_id": missing},
            order=("recorded_at", "episode_id", "row"),
        )
        for record_id, episode_id, recorded_at, chunk_ids, known_until in rows:
            found[record_id].append(
                Support(
                    record_id=record_id,
                    episode_id=episode_id,
                    recorded_at=recorded_at,
                    chunk_ids=unlisted(chunk_ids),
                    known_until=known_until,
                )
            )
        for each in missing:
            if len(found[each]) >= _WORTH_KEEPING:
                known.keep_support(each, found[each])

    def claims(self, episode_ids: Sequence[str]) -> dict[str, list[Claim]]:
        """What episodes assert now."""
        found: dict[str, list[Claim]] = {each: [] for each in episode_ids}
        with self._session.reading():
            rows = self._session.select(
                SUPPORT,
                ("kind", "episode_id", "chunk_ids", "body"),
                {"episode_id": list(found), "kind": _ASSERTED, "known_until": None},
                order=("record_id",),
            )
            for kind, episode_id, chunk_ids, body in rows:
                record = rules.decode(rules.KINDS[int(kind)], body)
                assert isinstance(record, Asserted)
                found[episode_id].append(Claim(record, episode_id, unlisted(chunk_ids)))
        return found

    def periods(self, episode_ids: Sequence[str]) -> dict[str, list[Period]]:
        """All that episodes ever asserted."""
        found: dict[str, list[Period]] = {each: [] for each in episode_ids}
        with self._session.reading():
            rows = self._session.select(SUPPORT, _PERIOD, {"episode_id": list(found)})
            for kind, _, episode_id, since, until, chunk_ids, body in sorted(set(rows), key=_when):
                record = rules.decode(rules.KINDS[int(kind)], body)
                period = Period(record, episode_id, since, until, unlisted(chunk_ids))
                found[episode_id].append(period)
        return found

    def facts(
        self,
        subject: str | Collection[str] | None = None,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> list[Fact]:
        """Dated statements."""
        subjects = (subject,) if isinstance(subject, str) else subject
        asked = {"near": subjects, "label": predicate}
        where = {"kind": 4, **{column: said for column, said in asked.items() if said is not None}}
        with self._session.reading():
            rows = self._session.periods(("record_id",), where, known_at, distinct=True)
            found = self._records.of_kind("fact", [fact_id for (fact_id,) in rows], known_at)
        facts = (
            fact
            for fact in found.values()
            if isinstance(fact, Fact)
            and (subjects is None or fact.subject in subjects)
            and (predicate is None or fact.predicate == predicate)
            and (as_of is None or rules.valid_at(fact, as_of))
        )
        return sorted(facts, key=rules.fact_order)

    def with_property(self, name: str) -> list[Entity]:
        """Live entities with a text property."""
        written = msgspec.json.encode(name) + b':"'
        with self._session.reading():
            ids = self._entities_with(written)
            found = self._records.of_kind("entity", ids)
        entities = [found[i] for i in ids if i in found]
        return [
            each
            for each in entities
            if isinstance(each, Entity) and isinstance(each.properties.get(name), str)
        ]

    def _entities_with(self, written: bytes) -> list[str]:
        """The live entities that hold these bytes as they are kept, by id."""
        rows = self._session.periods(("record_id", "body"), {"kind": 2})
        return sorted({i for i, body in rows if written in body})

    def sources(
        self,
        source_types: frozenset[str] = frozenset(),
        *,
        refs: Collection[str] = (),
        prefix: str = "",
        ended: bool = False,
    ) -> list[Source]:
        """What is indexed."""
        where: dict[str, Any] = {"kind": 0}
        if not ended:
            where["known_until"] = None
        if refs:
            where["near"] = list(refs)
        elif prefix:
            where["near"] = Beginning(prefix)
        with self._session.reading():
            rows = self._session.select(SUPPORT, ("body",), where)
        found: set[Source] = set()
        for (body,) in rows:
            e = _ORIGIN.decode(body)
            if e.source_ref.startswith(prefix) and (
                not source_types or e.source_type in source_types
            ):
                found.add(
                    Source(e.source_ref, e.content_hash, e.episode_id, e.document_id, e.source_type)
                )
        return sorted(found, key=attrgetter("source_ref", "episode_id"))

    def changes(self, after: int, *, limit: int = 10_000) -> list[Change]:
        """The change log above `after`."""
        with self._session.reading():
            return self._rows.changes_after(after, max(limit, 0))

    def counts(self, kinds: Collection[str] = ()) -> dict[str, int]:
        """Live records of each kind."""
        requested = [k for k in (*rules.KINDS, FIELD) if not kinds or k in kinds]
        with self._session.reading():
            self._fresh()
            return {kind: self._count(kind) for kind in requested}

    def _count(self, kind: str) -> int:
        if kind == "relation":
            return self._visible_relations()
        if kind == FIELD:
            return self._postings.distinct(FIELD)
        if kind == "chunk":  # every live chunk is in one segment, whatever its terms
            return sum(head.size - head.dead for head in self._postings.heads())
        where = {"kind": rules.KINDS.index(kind)}
        return len(self._session.periods(("record_id",), where, distinct=True))

    def _visible_relations(self) -> int:
        rows = self._session.periods(("record_id", "near", "far"), {"kind": 3}, distinct=True)
        ends: dict[str, tuple[str, str]] = {}
        unsure: set[str] = set()
        for rel_id, near, far in rows:
            if ends.setdefault(rel_id, (near, far)) != (near, far):
                unsure.add(rel_id)  # its sources disagree: merging decides
        live = self._records.live({end for pair in ends.values() for end in pair})
        sure = sum(
            near in live and far in live
            for rel_id, (near, far) in ends.items()
            if rel_id not in unsure
        )
        return sure + len(self._records.of_kind("relation", sorted(unsure)))


def _when(row: Row) -> tuple[str, str, str, bytes, str]:
    """The order of periods; live ones come last."""
    _, record_id, _, since, until, chunk_ids, body = row
    return record_id, since, until or "~", body, chunk_ids
