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
from quipu.kinds.incidents.records import incident_entity_id, incident_in, outcome_in, service_id
from quipu.ports import Planner
from quipu.records.record import Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import STOP_WORDS, split_identifier, stems, tokens

__all__ = ["ANSWERS"]

_MOST = 400
_SHOWN = 3
_LONGEST_NAME = 4  # words
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
_LONG = re.compile(
    r"\bhow long\b|\btime to (?:re(?:pair|cover|solve|store)|fix)\b|\bduration\b", re.IGNORECASE
)
_OFTEN = re.compile(r"\bhow (?:often|many)\b|\bnumber of\b", re.IGNORECASE)
_TRIED = re.compile(r"\b(?:tried|try|attempt\w*|actions? (?:was|were) taken)\b", re.IGNORECASE)
_NOT = re.compile(r"n['’]t\b|\b(?:not|never|without|no)\b", re.IGNORECASE)


class _IncidentRelations(NamedTuple):
    """An incident that a question is about, and its relations."""

    incident: Incident
    relations: tuple[Relation, ...]
    tried: tuple[tuple[Relation, Outcome], ...]


def _what(asked: Asked) -> str:
    """Which of the things that incidents answer is asked for; '' for another question."""
    if _LONG.search(asked.text):
        return "long"
    if _OFTEN.search(asked.text):
        return "often"
    outward, inward = asks_for(asked.text, RelationType.CAUSED_BY)
    if outward or inward:
        return "caused" if outward else "causing"
    if _TRIED.search(asked.text):
        return "tried"
    return "fixed" if asks_for(asked.text, RelationType.RESOLVED_BY)[0] else ""


def _services(asked: Asked, graph: Planner) -> list[str]:
    """The services that the question names, by name."""
    words = [token.word for token in tokens(asked.text)]
    words = [part for word in words for part in re.findall(r"[a-z0-9]+", word)]
    names = {
        "-".join(words[begin : begin + size])
        for size in range(1, _LONGEST_NAME + 1)
        for begin in range(len(words) - size + 1)
    }
    keys = {service_id(graph.namespace, name): name for name in names}
    return sorted(keys[key] for key in graph.get(list(keys)))


def _about(graph: Planner, evidence: Sequence[Evidence], services: Sequence[str]) -> list[Incident]:
    """The incidents of the services that are named, else those that were found, oldest first."""
    affects = frozenset({str(RelationType.AFFECTS)})
    keys = [service_id(graph.namespace, each) for each in services]
    rows = graph.neighbors(keys, direction="in", types=affects, limit_per_id=_MOST) if keys else {}
    ids = {relation.source_entity_id for found in rows.values() for relation in found}
    if not services:
        named = (
            e.path.partition(":")[2].partition("#")[0]
            for e in evidence[:5]
            if e.path.startswith("incident:")
        )
        ids = {incident_entity_id(graph.namespace, each) for each in named}
    incidents = [i for each in graph.get(sorted(ids)).values() if (i := incident_in(each))]
    if services:
        incidents = [each for each in incidents if each.component in services]
    incidents.sort(key=lambda i: (i.timestamp or "", i.incident_id))
    return incidents


def _stems_of(incident: Incident) -> frozenset[str]:
    """The stems of what is told of an incident."""
    name = " ".join(split_identifier(incident.component))
    text = f"{incident.component} {name} {incident.title} {incident.summary} {incident.root_cause}"
    return frozenset(stems(text))


def _meant(
    what: str, asked: Asked, incidents: Sequence[Incident], *, named: bool
) -> list[Incident]:
    """Those that explain every word of the question that does not ask: none for a question that
    is about something else."""
    stop = {stem for word in STOP_WORDS for stem in stems(word)}
    left = {s for s in asked.stems if s not in stop} - _WORDS[what]
    if _NOT.search(asked.text):
        left -= set(stems("not did didn"))
    if not named and not left:
        return []
    return [each for each in incidents if left <= _stems_of(each)]


def _found(graph: Planner, incident: Incident) -> _IncidentRelations:
    key = incident_entity_id(graph.namespace, incident.incident_id)
    rows = graph.neighbors([key], direction="both", limit_per_id=_MOST)[key]
    ends = {r.source_entity_id if r.target_entity_id == key else r.target_entity_id for r in rows}
    outcomes = {
        end: outcome
        for end, each in graph.get(sorted(ends)).items()
        if (outcome := outcome_in(each)) is not None and outcome.incident_id == incident.incident_id
    }
    tried: dict[str, tuple[Relation, Outcome]] = {}
    for row in sorted(rows, key=lambda r: (r.type != RelationType.RESOLVED_BY, r.rel_id)):
        end = row.source_entity_id if row.target_entity_id == key else row.target_entity_id
        if end in outcomes:
            tried.setdefault(end, (row, outcomes[end]))
    ordered = sorted(tried.values(), key=lambda t: (t[1].recorded_at or "", t[1].outcome_id))
    return _IncidentRelations(incident, tuple(rows), tuple(ordered))


def _name(incident: Incident) -> str:
    day = f" ({incident.timestamp[:10]})" if incident.timestamp else ""
    title = f', "{incident.title}"' if incident.title else ""
    return f"`{incident.component}`{title}{day}"


def _did(outcome: Outcome) -> str:
    minutes = outcome.resolution_time_minutes
    took = f" after {minutes:g} minutes" if minutes is not None and outcome.success else ""
    done = " and ".join(f"`{action}`" for action in outcome.actions_taken)
    return f"{done} {'worked' if outcome.success else 'did not work'}{took}"


def _attempts(
    what: str, asked: Asked, graph: Planner, pool: EvidencePool, found: Sequence[_IncidentRelations]
) -> Iterator[AnswerStatement]:
    """What worked, or what was tried, at the latest of the incidents first."""
    vain = what == "tried" and _NOT.search(asked.text) is not None
    for each in reversed(found):
        rows = each.tried
        if what == "fixed" or vain:
            rows = [
                row
                for row in rows
                if row[1].success != vain and (what == "tried" or row[1].success)
            ]
        if rows:
            said = "; ".join(_did(outcome) for _, outcome in rows)
            yield AnswerStatement(f"{_name(each.incident)}: {said}", _evidence(graph, pool, rows))


def _evidence(
    graph: Planner, pool: EvidencePool, rows: Iterable[tuple[Relation, Outcome]]
) -> tuple[Evidence, ...]:
    return _of_relations(graph, pool, [relation for relation, _ in rows])


def _of_relations(
    graph: Planner, pool: EvidencePool, relations: Iterable[Relation]
) -> tuple[Evidence, ...]:
    """The passages in which the relations stand, each once."""
    passages: dict[str, Evidence] = {}
    for relation in relations:
        for each in support(graph, relation.rel_id, pool, relation)[1][:1]:
            passages.setdefault(each.id, each)
    return tuple(passages.values())


def _causes(
    graph: Planner, pool: EvidencePool, found: Sequence[_IncidentRelations], *, outward: bool
) -> Iterator[AnswerStatement]:
    """What caused the incidents, or what they caused: as stated, and by the edges."""
    for each in reversed(found):
        key = incident_entity_id(graph.namespace, each.incident.incident_id)
        edges = [r for r in each.relations if r.type == RelationType.CAUSED_BY]
        edges = [r for r in edges if (r.source_entity_id if outward else r.target_entity_id) == key]
        edges.sort(key=lambda r: (-r.confidence, r.rel_id))
        ends = [r.target_entity_id if outward else r.source_entity_id for r in edges[:_SHOWN]]
        records = graph.get(ends)
        others = [i for end in ends if (i := incident_in(records.get(end))) is not None]
        affects = [r for r in each.relations if r.type == RelationType.AFFECTS][:1]
        if outward and each.incident.root_cause:
            text = f"The cause of {_name(each.incident)}: {each.incident.root_cause.rstrip('.')}"
            yield AnswerStatement(text, _of_relations(graph, pool, [*affects, *edges[:1]]))
        elif others:
            named = "; ".join(map(_name, others))
            verb = "was caused by" if outward else "caused"
            text = f"{_name(each.incident)} {verb} {named}"
            yield AnswerStatement(text, _of_relations(graph, pool, [*affects, *edges[:_SHOWN]]))


def _how_long(
    graph: Planner, pool: EvidencePool, found: Sequence[_IncidentRelations]
) -> Iterator[AnswerStatement]:
    rows = [
        (row, outcome, each)
        for each in found
        for row, outcome in each.tried
        if outcome.success and outcome.resolution_time_minutes is not None
    ]
    minutes = [outcome.resolution_time_minutes or 0.0 for _, outcome, _ in rows]
    if not rows:
        return
    passages = _of_relations(graph, pool, [row for row, _, _ in rows[-_SHOWN:]])
    if len(rows) == 1:
        yield AnswerStatement(
            f"{_name(rows[0][2].incident)}: resolved after {minutes[0]:g} minutes", passages
        )
        return
    named = ", ".join(sorted({f"`{each.incident.component}`" for _, _, each in rows}))
    text = (
        f"{named}: a median of {median(minutes):g} minutes over {len(rows)} resolved incidents "
        f"({min(minutes):g} to {max(minutes):g})"
    )
    yield AnswerStatement(text, passages)


def _how_often(
    graph: Planner, pool: EvidencePool, found: Sequence[_IncidentRelations]
) -> Iterator[AnswerStatement]:
    if not found:
        return
    named = ", ".join(sorted({f"`{each.incident.component}`" for each in found}))
    times = sorted(each.incident.timestamp[:10] for each in found if each.incident.timestamp)
    span = ""
    if times:
        span = f" ({times[0]})" if len(times) == 1 else f" from {times[0]} to {times[-1]}"
    count = f"{len(found)} incident" + ("s" if len(found) > 1 else "")
    affects = [r for each in found for r in each.relations if r.type == RelationType.AFFECTS]
    yield AnswerStatement(
        f"{named} had {count}{span}", _of_relations(graph, pool, affects[-_SHOWN:])
    )


class IncidentAnswers(Answers):
    """What incidents, their edges and their outcomes state."""

    def stated(
        self, asked: Asked, planner: Planner, evidence: Sequence[Evidence], *, scope: Scope
    ) -> Sequence[AnswerStatement]:
        """What fixed or caused it, how long it took, how often it happened."""
        what = _what(asked)
        if not what:
            return ()
        services = _services(asked, planner)
        incidents = _about(planner, evidence, services)
        meant = _meant(what, asked, incidents, named=bool(services))
        found = [_found(planner, each) for each in meant]
        pool = EvidencePool(evidence, scope)
        if what == "long":
            made = _how_long(planner, pool, found)
        elif what == "often":
            made = _how_often(planner, pool, found)
        elif what in ("caused", "causing"):
            made = _causes(planner, pool, found, outward=what == "caused")
        else:
            made = _attempts(what, asked, planner, pool, found)
        return [each for each in made if each.evidence][:_SHOWN]


ANSWERS = IncidentAnswers()
