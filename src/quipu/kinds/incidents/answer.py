"""What incidents say to a question: what fixed them, what was tried, what caused them.

A question is for incidents when it asks one of these things of a service that had some, or of an
incident that was found, and every word of it is one that asks, names a failure, or stands in what
is told of the incident. Any other question, however many words it shares, is not answered here.
"""

import re
from collections.abc import Iterator, Sequence
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
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.record import Record, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import STOP_WORDS, split_identifier, stems

__all__ = ["ANSWERS"]

_SHOWN, _FOUND = 3, 5
"""How many statements are made, and how many of the passages found may say which incident."""
_ASKING = frozenset(
    stems(
        "incident outage failure fail failed failing down problem issue alert fault break broke "
        "cause caused root reason trigger triggered lead led behind blame try tried attempt fix "
        "fixed resolve resolved solve solved cure cured mitigate help work worked end action take "
        f"taken not did didn {' '.join(STOP_WORDS)}"
    )
)
_TRIED = re.compile(r"\b(?:tried|try|attempt\w*|actions? (?:was|were) taken)\b")
_NOT = re.compile(r"n['’]t\b|\b(?:not|never|without|no)\b", re.IGNORECASE)

Said = Iterator[tuple[str, Sequence[Relation]]]
"""A statement and the relations whose passages it stands in."""


class _Meant(NamedTuple):
    """An incident that a question is about, its relations, the surest first, and what stands at
    their other ends."""

    incident: Incident
    key: str
    relations: list[Relation]
    others: dict[str, Record]

    def other(self, relation: Relation) -> Record | None:
        """What stands at the other end of a relation."""
        outward = relation.source_entity_id == self.key
        return self.others.get(relation.target_entity_id if outward else relation.source_entity_id)

    def tried(self) -> list[tuple[Relation, Outcome]]:
        """What was tried, by time, each with the surest relation that ties it."""
        found: dict[str, tuple[Relation, Outcome]] = {}
        for row in self.relations:
            outcome = outcome_in(self.other(row))
            if outcome is not None and outcome.incident_id == self.incident.incident_id:
                found.setdefault(outcome.outcome_id, (row, outcome))
        return sorted(found.values(), key=lambda t: (t[1].recorded_at or "", t[1].outcome_id))


def _about(graph: Planner, evidence: Sequence[Evidence], services: Sequence[str]) -> list[Incident]:
    """The incidents of the services that are named, else those that were found, oldest first."""
    if services:
        affects = frozenset({str(RelationType.AFFECTS)})
        keys = [service_id(graph.namespace, name) for name in services]
        rows = graph.neighbors(keys, direction="in", types=affects, limit_per_id=ROWS_AT_ONCE)
        ids = {relation.source_entity_id for found in rows.values() for relation in found}
    else:
        refs = (found.path for found in evidence[:_FOUND] if found.path.startswith("incident:"))
        ids = {incident_entity_id(graph.namespace, named_by_ref(ref)) for ref in refs}
    found = (incident_in(record) for record in graph.get(sorted(ids)).values())
    incidents = [i for i in found if i is not None and (not services or i.component in services)]
    return sorted(incidents, key=lambda i: (i.timestamp or "", i.incident_id))


def _explains(incident: Incident, words: set[str]) -> bool:
    """Whether what is told of an incident has all these stems."""
    name = " ".join(split_identifier(incident.component))
    text = f"{incident.component} {name} {incident.title} {incident.summary} {incident.root_cause}"
    return words <= set(stems(text))


def _meant(graph: Planner, incident: Incident) -> _Meant:
    key = incident_entity_id(graph.namespace, incident.incident_id)
    rows = graph.neighbors([key], direction="both", limit_per_id=ROWS_AT_ONCE)[key]
    rows.sort(key=lambda r: (-r.confidence, r.rel_id))
    ends = {end for row in rows for end in (row.source_entity_id, row.target_entity_id)}
    return _Meant(incident, key, rows, graph.get(sorted(ends)))


def _name(incident: Incident) -> str:
    day = f" ({incident.timestamp[:10]})" if incident.timestamp else ""
    title = f', "{incident.title}"' if incident.title else ""
    return f"`{incident.component}`{title}{day}"


def _attempts(found: Sequence[_Meant], *, wanted: bool | None) -> Said:
    """What was tried at the latest of the incidents first: what worked, what did not, or all."""
    for meant in reversed(found):
        rows = [row for row in meant.tried() if wanted in (None, row[1].success)]
        done = [
            attempt_told(" and ".join(f"`{name}`" for name in outcome.actions_taken), outcome)
            for _, outcome in rows
        ]
        if rows:
            yield f"{_name(meant.incident)}: {'; '.join(done)}", [relation for relation, _ in rows]


def _causes(found: Sequence[_Meant], *, outward: bool) -> Said:
    """What caused the incidents, or what they caused: as stated, and by the edges."""
    for meant in reversed(found):
        edges = [
            row
            for row in meant.relations
            if row.type == RelationType.CAUSED_BY and (row.source_entity_id == meant.key) == outward
        ][:_SHOWN]
        affects = [row for row in meant.relations if row.type == RelationType.AFFECTS]
        others = [i for row in edges if (i := incident_in(meant.other(row))) is not None]
        name, cause = _name(meant.incident), meant.incident.root_cause.rstrip(".")
        if outward and cause:
            yield f"The cause of {name}: {cause}", [*affects[:1], *edges]
        elif others:
            verb = "was caused by" if outward else "caused"
            yield f"{name} {verb} {'; '.join(map(_name, others))}", [*affects[:1], *edges]


class IncidentAnswers(Answers):
    """What incidents, their edges and their outcomes state."""

    def stated(
        self, asked: Question, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """Return what caused it, what it caused, what was tried, what worked."""
        caused, causing = asked.asks_for(RelationType.CAUSED_BY)
        tried = _TRIED.search(asked.text.casefold()) is not None
        fixed, _ = asked.asks_for(RelationType.RESOLVED_BY)
        if not (caused or causing or tried or fixed):
            return ()
        services = services_in(planner, asked.text)
        left = set(asked.stems) - _ASKING
        if not (services or left):
            return ()
        incidents = _about(planner, evidence, services)
        found = [_meant(planner, incident) for incident in incidents if _explains(incident, left)]
        if caused or causing:
            said = _causes(found, outward=caused)
        else:
            denied = _NOT.search(asked.text) is not None
            said = _attempts(found, wanted=(False if denied else None) if tried else True)
        pool = EvidencePool(evidence, scope)
        made: list[AnswerStatement] = []
        for text, rows in said:
            shown = [p for row in rows for p in support(planner, row.rel_id, pool, row)[1][:1]]
            passages = tuple({passage.id: passage for passage in shown}.values())
            made += [AnswerStatement(text, passages)] if passages else []
        return made[:_SHOWN]


ANSWERS = IncidentAnswers()
