"""The edges between incidents: the rules, each with its confidence and evidence, and their drawing.

SIMILAR_TO      newer → older, on any service, where score ≥ .5; score = .5 cosine of what is told
                + .2 shared words + .3 agreement of the numbers, and the confidence
                1 / (1 + e^(−12 (score − .38)))
CAUSED_BY       A needs B's service (at most two DEPENDS_ON hops), B is a failure (`failed`), and
                B began at most 30 minutes before: .9 · ½^(gap / 15 min) · .7 a further hop. Where
                A's stated cause names B's service, and B failed at most 2 hours before: .95
ESCALATED_FROM  the same component, graver, within 60 minutes, from the last milder one:
                .95 · (1 − ½ · gap / 60 min)

A report asserts its SIMILAR_TO edges. The others follow from times and dependencies, whichever
became known first: one episode a service asserts those of its incidents, and is drawn again when
reports or dependencies come or go.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from statistics import mean
from typing import NamedTuple

import msgspec

from quipu.kinds.incidents.model import METRIC_LEVELS, Incident, Severity
from quipu.kinds.incidents.records import (
    INCIDENT,
    description_text,
    incident_entity_id,
    incident_in,
    service_id,
    services_in,
)
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Graph, Store
from quipu.records.record import Entity, Episode, Relation
from quipu.records.schema import RelationType
from quipu.source import Draft
from quipu.text import stems
from quipu.when.instants import Clock, to_epoch
from quipu.write.kinds import Upkeep

__all__ = [
    "LEAST_ALIKE",
    "MOST_ALIKE",
    "UPKEEP",
    "NewEdge",
    "draw",
    "draw_all",
    "likeness",
    "link_relation",
    "services_around",
    "similar_links",
]

_CAUSE_WINDOW_S, _STATED_WINDOW_S, _ESCALATION_WINDOW_S = 30 * 60, 2 * 3600, 60 * 60
LEAST_ALIKE = 0.5
_MEANING, _WORDS, _NUMBERS = 0.5, 0.2, 0.3
"""The shares of a likeness, chosen on simulated worlds that no figure counts."""
_UNMEASURED = 0.5
"""How far numbers agree where no metric was measured in both."""
_STEEPNESS, _EVEN_CHANCE = 12, 0.38
_CAUSE, _CAUSE_HALF_S, _FURTHER_HOP = 0.9, 15 * 60, 0.7
_STATED = 0.95
MOST_ALIKE = 3
"""The SIMILAR_TO edges that lead from an incident to what was before it."""
_HOPS = 2
"""How many DEPENDS_ON edges below a cause may lie."""
_LINKS_SOURCE = "incident_links"
_MOST = 100_000


class NewEdge(NamedTuple):
    """An edge to be made between two incidents, and why."""

    source: Incident
    kind: RelationType
    target: Incident
    confidence: float
    why: tuple[str, ...]

    @property
    def order(self) -> tuple[float, str, str]:
        """The key that sorts the surest first."""
        return -self.confidence, self.source.incident_id, self.target.incident_id


def numbers_agree(one: Incident, other: Incident) -> float:
    """How near the values of two incidents are, in [0, 1]: as their logarithms are, on the scale
    of each metric's lowest threshold."""
    first, second = one.metrics.known(), other.metrics.known()
    near = [
        max(0.0, 1 - abs(math.log1p(first[name] / low) - math.log1p(second[name] / low)))
        for name, (low, *_) in METRIC_LEVELS.items()
        if name in first and name in second
    ]
    return mean(near) if near else _UNMEASURED


def likeness(
    one: Incident, other: Incident, cosine: float | None
) -> tuple[float, dict[str, float]]:
    """How alike two incidents are, in [0, 1], with the named parts of it: the cosine of what is
    told of them, the words they share, and their numbers. Without a cosine the words count for it
    too; where nothing is told, the numbers and the place decide."""
    numbers = numbers_agree(one, other)
    told = description_text(one)
    if not told:
        return (numbers + (one.component == other.component)) / 2, {"features": round(numbers, 4)}
    words = _words_shared(told, description_text(other))
    meaning = words if cosine is None else min(max(cosine, 0.0), 1.0)
    parts = {"features": numbers, "words": words}
    parts |= {} if cosine is None else {"similarity": meaning}
    score = _MEANING * meaning + _WORDS * words + _NUMBERS * numbers
    return score, {name: round(part, 4) for name, part in parts.items()}


def _words_shared(one: str, other: str) -> float:
    """The cosine of two texts as sets of stems."""
    first, second = set(stems(one)), set(stems(other))
    return len(first & second) / math.sqrt(len(first) * len(second) or 1)


def similar_links(
    incident: Incident, recalled: Iterable[tuple[Incident, float | None]]
) -> Iterator[NewEdge]:
    """The SIMILAR_TO edges at `incident`, given the nearest others, each with the cosine of its
    vector: to the likest before it, and from all that came after it."""
    made = sorted((_similar_to(incident, *near) for near in recalled), key=lambda e: e.order)
    sure = [edge for edge in made if edge.confidence >= _sure(LEAST_ALIKE)]
    yield from [edge for edge in sure if edge.source is incident][:MOST_ALIKE]
    yield from [edge for edge in sure if edge.target is incident]  # it comes late


def _similar_to(one: Incident, other: Incident, cosine: float | None) -> NewEdge:
    """The edge from the newer to the older one; where nobody knows the time of both, `one` is the
    newer: it was told later."""
    newer, older = one, other
    if one.timestamp is not None and other.timestamp is not None:
        older, newer = sorted((one, other), key=lambda i: (i.timestamp or "", i.incident_id))
    score, parts = likeness(one, other, cosine)
    why = [f"{name} {part:.2f}" for name, part in parts.items()]
    if newer.component == older.component:
        why.append(f"same component {newer.component}")
    return NewEdge(newer, RelationType.SIMILAR_TO, older, _sure(score), tuple(why))


def _sure(score: float) -> float:
    return round(1 / (1 + math.exp(-_STEEPNESS * (score - _EVEN_CHANCE))), 4)


def failed(incident: Incident) -> bool:
    """Whether it is a failure, and no mere event: one of severity INFO, by what its source says or
    by its numbers, whose cause nobody stated, is none."""
    calm = incident.source_severity or incident.metrics.known()
    return incident.severity != Severity.INFO or bool(incident.root_cause) or not calm


def services_around(graph: Graph, service: str, *, above: bool) -> dict[str, int]:
    """The services that need it (`above`), or that it needs, with how many edges away each is; a
    cycle ends where it comes back."""
    direction = "in" if above else "out"
    rim = {service_id(graph.namespace, service)}
    found = dict.fromkeys(rim, 0)
    for hop in range(1, _HOPS + 1):
        needs = frozenset({str(RelationType.DEPENDS_ON)})
        rows = graph.neighbors(sorted(rim), direction=direction, types=needs, limit_per_id=_MOST)
        ends = {
            r.source_entity_id if above else r.target_entity_id for e in rows.values() for r in e
        }
        rim = ends - found.keys()
        found |= dict.fromkeys(rim, hop)
    records = graph.get(sorted(found))
    return {
        record.name: hop
        for key, hop in found.items()
        if hop and isinstance(record := records.get(key), Entity)
    }


def _incidents_on(graph: Graph, component: str) -> list[tuple[float, Incident]]:
    """(seconds from 1970, incident) of those whose time is known, the earliest first."""
    key = service_id(graph.namespace, component)
    affected = frozenset({str(RelationType.AFFECTS)})
    rows = graph.neighbors([key], direction="in", types=affected, limit_per_id=_MOST)[key]
    records = graph.get(sorted({r.source_entity_id for r in rows})).values()
    found = [
        (to_epoch(incident.timestamp), incident)
        for incident in map(incident_in, records)
        if incident is not None and incident.timestamp and incident.component == component
    ]
    return sorted(found, key=lambda row: (row[0], row[1].incident_id))


def _edges(graph: Graph, service: str) -> list[NewEdge]:
    """The edges that the rules make from the incidents on a service, each pair once, the surest
    first."""
    own = _incidents_on(graph, service)
    below = services_around(graph, service, above=False)
    on = {name: _incidents_on(graph, name) for name in below}
    found: list[NewEdge] = []
    for at, effect in own:
        stated = set(services_in(graph, effect.root_cause)) if effect.root_cause else set[str]()
        stated -= {service}
        on |= {name: _incidents_on(graph, name) for name in stated - on.keys()}
        found += [
            edge
            for name, causes in on.items()
            for then, cause in causes
            if at >= then and failed(cause)
            for edge in _caused(effect, cause, at - then, below.get(name), name in stated)
        ]
        found += _escalated(effect, at, own)
    return sorted(found, key=lambda e: e.order)


def _caused(
    effect: Incident, cause: Incident, gap: float, hops: int | None, stated: bool
) -> Iterator[NewEdge]:
    """The edge to a failure that lies `gap` seconds before, on a service that is `hops` DEPENDS_ON
    edges below, or that the cause of `effect`, as stated, names."""
    if stated and gap <= _STATED_WINDOW_S:
        confidence = _STATED
        why = f"the stated cause names {cause.component}", f"it failed {_spoken(gap)} before"
    elif hops and gap <= _CAUSE_WINDOW_S:
        confidence = _CAUSE * 0.5 ** (gap / _CAUSE_HALF_S) * _FURTHER_HOP ** (hops - 1)
        far = f" ({hops} hops)" if hops > 1 else ""
        why = (
            f"{effect.component} depends on {cause.component}{far}",
            f"{cause.component} failed {_spoken(gap)} before",
        )
    else:
        return
    yield NewEdge(effect, RelationType.CAUSED_BY, cause, round(confidence, 4), why)


def _escalated(
    graver: Incident, at: float, around: Iterable[tuple[float, Incident]]
) -> Iterator[NewEdge]:
    """The edge to the last milder one of the same component."""
    milder = [
        (at - then, other)
        for then, other in around
        if other.severity.rank < graver.severity.rank and 0 < at - then <= _ESCALATION_WINDOW_S
    ]
    if milder:
        gap, last = min(milder, key=lambda row: (row[0], row[1].incident_id))
        confidence = round(_STATED * (1 - 0.5 * gap / _ESCALATION_WINDOW_S), 4)
        changed = f"{last.severity} became {graver.severity} on {graver.component}"
        why = (changed, f"{_spoken(gap)} later")
        yield NewEdge(graver, RelationType.ESCALATED_FROM, last, confidence, why)


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


def link_relation(draft: Draft, edge: NewEdge, now: str) -> Relation:
    """The edge to another incident, as `draft` asserts it."""
    return draft.relation(
        incident_entity_id(draft.namespace, edge.source.incident_id),
        edge.kind,
        incident_entity_id(draft.namespace, edge.target.incident_id),
        seen=now,
        confidence=edge.confidence,
        why=edge.why,
    )


def draw_all(store: Store, *, clock: Clock) -> tuple[int, int]:
    """`draw` for every service that incidents were reported on."""
    ids = [source.episode_id for source in store.sources(frozenset({INCIDENT}))]
    services: set[str] = set()
    for at in range(0, len(ids), ROWS_AT_ONCE):
        episodes = store.get(ids[at : at + ROWS_AT_ONCE]).values()
        services |= {e.group for e in episodes if isinstance(e, Episode) and e.group}
    return draw(store, services, clock=clock)


def draw(store: Store, services: Iterable[str], *, clock: Clock) -> tuple[int, int]:
    """Draw the edges from the incidents on these services again; return how many stand, and how
    many of them are new."""
    drawn = [_drawn(store, service, clock) for service in sorted(set(services))]
    return sum(count for count, _ in drawn), sum(new for _, new in drawn)


def _drawn(store: Store, service: str, clock: Clock) -> tuple[int, int]:
    edges = _edges(store, service)
    told = [
        [e.source.incident_id, e.kind, e.target.incident_id, e.confidence, e.why] for e in edges
    ]
    sha = hashlib.sha256(msgspec.json.encode(told)).hexdigest()
    ref = f"incident-links:{service}"
    draft = Draft(namespace=store.namespace, type=_LINKS_SOURCE, ref=ref, sha=sha, group=service)
    drawn = store.sources(frozenset({_LINKS_SOURCE}), refs=[ref])
    if any(row.episode_id == draft.episode_id for row in drawn) or not (edges or drawn):
        return len(edges), 0
    now = clock()
    made = [link_relation(draft, edge, now) for edge in edges]
    known = store.get([relation.rel_id for relation in made])
    for n, relation in enumerate(made):  # an edge was made when it was made first
        if isinstance(before := known.get(relation.rel_id), Relation):
            made[n] = msgspec.structs.replace(relation, created_at=before.created_at)
    preview = f"{len(edges)} edges from incidents on {service}"
    store.write(draft.batch(draft.episode(now, preview=preview), made, now=now))
    return len(edges), len(made) - len(known)


class _Edges(Upkeep):
    def after_index(self, store: Store, source_types: AbstractSet[str], *, clock: Clock) -> None:
        """Draw the edges of incidents again, where there are any: needs may have changed."""
        if INCIDENT in source_types:
            draw_all(store, clock=clock)


UPKEEP = _Edges()
