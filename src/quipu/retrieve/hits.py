"""Hits: ranked candidates with their text, where it stands, and what ties them to the plan."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from quipu.errors import Leakage
from quipu.index.columns import Columns, unpack
from quipu.ports import Planner
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.plan import Anchor, Expansion, Plan
from quipu.records.record import Chunk, Entity, Episode
from quipu.records.refs import COMMIT_PREFIX, SESSION_PREFIX
from quipu.records.reply import FoundBy, Hit, PathStep, WhyRanked
from quipu.records.role import Role, role_of
from quipu.retrieve.rank import Candidate, calibrated, slope
from quipu.text import name_key

__all__ = ["make_hits"]

_MOST_GRAPH_IDS = 8
_RECENCY_DAYS = 365.0
# Sources that say themselves where the text stands.
_WITHOUT_LINES = ("manual:", SESSION_PREFIX, COMMIT_PREFIX)


@dataclass(frozen=True, slots=True)
class _PlannedRelations:
    """The plan's ties by what a hit is looked up with."""

    anchor_keys: dict[str, str]
    seed_ids: dict[str, tuple[str, ...]]
    bridge_keys: dict[str, tuple[str, ...]]
    relations_of: dict[str, tuple[str, ...]]
    relation_types: dict[str, str]
    documents: frozenset[str]
    scale: Mapping[str, float]
    ways: Mapping[str, Expansion]


def make_hits(
    plan: Plan, ranked: Sequence[Candidate], planner: Planner, *, limit: int, explain: bool
) -> tuple[Hit, ...]:
    """The first `limit` of `ranked` as hits; in `documents` mode bounded a document as well."""
    chosen = _bounded(plan, ranked, planner, limit)
    numbers = np.array([candidate.number for candidate in chosen], dtype=np.int64)
    chunks = planner.chunks(numbers)
    columns = [unpack(blob) for blob in planner.columns(numbers)]
    owners = planner.get(
        list(dict.fromkeys(i for c in chunks for i in (c.document_id, c.episode_id)))
    )
    planned = _planned_relations(plan)
    sources = [c.reached.source if c.reached else c.number for c in chosen]
    source_ids = planner.chunk_ids(np.array(sources, dtype=np.int64))
    documents = [owners.get(chunk.document_id) for chunk in chunks]
    found = zip(chosen, chunks, columns, source_ids, _standing(documents), strict=True)
    return tuple(
        _hit(candidate, chunk, column, source, planned, owners, standing, explain=explain)
        for candidate, chunk, column, source, standing in found
    )


def _bounded(
    plan: Plan, ranked: Sequence[Candidate], planner: Planner, limit: int
) -> list[Candidate]:
    if plan.mode != "documents":
        return list(ranked[:limit])
    bound = min(limit, plan.constraints.chunks)
    documents = planner.document_ids(np.array([c.number for c in ranked], dtype=np.int64))
    taken: dict[str, int] = {}
    chosen: list[Candidate] = []
    for candidate, document in zip(ranked, documents, strict=True):
        taken[document] = taken.get(document, 0) + 1
        if taken[document] <= plan.constraints.chunks_per_document and len(chosen) < bound:
            chosen.append(candidate)
    return chosen


def _planned_relations(plan: Plan) -> _PlannedRelations:
    bridge_keys: dict[str, tuple[str, ...]] = {}
    for bridge in sorted(plan.bridges, key=lambda b: (b.reach, b.key)):
        bridge_keys[bridge.chunk_id] = (*bridge_keys.get(bridge.chunk_id, ()), bridge.key)
    relations: dict[str, tuple[str, ...]] = {}
    for expansion in plan.expansions:
        for end in (expansion.source_id, expansion.target_id):
            relations[end] = (*relations.get(end, ()), expansion.rel_id)
    return _PlannedRelations(
        anchor_keys={
            key: anchor.entity_id for anchor in reversed(plan.anchors) for key in _keys(anchor)
        },
        seed_ids={seed.chunk_id: seed.graph_ids for seed in plan.seeds},
        bridge_keys=bridge_keys,
        relations_of=relations if plan.mode == "documents" else {},
        relation_types={expansion.rel_id: expansion.via for expansion in plan.expansions},
        documents=frozenset(expansion.target_id for expansion in plan.expansions),
        scale=plan.scale,
        ways={e.target_id: e for e in reversed(plan.expansions) if plan.mode == "documents"},
    )


def _keys(anchor: Anchor) -> tuple[str, str]:
    return name_key(anchor.name), " ".join(key_words(anchor.name))


def _hit(
    candidate: Candidate,
    chunk: Chunk,
    column: Columns,
    source_id: str,
    planned: _PlannedRelations,
    owners: Mapping[str, object],
    standing: tuple[float, float],
    *,
    explain: bool,
) -> Hit:
    _guard(candidate, chunk, source_id, planned)
    document = owners.get(chunk.document_id)
    episode = owners.get(chunk.episode_id)
    path = episode.source_ref if isinstance(episode, Episode) else chunk.document_id
    known = document if isinstance(document, Entity) else None
    return Hit(
        id=chunk.chunk_id,
        score=calibrated(candidate, planned.scale),
        why_ranked=WhyRanked(
            profile=candidate.profile,
            parts=_parts(candidate, standing),
            found_by=_found_by(candidate),
            path=_path(candidate, chunk, source_id, planned),
            features=_features(candidate, planned.scale) if explain else {},
        ),
        source_ref=_source_ref(path, chunk),
        temporal_context=None,
        document_id=chunk.document_id,
        path=path,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        title=chunk.title,
        text=chunk.text,
        graph_ids=_graph_ids(candidate, chunk, column, planned),
        source_type=episode.source_type if isinstance(episode, Episode) else "",
        updated_at=known.updated_at if known else "",
        source_sha=_sha(episode, known),
        role=_role(path, candidate, episode),
    )


def _sha(episode: object, document: Entity | None) -> str:
    """The hash of the source that says it: a turn's own, not that of its session's latest."""
    own = episode.source_sha if isinstance(episode, Episode) else ""
    return own or (document.source_sha if document else "")


def _role(path: str, candidate: Candidate, episode: object) -> Role:
    """The role of a file's passage; what is no file has none of its own."""
    is_file = isinstance(episode, Episode) and episode.source_type == "file"
    return role_of(path, code=candidate.profile == "code") if is_file else "other"


def _guard(candidate: Candidate, chunk: Chunk, source_id: str, planned: _PlannedRelations) -> None:
    """Raise unless the plan allows this chunk."""
    bridged = candidate.reached is not None and candidate.reached.key in planned.bridge_keys.get(
        source_id, ()
    )
    in_document = bool(planned.relations_of) and chunk.document_id in planned.documents
    if not (chunk.chunk_id in planned.seed_ids or bridged or in_document):
        raise Leakage(
            f"{chunk.chunk_id!r} is in no part of the plan: it is neither a seed, nor in a "
            "document of it, nor reached over one of its bridges; plan again"
        )


def _parts(candidate: Candidate, standing: tuple[float, float]) -> dict[str, float]:
    recency, salience = standing
    names = ("similarity", "lexical", "name", "bridge", "graph_proximity")
    parts = {name: candidate.parts.get(name, 0.0) for name in names} | candidate.parts
    return parts | {"recency": recency, "salience": salience}


def _found_by(candidate: Candidate) -> FoundBy:
    """What brought a passage: its own words and vector, the graph, or each of them."""
    parts = candidate.parts
    own = any(parts.get(name, 0.0) > 0 for name in ("similarity", "lexical"))
    tied = any(parts.get(name, 0.0) > 0 for name in ("graph_proximity", "bridge"))
    return "both" if own and tied else "graph" if tied else "vector"


def _features(candidate: Candidate, scale: Mapping[str, float]) -> dict[str, float]:
    return {
        **candidate.features,
        "raw": candidate.raw,
        "calibration_slope": slope(candidate.profile, scale),
    }


def _path(
    candidate: Candidate, chunk: Chunk, source_id: str, planned: _PlannedRelations
) -> tuple[PathStep, ...]:
    if candidate.reached is not None:
        name = name_id(candidate.reached.key)
        return (PathStep(source_id=source_id, via=name, target_id=chunk.chunk_id),)
    ids = planned.seed_ids.get(chunk.chunk_id, ())
    relation = next((i for i in ids if i in planned.relation_types), None)
    if relation is None or not candidate.parts.get("graph_proximity"):
        return _way(chunk.document_id, planned)
    via = f"{planned.relation_types[relation]} ({relation})"
    return (PathStep(source_id=ids[0], via=via, target_id=chunk.chunk_id),)


def _way(document_id: str, planned: _PlannedRelations) -> tuple[PathStep, ...]:
    """The relation that the plan went over from a seed's document to this one."""
    step = planned.ways.get(document_id)
    if step is None:
        return ()
    via = f"{step.via} ({step.rel_id})"
    return (PathStep(source_id=step.source_id, via=via, target_id=document_id),)


def _graph_ids(
    candidate: Candidate, chunk: Chunk, column: Columns, planned: _PlannedRelations
) -> tuple[str, ...]:
    """What ties the chunk to the graph: what the question names first, then the names and
    relations the plan goes over, then whatever else it mentions; its own document where that is
    all that the graph knows of it."""
    supported = planned.seed_ids.get(chunk.chunk_id, ())
    mentioned = [planned.anchor_keys[key] for key in column.keys if key in planned.anchor_keys]
    bridged = [candidate.reached.key] if candidate.reached else []
    bridged += planned.bridge_keys.get(chunk.chunk_id, ())
    relations = planned.relations_of.get(chunk.document_id, ())
    names = map(name_id, (*bridged, *column.keys))
    found = dict.fromkeys((*supported, *mentioned, *relations, *names))
    found.pop(chunk.document_id, None)
    return tuple(found)[:_MOST_GRAPH_IDS] or (chunk.document_id,)


def _source_ref(path: str, chunk: Chunk) -> str:
    if path.startswith(_WITHOUT_LINES):
        return path
    if chunk.start_line == chunk.end_line:
        return f"{path}:{chunk.start_line}"
    return f"{path}:{chunk.start_line}-{chunk.end_line}"


def _standing(documents: Sequence[object]) -> list[tuple[float, float]]:
    """Each document's recency against the newest of them, and its share of mentions.

    Both are shown and have weight 0: no labelled set here says what they are worth.
    """
    known = [document if isinstance(document, Entity) else None for document in documents]
    times = [_seconds(document.updated_at) if document else None for document in known]
    newest = max((time for time in times if time is not None), default=0.0)
    counts = [max(document.mention_count, 1) if document else 0 for document in known]
    most = max((*counts, 1))
    return [
        (
            math.exp(-(newest - time) / 86_400 / _RECENCY_DAYS) if time is not None else 0.0,
            math.log1p(count) / math.log1p(most),
        )
        for count, time in zip(counts, times, strict=True)
    ]


def _seconds(instant: str) -> float | None:
    try:
        return datetime.fromisoformat(instant).timestamp()
    except ValueError:
        return None
