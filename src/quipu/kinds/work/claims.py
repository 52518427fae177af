"""What a goal or a task asserts: itself, what ties it to the rest, and its dated values."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from quipu.kinds.work.model import (
    DATED,
    DatedValue,
    End,
    Predicate,
    WorkItem,
    work_name,
    work_ref,
)
from quipu.profiles import profile
from quipu.records.ids import episode_id_of, make_id
from quipu.records.record import Asserted, Entity, Fact, Properties, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.text import excerpt
from quipu.write.prepare import Prepared

__all__ = ["Destination", "item_episode_id", "prepared_item", "prepared_state", "state_ref"]

_PROFILE = "prose"
_PREVIEW = 500
_SAID: dict[tuple[RelationType, bool], str] = {
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


_LINE: dict[Predicate, str] = {
    "status": "Status: {}",
    "owner": "Owner: {} owns it",
    "priority": "Priority: {}",
    "deadline": "Deadline: due on {}",
}


class Destination(NamedTuple):
    """Where records go, and when: `seen` is the instant from which a record holds if it names no
    date itself, `now` when it is written."""

    namespace: str
    seen: str
    now: str


def item_episode_id(item: WorkItem, namespace: str) -> str:
    """The id of the observation of what a record says, wherever it stands."""
    return episode_id_of(namespace, item.kind, work_ref(item.kind, item.id), _digest(item))


def state_ref(item: WorkItem, state: DatedValue) -> str:
    """What a citation of a dated value opens."""
    return f"{work_ref(item.kind, item.id)}#{state.predicate}@{state.since}"


def prepared_item(item: WorkItem, ends: Mapping[End, str], place: Destination) -> Prepared:
    """The piece of work with its passage and its ties; `ends` gives the record of each end."""
    draft = _draft(item, place, work_ref(item.kind, item.id), _digest(item))
    entity = _entity(item, draft)
    claims: list[Asserted] = [
        draft.document_entity(item.kind, _title(item)),
        entity,
        _stated(draft, draft.document_id, RelationType.DESCRIBES, entity.entity_id),
    ]
    for relation in item.relations:
        other = ends[relation.end]
        pair = (other, entity.entity_id) if relation.inward else (entity.entity_id, other)
        if other != entity.entity_id:
            claims.append(_stated(draft, pair[0], relation.type, pair[1]))
        if relation.end.kind == "url":
            claims.append(draft.entity(EntityType.URL, relation.end.name))
    if owner := item.now("owner"):
        owner_entity = draft.entity(EntityType.OWNER, owner)
        claims += [
            owner_entity,
            _stated(draft, entity.entity_id, RelationType.OWNED_BY, owner_entity.entity_id),
        ]
    return _prepared(item, draft, place, _text(item), _title(item), claims)


def prepared_state(item: WorkItem, state: DatedValue, place: Destination) -> Prepared:
    """A value of a piece of work and since when it holds, as a fact with a passage of its own in
    the document of the work: the next value does not end what was true before it."""
    text = f"The {state.predicate} of {item.name} ({item.title}) is {state.value} since "
    text += f"{state.since[:10]}."
    ref = state_ref(item, state)
    digest = hashlib.sha256(text.encode()).hexdigest()
    title = f"{_title(item)} ({state.predicate} since {state.since[:10]})"
    draft = _draft(item, place, ref, digest)
    fact = Fact(
        fact_id=make_id(
            "fact",
            place.namespace,
            draft.document_id,
            item.name,
            state.predicate,
            state.value,
            state.since,
            "",
        ),
        subject=item.name,
        predicate=state.predicate,
        object=state.value,
        updated_at=place.seen,
        source_sha=draft.sha,
        valid_from=state.since,
        provenance={"document_id": draft.document_id, "path": ref, "line": 1, "text": text},
    )
    return _prepared(item, draft, place, text, title, [fact])


def _draft(item: WorkItem, place: Destination, ref: str, sha: str) -> Draft:
    return Draft(
        namespace=place.namespace,
        type=item.kind,
        ref=ref,
        sha=sha,
        seen=place.seen,
        document=work_ref(item.kind, item.id),
    )


def _stated(draft: Draft, source: str, type_: RelationType, target: str) -> Relation:
    """A relation that the record states. One whose other end is not here yet shows when that
    comes."""
    return draft.relation(source, type_, target, properties={"as_written": type_.lower()})


def _prepared(
    item: WorkItem,
    draft: Draft,
    place: Destination,
    text: str,
    title: str,
    records: "list[Asserted]",
) -> Prepared:
    """One observation with its passage, to be written in place of what stood under its
    reference."""
    pointer: Properties = {"pointer": item.pointer} if item.pointer else {}
    position = 0 if draft.ref == draft.document else 1
    chunk = draft.passage(text, profile=_PROFILE, title=title, position=position)
    return Prepared(
        draft.ref,
        (),
        draft.episode(place.now, preview=excerpt(text, limit=_PREVIEW), properties=pointer),
        (profile(_PROFILE).index_chunk(chunk),),
        draft.claims(records, chunk),
        (draft.ref,),
    )


def _digest(item: WorkItem) -> str:
    """Stands for what a record says: not for where, nor for dates it does not give itself."""
    said = msgspec.structs.replace(item, pointer="", states=())
    values = [item.now(predicate) for predicate in DATED]
    body = msgspec.json.encode([said, values], order="deterministic")
    return hashlib.sha256(body).hexdigest()


def _title(item: WorkItem) -> str:
    return f"{item.name}: {item.title}"


def _text(item: WorkItem) -> str:
    parts = [f"{_title(item)}.", *_lines(item), item.description]
    return "\n".join(part for part in parts if part)


def _lines(item: WorkItem) -> Iterator[str]:
    """What the fields of a record say, a line each."""
    for predicate in DATED:
        if value := item.now(predicate):
            yield _LINE[predicate].format(value)
    for (relation, inward), words in _SAID.items():
        ends = [_shown(t.end) for t in item.relations if (t.type, t.inward) == (relation, inward)]
        if ends:
            yield f"{words}: {', '.join(ends)}"
    if item.tags:
        yield f"Tags: {', '.join(item.tags)}"


def _shown(end: End) -> str:
    if end.kind in ("goal", "task"):
        return work_name(end.kind, end.name)  # type: ignore[arg-type]
    return f"{end.kind}:{end.name}" if end.kind in ("session", "commit") else end.name


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
        EntityType.GOAL if item.kind == "goal" else EntityType.TASK,
        item.name,
        aliases=(item.title,) if several else (),
        description=excerpt(item.description or item.title, limit=_PREVIEW),
        properties={key: value for key, value in properties.items() if value},
    )
