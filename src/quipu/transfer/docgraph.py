"""The documents of `rag-foundry-docgraph` into a store: passages, relations, how they came in.

A document becomes a source of its own with its passages, and asserts the relations that begin
there. Passages of no document, and ingestions that brought none, become a source an ingestion.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, takewhile
from typing import Any, TypeAlias, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.ports import Store
from quipu.records.batch import Period
from quipu.records.ids import document_entity_id, make_id, relation_id
from quipu.records.record import Chunk, Properties, Relation
from quipu.records.schema import EntityType, RelationType, relation_type, wrong_end
from quipu.source import Draft
from quipu.store.docgraph import (
    Docgraph,
    DocgraphChunk,
    DocgraphNode,
    DocgraphRelation,
    docgraph_reader,
)
from quipu.transfer.import_ import import_periods
from quipu.transfer.lines import Moved
from quipu.when.instants import UNKNOWN_TIME, Clock, parse_instant

__all__ = ["import_docgraph"]

_SOURCE_TYPE = "manual_ingest"
_TITLES = ("title", "filename", "file_name", "source", "path", "url")
_Grouped: TypeAlias = tuple[str, str]


def import_docgraph(store: Store, url: str, *, clock: Clock) -> Moved:
    """Take in the documents that `rag-foundry-docgraph` keeps at `url`; again changes nothing.

    Vectors are made anew: nothing there says which model made them. Raises StoreUnavailable,
    InvalidInput.
    """
    with docgraph_reader(url)(url) as graph:
        periods = _DocgraphPeriods(store.namespace, graph, clock())
        return import_periods(store, periods, clock=clock)


class _DocgraphPeriods:
    """The database as what its documents and ingestions asserted, source by source."""

    def __init__(self, namespace: str, graph: Docgraph, now: str) -> None:
        self._namespace, self._graph, self._now = namespace, graph, now
        self._relations: dict[str, list[DocgraphRelation]] = {}
        for relation in graph.relations:
            self._relations.setdefault(relation.from_document_id, []).append(relation)

    def __iter__(self) -> Iterator[Period]:
        """Documents in the order of their ids, as their chunks come; before them what belongs to
        no document."""
        seen = {node.ingestion_id for node in self._graph.nodes.values()}
        nodes = iter(self._graph.nodes.values())
        for (document_id, ingestion_id), group in groupby(self._graph.chunks, _grouped):
            chunks = list(group)
            if not document_id:
                seen.add(ingestion_id)
                yield from self._of_ingestion(ingestion_id, chunks)
                continue
            before = takewhile(lambda node, own=document_id: node.document_id != own, nodes)
            for node in before:
                yield from self._of_document(node, [])
            yield from self._of_document(self._graph.nodes[document_id], chunks)
        for node in nodes:
            yield from self._of_document(node, [])
        for ingestion_id in sorted(self._graph.ingestions.keys() - seen):
            yield from self._of_ingestion(ingestion_id, [])

    def _of_document(self, node: DocgraphNode, chunks: list[DocgraphChunk]) -> Iterator[Period]:
        relations = self._relations.get(node.document_id, [])
        ref = _ref(node.document_id)
        draft = self._draft(ref, node.ingestion_id, [node, relations, chunks])
        title = node.title.strip() or node.source.strip() or ref
        properties: Properties = {
            "docgraph_id": node.document_id,
            "source": node.source,
            "ingestion": self._ingestion(node.ingestion_id),
        }
        passages = _passages(draft, title, chunks)
        details: Properties = {**properties, "chunks": _chunk_properties(chunks)}
        summary = node.summary or None
        by, since = draft.episode_id, draft.seen
        preview = passages[0].text[:300] if passages else node.summary[:300]
        yield Period(
            draft.episode(since, preview=preview, summary=summary, properties=details), by, since
        )
        yield from (Period(passage, by, since) for passage in passages)
        entity = draft.document_entity(node.doc_type or "text", title, properties=properties)
        entity = msgspec.structs.replace(entity, description=node.summary)
        yield Period(entity, by, since, None, tuple(each.chunk_id for each in passages[:1]))
        for relation in relations:
            yield Period(self._relation(draft, relation), by, since)

    def _of_ingestion(self, ingestion_id: str, chunks: list[DocgraphChunk]) -> Iterator[Period]:
        """Passages that belong to no document, or an ingestion that brought nothing."""
        ref = f"docgraph:ingestion/{ingestion_id}"
        draft = self._draft(ref, ingestion_id, [chunks])
        ingestion = self._ingestion(ingestion_id)
        title = _title(chunks, ingestion) or ref
        passages = _passages(draft, title, chunks)
        details: Properties = {"ingestion": ingestion, "chunks": _chunk_properties(chunks)}
        by, since = draft.episode_id, draft.seen
        preview = passages[0].text[:300] if passages else ""
        yield Period(draft.episode(since, preview=preview, properties=details), by, since)
        yield from (Period(passage, by, since) for passage in passages)
        if passages:
            entity = draft.document_entity("text", title, properties={"ingestion": ingestion})
            yield Period(entity, by, since, None, (passages[0].chunk_id,))

    def _draft(self, ref: str, ingestion_id: str, content: Iterable[Any]) -> Draft:
        """A source; what it holds, how it came in included, makes its digest."""
        ingestion = self._graph.ingestions.get(ingestion_id)
        encoded = msgspec.json.encode([*content, ingestion], order="deterministic")
        at = (
            [ingestion.finished_at, ingestion.started_at, ingestion.created_at] if ingestion else []
        )
        return Draft(
            namespace=self._namespace,
            type=_SOURCE_TYPE,
            ref=ref,
            document=ref,
            group=ingestion_id,
            sha=hashlib.sha256(encoded).hexdigest(),
            seen=next(filter(None, map(_instant, at)), UNKNOWN_TIME),
        )

    def _ingestion(self, ingestion_id: str) -> Properties:
        found = self._graph.ingestions.get(ingestion_id)
        return {"ingestion_id": ingestion_id} if found is None else dict(found._asdict())

    def _relation(self, draft: Draft, relation: DocgraphRelation) -> Relation:
        target = document_entity_id(self._namespace, _ref(relation.to_document_id))
        kind, word = _kind(relation.relation_type), relation.relation_type
        # Two words that come to one type stay two relations.
        known = kind if word.casefold() == kind.casefold() else f"{kind} {word}"
        at = _instant(relation.created_at) or draft.seen
        metadata: Properties = {"metadata": relation.metadata} if relation.metadata else {}
        return Relation(
            rel_id=relation_id(self._namespace, draft.document_id, known, target),
            source_entity_id=draft.document_id,
            target_entity_id=target,
            type=kind,
            created_at=at,
            updated_at=at,
            source_sha=draft.sha,
            properties={"as_written": word, "docgraph_id": relation.id, **metadata},
        )


def _grouped(chunk: DocgraphChunk) -> _Grouped:
    return chunk.document_id, "" if chunk.document_id else chunk.ingestion_id


def _ref(document_id: str) -> str:
    return f"docgraph:{document_id}"


def _passages(draft: Draft, title: str, chunks: Iterable[DocgraphChunk]) -> list[Chunk]:
    """The passages in their order; their lines are counted through all of them."""
    passages: list[Chunk] = []
    line = 1
    for chunk in chunks:
        if not chunk.chunk_text.strip():
            continue
        last = line + chunk.chunk_text.count("\n")
        passages.append(
            Chunk(
                chunk_id=make_id("chunk", draft.episode_id, str(len(passages)), chunk.chunk_id),
                episode_id=draft.episode_id,
                document_id=draft.document_id,
                profile="prose",
                position=len(passages),
                text=chunk.chunk_text,
                start_line=line,
                end_line=last,
                title=title,
            )
        )
        line = last + 1
    return passages


def _chunk_properties(chunks: Iterable[DocgraphChunk]) -> list[Any]:
    """What is known of each passage beside its text."""
    return [
        {
            "chunk_id": chunk.chunk_id,
            "chunk_index": chunk.chunk_index,
            "chunk_strategy": chunk.chunk_strategy,
            "provider": chunk.provider,
            "source_metadata": chunk.source_metadata,
        }
        for chunk in chunks
    ]


def _title(chunks: list[DocgraphChunk], ingestion: Mapping[str, Any]) -> str:
    """What the metadata calls the source; "" where they do not."""
    sources = [ingestion.get("ingestion_metadata"), *(c.source_metadata for c in chunks[:1])]
    mappings = (cast("Mapping[str, object]", each) for each in sources if isinstance(each, dict))
    named = (each.get(key) for each in mappings for key in _TITLES)
    return next((name.strip() for name in named if isinstance(name, str) and name.strip()), "")


def _kind(written: str) -> str:
    """The type as Quipu writes it; where it has none, or means it of other things than documents,
    the one for any relation. The word itself stays in `as_written`."""
    try:
        kind = relation_type(written)
    except InvalidInput:
        return RelationType.RELATES_TO
    document = EntityType.DOCUMENT
    return RelationType.RELATES_TO if wrong_end(kind, document, document) else kind


def _instant(text: str) -> str | None:
    return parse_instant(text) if text else None
