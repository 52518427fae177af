"""Records, relations, facts and history, by walking every row."""

from collections.abc import Collection, Sequence

from quipu.index.mentions import FIELD
from quipu.ports import Change, Direction, Source
from quipu.records.batch import Claim, Period
from quipu.records.ids import Kind
from quipu.records.neighbors import nearest_neighbors
from quipu.records.record import (
    Asserted,
    Chunk,
    Entity,
    Episode,
    Fact,
    Record,
    Relation,
    Support,
    record_id,
)
from quipu.records.scope import EVERYTHING, Scope
from quipu.store import rules
from quipu.store.inmemory.state import State

_KINDS: dict[Kind, type[Record]] = {
    "episode": Episode,
    "chunk": Chunk,
    "entity": Entity,
    "relation": Relation,
    "fact": Fact,
}


class GraphReads:
    """The reading half that knows no index: mixed into the store."""

    _state: State

    def sequence(self) -> int:
        """The number of the last change."""
        return len(self._state.changes)

    def get(self, ids: Sequence[str], *, known_at: str | None = None) -> dict[str, Record]:
        """The live records among `ids`."""
        found = ((each, self._state.record(each, known_at)) for each in dict.fromkeys(ids))
        return {each: record for each, record in found if record is not None}

    def scan(
        self, kind: Kind, *, scope: Scope = EVERYTHING, after: str = "", limit: int = 1000
    ) -> list[Record]:
        """A page of the live records of one kind."""
        seen: list[Record] = []
        for record in self._state.records(_KINDS[kind]):
            if len(seen) < limit and record_id(record) > after and self._admits(scope, record):
                seen.append(record)
        return seen

    def _admits(self, scope: Scope, record: Record) -> bool:
        match record:
            case Chunk():
                number = self._state.number_of[record.chunk_id]
                return rules.admits(scope, self._state.place(number))
            case Episode():
                document = self._state.record(record.document_id or "")
                entity = document if isinstance(document, Entity) else None
                return rules.admits_episode(scope, record, entity)
            case Entity():
                return rules.admits_entity(scope, record)
            case _:
                return True

    def named(self, keys: Sequence[str]) -> dict[str, list[Entity]]:
        """Live entities by their folded names."""
        found: dict[str, list[Entity]] = {key: [] for key in keys}
        for entity in self._state.records(Entity):
            for key in rules.entity_keys(entity) & found.keys():
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
        for relation in self._state.records(Relation, known_at):
            if types and relation.type not in types:
                continue
            ends = {
                "out": {relation.source_entity_id},
                "in": {relation.target_entity_id},
                "both": {relation.source_entity_id, relation.target_entity_id},
            }[direction]
            for each in ends & found.keys():
                found[each].append(relation)
        return {each: nearest_neighbors(each, near, limit_per_id) for each, near in found.items()}

    def support(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        """All periods of support."""
        return {
            each: [
                Support(
                    record_id=row.record_id,
                    episode_id=row.episode_id,
                    recorded_at=row.recorded_at,
                    chunk_ids=row.chunk_ids,
                    known_until=row.known_until,
                )
                for row in sorted(
                    self._state.rows.get(each, ()), key=lambda r: (r.recorded_at, r.episode_id)
                )
            ]
            for each in ids
        }

    def claims(self, episode_ids: Sequence[str]) -> dict[str, list[Claim]]:
        """What episodes assert now."""
        found: dict[str, list[Claim]] = {each: [] for each in episode_ids}
        for row in sorted(self._state.all_rows(), key=lambda r: r.record_id):
            if row.known_until is None and row.episode_id in found:
                record = rules.decode(row.kind, row.body)
                if isinstance(record, Asserted):
                    found[row.episode_id].append(Claim(record, row.episode_id, row.chunk_ids))
        return found

    def periods(self, episode_ids: Sequence[str]) -> dict[str, list[Period]]:
        """All that episodes ever asserted."""
        found: dict[str, list[Period]] = {each: [] for each in episode_ids}
        rows = {
            (row.record_id, row.recorded_at, row.known_until or "~", row.body, row.chunk_ids): row
            for row in self._state.all_rows()
            if row.episode_id in found
        }
        for _, row in sorted(rows.items(), key=lambda item: item[0]):
            record = rules.decode(row.kind, row.body)
            found[row.episode_id].append(
                Period(record, row.episode_id, row.recorded_at, row.known_until, row.chunk_ids)
            )
        return found

    def facts(
        self,
        subject: str | None = None,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> list[Fact]:
        """Dated statements."""
        facts = (
            fact
            for fact in self._state.records(Fact, known_at)
            if (subject is None or fact.subject == subject)
            and (predicate is None or fact.predicate == predicate)
            and (as_of is None or rules.valid_at(fact, as_of))
        )
        return sorted(facts, key=rules.fact_order)

    def with_property(self, name: str) -> list[Entity]:
        """Live entities with a text property."""
        return [
            entity
            for entity in self._state.records(Entity)
            if isinstance(entity.properties.get(name), str)
        ]

    def sources(
        self,
        source_types: frozenset[str] = frozenset(),
        *,
        refs: Collection[str] = (),
        prefix: str = "",
        ended: bool = False,
    ) -> list[Source]:
        """What is indexed."""
        every = (
            (
                rules.decode("episode", row.body)
                for row in self._state.all_rows()
                if row.kind == "episode"
            )
            if ended
            else self._state.records(Episode)
        )
        return sorted(
            {
                Source(e.source_ref, e.content_hash, e.episode_id, e.document_id, e.source_type)
                for e in every
                if isinstance(e, Episode)
                and (not source_types or e.source_type in source_types)
                and (not refs or e.source_ref in refs)
                and e.source_ref.startswith(prefix)
            },
            key=lambda s: (s.source_ref, s.episode_id),
        )

    def changes(self, after: int, *, limit: int = 10_000) -> list[Change]:
        """The change log above `after`."""
        return [c for c in self._state.changes if c.sequence > after][: max(limit, 0)]

    def counts(self, kinds: Collection[str] = ()) -> dict[str, int]:
        """Live records of each kind."""
        counts: dict[str, int] = {
            kind: sum(1 for _ in self._state.records(of)) for kind, of in _KINDS.items()
        }
        live = [n for n in self._state.numbered.values() if n.live]
        counts["name"] = len({key for n in live for key in n.fields.get(FIELD, {})})
        return {kind: count for kind, count in counts.items() if not kinds or kind in kinds}
