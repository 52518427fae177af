"""The edges of incidents: those that a report brings to light, and those that a dependency does
which became known later.

A report ties its incident by what is known when it comes. When it, or a file, tells of another
dependency, the causes of the services above are drawn again: one episode a service asserts those
that no report asserts. It remembers by which dependencies it did so, and is taken back when they
are gone.
"""

import hashlib
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from quipu.kinds.incidents.edges import (
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
from quipu.kinds.incidents.model import Incident
from quipu.kinds.incidents.records import (
    INCIDENT,
    incident_in,
    link_relation,
    service_id,
    services_in,
)
from quipu.ports import Graph, Store
from quipu.records.record import Entity, Episode, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.source import Draft
from quipu.when.instants import Clock, to_epoch

__all__ = ["History", "draw_all_causes", "draw_causes", "link", "no_causes"]

LINKS_SOURCE = "incident_links"
_PAGE = 500
_MOST = 100_000
_SIMILAR = 3
"""The SIMILAR_TO edges that lead from an incident to what was before it."""
HOPS = 2
"""How many DEPENDS_ON edges below a cause may lie."""

Needs = dict[str, set[str]]


class History:
    """The incidents of services by time and the services' needs: read when they are first asked
    for, kept up while a run adds to them."""

    def __init__(self, graph: Graph) -> None:
        """Nothing is read yet."""
        self._graph = graph
        self._incidents: dict[str, list[tuple[float, str, Incident]]] = {}
        self._needs: dict[str, Needs] = {"out": {}, "in": {}}

    def of(self, component: str) -> list[tuple[float, str, Incident]]:
        """(seconds from 1970, id, incident) of those whose time is known, the earliest first."""
        if component not in self._incidents:
            self._incidents[component] = sorted(self._read(component), key=lambda row: row[:2])
        return self._incidents[component]

    def add(self, incident: Incident) -> None:
        """Take one that was written now; it takes the place of an earlier report of it."""
        if incident.timestamp is not None:
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

    def below(self, service: str, hops: int = HOPS) -> dict[str, int]:
        """The services that it needs, by name, with how many edges away each is."""
        return self._around(service, "out", hops)

    def above(self, service: str, hops: int = HOPS) -> dict[str, int]:
        """The services that need it."""
        return self._around(service, "in", hops)

    def learn(self, needing: str, needed: str) -> bool:
        """Take in that one service needs another; whether that was unknown."""
        new = needed not in self._next("out", needing)
        self._next("out", needing).add(needed)
        self._next("in", needed).add(needing)
        return new

    def named_in(self, text: str) -> list[str]:
        """The services here that a text names."""
        return services_in(self._graph, text)

    def _around(self, service: str, way: str, hops: int) -> dict[str, int]:
        """A cycle ends where it comes back; the service itself is never among them."""
        found: dict[str, int] = {service: 0}
        rim = {service}
        for hop in range(1, hops + 1):
            rim = {each for name in rim for each in self._next(way, name)} - found.keys()
            found |= dict.fromkeys(sorted(rim), hop)
        del found[service]
        return found

    def _next(self, way: str, service: str) -> set[str]:
        known = self._needs[way]
        if service not in known:
            key = service_id(self._graph.namespace, service)
            needs = frozenset({str(RelationType.DEPENDS_ON)})
            rows = self._graph.neighbors(
                [key], direction="out" if way == "out" else "in", types=needs, limit_per_id=_MOST
            )[key]
            ends = [r.target_entity_id if way == "out" else r.source_entity_id for r in rows]
            records = self._graph.get(ends).values()
            known[service] = {each.name for each in records if isinstance(each, Entity)}
        return known[service]

    def _read(self, component: str) -> Iterator[tuple[float, str, Incident]]:
        key = service_id(self._graph.namespace, component)
        affected = frozenset({str(RelationType.AFFECTS)})
        found = self._graph.neighbors([key], direction="in", types=affected, limit_per_id=_MOST)
        ids = sorted({r.source_entity_id for r in found[key]})
        for at in range(0, len(ids), _PAGE):
            for record in self._graph.get(ids[at : at + _PAGE]).values():
                incident = incident_in(record)
                if incident is not None and incident.timestamp and incident.component == component:
                    yield to_epoch(incident.timestamp), incident.incident_id, incident


def link(
    incident: Incident, recalled: Iterable[tuple[Incident, float]], history: History
) -> list[NewEdge]:
    """Every edge that the rules make at `incident`, the likeliest first within a kind. `recalled`
    are the nearest incidents, each with the cosine of its vector; `history` knows its needs."""
    made = (similar_to(incident, other, cosine=cosine) for other, cosine in recalled)
    alike = sorted((each for each in made if each is not None), key=lambda each: each.order)
    links = [each for each in alike if each.source is incident][:_SIMILAR]
    links += [each for each in alike if each.target is incident]  # it comes late
    if incident.timestamp is not None:
        at = to_epoch(incident.timestamp)
        links += _causes(incident, at, history)
        links += _escalations(incident, at, history)
    return links


def _causes(incident: Incident, at: float, history: History) -> list[NewEdge]:
    """What caused an incident, as stated and as the rules can say, and what it caused."""
    service = incident.component
    below, above = history.below(service), history.above(service)
    found = [
        stated_cause(incident, cause)
        for named in history.named_in(incident.root_cause)
        if named != service
        for cause in history.between(named, at - STATED_WINDOW_S, at + LATE_S)
    ]
    found += _causes_below(incident, at, history)
    found += [
        caused_by(effect, incident, hops=hops, mutual=name in below)
        for name, hops in above.items()
        for effect in history.between(name, at - LATE_S, at + CAUSE_WINDOW_S)
    ]
    return _surest(found)


def _causes_below(effect: Incident, at: float, history: History) -> list[NewEdge | None]:
    above = history.above(effect.component)
    return [
        caused_by(effect, cause, hops=hops, mutual=name in above)
        for name, hops in history.below(effect.component).items()
        for cause in history.between(name, at - CAUSE_WINDOW_S, at + LATE_S)
    ]


def _surest(found: Iterable[NewEdge | None]) -> list[NewEdge]:
    """The edges, the surest first; of several between the same two the surest."""
    ordered = sorted((each for each in found if each is not None), key=lambda e: e.order)
    best: dict[tuple[str, str], NewEdge] = {}
    for each in ordered:
        best.setdefault((each.source.incident_id, each.target.incident_id), each)
    return list(best.values())


def _escalations(incident: Incident, at: float, history: History) -> Iterator[NewEdge]:
    """From what was milder before, and to what was graver after."""
    span = at - ESCALATION_WINDOW_S, at + ESCALATION_WINDOW_S
    around = [
        each
        for each in history.between(incident.component, *span)
        if each.incident_id != incident.incident_id
    ]
    for graver in (incident, *around):
        made = escalated_from(graver, [*around, incident])
        if made is not None and incident in (made.source, made.target):
            yield made


def no_causes(incident: Incident, history: History) -> list[tuple[Incident, str]]:
    """What happened about the same time on services that the one of `incident` needs and is not
    taken for its cause, and why."""
    if incident.timestamp is None:
        return []
    at = to_epoch(incident.timestamp)
    above = history.above(incident.component)
    return [
        (each, why)
        for service in sorted(history.below(incident.component))
        for each in history.between(service, at - STATED_WINDOW_S, at + CAUSE_WINDOW_S)
        if (why := why_no_cause(incident, each, mutual=service in above))
    ]


def draw_all_causes(store: Store, *, clock: Clock) -> int:
    """`draw_causes` for every service that incidents were reported on."""
    services: set[str] = set()
    scope, after = Scope(source_types=frozenset({INCIDENT})), ""
    while page := store.scan("episode", scope=scope, after=after, limit=_PAGE):
        episodes = [each for each in page if isinstance(each, Episode)]
        services |= {each.group for each in episodes if each.group}
        after = episodes[-1].episode_id
    return draw_causes(store, sorted(services), History(store), clock=clock)


def draw_causes(store: Store, services: Iterable[str], history: History, *, clock: Clock) -> int:
    """Draw the CAUSED_BY edges of the incidents on these services again, where what the services
    need has changed since it was done last; how many edges stand that no report asserts."""
    return sum(_drawn(store, service, history, clock) for service in dict.fromkeys(services))


def _drawn(store: Store, service: str, history: History, clock: Clock) -> int:
    above = history.above(service)
    needs = {name: [hops, name in above] for name, hops in sorted(history.below(service).items())}
    sha = hashlib.sha256(msgspec.json.encode(needs)).hexdigest()
    ref = f"incident-links:{service}"
    draft = Draft(namespace=store.namespace, type=LINKS_SOURCE, ref=ref, sha=sha, group=service)
    stored = store.get([draft.episode_id]).get(draft.episode_id)
    if isinstance(stored, Episode):
        return int(str(stored.properties.get("edges") or 0))
    now = clock()
    found = [e for at, _, effect in history.of(service) for e in _causes_below(effect, at, history)]
    own = {e.episode_id for e in store.sources(frozenset({LINKS_SOURCE}), refs=[ref])}
    drawn = [link_relation(draft, edge, now) for edge in _surest(found)]
    claims = _unasserted(store, drawn, own)
    if claims or own:
        episode = draft.episode(
            now,
            preview=f"{len(claims)} causes of incidents on {service}",
            properties={"edges": len(claims)},
        )
        store.write(draft.batch(episode, claims, now=now))
    return len(claims)


def _unasserted(store: Store, relations: Sequence[Relation], own: set[str]) -> list[Relation]:
    """Those that nothing but our own episodes asserts."""
    support = store.support([each.rel_id for each in relations])
    return [
        each
        for each in relations
        if all(
            row.known_until is not None or row.episode_id in own
            for row in support.get(each.rel_id, ())
        )
    ]
