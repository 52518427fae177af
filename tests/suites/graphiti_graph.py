"""The library `graphiti-core`, unmodified, on a graph that Quipu wrote, and writing one of its own.

Not collected here: `test_graphiti.py` runs it where the library is installed, on a server whose
address stands in the environment.
"""

import os
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from graphiti_core import Graphiti
from graphiti_core.edges import EntityEdge, EpisodicEdge
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode
from graphiti_core.search.search_filters import ComparisonOperator, DateFilter, SearchFilters

from quipu.embed.minilm import MiniLM

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GROUP = "tea-house"


class LocalEmbedder(EmbedderClient):
    """Quipu's local model as Graphiti's."""

    def __init__(self) -> None:
        self.model = MiniLM(Path(os.environ["WEIGHTS"]))

    async def create(self, input_data: str | list[str] | Iterable[int]) -> list[float]:
        (text,) = [input_data] if isinstance(input_data, str) else input_data
        return self.model.embed([str(text)])[0].tolist()


@pytest.fixture
async def graphiti() -> AsyncIterator[Graphiti]:
    login = (os.environ["NEO4J_URI"], os.environ["NEO4J_USER"], os.environ["NEO4J_PASSWORD"])
    opened = Graphiti(*login, embedder=LocalEmbedder())
    await opened.build_indices_and_constraints()
    yield opened
    await opened.close()


async def test_facts_are_found_and_the_expired_are_told_apart(graphiti: Graphiti) -> None:
    found = await graphiti.search("where does Ada live?", group_ids=["notes"])
    told = {edge.fact: edge for edge in found}
    assert set(told) == {"Ada lives in Cuzco", "Ada lives in Lima"}
    cuzco, lima = told["Ada lives in Cuzco"], told["Ada lives in Lima"]
    assert cuzco.expired_at == datetime(2026, 1, 1, 0, 3, tzinfo=UTC)
    assert lima.expired_at is None
    assert lima.valid_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert cuzco.name == "lives in"
    assert lima.uuid == os.environ["LIMA"]
    live = SearchFilters(expired_at=[[DateFilter(comparison_operator=ComparisonOperator.is_null)]])
    found = await graphiti.search("where does Ada live?", group_ids=["notes"], search_filter=live)
    assert [edge.fact for edge in found] == ["Ada lives in Lima"]


async def test_things_and_episodes_are_opened(graphiti: Graphiti) -> None:
    nodes = await EntityNode.get_by_group_ids(graphiti.driver, ["notes"])
    assert {(node.name, *node.labels) for node in nodes if "Entity" in node.labels} >= {
        ("docs/a.md", "Entity", "Document"),
        ("cord", "Entity", "concept"),
        ("Ada", "Entity", "Name"),
    }
    (episode,) = await EpisodicNode.get_by_group_ids(graphiti.driver, ["notes"])
    assert (episode.name, episode.content) == ("docs/a.md", "Ada lives")
    (lima,) = [
        e
        for e in await EntityEdge.get_by_group_ids(graphiti.driver, ["notes"])
        if e.uuid == os.environ["LIMA"]
    ]
    assert lima.episodes == [episode.uuid]
    assert lima.uuid in episode.entity_edges
    mentions = await EpisodicEdge.get_by_group_ids(graphiti.driver, ["notes"])
    assert {edge.source_node_uuid for edge in mentions} == {episode.uuid}
    of_node = await EpisodicNode.get_by_entity_node_uuid(
        graphiti.driver, mentions[0].target_node_uuid
    )
    assert [e.uuid for e in of_node] == [episode.uuid]


async def test_a_graph_of_its_own_is_written(graphiti: Graphiti) -> None:
    driver, model = graphiti.driver, graphiti.embedder
    names = {"Ben Bay": "Person", "Lotus Tea": "Organization", "Kyoto": "City"}
    things = {
        name: EntityNode(
            name=name,
            group_id=GROUP,
            labels=["Entity", label],
            created_at=NOW,
            summary=f"{name} is known to the house.",
            attributes={"seat": 3},
        )
        for name, label in names.items()
    }
    for thing in things.values():
        await thing.generate_name_embedding(model)
        await thing.save(driver)
    said = EpisodicNode(
        name="visit 1",
        group_id=GROUP,
        source=EpisodeType.message,
        created_at=NOW,
        source_description="guest book",
        content="Ben Bay: I work at Lotus Tea now.",
        valid_at=datetime(2026, 2, 1, tzinfo=UTC),
    )
    await said.save(driver)
    facts = [
        ("Ben Bay", "WORKS_AT", "Lotus Tea", "Ben Bay works at Lotus Tea", None),
        ("Ben Bay", "LIVES_IN", "Kyoto", "Ben Bay lives in Kyoto", NOW),
    ]
    for source, name, target, told, expired in facts:
        edge = EntityEdge(
            source_node_uuid=things[source].uuid,
            target_node_uuid=things[target].uuid,
            name=name,
            fact=told,
            group_id=GROUP,
            episodes=[said.uuid],
            created_at=said.valid_at,
            valid_at=said.valid_at,
            invalid_at=expired,
            expired_at=expired,
        )
        await edge.generate_embedding(model)
        await edge.save(driver)
        said.entity_edges.append(edge.uuid)
    await said.save(driver)
    for thing in things.values():
        await EpisodicEdge(
            source_node_uuid=said.uuid, target_node_uuid=thing.uuid, group_id=GROUP, created_at=NOW
        ).save(driver)
