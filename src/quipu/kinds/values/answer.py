"""Questions for measured things: the hours that scripts saved, their tags and their runs.

A question is for one when it names a measure, and besides it nothing but a script, a ledger or
all of them: then the records answer. Any other question gets nothing from a derivation, however
many words they share.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.intent import AnswerType, Asked
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.ports import Graph
from quipu.records.ids import kind_of
from quipu.records.naming import named_entity_id
from quipu.records.plan import Plan
from quipu.records.record import Entity, Episode, Fact, Record
from quipu.records.schema import EntityType, RelationType
from quipu.text import split_identifier, stems, tokens

__all__ = ["ANSWERS"]

DERIVED = "derived"
"""The type of a document that holds the working of a derivation."""

_TOTAL = "total reclaimed hours"
_MOST = 10_000
_LISTED = 12


class _Measure(NamedTuple):
    """Something measured: where it is kept, how it is said, and what it is asked with: one of the
    `core` words must stand in the question, the `other` ones may."""

    property: str
    of: EntityType
    said: str
    core: frozenset[str]
    other: frozenset[str]
    answer_types: frozenset[AnswerType]


def _measure(
    name: str, of: EntityType, said: str, core: str, other: str, answer_types: str
) -> _Measure:
    types = frozenset[AnswerType](answer_types.split())  # type: ignore[arg-type]  # words of it
    return _Measure(name, of, said, frozenset(stems(core)), frozenset(stems(other)), types)


_NUMBER = "number any definition"
_MEASURES = (
    _measure("vq_class", EntityType.VALUE_TAG, "vq class", "vq", "class quality", _NUMBER),
    _measure("impact_tier", EntityType.VALUE_TAG, "impact tier", "tier", "impact", _NUMBER),
    _measure(
        "potential_savings_hours",
        EntityType.VALUE_TAG,
        "potential savings (hours a run)",
        "potential worth",
        "savings saving hours hour run value each",
        _NUMBER,
    ),
    _measure(
        "reclaimed_hours",
        EntityType.VALUE_RUNS,
        "reclaimed hours",
        "saved save saves reclaimed reclaim reclaims savings",
        "hours hour time value much",
        _NUMBER,
    ),
    _measure(
        "last",
        EntityType.VALUE_RUNS,
        "last run",
        "last latest",
        "run ran time",
        "time any definition",
    ),
    _measure(
        "first",
        EntityType.VALUE_RUNS,
        "first run",
        "first earliest",
        "run ran time",
        "time any definition",
    ),
    _measure(
        "runs",
        EntityType.VALUE_RUNS,
        "number of runs",
        "run runs ran heartbeats",
        "times number often",
        _NUMBER,
    ),
)
_ALL = frozenset(stems("total all overall altogether sum ledger scripts script together"))
_LISTING = frozenset(stems("script scripts value values tag tagged untagged quantification"))
_LACKING = frozenset({"no", "without", "lack", "lacks", "untagged", "not", "missing"})
_MANY = frozenset(stems("many much give tell show"))


def _measured(asked: Asked, plan: Plan, graph: Graph) -> list[AnswerStatement]:
    """What the records say to a question for a measured thing; [] for any other question."""
    named = _named(plan, graph)
    words = set(asked.stems) - _MANY
    rest = words - {s for e in named for s in _stems_of(e)}
    if not named and rest <= _LISTING and rest & set(stems("value tag tagged untagged values")):
        lacking = _LACKING & {token.word for token in tokens(asked.text)}
        return list(_without_tag(graph)) if lacking else []
    asked_for = [m for m in _MEASURES if rest & m.core and rest <= m.core | m.other | _ALL]
    if not asked_for or asked.answer_type not in asked_for[0].answer_types:
        return []
    measure = asked_for[0]
    scripts = [e for e in named if e.type == EntityType.VALUE_RUNS]
    if scripts:
        return [s for e in scripts[:_LISTED] for s in _stated(graph, e, measure)]
    other = [e for e in named if e.type != EntityType.VALUE_LEDGER]
    if measure.property == "reclaimed_hours" and not other:
        return list(_totals(graph, {e.name for e in named}))
    return []


def _named(plan: Plan, graph: Graph) -> list[Entity]:
    """The scripts and ledgers that the question names, in the plan's order."""
    kinds = {EntityType.VALUE_RUNS, EntityType.VALUE_LEDGER}
    records = graph.get([a.entity_id for a in plan.anchors if kind_of(a.entity_id) == "entity"])
    return [
        record
        for anchor in plan.anchors
        if isinstance(record := records.get(anchor.entity_id), Entity) and record.type in kinds
    ]


def _stems_of(entity: Entity) -> Iterator[str]:
    for name in (entity.name, *entity.aliases):
        yield from stems(name)
        yield from stems(" ".join(split_identifier(name)))


def _stated(graph: Graph, runs: Entity, measure: _Measure) -> Iterator[AnswerStatement]:
    tag = _tag(graph, runs)
    holder = tag if measure.of == EntityType.VALUE_TAG else runs
    value = holder.properties.get(measure.property) if holder else None
    if holder is None or value is None or value == "":
        return
    properties = runs.properties
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    verb = "are" if measure.property.endswith("hours") else "is"
    text = f"The {measure.said} of `{runs.name}` {verb} {shown}"
    if measure.property == "reclaimed_hours":
        text += f": {properties.get('runs')} runs × {properties.get('hours_a_run')} hours"
    yield AnswerStatement(text, _evidence(graph, [each for each in (holder, runs, tag) if each]))


def _tag(graph: Graph, runs: Entity) -> Entity | None:
    uses = frozenset({str(RelationType.USES)})
    rows = graph.neighbors([runs.entity_id], types=uses, limit_per_id=10)[runs.entity_id]
    records = graph.get([row.target_entity_id for row in rows])
    return next((e for e in _entities(records) if e.type == EntityType.VALUE_TAG), None)


def _without_tag(graph: Graph) -> Iterator[AnswerStatement]:
    for fact in graph.facts(None, _TOTAL):
        ledger, runs = _runs_of(graph, fact)
        bare = [each for each in runs if _tag(graph, each) is None]
        if ledger is None:
            continue
        names = ", ".join(f"`{each.name}`" for each in bare[:_LISTED])
        more = f" and {len(bare) - _LISTED} more" if len(bare) > _LISTED else ""
        text = f"Without a value tag in `{ledger.name}` {'are' if len(bare) != 1 else 'is'} "
        yield AnswerStatement(
            f"{text}{names or 'no scripts'}{more}", _evidence(graph, [ledger, *bare])
        )


def _runs_of(graph: Graph, fact: Fact) -> tuple[Entity | None, list[Entity]]:
    found = graph.get([_ledger_of(graph, fact)])
    ledger = next((e for e in _entities(found) if e.type == EntityType.VALUE_LEDGER), None)
    if ledger is None:
        return None, []
    part = frozenset({str(RelationType.PART_OF)})
    rows = graph.neighbors([ledger.entity_id], direction="in", types=part, limit_per_id=_MOST)
    records = graph.get([row.source_entity_id for row in rows[ledger.entity_id]])
    runs = [e for e in _entities(records) if e.type == EntityType.VALUE_RUNS]
    return ledger, sorted(runs, key=lambda e: (e.name, e.entity_id))


def _ledger_of(graph: Graph, fact: Fact) -> str:
    return named_entity_id(graph.namespace, EntityType.VALUE_LEDGER, fact.subject)


def _totals(graph: Graph, ledgers: set[str]) -> Iterator[AnswerStatement]:
    for fact in graph.facts(None, _TOTAL):
        if ledgers and fact.subject not in ledgers:
            continue
        text = f"The {_TOTAL} of `{fact.subject}` are {fact.object}"
        yield AnswerStatement(text, _evidence(graph, [fact]))


def _evidence(graph: Graph, records: Sequence[Entity | Fact]) -> tuple[Evidence, ...]:
    """The sources that the records stand in, each once, with the records as what ties it."""
    ids = [r.entity_id if isinstance(r, Entity) else r.fact_id for r in records]
    support = graph.support(ids)
    found: dict[str, Evidence] = {}
    for record, record_id in zip(records, ids, strict=True):
        live = sorted(s.episode_id for s in support[record_id] if s.known_until is None)
        for episode in graph.get(live[:1]).values():
            if isinstance(episode, Episode):
                known = found.get(episode.episode_id)
                tied = (*(known.graph_ids if known else ()), record_id)
                found[episode.episode_id] = _source(episode, record, tuple(dict.fromkeys(tied)))
    return tuple(found.values())


def _source(episode: Episode, record: Entity | Fact, graph_ids: tuple[str, ...]) -> Evidence:
    return Evidence(
        id=episode.episode_id,
        document_id=episode.document_id or "",
        path=episode.source_ref,
        start_line=1,
        end_line=1,
        title=episode.source_ref,
        text=episode.preview_text,
        is_code=False,
        graph_ids=graph_ids,
        updated_at=record.updated_at,
        source_sha=episode.source_sha,
    )


def _entities(records: dict[str, Record]) -> list[Entity]:
    return [each for each in records.values() if isinstance(each, Entity)]


class ValueAnswers(Answers):
    """What a derivation states."""

    def settled(self, asked: Asked, plan: Plan, graph: Graph) -> Sequence[AnswerStatement]:
        """What the records say to a question for a measured thing."""
        return _measured(asked, plan, graph)

    def is_evidence(self, document: Entity) -> bool:
        """The facts of a derivation answer; the words of its working do not."""
        return document.properties.get("type") != DERIVED


ANSWERS = ValueAnswers()
