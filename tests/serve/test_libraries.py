"""The retrievers and the store, used as their own libraries use them."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.store.base import GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from llama_index.core.schema import QueryBundle

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.langchain import QuipuRetriever as LangChainRetriever
from quipu.serve.langgraph import QuipuStore
from quipu.serve.llama_index import QuipuRetriever as LlamaIndexRetriever

Tree = Callable[[dict[str, str | bytes]], None]
ASKED = "who owns the payment service?"


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
    chain = retriever | RunnableLambda(lambda found: [d.metadata["source"] for d in found])
    assert chain.invoke(ASKED)[0] == documents[0].metadata["source"]
    assert [d.id for d in asyncio.run(retriever.ainvoke(ASKED))] == [d.id for d in documents]
    assert LangChainRetriever(memory=indexed, min_score=1.0).invoke(ASKED) == []


def test_langchain_takes_the_number_in_its_own_words(indexed: Memory) -> None:
    asked = LangChainRetriever.model_validate({"memory": indexed, "k": 1})
    assert len(asked.invoke("ledger payment")) == 1
    retriever = LangChainRetriever(memory=indexed)
    assert len(retriever.invoke("ledger payment")) == 2
    assert len(retriever.invoke("ledger payment", limit=1)) == 1
    assert len(retriever.invoke("ledger payment", k=1)) == 1
    assert len(asyncio.run(retriever.ainvoke("ledger payment", limit=1))) == 1
    with pytest.raises(InvalidInput, match="one thing"):
        retriever.invoke("ledger payment", k=1, limit=2)
    with pytest.raises(ValueError, match="top"):
        LangChainRetriever.model_validate({"memory": indexed, "top": 1})


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
    assert [item.key for item in found] == ["food"]
    assert found[0].score is not None
    ranked = store.search(("users",), filter={"rank": {"$gte": 2}})
    assert [item.namespace for item in ranked] == [("users", "ann")]
    assert memory.search("Ann loves ramen").hits[0].source_type == "item"
    store.delete(("users", "ann"), "food")
    assert store.get(("users", "ann"), "food") is None
    assert asyncio.run(store.aget(("users", "bo"), "food"))


def test_langgraph_finds_the_one_that_fits_among_many(memory: Memory) -> None:
    store = QuipuStore(memory)
    count = 230
    store.batch([PutOp(("a",), f"k{n}", {"text": f"tea number {n}", "n": n}) for n in range(count)])
    fitting = store.search(("a",), query="tea", filter={"n": count - 1})
    assert [item.key for item in fitting] == [f"k{count - 1}"]
    assert len(store.search(("a",), query="tea", offset=count - 2)) == 2
    every = store.search(("a",), query="tea", limit=count + 10)
    assert len({item.key for item in every}) == len(every) == count


def test_langgraph_values_are_plain_json(memory: Memory) -> None:
    store = QuipuStore(memory)
    with pytest.raises(InvalidInput, match="no plain JSON"):
        store.put(("a",), "k", {"x": object()})
    store.put(("a",), "k", {"x": 1})
    with pytest.raises(InvalidInput, match="no comparison"):
        store.search(("a",), filter={"x": {"$like": 1}})


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
