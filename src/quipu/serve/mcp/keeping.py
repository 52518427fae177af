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

__all__ = ["GRAPH_RESOURCE", "graph_json", "graph_resource"]

GRAPH_RESOURCE = "memory://knowledge-graph"

_LARGEST = 4_000_000


class CreatedEntities(msgspec.Struct, frozen=True, kw_only=True):
    """What `create_entities` made."""

    entities: Annotated[tuple[KnowledgeEntity, ...], "those that are new"]


class CreatedRelations(msgspec.Struct, frozen=True, kw_only=True):
    """What `create_relations` made."""

    relations: Annotated[tuple[KnowledgeRelation, ...], "those that are new"]


class AddedObservations(msgspec.Struct, frozen=True, kw_only=True):
    """What was new of one thing."""

    of: Annotated[str, "its name"] = field(name="entityName")
    added: Annotated[tuple[str, ...], "the new observations"] = field(name="addedObservations")


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What `add_observations` added."""

    results: Annotated[tuple[AddedObservations, ...], "what was new, by thing"]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """That something was deleted."""

    success: Annotated[bool, "whether it was done"]
    message: Annotated[str, "what was done"]


class GraphView(msgspec.Struct, frozen=True, kw_only=True):
    """Things and ties."""

    entities: Annotated[tuple[KnowledgeEntity, ...], "the things"]
    relations: Annotated[tuple[KnowledgeRelation, ...], "the ties between them"]


class ObservationsDeletion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be deleted of one thing."""

    of: Annotated[str, "the entity containing the observations"] = field(name="entityName")
    contents: Annotated[tuple[str, ...], "the observations to delete"] = field(name="observations")


Names: TypeAlias = tuple[str, ...]
Relations: TypeAlias = tuple[KnowledgeRelation, ...]


def _tool(name: str, gives: type[msgspec.Struct], **how: Any) -> Tool:
    title = name.replace("_", " ").title()
    return Tool(name, title, gives=gives, largest=_LARGEST, **how)


@operation("write", _tool("create_entities", CreatedEntities, idempotent=False))
def create_entities(
    graph: KnowledgeGraph, entities: Annotated[tuple[KnowledgeEntity, ...], ""]
) -> Result:
    """Create multiple new entities in the knowledge graph"""
    made = tuple(graph.create_entities(entities))
    return Result(CreatedEntities(entities=made), _shown(made))


@operation("write", _tool("create_relations", CreatedRelations, idempotent=False))
def create_relations(graph: KnowledgeGraph, relations: Annotated[Relations, ""]) -> Result:
    """Create multiple new relations between entities in the knowledge graph. Relations should be
    in active voice"""
    made = tuple(graph.relate(relations))
    return Result(CreatedRelations(relations=made), _shown(made))


@operation("write", _tool("add_observations", Results, idempotent=False))
def add_observations(
    graph: KnowledgeGraph, observations: Annotated[tuple[ThingObservations, ...], ""]
) -> Result:
    """Add new observations to existing entities in the knowledge graph"""
    added = graph.observe(observations)
    results = tuple(AddedObservations(of=each.of, added=each.contents) for each in added)
    return Result(Results(results=results), _shown(results))


@operation("write", _tool("delete_entities", Done, destroys=True))
def delete_entities(
    graph: KnowledgeGraph,
    entityNames: Annotated[Names, "An array of entity names to delete"],  # noqa: N803  the official name
) -> Result:
    """Delete multiple entities and their associated relations from the knowledge graph"""
    graph.delete_entities(entityNames)
    return _done("Entities deleted successfully")


@operation("write", _tool("delete_observations", Done, destroys=True))
def delete_observations(
    graph: KnowledgeGraph, deletions: Annotated[tuple[ObservationsDeletion, ...], ""]
) -> Result:
    """Delete specific observations from entities in the knowledge graph"""
    graph.delete_observations([ThingObservations(of=d.of, contents=d.contents) for d in deletions])
    return _done("Observations deleted successfully")


@operation("write", _tool("delete_relations", Done, destroys=True))
def delete_relations(
    graph: KnowledgeGraph, relations: Annotated[Relations, "An array of relations to delete"]
) -> Result:
    """Delete multiple relations from the knowledge graph"""
    graph.unrelate(relations)
    return _done("Relations deleted successfully")


@operation("read", _tool("read_graph", GraphView))
def read_graph(graph: KnowledgeGraph) -> Result:
    """Read the entire knowledge graph"""
    return _view(*graph.read())


@operation("read", _tool("search_nodes", GraphView))
def search_nodes(
    graph: KnowledgeGraph,
    query: Annotated[
        str,
        "The search query to match against entity names, types, and observation content",
    ],
) -> Result:
    """Search for nodes in the knowledge graph based on a query"""
    return _view(*graph.search(query))


@operation("read", _tool("open_nodes", GraphView))
def open_nodes(
    graph: KnowledgeGraph, names: Annotated[Names, "An array of entity names to retrieve"]
) -> Result:
    """Open specific nodes in the knowledge graph by their names"""
    return _view(*graph.open(names))


def graph_resource() -> dict[str, Any]:
    """What the resource of the whole graph is called."""
    return {
        "name": "knowledge-graph",
        "title": "Knowledge Graph",
        "description": "The full knowledge graph with all entities and relations",
        "mime_type": "application/json",
    }


def graph_json(graph: KnowledgeGraph) -> str:
    """The whole graph as its resource gives it."""
    return _view(*graph.read()).text


def _view(things: Iterable[KnowledgeEntity], relations: Iterable[KnowledgeRelation]) -> Result:
    graph = GraphView(entities=tuple(things), relations=tuple(relations))
    return Result(graph, _shown(graph))


def _done(message: str) -> Result:
    return Result(Done(success=True, message=message), message)


def _shown(value: object) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2)
