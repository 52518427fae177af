"""Things that are one: what `Memory.entities` offers to find, merge and part them.

A merge writes one decision and rewrites nothing; everything that reads sees the things as one
from then on (`resolve/view.py`), until the decision is undone.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Annotated

import msgspec
from msgspec import convert

from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.filters import entity_types
from quipu.handle.handle import Handle
from quipu.handle.lookup import end_of_relation
from quipu.ports import Planner
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.record import Entity, Fact
from quipu.records.schema import EntityType
from quipu.resolve import Decision, Merges, decisions, merged_view, read_merges
from quipu.resolve.merges import decision_of, may_be_merged, verdict_id
from quipu.resolve.proposals import LEAST_COSINE, Proposal, candidates, propose
from quipu.text import name_key
from quipu.write.merges import decide

__all__ = ["Entities", "EntityHistory", "Merged", "Proposals", "Unmerged"]


class MergedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One of the records that a thing was merged of."""

    entity_id: Annotated[str, "the record"]
    name: Annotated[str, "what it is called; of a `Name`, its key"]
    type: Annotated[str, "its type"]
    mention_count: Annotated[int, "how often it was mentioned"]


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """A thing as it is seen now: the record that stands for all, those it was merged of, and the
    decisions that made it so. `changed` says whether this call decided anything."""

    entity: Annotated[Entity, "the thing with the names, counts and times of all"]
    members: Annotated[tuple[MergedRecord, ...], "those it was merged of; the first stands for all"]
    decisions: Annotated[tuple[Decision, ...], "the merges that made it one, the earliest first"]
    changed: Annotated[bool, "whether this call decided anything"] = False


class Proposals(msgspec.Struct, frozen=True, kw_only=True):
    """What may be one thing, the surest first. `left_out` counts proposals beyond the limit,
    `considered` the things that were compared."""

    proposals: Annotated[tuple[Proposal, ...], "pairs that may be one, the surest first"]
    left_out: Annotated[int, "how many more there are"]
    considered: Annotated[int, "how many things were compared"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()


class RecordedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, and from when until when it was known here (null while it stands)."""

    decision: Annotated[Decision, "what was decided"]
    recorded_at: Annotated[str, "since when it was known here"]
    known_until: Annotated[str | None, "until when; null while it stands"]


class EntityHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Every decision about a thing, or about all, the earliest first."""

    decisions: Annotated[tuple[RecordedDecision, ...], "every one there was, the earliest first"]


class Unmerged(msgspec.Struct, frozen=True, kw_only=True):
    """The decision that two things are not one, and the merge that it undid."""

    decision: Annotated[Decision, "the decision that the two are not one"]
    undone: Annotated[Decision, "the merge that it undid"]


class Entities:
    """The things of one store, and which of them are one."""

    def __init__(self, handle: Handle) -> None:
        self._store = handle.store
        self._embedder = handle.models.get
        self._clock = handle.clock
        self._writing = handle.writing

    def show(self, ref: str) -> Merged:
        """The thing that `ref` (an id, a path or a name) names, whole. Raises UnknownRecord."""
        merges = read_merges(self._store)
        entity = _thing(merged_view(self._store, merges), ref)
        return self._whole(entity, merges, decisions(self._store))

    def _whole(self, entity: Entity, merges: Merges, standing: Sequence[Decision]) -> Merged:
        stands = merges.stands_for(entity.entity_id)
        ids = merges.members.get(stands, (stands,))
        records = self._store.get(ids)
        return Merged(
            entity=merges.united.get(stands, entity),
            members=tuple(
                convert(r, MergedRecord, from_attributes=True)
                for i in ids
                if isinstance(r := records.get(i), Entity)
            ),
            decisions=tuple(d for d in standing if {d.merged_id, d.kept_id} <= set(ids)),
        )

    def proposals(
        self, *, types: Collection[str] = (), limit: int | None = None, least: float = LEAST_COSINE
    ) -> Proposals:
        """What may be one thing, the surest first: things of one type (of `types`, if any are
        named) that look alike and whose meaning has a cosine of at least `least`.

        Nothing is merged by it. What was parted is not proposed again, nor what has one name.
        Raises InvalidInput for a limit or a bound that makes no sense.
        """
        if limit is not None and limit < 1:
            raise InvalidInput(f"limit {limit!r} asks for nothing: give 1 or more")
        if not 0 < least <= 1:
            raise InvalidInput(f"least {least!r} is out of range: give above 0, to 1")
        merges = read_merges(self._store)
        entities = candidates(self._store, merges, entity_types(types))
        embedder = self._embedder()
        parted = {
            frozenset((merges.stands_for(d.merged_id), merges.stands_for(d.kept_id)))
            for d in decisions(self._store, same=False)
        }
        found = propose(entities, embedder.embed if embedder else None, least=least)
        kept = [p for p in found if frozenset((p.merged_id, p.kept_id)) not in parted]
        notes = () if embedder else ("Without an embedding model only same letters are compared.",)
        return Proposals(
            proposals=tuple(kept[:limit]),
            left_out=len(kept) - len(kept[:limit]),
            considered=len(entities),
            notes=notes,
        )

    def accept(self, proposals: Sequence[Proposal]) -> tuple[Merged, ...]:
        """Merge what was proposed, the surest first; what a merge made one already, or can be
        merged no longer, is passed over. Written at once."""
        made: list[Merged] = []
        for each in proposals:
            with suppress(InvalidInput, UnknownRecord):
                reason = "; ".join(each.reasons)
                pair = each.merged_id, each.kept_id
                made.append(self.merge(*pair, by="auto", reason=reason, score=each.score))
        return tuple(merged for merged in made if merged.changed)

    def merge(
        self, merged: str, kept: str, *, by: str = "person", reason: str = "", score: float = 1.0
    ) -> Merged:
        """Take `merged` to be the same thing as `kept`, which stands for both from now on.

        Both are ids, paths or names; `by` and `reason` are remembered. What is one already
        changes nothing. Raises UnknownRecord; InvalidInput for documents, for things of
        different types and for a score outside 0 to 1. Written at once.
        """
        if not 0 <= score <= 1:
            raise InvalidInput(f"score {score!r} is out of range: give 0 to 1")
        with self._writing:
            one, other = (_thing(self._store, ref) for ref in (merged, kept))
            if one.entity_id == other.entity_id:
                raise InvalidInput(f"{merged!r} and {kept!r} are one thing already: {one.name!r}")
            merges = read_merges(self._store)
            first, second = (merges.stands_for(each.entity_id) for each in (one, other))
            if first == second:
                return self.show(second)
            _require_mergeable(merges.united.get(first, one), merges.united.get(second, other))
            decision = Decision(
                merge_id="",
                merged_id=one.entity_id,
                kept_id=other.entity_id,
                merged_name=one.name,
                kept_name=other.name,
                type=other.type,
                same=True,
                by=by,
                reason=reason,
                score=score,
                decided_at=self._clock(),
            )
            decide(self._store, decision)
            return msgspec.structs.replace(self.show(other.entity_id), changed=True)

    def unmerge(
        self, ref: str, other: str | None = None, *, by: str = "person", reason: str = ""
    ) -> Unmerged:
        """Undo the one merge that `ref` names (its id, or either thing; with `other`, both), and
        remember that the two are not one: they are not proposed again.

        Everything reads as it did before the merge. Raises UnknownRecord when nothing of the kind
        is merged, InvalidInput when several merges could be meant. Written at once.
        """
        with self._writing:
            found = [d for d in decisions(self._store) if _about(d, ref) and _about(d, other)]
            if not found:
                named = repr(ref) if other is None else f"{ref!r} and {other!r}"
                raise UnknownRecord(
                    f"no merge of {named} stands: `quipu entity history` shows those there were"
                )
            if len(found) > 1:
                listed = "; ".join(
                    f"{d.merge_id} ({d.merged_name!r} as {d.kept_name!r})" for d in found[:10]
                )
                raise InvalidInput(f"{ref!r} is in {len(found)} merges; give an id: {listed}")
            apart = msgspec.structs.replace(
                found[0], same=False, by=by, reason=reason, score=1.0, decided_at=self._clock()
            )
            return Unmerged(decision=decide(self._store, apart), undone=found[0])

    def history(self, ref: str | None = None) -> EntityHistory:
        """Every decision there ever was about `ref`, or about anything, with when it was known;
        only what was forgotten is gone."""
        standing = [*decisions(self._store), *decisions(self._store, same=False)]
        pairs = {frozenset((d.merged_id, d.kept_id)) for d in standing if _about(d, ref)}
        verdicts = sorted(
            verdict_id(self._store.namespace, one, other, same=same)
            for pair in pairs
            for one in pair
            for other in pair - {one}
            for same in (True, False)
        )
        support = self._store.support(verdicts)
        episodes = {row.episode_id for rows in support.values() for row in rows}
        known = [
            RecordedDecision(decision=said, recorded_at=p.recorded_at, known_until=p.known_until)
            for periods in self._store.periods(sorted(episodes)).values()
            for p in periods
            if isinstance(p.record, Fact) and (said := decision_of(p.record))
        ]
        known.sort(key=lambda k: (k.recorded_at, k.known_until or "~", k.decision.merge_id))
        return EntityHistory(decisions=tuple(known))


def _thing(planner: Planner, ref: str) -> Entity:
    """What `ref` names; a name that only passages mention is written as it was given."""
    try:
        return end_of_relation(planner, ref)
    except UnknownRecord:
        if planner.named([name_key(ref)])[name_key(ref)]:
            raise  # it could be several things
        key = " ".join(key_words(ref))
        for each in dict.fromkeys((name_id(key), name_id(name_key(ref)))):
            found = planner.get([each]).get(each)
            if isinstance(found, Entity):
                return msgspec.structs.replace(found, name=ref.strip())
        raise


def _require_mergeable(merged: Entity, kept: Entity) -> None:
    for each in (merged, kept):
        if not may_be_merged(each.type):
            raise InvalidInput(
                f"{each.name!r} is of type {each.type}: it has an identity of its own and cannot "
                "be merged; `quipu relation add` ties it to others"
            )
    if kept.type == EntityType.NAME != merged.type:
        raise InvalidInput(
            f"{kept.name!r} is only a name and cannot stand for {merged.name!r} "
            f"({merged.type}): give the two the other way round"
        )
    if merged.type not in (EntityType.NAME, kept.type):
        raise InvalidInput(
            f"{merged.name!r} is of type {merged.type} and {kept.name!r} of type {kept.type}: only "
            "things of one type can be merged"
        )


def _about(decision: Decision, ref: str | None) -> bool:
    """Whether a decision is the one with this id, or about a thing with this id or name."""
    if ref is None or ref in (decision.merge_id, decision.merged_id, decision.kept_id):
        return True
    key = name_key(ref)
    return key in (name_key(decision.merged_name), name_key(decision.kept_name))
