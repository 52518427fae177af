"""The profile `server-memory`: the nine tools of the official MCP memory server, by the same
names and with the same shapes, over the knowledge graph that `agents/knowledge.py` keeps."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import field

from quipu.agents.knowledge import (
    KnowledgeEntity,
    KnowledgeGraph,
    KnowledgeRelation,
    ThingObservations,
)
from quipu.serve.mcp.tool import Result
from quipu.serve.operations import Tool, operation

__all__ = ["GRAPH_RESOURCE", "graph_json"]

GRAPH_RESOURCE = "memory://knowledge-graph"

_LARGEST = 4_000_000


class ObservationsDeletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be deleted of one thing."""

    of: Annotated[str, "the entity containing the observations"] = field(name="entityName")
    contents: Annotated[tuple[str, ...], "the observations to delete"] = field(name="observations")


Names: TypeAlias = tuple[str, ...]
Relations: TypeAlias = tuple[KnowledgeRelation, ...]


def _tool(name: str, keys: str, **how: Any) -> Tool:
    title = name.replace("_", " ").title()
    return Tool(name, title, largest=_LARGEST, outline=keys, **how)


@operation("write", _tool("create_entities", "entities", idempotent=False))
def create_entities(
    graph: KnowledgeGraph, entities: Annotated[tuple[KnowledgeEntity, ...], ""]
) -> Result:
    """Create multiple new entities in the knowledge graph"""
    made = tuple(graph.create_entities(entities))
    return Result({"entities": made}, _shown(made))


@operation("write", _tool("create_relations", "relations", idempotent=False))
def create_relations(graph: KnowledgeGraph, relations: Annotated[Relations, ""]) -> Result:
    """Create multiple new relations between entities in the knowledge graph. Relations should be
    in active voice"""
    made = tuple(graph.relate(relations))
    return Result({"relations": made}, _shown(made))


@operation("write", _tool("add_observations", "results", idempotent=False))
def add_observations(
    graph: KnowledgeGraph, observations: Annotated[tuple[ThingObservations, ...], ""]
) -> Result:
    """Add new observations to existing entities in the knowledge graph"""
    added = graph.observe(observations)
    results = [{"entityName": each.of, "addedObservations": each.contents} for each in added]
    return Result({"results": results}, _shown(results))


@operation("write", _tool("delete_entities", "success message", destroys=True))
def delete_entities(
    graph: KnowledgeGraph,
    entityNames: Annotated[Names, "An array of entity names to delete"],  # noqa: N803  the official name
) -> Result:
    """Delete multiple entities and their associated relations from the knowledge graph"""
    graph.delete_entities(entityNames)
    return _done("Entities deleted successfully")


@operation("write", _tool("delete_observations", "success message", destroys=True))
def delete_observations(
    graph: KnowledgeGraph, deletions: Annotated[tuple[ObservationsDeletion, ...], ""]
) -> Result:
    """Delete specific observations from entities in the knowledge graph"""
    graph.delete_observations([ThingObservations(of=d.of, contents=d.contents) for d in deletions])
    return _done("Observations deleted successfully")


@operation("write", _tool("delete_relations", "success message", destroys=True))
def delete_relations(
    graph: KnowledgeGraph, relations: Annotated[Relations, "An array of relations to delete"]
) -> Result:
    """Delete multiple relations from the knowledge graph"""
    graph.unrelate(relations)
    return _done("Relations deleted successfully")


@operation("read", _tool("read_graph", "entities relations"))
def read_graph(graph: KnowledgeGraph) -> Result:
    """Read the entire knowledge graph"""
    return _view(*graph.read())


@operation("read", _tool("search_nodes", "entities relations"))
def search_nodes(
    graph: KnowledgeGraph,
    query: Annotated[
        str,
        "The search query to match against entity names, types, and observation content",
    ],
) -> Result:
    """Search for nodes in the knowledge graph based on a query"""
    return _view(*graph.search(query))


@operation("read", _tool("open_nodes", "entities relations"))
def open_nodes(
    graph: KnowledgeGraph, names: Annotated[Names, "An array of entity names to retrieve"]
) -> Result:
    """Open specific nodes in the knowledge graph by their names"""
    return _view(*graph.open(names))


def graph_json(graph: KnowledgeGraph) -> str:
    """The whole graph as its resource gives it."""
    return _view(*graph.read()).text


def _view(things: Iterable[KnowledgeEntity], relations: Iterable[KnowledgeRelation]) -> Result:
    graph = {"entities": tuple(things), "relations": tuple(relations)}
    return Result(graph, _shown(graph))


def _done(message: str) -> Result:
    return Result({"success": True, "message": message}, message)


def _shown(value: object) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2)
