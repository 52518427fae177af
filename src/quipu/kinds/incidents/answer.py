"""What incidents say to a question: what fixed, what caused, how long it took, how often.

A question is for incidents when it asks one of these things of a service that had some, or of an
incident that was found, and every word of it is one that asks, names a failure, or stands in what
is told of the incident. Any other question, however many words it shares, is not answered here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.kinds import Answers, AnswerStatement
from quipu.answer.support import EvidencePool, support
from quipu.answer.wording import asks_for
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
    "fixed": "fix fixed resolve resolved solve solved cure cured mitigate help work worked end",
    "tried": "try tried attempt attempted fix resolve work worked help action take taken",
    "caused": "cause caused root reason why trigger triggered lead led behind blame",
    "causing": "cause caused trigger triggered lead led",
    "long": "long time take took last lasted resolve fix repair recover restore median mean",
    "often": "often many times number count have had happen happened occur occurred recur hit",
}
_WORDS = {what: frozenset(stems(f"{_FAILURE} {words}")) for what, words in _ASKING.items()}
_FORMS = {
    "long": re.compile(r"\bhow long\b|\btime to (?:re(?:pair|cover|solve|store)|fix)\b"),
    "often": re.compile(r"\bhow (?:often|many)\b|\bnumber of\b"),
    "tried": re.compile(r"\b(?:tried|try|attempt\w*|actions? (?:was|were) taken)\b"),
}
_NOT = re.compile(r"n['’]t\b|\b(?:not|never|without|no)\b", re.IGNORECASE)


class _Meant(NamedTuple):
    """An incident that a question is about, its relations, and what was tried, by time, each with
    the relation that ties it."""

    incident: Incident
    key: str
    relations: tuple[Relation, ...]
    tried: tuple[tuple[Relation, Outcome], ...]

    @property
    def name(self) -> str:
        """The incident as an answer names it."""
        return _name(self.incident)

    def of_type(self, type_: RelationType) -> list[Relation]:
        """Its relations of a type, the surest first."""
        found = (each for each in self.relations if each.type == type_)
        return sorted(found, key=lambda r: (-r.confidence, r.rel_id))


def _what(question: str) -> str:
    """Which of the things that incidents answer is asked for; '' for another question."""
    outward, inward = asks_for(question, RelationType.CAUSED_BY)
    lower = question.casefold()
    asked = {
        "long": bool(_FORMS["long"].search(lower)),
        "often": bool(_FORMS["often"].search(lower)),
        "caused": outward,
        "causing": inward,
        "tried": bool(_FORMS["tried"].search(lower)),
        "fixed": asks_for(question, RelationType.RESOLVED_BY)[0],
    }
    return next((what for what, holds in asked.items() if holds), "")


def _about(graph: Planner, evidence: Sequence[Evidence], services: Sequence[str]) -> list[Incident]:
    """The incidents of the services that are named, else those that were found, oldest first."""
    affects = frozenset({str(RelationType.AFFECTS)})
    keys = [service_id(graph.namespace, each) for each in services]
    if services:
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
    ends = [r.source_entity_id if r.target_entity_id == key else r.target_entity_id for r in rows]
    records = graph.get(sorted(set(ends)))
    tried: dict[str, tuple[Relation, Outcome]] = {}
    pairs = zip(rows, ends, strict=True)
    for row, end in sorted(pairs, key=lambda p: (p[0].type != RelationType.RESOLVED_BY, p[1])):
        outcome = outcome_in(records.get(end))
        if outcome is not None and outcome.incident_id == incident.incident_id:
            tried.setdefault(outcome.outcome_id, (row, outcome))
    ordered = sorted(tried.values(), key=lambda t: (t[1].recorded_at or "", t[1].outcome_id))
    return _Meant(incident, key, tuple(rows), tuple(ordered))


def _name(incident: Incident) -> str:
    day = f" ({incident.timestamp[:10]})" if incident.timestamp else ""
    title = f', "{incident.title}"' if incident.title else ""
    return f"`{incident.component}`{title}{day}"


Said = Iterator[tuple[str, Sequence[Relation]]]
"""A statement and the relations whose passages it stands in."""


def _attempts(found: Sequence[_Meant], *, wanted: bool | None) -> Said:
    """What was tried at the latest of the incidents first: what worked, what did not, or all."""
    for each in reversed(found):
        rows = [row for row in each.tried if wanted in (None, row[1].success)]
        if rows:
            done = [
                attempt_told(" and ".join(f"`{each}`" for each in outcome.actions_taken), outcome)
                for _, outcome in rows
            ]
            yield f"{each.name}: {'; '.join(done)}", [relation for relation, _ in rows]


def _causes(graph: Planner, found: Sequence[_Meant], *, outward: bool) -> Said:
    """What caused the incidents, or what they caused: as stated, and by the edges."""
    for each in reversed(found):
        edges = [
            r
            for r in each.of_type(RelationType.CAUSED_BY)
            if each.key == (r.source_entity_id if outward else r.target_entity_id)
        ][:_SHOWN]
        ends = [r.target_entity_id if outward else r.source_entity_id for r in edges]
        records = graph.get(ends)
        others = [i for end in ends if (i := incident_in(records.get(end))) is not None]
        affects = each.of_type(RelationType.AFFECTS)[:1]
        if outward and each.incident.root_cause:
            cause = each.incident.root_cause.rstrip(".")
            yield f"The cause of {each.name}: {cause}", [*affects, *edges[:1]]
        elif others:
            verb = "was caused by" if outward else "caused"
            yield f"{each.name} {verb} {'; '.join(map(_name, others))}", [*affects, *edges]


def _how_long(found: Sequence[_Meant]) -> Said:
    rows = [
        (each, relation, outcome.resolution_time_minutes)
        for each in found
        for relation, outcome in each.tried
        if outcome.success and outcome.resolution_time_minutes is not None
    ]
    minutes = [took for _, _, took in rows]
    relations = [relation for _, relation, _ in rows[-_SHOWN:]]
    if len(rows) == 1:
        yield f"{rows[0][0].name}: resolved after {minutes[0]:g} minutes", relations
    elif rows:
        named = _components(each for each, _, _ in rows)
        text = f"a median of {median(minutes):g} minutes over {len(rows)} resolved incidents"
        yield f"{named}: {text} ({min(minutes):g} to {max(minutes):g})", relations


def _how_often(found: Sequence[_Meant]) -> Said:
    if found:
        times = sorted(each.incident.timestamp[:10] for each in found if each.incident.timestamp)
        span = f" from {times[0]} to {times[-1]}" if times else ""
        if len(times) == 1:
            span = f" ({times[0]})"
        count = f"{len(found)} incident" + ("s" if len(found) > 1 else "")
        affects = [r for each in found for r in each.of_type(RelationType.AFFECTS)]
        yield f"{_components(found)} had {count}{span}", affects[-_SHOWN:]


def _components(found: Iterable[_Meant]) -> str:
    return ", ".join(sorted({f"`{each.incident.component}`" for each in found}))


class IncidentAnswers(Answers):
    """What incidents, their edges and their outcomes state."""

    def stated(
        self, asked: Asked, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """What fixed or caused it, how long it took, how often it happened."""
        what = _what(asked.text)
        if not what:
            return ()
        denied = _NOT.search(asked.text) is not None
        stop = {stem for word in STOP_WORDS for stem in stems(word)}
        left = {stem for stem in asked.stems if stem not in stop} - _WORDS[what]
        left -= set(stems("not did didn")) if denied else set()
        services = services_in(planner, asked.text)
        if not services and not left:
            return ()
        incidents = _about(planner, evidence, services)
        found = [_meant(planner, each) for each in incidents if _explains(each, left)]
        said = {
            "long": lambda: _how_long(found),
            "often": lambda: _how_often(found),
            "caused": lambda: _causes(planner, found, outward=True),
            "causing": lambda: _causes(planner, found, outward=False),
            "fixed": lambda: _attempts(found, wanted=True),
            "tried": lambda: _attempts(found, wanted=False if denied else None),
        }[what]()
        pool = EvidencePool(evidence, scope)
        made = (AnswerStatement(text, _passages(planner, pool, rows)) for text, rows in said)
        return [each for each in made if each.evidence][:_SHOWN]


def _passages(
    graph: Planner, pool: EvidencePool, relations: Iterable[Relation]
) -> tuple[Evidence, ...]:
    """The passages in which the relations stand, each once."""
    passages: dict[str, Evidence] = {}
    for relation in relations:
        for each in support(graph, relation.rel_id, pool, relation)[1][:1]:
            passages.setdefault(each.id, each)
    return tuple(passages.values())


ANSWERS = IncidentAnswers()
