"""The profile `server-memory`: the nine tools of the official MCP memory server, by the same
names and with the same shapes, over the knowledge graph that `agents/knowledge.py` keeps."""

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from mcp.server.mcpserver.tools import Tool
from msgspec import field
from pydantic import BaseModel, ConfigDict, Field

from quipu.agents.knowledge import (
    KnowledgeEntity,
    KnowledgeGraph,
    KnowledgeRelation,
    ThingObservations,
)
from quipu.serve.mcp.tool import Hints, Result, make_tool

__all__ = ["GRAPH_RESOURCE", "graph_json", "graph_resource", "keeping_tools"]

GRAPH_RESOURCE = "memory://knowledge-graph"

_LARGEST = 4_000_000
_ADDS = Hints(reads=False, idempotent=False)
_DELETES = Hints(reads=False, destroys=True)


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


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GivenEntity(_Given):
    """A thing as it is given."""

    name: str = Field(description="The name of the entity")
    entityType: str = Field(description="The type of the entity")  # noqa: N815
    observations: list[str] = Field(
        description="An array of observation contents associated with the entity"
    )


class GivenRelation(_Given):
    """A tie as it is given."""

    source: str = Field(
        alias="from", description="The name of the entity where the relation starts"
    )
    to: str = Field(description="The name of the entity where the relation ends")
    relationType: str = Field(description="The type of the relation")  # noqa: N815


class GivenObservations(_Given):
    """What is observed of one thing, as it is given."""

    entityName: str = Field(  # noqa: N815
        description="The name of the entity to add the observations to"
    )
    contents: list[str] = Field(description="An array of observation contents to add")


class Deletion(_Given):
    """What is to be deleted of one thing."""

    entityName: str = Field(  # noqa: N815
        description="The name of the entity containing the observations"
    )
    observations: list[str] = Field(description="An array of observations to delete")


def keeping_tools(graph: KnowledgeGraph) -> list[Tool]:
    """The nine tools."""
    return [*_adding(graph), *_deleting(graph), *_reading(graph)]


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
    return _whole(*graph.read()).text


def _adding(graph: KnowledgeGraph) -> list[Tool]:
    def create_entities(entities: list[GivenEntity]) -> Result:
        """Create multiple new entities in the knowledge graph"""
        made = graph.create_entities(
            [
                KnowledgeEntity(name=e.name, type=e.entityType, observations=tuple(e.observations))
                for e in entities
            ]
        )
        return Result(CreatedEntities(entities=tuple(made)), _shown(made))

    def create_relations(relations: list[GivenRelation]) -> Result:
        """Create multiple new relations between entities in the knowledge graph. Relations
        should be in active voice"""
        made = graph.relate(_knowledge_relations(relations))
        return Result(CreatedRelations(relations=tuple(made)), _shown(made))

    def add_observations(observations: list[GivenObservations]) -> Result:
        """Add new observations to existing entities in the knowledge graph"""
        added = graph.observe(
            [ThingObservations(of=o.entityName, contents=tuple(o.contents)) for o in observations]
        )
        results = tuple(AddedObservations(of=each.of, added=each.contents) for each in added)
        return Result(Results(results=results), _shown(results))

    return [
        _tool(create_entities, "Create Entities", CreatedEntities, _ADDS),
        _tool(create_relations, "Create Relations", CreatedRelations, _ADDS),
        _tool(add_observations, "Add Observations", Results, _ADDS),
    ]


def _deleting(graph: KnowledgeGraph) -> list[Tool]:
    def delete_entities(
        entityNames: Annotated[  # noqa: N803
            list[str], Field(description="An array of entity names to delete")
        ],
    ) -> Result:
        """Delete multiple entities and their associated relations from the knowledge graph"""
        graph.delete_entities(entityNames)
        return _done("Entities deleted successfully")

    def delete_observations(deletions: list[Deletion]) -> Result:
        """Delete specific observations from entities in the knowledge graph"""
        graph.delete_observations(
            [ThingObservations(of=d.entityName, contents=tuple(d.observations)) for d in deletions]
        )
        return _done("Observations deleted successfully")

    def delete_relations(
        relations: Annotated[
            list[GivenRelation], Field(description="An array of relations to delete")
        ],
    ) -> Result:
        """Delete multiple relations from the knowledge graph"""
        graph.unrelate(_knowledge_relations(relations))
        return _done("Relations deleted successfully")

    return [
        _tool(delete_entities, "Delete Entities", Done, _DELETES),
        _tool(delete_observations, "Delete Observations", Done, _DELETES),
        _tool(delete_relations, "Delete Relations", Done, _DELETES),
    ]


def _reading(graph: KnowledgeGraph) -> list[Tool]:
    def read_graph() -> Result:
        """Read the entire knowledge graph"""
        return _whole(*graph.read())

    def search_nodes(
        query: Annotated[
            str,
            Field(
                description="The search query to match against entity names, types, and "
                "observation content"
            ),
        ],
    ) -> Result:
        """Search for nodes in the knowledge graph based on a query"""
        return _whole(*graph.search(query))

    def open_nodes(
        names: Annotated[list[str], Field(description="An array of entity names to retrieve")],
    ) -> Result:
        """Open specific nodes in the knowledge graph by their names"""
        return _whole(*graph.open(names))

    return [
        _tool(read_graph, "Read Graph", GraphView, Hints()),
        _tool(search_nodes, "Search Nodes", GraphView, Hints()),
        _tool(open_nodes, "Open Nodes", GraphView, Hints()),
    ]


def _tool(function: Any, title: str, gives: type[msgspec.Struct], hints: Hints) -> Tool:
    return make_tool(function, title=title, gives=gives, hints=hints, largest=_LARGEST)


def _knowledge_relations(relations: Sequence[GivenRelation]) -> list[KnowledgeRelation]:
    return [KnowledgeRelation(source=r.source, type=r.relationType, target=r.to) for r in relations]


def _whole(things: Iterable[KnowledgeEntity], relations: Iterable[KnowledgeRelation]) -> Result:
    graph = GraphView(entities=tuple(things), relations=tuple(relations))
    return Result(graph, _shown(graph))


def _done(message: str) -> Result:
    return Result(Done(success=True, message=message), message)


def _shown(value: object) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2)
