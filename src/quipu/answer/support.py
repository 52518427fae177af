"""What a record of the graph rests on: the live passages it stands in, or its source itself."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quipu.answer.gate import Evidence
from quipu.answer.wording import shown
from quipu.ports import Graph, Planner
from quipu.records.passage import SPOKEN
from quipu.records.record import Chunk, Entity, Episode, Fact, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import EVERYTHING, Scope

__all__ = [
    "MOST_SOURCES",
    "EvidencePool",
    "chunks_of",
    "facts_of",
    "from_chunk",
    "replacements",
    "support",
]

MOST_SOURCES = 4
"""Sources of one record that are cited."""


class EvidencePool(NamedTuple):
    """The passages that were found, and what may be seen besides."""

    found: Sequence[Evidence] = ()
    scope: Scope = EVERYTHING


def support(
    graph: Planner, record_id: str, evidence: EvidencePool, record: Entity | Relation | Fact
) -> tuple[frozenset[str], tuple[Evidence, ...]]:
    """The live episodes behind a record and the passages it stands in, retrieved ones first;
    none where it stands only in passages that the scope does not let be seen.

    What a person asserted has no passage: its source itself is the evidence.
    """
    live = [s for s in graph.support([record_id]).get(record_id, []) if s.known_until is None]
    episodes = frozenset(s.episode_id for s in live)
    chunk_ids = list(dict.fromkeys(chunk for s in live for chunk in s.chunk_ids))
    ids = (record_id, *_ends(record))
    supporting = [e for e in evidence.found if e.id in chunk_ids or record_id in e.graph_ids]
    supporting = [
        e._replace(graph_ids=tuple(dict.fromkeys((*ids, *e.graph_ids)))) for e in supporting
    ]
    if supporting and any(e.id in chunk_ids for e in supporting):
        return episodes, tuple(sorted(supporting, key=lambda e: e.id not in chunk_ids))
    seen = _seen(chunk_ids, graph, evidence.scope)
    if chunk_ids and not seen:
        return episodes, tuple(supporting)
    records = graph.get([*seen[:2], *sorted(episodes)[:MOST_SOURCES]])
    chunks = [c for c in records.values() if isinstance(c, Chunk)]
    found = [from_chunk(c, graph, ids, record) for c in sorted(chunks, key=lambda c: c.chunk_id)]
    if not found and supporting:
        return episodes, tuple(supporting)
    if not found:
        sources = [e for e in records.values() if isinstance(e, Episode)]
        found = [
            _from_episode(e, ids, record) for e in sorted(sources, key=lambda e: e.episode_id)[:1]
        ]
    return episodes, tuple(each for each in found if each.path.strip())


def _seen(chunk_ids: Sequence[str], planner: Planner, scope: Scope) -> Sequence[str]:
    if scope == EVERYTHING or not chunk_ids:
        return chunk_ids
    admitted = planner.admits(planner.numbers(chunk_ids), scope)
    return [each for each, inside in zip(chunk_ids, admitted.tolist(), strict=True) if inside]


def chunks_of(document_id: str, planner: Planner, scope: Scope) -> list[Chunk]:
    """The passages of a document that may be seen, in their order."""
    numbers = planner.numbers_in([document_id])[document_id]
    if scope != EVERYTHING:
        numbers = numbers[planner.admits(numbers, scope)]
    return planner.chunks(numbers)


def _ends(record: Entity | Relation | Fact) -> tuple[str, ...]:
    if isinstance(record, Relation):
        return (record.source_entity_id, record.target_entity_id)
    return ()


def from_chunk(
    chunk: Chunk, graph: Graph, ids: tuple[str, ...], record: Entity | Relation | Fact
) -> Evidence:
    """A passage that the graph led to, as evidence for `record`."""
    episode = graph.get([chunk.episode_id]).get(chunk.episode_id)
    return Evidence(
        id=chunk.chunk_id,
        document_id=chunk.document_id,
        path=episode.source_ref if isinstance(episode, Episode) else "",
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        title=chunk.title,
        text=chunk.text,
        is_code=chunk.profile == "code",
        graph_ids=ids,
        updated_at=record.updated_at,
        source_sha=episode.source_sha if isinstance(episode, Episode) else record.source_sha,
        spoken=chunk.profile == SPOKEN,
    )


def _from_episode(
    episode: Episode, ids: tuple[str, ...], record: Entity | Relation | Fact
) -> Evidence:
    said = (
        f"{record.subject} {record.predicate} {record.object}"
        if isinstance(record, Fact)
        else f"{record.type}: {record.description}".strip(": ")
    )
    return Evidence(
        id=episode.episode_id,
        document_id=episode.document_id or "",
        path=episode.source_ref,
        start_line=1,
        end_line=1,
        title=episode.source_ref,
        text=episode.preview_text or said,
        is_code=False,
        graph_ids=ids,
        updated_at=record.updated_at,
        source_sha=episode.source_sha,
    )


def facts_of(passage_ids: Sequence[str], graph: Planner) -> dict[str, list[Fact]]:
    """The facts that were read from passages, by the passages' ids."""
    found: dict[str, list[Fact]] = {id_: [] for id_ in passage_ids}
    passages = graph.get(passage_ids).values()
    episodes = sorted({each.episode_id for each in passages if isinstance(each, Chunk)})
    for claims in graph.claims(episodes).values():
        for claim in claims:
            for id_ in claim.chunk_ids if isinstance(claim.record, Fact) else ():
                if id_ in found and isinstance(claim.record, Fact):
                    found[id_].append(claim.record)
    return found


def replacements(graph: Graph, document_ids: Iterable[str]) -> dict[str, str]:
    """What supersedes documents, as a person reads its name, by their ids; of several the first by
    name."""
    found = graph.neighbors(
        sorted({*document_ids} - {""}),
        direction="in",
        types=frozenset({RelationType.SUPERSEDES}),
    )
    newer = graph.get(sorted({r.source_entity_id for rows in found.values() for r in rows}))
    names = {
        id_: shown(each if isinstance(each, Entity) else None, id_) for id_, each in newer.items()
    }
    return {
        document: min(names.get(r.source_entity_id, r.source_entity_id) for r in rows)
        for document, rows in found.items()
        if rows
    }
