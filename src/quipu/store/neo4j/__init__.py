"""A store on a Neo4j server, beside a graph that Cypher and Graphiti read."""

import hashlib
import re

from quipu.errors import QuipuError
from quipu.ports import Store
from quipu.store.addresses import library_needed
from quipu.store.graphs import Graphs
from quipu.store.neo4j.queries import QUERIES

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


GRAPH = Graphs(QUERIES, group_of, health)
