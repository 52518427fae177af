"""The database of `rag-foundry-docgraph`, for whoever takes its documents in.

A package that can read one has, beside the opener that its entry point of the group `quipu.stores`
leads to, the name `DOCGRAPH`, a `DocgraphReader`; it is found by the address, as the store is.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeAlias

from quipu.errors import InvalidInput
from quipu.store.addresses import shown
from quipu.store.graphs import backend_part

__all__ = [
    "Docgraph",
    "DocgraphChunk",
    "DocgraphIngestion",
    "DocgraphNode",
    "DocgraphReader",
    "DocgraphRelation",
    "docgraph_reader",
]

Json: TypeAlias = Any
"""What a column of JSON holds."""


class DocgraphNode(NamedTuple):
    """A document."""

    document_id: str
    title: str
    summary: str
    source: str
    ingestion_id: str
    doc_type: str


class DocgraphRelation(NamedTuple):
    """A relation between two documents; `created_at` an ISO instant or ""."""

    id: str
    from_document_id: str
    to_document_id: str
    relation_type: str
    metadata: Json
    created_at: str


class DocgraphChunk(NamedTuple):
    """A passage; `document_id` is "" where it belongs to no document that is there."""

    document_id: str
    ingestion_id: str
    chunk_id: str
    chunk_index: int
    chunk_strategy: str
    chunk_text: str
    source_metadata: Json
    provider: str


class DocgraphIngestion(NamedTuple):
    """How documents came in; times are ISO instants or ""."""

    ingestion_id: str
    source_type: str
    ingestion_metadata: Json
    status: str
    created_at: str
    started_at: str
    finished_at: str


class Docgraph(NamedTuple):
    """All of one moment. `relations` by from, to and type; `chunks`, which can be read once, by
    document, then by ingestion and place, those of no document first."""

    nodes: Mapping[str, DocgraphNode]
    relations: list[DocgraphRelation]
    ingestions: Mapping[str, DocgraphIngestion]
    chunks: Iterator[DocgraphChunk]


DocgraphReader: TypeAlias = Callable[[str], AbstractContextManager[Docgraph]]
"""What is at an address, for as long as the block runs. Raises StoreUnavailable, MissingExtra, and
InvalidInput when its tables are not there."""


def docgraph_reader(url: str) -> DocgraphReader:
    """What reads the database at `url`; InvalidInput where it can be none of them."""
    found: DocgraphReader | None = backend_part(url, "DOCGRAPH")
    if found is None:
        raise InvalidInput(
            f"{shown(url)!r} is the address of no PostgreSQL database: give one like "
            "postgresql://USER@HOST/DATABASE"
        )
    return found
