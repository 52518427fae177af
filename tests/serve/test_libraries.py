"""The retrievers and the store, used as their own libraries use them."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.store.base import GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from llama_index.core.schema import QueryBundle

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.langchain import QuipuRetriever as LangChainRetriever
from quipu.serve.langgraph import QuipuStore
from quipu.serve.llama_index import QuipuRetriever as LlamaIndexRetriever
from quipu.testing.fakes import HashEmbedder
from quipu.when.instants import instant

Tree = Callable[[dict[str, str | bytes]], None]
ASKED = "who owns the payment service?"


class Ticking:
    """A clock that stands until it is moved."""

    minutes = 0.0

    def __call__(self) -> str:
        return instant(datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=self.minutes))


Moving: TypeAlias = tuple[Memory, Ticking]


@pytest.fixture
def moving(tmp_path: Path) -> Iterator[Moving]:
    clock = Ticking()
    with Memory.open(
        "memory:", config=Config(), embedder=HashEmbedder(64), home=tmp_path, clock=clock
    ) as memory:
        yield memory, clock


@pytest.fixture
def indexed(memory: Memory, tree: Tree) -> Memory:
    tree(
        {
            "docs/payments.md": "# Payments\n\nThe payment service is owned by Team Blue.\n",
            "docs/ledger.md": "# Ledger\n\nThe ledger keeps every booking for ten years.\n",
        }
    )
    memory.index()
    return memory


def test_langchain_gets_documents_in_a_chain(indexed: Memory) -> None:
    retriever = LangChainRetriever(memory=indexed, limit=2)
    documents = retriever.invoke(ASKED)
    assert documents[0].metadata["path"] == "docs/payments.md"
    assert "Team Blue" in documents[0].page_content
    assert documents[0].metadata["why_ranked"]["parts"]

    def sources(found: Any) -> list[str]:
        return [document.metadata["source"] for document in found]

    chain = retriever | RunnableLambda(sources)
    assert chain.invoke(ASKED)[0] == documents[0].metadata["source"]
    assert [d.id for d in asyncio.run(retriever.ainvoke(ASKED))] == [d.id for d in documents]
    assert LangChainRetriever(memory=indexed, min_score=1.0).invoke(ASKED) == []


def test_llama_index_gets_scored_nodes(indexed: Memory) -> None:
    retriever = LlamaIndexRetriever(indexed, limit=2)
    nodes = retriever.retrieve(ASKED)
    assert nodes[0].node.metadata["path"] == "docs/payments.md"
    assert 0 <= (nodes[0].score or 0) <= 1
    assert "Team Blue" in nodes[0].node.get_content()
    again = asyncio.run(retriever.aretrieve(QueryBundle(ASKED)))
    assert [node.node_id for node in again] == [node.node_id for node in nodes]


def test_langgraph_keeps_finds_and_forgets_items(memory: Memory) -> None:
    store = QuipuStore(memory)
    store.put(("users", "ann"), "food", {"text": "Ann loves ramen", "rank": 3})
    store.put(("users", "bo"), "food", {"text": "Bo loves pizza", "rank": 1})
    store.put(("users", "ann"), "secret", {"text": "ramen is for cats"}, index=False)
    held = store.get(("users", "ann"), "food")
    assert held
    assert held.value == {"text": "Ann loves ramen", "rank": 3}
    found = store.search(("users", "ann"), query="who loves ramen?")
    assert [item.key for item in found] == ["food", "secret"]  # the latter is not indexed
    assert found[0].score is not None
    assert found[1].score is None
    ranked = store.search(("users",), filter={"rank": {"$gte": 2}})
    assert [item.namespace for item in ranked] == [("users", "ann")]
    assert memory.search("Ann loves ramen").hits[0].source_type == "item"
    store.delete(("users", "ann"), "food")
    assert store.get(("users", "ann"), "food") is None
    assert asyncio.run(store.aget(("users", "bo"), "food"))


def test_langgraph_scores_by_the_best_of_the_texts_that_are_indexed(memory: Memory) -> None:
    store = QuipuStore(memory)
    value = {"title": "tea", "body": "coffee", "note": {"by": "ann"}}
    store.put(("a",), "both", value, index=["title", "body"])
    store.put(("a",), "body", value, index=["body"])
    first, second = store.search(("a",), query="tea")
    assert first.key == "both"
    assert first.score == pytest.approx(1.0, abs=1e-4)
    assert first.score is not None
    assert second.score is not None
    assert second.score < first.score
    assert store.search(("a",), filter={"note.by": "ann"}, limit=1, offset=1)


def test_langgraph_items_live_as_long_as_they_are_told(moving: Moving) -> None:
    memory, clock = moving
    store = QuipuStore(memory, ttl={"default_ttl": 60})
    store.put(("a",), "short", {"text": "tea"}, ttl=1)
    store.put(("a",), "usual", {"text": "tea"})
    store.put(("a",), "ever", {"text": "tea"}, ttl=None)
    clock.minutes += 0.9
    assert store.get(("a",), "short")  # which begins its minute anew
    clock.minutes += 0.9
    assert store.get(("a",), "short", refresh_ttl=False)
    clock.minutes += 0.2
    assert store.get(("a",), "short") is None
    assert [item.key for item in store.search(("a",), query="tea")] == ["ever", "usual"]
    found = [hit.source_ref for hit in memory.search("tea").hits]
    assert found
    assert not [ref for ref in found if "#short" in ref]
    assert store.sweep_ttl() == 1
    clock.minutes += 30
    assert len(store.search(("a",))) == 2  # which begins the hour of the usual one anew
    clock.minutes += 59
    assert store.sweep_ttl() == 0
    clock.minutes += 2
    assert [item.key for item in store.search(("a",))] == ["ever"]
    assert store.list_namespaces() == [("a",)]


def test_langgraphs_own_store_keeps_the_same(memory: Memory) -> None:
    random.seed(7)
    ours, theirs = QuipuStore(memory), InMemoryStore()
    spaces = [("a",), ("a", "b"), ("a", "b/ü #1"), ("c", "b")]
    for step in range(40):
        namespace, key = random.choice(spaces), random.choice(["k", "k 2", "ключ"])
        value = None if random.random() < 0.2 else {"n": step % 5, "deep": {"x": [step, None]}}
        for store in (ours, theirs):
            store.batch([PutOp(namespace, key, value)])
    gets = [GetOp(namespace, key) for namespace in spaces for key in ("k", "k 2", "ключ")]
    assert _values(ours.batch(gets)) == _values(theirs.batch(gets))
    for search in (
        SearchOp((), limit=100),
        SearchOp(("a",), limit=100),
        SearchOp(("a", "b"), filter={"n": 3}, limit=100),
        SearchOp((), filter={"n": {"$gt": 1, "$lt": 4}}, limit=100),
        SearchOp(("z",), limit=100),
    ):
        mine, other = ours.batch([search])[0], theirs.batch([search])[0]
        assert _keys(mine) == _keys(other)
    assert set(ours.list_namespaces(prefix=("a",))) == _held(theirs, prefix=("a",))
    assert set(ours.list_namespaces(suffix=("b",))) == _held(theirs, suffix=("b",))
    assert set(ours.list_namespaces(prefix=("*", "b"))) == _held(theirs, prefix=("*", "b"))
    assert ours.list_namespaces(max_depth=1) == [("a",), ("c",)]


def _values(items: list[Any]) -> list[Any]:
    return [item.value if item else None for item in items]


def _keys(items: Any) -> list[Any]:
    return sorted((i.namespace, i.key, json.dumps(i.value, sort_keys=True)) for i in items)


def _held(store: InMemoryStore, **conditions: Any) -> set[tuple[str, ...]]:
    """The namespaces that still hold an item: the library's own keeps empty ones, too."""
    return {n for n in store.list_namespaces(**conditions) if store.search(n, limit=1)}
