"""How incidents are alike and tied: the rules of the edges, their drawing, what happened before.

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

What happened before is recalled by vector, then by the graph: the nearest passages of incidents are
looked up, their incidents loaded by `embedding_id`, edges and outcomes read, and what lies one edge
away is added. The result is the context that advice is given (`advice.py`), which itself never sees
an index.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from statistics import mean
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import IncidentEdge, attempts_at, edges_between, recorded_by
from quipu.kinds.incidents.model import (
    LEAST_ALIKE,
    METRIC_LEVELS,
    MOST_ALIKE,
    Incident,
    IncidentHead,
    Outcome,
    Severity,
)
from quipu.kinds.incidents.records import (
    INCIDENT,
    LINKS,
    description_text,
    embedding_alias,
    incident_entity_id,
    incident_in,
    incident_ref,
    incident_text,
    named_by_ref,
    service_id,
    services_in,
)
from quipu.limits import ROWS_AT_ONCE
from quipu.ports import Graph, Planner, Store
from quipu.records.record import Entity, Episode, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.source import Draft
from quipu.text import name_key, stems
from quipu.when.instants import Clock, to_epoch
from quipu.write.kinds import Upkeep

__all__ = [
    "UPKEEP",
    "NewEdge",
    "SimilarIncidents",
    "draw",
    "draw_all",
    "link_relation",
    "recall",
    "services_around",
    "similar",
    "similar_links",
]

_RECALLED = 50
"""How many of the nearest incidents are looked at."""
_LEAST_LIKE = 0.3
_TIES = frozenset(LINKS) - {RelationType.RESOLVED_BY}
_CAUSE_WINDOW_S, _STATED_WINDOW_S, _ESCALATION_WINDOW_S = 30 * 60, 2 * 3600, 60 * 60
_MEANING, _WORDS, _NUMBERS = 0.5, 0.2, 0.3
"""The shares of a likeness, chosen on simulated worlds that no figure counts."""
_UNMEASURED = 0.5
"""How far numbers agree where no metric was measured in both."""
_STEEPNESS, _EVEN_CHANCE = 12, 0.38
_CAUSE, _CAUSE_HALF_S, _FURTHER_HOP = 0.9, 15 * 60, 0.7
_STATED = 0.95
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
    needs = frozenset({str(RelationType.DEPENDS_ON)})
    rim = {service_id(graph.namespace, service)}
    found = dict.fromkeys(rim, 0)
    for hop in range(1, _HOPS + 1):
        rows = graph.neighbors(
            sorted(rim), direction="in" if above else "out", types=needs, limit_per_id=_MOST
        )
        ends = ((r.source_entity_id, r.target_entity_id) for each in rows.values() for r in each)
        rim = {end for pair in ends for end in pair} - found.keys()
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


class SimilarIncident(IncidentHead, frozen=True, kw_only=True):
    """One earlier incident, why it is here and what came of it."""

    score: Annotated[float, "how like it is"]
    parts: Annotated[dict[str, float], "the named parts of the score"]
    via: Annotated[tuple[str, ...], "the edges that led to it; empty when it was found directly"]
    root_cause: Annotated[str, "the stated cause"]
    outcomes: Annotated[tuple[Outcome, ...], "what was tried, the earliest first"]
    edges: Annotated[tuple[IncidentEdge, ...], "its edges to other incidents"]
    source_ref: Annotated[str, "what a person opens"]


class SimilarIncidents(msgspec.Struct, frozen=True, kw_only=True):
    """The incidents most like one, the likeliest first; `as_of` bounds what was known."""

    incident_id: Annotated[str | None, "the incident that was asked about, or null for a new one"]
    component: Annotated[str, "its component"]
    as_of: Annotated[str | None, "only what was known then was used; null: everything"]
    incidents: Annotated[tuple[SimilarIncident, ...], "the likeliest first"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"] = ()

    @property
    def weights(self) -> dict[str, float]:
        """The context that advice is given: how like each incident is, by `incident_id`."""
        return {like.incident_id: like.score for like in self.incidents}


class _Scored(NamedTuple):
    """An incident, its score with its named parts, and the edge that gave it."""

    incident: Incident
    score: float
    parts: dict[str, float]
    via: tuple[str, ...] = ()


def recall(
    planner: Planner,
    incident: Incident,
    *,
    vector: NDArray[np.float32] | None,
    space: str,
    before: str | None = None,
) -> list[tuple[Incident, float | None]]:
    """Return the nearest incidents with their cosines, the nearest first; by words, without a
    cosine, where there is no vector.

    `before` keeps what began before it; what has no time is left out then.
    """
    scope = Scope(source_types=frozenset({INCIDENT}), before=before)
    by_words = vector is None or not np.any(vector)
    if vector is None or by_words:
        terms = dict.fromkeys(stems(description_text(incident) or incident_text(incident)), 1.0)
        ranking = planner.match_text("prose", terms, scope=scope, limit=_RECALLED)
    else:
        ranking = planner.match_vector(vector, space=space, scope=scope, limit=_RECALLED)
    chunks = planner.chunks(ranking.numbers)
    episodes = planner.get(sorted({chunk.episode_id for chunk in chunks}))
    keys = [name_key(embedding_alias(int(chunk.heading_path[1]))) for chunk in chunks]
    named = planner.named(list(dict.fromkeys(keys)))
    found: dict[str, tuple[Incident, float | None]] = {}
    for chunk, key, score in zip(chunks, keys, ranking.scores, strict=True):
        episode = episodes.get(chunk.episode_id)
        own = named_by_ref(episode.source_ref) if isinstance(episode, Episode) else ""
        for other in filter(None, map(incident_in, named.get(key, ()))):
            # two stores that were imported may have an embedding_id in common
            if other.incident_id == own != incident.incident_id and _began(other, before):
                found.setdefault(own, (other, None if by_words else float(score)))
    return list(found.values())


def similar(
    planner: Planner,
    incident: Incident,
    *,
    vector: NDArray[np.float32] | None,
    space: str,
    stored: bool,
    as_of: str | None = None,
    limit: int = 10,
) -> SimilarIncidents:
    """Return the incidents most like `incident`, with their edges and outcomes.

    The score is `likeness`, with the cosine of `vector`, that of `description_text`. What lies one
    SIMILAR_TO, CAUSED_BY or ESCALATED_FROM edge away has that edge's confidence times the score it
    is reached from. Below .3 nothing is shown. `stored` says that the incident itself is in the
    graph.
    """
    scored: dict[str, _Scored] = {}
    for other, cosine in recall(planner, incident, vector=vector, space=space, before=as_of):
        scored[other.incident_id] = _Scored(other, *likeness(incident, other, cosine))
    near = _best(scored)[: limit * 2]
    edges = edges_between(
        planner, [*([incident.incident_id] if stored else []), *near], kinds=_TIES
    )
    scored = _reached(planner, incident, edges, scored, as_of)
    chosen = [name for name in _best(scored) if scored[name].score >= _LEAST_LIKE][:limit]
    tried = attempts_at(planner, chosen)
    return SimilarIncidents(
        incident_id=incident.incident_id if stored else None,
        component=incident.component,
        as_of=as_of,
        incidents=tuple(
            SimilarIncident(
                **found.incident.head,
                score=round(min(found.score, 1.0), 4),
                parts=found.parts,
                via=found.via,
                root_cause=found.incident.root_cause,
                outcomes=recorded_by(tried.get(name, ()), as_of),
                edges=tuple(edge for edge in edges if name in (edge.source_id, edge.target_id)),
                source_ref=found.incident.pointer or incident_ref(name),
            )
            for name, found in ((name, scored[name]) for name in chosen)
        ),
        notes=() if vector is not None else ("recalled by words: there are no vectors",),
    )


def _best(scored: dict[str, _Scored]) -> list[str]:
    return sorted(scored, key=lambda name: (-scored[name].score, name))


def _reached(
    graph: Graph,
    start: Incident,
    edges: Sequence[IncidentEdge],
    scored: dict[str, _Scored],
    as_of: str | None,
) -> dict[str, _Scored]:
    """What was found and what one edge leads to from it and from `start`; a better way raises what
    is there."""
    scores = {start.incident_id: 1.0, **{name: row.score for name, row in scored.items()}}
    ways = [(e, e.source_id, e.target_id) for e in edges]
    ways += [(e, e.target_id, e.source_id) for e in edges]
    names = {there for _, _, there in ways} - scores.keys()
    records = graph.get(sorted(incident_entity_id(graph.namespace, name) for name in names))
    new = [i for i in map(incident_in, records.values()) if i is not None and _began(i, as_of)]
    every = scored | {i.incident_id: _Scored(i, 0.0, {}) for i in new}
    for edge, here, there in ways:
        score, known = scores.get(here, 0.0) * edge.confidence, every.get(there)
        if known is not None and score > known.score:
            parts = {**known.parts, "graph_proximity": round(score, 4)}
            via = f"{edge.type} {'this incident' if here == start.incident_id else here}"
            every[there] = _Scored(known.incident, score, parts, (via,))
    return every


def _began(incident: Incident, before: str | None) -> bool:
    return before is None or (incident.timestamp is not None and incident.timestamp < before)
