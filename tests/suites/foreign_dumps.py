"""Writes dumps with the models of mem0 and Graphiti and the store of LangGraph, as those let them
out. Run by `test_suites.py`: `python foreign_dumps.py FOLDER`.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode
from langgraph.store.memory import InMemoryStore
from mem0.configs.base import MemoryItem

NOW = datetime(2025, 3, 1, tzinfo=UTC)
BEFORE = datetime(2020, 5, 1, tzinfo=UTC)


def mem0() -> dict[str, object]:
    item = MemoryItem(
        id="m1", memory="Ann prefers green tea.", hash="h", created_at=NOW.isoformat()
    ).model_dump(exclude={"score"})
    return {"results": [{**item, "user_id": "ann", "metadata": {"topic": "drinks"}}]}


def graphiti() -> dict[str, object]:
    ann = EntityNode(name="Ann", group_id="g", labels=["Person"], summary="An engineer.")
    acme, umbra = (EntityNode(name=name, group_id="g") for name in ("Acme", "Umbra"))
    episode = EpisodicNode(
        name="chat",
        group_id="g",
        source=EpisodeType.message,
        source_description="chat",
        content="Ann moved from Acme to Umbra.",
        valid_at=NOW,
    )
    edges = [
        EntityEdge(
            name="WORKS_FOR",
            group_id="g",
            fact=f"Ann works for {at.name}",
            created_at=NOW,
            source_node_uuid=ann.uuid,
            target_node_uuid=at.uuid,
            episodes=[episode.uuid],
            valid_at=begin,
            invalid_at=end,
        )
        for at, begin, end in ((acme, BEFORE, NOW), (umbra, NOW, None))
    ]
    return {
        "episodes": [episode.model_dump(mode="json")],
        "nodes": [node.model_dump(mode="json") for node in (ann, acme, umbra)],
        "edges": [edge.model_dump(mode="json") for edge in edges],
    }


def langgraph() -> list[object]:
    store = InMemoryStore()
    store.put(("users", "ann"), "food", {"likes": "ramen"})
    return [item.dict() for item in store.search(())]


folder = Path(sys.argv[1])
for name, dump in (("mem0", mem0()), ("graphiti", graphiti()), ("langgraph", langgraph())):
    (folder / f"{name}.json").write_text(json.dumps(dump))
