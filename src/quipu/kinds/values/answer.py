"""Questions for measured things: the hours that scripts saved, their tags and their runs.

A question is for one when it names a measure, and besides it nothing but a script, a ledger or
all of them: then the records answer. Any other question gets nothing from a derivation, however
many words they share.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.kinds.values.derive import PREDICATE, tags_of
from quipu.limits import LISTED
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.plan import Plan
from quipu.records.record import Entity, Fact
from quipu.records.schema import EntityType
from quipu.text import split_identifier, stems

__all__ = ["ANSWERS"]


class _Measure(NamedTuple):
    """A property of a script's runs or of its tag, how it is said, and the words that ask for it:
    one of the `core` ones must stand in the question, the `other` ones may."""

    property: str
    said: str
    core: str
    other: str


_MEASURES = (
    _Measure("vq_class", "vq class is", "vq", "class quality"),
    _Measure("impact_tier", "impact tier is", "tier", "impact"),
    _Measure(
        "potential_savings_hours",
        "potential savings (hours a run) are",
        "potential worth",
        "savings saving hours hour run value each",
    ),
    _Measure(
        "reclaimed_hours",
        "reclaimed hours are",
        "saved save saves reclaimed reclaim reclaims savings",
        "hours hour time value",
    ),
    _Measure("last", "last run is", "last latest", "run ran time"),
    _Measure("first", "first run is", "first earliest", "run ran time"),
    _Measure("runs", "number of runs is", "run runs ran heartbeats", "times number often"),
)
_ALL = frozenset(stems("total all overall ledger scripts script together many much give tell show"))
_OTHER_QUESTIONS = frozenset({"why", "who", "where"})


class ValueAnswers(Answers):
    """What a derivation states."""

    def settled(self, asked: Question, plan: Plan, graph: Planner) -> Sequence[AnswerStatement]:
        """Return what the records say to a question for a measured thing."""
        named = _named(plan, graph)
        rest = asked.stem_set - {s for e in named for s in _stems_of(e)}
        measure = next((m for m in _MEASURES if _asks_for(m, rest)), None)
        if measure is None or asked.words & _OTHER_QUESTIONS:
            return ()
        scripts = [e for e in named if e.type == EntityType.VALUE_RUNS]
        if scripts:
            return [s for e in scripts[:LISTED] for s in _of_script(graph, e, measure, plan)]
        if measure.property != "reclaimed_hours":
            return ()
        ledgers = {e.name for e in named}
        return [
            AnswerStatement(
                f"The {PREDICATE} of `{fact.subject}` are {fact.object}",
                _evidence(graph, [fact], plan),
            )
            for fact in graph.facts(None, PREDICATE)
            if not ledgers or fact.subject in ledgers
        ]

    def is_evidence(self, document: Entity) -> bool:
        """Return whether a document is no derivation: its facts answer, the words of its working
        do not."""
        return document.properties.get("type") != "derived"


ANSWERS = ValueAnswers()


def _asks_for(measure: _Measure, said: frozenset[str]) -> bool:
    core = frozenset(stems(measure.core))
    return bool(said & core) and said <= core | frozenset(stems(measure.other)) | _ALL


def _named(plan: Plan, graph: Planner) -> list[Entity]:
    """The scripts and ledgers that the question names, in the plan's order."""
    kinds = {EntityType.VALUE_RUNS, EntityType.VALUE_LEDGER}
    ids = [anchor.entity_id for anchor in plan.anchors]
    records = graph.get(ids)
    found = (records.get(each) for each in ids)
    return [each for each in found if isinstance(each, Entity) and each.type in kinds]


def _stems_of(entity: Entity) -> Iterator[str]:
    for name in (entity.name, *entity.aliases):
        yield from stems(name)
        yield from stems(" ".join(split_identifier(name)))


def _of_script(
    graph: Planner, runs: Entity, measure: _Measure, plan: Plan
) -> Iterator[AnswerStatement]:
    tags = list(tags_of(graph, [runs]).values())
    properties = {**(tags[0].properties if tags else {}), **runs.properties}
    value = properties.get(measure.property)
    if value is None or value == "":
        return
    what, _, verb = measure.said.rpartition(" ")
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    text = f"The {what} of `{runs.name}` {verb} {shown}"
    if measure.property == "reclaimed_hours":
        text += f": {properties['runs']} runs × {properties['hours_a_run']} hours"
    yield AnswerStatement(text, _evidence(graph, [runs, *tags], plan))


def _evidence(graph: Planner, records: Sequence[Entity | Fact], plan: Plan) -> tuple[Evidence, ...]:
    """The sources that the records stand in."""
    pool = EvidencePool(scope=plan.scope)
    ids = ((r.entity_id if isinstance(r, Entity) else r.fact_id, r) for r in records)
    return tuple(e for id_, record in ids for e in support(graph, id_, pool, record)[1])
