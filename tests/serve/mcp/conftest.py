"""A memory behind a server, and ways to talk to it as clients do."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import pytest
from mcp import Client, StdioServerParameters

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.mcp import Profile, build_server
from quipu.testing.fakes import HashEmbedder

INSTANT = "2026-03-01T10:00:00.000Z"
FILES = {
    "docs/payments.md": "# Payments\n\nThe payment service is owned by Team Blue.\nIt retries "
    "failed charges three times. See [the ledger](ledger.md).\n",
    "docs/ledger.md": "# Ledger\n\nThe ledger keeps every booking of the payment service.\n",
}

Calls: TypeAlias = Callable[..., Any]

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Memory]:
    """A memory of two documents and a session, on a SQLite file."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    database = tmp_path / ".quipu" / "quipu.db"
    database.parent.mkdir()
    with Memory.open(
        database, config=Config(), embedder=HashEmbedder(256), clock=lambda: INSTANT
    ) as memory:
        memory.index()
        for number, (time, town) in enumerate((("2019-05-01", "Rome"), ("2022-03-01", "Oslo")), 1):
            said: dict[str, object] = {
                "role": "user",
                "name": "Eva",
                "content": f"I live in {town}.",
                "timestamp": f"{time}T10:00:00Z",
            }
            memory.add([said], session_id=f"s{number}")
        yield memory


@pytest.fixture
def call(held: Memory) -> Calls:
    """Call a tool in this process and give its result as the client sees it."""

    def called(name: str, profile: Profile = "full", **arguments: Any) -> Any:
        async def once() -> Any:
            async with Client(build_server(held, profile=profile)) as client:
                return await client.call_tool(name, arguments)

        return anyio.run(once)

    return called


@pytest.fixture
def given(call: Calls) -> Calls:
    """Call a tool that must succeed and give its structured content."""

    def called(name: str, profile: Profile = "full", **arguments: Any) -> Any:
        result = call(name, profile, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    return called


@pytest.fixture
def server_command(held: Memory) -> Callable[..., StdioServerParameters]:
    """How a client starts the server on the memory's file."""

    def command(*options: str) -> StdioServerParameters:
        database = held.home.url
        words = ["-m", "quipu.serve.cli", "mcp", "--store", database, *options]
        environment = {**os.environ, "QUIPU_EMBED_MODEL": "none"}
        return StdioServerParameters(command=sys.executable, args=words, env=environment)

    return command


@pytest.fixture
def talk() -> Callable[..., Any]:
    """Run a conversation with a server: `talk(server, async function of the client)`."""

    def talking(server: Any, conversation: Callable[[Client], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            with anyio.fail_after(120):
                async with Client(server) as client:
                    return await conversation(client)

        return anyio.run(run)

    return talking
