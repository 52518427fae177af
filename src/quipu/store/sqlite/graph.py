"""Records, relations, facts and history, from SQLite."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

import msgspec

from quipu.index.mentions import FIELD
from quipu.ports import Change, Direction, Source
from quipu.records.batch import Claim, Period
from quipu.records.ids import Kind, kind_of
from quipu.records.neighbors import nearest_neighbors
from quipu.records.record import Asserted, Chunk, Entity, Episode, Fact, Record, Relation, Support
from quipu.records.scope import EVERYTHING, Scope
from quipu.store import rules
from quipu.store.sqlite.database import as_list
from quipu.store.sqlite.handle import Handle
from quipu.store.sqlite.known_records import unlisted
from quipu.store.sqlite.neighbors import first_relations
from quipu.store.sqlite.records import standing

_SCAN_PAGE = 1000
_WORTH_KEEPING = 20  # periods of support that are kept once they were read


class _Origin(msgspec.Struct, frozen=True):
    """What `sources` tells of an episode: the rest of its body is not read."""

    source_ref: str
    content_hash: str
    episode_id: str
    source_type: str
    document_id: str | None = None


_ORIGIN = msgspec.json.Decoder(_Origin)


class GraphReads(Handle):
    """The reading half that knows no index: mixed into the store."""

    def moment(self) -> AbstractContextManager[None]:
        """One snapshot of the file."""
        return self._db.reading()

    def sequence(self) -> int:
        """The number of the last change."""
        with self._db.reading():
            return self._sequence()

    def get(self, ids: Sequence[str], *, known_at: str | None = None) -> dict[str, Record]:
        """The live records among `ids`."""
        with self._db.reading():
            self._fresh()
            return self._records.get(ids, known_at)

    def scan(
        self, kind: Kind, *, scope: Scope = EVERYTHING, after: str = "", limit: int = 1000
    ) -> list[Record]:
        """A page of the live records of one kind."""
        seen: list[Record] = []
        if not rules.storable(after):
            after = after.encode(errors="replace").decode()
        with self._db.reading():
            self._fresh()
            while len(seen) < limit:
                ids = self._page_of_ids(kind, after)
                records = self._records.of_kind(kind, ids)
                seen += self._admitted(scope, [records[i] for i in ids if i in records])
                if len(ids) < _SCAN_PAGE:
                    break
                after = ids[-1]
        return seen[: max(limit, 0)]

    def _page_of_ids(self, kind: Kind, after: str) -> list[str]:
        rows = self._db.rows(
            "SELECT DISTINCT record_id FROM support WHERE ns = ? AND kind = ? AND record_id > ?"
            " AND known_until IS NULL ORDER BY record_id LIMIT ?",
            self._db.ns,
            rules.KINDS.index(kind),
            after,
            _SCAN_PAGE,
        )
        return [record_id for (record_id,) in rows]

    def _admitted(self, scope: Scope, records: list[Record]) -> Iterator[Record]:
        if scope == EVERYTHING:
            yield from records
            return
        chunks = [r for r in records if isinstance(r, Chunk)]
        episodes = self._records.get({c.episode_id for c in chunks})
        named = {c.document_id for c in chunks}
        named |= {r.document_id for r in records if isinstance(r, Episode) and r.document_id}
        documents = {i: r for i, r in self._records.get(named).items() if isinstance(r, Entity)}
        for record in records:
            match record:
                case Chunk():
                    episode = episodes[record.episode_id]
                    assert isinstance(episode, Episode)
                    place = rules.place_of(record, episode, documents.get(record.document_id))
                    seen = rules.admits(scope, place)
                case Episode():
                    document = documents.get(record.document_id or "")
                    seen = rules.admits_episode(scope, record, document)
                case Entity():
                    seen = rules.admits_entity(scope, record)
                case _:
                    seen = True
            if seen:
                yield record

    def named(self, keys: Sequence[str]) -> dict[str, list[Entity]]:
        """Live entities by their folded names."""
        found: dict[str, list[Entity]] = {key: [] for key in keys}
        with self._db.reading():
            self._fresh()
            pairs: list[tuple[str, str]] = self._db.rows(
                "SELECT DISTINCT key, entity_id FROM name WHERE ns = ?"
                " AND key IN (SELECT value FROM json_each(?)) ORDER BY key, entity_id",
                self._db.ns,
                as_list(found),
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
        sides = ("out", "in") if direction == "both" else (direction,)
        with self._db.reading():
            self._fresh()
            asked = list(filter(rules.storable, found))
            for side in sides:
                near = first_relations(
                    self._db, self._records, asked, side, types, limit_per_id, known_at
                )
                for each, relations in near.items():
                    found[each] += relations
        return {each: nearest_neighbors(each, near, limit_per_id) for each, near in found.items()}

    def support(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        """All periods of support."""
        found: dict[str, list[Support]] = {each: [] for each in ids}
        with self._db.reading():
            self._fresh()
            for kind, asked in _by_kind(found).items():
                self._read_support(kind, asked, found)
        return found

    def _read_support(self, kind: Kind, asked: list[str], found: dict[str, list[Support]]) -> None:
        known = self._records.known
        held = {each: known.support(each) for each in asked}
        found |= {each: periods for each, periods in held.items() if periods is not None}
        missing = [each for each, periods in held.items() if periods is None]
        rows = self._db.rows(
            "SELECT record_id, episode_id, recorded_at, chunk_ids, known_until"
            " FROM support WHERE ns = ? AND kind = ?"
            " AND record_id IN (SELECT value FROM json_each(?))"
            " ORDER BY recorded_at, episode_id, row",
            self._db.ns,
            rules.KINDS.index(kind),
            as_list(missing),
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
        with self._db.reading():
            rows = self._db.rows(
                "SELECT kind, episode_id, chunk_ids, body FROM support INDEXED BY support_episode"
                " WHERE ns = ? AND episode_id IN (SELECT value FROM json_each(?)) AND kind > 1"
                " AND known_until IS NULL ORDER BY record_id",
                self._db.ns,
                as_list(found),
            )
            for kind, episode_id, chunk_ids, body in rows:
                record = rules.decode(rules.KINDS[int(kind)], body)
                assert isinstance(record, Asserted)
                found[episode_id].append(Claim(record, episode_id, unlisted(chunk_ids)))
        return found

    def periods(self, episode_ids: Sequence[str]) -> dict[str, list[Period]]:
        """All that episodes ever asserted."""
        found: dict[str, list[Period]] = {each: [] for each in episode_ids}
        with self._db.reading():
            rows = self._db.rows(
                "SELECT DISTINCT kind, record_id, episode_id, recorded_at, known_until, chunk_ids,"
                " body FROM support WHERE ns = ?"
                " AND episode_id IN (SELECT value FROM json_each(?))"
                " ORDER BY record_id, recorded_at, coalesce(known_until, '~'), body, chunk_ids",
                self._db.ns,
                as_list(found),
            )
            for kind, _, episode_id, since, until, chunk_ids, body in rows:
                record = rules.decode(rules.KINDS[int(kind)], body)
                period = Period(record, episode_id, since, until, unlisted(chunk_ids))
                found[episode_id].append(period)
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
        clause, values = standing(known_at)
        where, asked = f"ns = ? AND kind = 4 AND {clause}", [*values]
        index = "fact_subject" if subject is not None else "fact_predicate"
        for column, wanted in (("near", subject), ("label", predicate)):
            if wanted is not None:
                if not rules.storable(wanted):
                    return []
                where += f" AND {column} = ?"
                asked.append(wanted)
        with self._db.reading():
            rows = self._db.rows(
                f"SELECT DISTINCT record_id FROM support INDEXED BY {index} WHERE {where}",
                self._db.ns,
                *asked,
            )
            found = self._records.of_kind("fact", [fact_id for (fact_id,) in rows], known_at)
        facts = (
            fact
            for fact in found.values()
            if isinstance(fact, Fact)
            and (subject is None or fact.subject == subject)
            and (predicate is None or fact.predicate == predicate)
            and (as_of is None or rules.valid_at(fact, as_of))
        )
        return sorted(facts, key=rules.fact_order)

    def with_property(self, name: str) -> list[Entity]:
        """Live entities with a text property."""
        written = msgspec.json.encode(name) + b':"'
        with self._db.reading():
            rows = self._db.rows(
                "SELECT DISTINCT record_id FROM support WHERE ns = ? AND kind = 2"
                " AND known_until IS NULL AND instr(body, ?) ORDER BY record_id",
                self._db.ns,
                written,
            )
            found = self._records.of_kind("entity", [i for (i,) in rows]) if rows else {}
        entities = [found[i] for (i,) in rows if i in found]
        return [
            each
            for each in entities
            if isinstance(each, Entity) and isinstance(each.properties.get(name), str)
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
        if not rules.storable(prefix):
            return []
        where, asked = "ns = ? AND kind = 0", list[object]([self._db.ns])
        if not ended:
            where += " AND known_until IS NULL"
        if refs:
            where += " AND near IN (SELECT value FROM json_each(?))"
            asked.append(as_list(refs))
        if prefix:
            where += " AND near >= ? AND substr(near, 1, ?) = ?"
            asked += [prefix, len(prefix), prefix]
            if after := _after(prefix):
                where += " AND near < ?"
                asked.append(after)
        with self._db.reading():
            rows = self._db.rows(f"SELECT body FROM support WHERE {where}", *asked)
        found: set[Source] = set()
        for (body,) in rows:
            e = _ORIGIN.decode(body)
            if not source_types or e.source_type in source_types:
                found.add(
                    Source(e.source_ref, e.content_hash, e.episode_id, e.document_id, e.source_type)
                )
        return sorted(found, key=lambda s: (s.source_ref, s.episode_id))

    def changes(self, after: int, *, limit: int = 10_000) -> list[Change]:
        """The change log above `after`."""
        with self._db.reading():
            rows = self._db.rows(
                "SELECT sequence, kind, record_id, operation FROM change"
                " WHERE ns = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                self._db.ns,
                after,
                max(limit, 0),
            )
        return [Change(*row) for row in rows]

    def counts(self, kinds: Collection[str] = ()) -> dict[str, int]:
        """Live records of each kind."""
        wanted = [k for k in (*rules.KINDS, FIELD) if not kinds or k in kinds]
        with self._db.reading():
            self._fresh()
            return {kind: self._count(kind) for kind in wanted}

    def _count(self, kind: str) -> int:
        if kind == "relation":
            return self._visible_relations()
        if kind == FIELD:
            return self._postings.distinct(FIELD)
        if kind == "chunk":  # every live chunk is in one segment, whatever its terms
            return sum(head.size - head.dead for head in self._postings.heads())
        return self._db.value(
            "SELECT count(DISTINCT record_id) FROM support"
            " WHERE ns = ? AND kind = ? AND known_until IS NULL",
            self._db.ns,
            rules.KINDS.index(kind),
        )

    def _visible_relations(self) -> int:
        rows = self._db.rows(
            "SELECT DISTINCT record_id, near, far FROM support"
            " WHERE ns = ? AND kind = 3 AND known_until IS NULL",
            self._db.ns,
        )
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


def _after(prefix: str) -> str:
    """The first text behind all that begin with `prefix`; "" where its last letter has none."""
    last = ord(prefix[-1]) + 1
    return "" if 0xD800 <= last < 0xE000 or last > 0x10FFFF else prefix[:-1] + chr(last)


def _by_kind(ids: Iterable[str]) -> dict[Kind, list[str]]:
    """The ids whose tag tells a kind; nothing else has a row."""
    kinds: dict[Kind, list[str]] = {}
    for each in ids:
        if kind := kind_of(each):
            kinds.setdefault(kind, []).append(each)
    return kinds
