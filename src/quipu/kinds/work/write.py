"""Goals and tasks into memory: what is there already is not written again.

A record is an episode with one passage, in place of the record of the same id before it. What
changes (the status, the owner, the priority, the deadline) is an episode of its own by date, so
the values before the present one stay known. A tie to what is not here yet is kept, and shows
when that comes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from quipu.kinds.work.claims import (
    Destination,
    item_episode_id,
    prepared_item,
    prepared_state,
    state_ref,
)
from quipu.kinds.work.model import (
    DatedValue,
    End,
    WorkItem,
    work_entity_id,
    work_name,
    work_ref,
)
from quipu.ports import Store
from quipu.records.document import Problem
from quipu.records.naming import document_entity_id, named_entity_id
from quipu.records.record import Entity
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
            seen = parse_instant(written.updated_at or each.seen)
            place = Destination(store.namespace, seen, clock())
            added = _add(written, place, known, ends, writer)
            tally.added |= dict.fromkeys(added)
            tally.unchanged += not added
    writer.flush()
    return tally


def _add(
    written: WorkItem, place: Destination, known: "_Known", ends: "_Ends", writer: BatchWriter
) -> list[str]:
    """Write what a record says that is new; what citations of it open."""
    standing = known.of(written)
    item = msgspec.structs.replace(written, id=standing.id)
    outdated = standing.outdates(item)
    added: list[str] = []
    for state in item.states:
        settled = standing.settled(state, item, place.seen, outdated=outdated)
        if settled is not None:
            writer.add(prepared_state(item, settled, place))
            added.append(state_ref(item, settled))
    if not outdated:
        standing.updated_at = max(item.updated_at, standing.updated_at)
        if known.replace(standing, item_episode_id(item, place.namespace)):
            writer.add(prepared_item(item, ends.of(item), place))
            added.append(work_ref(item.kind, item.id))
    return added


@dataclass
class _Standing:
    """What is known of a piece of work: how its id is written, when its record was updated, its
    dated values, and the observation that this run wrote of it."""

    id: str
    updated_at: str
    states: list[DatedValue]
    episode_id: str = ""

    def outdates(self, item: WorkItem) -> bool:
        """Whether a record of a later date stands already, or a value that began later than the
        day of one that the record does not date itself."""
        if not item.updated_at:
            return False
        if self.updated_at and parse_instant(item.updated_at) < parse_instant(self.updated_at):
            return True
        dated = ((state, self._last(state)) for state in item.states if not state.given)
        return any(
            last is not None
            and last.value != state.value
            and parse_instant(state.since)[:10] < parse_instant(last.since)[:10]
            for state, last in dated
        )

    def settled(
        self, state: DatedValue, item: WorkItem, seen: str, *, outdated: bool
    ) -> DatedValue | None:
        """The state of `item` as it is to be written; None where it says nothing new."""
        last = self._last(state)
        if state.given:
            began = (state.predicate, state.since)
            known = {each.value for each in self.states if (each.predicate, each.since) == began}
            # What the record says after it may have taken its place at the same moment.
            after = item.states[item.states.index(state) + 1 :]
            later = {each.value for each in after if each.predicate == state.predicate}
            if state.value in known or known & later:
                return None
        elif outdated or (last is not None and last.value == state.value):
            return None
        elif last is not None and parse_instant(state.since) <= parse_instant(last.since):
            state = state._replace(since=max(seen, last.since))
        self.states.append(state)
        return state

    def _last(self, state: DatedValue) -> DatedValue | None:
        same = (each for each in self.states if each.predicate == state.predicate)
        return max(same, key=lambda each: parse_instant(each.since), default=None)


class _Known:
    """What the store holds of pieces of work, and what this run has added to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._standing: dict[str, _Standing] = {}

    def of(self, item: WorkItem) -> _Standing:
        """What stands of a piece of work. Its id is as it was written first: `ABC1` and `abc1`
        are one, and what is said of them is said of one name."""
        key = work_entity_id(self._store.namespace, item.kind, item.id)
        if key not in self._standing:
            record = self._store.get([key]).get(key)
            held = record.properties if isinstance(record, Entity) else {}
            ref, stored = work_ref(item.kind, item.id), str(held.get("id") or "")
            named = stored if work_ref(item.kind, stored) == ref else item.id
            states = [
                DatedValue(fact.predicate, fact.object, fact.valid_from)  # type: ignore[arg-type]
                for fact in self._store.facts(work_name(item.kind, named))
                if fact.valid_from and str(fact.provenance.get("path")).startswith(f"{ref}#")
            ]
            self._standing[key] = _Standing(named, str(held.get("updated_at") or ""), states)
        return self._standing[key]

    def replace(self, standing: _Standing, episode_id: str) -> bool:
        """Take a record in place of the one that stands; whether it says something else."""
        before, standing.episode_id = standing.episode_id, episode_id
        return before != episode_id if before else episode_id not in self._store.get([episode_id])


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
