"""MCP over HTTP: many clients, this machine only, a key for the rest, no request left behind."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from tests.serve.mcp.conftest import HELLO

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.http import Options
from quipu.serve.http.app import build_app
from quipu.serve.http.listening import PatientConnection
from quipu.serve.http.memories import Memories

pytestmark = pytest.mark.enable_socket

TOKEN = "0123456789abcdef0123456789abcdef"
LOOPBACK = ["127.0.0.1", "127.0.0.2", "127.1", "localhost", "::1", "::ffff:127.0.0.1"]
PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture
def keyed(home: Path, open_home: Callable[..., Memory]) -> Iterator[Memories]:
    """The memories of a server that was started with a key."""
    with Memories(lambda name: open_home(home, name), folder=home, key=TOKEN) as opened:
        yield opened


def test_clients_talk_to_it_at_once(server: Any) -> None:
    async def talk(number: int, seen: list[str]) -> None:
        async with Client(f"{server.url}/mcp") as client:
            stored = await client.call_tool(
                "memory_store", {"category": "fact", "content": f"Agent {number} was here"}
            )
            assert not stored.is_error
            found = await client.call_tool("memory_recall", {"query": f"agent {number}"})
            seen += [entry["content"] for entry in found.structured_content["entries"]]
            assert (await client.call_tool("memory_search", {"query": []})).is_error

    async def all_at_once(seen: list[str]) -> None:
        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                for number in range(3):
                    group.start_soon(talk, number, seen)

    seen: list[str] = []
    anyio.run(all_at_once, seen)
    assert {f"Agent {number} was here" for number in range(3)} <= set(seen)


@pytest.mark.parametrize("host", ["0.0.0.0", "", "0", "::", "192.168.1.7", "nowhere.invalid"])
def test_an_open_address_needs_a_key(memories: Memories, keyed: Memories, host: str) -> None:
    with pytest.raises(InvalidInput, match="--token-file"):
        build_app(memories, Options(host=host))
    assert build_app(keyed, Options(host=host))


async def _posted(app: Any, body: Any, **headers: str) -> Any:
    async with _lifespan(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
        return await client.post("http://any/mcp", json=body, headers={**PLAIN, **headers})


@asynccontextmanager
async def _lifespan(app: Any) -> AsyncIterator[None]:
    """Start and stop an ASGI application, as a server does."""
    ends, started = anyio.Event(), anyio.Event()
    asked = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, str]:
        kind = next(asked)
        if kind == "lifespan.shutdown":
            await ends.wait()
        return {"type": kind}

    async def send(message: Any) -> None:
        assert "failed" not in message["type"], message
        started.set()

    async with anyio.create_task_group() as group:
        group.start_soon(app, {"type": "lifespan", "state": {}}, receive, send)
        await started.wait()
        yield
        ends.set()


def test_a_token_keeps_others_out(keyed: Memories) -> None:
    app = build_app(keyed, Options())
    for given in ("", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}", f"bearer {TOKEN}"):

        async def once(header: str = given) -> Any:
            return await _posted(app, HELLO, Host="localhost", Authorization=header)

        expected = 200 if given.lower() == f"bearer {TOKEN}" else 401
        assert anyio.run(once).status_code == expected


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("host", LOOPBACK)
def test_every_loopback_address_answers_to_its_own_names_only(
    memories: Memories, keyed: Memories, host: str, token: str
) -> None:
    app = build_app(keyed if token else memories, Options(host=host))
    own = f"[{host}]" if ":" in host else host

    def asked(host: str, **given: str) -> int:
        async def once() -> int:
            key = {"Authorization": f"Bearer {token}"} if token else {}
            return (await _posted(app, HELLO, Host=host, **key, **given)).status_code

        return anyio.run(once)

    assert asked(f"{own}:8765") == 200
    assert asked(own) == 200
    assert asked("localhost:8765", Origin="http://localhost:8765") == 200
    assert asked("evil.example:8765") == 421
    assert asked("127.0.0.1.evil.example") == 421
    assert asked("localhost", Origin="http://evil.example") == 403
    assert asked("localhost", Origin="null") == 403


def test_no_request_leaves_anything_behind(memories: Memories) -> None:
    assert anyio.run(_grown, build_app(memories, Options())) == 0


async def _grown(app: Any) -> int:
    async def tasks_after(http: httpx2.AsyncClient, times: int) -> int:
        for _ in range(times):
            reply = await http.post("http://localhost/mcp", json=HELLO, headers=PLAIN)
            assert reply.status_code == 200
            assert "mcp-session-id" not in reply.headers
        await anyio.wait_all_tasks_blocked()
        return len(asyncio.all_tasks())

    async with _lifespan(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
        return -await tasks_after(http, 1) + await tasks_after(http, 200)


def _head(length: int) -> bytes:
    lines = [f"{name}: {value}" for name, value in (PLAIN | {"Host": "localhost"}).items()]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, f"Content-Length: {length}", "\r\n"]).encode()


def _spoken(url: str, *parts: bytes) -> bytes:
    """All that comes back for some bytes, until the server closes."""
    host, port = url.removeprefix("http://").removesuffix("/mcp").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        try:
            for part in parts:
                client.sendall(part)
                time.sleep(0.02)
            return b"".join(iter(lambda: client.recv(65536), b""))
        except ConnectionError:
            return b""


class _Hasty(PatientConnection):
    head_s = body_s = 0.2
    most = 4


@pytest.fixture
def hasty() -> Iterator[str]:
    """A server with little patience and little room, which answers with what it was sent."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            body, more = body + message["body"], message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    config = uvicorn.Config(app, http=_Hasty, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield f"http://127.0.0.1:{port}/mcp"
        server.should_exit = True
        thread.join()


def test_a_request_that_never_comes_whole_is_not_waited_for(hasty: str) -> None:
    assert _spoken(hasty) == b""
    assert _spoken(hasty, b"POST /mcp HT") == b""
    assert _spoken(hasty, _head(1000), b"{") == b""
    assert _spoken(hasty, *(b"P" for _ in range(1000))) == b""
    assert _spoken(hasty, _head(1000), *(b" " for _ in range(1000))) == b""
    whole = _spoken(hasty, _head(2) + b"{}", _head(3) + b"[1]", _head(1000) + b"{")
    assert whole.count(b"HTTP/1.1 200 OK") == 2


def test_a_client_without_room_is_turned_away(hasty: str) -> None:
    host, port = hasty.removeprefix("http://").removesuffix("/mcp").split(":")
    with ExitStack() as open_now:
        for _ in range(_Hasty.most):
            client = open_now.enter_context(socket.create_connection((host, int(port))))
            client.sendall(b"POST")
        assert _spoken(hasty, _head(2) + b"{}") == b""
    assert b"200 OK" in _spoken(hasty, _head(2) + b"{}")
