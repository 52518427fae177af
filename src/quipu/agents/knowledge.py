"""A small knowledge graph that its user keeps by hand: things, what is observed of them, and how
they are related. It has the model of the official MCP memory server, kept in Quipu's own records.

A thing is an Entity, an observation a passage that supports it (so it is found by search), a
relation a Relation. Each is asserted by an episode of its own: nothing is read, changed and
written back, and what is deleted stays in history. Whatever one call says is one batch: whole or
not at all.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from quipu.agents.knowledge_read import (
    KNOWLEDGE,
    KnowledgeEntity,
    KnowledgeRelation,
    StoredKnowledge,
    ThingObservations,
    kept_in,
    kept_of,
)
from quipu.errors import InvalidInput
from quipu.read import redact
from quipu.records.batch import Batch, Claim, IndexedChunk
from quipu.records.naming import named_entity_id, relation_id
from quipu.records.passage import PassageInput
from quipu.records.record import Entity, Episode, Relation, record_id
from quipu.records.schema import EntityType, RelationType, relation_type, wrong_end
from quipu.source import Draft
from quipu.text import excerpt
from quipu.write.lock import WriteLock
from quipu.write.passages import prepared_passages

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["KnowledgeEntity", "KnowledgeGraph", "KnowledgeRelation", "ThingObservations"]

_KINDS = {kind.value.casefold(): kind.value for kind in EntityType}
_PASSAGE_LIMIT = 100_000
_SHOWN = 80


class _Draft:
    """What one call says."""

    def __init__(self) -> None:
        self.episodes: list[Episode] = []
        self.claims: list[Claim] = []
        self.chunks: list[IndexedChunk] = []

    def add(
        self, said: Episode, claims: Sequence[Claim], chunks: Sequence[IndexedChunk] = ()
    ) -> None:
        """Take an episode with what it asserts."""
        self.episodes.append(said)
        self.claims += claims
        self.chunks += chunks


class KnowledgeGraph:
    """Things, observations and relations of one memory; several processes may keep it at once."""

    def __init__(self, memory: "Memory", *, embed: bool = True) -> None:
        """Without `embed` what is said gets its vectors from whoever writes next: a door that
        never searches by them need not wait."""
        self._memory = memory
        self._embed = embed
        self._turns = WriteLock(memory.home.state, "knowledge.lock")

    def read(self) -> tuple[list[KnowledgeEntity], list[KnowledgeRelation]]:
        """Everything, in the order in which it was said."""
        return self._kept().graph()

    def open(self, names: Iterable[str]) -> tuple[list[KnowledgeEntity], list[KnowledgeRelation]]:
        """The things called exactly so, and the relations at them."""
        requested = frozenset(names)
        kept = kept_of(self._memory.store, requested)
        return kept.among(lambda thing: thing.name in requested)

    def search(self, query: str) -> tuple[list[KnowledgeEntity], list[KnowledgeRelation]]:
        """The things whose name, type or observations hold `query`, and the relations at them; an
        underscore or a hyphen is a space: "Alice Johnson" finds `Alice_Johnson`."""
        words = _spaced(query)
        return self._kept().among(
            lambda thing: any(
                words in _spaced(text) for text in (thing.name, thing.type, *thing.observations)
            )
        )

    def create_entities(self, things: Sequence[KnowledgeEntity]) -> list[KnowledgeEntity]:
        """Make the things that are not there yet, and give those; known names are left alone."""
        with self._turns.taken():
            kept, draft = self._kept(), _Draft()
            made, _ = self._create(things, kept, draft)
            self._write(draft)
        return made

    def relate(self, relations: Sequence[KnowledgeRelation]) -> list[KnowledgeRelation]:
        """Make relations that are not there yet, and give those. Their ends need not be known."""
        with self._turns.taken():
            kept, draft = self._kept(), _Draft()
            new = self._relate(relations, kept, kept.types, draft)
            self._write(draft)
        return new

    def observe(self, observations: Sequence[ThingObservations]) -> list[ThingObservations]:
        """Add what is new of each thing, and give what was; InvalidInput for an unknown thing."""
        with self._turns.taken():
            kept, draft = self._kept(), _Draft()
            for each in observations:
                if each.of not in kept.types:
                    raise InvalidInput(f"Entity with name {each.of} not found")
            additions: dict[str, tuple[str, ...]] = {}
            for each in observations:
                additions[each.of] = (*additions.get(each.of, ()), *each.contents)
            added = self._observe(additions, kept.types, kept, draft)
            self._write(draft)
        return [
            ThingObservations(of=name, contents=tuple(added.get(name, ()))) for name in additions
        ]

    def take_in(
        self, things: Sequence[KnowledgeEntity], relations: Sequence[KnowledgeRelation]
    ) -> tuple[list[KnowledgeEntity], int, list[KnowledgeRelation]]:
        """Make what is not there yet, and add what is new of the things that are. Gives
        the new things, how many observations were added, and the new relations."""
        with self._turns.taken():
            kept, draft = self._kept(), _Draft()
            made, types = self._create(things, kept, draft)
            new = {thing.name for thing in made}
            more = {t.name: t.observations for t in map(_clean, things) if t.name not in new}
            added = self._observe(more, types, kept, draft)
            observed = [*(t.observations for t in made), *added.values()]
            related = self._relate(relations, kept, types, draft)
            self._write(draft)
        return made, sum(map(len, observed)), related

    def delete_entities(self, names: Sequence[str]) -> None:
        """End things with their observations and relations; unknown names are passed over."""
        gone = frozenset(names)
        with self._turns.taken():
            kept = self._kept()
            self._end(
                [
                    *(_thing_ref(name) for name in gone if name in kept.types),
                    *(ref for name in gone for ref in kept.observed.get(name, {}).values()),
                    *(
                        _relation_ref(relation)
                        for relation in kept.relations()
                        if relation.source in gone or relation.target in gone
                    ),
                ]
            )

    def delete_observations(self, observations: Sequence[ThingObservations]) -> None:
        """End what was observed; what is not there is passed over."""
        with self._turns.taken():
            kept = self._kept()
            self._end(
                ref
                for each in observations
                for content in each.contents
                if (ref := kept.observed.get(each.of, {}).get(content))
            )

    def unrelate(self, relations: Sequence[KnowledgeRelation]) -> None:
        """End relations; those that are not there are passed over."""
        with self._turns.taken():
            stored = set(self._kept().relations())
            self._end(_relation_ref(relation) for relation in relations if relation in stored)

    def _kept(self) -> StoredKnowledge:
        return kept_in(self._memory.store)

    def _end(self, refs: Iterable[str]) -> None:
        gone = tuple(dict.fromkeys(refs))
        if gone:
            self._memory.store.write(Batch(recorded_at=self._memory.clock(), replaces=gone))

    def _create(
        self, things: Sequence[KnowledgeEntity], kept: StoredKnowledge, draft: "_Draft"
    ) -> tuple[list[KnowledgeEntity], dict[str, str]]:
        """The things that are new, and the types of all."""
        new = {
            thing.name: thing
            for thing in map(_clean, reversed(things))
            if thing.name not in kept.types
        }
        made = list(reversed(new.values()))
        types = {**kept.types, **{thing.name: thing.type for thing in made}}
        for n, thing in enumerate(made):
            said = self._episode(_thing_ref(thing.name), n, name=thing.name, entity_type=thing.type)
            draft.add(said, [Claim(self._entity(thing.name, types, said), said.episode_id)])
        # What relates them speaks of their types too.
        again = [
            relation
            for relation in kept.relations()
            if relation.source in new or relation.target in new
        ]
        self._state_relations(again, types, draft)
        observed = {thing.name: thing.observations for thing in made}
        added = self._observe(observed, types, kept, draft)
        shown = [
            msgspec.structs.replace(thing, observations=tuple(added.get(thing.name, ())))
            for thing in made
        ]
        return shown, types

    def _relate(
        self,
        relations: Sequence[KnowledgeRelation],
        kept: StoredKnowledge,
        types: Mapping[str, str],
        draft: "_Draft",
    ) -> list[KnowledgeRelation]:
        stored = set(kept.relations())
        new = [
            relation
            for relation in dict.fromkeys(map(_clean_relation, relations))
            if relation not in stored
        ]
        self._state_relations(new, types, draft)
        return new

    def _state_relations(
        self, relations: Sequence[KnowledgeRelation], types: Mapping[str, str], draft: "_Draft"
    ) -> None:
        for n, relation in enumerate(relations, len(draft.episodes)):
            ends = [_kind(types.get(end, "")) for end in (relation.source, relation.target)]
            episode = self._episode(
                _relation_ref(relation),
                n,
                source=relation.source,
                target=relation.target,
                relation_type=relation.type,
                kinds=" ".join(ends),
            )
            draft.add(episode, self._relation_claims(relation, types, episode))

    def _write(self, draft: "_Draft") -> None:
        if not draft.episodes:
            return
        memory = self._memory
        before = memory.store.sequence()
        memory.store.write(
            Batch(
                recorded_at=memory.clock(),
                episodes=tuple(draft.episodes),
                chunks=tuple(draft.chunks),
                claims=tuple(draft.claims),
                replaces=tuple(episode.source_ref for episode in draft.episodes),
            )
        )
        if draft.chunks and self._embed:
            memory.handle.indexer().embed_since(before)

    def _relation_claims(
        self, stated: KnowledgeRelation, types: Mapping[str, str], episode: Episode
    ) -> list[Claim]:
        """The relation between both ends; an end that nobody made is a thing all the same. The
        episode keeps a relation from a thing to itself, and the word of one that is no
        type, or that a relation of that type cannot be."""
        source, target = (
            self._entity(end, types, episode) for end in (stated.source, stated.target)
        )
        claims = [Claim(end, episode.episode_id) for end in (source, target)]
        if source.entity_id == target.entity_id:
            return claims
        try:
            kind = relation_type(stated.type)
        except InvalidInput:
            kind = str(RelationType.RELATED_TO)
        if wrong_end(kind, source.type, target.type):
            kind = str(RelationType.RELATED_TO)
        relation = Relation(
            rel_id=relation_id(
                self._memory.store.namespace, source.entity_id, kind, target.entity_id
            ),
            source_entity_id=source.entity_id,
            target_entity_id=target.entity_id,
            type=kind,
            created_at=episode.observed_at,
            updated_at=episode.observed_at,
            source_sha=episode.source_sha,
            properties={"as_written": stated.type},
        )
        return [*claims, Claim(relation, episode.episode_id)]

    def _observe(
        self,
        additions: Mapping[str, Sequence[str]],
        types: Mapping[str, str],
        kept: StoredKnowledge,
        draft: "_Draft",
    ) -> dict[str, list[str]]:
        """Say what is not there yet of each thing; what was said, by thing."""
        added: dict[str, list[str]] = {}
        passages: list[PassageInput] = []
        now, sequence = self._memory.clock(), self._memory.store.sequence()
        for name, contents in additions.items():
            for content in dict.fromkeys(map(_observation, contents)):
                if content in kept.observed.get(name, {}):
                    continue
                added.setdefault(name, []).append(content)
                passages.append(
                    PassageInput(
                        source_ref=f"observation:{name}#{_digest(name, content)[:12]}",
                        text=content,
                        title=name,
                        source_type=KNOWLEDGE,
                        observed_at=now,
                        profile="prose",
                        properties={
                            "type": "observation",
                            "observation_of": name,
                            "ordinal": _ordinal(now, sequence, len(passages)),
                        },
                    )
                )
        self._say_passages(passages, types, now, draft)
        return added

    def _say_passages(
        self, passages: Sequence[PassageInput], types: Mapping[str, str], now: str, draft: "_Draft"
    ) -> None:
        """Each observation is a passage, and stands as one about its thing."""
        made = prepared_passages(
            passages,
            namespace=self._memory.store.namespace,
            now=now,
            extract=self._memory.config.ingest.extract != "off",
        )
        for passage, prepared in zip(passages, made, strict=True):
            assert prepared.episode is not None
            entity = self._entity(passage.title, types, prepared.episode)
            ids = tuple(each.chunk.chunk_id for each in prepared.chunks)
            claims = [
                _as_observation(c, prepared.episode.document_id, passage)
                for c in prepared.claims
                if record_id(c.record) != entity.entity_id
            ]
            about = Claim(entity, prepared.episode.episode_id, ids)
            draft.add(prepared.episode, [*claims, about], prepared.chunks)

    def _entity(self, name: str, types: Mapping[str, str], episode: Episode) -> Entity:
        written = types.get(name, "")
        kind = _kind(written)
        return Entity(
            entity_id=named_entity_id(self._memory.store.namespace, kind, name),
            type=kind,
            name=name,
            updated_at=episode.observed_at,
            source_sha=episode.source_sha,
            properties={"entity_type": written} if written else {},
        )

    def _episode(self, ref: str, position: int, **said: str) -> Episode:
        now, store = self._memory.clock(), self._memory.store
        hashed = _digest(*said, *said.values())
        draft = Draft(namespace=store.namespace, type=KNOWLEDGE, ref=ref, sha=hashed, seen=now)
        return draft.episode(
            now,
            preview=" ".join(said.values())[:500],
            properties={**said, "ordinal": _ordinal(now, store.sequence(), position)},
        )


def _as_observation(claim: Claim, document_id: str | None, passage: PassageInput) -> Claim:
    """The document of an observation is called by what was observed: its thing alone has the name
    of the thing."""
    record = claim.record
    if not isinstance(record, Entity) or record.entity_id != document_id:
        return claim
    name = f"{passage.title}: {excerpt(passage.text, limit=_SHOWN)}"
    named = msgspec.structs.replace(
        record, name=name, properties={**record.properties, "title": name}
    )
    return Claim(named, claim.episode_id, claim.chunk_ids)


def _spaced(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def _thing_ref(name: str) -> str:
    return f"entity:{name}"


def _relation_ref(relation: KnowledgeRelation) -> str:
    return f"tie:{_digest(relation.source, relation.target, relation.type)}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _ordinal(now: str, sequence: int, position: int) -> str:
    """Sorts as things were said."""
    return f"{now} {sequence:012d} {position:06d}"


def _kind(written: str) -> str:
    return _KINDS.get(written.strip().casefold(), EntityType.CUSTOM.value)


def _clean(thing: KnowledgeEntity) -> KnowledgeEntity:
    return KnowledgeEntity(
        name=_named(thing.name, "entity"),
        type=redact(thing.type)[0],
        observations=tuple(_observation(content) for content in thing.observations),
    )


def _clean_relation(relation: KnowledgeRelation) -> KnowledgeRelation:
    return KnowledgeRelation(
        source=_named(relation.source, "relation's start"),
        type=_named(relation.type, "relation's type"),
        target=_named(relation.target, "relation's end"),
    )


def _named(name: str, what: str) -> str:
    if not name.strip():
        raise InvalidInput(f"the name of an {what} is blank: give one")
    if len(name) > 1_000:
        raise InvalidInput(f"the name {name[:40]!r}… is too long: at most 1,000 characters")
    return redact(name)[0]


def _observation(content: str) -> str:
    if not content.strip():
        raise InvalidInput("an observation is blank: say something")
    if len(content) > _PASSAGE_LIMIT:
        raise InvalidInput(
            f"an observation has {len(content):,} characters, at most {_PASSAGE_LIMIT:,}: "
            "remember the whole with memory_ingest"
        )
    return redact(content)[0]
