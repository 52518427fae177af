"""What happened before: recall by vector, then the graph, in five steps.

1. the new incident's text is embedded; 2. the nearest passages of incidents are looked up;
3. their incidents are loaded by `embedding_id`; 4. edges and outcomes are read, and what lies one
edge away is added; 5. the result is the context that advice is given (`advice.py`), which itself
never sees an index.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import IncidentEdge, attempts_at, edges_between, recorded_by
from quipu.kinds.incidents.links import likeness
from quipu.kinds.incidents.model import Incident, IncidentHead, Outcome
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
)
from quipu.ports import Graph, Planner
from quipu.records.record import Episode
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.text import name_key, stems

__all__ = ["SimilarIncident", "SimilarIncidents", "recall", "similar"]

_RECALLED = 50
"""How many of the nearest incidents are looked at."""
_LEAST_LIKE = 0.3
_TIES = frozenset(LINKS) - {RelationType.RESOLVED_BY}


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
