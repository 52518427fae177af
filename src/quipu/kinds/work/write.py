"""Goals and tasks into memory: what is there already is not written again.

A record is an episode with one passage, in place of the record of the same id before it. What
changes (the status, the owner, the priority, the deadline) is an episode of its own by date, so
the values before the present one stay known. A tie to what is not here yet is kept, and shows
when that comes.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from quipu.handle.handle import Handle
from quipu.kinds.work.model import (
    DATED,
    KINDS,
    TYPES,
    DatedValue,
    End,
    GivenFiles,
    Predicate,
    WorkItem,
    work_entity_id,
    work_ref,
)
from quipu.kinds.work.read import WorkRead, read_record, read_work_files
from quipu.limits import PREVIEW
from quipu.ports import Progress, Store
from quipu.profiles import profile
from quipu.records.ids import document_entity_id, make_id, named_entity_id
from quipu.records.record import Asserted, Entity, Fact, Properties
from quipu.records.refs import COMMIT, FILE, SESSION_PREFIX, commit_ref, session_ref
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import Clock, parse_instant
from quipu.write.batches import BatchWriter
from quipu.write.passages import PassageTally
from quipu.write.prepare import Prepared
from quipu.write.report import IndexReport

__all__ = ["add_files", "add_records"]

_PROFILE = "prose"
_VALUE_LINES: dict[Predicate, str] = {
    "status": "Status: {}",
    "owner": "Owner: {} owns it",
    "priority": "Priority: {}",
    "deadline": "Deadline: due on {}",
}
_RELATION_LINES: dict[tuple[RelationType, bool], str] = {
    (RelationType.HAS_TASK, True): "Task of",
    (RelationType.HAS_TASK, False): "Its tasks are",
    (RelationType.HAS_SUBTASK, True): "Subtask of",
    (RelationType.HAS_SUBTASK, False): "Its subtasks are",
    (RelationType.PART_OF, False): "Part of",
    (RelationType.DEPENDS_ON, False): "Depends on",
    (RelationType.BLOCKS, False): "Blocks",
    (RelationType.BLOCKS, True): "Blocked by",
    (RelationType.MODIFIES, False): "Modifies",
    (RelationType.REFERENCES, False): "References",
}


class _Destination(NamedTuple):
    """Where a record goes, the instant from which it holds, and when it is written."""

    store: Store
    seen: str
    now: str


def add_files(
    handle: Handle, given: GivenFiles, *, embed: bool, progress: Progress | None
) -> tuple[IndexReport | None, frozenset[Path] | None]:
    """Remember the goals and tasks in files, or in all files of folders: the report, None where
    no file holds any, and the files that were read; None for these when all were."""
    paths = [Path(path) for path in given.paths]
    with handle.guard() as call:
        files = [*read_work_files(paths, given.kind, call=call)]
    if not files:
        return None, frozenset()
    read = ((records, seen) for _, seen, records in files)
    report = _added(handle, read, embed=embed, progress=progress)
    work_files = frozenset(file for file, _, _ in files)
    whole = given.kind is not None or work_files.issuperset(paths)
    return report, None if whole else work_files


def add_records(
    handle: Handle, records: Sequence[dict[str, object]], *, seen: str, embed: bool
) -> IndexReport:
    """Remember records of goals and tasks (docs/how-to/goals.md); those that name no date hold
    from the instant `seen`."""
    read = WorkRead.of(
        read_record(dict(record), at=f"#{n}", seen=seen) for n, record in enumerate(records, 1)
    )
    return _added(handle, [(read, seen)], embed=embed, progress=None)


def _added(
    handle: Handle, read: Iterable[tuple[WorkRead, str]], *, embed: bool, progress: Progress | None
) -> IndexReport:
    fill = partial(_add_work, read, handle.store, clock=handle.clock)
    with handle.writing:
        return handle.indexer().added(fill, embed, progress)


def _add_work(
    read: Iterable[tuple[WorkRead, str]], store: Store, writer: BatchWriter, *, clock: Clock
) -> PassageTally:
    """Write what is new in the records, each read with the instant from which it holds if it names
    no date; of one record given twice the last stands."""
    tally = PassageTally()
    known: dict[str, _Standing] = {}
    for records, seen in read:
        tally.problems += records.problems
        for item in records.items:
            key = work_entity_id(store.namespace, item.kind, item.id)
            if key not in known:
                known[key] = _standing(item, key, store)
            place = _Destination(store, parse_instant(item.updated_at or seen), clock())
            prepared = list(_news(item, known[key], place))
            for one in prepared:
                writer.add(one)
            tally.added |= dict.fromkeys(one.ref for one in prepared)
            tally.unchanged += not prepared
    writer.flush()
    return tally


def _news(written: WorkItem, standing: "_Standing", place: _Destination) -> Iterator[Prepared]:
    """What a record says that is new. One that was updated before the one that stands says only
    what it dates itself."""
    item = msgspec.structs.replace(written, id=standing.id)
    updated, before = item.updated_at, standing.updated_at
    outdated = bool(updated and before) and parse_instant(updated) < parse_instant(before)
    for at, state in enumerate(item.states):
        after = {s.value for s in item.states[at + 1 :] if s.predicate == state.predicate}
        if settled := standing.settled(state, after, place.seen, outdated=outdated):
            yield _prepared_state(item, settled, place)
    if outdated:
        return
    standing.updated_at = updated or before
    prepared = _prepared_item(item, place)
    episode_id = prepared.episode.episode_id if prepared.episode else ""
    written_now, standing.episode_id = standing.episode_id, episode_id
    stands = written_now or (episode_id if place.store.get([episode_id]) else "")
    if stands != episode_id:
        yield prepared


@dataclass
class _Standing:
    """What is known of a piece of work: how its id is written, when its record was updated, its
    dated values, and the observation that this run wrote of it."""

    id: str
    updated_at: str
    states: list[DatedValue]
    episode_id: str = ""

    def settled(
        self, state: DatedValue, after: set[str], seen: str, *, outdated: bool
    ) -> DatedValue | None:
        """Return the state as it is to be written; None where it says nothing new. What the record
        says `after` it may have taken its place at the same moment, in an earlier reading."""
        same = [known for known in self.states if known.predicate == state.predicate]
        last = max(same, key=lambda known: parse_instant(known.since), default=None)
        if state.given:
            held = {known.value for known in same if known.since == state.since}
            if state.value in held or held & after:
                return None
        elif outdated or (last is not None and last.value == state.value):
            return None
        elif last is not None and parse_instant(state.since) <= parse_instant(last.since):
            state = state._replace(since=max(seen, last.since))
        self.states.append(state)
        return state


def _standing(item: WorkItem, key: str, store: Store) -> _Standing:
    """What the store holds of a piece of work. Its id is as it was written first: `ABC1` and `abc1`
    are one, and what is said of them is said of one name."""
    record = store.get([key]).get(key)
    held = record.properties if isinstance(record, Entity) else {}
    stored = str(held.get("id") or "")
    own = stored if work_ref(item.kind, stored) == item.ref else item.id
    states = [
        DatedValue(cast("Predicate", fact.predicate), fact.object, fact.valid_from)
        for fact in store.facts(f"{item.kind}-{own}")
        if fact.valid_from and str(fact.provenance.get("path")).startswith(f"{item.ref}#")
    ]
    return _Standing(own, str(held.get("updated_at") or ""), states)


def _prepared_item(item: WorkItem, place: _Destination) -> Prepared:
    """The piece of work with its passage and its ties."""
    said = [msgspec.structs.replace(item, pointer="", states=()), list(map(item.now, DATED))]
    draft = _draft(item, place, item.ref, msgspec.json.encode(said, order="deterministic"))
    entity = _entity(item, draft)
    title = f"{item.name}: {item.title}"
    ties = [(draft.document_id, RelationType.DESCRIBES, entity.entity_id)]
    records: list[Asserted] = [draft.document_entity(item.kind, title), entity]
    for relation in item.relations:
        other = _end_id(relation.end, place.store)
        if other != entity.entity_id:
            pair = (other, entity.entity_id) if relation.inward else (entity.entity_id, other)
            ties.append((pair[0], relation.type, pair[1]))
        if relation.end.kind == "url":
            records.append(draft.entity(EntityType.URL, relation.end.name))
    if owner := item.now("owner"):
        owning = draft.entity(EntityType.OWNER, owner)
        records.append(owning)
        ties.append((entity.entity_id, RelationType.OWNED_BY, owning.entity_id))
    records += [
        draft.relation(source, type_, target, properties={"as_written": type_.lower()})
        for source, type_, target in ties
    ]
    text = "\n".join(filter(None, [f"{title}.", *_lines(item), item.description]))
    return _prepared(item, draft, place, text, title, records)


def _prepared_state(item: WorkItem, state: DatedValue, place: _Destination) -> Prepared:
    """A value of a piece of work and since when it holds, as a fact with a passage of its own in
    the document of the work: the next value does not end what was true before it."""
    day = state.since[:10]
    text = f"The {state.predicate} of {item.name} ({item.title}) is {state.value} since {day}."
    ref = f"{item.ref}#{state.predicate}@{state.since}"
    draft = _draft(item, place, ref, text.encode())
    said = (item.name, state.predicate, state.value, state.since)
    fact = Fact(
        fact_id=make_id("fact", place.store.namespace, draft.document_id, *said, ""),
        subject=item.name,
        predicate=state.predicate,
        object=state.value,
        updated_at=place.seen,
        source_sha=draft.sha,
        valid_from=state.since,
        provenance={"document_id": draft.document_id, "path": ref, "line": 1, "text": text},
    )
    title = f"{item.name}: {item.title} ({state.predicate} since {day})"
    return _prepared(item, draft, place, text, title, [fact])


def _draft(item: WorkItem, place: _Destination, ref: str, said: bytes) -> Draft:
    return Draft(
        namespace=place.store.namespace,
        type=item.kind,
        ref=ref,
        sha=hashlib.sha256(said).hexdigest(),
        seen=place.seen,
        document=item.ref,
    )


def _prepared(
    item: WorkItem,
    draft: Draft,
    place: _Destination,
    text: str,
    title: str,
    records: Sequence[Asserted],
) -> Prepared:
    """One observation with its passage, to be written in place of what stood under its
    reference."""
    pointer: Properties = {"pointer": item.pointer} if item.pointer else {}
    position = 0 if draft.ref == draft.document else 1
    chunk = draft.passage(text, profile=_PROFILE, title=title, position=position)
    return Prepared(
        draft.ref,
        (),
        draft.episode(place.now, preview=excerpt(text, limit=PREVIEW), properties=pointer),
        (profile(_PROFILE).index_chunk(chunk),),
        draft.claims(records, chunk),
        (draft.ref,),
    )


def _entity(item: WorkItem, draft: Draft) -> Entity:
    several = len(item.title.split()) > 1  # a title of one word would be found in every question
    properties: Properties = {
        "id": item.id,
        "title": item.title,
        "tags": [*item.tags],
        "created_at": item.created_at,
        "updated_at": item.updated_at,
        "pointer": item.pointer,
    }
    properties |= {predicate: item.now(predicate) for predicate in DATED}
    return draft.entity(
        TYPES[item.kind],
        item.name,
        aliases=(item.title,) if several else (),
        description=excerpt(item.description or item.title, limit=PREVIEW),
        properties={key: value for key, value in properties.items() if value},
    )


def _lines(item: WorkItem) -> Iterator[str]:
    """What the fields of a record say, a line each."""
    for predicate, words in _VALUE_LINES.items():
        if value := item.now(predicate):
            yield words.format(value)
    for key, words in _RELATION_LINES.items():
        if ends := [_shown(t.end) for t in item.relations if (t.type, t.inward) == key]:
            yield f"{words}: {', '.join(ends)}"
    if item.tags:
        yield f"Tags: {', '.join(item.tags)}"


def _shown(end: End) -> str:
    if end.kind in KINDS:
        return f"{end.kind}-{end.name}"
    return f"{end.kind}:{end.name}" if end.kind in ("session", "commit") else end.name


def _end_id(end: End, store: Store) -> str:
    """The record that a tie leads to, whether it is here yet or not. A renamed file keeps the id it
    had; the beginning of a hash means the one commit that it can."""
    space, name = store.namespace, end.name
    if end.kind in KINDS:
        return work_entity_id(space, end.kind, name)
    if end.kind == "url":
        return named_entity_id(space, EntityType.URL, name.partition("#")[0])
    if end.kind == "session":
        ref = session_ref(name.removeprefix(SESSION_PREFIX).partition("#")[0])
        return document_entity_id(space, ref)
    if end.kind == "commit":
        found = store.sources(frozenset({COMMIT}), prefix=commit_ref(name))
        return document_entity_id(
            space, found[0].source_ref if len(found) == 1 else commit_ref(name)
        )
    files = store.sources(frozenset({FILE}), refs=[name])
    return next((s.document_id for s in files if s.document_id), None) or document_entity_id(
        space, name
    )
