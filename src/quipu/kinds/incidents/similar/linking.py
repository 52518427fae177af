"""The edges of one new incident, to what happened before and, where it comes late, after."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Mapping, Sequence

from quipu.kinds.incidents.case_base import dependencies
from quipu.kinds.incidents.model import Incident
from quipu.kinds.incidents.records import incident_in, service_id
from quipu.kinds.incidents.similar.edges import (
    CAUSE_WINDOW_S,
    ESCALATION_WINDOW_S,
    LATE_S,
    STATED_WINDOW_S,
    NewEdge,
    caused_by,
    escalated_from,
    similar_to,
    stated_cause,
    why_no_cause,
)
from quipu.kinds.incidents.similar.recall import IncidentCandidate
from quipu.ports import Graph
from quipu.records.schema import RelationType
from quipu.when.instants import to_epoch

__all__ = ["Dependencies", "Timelines", "causes_of", "link", "no_causes"]

_PAGE = 500
_MOST = 100_000
_SIMILAR = 3
_LONGEST_NAME = 4  # words
HOPS = 2
"""How far down a cause may lie."""


class Timelines:
    """The incidents of a service by time, read once and kept up while a run adds to them."""

    def __init__(self, graph: Graph) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._incidents: dict[str, list[tuple[float, str, Incident]]] = {}

    def of(self, component: str) -> list[tuple[float, str, Incident]]:
        """(seconds from 1970, id, incident) of those whose time is known, the earliest first."""
        if component not in self._incidents:
            self._incidents[component] = sorted(self._read(component), key=lambda row: row[:2])
        return self._incidents[component]

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
        rows = self.of(component)
        begin = bisect_left(rows, first, key=lambda row: row[0])
        end = bisect_right(rows, last, key=lambda row: row[0])
        return [incident for _, _, incident in rows[begin:end]]

    def services(self, names: Iterable[str]) -> list[str]:
        """Those of the names that are services here."""
        keys = {service_id(self._graph.namespace, name): name for name in names}
        return sorted(keys[key] for key in self._graph.get(list(keys)))

    def _read(self, component: str) -> Iterable[tuple[float, str, Incident]]:
        key = service_id(self._graph.namespace, component)
        affected = frozenset({str(RelationType.AFFECTS)})
        found = self._graph.neighbors([key], direction="in", types=affected, limit_per_id=_MOST)
        ids = sorted({r.source_entity_id for r in found[key]})
        for at in range(0, len(ids), _PAGE):
            for record in self._graph.get(ids[at : at + _PAGE]).values():
                incident = incident_in(record)
                if incident is None or incident.timestamp is None:
                    continue
                if incident.component == component:
                    yield to_epoch(incident.timestamp), incident.incident_id, incident


class Dependencies:
    """Who needs whom, read when it is first asked and kept until a run tells something new."""

    def __init__(self, graph: Graph) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._below: dict[str, dict[str, int]] = {}
        self._above: dict[str, dict[str, int]] = {}

    def below(self, service: str, *, hops: int = HOPS) -> dict[str, int]:
        """The services that it needs, by name, with how many edges away each is."""
        if service not in self._below:
            self._below[service] = dependencies(self._graph, service, hops=HOPS)
        return {name: far for name, far in self._below[service].items() if far <= hops}

    def above(self, service: str, *, hops: int = HOPS) -> dict[str, int]:
        """The services that need it."""
        if service not in self._above:
            self._above[service] = dependencies(self._graph, service, hops=HOPS, direction="in")
        return {name: far for name, far in self._above[service].items() if far <= hops}

    def tells_more(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of (service, what it needs) that are not known yet."""
        return [(one, other) for one, other in pairs if other not in self.below(one, hops=1)]

    def forget(self) -> None:
        """Read anew: something was told."""
        self._below, self._above = {}, {}


def link(
    incident: Incident,
    recalled: Iterable[IncidentCandidate],
    times: Timelines,
    needs: Dependencies,
    confidences: Callable[[Sequence[str]], Mapping[str, Sequence[float]]],
) -> list[NewEdge]:
    """Every edge that the rules make at `incident`, the likeliest first within a kind.

    `recalled` are the nearest incidents by vector; without vectors no SIMILAR_TO is made, since
    the rule asks that the embedding agrees. `confidences` gives those of the SIMILAR_TO edges that
    leave incidents already.
    """
    alike = [
        made
        for each in recalled
        if not each.by_words
        and (made := similar_to(incident, each.incident, cosine=each.alike)) is not None
    ]
    alike.sort(
        key=lambda each: (-each.confidence, each.source.incident_id, each.target.incident_id)
    )
    links = [each for each in alike if each.source is incident][:_SIMILAR]
    links += _late(incident, alike, confidences)
    if incident.timestamp is not None:
        links += _causes(incident, times, needs, to_epoch(incident.timestamp))
        links += _escalations(incident, times, to_epoch(incident.timestamp))
    return links


def _late(
    incident: Incident,
    alike: Sequence[NewEdge],
    confidences: Callable[[Sequence[str]], Mapping[str, Sequence[float]]],
) -> list[NewEdge]:
    """The edges of newer incidents to one that comes late: where it is among the best of those
    that lie before them, whatever came after."""
    late = [each for each in alike if each.target is incident]
    if not late:
        return []
    known = confidences([each.source.incident_id for each in late])
    found: list[NewEdge] = []
    for each in late:
        best = sorted(known.get(each.source.incident_id, ()), reverse=True)[:_SIMILAR]
        if len(best) < _SIMILAR or each.confidence > best[-1]:
            found.append(each)
    return found


def causes_of(
    effects: Iterable[tuple[float, str, Incident]],
    below: Mapping[str, int],
    above: Mapping[str, int],
    times: Timelines,
) -> list[NewEdge]:
    """What caused the incidents of one service, which needs the services `below` and is needed
    by those `above`, as far as the rules can say."""
    found = [
        caused_by(effect, cause, hops=hops, mutual=service in above)
        for at, _, effect in effects
        for service, hops in sorted(below.items())
        for cause in times.between(service, at - CAUSE_WINDOW_S, at + LATE_S)
    ]
    return _by_confidence(found)


def _causes(incident: Incident, times: Timelines, needs: Dependencies, at: float) -> list[NewEdge]:
    below = _below(incident, needs)
    above = needs.above(incident.component) | dict.fromkeys(incident.downstream_deps, 1)
    above.pop(incident.component, None)
    found: list[NewEdge | None] = [*_stated(incident, times, at)]
    found += causes_of([(at, "", incident)], below, above, times)
    for service, hops in sorted(above.items()):
        found += [
            caused_by(effect, incident, hops=hops, mutual=service in below)
            for effect in times.between(service, at - LATE_S, at + CAUSE_WINDOW_S)
        ]
    return _by_confidence(found)


def _stated(incident: Incident, times: Timelines, at: float) -> list[NewEdge | None]:
    """The failures of those services that the stated cause of an incident names."""
    words = re.findall(r"[a-z0-9][a-z0-9-]*", incident.root_cause.casefold())
    named = {
        "-".join(words[begin : begin + size])
        for size in range(1, _LONGEST_NAME + 1)
        for begin in range(len(words) - size + 1)
    }
    return [
        stated_cause(incident, cause)
        for service in times.services(named - {incident.component})
        for cause in times.between(service, at - STATED_WINDOW_S, at + LATE_S)
    ]


def no_causes(
    incident: Incident, times: Timelines, needs: Dependencies
) -> list[tuple[Incident, str]]:
    """What happened about the same time on services that the one of `incident` needs and is not
    taken for its cause, and why."""
    if incident.timestamp is None:
        return []
    at = to_epoch(incident.timestamp)
    above = needs.above(incident.component)
    return [
        (each, why)
        for service in sorted(_below(incident, needs))
        for each in times.between(service, at - STATED_WINDOW_S, at + CAUSE_WINDOW_S)
        if (why := why_no_cause(incident, each, mutual=service in above))
    ]


def _by_confidence(found: Iterable[NewEdge | None]) -> list[NewEdge]:
    """The edges, the surest first; of several between the same two the surest."""
    best: dict[tuple[str, str], NewEdge] = {}
    for each in found:
        if each is None:
            continue
        ends = each.source.incident_id, each.target.incident_id
        if ends not in best or each.confidence > best[ends].confidence:
            best[ends] = each
    return sorted(
        best.values(), key=lambda e: (-e.confidence, e.source.incident_id, e.target.incident_id)
    )


def _below(incident: Incident, needs: Dependencies) -> dict[str, int]:
    """The services it needs, those that only its report names included."""
    found = needs.below(incident.component) | dict.fromkeys(incident.upstream_deps, 1)
    for service in incident.upstream_deps:
        for further, hops in needs.below(service, hops=HOPS - 1).items():
            found.setdefault(further, hops + 1)
    found.pop(incident.component, None)
    return found


def _escalations(incident: Incident, times: Timelines, at: float) -> list[NewEdge]:
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
