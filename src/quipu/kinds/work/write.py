"""Goals and tasks into memory: what is there already is not written again.

A record is an episode with one passage, in place of the record of the same id before it. What
changes (the status, the owner, the priority, the deadline) is an episode of its own by date, so
the values before the present one stay known. A tie to what is not here yet is kept, and shows
when that comes.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from quipu.kinds.work.claims import (
    Destination,
    item_episode_id,
    prepared_item,
    prepared_state,
    state_ref,
)
from quipu.kinds.work.model import DatedValue, End, WorkItem, work_entity_id, work_ref
from quipu.ports import Store
from quipu.records.document import Problem
from quipu.records.naming import document_entity_id, named_entity_id
from quipu.records.record import Entity, Fact
from quipu.records.refs import COMMIT, FILE, SESSION_PREFIX, commit_ref, session_ref
from quipu.records.schema import EntityType
from quipu.when.instants import Clock, parse_instant
from quipu.write.batches import BatchWriter
from quipu.write.passages import PassageTally

__all__ = ["GivenWork", "add_work"]

_FULL_HASH = 40


class GivenWork(NamedTuple):
    """Records, and the instant from which they hold if they name no date themselves."""

    items: tuple[WorkItem, ...]
    seen: str


def add_work(
    given: Iterable[GivenWork | Problem], store: Store, writer: BatchWriter, *, clock: Clock
) -> PassageTally:
    """Write what is new in the records; of one record given twice the last stands."""
    tally = PassageTally()
    ends, known = _Ends(store), _Known(store)
    for each in given:
        if isinstance(each, Problem):
            tally.problems.append(each)
            continue
        for written in each.items:
            item = known.spelled(written)
            place = Destination(store.namespace, item.updated_at or each.seen, clock())
            place = place._replace(seen=parse_instant(place.seen))
            _add(item, place, known, ends, writer, tally)
    writer.flush()
    return tally


def _add(
    item: WorkItem,
    place: Destination,
    known: "_Known",
    ends: "_Ends",
    writer: BatchWriter,
    tally: PassageTally,
) -> None:
    new = False
    outdated = known.is_outdated(item)
    for state in item.states:
        settled = known.settled(item, state, place.seen, outdated=outdated)
        if settled is not None:
            writer.add(prepared_state(item, settled, place))
            tally.added[state_ref(item, settled)] = None
            new = True
    if not outdated and known.is_new(item):
        writer.add(prepared_item(item, ends.of(item), place))
        tally.added[work_ref(item.kind, item.id)] = None
        new = True
    tally.unchanged += not new


class _Known:
    """What the store holds of pieces of work, and what this run has added to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._latest: dict[str, str] = {}
        self._episodes: dict[str, str] = {}
        self._states_by_name: dict[str, list[DatedValue]] = {}
        self._ids: dict[str, str] = {}

    def spelled(self, item: WorkItem) -> WorkItem:
        """The record with its id as it is written where the work stands already: `ABC1` and
        `abc1` are one, and what is said of them is said of one name."""
        entity = work_entity_id(self._store.namespace, item.kind, item.id)
        if entity not in self._ids:
            record = self._store.get([entity]).get(entity)
            stored = record.properties.get("id") if isinstance(record, Entity) else None
            same = isinstance(stored, str) and work_ref(item.kind, stored) == work_ref(
                item.kind, item.id
            )
            self._ids[entity] = str(stored) if same else item.id
        return msgspec.structs.replace(item, id=self._ids[entity])

    def is_new(self, item: WorkItem) -> bool:
        """Whether the record says something else than the one that stands."""
        space = self._store.namespace
        episode_id = item_episode_id(item, space)
        entity = work_entity_id(space, item.kind, item.id)
        before = self._episodes.get(entity)
        self._episodes[entity] = episode_id
        self._latest[entity] = max(item.updated_at, self._latest.get(entity, ""))
        if before is not None:
            return before != episode_id
        return episode_id not in self._store.get([episode_id])

    def is_outdated(self, item: WorkItem) -> bool:
        """Whether a record of a later date stands already, or a value that began later."""
        if not item.updated_at:
            return False
        if any(self._is_past(item, state) for state in item.states):
            return True
        entity = work_entity_id(self._store.namespace, item.kind, item.id)
        if entity not in self._latest:
            record = self._store.get([entity]).get(entity)
            said = record.properties.get("updated_at") if isinstance(record, Entity) else None
            self._latest[entity] = said if isinstance(said, str) else ""
        latest = self._latest[entity]
        return bool(latest) and parse_instant(item.updated_at) < parse_instant(latest)

    def _is_past(self, item: WorkItem, state: DatedValue) -> bool:
        """Whether a value that a record does not date itself had been replaced by the day that
        the record is of."""
        same = [s for s in self._states(item) if s.predicate == state.predicate]
        if state.given or not same:
            return False
        last = max(same, key=lambda s: parse_instant(s.since))
        day, begun = (parse_instant(each)[:10] for each in (state.since, last.since))
        return last.value != state.value and day < begun

    def settled(
        self, item: WorkItem, state: DatedValue, seen: str, *, outdated: bool
    ) -> DatedValue | None:
        """The state as it is to be written; None where it says nothing new."""
        states = self._states(item)
        same = [s for s in states if s.predicate == state.predicate]
        if state.given:
            if any((s.value, s.since) == (state.value, state.since) for s in same):
                return None
        elif outdated:
            return None
        elif same:
            last = max(same, key=lambda s: parse_instant(s.since))
            if last.value == state.value:
                return None
            if parse_instant(state.since) <= parse_instant(last.since):
                state = state._replace(since=max(seen, last.since))
        states.append(state)
        return state

    def _states(self, item: WorkItem) -> list[DatedValue]:
        if item.name not in self._states_by_name:
            self._states_by_name[item.name] = [
                DatedValue(fact.predicate, fact.object, fact.valid_from)  # type: ignore[arg-type]
                for fact in self._store.facts(item.name)
                if fact.valid_from and _is_ours(fact, item)
            ]
        return self._states_by_name[item.name]


def _is_ours(fact: Fact, item: WorkItem) -> bool:
    path = fact.provenance.get("path")
    return isinstance(path, str) and path.startswith(f"{work_ref(item.kind, item.id)}#")


class _Ends:
    """The records that ties lead to, whether they are here yet or not."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._space = store.namespace
        self._files: dict[str, str] | None = None
        self._commits: Sequence[str] | None = None

    def of(self, item: WorkItem) -> dict[End, str]:
        """The record id of each end of a piece of work."""
        return {relation.end: self._record(relation.end) for relation in item.relations}

    def _record(self, end: End) -> str:
        if end.kind == "goal" or end.kind == "task":
            return work_entity_id(self._space, end.kind, end.name)
        if end.kind == "url":
            return named_entity_id(self._space, EntityType.URL, end.name.partition("#")[0])
        if end.kind == "session":
            ref = session_ref(end.name.removeprefix(SESSION_PREFIX).partition("#")[0])
            return document_entity_id(self._space, ref)
        if end.kind == "commit":
            return document_entity_id(self._space, commit_ref(self._whole(end.name)))
        return self._document(end.name)

    def _document(self, path: str) -> str:
        """The document of a file: a renamed one keeps the id it had."""
        if self._files is None:
            sources = self._store.sources(frozenset({FILE}))
            self._files = {s.source_ref: s.document_id for s in sources if s.document_id}
        return self._files.get(path) or document_entity_id(self._space, path)

    def _whole(self, digits: str) -> str:
        """The whole hash of the one commit that begins with `digits`, if there is one."""
        if len(digits) == _FULL_HASH:
            return digits
        if self._commits is None:
            sources = self._store.sources(frozenset({COMMIT}))
            self._commits = [s.source_ref.removeprefix(commit_ref("")) for s in sources]
        found = [sha for sha in self._commits if sha.startswith(digits)]
        return found[0] if len(found) == 1 else digits
