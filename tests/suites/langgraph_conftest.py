"""Puts Quipu's store in the place of LangGraph's own ones, for LangGraph's own tests of them.

Copied as `conftest.py` beside the tests by `test_suites.py`, which runs it.
"""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import langgraph.store.memory
import langgraph.store.sqlite
import langgraph.store.sqlite.aio
import pytest
from langgraph.store.base.batch import AsyncBatchedBaseStore

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.langgraph import QuipuStore
from quipu.testing.fakes import HashEmbedder

FOLDER = Path(tempfile.mkdtemp())
OPENED: list[Memory] = []


def _opened(url: str, home: Path) -> Memory:
    return Memory.open(url, config=Config(), embedder=HashEmbedder(64), home=home)


class InMemoryStore(QuipuStore):
    """A store in memory; the tests never close theirs."""

    def __init__(self, *, index: Any = None) -> None:
        memory = _opened("memory:", FOLDER)
        OPENED.append(memory)
        super().__init__(memory, index=index)


@contextmanager
def _memory(conn_string: str) -> Iterator[Memory]:
    if conn_string == ":memory:":
        with _opened("memory:", FOLDER) as memory:
            yield memory
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with _opened(str(home / "quipu.db"), home) as memory:
            yield memory


class SqliteStore(QuipuStore):
    """A store in a file of its own, for every connection string that is none in memory."""

    @classmethod
    @contextmanager
    def from_conn_string(cls, conn_string: str, *, index: Any = None, ttl: Any = None) -> Any:
        with _memory(conn_string) as memory:
            if index is not None:  # what LangGraph calls `fields` is `text_fields` in these tests
                index.setdefault("fields", index.get("text_fields") or ["$"])
            yield cls(memory, index=index, ttl=ttl)

    def setup(self) -> None:
        """There is nothing to set up."""


class AsyncSqliteStore(AsyncBatchedBaseStore):
    """LangGraph's own batching in front of a Quipu store."""

    supports_ttl = True

    def __init__(self, store: QuipuStore) -> None:
        super().__init__()
        self.store = store
        self.index_config, self.ttl_config = store.index_config, store.ttl_config
        self.embeddings = store.embeddings

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, conn_string: str, *, index: Any = None, ttl: Any = None
    ) -> AsyncIterator["AsyncSqliteStore"]:
        with SqliteStore.from_conn_string(conn_string, index=index, ttl=ttl) as store:
            yield cls(store)

    async def setup(self) -> None:
        """There is nothing to set up."""

    def batch(self, ops: Any) -> Any:
        return self.store.batch(ops)

    async def abatch(self, ops: Any) -> Any:
        return await self.store.abatch(ops)

    async def sweep_ttl(self) -> int:
        return self.store.sweep_ttl()

    async def start_ttl_sweeper(self) -> None:
        self.store.start_ttl_sweeper()

    async def stop_ttl_sweeper(self) -> None:
        self.store.stop_ttl_sweeper()


langgraph.store.memory.InMemoryStore = InMemoryStore
langgraph.store.sqlite.SqliteStore = SqliteStore
langgraph.store.sqlite.AsyncSqliteStore = AsyncSqliteStore
langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqliteStore


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()
