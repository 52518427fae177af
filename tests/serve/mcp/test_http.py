"""The server over streamable HTTP: many clients, this machine only, a token for the rest."""

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.mcp import build_server
from quipu.serve.mcp.running import http_app, read_token

pytestmark = pytest.mark.enable_socket

TOKEN = "0123456789abcdef0123456789abcdef"
Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def serve(server_command: Callable[..., StdioServerParameters]) -> Serve:
    """Run the server as a process and give its address."""

    @contextmanager
    def serving(*options: str) -> Iterator[str]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = server_command("--http", "--port", str(port), *options)
        process = subprocess.Popen(
            [command.command, *command.args], env=command.env, stderr=subprocess.DEVNULL
        )
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait(30)

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


def _status(url: str, **headers: str) -> int:
    plain = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = urllib.request.Request(url, data=b"{}", headers=plain | headers)
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
        assert _status(url, Authorization="Bearer wrong") == 401
        assert anyio.run(tools, url, {"Authorization": f"Bearer {TOKEN}"})


def test_a_page_of_another_origin_is_refused(serve: Serve) -> None:
    with serve() as url:
        assert _status(url, Host="evil.example") in {403, 421}
        assert _status(url, Origin="https://evil.example") == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_an_open_address_needs_a_token(held: Memory, host: str) -> None:
    server = build_server(held)
    with pytest.raises(InvalidInput, match="--token-file"):
        http_app(server, host=host)
    assert http_app(server, host=host, token=TOKEN)


@pytest.mark.parametrize("text", ["", "short", "with a space in the middle of it"])
def test_a_weak_token_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, match="holds no token"):
        read_token(file)
