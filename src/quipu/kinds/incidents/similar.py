"""What happened before: recall by vector, then the graph, in five steps.

1. the new incident's text is embedded; 2. the nearest passages of incidents are looked up;
3. their incidents are loaded by `embedding_id`; 4. edges and outcomes are read, and what lies one
edge away is added; 5. the result is the context that advice is given (`learn/advise.py`), which
itself never sees an index.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import (
    IncidentEdge,
    attempts_at,
    edges_between,
    recorded_by,
)
from quipu.kinds.incidents.links import alike, numbers_agree
from quipu.kinds.incidents.model import Incident, IncidentHead, Outcome
from quipu.kinds.incidents.records import (
    INCIDENT,
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

__all__ = ["IncidentCandidate", "SimilarIncident", "SimilarIncidents", "recall", "similar"]

RECALLED = 50
"""How many of the nearest incidents are looked at."""
_BY_WORDS = 0.6
_LEAST = 0.3


class IncidentCandidate(NamedTuple):
    """An incident the indexes found. `alike` is the cosine or, when words found it, .6 of the
    best match for the best of them and less for the others in proportion."""

    incident: Incident
    alike: float
    by_words: bool = False


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
        return {each.incident_id: each.score for each in self.incidents}


@dataclass
class _Scored:
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
) -> list[IncidentCandidate]:
    """The nearest incidents, the nearest first: by vector, or by words when there is none.

    `before` keeps what began before it; what has no time is left out then.
    """
    scope = Scope(source_types=frozenset({INCIDENT}), before=before)
    by_words = vector is None or not np.any(vector)
    if vector is not None and not by_words:
        ranking = planner.match_vector(vector, space=space, scope=scope, limit=RECALLED)
        scores = [float(score) for score in ranking.scores]
    else:
        terms = dict.fromkeys(stems(description_text(incident) or incident_text(incident)), 1.0)
        ranking = planner.match_text("prose", terms, scope=scope, limit=RECALLED)
        best = max((float(score) for score in ranking.scores), default=1.0)
        scores = [_BY_WORDS * float(score) / best for score in ranking.scores]
    chunks = planner.chunks(ranking.numbers)
    episodes = planner.get(sorted({chunk.episode_id for chunk in chunks}))
    keys = [name_key(embedding_alias(int(chunk.heading_path[1]))) for chunk in chunks]
    named = planner.named(list(dict.fromkeys(keys)))
    found: dict[str, IncidentCandidate] = {}
    for chunk, key, score in zip(chunks, keys, scores, strict=True):
        episode = episodes.get(chunk.episode_id)
        own = named_by_ref(episode.source_ref) if isinstance(episode, Episode) else ""
        for each in filter(None, map(incident_in, named.get(key, ()))):
            # two stores that were imported may have an embedding_id in common
            same = each.incident_id == own != incident.incident_id
            if same and (
                before is None or (each.timestamp is not None and each.timestamp < before)
            ):
                found.setdefault(own, IncidentCandidate(each, score, by_words))
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
    """The incidents most like `incident`, with their edges and outcomes.

    The score is `alike` of the cosine with `vector`, that of `description_text`; where nothing
    was told, the mean of the numbers' agreement and of being on the same component. What lies one
    SIMILAR_TO, CAUSED_BY or ESCALATED_FROM edge away has that edge's confidence times the score it
    is reached from. Below .3 nothing is shown. `stored` says that the incident itself is in the
    graph.
    """
    description = description_text(incident)
    scored: dict[str, _Scored] = {}
    for each in recall(planner, incident, vector=vector, space=space, before=as_of):
        numbers = numbers_agree(incident, each.incident)
        here = each.incident.component == incident.component
        score = alike(each.alike, numbers) if description else (numbers + here) / 2
        parts = {"features": round(numbers, 4)}
        parts["words" if each.by_words else "similarity"] = round(max(0.0, each.alike), 4)
        scored[each.incident.incident_id] = _Scored(each.incident, score, parts)
    near = _best(scored)[: limit * 2]
    edges = edges_between(planner, [*([incident.incident_id] if stored else []), *near])
    edges = [each for each in edges if each.type != RelationType.RESOLVED_BY]
    _expand(planner, incident.incident_id, edges, scored, as_of)
    chosen = [each for each in _best(scored) if scored[each].score >= _LEAST][:limit]
    tried = attempts_at(planner, chosen)
    return SimilarIncidents(
        incident_id=incident.incident_id if stored else None,
        component=incident.component,
        as_of=as_of,
        incidents=tuple(
            _shown(scored[each], recorded_by(tried.get(each, ()), as_of), edges) for each in chosen
        ),
        notes=() if vector is not None else ("recalled by words: there are no vectors",),
    )


def _best(scored: dict[str, _Scored]) -> list[str]:
    return sorted(scored, key=lambda each: (-scored[each].score, each))


def _expand(
    graph: Graph,
    start: str,
    edges: Sequence[IncidentEdge],
    scored: dict[str, _Scored],
    as_of: str | None,
) -> None:
    """Add what one edge leads to from what was found and from `start`, and let a better way raise
    what is there."""
    scores = {start: 1.0, **{name: each.score for name, each in scored.items()}}
    both = [(e, here, there) for e in edges for here, there in _ends(e) if here in scores]
    new = _known(graph, {there for _, _, there in both} - scored.keys() - {start}, as_of)
    for edge, here, there in both:
        score = scores[here] * edge.confidence
        known = scored.get(there)
        incident = known.incident if known else new.get(there)
        if incident is not None and (known is None or score > known.score):
            parts = {**(known.parts if known else {}), "graph_proximity": round(score, 4)}
            via = f"{edge.type} {'this incident' if here == start else here}"
            scored[there] = _Scored(incident, score, parts, (via,))


def _ends(edge: IncidentEdge) -> tuple[tuple[str, str], tuple[str, str]]:
    return (edge.source_id, edge.target_id), (edge.target_id, edge.source_id)


def _known(graph: Graph, named: Iterable[str], as_of: str | None) -> dict[str, Incident]:
    records = graph.get(sorted(incident_entity_id(graph.namespace, each) for each in named))
    found = (incident_in(record) for record in records.values())
    return {each.incident_id: each for each in found if each is not None and _began(each, as_of)}


def _began(incident: Incident, before: str | None) -> bool:
    return before is None or (incident.timestamp is not None and incident.timestamp < before)


def _shown(
    scored: _Scored, outcomes: tuple[Outcome, ...], edges: Sequence[IncidentEdge]
) -> SimilarIncident:
    incident, own = scored.incident, scored.incident.incident_id
    return SimilarIncident(
        **incident.head,
        score=round(min(scored.score, 1.0), 4),
        parts=scored.parts,
        via=scored.via,
        root_cause=incident.root_cause,
        outcomes=outcomes,
        edges=tuple(each for each in edges if own in (each.source_id, each.target_id)),
        source_ref=incident.pointer or incident_ref(own),
    )
