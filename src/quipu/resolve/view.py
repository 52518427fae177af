"""A store as it reads when what was merged is one thing.

Nothing is rewritten in the store. A record is asked for by any of its ids and comes as the one
that stands for all; relations end there, facts speak of it by its name, and its support is that
of all of them. A passage that mentions a merged thing by one of its names counts as mentioning it
by all of them: names lead to it, and words that make up one of the names stand in it. Undoing a
merge gives back what was there before, for it was never gone.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, cast

import msgspec
import numpy as np

from quipu.ports import (
    Direction,
    Numbers,
    Occurrence,
    Planner,
)
from quipu.records.batch import Claim
from quipu.records.record import (
    Asserted,
    Entity,
    Episode,
    Fact,
    Properties,
    Record,
    Relation,
    Support,
    nearest_neighbors,
)
from quipu.records.schema import EntityType
from quipu.records.scope import EVERYTHING, Scope
from quipu.resolve.merges import (
    APART,
    SAME,
    Merges,
    in_their_names,
    read_merges,
)
from quipu.text import name_key

__all__ = ["MergedView", "Resolver", "merged_view"]

_SUPPORTING = 60
"""Passages that mention a merged thing, at most, that count as its support."""


def merged_view(store: Planner, merges: Merges) -> Planner:
    """Everything that reads in `store`, with what `merges` say seen as one, whatever time is
    asked about."""
    return cast("Planner", MergedView(store, merges))  # what it does not define, `store` does


class MergedView:
    """What reads otherwise in a store where things are merged. Scanned, counted, ended and sourced
    are the records as they are stored, and passages are what they are."""

    def __init__(self, store: Planner, merges: Merges) -> None:
        """Reads names as `merges` say."""
        self._store = store
        self._merges = merges

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def in_their_names(self, question: str) -> str:
        """`question`, with merged things called as facts call them."""
        return in_their_names(question, self._merges)

    def name_of(self, text: str) -> str:
        """The name by which facts speak of the merged thing that `text` names; else `text`."""
        return _goes_by(text, self._merges)

    def get(self, ids: Sequence[str], *, known_at: str | None = None) -> dict[str, Record]:
        """The live records; what was merged under each id it was asked for by."""
        merges = self._merges
        found = self._store.get(ids, known_at=known_at)
        return {
            i: with_merged_names(record, merges) if isinstance(record, Asserted) else record
            for i, record in found.items()
        }

    def named(self, keys: Sequence[str]) -> dict[str, list[Entity]]:
        """Live entities by their folded names; a merged one by all the names it has; one that is
        a `Name` is known by its mentions alone, as any other."""
        merges, found = self._merges, self._store.named(keys)
        for key, entities in found.items():
            things = {e.entity_id: e for e in entities if e.entity_id not in merges.canonical}
            meant = {merges.canonical[e.entity_id] for e in entities if e.entity_id not in things}
            thing = merges.meant.get(key)
            if thing is not None and merges.united[thing].type != EntityType.NAME:
                meant.add(thing)
            things |= {each: merges.united[each] for each in meant}
            found[key] = [things[each] for each in sorted(things)]
        return found

    def neighbors(
        self,
        ids: Sequence[str],
        *,
        direction: Direction = "out",
        types: frozenset[str] = frozenset(),
        limit_per_id: int = 100,
        known_at: str | None = None,
    ) -> dict[str, list[Relation]]:
        """The live relations one hop from each id, or from all it was merged of; what ties those
        to each other ties nothing."""
        merges = self._merges
        asked = {i: merges.members.get(merges.canonical.get(i, ""), (i,)) for i in ids}
        every = list(dict.fromkeys(member for members in asked.values() for member in members))
        found = self._store.neighbors(
            every, direction=direction, types=types, limit_per_id=limit_per_id, known_at=known_at
        )
        if not merges.canonical:
            return found
        return {
            i: _nearest(
                merges.canonical.get(i, i),
                (_ended_at(r, merges) for member in members for r in found[member]),
                limit_per_id,
            )
            for i, members in asked.items()
        }

    def support(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        """All support of each record; a merged thing has that of all it was merged of, and the
        first of the passages that mention its names."""
        merges = self._merges
        members = {i: merges.members[merges.canonical[i]] for i in ids if i in merges.canonical}
        every = dict.fromkeys(
            (*ids, *(each for member_ids in members.values() for each in member_ids))
        )
        found = self._store.support(list(every))
        for i, member_ids in members.items():
            rows = [row for member in member_ids for row in found[member]]
            rows += self._mentions(i, {chunk for row in rows for chunk in row.chunk_ids})
            found[i] = sorted(rows, key=lambda row: (row.recorded_at, row.episode_id))
        return {i: found[i] for i in ids}

    def _mentions(self, record_id: str, known: Collection[str]) -> list[Support]:
        """Passages that mention a merged thing, as support; those in `known` have given theirs."""
        keys = self._keys_of(self._merges.canonical[record_id])
        at = self._store.occurrences("name", keys, limit=_SUPPORTING)
        numbers = np.unique(np.concatenate([each.numbers for each in at.values()] or [_NONE]))
        chunks = [c for c in self._store.chunks(numbers[:_SUPPORTING]) if c.chunk_id not in known]
        chunk_ids_of: dict[str, list[str]] = {}
        for chunk in chunks:
            chunk_ids_of.setdefault(chunk.episode_id, []).append(chunk.chunk_id)
        episodes = self._store.get(list(chunk_ids_of))
        return [
            Support(
                record_id=record_id,
                episode_id=episode_id,
                recorded_at=episode.ingested_at,
                chunk_ids=tuple(chunk_ids),
            )
            for episode_id, chunk_ids in chunk_ids_of.items()
            if isinstance(episode := episodes.get(episode_id), Episode)
        ]

    def claims(self, episode_ids: Sequence[str]) -> dict[str, list[Claim]]:
        """What episodes assert now, told of what the merged things are."""
        found = self._store.claims(episode_ids)
        return {
            episode_id: [
                Claim(
                    with_merged_names(claim.record, self._merges), claim.episode_id, claim.chunk_ids
                )
                for claim in claims
            ]
            for episode_id, claims in found.items()
        }

    def facts(
        self,
        subject: str | Collection[str] | None = None,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
    ) -> list[Fact]:
        """Live facts; those of a merged thing under whichever of its names, told by its own."""
        merges = self._merges
        if subject is not None:
            named = (subject,) if isinstance(subject, str) else subject
            things = [thing for each in named if (thing := merges.spoken_of(each))]
            subject = {*named, *(name for thing in things for name in merges.spelled[thing])}
        found = self._store.facts(subject, predicate, as_of=as_of, known_at=known_at)
        return sorted((_spoken(fact, merges) for fact in found), key=_fact_order)

    def occurrences(
        self, field: str, terms: Sequence[str], *, scope: Scope = EVERYTHING, limit: int = 100
    ) -> dict[str, Occurrence]:
        """Where each term stands; the name of a merged thing stands where any of its names do."""
        found = self._store.occurrences(field, terms, scope=scope, limit=limit)
        if field not in ("name", "title"):
            return found
        for term in terms:
            keys = self._merges.names.get(term, ())
            if len(keys) > 1:
                found[term] = self._together(field, keys, scope, limit)
        return found

    def _together(self, field: str, keys: Sequence[str], scope: Scope, limit: int) -> Occurrence:
        """Where any of the names stands; exactly counted, so all of it is read."""
        most = sum(
            at.df for at in self._store.occurrences(field, keys, scope=scope, limit=0).values()
        )
        every = self._store.occurrences(field, keys, scope=scope, limit=most)
        often: dict[int, int] = {}
        for at in every.values():
            for number, tf in zip(at.numbers.tolist(), at.tf.tolist(), strict=True):
                often[number] = max(often.get(number, 0), tf)
        first = sorted(often)[: max(limit, 0)]
        return Occurrence(
            len(often),
            np.array(first, dtype=np.int64),
            np.array([often[number] for number in first], dtype=np.int32),
        )

    def _keys_of(self, canonical: str) -> list[str]:
        """The keys that mean the thing which this record stands for."""
        return [key for key, thing in self._merges.meant.items() if thing == canonical]


class Resolver:
    """Reads what is merged in a store again when the store has changed; threads may share it."""

    def __init__(self, store: Planner) -> None:
        """Has read nothing yet."""
        self._store = store
        self._read: tuple[int, Merges, Planner] | None = None

    def read(self) -> Planner:
        """The store, its merged things as one; the store itself where nothing is merged."""
        with self._store.moment():
            sequence, known = self._store.sequence(), self._read
            if known is None or known[0] != sequence:
                merges = read_merges(self._store)
                if known is not None and known[1] == merges:  # a view is kept while it holds
                    known = sequence, merges, known[2]
                else:
                    view = merged_view(self._store, merges) if merges.members else self._store
                    known = sequence, merges, view
                self._read = known
        return known[2]

    def read_at(self, known_at: str | None) -> Planner:
        """As `read`, or the store with what was merged at `known_at` seen as one."""
        if known_at is None:
            return self.read()
        return merged_view(self._store, read_merges(self._store, known_at=known_at))


_NONE: Numbers = np.zeros(0, dtype=np.int64)


def with_merged_names(record: Asserted, merges: Merges) -> Asserted:
    """The record, with what it says of merged things said of what stands for them."""
    match record:
        case Relation():
            return _ended_at(record, merges)
        case Fact():
            return _spoken(record, merges)
        case Entity():
            return merges.united.get(merges.canonical.get(record.entity_id, ""), record)


def _ended_at(relation: Relation, merges: Merges) -> Relation:
    source = merges.canonical.get(relation.source_entity_id, relation.source_entity_id)
    target = merges.canonical.get(relation.target_entity_id, relation.target_entity_id)
    if (source, target) == (relation.source_entity_id, relation.target_entity_id):
        return relation
    return msgspec.structs.replace(relation, source_entity_id=source, target_entity_id=target)


def _nearest(near: str, relations: Iterable[Relation], limit: int) -> list[Relation]:
    """The first of them, but none that leads back to where it began."""
    return nearest_neighbors(
        near, (r for r in relations if r.source_entity_id != r.target_entity_id), limit
    )


def _spoken(fact: Fact, merges: Merges) -> Fact:
    """The fact, told by the names that the merged things go by. A decision is told as made."""
    if fact.predicate in (SAME, APART):
        return fact
    subject, said = _goes_by(fact.subject, merges), _goes_by(fact.object, merges)
    if (subject, said) == (fact.subject, fact.object):
        return fact
    written: Properties = {}
    if subject != fact.subject:
        written["subject_as_written"] = fact.subject
    if said != fact.object:
        written["object_as_written"] = fact.object
    return msgspec.structs.replace(
        fact, subject=subject, object=said, provenance={**fact.provenance, **written}
    )


def _goes_by(text: str, merges: Merges) -> str:
    thing = merges.spoken_of(text)
    if thing is None:
        return text
    if text in merges.canonical:
        return thing
    name = merges.united[thing].name
    return text if name_key(text) == name_key(name) else name


def _fact_order(fact: Fact) -> tuple[str, str, str, str]:
    return (fact.subject, fact.predicate, fact.valid_from or "", fact.fact_id)
