"""Records and ids that are read again and again, kept (records merged) while the store grows.

A person who speaks all day is asserted by thousands of turns, each of which adds one row. As long
as nothing has ended, what was read stays true and new rows are only added
to it; when something has ended, everything is read again.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from quipu.records.ids import Kind
from quipu.records.merge import Assertion, MergedEntity
from quipu.records.record import Asserted, Entity, Fact, Support
from quipu.store import rules
from quipu.store.backend import SUPPORT, Above
from quipu.store.derived.session import Session

__all__ = ["KnownIds", "KnownRecords", "unlisted"]

_MOST = 4_000
_MOST_IDS = 20_000
_MOST_SUPPORT = 100_000
_FOLLOW = 2_000  # new rows beyond which reading again what is asked for is quicker

Observed = Callable[[Iterable[str]], dict[str, str]]


class KnownRecords:
    """Live entities and facts, and the support of records, as far as they were asked for."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.clear()

    def clear(self) -> None:
        """Forget everything (after a rollback, for example)."""
        self._ended, self._top = -1, -1
        self._entities: dict[str, MergedEntity] = {}
        self._facts: dict[str, Fact] = {}
        self._support: dict[str, list[Support]] = {}
        self._supports = 0

    def follow(self, ended: int, observed_at: Observed) -> None:
        """Bring what is known to the moment of the transaction; `ended` counts what ended."""
        top = self._session.last("row")
        if ended != self._ended or not self._top <= top <= self._top + _FOLLOW:
            self.clear()
        elif top > self._top and (self._entities or self._facts or self._support):
            self._grow(observed_at)
        self._ended, self._top = ended, top

    def _grow(self, observed_at: Observed) -> None:
        columns = ("record_id", "episode_id", "recorded_at", "chunk_ids", "known_until", "body")
        rows = self._session.select(SUPPORT, columns, {"row": Above(self._top)}, order=("row",))
        heard: list[tuple[str, str, bytes]] = []
        for record_id, episode_id, recorded_at, chunk_ids, known_until, body in rows:
            if record_id in self._support:
                made = Support(
                    record_id=record_id,
                    episode_id=episode_id,
                    recorded_at=recorded_at,
                    chunk_ids=unlisted(chunk_ids),
                    known_until=known_until,
                )
                self._support[record_id].append(made)
                self._support[record_id].sort(key=lambda s: (s.recorded_at, s.episode_id))
                self._supports += 1
            self._facts.pop(record_id, None)
            if record_id in self._entities and known_until is None:
                heard.append((record_id, episode_id, body))
        times = observed_at({episode_id for _, episode_id, _ in heard})
        for record_id, episode_id, body in heard:
            said = rules.decode("entity", body)
            assert isinstance(said, Entity)
            self._entities[record_id].add(Assertion(said, episode_id, times[episode_id]))

    def records(self, kind: Kind, ids: Iterable[str]) -> dict[str, Asserted]:
        """Those of the records that are known."""
        if kind == "entity":
            return {i: self._entities[i].record for i in ids if i in self._entities}
        return {i: self._facts[i] for i in ids if i in self._facts} if kind == "fact" else {}

    def keep(self, kind: Kind, record_id: str, assertions: Sequence[Assertion]) -> Asserted | None:
        """The record that all its assertions make, known from now on; None for a relation."""
        if len(self._entities) + len(self._facts) >= _MOST:
            self._entities, self._facts = {}, {}
        if kind == "entity":
            entity = self._entities[record_id] = MergedEntity()
            for each in assertions:
                entity.add(each)
            return entity.record
        if kind != "fact":
            return None
        last = max(assertions, key=lambda a: (a.observed_at, a.episode_id)).record
        assert isinstance(last, Fact)
        self._facts[record_id] = last
        return last

    def support(self, record_id: str) -> list[Support] | None:
        """All periods of support of a record, if they are known."""
        found = self._support.get(record_id)
        return None if found is None else list(found)

    def keep_support(self, record_id: str, support: Sequence[Support]) -> None:
        """Know the support of a record from now on."""
        if self._supports + len(support) > _MOST_SUPPORT or len(self._support) >= _MOST:
            self._support, self._supports = {}, 0
        self._support[record_id] = list(support)
        self._supports += len(support)


class KnownIds:
    """Ids by number and numbers by id, of live chunks, for as long as nothing ends."""

    def __init__(self) -> None:
        self._ended = -1
        self._by_number: dict[int, tuple[str, str]] = {}
        self._by_id: dict[str, int] = {}

    def at(self, ended: int) -> None:
        """Forget everything if more has `ended` since; a bounded part is kept of much."""
        if ended != self._ended or len(self._by_number) > _MOST_IDS:
            self._by_number, self._by_id = {}, {}
            self._ended = ended

    def put(self, rows: Iterable[tuple[int, str, str]]) -> None:
        """Take in number, chunk and document of live chunks."""
        for number, chunk_id, document_id in rows:
            self._by_number[number] = (chunk_id, document_id)
            self._by_id[chunk_id] = number

    def unknown(self, numbers: Iterable[int]) -> list[int]:
        """The numbers that were not put."""
        return [number for number in numbers if number not in self._by_number]

    def unknown_ids(self, chunk_ids: Iterable[str]) -> list[str]:
        """The ids that were not put."""
        return [chunk_id for chunk_id in chunk_ids if chunk_id not in self._by_id]

    def of(self, number: int) -> tuple[str, str] | None:
        """The chunk and the document with this number."""
        return self._by_number.get(number)

    def number(self, chunk_id: str) -> int:
        """The number of a live chunk; -1 for others."""
        return self._by_id.get(chunk_id, -1)


def unlisted(chunk_ids: str) -> tuple[str, ...]:
    """The ids in a stored list."""
    return tuple(msgspec.json.decode(chunk_ids)) if chunk_ids else ()
