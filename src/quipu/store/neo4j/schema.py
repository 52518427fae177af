"""Labels, constraints and indexes: one label a table, the namespace first in each index.

A row is a node, and a node that holds a row never changes: what takes its place is a new node.
`born` is the version of the namespace that made it, `gone` the one that took it away (or NEVER),
so whoever reads at a version sees that one alone, whatever is written meanwhile. Neo4j itself
shows a transaction what others commit while it runs.
"""

from collections.abc import Sequence

from quipu.errors import NewerStore, SpaceMismatch
from quipu.store.backend import TABLES, Table
from quipu.store.neo4j.connection import Connection

__all__ = ["NEVER", "drop_vectors", "indexes_of", "label", "prepare", "prepare_vectors"]

NEVER = 2**63 - 1
VERSION = 3

_WITH_KIND = ("record_id", "near", "far", "label")

_GRAPH = (
    "CREATE INDEX quipu_entity IF NOT EXISTS FOR (n:Entity) ON (n.group_id, n.uuid)",
    "CREATE INDEX quipu_episode IF NOT EXISTS FOR (n:Episodic) ON (n.group_id, n.uuid)",
    "CREATE INDEX document_path IF NOT EXISTS FOR (n:Document) ON (n.path)",
    (
        "CREATE FULLTEXT INDEX document_content IF NOT EXISTS"
        " FOR (d:Document) ON EACH [d.name, d.path, d.content]"
    ),
    # From here on by the names, and over the properties, that Graphiti looks for.
    "CREATE INDEX entity_uuid IF NOT EXISTS FOR (n:Entity) ON (n.uuid)",
    "CREATE INDEX episode_uuid IF NOT EXISTS FOR (n:Episodic) ON (n.uuid)",
    "CREATE INDEX relation_uuid IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.uuid)",
    (
        "CREATE FULLTEXT INDEX episode_content IF NOT EXISTS"
        " FOR (e:Episodic) ON EACH [e.content, e.source, e.source_description, e.group_id]"
    ),
    (
        "CREATE FULLTEXT INDEX node_name_and_summary IF NOT EXISTS"
        " FOR (n:Entity) ON EACH [n.name, n.summary, n.group_id]"
    ),
    (
        "CREATE FULLTEXT INDEX edge_name_and_fact IF NOT EXISTS"
        " FOR ()-[e:RELATES_TO]-() ON EACH [e.name, e.fact, e.group_id]"
    ),
    (
        "CREATE FULLTEXT INDEX community_name IF NOT EXISTS"
        " FOR (n:Community) ON EACH [n.name, n.group_id]"
    ),
)

_CONSTRAINTS = {
    "quipu_store": "(n:QuipuStore) REQUIRE n.one",
    "quipu_namespace": "(n:QuipuNamespace) REQUIRE n.name",
    "quipu_moment": "(n:QuipuMoment) REQUIRE n.name",
}


def label(table: Table) -> str:
    """The label of a table's rows."""
    return "Quipu" + "".join(word.capitalize() for word in table.name.split("_"))


def indexes_of(table: Table) -> list[tuple[str, ...]]:
    """The columns of a table's indexes, after the namespace, that of the key first."""
    lookups = [
        ("kind", column) if table.name == "support" and column in _WITH_KIND else (column,)
        for column in table.lookups
    ]
    return list(dict.fromkeys([table.key, *lookups]))


def prepare(link: Connection) -> None:
    """Make what is not there yet; NewerStore when a newer Quipu made it."""
    found = link.run("MATCH (s:QuipuStore {one: 1}) RETURN s.version")
    if found and found[0][0] > VERSION:
        raise NewerStore(
            f"{link.address} was written by a newer Quipu (layout {found[0][0]}, this one knows "
            f"{VERSION}): update Quipu"
        )
    if found and found[0][0] == VERSION:
        return
    for name, on in _CONSTRAINTS.items():
        link.run(f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR {on} IS UNIQUE")
    for table in TABLES:
        for columns in indexes_of(table):
            name = "_".join(("quipu", table.name, *columns))
            on = ", ".join(f"n.{column}" for column in ("ns", *columns))
            link.run(f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label(table)}) ON ({on})")
    for statement in _GRAPH:
        link.run(statement)
    link.run("CREATE INDEX quipu_gone IF NOT EXISTS FOR (n:QuipuGone) ON (n.ns, n.gone_at)")
    link.run("CALL db.awaitIndexes(300)")
    link.run(
        "MERGE (s:QuipuStore {one: 1})"
        " ON CREATE SET s.id = randomUUID(), s.version = $version SET s.version = $version",
        version=VERSION,
    )


_VECTOR_INDEX = """CREATE VECTOR INDEX document_embedding IF NOT EXISTS
FOR (d:Document)
ON d.embedding
OPTIONS {indexConfig: {
   `vector.dimensions`: %d,
   `vector.similarity_function`: 'cosine'
}}"""
"""Founding document 5's index, for vectors of so many numbers."""

_INDEX = (
    "SHOW VECTOR INDEXES YIELD name, options WHERE name = 'document_embedding'"
    " RETURN options.indexConfig['vector.dimensions']"
)
_SPACES = "MATCH (s:QuipuSpace) WHERE s.gone = $never RETURN DISTINCT s.dimension"


def prepare_vectors(link: Connection, dimensions: Sequence[int]) -> None:
    """Make the index of the documents' vectors, with the first of the dimensions of what is to be
    written; SpaceMismatch when there is one that fits neither these nor a space of the database."""
    found = link.run(_INDEX)
    if not found:
        stored = link.run(_SPACES, never=NEVER)
        for dimension in [each for each in dimensions if [each] in stored][:1]:
            link.run(_VECTOR_INDEX % dimension)
        return
    indexed = found[0][0]
    if indexed not in dimensions and [indexed] not in link.run(_SPACES, never=NEVER):
        raise SpaceMismatch(
            f"the index document_embedding of {link.address} has {indexed} dimensions and the"
            f" vectors {dimensions[0]}: run DROP INDEX document_embedding, and the next write makes"
            " one that fits"
        )


def drop_vectors(link: Connection) -> None:
    """Drop the index of the documents' vectors when no space has its dimension any more."""
    found = link.run(_INDEX)
    if found and found[0] not in link.run(_SPACES, never=NEVER):
        link.run("DROP INDEX document_embedding IF EXISTS")
