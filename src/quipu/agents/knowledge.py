"""A small knowledge graph that its user keeps by hand: things, what is observed of them, and how
they are related. It has the model of the official MCP memory server, kept in Quipu's own records.

A thing is an Entity, an observation a passage that supports it (so it is found by search), a
relation a Relation. Each is asserted by an episode of its own: nothing is read, changed and
written back, and what is deleted stays in history. Whatever one call says is one batch: whole or
not at all.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec

from quipu.errors import InvalidInput
from quipu.limits import LONGEST_NAME, LONGEST_TEXT, ROWS_AT_ONCE, SHOWN_VALUE
from quipu.read import redact
from quipu.records.batch import Batch, Claim, IndexedChunk
from quipu.records.passage import PassageInput
from quipu.records.record import Entity, Episode, Properties, record_id
from quipu.records.schema import EntityType, RelationType, relation_type, wrong_end
from quipu.source import Draft
from quipu.text import excerpt, name_key
from quipu.write.lock import WriteLock
from quipu.write.passages import prepared_passages

if TYPE_CHECKING:
    from quipu.memory.memory import Memory
    from quipu.ports import Store

__all__ = ["KnowledgeEntity", "KnowledgeGraph", "KnowledgeRelation", "ThingObservations"]

_SOURCE_TYPE = "knowledge_graph"
_KINDS = {kind.value.casefold(): kind for kind in EntityType}


class KnowledgeEntity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A thing, its type as written, and what was observed of it, the earliest first."""

    name: Annotated[str, "its name"]
    type: Annotated[str, "its type"] = msgspec.field(name="entityType")
    observations: Annotated[tuple[str, ...], "what was observed of it"] = ()


class KnowledgeRelation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one thing is related to another, in active voice."""

    source: Annotated[str, "where it begins"] = msgspec.field(name="from")
    target: Annotated[str, "where it ends"] = msgspec.field(name="to")
    type: Annotated[str, "its type"] = msgspec.field(name="relationType")


class ThingObservations(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is observed of one thing."""

    of: Annotated[str, "its name"] = msgspec.field(name="entityName")
    contents: Annotated[tuple[str, ...], "what is observed of it"]


Graph = tuple[list[KnowledgeEntity], list[KnowledgeRelation]]


class KnowledgeGraph:
    """Things, observations and relations of one memory; several processes may keep it at once."""

    def __init__(self, memory: "Memory", *, embed: bool = True) -> None:
        """Without `embed` what is said gets its vectors from whoever writes next: a door that
        never searches by them need not wait."""
        self._memory = memory
        self._embed = embed
        self._turns = WriteLock(memory.home.state, "knowledge.lock")

    def read(self) -> Graph:
        """Everything, in the order in which it was said."""
        kept = _read(self._memory.store)
        return kept.entities(), list(kept.relations)

    def open(self, names: Iterable[str]) -> Graph:
        """The things called exactly so, and the relations at them."""
        requested = frozenset(names)
        kept = _read(self._memory.store, requested)
        return kept.among(lambda thing: thing.name in requested)

    def search(self, query: str) -> Graph:
        """The things whose name, type or observations hold `query`, and the relations at them; an
        underscore or a hyphen is a space: "Alice Johnson" finds `Alice_Johnson`."""
        words = _spaced(query)
        return _read(self._memory.store).among(
            lambda thing: any(
                words in _spaced(text) for text in (thing.name, thing.type, *thing.observations)
            )
        )

    def create_entities(self, things: Sequence[KnowledgeEntity]) -> list[KnowledgeEntity]:
        """Make the things that are not there yet, and give those; known names are left alone."""
        return self._said(lambda draft: draft.create(things))

    def relate(self, relations: Sequence[KnowledgeRelation]) -> list[KnowledgeRelation]:
        """Make relations that are not there yet, and give those. Their ends need not be known."""
        return self._said(lambda draft: draft.relate(relations))

    def observe(self, observations: Sequence[ThingObservations]) -> list[ThingObservations]:
        """Add what is new of each thing, and give what was; InvalidInput for an unknown thing."""
        given: dict[str, tuple[str, ...]] = {}
        for each in observations:
            given[each.of] = (*given.get(each.of, ()), *each.contents)
        added = self._said(lambda draft: draft.observe(given))
        return [ThingObservations(of=name, contents=added.get(name, ())) for name in given]

    def take_in(
        self, things: Sequence[KnowledgeEntity], relations: Sequence[KnowledgeRelation]
    ) -> tuple[list[KnowledgeEntity], int, list[KnowledgeRelation]]:
        """Make what is not there yet, and add what is new of the things that are. Gives
        the new things, how many observations were added, and the new relations."""

        def taken(draft: _Draft) -> tuple[list[KnowledgeEntity], int, list[KnowledgeRelation]]:
            made = draft.create(things)
            observed = draft.observe({t.name: t.observations for t in map(_clean, things)})
            count = sum(len(thing.observations) for thing in made) + sum(
                map(len, observed.values())
            )
            return made, count, draft.relate(relations)

        return self._said(taken)

    def delete_entities(self, names: Sequence[str]) -> None:
        """End things with their observations and relations; unknown names are passed over."""
        gone = frozenset(names)
        self._end(
            lambda kept: (
                *(_thing_ref(name) for name in gone if name in kept.types),
                *(ref for name in gone for ref in kept.observed.get(name, {}).values()),
                *(_relation_ref(r) for r in kept.relations if {r.source, r.target} & gone),
            )
        )

    def delete_observations(self, observations: Sequence[ThingObservations]) -> None:
        """End what was observed; what is not there is passed over."""
        self._end(
            lambda kept: (
                kept.observed[given.of][content]
                for given in observations
                for content in given.contents
                if content in kept.observed.get(given.of, {})
            )
        )

    def unrelate(self, relations: Sequence[KnowledgeRelation]) -> None:
        """End relations; those that are not there are passed over."""
        self._end(lambda kept: (_relation_ref(tie) for tie in relations if tie in kept.relations))

    def _end(self, refs: "Callable[[_Kept], Iterable[str]]") -> None:
        store = self._memory.store
        with self._turns.taken():
            gone = tuple(dict.fromkeys(refs(_read(store))))
            if gone:
                store.write(Batch(recorded_at=self._memory.clock(), replaces=gone))

    def _said(self, say: "Callable[[_Draft], T]") -> "T":
        """Write what one call says, and give what it says of that."""
        memory = self._memory
        with self._turns.taken():
            before = memory.store.sequence()
            draft = _Draft(memory, _read(memory.store))
            said = say(draft)
            if draft.episodes:
                memory.store.write(draft.batch())
            if draft.chunks and self._embed:
                memory.indexer().embed_since(before)
        return said


T = TypeVar("T")


@dataclass(slots=True)
class _Kept:
    """Types by name, sources of observations by name and content, relations; each in its order."""

    types: dict[str, str] = field(default_factory=dict[str, str])
    observed: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    relations: dict[KnowledgeRelation, None] = field(default_factory=dict[KnowledgeRelation, None])

    def entities(self) -> list[KnowledgeEntity]:
        """Every thing with its observations."""
        return [
            KnowledgeEntity(name=name, type=kind, observations=tuple(self.observed.get(name, {})))
            for name, kind in self.types.items()
        ]

    def among(self, condition: Callable[[KnowledgeEntity], bool]) -> Graph:
        """The things that are wanted, and the relations with at least one of them at an end."""
        things = [thing for thing in self.entities() if condition(thing)]
        names = {thing.name for thing in things}
        return things, [tie for tie in self.relations if {tie.source, tie.target} & names]


def _read(store: "Store", names: Collection[str] | None = None) -> _Kept:
    """What a store holds, or what it holds of the things of these names: that is read from what
    is asserted of them, so that it costs what they are, not what the whole graph is."""
    if names is None:
        episode_ids = [source.episode_id for source in store.sources(frozenset({_SOURCE_TYPE}))]
    else:
        called = store.named(sorted({name_key(name) for name in names}))
        ids = sorted({entity.entity_id for found in called.values() for entity in found})
        supports = (row for rows in store.support(ids).values() for row in rows)
        episode_ids = sorted({row.episode_id for row in supports if row.known_until is None})
    said: list[tuple[str, str, dict[str, str]]] = []
    for start in range(0, len(episode_ids), ROWS_AT_ONCE):
        episodes = store.get(episode_ids[start : start + ROWS_AT_ONCE]).values()
        own = [e for e in episodes if isinstance(e, Episode) and e.source_type == _SOURCE_TYPE]
        numbers = store.numbers_in([e.document_id for e in own if e.document_id])
        texts = {
            document_id: store.chunks(found[:1])[0].text
            for document_id, found in numbers.items()
            if len(found)
        }
        documents = store.get(list(texts))
        for episode in own:
            properties = episode.properties
            document = documents.get(episode.document_id or "")
            if isinstance(document, Entity):
                observed = {"content": texts[document.entity_id], "ref": episode.source_ref}
                properties = {**document.properties, **observed}
            # Behind the clock stand the store's sequence number and a place: these know better.
            order = str(properties.get("ordinal")).partition(" ")[2]
            row = {key: str(value) for key, value in properties.items()}
            said.append((order, episode.episode_id, row))
    kept = _Kept()
    for _, _, row in sorted(said, key=lambda each: each[:2]):
        if "content" in row:
            kept.observed.setdefault(row["observation_of"], {})[row["content"]] = row["ref"]
        elif "relation_type" in row:
            tie = KnowledgeRelation(
                source=row["source"], type=row["relation_type"], target=row["target"]
            )
            kept.relations[tie] = None
        elif "name" in row:
            kept.types[row["name"]] = row["entity_type"]
    return kept


class _Draft:
    """What one call says, beside what is `kept` already."""

    def __init__(self, memory: "Memory", kept: _Kept) -> None:
        self._memory, self._now = memory, memory.clock()
        self._namespace, self._sequence = memory.store.namespace, memory.store.sequence()
        self.kept = kept
        self.episodes: list[Episode] = []
        self.chunks: list[IndexedChunk] = []
        self._claims: list[Claim] = []

    def batch(self) -> Batch:
        """All of it."""
        return Batch(
            recorded_at=self._now,
            episodes=tuple(self.episodes),
            chunks=tuple(self.chunks),
            claims=tuple(self._claims),
            replaces=tuple(episode.source_ref for episode in self.episodes),
        )

    def create(self, things: Sequence[KnowledgeEntity]) -> list[KnowledgeEntity]:
        """Say the things that are new, each with its observations, and give them."""
        new: dict[str, KnowledgeEntity] = {}
        for thing in map(_clean, things):
            if thing.name not in self.kept.types:
                new.setdefault(thing.name, thing)
        self.kept.types |= {thing.name: thing.type for thing in new.values()}
        for thing in new.values():
            draft = self._draft(_thing_ref(thing.name), name=thing.name, entity_type=thing.type)
            self._claims += draft.claims([self._thing(thing.name, draft)])
        # What relates them speaks of their types too.
        self._tie([tie for tie in self.kept.relations if {tie.source, tie.target} & new.keys()])
        added = self.observe({thing.name: thing.observations for thing in new.values()})
        return [
            msgspec.structs.replace(thing, observations=added.get(thing.name, ()))
            for thing in new.values()
        ]

    def relate(self, relations: Sequence[KnowledgeRelation]) -> list[KnowledgeRelation]:
        """Say the relations that are new, and give them."""
        clean = dict.fromkeys(map(_clean_relation, relations))
        new = [tie for tie in clean if tie not in self.kept.relations]
        self._tie(new)
        return new

    def observe(self, additions: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        """Say what is not there yet of each thing, and give it by thing. Each observation is a
        passage, and stands as one about its thing. Raises InvalidInput for an unknown thing."""
        said: list[tuple[str, str]] = []
        for name, contents in additions.items():
            if name not in self.kept.types:
                raise InvalidInput(f"Entity with name {name} not found")
            known = self.kept.observed.setdefault(name, {})
            new = [text for text in dict.fromkeys(map(_observation, contents)) if text not in known]
            known |= dict.fromkeys(new, "")
            said += [(name, text) for text in new]
        made = prepared_passages(
            [self._passage(name, text, at) for at, (name, text) in enumerate(said)],
            namespace=self._namespace,
            now=self._now,
            extract=self._memory.config.ingest.extract != "off",
        )
        added: dict[str, tuple[str, ...]] = {}
        for (name, text), prepared in zip(said, made, strict=True):
            episode = prepared.episode
            assert episode is not None
            added[name] = (*added.get(name, ()), text)
            draft = self._begun(prepared.ref, episode.content_hash)
            thing = self._thing(name, draft)
            self.episodes.append(episode)
            self.chunks += prepared.chunks
            self._claims += (
                claim for claim in prepared.claims if record_id(claim.record) != thing.entity_id
            )
            self._claims += draft.claims([thing], *(each.chunk for each in prepared.chunks))
        return added

    def _passage(self, name: str, content: str, position: int) -> PassageInput:
        return PassageInput(
            source_ref=f"observation:{name}#{_digest(name, content)[:12]}",
            text=content,
            title=f"{name}: {excerpt(content, limit=SHOWN_VALUE)}",
            source_type=_SOURCE_TYPE,
            observed_at=self._now,
            profile="prose",
            properties={
                "type": "observation",
                "observation_of": name,
                "ordinal": self._ordinal(position),
            },
        )

    def _tie(self, relations: Sequence[KnowledgeRelation]) -> None:
        for tie in relations:
            kinds = (_kind(self.kept.types.get(end, "")) for end in (tie.source, tie.target))
            draft = self._draft(
                _relation_ref(tie),
                source=tie.source,
                target=tie.target,
                relation_type=tie.type,
                kinds=" ".join(kinds),
            )
            source, target = (self._thing(end, draft) for end in (tie.source, tie.target))
            self._claims += draft.claims([source, target])
            if source.entity_id != target.entity_id:  # else the episode alone keeps it
                relation = draft.relation(
                    source.entity_id,
                    _relation_kind(tie.type, source.type, target.type),
                    target.entity_id,
                    properties={"as_written": tie.type},
                )
                self._claims += draft.claims([relation])

    def _thing(self, name: str, draft: Draft) -> Entity:
        written = self.kept.types.get(name, "")
        said = {"entity_type": written} if written else {}
        return draft.entity(_kind(written), name, properties=said)

    def _begun(self, ref: str, sha: str) -> Draft:
        return Draft(namespace=self._namespace, type=_SOURCE_TYPE, ref=ref, sha=sha, seen=self._now)

    def _draft(self, ref: str, **said: str) -> Draft:
        """What is said under `ref`, with an episode of its own."""
        draft = self._begun(ref, _digest(*said, *said.values()))
        properties: Properties = {**said, "ordinal": self._ordinal(len(self.episodes))}
        preview = " ".join(said.values())[:500]
        self.episodes.append(draft.episode(self._now, preview=preview, properties=properties))
        return draft

    def _ordinal(self, position: int) -> str:
        """Sorts as things were said."""
        return f"{self._now} {self._sequence:012d} {position:06d}"


def _spaced(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def _thing_ref(name: str) -> str:
    return f"entity:{name}"


def _relation_ref(relation: KnowledgeRelation) -> str:
    return f"tie:{_digest(relation.source, relation.target, relation.type)}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _kind(written: str) -> EntityType:
    return _KINDS.get(written.strip().casefold(), EntityType.CUSTOM)


def _relation_kind(written: str, source: str, target: str) -> str:
    """A type of relation that can tie two types of things; the word is kept as it was written."""
    try:
        kind = relation_type(written)
    except InvalidInput:
        return RelationType.RELATED_TO
    return RelationType.RELATED_TO if wrong_end(kind, source, target) else kind


def _clean(thing: KnowledgeEntity) -> KnowledgeEntity:
    return KnowledgeEntity(
        name=_named(thing.name, "entity"),
        type=redact(thing.type)[0],
        observations=tuple(map(_observation, thing.observations)),
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
    if len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"the name {name[:40]!r}… is too long: at most {LONGEST_NAME:,} characters"
        )
    return redact(name)[0]


def _observation(content: str) -> str:
    if not content.strip():
        raise InvalidInput("an observation is blank: say something")
    if len(content) > LONGEST_TEXT:
        raise InvalidInput(
            f"an observation has {len(content):,} characters, at most {LONGEST_TEXT:,}: "
            "remember the whole with memory_ingest"
        )
    return redact(content)[0]
