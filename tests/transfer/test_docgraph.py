"""What `rag-foundry-docgraph` keeps in PostgreSQL comes in whole: documents, passages, relations,
how they were taken in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.servers.postgres_server import PostgresServer

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.memory import Memory
from quipu.records.record import Episode
from quipu.store.docgraph import docgraph_reader

OpenMemory = Callable[..., Memory]
TABLES = """
CREATE EXTENSION vector;
CREATE TABLE ingestion_requests (
    ingestion_id uuid PRIMARY KEY, source_type text NOT NULL, ingestion_metadata json,
    status text NOT NULL, created_at timestamptz NOT NULL, started_at timestamptz,
    finished_at timestamptz);
CREATE TABLE document_nodes (
    document_id uuid PRIMARY KEY, title text NOT NULL, summary text, summary_embedding vector(3),
    source text, ingestion_id uuid, doc_type text);
CREATE TABLE document_relationships (
    id serial PRIMARY KEY,
    from_document_id uuid NOT NULL REFERENCES document_nodes ON DELETE CASCADE,
    to_document_id uuid NOT NULL REFERENCES document_nodes ON DELETE CASCADE,
    relation_type text NOT NULL, metadata json, created_at timestamp NOT NULL,
    UNIQUE (from_document_id, to_document_id, relation_type));
CREATE TABLE vector_chunks (
    id serial PRIMARY KEY, vector vector(3), ingestion_id uuid, chunk_id text, chunk_index integer,
    chunk_strategy text, chunk_text text, source_metadata json, provider text, document_id uuid)
"""
INGESTION = "00000000-0000-0000-0000-00000000000{}"
DOCUMENT = "d0000000-0000-0000-0000-00000000000{}"
TYPES = (
    "explains",
    "implements",
    "decision_for",
    "example_of",
    "supersedes",
    "references",
    "depends_on",
    "derived_from",
)
TEXTS = (
    "Llamas carry the maize over the bridge.\nThey rest at noon.",
    "The bridge at Queswachaka is woven of grass each June.",
)


def fill(connection: "psycopg.Connection[Any]") -> None:
    """Three documents of two ingestions, one that failed, and one whose passage has no document."""
    ran = "2026-02-01T08:00:00+02:00"
    for n, (status, finished) in enumerate(
        [("completed", ran), ("completed", ran), ("failed", None), ("completed", ran)]
    ):
        connection.execute(
            "INSERT INTO ingestion_requests VALUES (%s, 'file', %s, %s, %s, NULL, %s)",
            (INGESTION.format(n), f'{{"filename": "loose{n}.md"}}', status, ran, finished),
        )
    for n, (title, kind) in enumerate([("Bridges", "guide"), ("Grass", "adr"), ("Empty", None)]):
        connection.execute(
            "INSERT INTO document_nodes VALUES (%s, %s, %s, '[1,0,0]', %s, %s, %s)",
            (
                DOCUMENT.format(n),
                title,
                f"About {title}.",
                f"{title}.md",
                INGESTION.format(n % 2),
                kind,
            ),
        )
    for n, word in enumerate((*TYPES, "以…为例", "例")):
        connection.execute(
            "INSERT INTO document_relationships"
            " (from_document_id, to_document_id, relation_type, metadata, created_at)"
            " VALUES (%s, %s, %s, %s, '2026-01-05 10:00')",
            (DOCUMENT.format(0), DOCUMENT.format(1), word, f'{{"n": {n}}}'),
        )
    owners = [DOCUMENT.format(0), DOCUMENT.format(0), None, "e" * 8 + DOCUMENT.format(7)[8:]]
    words = [*reversed(TEXTS), "A passage of no document.", "A passage of one that is gone."]
    for n, (owner, text) in enumerate(zip(owners, words, strict=True)):
        connection.execute(
            "INSERT INTO vector_chunks VALUES"
            " (DEFAULT, '[0,1,0]', %s, %s, %s, 'paragraph', %s, %s, 'mock', %s)",
            (
                INGESTION.format(0 if n < 2 else 3),
                f"c{n}",
                1 - n % 2,
                text,
                f'{{"page": {n}}}',
                owner,
            ),
        )


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    name = postgres_server.new_database()
    postgres_server.execute(TABLES, name)
    with psycopg.connect(postgres_server.url(name)) as connection:
        fill(connection)
    return postgres_server.url(name)


def by_ref(memory: Memory) -> dict[str, Episode]:
    return {each.source_ref: each for each in memory.store.scan("episode")}  # type: ignore[misc]


def test_documents_passages_and_relations_come_in_whole(
    url: str, open_memory: OpenMemory, tmp_path: Path
) -> None:
    with open_memory("memory:", tmp_path) as memory:
        moved = memory.import_docgraph(url)
        assert (moved.episodes, moved.chunks, moved.refused) == (5, 4, ())
        episodes = by_ref(memory)
        bridges = episodes[f"docgraph:{DOCUMENT.format(0)}"]
        assert (bridges.summary_text, bridges.group) == ("About Bridges.", INGESTION.format(0))
        assert bridges.observed_at == "2026-02-01T06:00:00.000Z"
        assert bridges.properties["source"] == "Bridges.md"
        assert bridges.properties["chunks"] == [
            {
                "chunk_id": f"c{n}",
                "chunk_index": 1 - n,
                "chunk_strategy": "paragraph",
                "provider": "mock",
                "source_metadata": {"page": n},
            }
            for n in (1, 0)
        ]
        failed = episodes[f"docgraph:ingestion/{INGESTION.format(2)}"]
        assert failed.properties["ingestion"] == {
            "ingestion_id": INGESTION.format(2),
            "source_type": "file",
            "status": "failed",
            "ingestion_metadata": {"filename": "loose2.md"},
            "started_at": "",
            "finished_at": "",
            "created_at": "2026-02-01T06:00:00+00:00",
        }
        assert failed.observed_at == "2026-02-01T06:00:00.000Z"
        passages = sorted(memory.store.scan("chunk"), key=lambda c: (c.title, c.position))  # type: ignore[union-attr]
        assert [(c.title, c.text, c.start_line, c.end_line) for c in passages] == [  # type: ignore[union-attr]
            ("Bridges", TEXTS[0], 1, 2),
            ("Bridges", TEXTS[1], 3, 3),
            ("loose3.md", "A passage of one that is gone.", 1, 1),
            ("loose3.md", "A passage of no document.", 2, 2),
        ]


def test_again_changes_nothing_and_what_changed_takes_its_place(
    url: str, open_memory: OpenMemory, tmp_path: Path
) -> None:
    with open_memory("memory:", tmp_path) as memory:
        memory.import_docgraph(url)
        assert memory.import_docgraph(url).changes == 0
        with psycopg.connect(url) as connection:
            connection.execute(
                "UPDATE vector_chunks SET chunk_text = 'Of rope.' WHERE chunk_id = 'c0'"
            )
        assert memory.import_docgraph(url).changes > 0
        texts = [each.text for each in memory.store.scan("chunk")]  # type: ignore[union-attr]
        assert "Of rope." in texts
        assert TEXTS[1] not in texts
        assert len(by_ref(memory)) == 5


def test_what_is_no_such_database_is_refused(postgres_server: PostgresServer, url: str) -> None:
    empty = postgres_server.url(postgres_server.new_database())
    with (
        pytest.raises(InvalidInput, match=r"missing: document_nodes, .*, vector_chunks"),
        docgraph_reader(empty)(empty),
    ):
        pass
    database = url.partition("///")[2].partition("?")[0]
    postgres_server.execute("ALTER TABLE document_nodes DROP COLUMN doc_type", database)
    with pytest.raises(InvalidInput, match=r"doc_type.*latest version"), docgraph_reader(url)(url):
        pass
    with pytest.raises(InvalidInput, match="no PostgreSQL database"):
        docgraph_reader("neo4j://ann:s3cret@host")
    refused = postgres_server.tcp("postgres", password="s3cret")
    with (
        pytest.raises(StoreUnavailable, match="check the user") as told,
        docgraph_reader(url)(refused),
    ):
        pass
    assert "s3cret" not in str(told.value)
