"""What the graph itself says to a question: relations and facts at what the question names.

Where sources disagree the order is: valid at the time asked, not superseded, observed last,
smallest id. Import time never decides. The loser is stated too, and named as a disagreement.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.authority import asked_of_roles, otherwise
from quipu.answer.dated_facts import is_by_grammar, said, told_by
from quipu.answer.gate import Evidence, is_turn
from quipu.answer.kinds import AnswerStatement, answers_of_kinds
from quipu.answer.properties import of_properties
from quipu.answer.quote import code_lead, code_span, defined, in_short
from quipu.answer.support import MOST_SOURCES, EvidencePool, support
from quipu.answer.wording import (
    LISTED,
    explained,
    is_understood,
    is_written,
    listed,
    meant,
    shown,
    verb,
)
from quipu.answer.yes_or_no import PRESENTLY
from quipu.facts.attributes import SHIPPED
from quipu.facts.chains import (
    FactStanding,
    as_it_stands,
    standings,
)
from quipu.facts.fit import PROPERTIES, asks_which, is_asked_for, is_sure
from quipu.facts.keys import asked_by, is_stated, other_subjects
from quipu.ports import Graph, Planner
from quipu.question import Question
from quipu.records.authority import GOVERNED, ROLES, rank
from quipu.records.ids import kind_of
from quipu.records.plan import Plan
from quipu.records.record import Entity, Fact, Record, Relation
from quipu.records.schema import EntityType, RelationType, row_of
from quipu.text import STOP_WORDS, name_key, stems

__all__ = [
    "modules_in",
    "state",
    "symbols_in",
]

_FILES = ("{}.py", "{}/__init__.py", "src/{}.py", "src/{}/__init__.py")


def modules_in(asked: Question, graph: Graph) -> list[str]:
    """The ids of the documents that are the modules named in the question, in its order."""
    found: list[str] = []
    for name in asked.names:
        if "." not in name or "/" in name or not is_understood(asked, name):
            continue
        path = name.removesuffix("()").replace(".", "/")
        keys = [name_key(file.format(path)) for file in _FILES]
        named = graph.named(keys)
        found += [
            entity.entity_id
            for key in keys
            for entity in named.get(key, ())
            if entity.type == EntityType.DOCUMENT
        ]
    return list(dict.fromkeys(found))


def symbols_in(asked: Question, graph: Graph) -> list[str]:
    """The ids of the symbols that the question names after a package, module or class: all that
    is before the last dot is in their path or qualified name."""
    found: list[str] = []
    for name in asked.names:
        parts = name.removesuffix("()").split(".")
        if len(parts) < 2 or "/" in name or not all(parts):
            continue
        *before, last = parts
        key = name_key(last)
        found += [
            entity.entity_id
            for entity in graph.named([key]).get(key, ())
            if entity.type == EntityType.SYMBOL and _is_within(entity, before, last)
        ]
    return list(dict.fromkeys(found))


def _is_within(entity: Entity, before: list[str], last: str) -> bool:
    path, qualified = entity.properties.get("path"), entity.properties.get("qualified_name")
    if not isinstance(path, str) or not isinstance(qualified, str):
        return False
    *outer, own = qualified.split(".")
    folders = path.rpartition(".")[0].split("/")
    return own == last and set(before) <= {*outer, *folders}


_MOST = 3
_PRESENTLY = frozenset(stems(PRESENTLY))
_PREVIOUSLY = "before previous previously formerly used"
_LESS = 0.2
_DOUBTED = 0.7
_OF_CODE = frozenset(
    str(each)
    for each in RelationType
    if EntityType.SYMBOL in each.row.sources or each == RelationType.REFERS_TO
)
"""Relations of code: they tell how it is, never why, nor when something happens."""
_MENTIONED = re.compile(r"\b(?:refer|mention)", re.IGNORECASE)
_MOST_RELATIONS = 400
_ALSO = {"deadline": "due", "status": "state", "owner": "own"}


class _SupportedRelation(NamedTuple):
    relation: Relation
    other: str
    episodes: frozenset[str]
    evidence: tuple[Evidence, ...]


def state(
    asked: Question,
    question: Question,
    plan: Plan,
    graph: Planner,
    evidence: Sequence[Evidence],
) -> list[AnswerStatement]:
    """The statements that answer the question, at most three, in a fixed order; none that
    explains much less of it than another."""
    kinds = answers_of_kinds()
    if for_good := [s for each in kinds for s in each.settled(asked, plan, graph)]:
        return for_good[:_MOST]
    pool = EvidencePool(evidence, plan.scope)
    direct = _of_facts(question, plan, graph, pool) or [
        s for each in kinds for s in each.stated(asked, graph, evidence, scope=plan.scope)
    ]
    anchors = _understood(asked, plan, graph)
    ruled = _ruled(asked, plan, graph, pool, anchors, direct) if asked_of_roles(asked) else []
    if direct and not ruled:
        return direct[:_MOST]
    if not anchors:
        return ruled[:_MOST]
    related = _relations(asked, plan, graph, pool, anchors)
    when_or_why = asked.answer_type in {"time", "reason"}
    found = ruled or [s for s in related if not (when_or_why and s.kind in _OF_CODE)]
    answering = [
        s._replace(explained=_share(asked, s))
        for s in found
        or [*of_properties(asked, graph, pool, anchors)]
        or _definitions(asked, graph, pool, anchors)
    ]
    best = max((s.explained for s in answering), default=0.0)
    return [s for s in answering if s.explained >= best - _LESS][:_MOST]


def _ruled(
    asked: Question,
    plan: Plan,
    graph: Planner,
    pool: EvidencePool,
    anchors: Sequence[str],
    others: Sequence[AnswerStatement],
) -> list[AnswerStatement]:
    """What the graph says of what governs the things that are named, asserted by a role above
    running text; what facts and passages say otherwise is stated against it. Where what is meant
    has no such relation, whatever bears its name is meant."""
    least = ROLES.index("prose")
    named = _understood(asked, plan, graph, every=True)
    for ids in (anchors, named):
        found = [
            s
            for s in _relations(asked, plan, graph, pool, ids)
            if s.kind in GOVERNED and s.authority > least
        ]
        if found:
            break
    else:
        return []
    said = [AnswerStatement(text, (e,)) for text, e in _said_otherwise(graph, named, pool)]
    rivals = [t for t in others if t.text not in {s.text for s in said}]
    first = found[0]
    return [first._replace(against=(*first.against, *rivals, *said)[:_MOST]), *found[1:]]


def _said_otherwise(
    graph: Planner, named: Sequence[str], pool: EvidencePool
) -> list[tuple[str, Evidence]]:
    """What passages say of the owner of what is named, where it is none whom the graph knows."""
    types = frozenset({str(RelationType.OWNED_BY)})
    supported = [r for rows in graph.neighbors(named, types=types).values() for r in rows]
    records = graph.get([*named, *(r.target_entity_id for r in supported)])
    names = {
        record_id: (record.name, *record.aliases)
        for record_id, record in records.items()
        if isinstance(record, Entity)
    }
    owners = [name for r in supported for name in names.get(r.target_entity_id, ())]
    subjects = [name for each in named for name in names.get(each, ())]
    return otherwise(subjects, owners, pool.found) if owners else []


def _said(statement: AnswerStatement) -> str:
    """What of a statement explains the question: of a definition its name alone."""
    return defined(statement.text) if statement.kind == EntityType.SYMBOL else statement.text


def _where(statement: AnswerStatement) -> str:
    """The places of a definition: path and title say what a name before its dot says."""
    if statement.kind not in {EntityType.SYMBOL, RelationType.DEFINED_IN}:
        return ""
    return " ".join(
        f"{each.path} {each.title if each.is_code else ''}" for each in statement.evidence
    )


def _understood(asked: Question, plan: Plan, graph: Planner, *, every: bool = False) -> list[str]:
    """The records that the question is about, by any of their names, in the plan's order; `every`
    brings those too that its spelling does not mean."""
    typed = [anchor.entity_id for anchor in plan.anchors if anchor.type != EntityType.NAME]
    records = graph.get(typed)
    named = [
        entity
        for entity_id in dict.fromkeys(typed)
        if isinstance(entity := records.get(entity_id), Entity)
        and any(
            is_written(asked, name, exact=entity.type == EntityType.SYMBOL)
            and is_understood(asked, name)
            for name in (entity.name, *entity.aliases)
        )
    ]
    if every:
        return [entity.entity_id for entity in named]
    dotted = symbols_in(asked, graph)
    ids = [*modules_in(asked, graph), *dotted, *(e.entity_id for e in meant(asked, named))]
    return list(dict.fromkeys(ids))


def _relations(
    asked: Question, plan: Plan, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
) -> Iterable[AnswerStatement]:
    groups: dict[tuple[str, str, bool], list[Relation]] = {}
    directions: dict[str, tuple[bool, bool]] = {}
    for relation in _at_anchors(plan, graph, evidence, set(anchors)):
        if relation.type not in directions:
            directions[relation.type] = asked.asks_for(relation.type)
        outward, inward = directions[relation.type]
        if outward and relation.source_entity_id in anchors:
            groups.setdefault((relation.type, relation.source_entity_id, True), []).append(relation)
        if inward and relation.target_entity_id in anchors:
            groups.setdefault((relation.type, relation.target_entity_id, False), []).append(
                relation
            )
    order = {anchor: place for place, anchor in enumerate(anchors)}
    both = asked.asks_yes_or_no and len(anchors) > 1
    for key in sorted(groups, key=lambda k: (order[k[1]], k[0], not k[2])):
        relations = [r for r in groups[key] if not both or _joins(r, anchors)]
        used = key[0] == RelationType.REFERS_TO and not _MENTIONED.search(asked.text)
        statement = _stated(graph, evidence, key[1], key[2], relations, of_code=used)
        if statement is not None:
            yield statement
    yield from _of_parts(asked, graph, evidence, anchors)


def _share(asked: Question, statement: AnswerStatement) -> float:
    said = f"{_said(statement)} {_where(statement)} {statement.names}"
    return explained(asked, said, statement.kind)


def _joins(relation: Relation, anchors: Sequence[str]) -> bool:
    """Whether both ends are asked about: "is A a subclass of B?"."""
    return relation.source_entity_id in anchors and relation.target_entity_id in anchors


def _of_parts(
    asked: Question, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
) -> Iterable[AnswerStatement]:
    """What is said of parts of what the question is about."""
    groups: dict[tuple[str, str], list[Relation]] = {}
    for each in answers_of_kinds():
        for anchor, relation in each.led_to(asked, graph, evidence, anchors):
            groups.setdefault((anchor, relation.target_entity_id), []).append(relation)
    for (anchor, part), relations in groups.items():
        statement = _stated(graph, evidence, part, False, relations)
        if statement is not None:
            whole = shown(_entity(graph.get([anchor]), anchor), anchor)
            yield statement._replace(text=f"{statement.text}, which is part of {whole}")


def _definitions(
    asked: Question, graph: Planner, evidence: EvidencePool, anchors: Sequence[str]
) -> list[AnswerStatement]:
    """What the documentation of the symbols that are asked about says, when they are few.

    An ordinary word is a symbol only where it is written as code. A reason, a time or a thing of
    some kind ("which functions does Door have?") is no definition.
    """
    if asked.answer_type != "any":
        return []
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
    known = {entity.entity_id: entity for entity in symbols}
    found: list[AnswerStatement] = []
    for relation in (relations[0] for relations in defined.values() if relations):
        _, sources = support(graph, relation.rel_id, evidence, relation)
        symbol = known.get(relation.source_entity_id)
        lines = _own_lines(symbol, sources[0]) if sources else ""
        signature, documentation = code_lead(lines, asked.subject, whole=True)
        if symbol and not documentation:
            documentation = in_short(symbol.description, asked.subject, whole=True)
        if signature and documentation:
            text = f"{code_span(signature)}: {documentation}"
            found.append(AnswerStatement(text, sources[:1], kind=EntityType.SYMBOL))
    return found


def _own_lines(symbol: Entity | None, passage: Evidence) -> str:
    """The lines of a passage that define a symbol: it may begin with what is around it."""
    of = symbol.properties if symbol else {}
    first, last = of.get("start_line"), of.get("end_line")
    if not isinstance(first, int) or not isinstance(last, int):
        return passage.text
    inside = range(passage.start_line, passage.end_line + 1)
    if first not in inside or last not in inside or of.get("path") != passage.path:
        return passage.text
    lines = passage.text.split("\n")
    return "\n".join(lines[first - inside.start : last - inside.start + 1]) or passage.text


def _is_telling(name: str, question: str) -> bool:
    last = name.rpartition(".")[2]
    ordinary = last.isalpha() and last.islower()
    return (
        not ordinary
        or any(f"{sign}{last}" in question for sign in "`.")
        or (f"{last}(" in question)
    )


def _at_anchors(
    plan: Plan, graph: Planner, evidence: EvidencePool, anchors: set[str]
) -> list[Relation]:
    """The relations the plan went over, or that tie a passage to it, that touch an anchor."""
    ids = {way.rel_id for way in plan.expansions if anchors & {way.source_id, way.target_id}}
    unplanned = sorted(anchors - {anchor.entity_id for anchor in plan.anchors})
    near = graph.neighbors(unplanned, direction="both", types=frozenset({RelationType.IMPORTS}))
    ids |= {relation.rel_id for relations in near.values() for relation in relations}
    ids |= {i for each in evidence.found for i in each.graph_ids if kind_of(i) == "relation"}
    records = graph.get(sorted(ids)[:_MOST_RELATIONS])
    touching = [
        record
        for _, record in sorted(records.items())
        if isinstance(record, Relation)
        and anchors & {record.source_entity_id, record.target_entity_id}
    ]
    for each in answers_of_kinds():
        touching = each.in_force(graph, touching)
    return touching


def _stated(
    graph: Planner,
    evidence: EvidencePool,
    anchor: str,
    outward: bool,
    relations: Sequence[Relation],
    *,
    of_code: bool = False,
) -> AnswerStatement | None:
    """What relations of one type say of an anchor; with `of_code` what code says: documentation
    that names a function does not call it."""
    supported = [
        each
        for r in relations
        if (each := _supported(graph, evidence, r, outward)) is not None
        and (not of_code or any(e.is_code for e in each.evidence))
    ]
    if not supported:
        return None
    kind = relations[0].type
    chosen, others = supported, list[_SupportedRelation]()
    if outward and row_of(kind).single:
        chosen, others = _settled(graph, supported)
    names = graph.get([anchor, *(each.other for each in supported)])
    text = _say(names, anchor, kind, chosen, outward)
    shown_first = sorted(chosen, key=lambda each: _shown_other(names, each, kind))[:LISTED]
    against = tuple(
        AnswerStatement(_say(names, anchor, kind, [each], outward), each.evidence[:1], kind=kind)
        for each in others[:_MOST]
    )
    authority = max(rank(each.relation.properties) for each in chosen)
    of = _entity(names, anchor)
    called = of.name if of and of.type == EntityType.DOCUMENT else ""
    return AnswerStatement(
        text, _united(shown_first), against, kind, authority=authority, names=called
    )


def _settled(
    graph: Planner, supported: Sequence[_SupportedRelation]
) -> tuple[list[_SupportedRelation], list[_SupportedRelation]]:
    """(what holds, what disagrees): what the winner's own sources assert holds together."""
    documents = sorted(
        {e.document_id for each in supported for e in each.evidence if e.document_id}
    )
    newer = graph.neighbors(documents, direction="in", types=frozenset({RelationType.SUPERSEDES}))
    superseded = {document for document, by in newer.items() if by}

    def order(each: _SupportedRelation) -> tuple[int, int, float, str]:
        out = all(e.document_id in superseded for e in each.evidence)
        role = rank(each.relation.properties)
        return (int(out), -role, -_order(each.relation.updated_at), each.relation.rel_id)

    ordered = sorted(supported, key=order)
    winner = ordered[0]
    chosen = [t for t in ordered if t.other == winner.other or t.episodes & winner.episodes]
    return chosen, [t for t in ordered if t not in chosen]


def _order(instant: str) -> float:
    """Text order of an instant as a number, so that it can be sorted downward."""
    return float("".join(c for c in instant if c.isdigit())[:17] or 0)


def _say(
    names: dict[str, Record],
    anchor: str,
    kind: str,
    supported: Sequence[_SupportedRelation],
    outward: bool,
) -> str:
    subject = shown(_entity(names, anchor), anchor)
    others = sorted({_shown_other(names, each, kind) for each in supported})
    ends = (_entity(names, each) for each in (anchor, *(each.other for each in supported)))
    symbols = all(end is not None and end.type == EntityType.SYMBOL for end in ends)
    said = verb(kind, 1 if outward else len(others), symbols=symbols)
    first, last = (subject, listed(others)) if outward else (listed(others), subject)
    return f"{first} {said} {last}"


def _shown_other(names: dict[str, Record], each: _SupportedRelation, kind: str) -> str:
    shown_name = shown(_entity(names, each.other), each.other)
    first = each.evidence[0]
    if kind == RelationType.DEFINED_IN and shown_name == f"`{first.path}`" and first.start_line:
        last = f"-{first.end_line}" if first.end_line != first.start_line else ""
        return f"`{first.path}:{first.start_line}{last}`"
    return shown_name


def _entity(names: dict[str, Record], entity_id: str) -> Entity | None:
    record = names.get(entity_id)
    return record if isinstance(record, Entity) else None


def _united(supported: Sequence[_SupportedRelation]) -> tuple[Evidence, ...]:
    """A passage for each tie, so that none that is named goes uncited, and a second one of the
    first where there is room."""
    united = {each.evidence[0].id: each.evidence[0] for each in supported}
    for each in (e for one in supported for e in one.evidence[1:2]):
        if len(united) < MOST_SOURCES:
            united.setdefault(each.id, each)
    return tuple(united.values())


def _supported(
    graph: Planner, evidence: EvidencePool, relation: Relation, outward: bool
) -> _SupportedRelation | None:
    episodes, sources = support(graph, relation.rel_id, evidence, relation)
    other = relation.target_entity_id if outward else relation.source_entity_id
    return _SupportedRelation(relation, other, episodes, sources) if sources else None


def _of_facts(
    question: Question, plan: Plan, graph: Planner, evidence: EvidencePool
) -> list[AnswerStatement]:
    """The dated facts that the plan holds as the answer, each with what disagrees."""

    def state(fact: Fact) -> AnswerStatement | None:
        _, sources = support(graph, fact.fact_id, evidence, fact)
        if not sources:
            return None
        spoken, by_grammar = is_turn(sources[0]), is_by_grammar(fact)
        told_alike = {fact.subject, *other_subjects(fact)}
        chained = spoken or by_grammar or is_stated(fact)
        every = standings(graph.facts(told_alike)) if chained else []
        told = AnswerStatement(said(_as_it_stood(fact, every)), sources[:2], fact=fact)
        if spoken:
            told = told._replace(others=_passages_beside(fact, every, graph))
        reply = _yes_or_no(question, fact)
        if reply:
            return told._replace(text=f"{reply}: {_uncapital(told.text)}", replies=True)
        share = 1.0 if _asks_for_property(question, fact) else 0.0
        if by_grammar:
            share = _answered(question, fact, every)
        if question.takes_yes_or_no:
            share = min(share, _DOUBTED)  # neither yes nor no follows from it
        cited = _with_record(sources[:2], evidence.found)
        return told._replace(evidence=cited, explained=share)

    winners, others = told_by(plan, graph, state)
    return [each._replace(against=tuple(others[:_MOST])) for each in winners]


def _asks_for_property(question: Question, fact: Fact) -> bool:
    """Whether how a document stands is asked for, by what that is called or by what it may be: to
    what its title says alone, "accepted" is no answer. What is no property is asked for anyhow."""
    if "rule" in fact.provenance or fact.predicate not in PROPERTIES:
        return True
    return bool(question.stem_set & (_asked_by(fact.predicate) | set(stems(fact.object))))


def _with_record(sources: tuple[Evidence, ...], found: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """With the whole records that were found whose values the sources are: `goal:3` beside
    `goal:3#deadline@…`."""
    records = {path for each in sources for path, value, _ in [each.path.partition("#")] if value}
    return (*sources, *(each for each in found if each.path in records))


def _yes_or_no(question: Question, fact: Fact) -> str:
    """What a fact replies to a question that is answered by yes or no: no, where it asks for
    another value than the fact's; empty for any other question."""
    if not question.asks_yes_or_no:
        return ""
    asked, object_stems = question.stem_set, set(stems(fact.object))
    if object_stems and object_stems <= asked:
        return "No" if fact.predicate.startswith("not ") else "Yes"
    if object_stems & asked:
        return ""
    stated_words = set(stems(f"{fact.subject} {SHIPPED.words(fact.predicate)}"))
    return "No" if asked - stated_words - _PRESENTLY else ""


def _answered(question: Question, fact: Fact, every: Sequence[FactStanding]) -> float:
    """The share of a question that a statement read by grammar explains: 0 where it says nothing
    that the question does not say itself. When it holds has been asked of the fact before; what
    it took the place of may be asked for as well ("what car", of a Volvo that gave way to it), and
    it itself by what stands beside it in its chain ("who was it before Ayla?"). What is in doubt
    never explains all of it."""
    said_more = set(stems(said(fact))) - question.stem_set - STOP_WORDS
    if not said_more or not is_asked_for(question, fact):
        return 0.0
    most = 1.0 if is_sure(fact) else _DOUBTED
    if asks_which(question, fact):
        return most
    before = [each.fact for each in every if each.superseded_by == fact.fact_id]
    words = " ".join(asked_by(each, SHIPPED) for each in (fact, *before))
    over = {each.superseded_by for each in every if each.fact.fact_id == fact.fact_id} - {None}
    words = f"{words} {_PREVIOUSLY if over else PRESENTLY}"
    after = [each.fact for each in every if each.fact.fact_id in over]
    words = f"{words} {' '.join(each.object for each in (*before, *after))}"
    return min(explained(question.undated, f"{said(fact)} {words}", "fact"), most)


def _passages_beside(fact: Fact, every: Sequence[FactStanding], graph: Planner) -> frozenset[str]:
    """The passages that state what it took the place of, or what took its own."""
    after = {each.superseded_by for each in every if each.fact.fact_id == fact.fact_id}
    ids = [
        each.fact.fact_id
        for each in every
        if each.superseded_by == fact.fact_id or each.fact.fact_id in after
    ]
    supports = graph.support(ids)
    return frozenset(id_ for rows in supports.values() for row in rows for id_ in row.chunk_ids)


def _as_it_stood(fact: Fact, every: Sequence[FactStanding]) -> Fact:
    """The fact with the end that what took its place gave it."""
    return next((as_it_stands(s) for s in every if s.fact.fact_id == fact.fact_id), fact)


def _uncapital(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}" if text.startswith(("The ", "We ", "Our ")) else text


def _asked_by(predicate: str) -> set[str]:
    """The stems by which a predicate is asked for: its own, and what else people say for it."""
    words = predicate.replace("_", " ")
    return set(stems(f"{words} {_ALSO.get(words, '')}"))
