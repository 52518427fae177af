"""What incidents say to a question: what fixed, what caused, how long it took, how often.

A question is for incidents when it asks one of these things of a service that had some, or of an
incident that was found, and every word of it is one that asks, names a failure, or stands in what
is told of the incident. Any other question, however many words it shares, is not answered here.
"""

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.kinds.incidents.model import Incident, Outcome
from quipu.kinds.incidents.records import (
    attempt_told,
    incident_entity_id,
    incident_in,
    named_by_ref,
    outcome_in,
    service_id,
    services_in,
)
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import STOP_WORDS, split_identifier, stems

__all__ = ["ANSWERS"]

_MOST = 400
_SHOWN = 3
_FOUND = 5
"""How many of the passages found may say which incident is meant."""
_FAILURE = "incident outage failure fail failed failing down problem issue alert fault break broke"
_ASKING = {
    "long": "long time take took last lasted resolve fix repair recover restore median mean",
    "often": "often many times number count have had happen happened occur occurred recur hit",
    "caused": "cause caused root reason why trigger triggered lead led behind blame",
    "causing": "cause caused trigger triggered lead led",
    "tried": "try tried attempt attempted fix resolve work worked action take taken not did didn",
    "fixed": "fix fixed resolve resolved solve solved cure cured mitigate help work worked end",
}
_WORDS = {
    what: frozenset(stems(f"{_FAILURE} {words} {' '.join(STOP_WORDS)}"))
    for what, words in _ASKING.items()
}
_LONG = re.compile(r"\bhow long\b|\btime to (?:re(?:pair|cover|solve|store)|fix)\b")
_OFTEN = re.compile(r"\bhow (?:often|many)\b|\bnumber of\b")
_TRIED = re.compile(r"\b(?:tried|try|attempt\w*|actions? (?:was|were) taken)\b")
_NOT = re.compile(r"n['’]t\b|\b(?:not|never|without|no)\b", re.IGNORECASE)

Said = Iterator[tuple[str, Sequence[Relation]]]
"""A statement and the relations whose passages it stands in."""


class _Meant(NamedTuple):
    """An incident that a question is about, its relations, the surest first, and what was tried,
    by time, each with the relation that ties it."""

    incident: Incident
    key: str
    relations: tuple[Relation, ...]
    tried: tuple[tuple[Relation, Outcome], ...]

    def of_type(self, type_: RelationType) -> list[Relation]:
        """Its relations of a type."""
        return [each for each in self.relations if each.type == type_]


def _what(question: Question) -> str:
    """Which of the things that incidents answer is asked for; '' for another question."""
    outward, inward = question.asks_for(RelationType.CAUSED_BY)
    lower = question.text.casefold()
    asked = {
        "long": bool(_LONG.search(lower)),
        "often": bool(_OFTEN.search(lower)),
        "caused": outward,
        "causing": inward,
        "tried": bool(_TRIED.search(lower)),
        "fixed": question.asks_for(RelationType.RESOLVED_BY)[0],
    }
    return next((what for what, holds in asked.items() if holds), "")


def _about(graph: Planner, evidence: Sequence[Evidence], services: Sequence[str]) -> list[Incident]:
    """The incidents of the services that are named, else those that were found, oldest first."""
    if services:
        affects = frozenset({str(RelationType.AFFECTS)})
        keys = [service_id(graph.namespace, each) for each in services]
        rows = graph.neighbors(keys, direction="in", types=affects, limit_per_id=_MOST)
        ids = {relation.source_entity_id for found in rows.values() for relation in found}
    else:
        refs = (each.path for each in evidence[:_FOUND] if each.path.startswith("incident:"))
        ids = {incident_entity_id(graph.namespace, named_by_ref(ref)) for ref in refs}
    found = (incident_in(each) for each in graph.get(sorted(ids)).values())
    incidents = [i for i in found if i is not None and (not services or i.component in services)]
    return sorted(incidents, key=lambda i: (i.timestamp or "", i.incident_id))


def _explains(incident: Incident, words: set[str]) -> bool:
    """Whether what is told of an incident has all these stems."""
    name = " ".join(split_identifier(incident.component))
    text = f"{incident.component} {name} {incident.title} {incident.summary} {incident.root_cause}"
    return words <= set(stems(text))


def _meant(graph: Planner, incident: Incident) -> _Meant:
    key = incident_entity_id(graph.namespace, incident.incident_id)
    rows = graph.neighbors([key], direction="both", limit_per_id=_MOST)[key]
    rows.sort(key=lambda r: (-r.confidence, r.rel_id))
    tried: dict[str, tuple[Relation, Outcome]] = {}
    records = graph.get(sorted({end for r in rows for end in _ends(r)} - {key}))
    for row in rows:
        for outcome in (outcome_in(records.get(end)) for end in _ends(row)):
            if outcome is not None and outcome.incident_id == incident.incident_id:
                tried.setdefault(outcome.outcome_id, (row, outcome))
    ordered = sorted(tried.values(), key=lambda t: (t[1].recorded_at or "", t[1].outcome_id))
    return _Meant(incident, key, tuple(rows), tuple(ordered))


def _ends(relation: Relation) -> tuple[str, str]:
    return relation.source_entity_id, relation.target_entity_id


def _name(incident: Incident) -> str:
    day = f" ({incident.timestamp[:10]})" if incident.timestamp else ""
    title = f', "{incident.title}"' if incident.title else ""
    return f"`{incident.component}`{title}{day}"


def _attempts(found: Sequence[_Meant], *, wanted: bool | None) -> Said:
    """What was tried at the latest of the incidents first: what worked, what did not, or all."""
    for each in reversed(found):
        rows = [row for row in each.tried if wanted in (None, row[1].success)]
        done = [
            attempt_told(" and ".join(f"`{name}`" for name in outcome.actions_taken), outcome)
            for _, outcome in rows
        ]
        if rows:
            yield f"{_name(each.incident)}: {'; '.join(done)}", [relation for relation, _ in rows]


def _causes(graph: Planner, found: Sequence[_Meant], *, outward: bool) -> Said:
    """What caused the incidents, or what they caused: as stated, and by the edges."""
    here, there = (0, 1) if outward else (1, 0)
    for each in reversed(found):
        edges = [r for r in each.of_type(RelationType.CAUSED_BY) if _ends(r)[here] == each.key]
        records = graph.get([_ends(r)[there] for r in edges[:_SHOWN]])
        others = [i for record in records.values() if (i := incident_in(record)) is not None]
        shown = [*each.of_type(RelationType.AFFECTS)[:1], *edges[:_SHOWN]]
        if outward and each.incident.root_cause:
            yield (
                f"The cause of {_name(each.incident)}: {each.incident.root_cause.rstrip('.')}",
                shown,
            )
        elif others:
            verb = "was caused by" if outward else "caused"
            yield f"{_name(each.incident)} {verb} {'; '.join(map(_name, others))}", shown


def _how_long(found: Sequence[_Meant]) -> Said:
    rows = [
        (relation, outcome.resolution_time_minutes)
        for each in found
        for relation, outcome in each.tried
        if outcome.success and outcome.resolution_time_minutes is not None
    ]
    if rows:
        minutes = [took for _, took in rows]
        text = f"resolved after {minutes[0]:g} minutes"
        if len(rows) > 1:
            over = f"over {len(rows)} resolved incidents ({min(minutes):g} to {max(minutes):g})"
            text = f"a median of {median(minutes):g} minutes {over}"
        yield f"{_components(found)}: {text}", [relation for relation, _ in rows[-_SHOWN:]]


def _how_often(found: Sequence[_Meant]) -> Said:
    if found:
        times = sorted(each.incident.timestamp[:10] for each in found if each.incident.timestamp)
        span = f" from {times[0]} to {times[-1]}" if times else ""
        count = f"{len(found)} incident" + ("s" if len(found) > 1 else "")
        affects = [r for each in found for r in each.of_type(RelationType.AFFECTS)]
        yield f"{_components(found)} had {count}{span}", affects[-_SHOWN:]


def _components(found: Sequence[_Meant]) -> str:
    return ", ".join(sorted({f"`{each.incident.component}`" for each in found}))


class IncidentAnswers(Answers):
    """What incidents, their edges and their outcomes state."""

    def stated(
        self, asked: Question, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """What fixed or caused it, how long it took, how often it happened."""
        what = _what(asked)
        services = services_in(planner, asked.text) if what else []
        left = set(asked.stems) - _WORDS.get(what, frozenset())
        if not what or not (services or left):
            return ()
        incidents = _about(planner, evidence, services)
        found = [_meant(planner, each) for each in incidents if _explains(each, left)]
        denied = _NOT.search(asked.text) is not None
        said = {
            "long": lambda: _how_long(found),
            "often": lambda: _how_often(found),
            "caused": lambda: _causes(planner, found, outward=True),
            "causing": lambda: _causes(planner, found, outward=False),
            "fixed": lambda: _attempts(found, wanted=True),
            "tried": lambda: _attempts(found, wanted=False if denied else None),
        }[what]()
        pool = EvidencePool(evidence, scope)
        made = [AnswerStatement(text, tuple(_passages(planner, pool, rows))) for text, rows in said]
        return [each for each in made if each.evidence][:_SHOWN]


def _passages(graph: Planner, pool: EvidencePool, rows: Sequence[Relation]) -> list[Evidence]:
    """The passages in which the relations stand, each once."""
    found = (support(graph, each.rel_id, pool, each)[1][:1] for each in rows)
    return list({passage.id: passage for passages in found for passage in passages}.values())


ANSWERS = IncidentAnswers()
