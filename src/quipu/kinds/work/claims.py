"""What a goal or a task asserts: itself, what ties it to the rest, and its dated values."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from quipu.kinds.work.model import (
    DATED,
    End,
    Predicate,
    State,
    WorkItem,
    work_entity_id,
    work_name,
    work_ref,
)
from quipu.profiles import profile
from quipu.records.batch import Claim
from quipu.records.ids import make_id
from quipu.records.naming import document_entity_id, named_entity_id, relation_id
from quipu.records.record import Asserted, Chunk, Entity, Episode, Fact, Properties, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.text import excerpt
from quipu.write.prepare import Prepared

__all__ = ["Place", "item_episode_id", "prepared_item", "prepared_state", "state_ref"]

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


class Place(NamedTuple):
    """Where records go, and when: `seen` is the instant from which a record holds if it names no
    date itself, `now` when it is written."""

    namespace: str
    seen: str
    now: str


def item_episode_id(item: WorkItem, namespace: str) -> str:
    """The id of the observation of what a record says, wherever it stands."""
    return make_id("episode", namespace, item.kind, work_ref(item.kind, item.id), _digest(item))


def state_ref(item: WorkItem, state: State) -> str:
    """What a citation of a dated value opens."""
    return f"{work_ref(item.kind, item.id)}#{state.predicate}@{state.since}"


def prepared_item(item: WorkItem, ends: Mapping[End, str], place: Place) -> Prepared:
    """The piece of work with its passage and its ties; `ends` gives the record of each end."""
    made = _Made.of(
        item, place, work_ref(item.kind, item.id), _digest(item), _text(item), _title(item)
    )
    entity = _entity(item, made, place)
    claims: list[Asserted] = [
        made.document(item.kind, _title(item), place),
        entity,
        made.tie(made.document_id, RelationType.DESCRIBES, entity.entity_id, place),
    ]
    for tie in item.ties:
        other = ends[tie.end]
        pair = (other, entity.entity_id) if tie.inward else (entity.entity_id, other)
        if other != entity.entity_id:
            claims.append(made.tie(pair[0], tie.type, pair[1], place))
        if tie.end.kind == "url":
            claims.append(_named(EntityType.URL, tie.end.name, made, place))
    if owner := item.now("owner"):
        held = _named(EntityType.OWNER, owner, made, place)
        claims += [held, made.tie(entity.entity_id, RelationType.OWNED_BY, held.entity_id, place)]
    return made.prepared(claims)


def prepared_state(item: WorkItem, state: State, place: Place) -> Prepared:
    """A value of a piece of work and since when it holds, as a fact with a passage of its own in
    the document of the work: the next value does not end what was true before it."""
    text = f"The {state.predicate} of {item.name} ({item.title}) is {state.value} since "
    text += f"{state.since[:10]}."
    ref = state_ref(item, state)
    digest = hashlib.sha256(text.encode()).hexdigest()
    title = f"{_title(item)} ({state.predicate} since {state.since[:10]})"
    made = _Made.of(item, place, ref, digest, text, title)
    fact = Fact(
        fact_id=make_id(
            "fact", place.namespace, made.document_id, item.name, state.predicate, state.value,
            state.since, "",
        ),
        subject=item.name,
        predicate=state.predicate,
        object=state.value,
        updated_at=place.seen,
        source_sha=made.sha,
        valid_from=state.since,
        provenance={"document_id": made.document_id, "path": ref, "line": 1, "text": text},
    )  # fmt: skip
    return made.prepared([fact])


class _Made(NamedTuple):
    """One episode with its passage."""

    episode: Episode
    chunk: Chunk
    sha: str
    document_id: str

    @classmethod
    def of(cls, item: WorkItem, place: Place, ref: str, sha: str, text: str, title: str) -> "_Made":
        own = work_ref(item.kind, item.id)
        document_id = document_entity_id(place.namespace, own)
        episode_id = make_id("episode", place.namespace, item.kind, ref, sha)
        episode = Episode(
            episode_id=episode_id,
            source_type=item.kind,
            source_ref=ref,
            observed_at=place.seen,
            ingested_at=place.now,
            content_hash=sha,
            source_sha=sha,
            document_id=document_id,
            preview_text=excerpt(text, limit=_PREVIEW),
            properties={"pointer": item.pointer} if item.pointer else {},
        )
        chunk = Chunk(
            chunk_id=make_id("chunk", episode_id, sha),
            episode_id=episode_id,
            document_id=document_id,
            profile=_PROFILE,
            position=0 if ref == own else 1,
            text=text,
            start_line=1,
            end_line=text.count("\n") + 1,
            title=title,
        )
        return cls(episode, chunk, sha, document_id)

    def document(self, kind: str, title: str, place: Place) -> Entity:
        """The document that the passage belongs to."""
        return Entity(
            entity_id=self.document_id,
            type=EntityType.DOCUMENT,
            name=title,
            updated_at=place.seen,
            source_sha=self.sha,
            properties={
                "id": self.document_id,
                "title": title,
                "type": kind,
                "file_path": self.episode.source_ref,
            },
        )

    def tie(self, source: str, kind: RelationType, target: str, place: Place) -> Relation:
        """A relation that the record states. One whose other end is not here yet shows when that
        comes."""
        return Relation(
            rel_id=relation_id(place.namespace, source, kind, target),
            source_entity_id=source,
            target_entity_id=target,
            type=kind,
            created_at=place.seen,
            updated_at=place.seen,
            source_sha=self.sha,
            properties={"as_written": kind.lower()},
        )

    def prepared(self, records: "list[Asserted]") -> Prepared:
        """Everything of it, ready to be written in place of what stood under its reference."""
        episode_id = self.episode.episode_id
        return Prepared(
            self.episode.source_ref,
            (),
            self.episode,
            (profile(_PROFILE).index_chunk(self.chunk),),
            tuple(Claim(record, episode_id, (self.chunk.chunk_id,)) for record in records),
            (self.episode.source_ref,),
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
        ends = [_shown(t.end) for t in item.ties if (t.type, t.inward) == (relation, inward)]
        if ends:
            yield f"{words}: {', '.join(ends)}"
    if item.tags:
        yield f"Tags: {', '.join(item.tags)}"


def _shown(end: End) -> str:
    if end.kind in ("goal", "task"):
        return work_name(end.kind, end.name)  # type: ignore[arg-type]
    return f"{end.kind}:{end.name}" if end.kind in ("session", "commit") else end.name


def _entity(item: WorkItem, made: _Made, place: Place) -> Entity:
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
    return Entity(
        entity_id=work_entity_id(place.namespace, item.kind, item.id),
        type=EntityType.GOAL if item.kind == "goal" else EntityType.TASK,
        name=item.name,
        aliases=(item.title,) if several else (),
        description=excerpt(item.description or item.title, limit=_PREVIEW),
        updated_at=place.seen,
        source_sha=made.sha,
        properties={key: value for key, value in properties.items() if value},
    )


def _named(kind: EntityType, name: str, made: _Made, place: Place) -> Entity:
    return Entity(
        entity_id=named_entity_id(place.namespace, kind, name),
        type=kind,
        name=name,
        updated_at=place.seen,
        source_sha=made.sha,
    )
