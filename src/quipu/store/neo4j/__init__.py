"""A store on a Neo4j server, beside a graph that Cypher and Graphiti read."""

import hashlib
import re

from quipu.errors import QuipuError
from quipu.ports import Store
from quipu.store.addresses import library_needed
from quipu.store.graphs import GraphQuery, Graphs

__all__ = ["GRAPH", "group_of", "health", "open_neo4j"]

_GROUP = re.compile(r"[A-Za-z0-9_-]+")


def open_neo4j(url: str, *, namespace: str = "default", read_only: bool = False) -> Store:
    """A handle on the store at `url`: `neo4j://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, or
    `bolt://…`, with `+s` for TLS. What it leaves out stands in NEO4J_URI, NEO4J_USER (or
    NEO4J_USERNAME), NEO4J_PASSWORD and NEO4J_DATABASE."""
    with library_needed(url, "neo4j", extra="neo4j"):
        from quipu.store.neo4j.store import Neo4jStore
    return Neo4jStore(url, namespace=namespace, read_only=read_only)


def health(url: str = "neo4j://") -> tuple[int, dict[str, str]]:
    """The HTTP status and the body of `GET /health/neo4j`: whether the server at `url` answers."""
    try:
        with library_needed(url, "neo4j", extra="neo4j"):
            from quipu.store.neo4j.connection import Address, Connection
        link = Connection(Address.of(url), pool=1)
        link.close()
    except QuipuError as error:
        return 503, {"status": "unhealthy", "message": str(error)}
    return 200, {"status": "healthy", "message": "Neo4j connection successful"}


def group_of(namespace: str) -> str:
    """The namespace as a `group_id`, of which Graphiti allows letters, digits, `-` and `_`."""
    if _GROUP.fullmatch(namespace):
        return namespace
    digest = hashlib.sha256(namespace.encode()).hexdigest()[:12]
    return f"{re.sub('[^A-Za-z0-9_-]', '_', namespace)[:60]}_{digest}"


_QUERIES = (
    GraphQuery(
        "documents",
        "The documents nearest to a question: by vector, ties by words",
        "words",
        "how are releases made",
        """\
CALL {
  CALL db.index.fulltext.queryNodes('document_content', $words, {limit: 100})
  YIELD node, score
  RETURN collect({document: node, score: score}) AS found
}
CALL db.index.vector.queryNodes('document_embedding', 50, $queryEmb) YIELD node AS d
WITH d, [f IN found WHERE f.document = d | f.score] AS scores
WHERE d.group_id = $group
WITH d, vector.similarity.cosine(d.embedding, $queryEmb) AS similarity,
     coalesce(scores[0], 0.0) AS tfidfScore
ORDER BY similarity DESC, tfidfScore DESC, d.path
LIMIT 10
RETURN d.path AS path, similarity, tfidfScore, left(d.content, 200) AS content""",
    ),
    GraphQuery(
        "failing-test",
        "The documents that are linked to what a failing test touches",
        "path",
        "tests/test_release.py",
        """\
MATCH (t:Document {group_id: $group, path: $path})
CALL {
  WITH t
  MATCH (t)<-[:DEFINED_IN]-(:Symbol)-[:REFERS_TO]->(touched:Symbol) RETURN touched
  UNION
  WITH t
  MATCH (t)-[:REFERS_TO|IMPORTS]->(touched:Entity) RETURN touched
}
MATCH (d:Document)-[:REFERS_TO|LINKS_TO|DESCRIBES|EXPLAINS]->(touched)
WHERE d <> t
RETURN d.path AS path, collect(DISTINCT touched.name) AS touched
ORDER BY size(touched) DESC, path
LIMIT 20""",
    ),
    GraphQuery(
        "owners",
        "Who owns a document or a service",
        "name",
        "docs/release.md",
        """\
MATCH (x:Entity)-[r:OWNED_BY]->(owner:Entity)
WHERE x.group_id = $group AND (x.name = $name OR x.path = $name)
RETURN coalesce(x.path, x.name) AS of, owner.name AS owner, r.confidence AS confidence
ORDER BY confidence DESC, owner
LIMIT 20""",
    ),
    GraphQuery(
        "callers",
        "What calls a function or a method, and where that is defined",
        "symbol",
        "release",
        """\
MATCH (caller:Symbol)-[:REFERS_TO]->(called:Symbol)
WHERE called.group_id = $group AND called.name = $symbol
OPTIONAL MATCH (caller)-[:DEFINED_IN]->(d:Document)
RETURN caller.name AS caller, d.path AS path
ORDER BY path, caller
LIMIT 50""",
    ),
)
"""The questions of founding document 5 as Cypher, for the graph of a namespace."""

GRAPH = Graphs(_QUERIES, group_of, health)
