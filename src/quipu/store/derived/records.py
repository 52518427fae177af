"""Live records out of support rows: what the other reading files build on."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.index.mentions import FIELD, name_entity
from quipu.index.postings import Postings
from quipu.records.ids import Kind, kind_of, name_key
from quipu.records.merge import Assertion, merge
from quipu.records.record import Asserted, Entity, Episode, Record, Relation
from quipu.store import rules
from quipu.store.backend import CHUNK, SUPPORT
from quipu.store.derived.known import KnownRecords
from quipu.store.derived.session import Session, stands


class _SupportRow(NamedTuple):
    record_id: str
    episode_id: str
    body: bytes


class Records:
    """Reads records; `postings` are those of the same moment."""

    def __init__(self, session: Session, postings: Postings) -> None:
        self._session = session
        self._postings = postings
        self.known = KnownRecords(session)

    def get(self, ids: Iterable[str], known_at: str | None = None) -> dict[str, Record]:
        """The live records among `ids`, in the order asked."""
        asked = list(dict.fromkeys(ids))
        found: dict[str, Record] = {}
        for kind, of_kind in by_kind(asked).items():
            found.update(self.of_kind(kind, of_kind, known_at))
        found.update(self._names([each for each in asked if name_key(each) is not None]))
        return {i: found[i] for i in asked if i in found}

    def of_kind(
        self, kind: Kind, ids: Sequence[str], known_at: str | None = None
    ) -> dict[str, Record]:
        """The live records of one kind among `ids`, none of which is a Name's."""
        if not ids:
            return {}
        found: dict[str, Record] = {}
        if known_at is None and self._session.snapshot:
            found.update(self.known.records(kind, ids))
            ids = [i for i in ids if i not in found]
        return {**found, **self._read(kind, ids, known_at)} if ids else found

    def _read(self, kind: Kind, ids: Sequence[str], known_at: str | None) -> dict[str, Record]:
        where = {"kind": rules.KINDS.index(kind), "record_id": ids}
        rows = self._session.periods(_SupportRow._fields, where, known_at, order=("row",))
        if kind in ("episode", "chunk"):
            return {row[0]: rules.decode(kind, row[2]) for row in rows}
        merged = self._merged(kind, [_SupportRow(*row) for row in rows], known_at)
        if kind != "relation":
            return dict(merged)
        return dict(self._visible(merged, known_at))

    def _merged(
        self, kind: Kind, rows: list[_SupportRow], known_at: str | None
    ) -> dict[str, Asserted]:
        if not rows:
            return {}
        by_record: dict[str, dict[str, _SupportRow]] = {}
        for row in rows:
            by_record.setdefault(row.record_id, {})[row.episode_id] = row
        observed = self.observed_at({row.episode_id for row in rows}, known_at)
        merged: dict[str, Asserted] = {}
        for record_id, by_episode in by_record.items():
            assertions: list[Assertion] = []
            for row in by_episode.values():
                record = rules.decode(kind, row.body)
                assert isinstance(record, Asserted)
                assertions.append(Assertion(record, row.episode_id, observed[row.episode_id]))
            kept = known_at is None and self._session.snapshot
            known = self.known.keep(kind, record_id, assertions) if kept else None
            merged[record_id] = known or merge(assertions)
        return merged

    def observed_at(
        self, episode_ids: Iterable[str], known_at: str | None = None
    ) -> dict[str, str]:
        """When each episode was observed, as it was known at that moment."""
        rows = self._session.select(
            SUPPORT,
            ("record_id", "far", "recorded_at", "known_until"),
            {"kind": 0, "record_id": list(episode_ids)},
            order=("row",),
        )
        observed = {episode_id: far for episode_id, far, *_ in rows}
        observed.update(
            (episode_id, far)
            for episode_id, far, since, until in rows
            if stands(since, until, known_at)
        )
        return observed

    def _visible(self, merged: dict[str, Asserted], known_at: str | None) -> dict[str, Relation]:
        relations = {i: r for i, r in merged.items() if isinstance(r, Relation)}
        ends = {end for r in relations.values() for end in (r.source_entity_id, r.target_entity_id)}
        live = self.live(ends, known_at)
        return {
            i: r
            for i, r in relations.items()
            if r.source_entity_id in live and r.target_entity_id in live
        }

    def live(self, ids: Iterable[str], known_at: str | None = None) -> set[str]:
        """Which of `ids` are live; a Name lives by its mentions of today."""
        asked, found = set(ids), set[str]()
        for kind, of_kind in by_kind(asked).items():
            where = {"kind": rules.KINDS.index(kind), "record_id": of_kind}
            rows = self._session.periods(("record_id",), where, known_at, distinct=True)
            found.update(record_id for (record_id,) in rows)
        names = {each: key for each in asked if (key := name_key(each)) is not None}
        if names:
            lists = self._postings.lists(FIELD, list(names.values()))
            found.update(i for i, each in zip(names, lists, strict=True) if len(each.rows))
        return found

    def _names(self, ids: Sequence[str]) -> dict[str, Entity]:
        if not ids:
            return {}
        keys = [key for key in map(name_key, ids) if key is not None]
        every, numbers = self._postings.lists(FIELD, keys), self._postings.numbers
        rows = {
            i: (key, len(posted.rows), *(int(numbers[posted.rows[at]]) for at in (0, -1)))
            for i, key, posted in zip(ids, keys, every, strict=True)
            if len(posted.rows)
        }
        episodes = self._episodes_of({n for _, _, *ends in rows.values() for n in ends})
        return {
            i: name_entity(key, df, episodes[first], episodes[last])
            for i, (key, df, first, last) in rows.items()
        }

    def _episodes_of(self, numbers: set[int]) -> dict[int, Episode]:
        """The episodes that assert the chunks."""
        rows = self._session.select(CHUNK, ("number", "episode_id"), {"number": numbers})
        episodes = self.of_kind("episode", sorted({episode_id for _, episode_id in rows}))
        found = {number: episodes[episode_id] for number, episode_id in rows}
        return {number: each for number, each in found.items() if isinstance(each, Episode)}


def by_kind(ids: Iterable[str]) -> dict[Kind, list[str]]:
    """The ids that can have a row: whose tag tells a kind, and no Name's."""
    kinds: dict[Kind, list[str]] = {}
    for each in ids:
        if name_key(each) is None and (kind := kind_of(each)):
            kinds.setdefault(kind, []).append(each)
    return kinds
