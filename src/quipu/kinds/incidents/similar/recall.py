"""What happened before: recall by vector, then the graph, in five steps.

1. the new incident's text is embedded; 2. the nearest passages of incidents are looked up;
3. their incidents are loaded by `embedding_id`; 4. edges and outcomes are read, and what lies one
edge away is added; 5. the result is the context that advice is given (`learn/advise.py`), which
itself never sees an index.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import IncidentEdge, attempts_at, edges_between
from quipu.kinds.incidents.likeness import agreement
from quipu.kinds.incidents.model import Incident, Outcome
from quipu.kinds.incidents.records import (
    INCIDENT,
    description_text,
    embedding_alias,
    incident_entity_id,
    incident_in,
    incident_ref,
    incident_text,
)
from quipu.kinds.incidents.similar.edges import alike
from quipu.ports import Graph, Planner
from quipu.records.record import Chunk, Episode
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import name_key, stems

__all__ = ["IncidentCandidate", "SimilarIncident", "SimilarIncidents", "recall", "similar"]

RECALLED = 50
"""How many of the nearest incidents are looked at."""
_INCIDENTS = frozenset({INCIDENT})
_BY_WORDS = 0.6
_LEAST = 0.3


class IncidentCandidate(NamedTuple):
    """An incident the indexes found. `alike` is the cosine or, when words found it, .6 of the
    best match for the best of them and less for the others in proportion."""

    incident: Incident
    alike: float
    by_words: bool = False


class SimilarIncident(msgspec.Struct, frozen=True, kw_only=True):
    """One earlier incident, why it is here and what came of it."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    component: Annotated[str, "its component"]
    severity: Annotated[str, "`INFO`, `WARN` or `CRITICAL`"]
    timestamp: Annotated[str | None, "when it began, or null"]
    title: Annotated[str, "what it is called"]
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
        return {each.incident_id: each.score for each in self.incidents}


def recall(
    planner: Planner,
    incident: Incident,
    *,
    vector: NDArray[np.float32] | None,
    space: str,
    before: str | None = None,
    limit: int = RECALLED,
) -> list[IncidentCandidate]:
    """The nearest incidents, the nearest first: by vector, or by words when there is none.

    `before` keeps what began before it; what has no time is left out then.
    """
    scope = Scope(source_types=_INCIDENTS, before=before)
    by_words = vector is None or not np.any(vector)
    if vector is not None and not by_words:
        ranking = planner.match_vector(vector, space=space, scope=scope, limit=limit)
        scores = [float(score) for score in ranking.scores]
    else:
        terms = dict.fromkeys(stems(description_text(incident) or incident_text(incident)), 1.0)
        ranking = planner.match_text("prose", terms, scope=scope, limit=limit)
        best = max((float(score) for score in ranking.scores), default=1.0)
        scores = [_BY_WORDS * float(score) / best for score in ranking.scores]
    chunks = planner.chunks(ranking.numbers)
    keys = [name_key(embedding_alias(int(c.heading_path[1]))) for c in chunks]
    loaded = _by_embedding_id(planner, keys)
    found: dict[str, IncidentCandidate] = {}
    shared = any(len(each) > 1 for each in loaded.values())
    own = _sources(planner, chunks) if shared else {}
    for chunk, key, score in zip(chunks, keys, scores, strict=True):
        for each in loaded.get(key, ()):
            if each.incident_id == incident.incident_id:
                continue
            if shared and own.get(chunk.episode_id, each.incident_id) != each.incident_id:
                continue  # two stores that were imported have an embedding_id in common
            if before is not None and (each.timestamp is None or each.timestamp >= before):
                continue
            found.setdefault(each.incident_id, IncidentCandidate(each, score, by_words))
    return list(found.values())


def _sources(graph: Graph, chunks: Sequence[Chunk]) -> dict[str, str]:
    """The incident that each passage reports, by the id of its episode."""
    episodes = graph.get(sorted({chunk.episode_id for chunk in chunks}))
    return {
        key: each.source_ref.partition(":")[2].partition("#")[0]
        for key, each in episodes.items()
        if isinstance(each, Episode)
    }


def _by_embedding_id(graph: Graph, keys: Sequence[str]) -> dict[str, list[Incident]]:
    """The incidents behind embedding ids (as folded names), by id."""
    found = graph.named(list(dict.fromkeys(keys)))
    return {
        key: [each for e in entities if (each := incident_in(e)) is not None]
        for key, entities in found.items()
    }


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
    """The incidents most like `incident`, with their edges and outcomes.

    The score is `alike` of the cosine with `vector`, that of `description_text`; where nothing
    was told, the agreement of numbers and component (`Agreement.total`); what lies one SIMILAR_TO,
    CAUSED_BY or ESCALATED_FROM edge away has that edge's confidence times the score it is reached
    from. Below .3 nothing is shown. `stored` says that the incident itself is in the graph.
    """
    description = description_text(incident)
    found = recall(planner, incident, vector=vector, space=space, before=as_of)
    scored: dict[str, tuple[float, dict[str, float], tuple[str, ...]]] = {}
    incidents: dict[str, Incident] = {each.incident.incident_id: each.incident for each in found}
    for each in found:
        kind, total = agreement(incident, each.incident)
        score = alike(each.alike, kind) if description else total
        parts = {"features": round(kind, 4)}
        parts["words" if each.by_words else "similarity"] = round(max(0.0, each.alike), 4)
        scored[each.incident.incident_id] = score, parts, ()
    near = sorted(scored, key=lambda i: (-scored[i][0], i))[: limit * 2]
    edges = edges_between(planner, [*([incident.incident_id] if stored else []), *near])
    _expand(planner, incident, edges, scored, incidents, as_of)
    order = sorted(scored, key=lambda i: (-scored[i][0], i))
    chosen = [each for each in order if scored[each][0] >= _LEAST][:limit]
    outcomes = _outcomes(planner, chosen, as_of)
    notes = () if vector is not None else ("recalled by words: there are no vectors",)
    return SimilarIncidents(
        incident_id=incident.incident_id if stored else None,
        component=incident.component,
        as_of=as_of,
        incidents=tuple(
            _shown(incidents[each], scored[each], outcomes.get(each, ()), edges) for each in chosen
        ),
        notes=notes,
    )


def _expand(
    graph: Graph,
    incident: Incident,
    edges: Sequence[IncidentEdge],
    scored: dict[str, tuple[float, dict[str, float], tuple[str, ...]]],
    incidents: dict[str, Incident],
    as_of: str | None,
) -> None:
    """Add what one edge leads to, and let a better way raise what is there."""
    start = {incident.incident_id: 1.0, **{key: value[0] for key, value in scored.items()}}
    ways: list[tuple[str, float, str, str]] = []
    for edge in edges:
        if edge.type == RelationType.RESOLVED_BY:
            continue
        for here, there in ((edge.source_id, edge.target_id), (edge.target_id, edge.source_id)):
            if here in start and there != incident.incident_id:
                score = start[here] * edge.confidence
                ways.append((there, score, edge.type, here))
    new = sorted({there for there, *_ in ways} - incidents.keys())
    records = graph.get([incident_entity_id(graph.namespace, each) for each in new])
    for record in records.values():
        if (each := incident_in(record)) is not None:
            known = each.timestamp is not None and (as_of is None or each.timestamp < as_of)
            if known or as_of is None:
                incidents[each.incident_id] = each
    for there, score, kind, here in sorted(ways, key=lambda w: (-w[1], w[0], w[2], w[3])):
        if there not in incidents:
            continue
        before = scored.get(there)
        via = f"{kind} {'this incident' if here == incident.incident_id else here}"
        if before is None or score > before[0]:
            parts = before[1] if before else {}
            scored[there] = score, {**parts, "graph_proximity": round(score, 4)}, (via,)


def _outcomes(
    graph: Graph, incidents: Sequence[str], as_of: str | None
) -> Mapping[str, tuple[Outcome, ...]]:
    """What was tried at each incident, the earliest first."""
    return {
        key: tried
        for key, rows in attempts_at(graph, incidents).items()
        if (
            tried := tuple(
                o
                for o in rows
                if as_of is None or (o.recorded_at is not None and o.recorded_at <= as_of)
            )
        )
    }


def _shown(
    incident: Incident,
    scored: tuple[float, dict[str, float], tuple[str, ...]],
    outcomes: tuple[Outcome, ...],
    edges: Sequence[IncidentEdge],
) -> SimilarIncident:
    score, parts, via = scored
    own = incident.incident_id
    return SimilarIncident(
        incident_id=own,
        component=incident.component,
        severity=str(incident.severity),
        timestamp=incident.timestamp,
        title=incident.title,
        score=round(min(score, 1.0), 4),
        parts=parts,
        via=via,
        root_cause=incident.root_cause,
        outcomes=outcomes,
        edges=tuple(
            e for e in edges if own in (e.source_id, e.target_id) and e.type != "RESOLVED_BY"
        ),
        source_ref=incident.pointer or incident_ref(own),
    )
