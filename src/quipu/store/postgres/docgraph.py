"""The tables of `rag-foundry-docgraph`, read as they lie in a PostgreSQL database.

Vectors are not read: nothing there says which model made them. So the server needs no pgvector.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.errors import UndefinedColumn

from quipu.errors import InvalidInput
from quipu.store.backend import Row
from quipu.store.docgraph import (
    Docgraph,
    DocgraphChunk,
    DocgraphIngestion,
    DocgraphNode,
    DocgraphRelation,
)
from quipu.store.postgres.address import Address, read_address
from quipu.store.postgres.trouble import mapped

__all__ = ["read_docgraph"]

_PAGE = 2_000
_TABLES = ("document_nodes", "document_relationships", "ingestion_requests", "vector_chunks")
_NODES = b"""
SELECT document_id::text, coalesce(title, ''), coalesce(summary, ''), coalesce(source, ''),
       coalesce(ingestion_id::text, ''), coalesce(doc_type, '')
FROM document_nodes ORDER BY document_id::text COLLATE "C"
"""
_RELATIONS = b"""
SELECT id::text, from_document_id::text, to_document_id::text, relation_type, metadata, created_at
FROM document_relationships
ORDER BY from_document_id::text COLLATE "C", to_document_id::text COLLATE "C",
         relation_type COLLATE "C"
"""
_INGESTIONS = b"""
SELECT ingestion_id::text, coalesce(source_type, ''), ingestion_metadata, coalesce(status, ''),
       created_at, started_at, finished_at
FROM ingestion_requests ORDER BY ingestion_id::text COLLATE "C"
"""
_CHUNKS = b"""
SELECT coalesce(d.document_id::text, '') COLLATE "C" AS document,
       coalesce(c.ingestion_id::text, ''),
       coalesce(c.chunk_id::text, c.id::text), coalesce(c.chunk_index, 0),
       coalesce(c.chunk_strategy, ''), coalesce(c.chunk_text, ''), c.source_metadata,
       coalesce(c.provider, '')
FROM vector_chunks c LEFT JOIN document_nodes d ON d.document_id = c.document_id
ORDER BY document, c.ingestion_id::text COLLATE "C", c.chunk_index, c.id::text COLLATE "C"
"""


@contextmanager
def read_docgraph(url: str) -> Generator[Docgraph]:
    """What `rag-foundry-docgraph` keeps at `url`, in one snapshot; `?schema=NAME` where its tables
    are not on the search path. Raises StoreUnavailable, and InvalidInput when a table or a column
    is missing."""
    address = read_address(url)
    with mapped(address), psycopg.connect(address.conninfo) as connection:
        connection.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if "schema=" in url.partition("?")[2]:
            path = sql.SQL("SET LOCAL search_path TO {}").format(sql.Identifier(address.schema))
            connection.execute(path)
        _require_tables(connection, address)
        try:
            yield Docgraph(
                {row[0]: DocgraphNode(*row) for row in connection.execute(_NODES)},
                [DocgraphRelation(*map(_plain, row)) for row in connection.execute(_RELATIONS)],
                {
                    row[0]: DocgraphIngestion(*map(_plain, row))
                    for row in connection.execute(_INGESTIONS)
                },
                _chunks(connection),
            )
        except UndefinedColumn as error:
            raise InvalidInput(
                f"the tables of {address.shown!r} are not those of rag-foundry-docgraph "
                f"({error.diag.message_primary}): bring the database up to its latest version"
            ) from error


def _require_tables(connection: Connection[Row], address: Address) -> None:
    missing = [
        table
        for table in _TABLES
        if connection.execute(b"SELECT to_regclass(%s)", (table,)).fetchall() == [(None,)]
    ]
    if missing:
        raise InvalidInput(
            f"{address.shown!r} lacks what rag-foundry-docgraph keeps (missing: "
            f"{', '.join(missing)}): name its database, and its schema with ?schema=NAME"
        )


def _chunks(connection: Connection[Row]) -> Iterator[DocgraphChunk]:
    with connection.cursor("docgraph") as cursor:
        cursor.itersize = _PAGE
        for row in cursor.execute(_CHUNKS):
            yield DocgraphChunk(*row)


def _plain(value: Any) -> Any:
    """An instant as its text, in UTC where it says no zone; None for one is ""."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    return "" if value is None else value
