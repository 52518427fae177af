"""The edges of one new incident, to what happened before and, where it comes late, after."""

from bisect import insort
from collections.abc import Iterable

from quipu.casebook import dependencies
from quipu.domain.incident_records import incident_of, service_id
from quipu.domain.incidents import Incident
from quipu.domain.instants import to_epoch
from quipu.domain.records import Entity
from quipu.domain.schema import EntityType, RelationType
from quipu.incidents.edges import (
    CAUSE_WINDOW_S,
    ESCALATION_WINDOW_S,
    Link,
    caused_by,
    escalated_from,
    similar_to,
)
from quipu.incidents.similar import Recalled
from quipu.ports import Graph

__all__ = ["Timelines", "link"]

_PAGE = 500
_MOST = 100_000
_SIMILAR = 8
_HOPS = 2


class Timelines:
    """The incidents of a service by time, read once and kept up while a run adds to them."""

    def __init__(self, graph: Graph) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._held: dict[str, list[tuple[float, str, Incident]]] = {}

    def of(self, component: str) -> list[tuple[float, str, Incident]]:
        """(seconds from 1970, id, incident) of those whose time is known, the earliest first."""
        if component not in self._held:
            self._held[component] = sorted(self._read(component), key=lambda row: row[:2])
        return self._held[component]

    def add(self, incident: Incident) -> None:
        """Take one that was written now; it takes the place of an earlier report of it."""
        if incident.timestamp is None:
            return
        rows = self.of(incident.component)
        rows[:] = [row for row in rows if row[1] != incident.incident_id]
        row = (to_epoch(incident.timestamp), incident.incident_id, incident)
        insort(rows, row, key=lambda each: each[:2])

    def between(self, component: str, first: float, last: float) -> list[Incident]:
        """Those of a service that began in a span of time, both ends included."""
        return [i for at, _, i in self.of(component) if first <= at <= last]

    def _read(self, component: str) -> Iterable[tuple[float, str, Incident]]:
        key = service_id(self._graph.namespace, component)
        affected = frozenset({str(RelationType.AFFECTS)})
        found = self._graph.neighbors([key], direction="in", types=affected, limit_per_id=_MOST)
        ids = sorted({r.source_entity_id for r in found[key]})
        for at in range(0, len(ids), _PAGE):
            for record in self._graph.get(ids[at : at + _PAGE]).values():
                if isinstance(record, Entity) and record.type == EntityType.INCIDENT:
                    incident = incident_of(record)
                    if incident.timestamp is not None and incident.component == component:
                        yield to_epoch(incident.timestamp), incident.incident_id, incident


def link(
    graph: Graph, incident: Incident, recalled: Iterable[Recalled], times: Timelines
) -> list[Link]:
    """Every edge that the rules make at `incident`, the likeliest first within a kind.

    `recalled` are the nearest incidents by vector; without vectors no SIMILAR_TO is made, since
    the rule asks that the embedding agrees.
    """
    alike = [
        made
        for each in recalled
        if each.cosine is not None
        and (made := similar_to(incident, each.incident, cosine=each.cosine)) is not None
    ]
    alike.sort(
        key=lambda each: (-each.confidence, each.source.incident_id, each.target.incident_id)
    )
    links = alike[:_SIMILAR]
    if incident.timestamp is not None:
        links += _causes(graph, incident, times, to_epoch(incident.timestamp))
        links += _escalations(incident, times, to_epoch(incident.timestamp))
    return links


def _causes(graph: Graph, incident: Incident, times: Timelines, at: float) -> list[Link]:
    needs = _needs(graph, incident)
    needed_by = _needed_by(graph, incident)
    found: list[Link | None] = []
    for service, hops in sorted(needs.items()):
        mutual = service in needed_by
        found += [
            caused_by(incident, cause, hops=hops, mutual=mutual)
            for cause in times.between(service, at - CAUSE_WINDOW_S, at)
        ]
    for service, hops in sorted(needed_by.items()):
        mutual = service in needs
        found += [
            caused_by(effect, incident, hops=hops, mutual=mutual)
            for effect in times.between(service, at, at + CAUSE_WINDOW_S)
        ]
    return sorted(
        (each for each in found if each is not None),
        key=lambda e: (-e.confidence, e.source.incident_id, e.target.incident_id),
    )


def _needs(graph: Graph, incident: Incident) -> dict[str, int]:
    """The services it needs, those that only its report names included."""
    needs = dependencies(graph, incident.component, hops=_HOPS)
    needs |= dict.fromkeys(incident.upstream_deps, 1)
    for service in incident.upstream_deps:
        for further, hops in dependencies(graph, service, hops=_HOPS - 1).items():
            needs.setdefault(further, hops + 1)
    needs.pop(incident.component, None)
    return needs


def _needed_by(graph: Graph, incident: Incident) -> dict[str, int]:
    """The services that need it."""
    start = service_id(graph.namespace, incident.component)
    seen: dict[str, int] = {start: 0}
    rim = [start]
    for hop in range(1, _HOPS + 1):
        found = graph.neighbors(
            rim, direction="in", types=frozenset({str(RelationType.DEPENDS_ON)}), limit_per_id=1000
        )
        rim = sorted({r.source_entity_id for rows in found.values() for r in rows} - seen.keys())
        seen |= dict.fromkeys(rim, hop)
    records = graph.get(sorted(seen.keys() - {start}))
    named = {r.name: seen[key] for key, r in records.items() if isinstance(r, Entity)}
    named |= dict.fromkeys(incident.downstream_deps, 1)
    named.pop(incident.component, None)
    return named


def _escalations(incident: Incident, times: Timelines, at: float) -> list[Link]:
    """From what was milder before, and to what was graver after."""
    before = times.between(incident.component, at - ESCALATION_WINDOW_S, at)
    after = times.between(incident.component, at, at + ESCALATION_WINDOW_S)
    found = [escalated_from(incident, before)]
    for later in after:
        end = to_epoch(later.timestamp or "")
        span = times.between(incident.component, end - ESCALATION_WINDOW_S, end)
        made = escalated_from(later, [*span, incident])
        if made is not None and made.target.incident_id == incident.incident_id:
            found.append(made)
    return [each for each in found if each is not None]
