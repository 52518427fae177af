"""A client that subscribes to a resource is told when the memory has changed, whoever wrote."""

import warnings
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification

from quipu.memory import Memory
from quipu.serve.mcp import Profile, build_server
from quipu.testing.fakes import HashEmbedder

INDEX = "quipu://index"
WAIT_S = 30


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with Memory.open(tmp_path / "memory.db", embedder=HashEmbedder()) as memory:
        memory.add("The payment service is owned by team Blue.")
    return tmp_path / "memory.db"


@pytest.mark.parametrize("profile", ["default", "server-memory"])
def test_a_listener_hears_of_a_write_by_somebody_else(place: Path, profile: Profile) -> None:
    async def heard() -> str:
        with Memory.open(place, embedder=HashEmbedder()) as memory:
            async with Client(build_server(memory, profile=profile)) as client:
                uri = str((await client.list_resources()).resources[0].uri)
                with anyio.fail_after(WAIT_S):
                    async with client.listen(resource_subscriptions=[uri]) as events:
                        with Memory.open(place, embedder=HashEmbedder()) as other:
                            other.add("The till is owned by team Red.")
                        event = await anext(aiter(events))
                assert isinstance(event, ResourceUpdated)
                assert str(event.uri) == uri
                page = (await client.read_resource(uri)).contents[0]
                return page.text

    assert anyio.run(heard)


def test_nobody_is_told_of_what_did_not_change(place: Path) -> None:
    async def heard() -> list[object]:
        found: list[object] = []
        with Memory.open(place, embedder=HashEmbedder()) as memory:
            async with (
                Client(build_server(memory)) as client,
                client.listen(resource_subscriptions=[INDEX]) as events,
            ):
                await client.call_tool("memory_search", {"query": "payment"})
                with anyio.move_on_after(1.5):
                    found = [event async for event in events]
        return found

    assert anyio.run(heard) == []


def test_clients_of_older_protocols_subscribe_and_leave(place: Path) -> None:
    told: list[str] = []

    async def on_message(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            told.append(str(message.params.uri))

    async def asked() -> None:
        with Memory.open(place, embedder=HashEmbedder()) as memory:
            server = build_server(memory)
            async with Client(server, mode="legacy", message_handler=on_message) as client:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    await client.subscribe_resource(INDEX)
                    memory.add("The till is owned by team Red.")
                    with anyio.fail_after(WAIT_S):
                        while not told:
                            await anyio.sleep(0.05)
                    await client.unsubscribe_resource(INDEX)
                    await anyio.sleep(1.0)
                    told.clear()
                    memory.add("The shelf is owned by team Green.")
                    await anyio.sleep(1.5)

    anyio.run(asked)
    assert told == []
