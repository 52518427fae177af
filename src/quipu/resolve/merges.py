"""Things that were found to be one: the decisions, and what follows from those that stand.

A decision is a dated fact, asserted by an episode of its own: `PST — same as — Payment Service
Team`, or `… — not same as — …` once it was undone. Nothing else is written: which record stands for
the others, and under which names, is derived from the decisions that are known.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from quipu.ports import Planner
from quipu.records.ids import make_id
from quipu.records.mentions import key_words
from quipu.records.record import Entity, Fact
from quipu.records.schema import EntityType
from quipu.text import name_key, tokens

__all__ = [
    "APART",
    "RULE",
    "SAME",
    "SOURCE_TYPE",
    "Decision",
    "Merges",
    "decision_of",
    "decisions",
    "in_their_names",
    "keys_of",
    "may_be_merged",
    "pair_ref",
    "read_merges",
    "verdict_id",
]

SAME, APART = "same as", "not same as"
SOURCE_TYPE = "merge"
"""The kind of source that a decision is."""

RULE = "merge"
_LONGEST = 8
_SPOKEN = 60  # passages looked at for how the name of a thing is written where a fact is stated
_OF_THEIR_OWN = frozenset(
    {
        EntityType.DOCUMENT,
        EntityType.INCIDENT,
        EntityType.OUTCOME,
        EntityType.HEALING_ACTION,
        EntityType.VALUE_TAG,
        EntityType.VALUE_RUNS,
        EntityType.VALUE_LEDGER,
    }
)
_NO_HOMONYMS = _OF_THEIR_OWN | {EntityType.SYMBOL, EntityType.URL}
"""Types whose names say nothing of what else is called so: a document is about its title."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """That somebody found two things to be one, or found that they are not."""

    merge_id: Annotated[str, "the fact that records it"]
    merged_id: Annotated[str, "the record that was merged"]
    kept_id: Annotated[str, "the record that was to stand for both"]
    merged_name: Annotated[str, "what the first was called"]
    kept_name: Annotated[str, "what the second was called"]
    type: Annotated[str, "the type of the second"]
    same: Annotated[bool, "whether they are one; false where a merge was undone"]
    by: Annotated[str, "who decided"]
    reason: Annotated[str, "why"]
    score: Annotated[float, "how sure the proposal was, in [0, 1]; 1 where a person decided"]
    decided_at: Annotated[str, "when"]


def may_be_merged(entity_type: str) -> bool:
    """Whether things of a type can be one with others: a document is itself, and incidents and
    ledgers have identities of their own."""
    return entity_type not in _OF_THEIR_OWN


def pair_ref(one: str, other: str) -> str:
    """The source that decisions about two records come from, whichever comes first."""
    return f"merge:{'+'.join(sorted((one, other)))}"


def verdict_id(namespace: str, merged_id: str, kept_id: str, *, same: bool) -> str:
    """The id of the fact that says so."""
    return make_id("fact", namespace, RULE, SAME if same else APART, merged_id, kept_id)


def decision_of(fact: Fact) -> Decision | None:
    """The decision that a fact records; None for any other fact."""
    said = fact.provenance
    if said.get("rule") != RULE or fact.predicate not in (SAME, APART):
        return None
    merged, kept = said.get("merged_id"), said.get("kept_id")
    if not isinstance(merged, str) or not isinstance(kept, str):
        return None
    return Decision(
        merge_id=fact.fact_id,
        merged_id=merged,
        kept_id=kept,
        merged_name=fact.subject,
        kept_name=fact.object,
        type=str(said.get("type", "")),
        same=fact.predicate == SAME,
        by=str(said.get("speaker", "")),
        reason=str(said.get("text", "")),
        score=fact.confidence,
        decided_at=fact.updated_at,
    )


def decisions(graph: Planner, *, known_at: str | None = None, same: bool = True) -> list[Decision]:
    """The decisions that stand (or stood at `known_at`), the earliest first: those that unite,
    or those that keep apart."""
    facts = graph.facts(predicate=SAME if same else APART, known_at=known_at)
    found = [decision for fact in facts if (decision := decision_of(fact))]
    return sorted(found, key=lambda d: (d.decided_at, d.merge_id))


@dataclass(frozen=True, slots=True)
class Merges:
    """What the standing decisions come to.

    `members` has the records of each thing by the one that stands for it, that one first;
    `canonical` is the other way round. `united` is the thing they make together. `meant` gives
    the thing that a key is the name of, and `names` every key of that thing; neither has a key
    that something else is called as well. `spelled` is how its names are written where facts
    speak of it.
    """

    members: Mapping[str, tuple[str, ...]]
    canonical: Mapping[str, str]
    united: Mapping[str, Entity]
    meant: Mapping[str, str]
    names: Mapping[str, tuple[str, ...]]
    spelled: Mapping[str, tuple[str, ...]]

    def stands_for(self, record_id: str) -> str:
        """The record that stands for this one; itself where it was not merged."""
        return self.canonical.get(record_id, record_id)

    def spoken_of(self, text: str) -> str | None:
        """The merged thing that a fact means by `text`: an id or a name."""
        return (
            self.canonical.get(text)
            or self.meant.get(name_key(text))
            or self.meant.get(" ".join(key_words(text)))
        )


def in_their_names(text: str, merges: Merges) -> str:
    """`text`, with merged things called by the name that facts speak of them by; of overlapping
    names the longest counts."""
    words = [token for token in tokens(text) if token.word]
    result, done, first = "", 0, 0
    while first < len(words):
        for last in range(min(len(words), first + _LONGEST), first, -1):
            thing = merges.meant.get(" ".join(word.word for word in words[first:last]))
            if thing is not None:
                result += text[done : words[first].start] + merges.united[thing].name
                done, first = words[last - 1].end, last
                break
        else:
            first += 1
    return result + text[done:]


_NOTHING_MERGED = Merges({}, {}, {}, {}, {}, {})
"""What a store without a decision comes to."""


def keys_of(entity: Entity) -> frozenset[str]:
    """The keys by which text mentions an entity, and facts speak of it."""
    written = [name for name in (entity.name, *entity.aliases) if name]
    keys = {name_key(name) for name in written}
    keys |= {" ".join(key_words(name)) for name in written}
    return frozenset(keys - {""})


def read_merges(graph: Planner, *, known_at: str | None = None) -> Merges:
    """What is merged in a store, now or as it was known then; its ends must be there."""
    standing = decisions(graph, known_at=known_at)
    if not standing:
        return _NOTHING_MERGED
    ids = dict.fromkeys(i for d in standing for i in (d.merged_id, d.kept_id))
    records = graph.get(list(ids), known_at=known_at)
    entities = {i: r for i, r in records.items() if isinstance(r, Entity)}
    written = {i: name for d in standing for i, name in _written(d)}
    members = _united(standing, entities)
    united = {
        canonical: _thing([_as_written(entities[i], written) for i in ids])
        for canonical, ids in members.items()
    }
    names = _names(graph, members, united)
    together: dict[str, list[str]] = {}
    for key, canonical in names.items():
        together.setdefault(canonical, []).append(key)
    return Merges(
        members=members,
        canonical={i: canonical for canonical, ids in members.items() for i in ids},
        united=united,
        meant=names,
        names={key: tuple(sorted(together[canonical])) for key, canonical in names.items()},
        spelled=_spelled(graph, names, united, members),
    )


def _written(decision: Decision) -> Iterable[tuple[str, str]]:
    yield decision.merged_id, decision.merged_name
    yield decision.kept_id, decision.kept_name


def _as_written(entity: Entity, written: Mapping[str, str]) -> Entity:
    """A `Name` knows only its key; whoever merged it wrote it as people do."""
    name = written.get(entity.entity_id, "")
    if entity.type != EntityType.NAME or " ".join(key_words(name)) != entity.name:
        return entity
    return msgspec.structs.replace(entity, name=name)


def _united(
    standing: Sequence[Decision], entities: Mapping[str, Entity]
) -> dict[str, tuple[str, ...]]:
    """The groups, by the record that was kept last; decisions count in their order. One that
    would join two types, made while another was, is passed over."""
    group: dict[str, list[str]] = {}
    kept_in: dict[str, str] = {}
    for decision in standing:
        if decision.merged_id not in entities or decision.kept_id not in entities:
            continue
        merged = kept_in.get(decision.merged_id, decision.merged_id)
        kept = kept_in.get(decision.kept_id, decision.kept_id)
        if merged == kept:
            continue
        if entities[kept].type == EntityType.NAME:  # what is known by more than a name stands
            if entities[merged].type != EntityType.NAME:
                merged, kept = kept, merged
        elif entities[merged].type not in (EntityType.NAME, entities[kept].type):
            continue
        group[kept] = [*group.get(kept, [kept]), *group.pop(merged, [merged])]
        kept_in |= dict.fromkeys(group[kept], kept)
    return {kept: (kept, *sorted(set(ids) - {kept})) for kept, ids in sorted(group.items())}


def _thing(entities: Sequence[Entity]) -> Entity:
    """One entity of several, as the first of them."""
    first = entities[0]
    names = {name for e in entities for name in (e.name, *e.aliases)} - {first.name}
    properties = {key: value for e in reversed(entities) for key, value in e.properties.items()}
    seen = [e.first_seen for e in entities if e.first_seen]
    return msgspec.structs.replace(
        first,
        aliases=tuple(sorted(names)),
        description=next((e.description for e in entities if e.description), ""),
        properties=dict(sorted(properties.items())),
        first_seen=min(seen, default=""),
        last_seen=max(e.last_seen for e in entities),
        mention_count=sum(e.mention_count for e in entities),
    )


def _names(
    graph: Planner, members: Mapping[str, tuple[str, ...]], united: Mapping[str, Entity]
) -> dict[str, str]:
    """The thing that each key means, for the keys that mean nothing else."""
    meant: dict[str, set[str]] = {}
    for canonical, entity in united.items():
        for key in keys_of(entity):
            meant.setdefault(key, set()).add(canonical)
    for key, homonyms in graph.named(sorted(meant)).items():
        for each in homonyms:
            if each.type not in _NO_HOMONYMS and not any(
                each.entity_id in members.get(thing, ()) for thing in meant[key]
            ):
                meant[key].add(each.entity_id)
    return {key: next(iter(things)) for key, things in sorted(meant.items()) if len(things) == 1}


def _spelled(
    graph: Planner,
    names: Mapping[str, str],
    united: Mapping[str, Entity],
    members: Mapping[str, tuple[str, ...]],
) -> dict[str, tuple[str, ...]]:
    """How facts write what they are about: as the thing is called, and as the passages do that
    mention it."""
    found = {
        canonical: {entity.name, *entity.aliases, *members[canonical]}
        for canonical, entity in united.items()
    }
    for key, canonical in names.items():
        found[canonical] |= {key, key.title(), key.upper(), key.capitalize()}
    mentions = graph.occurrences("name", list(names), limit=_SPOKEN)
    numbers = sorted({n for at in mentions.values() for n in at.numbers.tolist()})
    episodes = dict.fromkeys(c.episode_id for c in graph.chunks(np.array(numbers, dtype=np.int64)))
    for claims in graph.claims(list(episodes)).values():
        for claim in claims:
            if isinstance(claim.record, Fact):
                subject = claim.record.subject
                canonical = names.get(name_key(subject)) or names.get(" ".join(key_words(subject)))
                if canonical is not None:
                    found[canonical].add(subject)
    return {canonical: tuple(sorted(spellings)) for canonical, spellings in found.items()}
