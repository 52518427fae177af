"""What the graph itself says to a question: relations and facts at what the question names.

Where sources disagree the order is: valid at the time asked, not superseded, observed last,
smallest id. Import time never decides. The loser is stated too, and named as a disagreement.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.modules import modules_in
from quipu.answer.quote import code_lead
from quipu.answer.told import said, told_by
from quipu.answer.wanted import Asked
from quipu.answer.wording import (
    asks_for,
    explained,
    is_understood,
    is_written,
    listed,
    shown,
    verb,
)
from quipu.domain.ids import kind_of
from quipu.domain.plan import Plan
from quipu.domain.records import Chunk, Entity, Episode, Fact, Record, Relation
from quipu.domain.schema import EntityType, RelationType
from quipu.ports import Graph
from quipu.text import stems

__all__ = ["Statement", "state"]

_MOST = 3
_LESS = 0.2
_MOST_SOURCES = 4
_MOST_RELATIONS = 400
_SINGLE_VALUED = frozenset({RelationType.OWNED_BY, RelationType.DEFINED_IN})


class Statement(NamedTuple):
    """A sentence without its full stop, what it rests on, and what speaks against it;
    `explained` is the share of the question that it explains."""

    text: str
    evidence: tuple[Evidence, ...]
    against: tuple["Statement", ...] = ()
    kind: str = "fact"
    explained: float = 1.0


class _Tie(NamedTuple):
    relation: Relation
    other: str
    episodes: frozenset[str]
    evidence: tuple[Evidence, ...]


def state(
    asked: Asked, plan: Plan, graph: Graph, evidence: Sequence[Evidence], *, now: str
) -> list[Statement]:
    """The statements that answer the question, at most three, in a fixed order; none that
    explains much less of it than another."""
    told = _told(plan, graph, evidence)
    anchors = _understood(asked, plan, graph)
    if told or not anchors:
        return told[:_MOST]
    found = [
        *_relations(asked, plan, graph, evidence, anchors),
        *_facts(asked, graph, evidence, anchors, now),
    ]
    stated = [
        s._replace(explained=explained(asked.text, s.text, s.kind))
        for s in found or _definitions(asked, graph, evidence, anchors)
    ]
    best = max((s.explained for s in stated), default=0.0)
    return [s for s in stated if s.explained >= best - _LESS][:_MOST]


def _understood(asked: Asked, plan: Plan, graph: Graph) -> list[str]:
    """The records that the question is about, by any of their names, in the plan's order."""
    typed = [anchor.entity_id for anchor in plan.anchors if anchor.type != EntityType.NAME]
    records = graph.get(typed)
    return modules_in(asked, graph) + [
        entity_id
        for entity_id in dict.fromkeys(typed)
        if isinstance(entity := records.get(entity_id), Entity)
        and any(
            is_written(asked.text, name, exact=entity.type == EntityType.SYMBOL)
            and is_understood(asked.text, name)
            for name in (entity.name, *entity.aliases)
        )
    ]


def _relations(
    asked: Asked, plan: Plan, graph: Graph, evidence: Sequence[Evidence], anchors: Sequence[str]
) -> Iterable[Statement]:
    groups: dict[tuple[str, str, bool], list[Relation]] = {}
    wanted: dict[str, tuple[bool, bool]] = {}
    for relation in _at_anchors(plan, graph, evidence, set(anchors)):
        if relation.type not in wanted:
            wanted[relation.type] = asks_for(asked.text, relation.type)
        outward, inward = wanted[relation.type]
        if outward and relation.source_entity_id in anchors:
            groups.setdefault((relation.type, relation.source_entity_id, True), []).append(relation)
        if inward and relation.target_entity_id in anchors:
            groups.setdefault((relation.type, relation.target_entity_id, False), []).append(
                relation
            )
    order = {anchor: place for place, anchor in enumerate(anchors)}
    for key in sorted(groups, key=lambda k: (order[k[1]], k[0], not k[2])):
        statement = _stated(graph, evidence, key[1], key[2], groups[key])
        if statement is not None:
            yield statement


def _definitions(
    asked: Asked, graph: Graph, evidence: Sequence[Evidence], anchors: Sequence[str]
) -> list[Statement]:
    """What the documentation of the symbols that are asked about says, when they are few.

    An ordinary word is a symbol only where it is written as code.
    """
    symbols = [
        entity
        for entity in graph.get(anchors).values()
        if isinstance(entity, Entity)
        and entity.type == EntityType.SYMBOL
        and _is_telling(entity.name, asked.text)
    ]
    if len(symbols) > _MOST:
        return []
    defined = graph.neighbors(
        [entity.entity_id for entity in symbols],
        types=frozenset({RelationType.DEFINED_IN}),
        limit_per_id=1,
    )
    found: list[Statement] = []
    for relation in (relations[0] for relations in defined.values() if relations):
        _, sources = _support(graph, relation.rel_id, evidence, relation)
        signature, documentation = code_lead(sources[0].text) if sources else ("", "")
        if signature and documentation:
            text = f"`{signature}`: {documentation}"
            found.append(Statement(text, sources[:1], kind=EntityType.SYMBOL))
    return found


def _is_telling(name: str, question: str) -> bool:
    last = name.rpartition(".")[2]
    ordinary = last.isalpha() and last.islower()
    return not ordinary or f"`{last}" in question or f"{last}(" in question


def _at_anchors(
    plan: Plan, graph: Graph, evidence: Sequence[Evidence], anchors: set[str]
) -> list[Relation]:
    """The relations the plan went over, or that tie a passage to it, that touch an anchor."""
    ids = {way.rel_id for way in plan.expansions if anchors & {way.source_id, way.target_id}}
    unplanned = sorted(anchors - {anchor.entity_id for anchor in plan.anchors})
    near = graph.neighbors(unplanned, direction="both", types=frozenset({RelationType.IMPORTS}))
    ids |= {relation.rel_id for relations in near.values() for relation in relations}
    ids |= {i for each in evidence for i in each.graph_ids if kind_of(i) == "relation"}
    records = graph.get(sorted(ids)[:_MOST_RELATIONS])
    return [
        record
        for _, record in sorted(records.items())
        if isinstance(record, Relation)
        and anchors & {record.source_entity_id, record.target_entity_id}
    ]


def _stated(
    graph: Graph,
    evidence: Sequence[Evidence],
    anchor: str,
    outward: bool,
    relations: Sequence[Relation],
) -> Statement | None:
    ties = [tie for r in relations if (tie := _tie(graph, evidence, r, outward)) is not None]
    if not ties:
        return None
    kind = relations[0].type
    chosen, others = ties, list[_Tie]()
    if outward and kind in _SINGLE_VALUED:
        chosen, others = _settled(graph, ties)
    names = graph.get([anchor, *(tie.other for tie in ties)])
    text = _say(names, anchor, kind, chosen, outward)
    against = tuple(
        Statement(_say(names, anchor, kind, [tie], outward), tie.evidence[:1], kind=kind)
        for tie in others[:_MOST]
    )
    return Statement(text, _united(chosen), against, kind)


def _settled(graph: Graph, ties: Sequence[_Tie]) -> tuple[list[_Tie], list[_Tie]]:
    """(what holds, what disagrees): what the winner's own sources assert holds together."""
    documents = sorted({e.document_id for tie in ties for e in tie.evidence if e.document_id})
    newer = graph.neighbors(documents, direction="in", types=frozenset({RelationType.SUPERSEDES}))
    superseded = {document for document, by in newer.items() if by}

    def rank(tie: _Tie) -> tuple[int, float, str]:
        out = all(e.document_id in superseded for e in tie.evidence)
        return (int(out), -_order(tie.relation.updated_at), tie.relation.rel_id)

    ordered = sorted(ties, key=rank)
    winner = ordered[0]
    chosen = [t for t in ordered if t.other == winner.other or t.episodes & winner.episodes]
    return chosen, [t for t in ordered if t not in chosen]


def _order(instant: str) -> float:
    """Text order of an instant as a number, so that it can be sorted downward."""
    return float("".join(c for c in instant if c.isdigit())[:17] or 0)


def _say(
    names: dict[str, Record], anchor: str, kind: str, ties: Sequence[_Tie], outward: bool
) -> str:
    subject = shown(_entity(names, anchor), anchor)
    others = sorted({_shown_other(names, tie, kind) for tie in ties})
    if outward:
        return f"{subject} {verb(kind, 1)} {listed(others)}"
    return f"{listed(others)} {verb(kind, len(others))} {subject}"


def _shown_other(names: dict[str, Record], tie: _Tie, kind: str) -> str:
    shown_name = shown(_entity(names, tie.other), tie.other)
    first = tie.evidence[0]
    if kind == RelationType.DEFINED_IN and shown_name == f"`{first.path}`" and first.start_line:
        return f"`{first.path}:{first.start_line}-{first.end_line}`"
    return shown_name


def _entity(names: dict[str, Record], entity_id: str) -> Entity | None:
    record = names.get(entity_id)
    return record if isinstance(record, Entity) else None


def _united(ties: Sequence[_Tie]) -> tuple[Evidence, ...]:
    united = {each.id: each for tie in ties for each in tie.evidence[:2]}
    return tuple(united.values())[:_MOST_SOURCES]


def _tie(
    graph: Graph, evidence: Sequence[Evidence], relation: Relation, outward: bool
) -> _Tie | None:
    episodes, sources = _support(graph, relation.rel_id, evidence, relation)
    other = relation.target_entity_id if outward else relation.source_entity_id
    return _Tie(relation, other, episodes, sources) if sources else None


def _support(
    graph: Graph, record_id: str, evidence: Sequence[Evidence], record: Relation | Fact
) -> tuple[frozenset[str], tuple[Evidence, ...]]:
    """The live episodes behind a record and the passages it stands in, retrieved ones first.

    What a person asserted has no passage: its source itself is the evidence.
    """
    live = [s for s in graph.support([record_id]).get(record_id, []) if s.known_until is None]
    episodes = frozenset(s.episode_id for s in live)
    chunk_ids = list(dict.fromkeys(chunk for s in live for chunk in s.chunk_ids))
    ids = (record_id, *_ends(record))
    held = [e for e in evidence if e.id in chunk_ids or record_id in e.graph_ids]
    held = [e._replace(graph_ids=tuple(dict.fromkeys((*ids, *e.graph_ids)))) for e in held]
    if held and any(e.id in chunk_ids for e in held):
        return episodes, tuple(sorted(held, key=lambda e: e.id not in chunk_ids))
    records = graph.get([*chunk_ids[:2], *sorted(episodes)[:_MOST_SOURCES]])
    chunks = [c for c in records.values() if isinstance(c, Chunk)]
    found = [_from_chunk(c, graph, ids, record) for c in sorted(chunks, key=lambda c: c.chunk_id)]
    if not found and held:
        return episodes, tuple(held)
    if not found:
        sources = [e for e in records.values() if isinstance(e, Episode)]
        found = [
            _from_episode(e, ids, record) for e in sorted(sources, key=lambda e: e.episode_id)[:1]
        ]
    return episodes, tuple(each for each in found if each.path.strip())


def _ends(record: Relation | Fact) -> tuple[str, ...]:
    if isinstance(record, Relation):
        return (record.source_entity_id, record.target_entity_id)
    return ()


def _from_chunk(
    chunk: Chunk, graph: Graph, ids: tuple[str, ...], record: Relation | Fact
) -> Evidence:
    episode = graph.get([chunk.episode_id]).get(chunk.episode_id)
    return Evidence(
        id=chunk.chunk_id,
        document_id=chunk.document_id,
        path=episode.source_ref if isinstance(episode, Episode) else "",
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        title=chunk.title,
        text=chunk.text,
        is_code=chunk.profile == "code",
        graph_ids=ids,
        updated_at=record.updated_at,
        source_sha=record.source_sha,
    )


def _from_episode(episode: Episode, ids: tuple[str, ...], record: Relation | Fact) -> Evidence:
    said = (
        f"{record.type}: {record.description}".strip(": ")
        if isinstance(record, Relation)
        else f"{record.subject} {record.predicate} {record.object}"
    )
    return Evidence(
        id=episode.episode_id,
        document_id=episode.document_id or "",
        path=episode.source_ref,
        start_line=1,
        end_line=1,
        title=episode.source_ref,
        text=episode.preview_text or said,
        is_code=False,
        graph_ids=ids,
        updated_at=record.updated_at,
        source_sha=episode.source_sha,
    )


def _told(plan: Plan, graph: Graph, evidence: Sequence[Evidence]) -> list[Statement]:
    """The dated facts that the plan holds as the answer, each with what disagrees."""

    def state(fact: Fact) -> Statement | None:
        _, sources = _support(graph, fact.fact_id, evidence, fact)
        return Statement(said(fact), sources[:2]) if sources else None

    winners, others = told_by(plan, graph, state)
    return [each._replace(against=tuple(others[:_MOST])) for each in winners]


def _facts(
    asked: Asked, graph: Graph, evidence: Sequence[Evidence], anchors: Sequence[str], now: str
) -> Iterable[Statement]:
    """Facts about what is named, whose predicate the question asks for."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for entity in graph.get(anchors).values():
        if isinstance(entity, Entity):
            for subject in dict.fromkeys((entity.entity_id, entity.name)):
                for fact in graph.facts(subject):
                    if set(stems(fact.predicate.replace("_", " "))) & set(asked.stems):
                        held = groups.setdefault((fact.subject, fact.predicate), [])
                        if fact not in held:
                            held.append(fact)
    for key in sorted(groups):
        ordered = _facts_in_order(groups[key], now)
        stated = [s for fact in ordered if (s := _fact_statement(graph, evidence, fact, now))]
        if stated:
            winner = ordered[0]
            against = [
                s for s, f in zip(stated[1:], ordered[1:], strict=False)
                if f.object != winner.object and _valid(f, now) and _valid(winner, now)
            ]  # fmt: skip
            yield stated[0]._replace(against=tuple(against[:_MOST]))


def _facts_in_order(facts: Sequence[Fact], now: str) -> list[Fact]:
    superseded = {f.supersedes_fact_id for f in facts}

    def rank(fact: Fact) -> tuple[bool, bool, float, str]:
        late = -_order(fact.updated_at)
        return (not _valid(fact, now), fact.fact_id in superseded, late, fact.fact_id)

    return sorted(facts, key=rank)


def _valid(fact: Fact, now: str) -> bool:
    begun = fact.valid_from is None or fact.valid_from[: len(now)] <= now
    return begun and (fact.valid_to is None or fact.valid_to >= now[: len(fact.valid_to)])


def _fact_statement(
    graph: Graph, evidence: Sequence[Evidence], fact: Fact, now: str
) -> Statement | None:
    _, sources = _support(graph, fact.fact_id, evidence, fact)
    if not sources:
        return None
    when = "".join(
        f", {word} {day[:10]}"
        for word, day in (("from", fact.valid_from), ("until", fact.valid_to))
        if day
    )
    said = f"the {fact.predicate.replace('_', ' ')} of `{fact.subject.replace('`', chr(39))}`"
    state_verb = "is" if _valid(fact, now) else "was"
    return Statement(f"{said[0].upper()}{said[1:]} {state_verb} {fact.object}{when}", sources[:2])
