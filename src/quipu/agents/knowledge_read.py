"""The hand-kept knowledge graph as it is read back from a store."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from quipu.ports import Store
from quipu.records.record import Chunk, Entity, Episode, Properties
from quipu.text import name_key

__all__ = [
    "KNOWLEDGE",
    "KnowledgeEntity",
    "KnowledgeRelation",
    "StoredKnowledge",
    "ThingObservations",
    "kept_in",
    "kept_of",
]

KNOWLEDGE = "knowledge_graph"
_PAGE = 2_000


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


@dataclass(slots=True)
class StoredKnowledge:
    """Types by name, sources of observations by name and content, relations; each in its order."""

    types: dict[str, str] = field(default_factory=dict[str, str])
    observed: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    related: dict[KnowledgeRelation, None] = field(default_factory=dict[KnowledgeRelation, None])

    def relations(self) -> list[KnowledgeRelation]:
        """Every relation."""
        return list(self.related)

    def entities(self) -> list[KnowledgeEntity]:
        """Every thing with its observations."""
        return [
            KnowledgeEntity(name=name, type=kind, observations=tuple(self.observed.get(name, {})))
            for name, kind in self.types.items()
        ]

    def graph(self) -> tuple[list[KnowledgeEntity], list[KnowledgeRelation]]:
        """Everything."""
        return self.entities(), self.relations()

    def among(
        self, condition: Callable[[KnowledgeEntity], bool]
    ) -> tuple[list[KnowledgeEntity], list[KnowledgeRelation]]:
        """The things that are wanted, and the relations with at least one of them at an end."""
        things = [thing for thing in self.entities() if condition(thing)]
        names = {thing.name for thing in things}
        return things, [t for t in self.related if t.source in names or t.target in names]


def kept_in(store: Store) -> StoredKnowledge:
    """What a store holds of it."""
    sources = store.sources(frozenset({KNOWLEDGE}))
    plain = [s.episode_id for s in sources if s.document_id is None]
    documents = [s.document_id for s in sources if s.document_id is not None]
    rows: list[Episode] = []
    for start in range(0, len(plain), _PAGE):
        found = store.get(plain[start : start + _PAGE]).values()
        rows += [e for e in found if isinstance(e, Episode)]
    return _kept(store, rows, documents)


def kept_of(store: Store, names: Collection[str]) -> StoredKnowledge:
    """What a store holds of the things of these names: read from what is asserted of them, so
    that it costs what they are, not what the whole graph is."""
    called = store.named(sorted({name_key(name) for name in names}))
    ids = sorted({e.entity_id for found in called.values() for e in found})
    supports = (s for rows in store.support(ids).values() for s in rows)
    episodes = sorted({s.episode_id for s in supports if s.known_until is None})
    rows = [
        e
        for start in range(0, len(episodes), _PAGE)
        for e in store.get(episodes[start : start + _PAGE]).values()
        if isinstance(e, Episode) and e.source_type == KNOWLEDGE
    ]
    return _kept(
        store,
        [e for e in rows if e.document_id is None],
        [e.document_id for e in rows if e.document_id is not None],
    )


def _kept(store: Store, episodes: Sequence[Episode], documents: list[str]) -> StoredKnowledge:
    rows = [(_said(episode.properties), episode) for episode in episodes]
    kept = StoredKnowledge()
    for _, episode in sorted(rows, key=lambda row: (row[0], row[1].episode_id)):
        said = {key: str(value) for key, value in episode.properties.items()}
        if "name" in said:
            kept.types[said["name"]] = said["entity_type"]
        elif "relation_type" in said:
            relation = KnowledgeRelation(
                source=said["source"], type=said["relation_type"], target=said["target"]
            )
            kept.related[relation] = None
    for name, content, ref in _observations(store, documents):
        kept.observed.setdefault(name, {})[content] = ref
    return kept


def _observations(store: Store, document_ids: list[str]) -> list[tuple[str, str, str]]:
    """What is observed, of which thing and from which source, in the order of saying."""
    found: list[tuple[str, str, str, str]] = []
    for start in range(0, len(document_ids), _PAGE):
        page = document_ids[start : start + _PAGE]
        records = store.get(page)
        for document_id, numbers in store.numbers_in(page).items():
            record = records.get(document_id)
            chunks: list[Chunk] = store.chunks(numbers)
            if isinstance(record, Entity) and chunks:
                said = record.properties
                found.append(
                    (
                        _said(said),
                        str(said.get("observation_of")),
                        chunks[0].text,
                        str(said.get("file_path")),
                    )
                )
    return [(name, content, ref) for _, name, content, ref in sorted(found)]


def _said(properties: Properties) -> str:
    """Sorts as things were said: behind the clock stand the store's sequence number and a place,
    and these know better."""
    return str(properties.get("ordinal")).partition(" ")[2]
