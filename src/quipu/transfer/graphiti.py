"""A graph of Graphiti's into a store: episodes, things and dated facts, each with its times.

An episode becomes a document of one passage that asserts the things it mentions; a fact is
asserted by the episodes that said it, and what no episode stands for by one of the group's own.
What had expired comes in as history.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator

from quipu.errors import InvalidInput
from quipu.ports import Store
from quipu.records.batch import Period
from quipu.records.ids import make_id
from quipu.records.record import Chunk, Entity, Fact
from quipu.records.schema import EntityType
from quipu.source import Draft
from quipu.store.graphs import (
    GraphitiEdge,
    GraphitiEpisode,
    GraphitiGraph,
    GraphitiNode,
    graphs_of,
)
from quipu.transfer.import_ import import_periods
from quipu.transfer.lines import Moved
from quipu.when.instants import UNKNOWN_TIME, Clock, parse_instant

__all__ = ["import_graphiti"]

_SOURCE_TYPE = "manual_ingest"
_TYPES = {each.casefold(): each for each in EntityType if each != EntityType.NAME} | {
    "organization": EntityType.ORG,
    "organisation": EntityType.ORG,
    "company": EntityType.ORG,
    "place": EntityType.LOCATION,
    "city": EntityType.LOCATION,
    "country": EntityType.LOCATION,
}


def import_graphiti(store: Store, url: str, *, clock: Clock) -> Moved:
    """Take in the graph that `graphiti-core` keeps at `url`; again changes nothing.

    Vectors are made anew: nothing there says which model made them. Raises StoreUnavailable,
    InvalidInput.
    """
    periods = _GraphitiPeriods(store.namespace, graphs_of(url).read_graphiti(url), clock())
    return import_periods(store, periods, clock=clock)


class _GraphitiPeriods:
    """The graph as what its episodes asserted, from when until when, source by source."""

    def __init__(self, namespace: str, graph: GraphitiGraph, now: str) -> None:
        self._namespace, self._now = namespace, now
        self._nodes = {node.uuid: node for node in graph.nodes}
        self._episodes = {episode.uuid: episode for episode in graph.episodes}
        self._edges_of: defaultdict[str, list[GraphitiEdge]] = defaultdict(list)
        for edge in graph.edges:
            sayers = [i for i in edge.episodes if i in self._episodes]
            for each in sayers or [_own(edge.group_id)]:
                self._edges_of[each].append(edge)
        mentioned = {i for episode in graph.episodes for i in episode.mentions}
        self._unsaid: defaultdict[str, list[str]] = defaultdict(list)
        for node in graph.nodes:
            if node.uuid not in mentioned:
                self._unsaid[node.group_id].append(node.uuid)
        for edge in graph.edges:
            self._unsaid[edge.group_id] += ()

    def __iter__(self) -> Iterator[Period]:
        for episode in self._episodes.values():
            yield from self._of_episode(episode)
        for group in sorted(self._unsaid):
            if self._unsaid[group] or self._edges_of[_own(group)]:
                yield from self._of_group(group)

    def _of_episode(self, episode: GraphitiEpisode) -> Iterator[Period]:
        ref = f"graphiti:{episode.group_id}/{episode.uuid}"
        draft = self._draft(
            ref, episode.content, episode.valid_at or episode.created_at, group=episode.group_id
        )
        since = _instant(episode.created_at) or self._now
        title = episode.name.strip() or ref
        described = {"source": episode.source, "description": episode.source_description}
        by = draft.episode_id
        preview = episode.content[:300]
        yield Period(draft.episode(since, preview=preview, properties={**described}), by, since)
        passage = draft.passage(episode.content, profile="prose", title=title)
        has_text = bool(episode.content.strip())
        if has_text:
            yield Period(passage, by, since)
        evidence = (passage.chunk_id,) if has_text else ()
        yield Period(draft.document_entity("text", title), by, since, None, evidence)
        yield from self._asserted(
            draft, episode.mentions, episode.uuid, passage if has_text else None
        )

    def _of_group(self, group: str) -> Iterator[Period]:
        """What no episode stands for."""
        unsaid = self._unsaid[group]
        edges = self._edges_of[_own(group)]
        content = "\n".join([*sorted(unsaid), *(edge.uuid for edge in edges)])
        draft = Draft(
            namespace=self._namespace,
            type=_SOURCE_TYPE,
            ref=f"graphiti:{group}",
            group=group,
            sha=_digest(content),
            seen=self._earliest(group),
        )
        yield Period(draft.episode(draft.seen), draft.episode_id, draft.seen)
        yield from self._asserted(draft, unsaid, _own(group), None)

    def _earliest(self, group: str) -> str:
        nodes = [node.created_at for node in self._nodes.values() if node.group_id == group]
        return min(filter(None, map(_instant, nodes)), default=UNKNOWN_TIME)

    def _draft(self, ref: str, content: str, seen: str, *, group: str) -> Draft:
        return Draft(
            namespace=self._namespace,
            type=_SOURCE_TYPE,
            ref=ref,
            document=ref,
            group=group,
            sha=_digest(content),
            seen=_instant(seen) or UNKNOWN_TIME,
        )

    def _asserted(
        self, draft: Draft, uuids: Iterable[str], sayer: str, passage: Chunk | None
    ) -> Iterator[Period]:
        evidence = (passage.chunk_id,) if passage is not None else ()
        edges = self._edges_of[sayer]
        ends = (end for edge in edges for end in (edge.source, edge.target))
        for uuid in dict.fromkeys((*uuids, *ends)):
            if (node := self._nodes.get(uuid)) is not None and node.name.strip():
                since = _instant(node.created_at) or self._now
                yield Period(_entity(draft, node), draft.episode_id, since, None, evidence)
        for edge in edges:
            since = _instant(edge.created_at) or self._now
            until = _instant(edge.expired_at)
            until = max(until, since) if until else None
            fact = self._fact(draft, edge, passage)
            yield Period(fact, draft.episode_id, since, until, evidence)

    def _fact(self, draft: Draft, edge: GraphitiEdge, passage: Chunk | None) -> Fact:
        names = [self._nodes[end].name if end in self._nodes else "" for end in edge[2:4]]
        return Fact(
            fact_id=make_id("fact", self._namespace, "graphiti", edge.uuid),
            subject=names[0],
            predicate=edge.name.replace("_", " ").lower(),
            object=names[1],
            updated_at=draft.seen,
            source_sha=draft.sha,
            valid_from=_instant(edge.valid_at),
            valid_to=_instant(edge.invalid_at),
            provenance={
                "document_id": passage.document_id if passage is not None else None,
                "path": draft.ref,
                "line": 1,
                "text": edge.fact,
                "rule": "graphiti",
            },
        )


def _entity(draft: Draft, node: GraphitiNode) -> Entity:
    """A thing, of the type that its first known label names; else `custom`, with the label."""
    known = [_TYPES[label.casefold()] for label in node.labels if label.casefold() in _TYPES]
    label = node.labels[0] if node.labels else ""
    return draft.entity(
        known[0] if known else EntityType.CUSTOM,
        node.name,
        description=node.summary,
        properties={} if known or not label else {"label": label},
    )


def _own(group: str) -> str:
    """What stands for an episode where none said it."""
    return f"\0{group}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _instant(text: str) -> str | None:
    try:
        return parse_instant(text) if text else None
    except InvalidInput:
        return None
