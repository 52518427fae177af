"""What typed relations tie to the records a question names.

`documents` follows relations between documents, one hop, outgoing, all types. `local` follows
relations of named records in both directions, at most two hops, within bounds.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.plan.names import telling
from quipu.plan.visibility import seen_relations
from quipu.ports import Direction, Planner
from quipu.question import Question
from quipu.records.plan import Anchor, Expansion
from quipu.records.record import Entity, Relation, in_turns
from quipu.records.schema import EntityType, row_of
from quipu.records.scope import Scope
from quipu.text import stem_words

__all__ = ["Known", "expand", "expand_anchors", "expand_documents"]

_LOOKED_AT = 4  # relations read for each that is kept
_DOCUMENT_RELATIONS = 100
_ANCHOR_RELATIONS = 60
_SECOND_RELATIONS = 10
_SECOND_SOURCES = 30
_MOST_SUPPORT = 100
_ASKED_FOR, _TIED, _TIED_TWICE, _NAMED, _PLAIN_WORD = 1.0, 0.25, 0.1, 0.3, 0.1


class Known(NamedTuple):
    """How near a chunk is to what the question names, in [0, 1], and by which records; `dated`
    when a fact that holds at the asked time speaks for it."""

    proximity: float
    graph_ids: tuple[str, ...]
    dated: bool = False


def expand(
    seeds: Sequence[str],
    relations: Mapping[str, Iterable[Relation]],
    *,
    targets: Collection[str] | None = None,
    incoming: bool = False,
    hops: int = 1,
) -> tuple[Expansion, ...]:
    """What the relations of `seeds` reach in one hop, sorted by (from, to, type, relation).

    Each way to a record is an expansion of its own. Relations that end outside `targets` (None:
    anywhere), lead back to their own start, or come in (unless `incoming`) are left out.
    """
    found: dict[tuple[str, str, str, str], Expansion] = {}
    for seed in dict.fromkeys(seeds):
        for relation in relations.get(seed, ()):
            target = relation.target_entity_id
            if relation.source_entity_id != seed:
                if not incoming or target != seed:
                    continue
                target = relation.source_entity_id
            if target == seed or (targets is not None and target not in targets):
                continue
            found[(seed, target, relation.type, relation.rel_id)] = Expansion(
                source_id=seed,
                target_id=target,
                via=relation.type,
                rel_id=relation.rel_id,
                hops=hops,
            )
    return tuple(found[key] for key in sorted(found))


def expand_documents(
    document_ids: Sequence[str], planner: Planner, *, scope: Scope
) -> tuple[Expansion, ...]:
    """One outgoing hop from the seeds' documents to other documents in `scope`, all types."""
    relations = _relations(document_ids, planner, scope, "out", _DOCUMENT_RELATIONS)
    ends = sorted({r.target_entity_id for each in relations.values() for r in each})
    documents = {
        record_id
        for record_id, record in planner.get(ends).items()
        if isinstance(record, Entity) and record.type == EntityType.DOCUMENT
    }
    return expand(document_ids, relations, targets=documents)


def expand_anchors(
    question: Question, anchors: Sequence[Anchor], planner: Planner, *, scope: Scope
) -> tuple[tuple[Expansion, ...], dict[str, Known]]:
    """Relations of the named records in `scope`, at most two hops, and the chunks that support
    them."""
    typed = [anchor for anchor in anchors if anchor.type != EntityType.NAME]
    if not typed:
        return (), {}
    ids = [anchor.entity_id for anchor in typed]
    near = _relations(ids, planner, scope, "both", _ANCHOR_RELATIONS)
    first = expand(ids, near, incoming=True)
    reached = [e.target_id for e in first if e.target_id not in set(ids)]
    sources = sorted(set(reached))[:_SECOND_SOURCES]
    far = _relations(sources, planner, scope, "both", _SECOND_RELATIONS)
    second = tuple(
        e for e in expand(sources, far, incoming=True, hops=2) if e.target_id not in set(ids)
    )
    tells = telling({anchor.words or anchor.name for anchor in typed}, planner)
    scores = _record_scores(question, typed, first, second, tells)
    return first + second, _supporting_chunks(scores, planner)


def _relations(
    ids: Sequence[str], planner: Planner, scope: Scope, direction: Direction, limit: int
) -> dict[str, list[Relation]]:
    """At most `limit` relations of each record in `scope`: the types take turns, each with its
    heaviest first."""
    read = planner.neighbors(ids, direction=direction, limit_per_id=_LOOKED_AT * limit)
    seen = seen_relations(read, planner, scope)
    found: dict[str, list[Relation]] = {}
    for each, relations in seen.items():
        ordered = sorted(relations, key=lambda r: (-r.weight, r.rel_id))
        found[each] = [ordered[at] for at in in_turns([r.type for r in ordered], limit)]
    return found


def _record_scores(
    question: Question,
    anchors: Sequence[Anchor],
    first: Sequence[Expansion],
    second: Sequence[Expansion],
    tells: Mapping[str, float],
) -> dict[str, Known]:
    """How near each record is to the question, with the anchor first among its reasons. What is
    only tied to a name is as near as the name tells of where to look."""
    asked = set(question.stems)
    near = {a.entity_id: tells[a.words or a.name] for a in anchors}
    scores: dict[str, Known] = {}
    for expansion in second:
        scores[expansion.rel_id] = Known(_TIED_TWICE, (expansion.source_id, expansion.rel_id))
    for expansion in first:
        shared = asked & _relation_stems(expansion.via)
        tied = _ASKED_FOR if shared else _TIED * near.get(expansion.source_id, 1.0)
        score = Known(tied, (expansion.source_id, expansion.rel_id))
        scores[expansion.rel_id] = max(score, scores.get(expansion.rel_id, score))
    for anchor in anchors:
        if anchor.type == EntityType.DOCUMENT:
            continue  # that its title is named counts as the part "name" already
        plain = anchor.name.isalpha() and anchor.name.islower()
        named = (_PLAIN_WORD if plain else _NAMED) * near[anchor.entity_id]
        scores[anchor.entity_id] = Known(named, (anchor.entity_id,))
    return scores


def _relation_stems(relation_type: str) -> set[str]:
    words = [*relation_type.lower().split("_"), *row_of(relation_type).words.split()]
    return set(stem_words([word for word in words if len(word) > 2]))


def _supporting_chunks(scores: Mapping[str, Known], planner: Planner) -> dict[str, Known]:
    ordered = sorted(scores, key=lambda record: (-scores[record].proximity, record))
    nearest: dict[str, Known] = {}
    for record, supports in planner.support(ordered[:_MOST_SUPPORT]).items():
        for support in supports:
            if support.known_until is not None:
                continue
            for chunk_id in support.chunk_ids:
                known = nearest.get(chunk_id, Known(0.0, ()))
                better, other = sorted((known, scores[record]), reverse=True)
                ids = dict.fromkeys((*better.graph_ids, *other.graph_ids))
                nearest[chunk_id] = Known(better.proximity, tuple(ids))
    kept = sorted(nearest, key=lambda chunk: (-nearest[chunk].proximity, chunk))
    return {chunk: nearest[chunk] for chunk in kept[:_MOST_SUPPORT]}
