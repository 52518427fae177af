"""Questions for measured things: the hours that scripts saved, their tags and their runs.

A question is for one when it names a measure, and besides it nothing but a script, a ledger or
all of them: then the records answer. Any other question gets nothing from a derivation, however
many words they share.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.kinds.values.derive import PREDICATE, tags_of
from quipu.ports import Graph
from quipu.question import Question
from quipu.records.ids import kind_of
from quipu.records.plan import Plan
from quipu.records.record import Entity, Episode, Fact
from quipu.records.schema import EntityType
from quipu.text import split_identifier, stems

__all__ = ["ANSWERS"]

DERIVED = "derived"
"""The type of a document that holds the working of a derivation."""

_LISTED = 12


class _Measure(NamedTuple):
    """A property of a script's runs or of its tag, how it is said, and the stems that ask for it:
    one of the `core` ones must stand in the question, the `other` ones may."""

    property: str
    said: str
    core: frozenset[str]
    other: frozenset[str]


def _measure(name: str, said: str, core: str, other: str) -> _Measure:
    return _Measure(name, said, frozenset(stems(core)), frozenset(stems(other)))


_MEASURES = (
    _measure("vq_class", "vq class is", "vq", "class quality"),
    _measure("impact_tier", "impact tier is", "tier", "impact"),
    _measure(
        "potential_savings_hours",
        "potential savings (hours a run) are",
        "potential worth",
        "savings saving hours hour run value each",
    ),
    _measure(
        "reclaimed_hours",
        "reclaimed hours are",
        "saved save saves reclaimed reclaim reclaims savings",
        "hours hour time value",
    ),
    _measure("last", "last run is", "last latest", "run ran time"),
    _measure("first", "first run is", "first earliest", "run ran time"),
    _measure("runs", "number of runs is", "run runs ran heartbeats", "times number often"),
)
_ALL = frozenset(stems("total all overall ledger scripts script together many much give tell show"))


def _measured(asked: Question, plan: Plan, graph: Graph) -> list[AnswerStatement]:
    """What the records say to a question for a measured thing; [] for any other question."""
    named = _named(plan, graph)
    rest = asked.stem_set - {s for e in named for s in _stems_of(e)}
    asked_for = [m for m in _MEASURES if rest & m.core and rest <= m.core | m.other | _ALL]
    if not asked_for or asked.words & {"why", "who", "where"}:
        return []
    measure = asked_for[0]
    scripts = [e for e in named if e.type == EntityType.VALUE_RUNS]
    if scripts:
        return [s for e in scripts[:_LISTED] for s in _stated(graph, e, measure)]
    return _totals(graph, {e.name for e in named}) if measure.property == "reclaimed_hours" else []


def _named(plan: Plan, graph: Graph) -> list[Entity]:
    """The scripts and ledgers that the question names, in the plan's order."""
    kinds = {EntityType.VALUE_RUNS, EntityType.VALUE_LEDGER}
    ids = [a.entity_id for a in plan.anchors if kind_of(a.entity_id) == "entity"]
    records = graph.get(ids)
    found = (records.get(each) for each in ids)
    return [each for each in found if isinstance(each, Entity) and each.type in kinds]


def _stems_of(entity: Entity) -> Iterator[str]:
    for name in (entity.name, *entity.aliases):
        yield from stems(name)
        yield from stems(" ".join(split_identifier(name)))


def _stated(graph: Graph, runs: Entity, measure: _Measure) -> Iterator[AnswerStatement]:
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
    yield AnswerStatement(text, _evidence(graph, [runs, *tags]))


def _totals(graph: Graph, ledgers: set[str]) -> list[AnswerStatement]:
    return [
        AnswerStatement(
            f"The {PREDICATE} of `{fact.subject}` are {fact.object}", _evidence(graph, [fact])
        )
        for fact in graph.facts(None, PREDICATE)
        if not ledgers or fact.subject in ledgers
    ]


def _evidence(graph: Graph, records: Sequence[Entity | Fact]) -> tuple[Evidence, ...]:
    """The sources that the records stand in, each once, with the records as what ties it."""
    ids = [r.entity_id if isinstance(r, Entity) else r.fact_id for r in records]
    support = graph.support(ids)
    found: dict[str, Evidence] = {}
    for record, record_id in zip(records, ids, strict=True):
        live = sorted(s.episode_id for s in support[record_id] if s.known_until is None)
        for episode in graph.get(live[:1]).values():
            if not isinstance(episode, Episode):
                continue
            known = found.get(episode.episode_id)
            found[episode.episode_id] = Evidence(
                id=episode.episode_id,
                document_id=episode.document_id or "",
                path=episode.source_ref,
                start_line=1,
                end_line=1,
                title=episode.source_ref,
                text=episode.preview_text,
                is_code=False,
                graph_ids=(*(known.graph_ids if known else ()), record_id),
                updated_at=record.updated_at,
                source_sha=episode.source_sha,
            )
    return tuple(found.values())


class ValueAnswers(Answers):
    """What a derivation states."""

    def settled(self, asked: Question, plan: Plan, graph: Graph) -> Sequence[AnswerStatement]:
        """What the records say to a question for a measured thing."""
        return _measured(asked, plan, graph)

    def is_evidence(self, document: Entity) -> bool:
        """The facts of a derivation answer; the words of its working do not."""
        return document.properties.get("type") != DERIVED


ANSWERS = ValueAnswers()
