"""`mcp --http`: many clients, this machine only, a key for the rest, no request left behind."""

import asyncio
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.http import Options
from quipu.serve.http.app import build_app
from quipu.serve.http.listening import PatientConnection
from quipu.serve.http.memories import Memories
from quipu.serve.keys import read_key

pytestmark = pytest.mark.enable_socket

TOKEN = "0123456789abcdef0123456789abcdef"
Serve = Callable[..., AbstractContextManager[str]]

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
def serve(server_command: Callable[..., StdioServerParameters], tmp_path: Path) -> Serve:
    """Run the server as a process and give its address."""

    @contextmanager
    def serving(*options: str) -> Iterator[str]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = server_command("--http", "--port", str(port), *options)
        with (tmp_path / "stderr").open("wb") as said:
            words = [command.command, *command.args]
            process = subprocess.Popen(words, env=command.env, stderr=said)
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            assert process.wait(30) == 0  # told to end, it closes the memory first

    return serving


def _wait(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not listen")


PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def _status(
    url: str, headers: dict[str, str] | None = None, *, data: bytes = b"{}", method: str = "POST"
) -> int:
    request = urllib.request.Request(url, data=data, headers=PLAIN | (headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_clients_talk_to_it_at_once(serve: Serve) -> None:
    async def talk(url: str, number: int, seen: list[str]) -> None:
        async with Client(url) as client:
            stored = await client.call_tool(
                "memory_store", {"category": "fact", "content": f"Agent {number} was here"}
            )
            assert not stored.is_error
            found = await client.call_tool("memory_recall", {"query": f"agent {number}"})
            seen += [entry["content"] for entry in found.structured_content["entries"]]
            assert (await client.call_tool("memory_search", {"query": []})).is_error

    async def all_at_once(url: str, seen: list[str]) -> None:
        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                for number in range(3):
                    group.start_soon(talk, url, number, seen)

    seen: list[str] = []
    with serve() as url:
        anyio.run(all_at_once, url, seen)
    assert {f"Agent {number} was here" for number in range(3)} <= set(seen)


def test_a_token_keeps_others_out(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n", "utf-8")

    async def tools(url: str, headers: dict[str, str]) -> Any:
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return (await client.list_tools()).tools

    with serve("--token-file", str(file)) as url:
        assert _status(url) == 401
        assert _status(url, headers={"Authorization": "Bearer wrong"}) == 401
        assert _status(url, headers={"Authorization": f"Basic {TOKEN}"}) == 401
        assert anyio.run(tools, url, {"Authorization": f"Bearer {TOKEN}"})
        assert anyio.run(tools, url, {"Authorization": f"bearer {TOKEN}"})


@pytest.mark.parametrize("host", ["0.0.0.0", "", "0", "::", "192.168.1.7", "nowhere.invalid"])
def test_an_open_address_needs_a_token(held: Memory, host: str) -> None:
    with _served(held) as memories, pytest.raises(InvalidInput, match="--token-file"):
        build_app(memories, Options(host=host))
    with _served(held, TOKEN) as memories:
        assert build_app(memories, Options(host=host))


@contextmanager
def _served(held: Memory, key: str = "") -> Iterator[Memories]:
    url, folder = held.home.url, held.home.folder

    def opened(_namespace: str | None) -> Memory:
        return Memory.open(url, embedder=None, home=folder)

    with Memories(opened, folder=folder, key=key) as memories:
        yield memories


async def _asked(app: Any, *, host: str, origin: str = "", token: str = "") -> int:
    headers = {**PLAIN, "Host": host}
    headers |= {"Origin": origin} if origin else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    async with _lifespan(app), httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
        return (await client.post("http://any/mcp", json=HELLO, headers=headers)).status_code


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


LOOPBACK = ["127.0.0.1", "127.0.0.2", "127.1", "localhost", "::1", "::ffff:127.0.0.1"]


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("host", LOOPBACK)
def test_every_loopback_address_answers_to_its_own_names_only(
    held: Memory, host: str, token: str
) -> None:
    own = f"[{host}]" if ":" in host else host
    with _served(held, token) as memories:

        def asked(**given: str) -> int:
            app = build_app(memories, Options(host=host))

            async def once() -> int:
                return await _asked(app, token=token, **given)

            return anyio.run(once)

        assert asked(host=f"{own}:8765") == 200
        assert asked(host=own) == 200
        assert asked(host="localhost:8765", origin="http://localhost:8765") == 200
        assert asked(host="evil.example:8765") == 421
        assert asked(host="127.0.0.1.evil.example") == 421
        assert asked(host="localhost", origin="http://evil.example") == 403
        assert asked(host="localhost", origin="null") == 403


def test_who_may_only_read_gets_no_tool_that_writes(held: Memory) -> None:
    async def tools(app: Any) -> str:
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        async with (
            _lifespan(app),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client,
        ):
            return (await client.post("http://localhost/mcp", json=listing, headers=PLAIN)).text

    for read_only in (False, True):
        with _served(held) as memories:
            app = build_app(memories, Options(read_only=read_only))
            assert ('"name":"memory_store"' in anyio.run(tools, app)) is not read_only


def test_no_request_leaves_anything_behind(held: Memory) -> None:
    with _served(held) as memories:
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


def test_a_token_is_read_behind_a_mark_of_its_encoding(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n", "utf-8-sig")
    assert read_key(file) == "0123456789abcdef"
