"""What an in-memory namespace holds, and the questions its other files ask of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quipu.index.mentions import FIELD, name_entity
from quipu.ports import Change
from quipu.records.batch import IndexedChunk, Terms
from quipu.records.ids import Kind, name_key
from quipu.records.merge import Assertion, merge
from quipu.records.record import Asserted, Chunk, Entity, Episode, Record, Relation
from quipu.records.scope import EVERYTHING, Scope
from quipu.store import rules

R = TypeVar("R", bound=Record)


@dataclass(slots=True)
class Row:
    """One period of support: who asserted what, from when, until when."""

    record_id: str
    kind: Kind
    episode_id: str
    recorded_at: str
    chunk_ids: tuple[str, ...]
    body: bytes
    known_until: str | None = None

    def stands(self, known_at: str | None) -> bool:
        """Whether this support is live, or was at `known_at`."""
        if known_at is None:
            return self.known_until is None
        return self.recorded_at <= known_at and (
            self.known_until is None or known_at < self.known_until
        )


@dataclass(slots=True)
class Numbered:
    """A chunk in the indexes, or one that has left them and can still be read."""

    chunk: Chunk
    columns: bytes
    digest: bytes
    fields: dict[str, Terms]
    live: bool = True


@dataclass(slots=True)
class Space:
    """The vectors of the live chunks in one embedding space, by number."""

    dimension: int
    vectors: dict[int, NDArray[np.float16]] = field(default_factory=dict[int, NDArray[np.float16]])
    parts: dict[int, NDArray[np.float16]] = field(default_factory=dict[int, NDArray[np.float16]])


@dataclass(slots=True)
class State:
    """One namespace."""

    rows: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])
    numbered: dict[int, Numbered] = field(default_factory=dict[int, Numbered])
    number_of: dict[str, int] = field(default_factory=dict[str, int])
    next_number: int = 0
    spaces: dict[str, Space] = field(default_factory=dict[str, Space])
    changes: list[Change] = field(default_factory=list[Change])

    def all_rows(self) -> Iterator[Row]:
        """Every period of support of every record."""
        return (row for rows in self.rows.values() for row in rows)

    def live_row(self, record_id: str, episode_id: str) -> Row | None:
        """The live support that an episode gives to a record."""
        for row in self.rows.get(record_id, ()):
            if row.episode_id == episode_id and row.known_until is None:
                return row
        return None

    def is_live(self, record_id: str, known_at: str | None = None) -> bool:
        """Whether any support of the record stands; a Name lives by its mentions of today."""
        key = name_key(record_id)
        if key is not None:
            return bool(self.numbers_with(FIELD, key))
        return any(row.stands(known_at) for row in self.rows.get(record_id, ()))

    def record(self, record_id: str, known_at: str | None = None) -> Record | None:
        """The live record of this id, merged from its support."""
        key = name_key(record_id)
        if key is not None:
            return self._name(key)
        standing = [row for row in self.rows.get(record_id, ()) if row.stands(known_at)]
        if not standing:
            return None
        if standing[-1].kind in ("episode", "chunk"):
            return rules.decode(standing[-1].kind, standing[-1].body)
        by_episode = {row.episode_id: row for row in standing}
        merged = merge(self._assertion(row, known_at) for row in by_episode.values())
        if isinstance(merged, Relation) and not (
            self.is_live(merged.source_entity_id, known_at)
            and self.is_live(merged.target_entity_id, known_at)
        ):
            return None
        return merged

    def _assertion(self, row: Row, known_at: str | None) -> Assertion:
        record = rules.decode(row.kind, row.body)
        assert isinstance(record, Asserted)
        return Assertion(record, row.episode_id, self._observed_at(row.episode_id, known_at))

    def _observed_at(self, episode_id: str, known_at: str | None) -> str:
        rows = self.rows[episode_id]
        row = next((r for r in reversed(rows) if r.stands(known_at)), rows[-1])
        episode = rules.decode("episode", row.body)
        assert isinstance(episode, Episode)
        return episode.observed_at

    def _name(self, key: str) -> Entity | None:
        numbers = self.numbers_with(FIELD, key)
        if not numbers:
            return None
        return name_entity(
            key, len(numbers), self.episode_of(numbers[0]), self.episode_of(numbers[-1])
        )

    def records(self, kind: type[R], known_at: str | None = None) -> Iterator[R]:
        """Every live record of one kind that has rows, by id."""
        for record_id in sorted(self.rows):
            record = self.record(record_id, known_at)
            if isinstance(record, kind):
                yield record

    def live_numbers(self, scope: Scope = EVERYTHING) -> list[int]:
        """The numbers of the live chunks that `scope` admits, in order."""
        numbers = [n for n, item in self.numbered.items() if item.live]
        if scope == EVERYTHING:
            return sorted(numbers)
        return sorted(n for n in numbers if rules.admits(scope, self.place(n)))

    def numbers_with(self, name: str, term: str) -> list[int]:
        """The live chunks in whose field `name` the term stands."""
        return [n for n in self.live_numbers() if term in self.numbered[n].fields.get(name, {})]

    def episode_of(self, number: int) -> Episode:
        """The episode that asserts a live chunk."""
        episode = self.record(self.numbered[number].chunk.episode_id)
        assert isinstance(episode, Episode)
        return episode

    def place(self, number: int) -> rules.Place:
        """Where a live chunk stands, for scopes."""
        chunk = self.numbered[number].chunk
        document = self.record(chunk.document_id)
        entity = document if isinstance(document, Entity) else None
        return rules.place_of(chunk, self.episode_of(number), entity)


def indexed(item: IndexedChunk, digest: bytes) -> Numbered:
    """A chunk as the state keeps it."""
    return Numbered(item.chunk, item.columns, digest, item.fields)
