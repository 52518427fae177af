"""The server as a process on standard input and output: the protocol and nothing else."""

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from quipu.memory import Memory

Command = Callable[..., StdioServerParameters]

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
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def _call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def _exchange(
    command: StdioServerParameters, lines: list[bytes], wanted: set[int]
) -> tuple[list[Any], str, int]:
    """Send raw lines; what came back until the `wanted` replies, standard error, the exit code."""
    process = subprocess.Popen(
        [command.command, *command.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=command.env,
    )
    assert process.stdin
    assert process.stdout
    guard = threading.Timer(60, process.kill)
    guard.start()
    process.stdin.write(b"".join(line + b"\n" for line in lines))
    process.stdin.flush()
    replies: list[Any] = []
    for row in process.stdout:
        replies.append(json.loads(row))
        wanted.discard(replies[-1].get("id"))
        if not wanted:
            break
    out, err = process.communicate()
    guard.cancel()
    replies += [json.loads(row) for row in out.splitlines()]
    return replies, err.decode(), process.returncode


def test_bad_lines_do_not_break_the_stream(server_command: Command) -> None:
    lines = [
        json.dumps(HELLO).encode(),
        json.dumps(READY).encode(),
        b"this is no JSON",
        b'{"jsonrpc": "2.0"',
        b"[]",
        b"\xff\xfe\x00",
        json.dumps(_call(2, "memory_search", {"query": {"a": []}})).encode(),
        json.dumps(_call(3, "memory_search", {"query": "lone \ud800 surrogate"})).encode(),
        json.dumps(_call(4, "memory_search", "no object")).encode(),
        json.dumps(_call(5, "memory_search", {"query": "\x00\x1b[31m payment"})).encode(),
        json.dumps(_call(6, "memory_get", {"path": "docs/ledger.md"})).encode(),
    ]
    replies, _, code = _exchange(server_command(), lines, wanted={2, 5, 6})
    answered = {reply["id"]: reply for reply in replies if reply.get("id") is not None}
    assert all(reply.get("jsonrpc") == "2.0" for reply in replies)
    assert answered[2]["result"]["isError"]
    assert not answered[5]["result"]["isError"]
    assert "The ledger keeps" in answered[6]["result"]["structuredContent"]["text"]
    assert code == 0


def test_without_a_store_the_server_says_so_and_ends(
    tmp_path: Path, server_command: Command
) -> None:
    command = server_command("--read-only")
    words = [w if not w.endswith("quipu.db") else str(tmp_path / "no.db") for w in command.args]
    done = subprocess.run(
        [command.command, *words],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        env=command.env,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"there is no store" in done.stderr


def test_several_servers_on_one_file_lose_nothing(held: Memory, server_command: Command) -> None:
    servers, notes = 3, 6

    async def write(number: int) -> None:
        profile = "server-memory" if number == 0 else "full"
        async with Client(server_command("--profile", profile)) as client:
            for note in range(notes):
                if number == 0:
                    thing = {"name": f"Thing {note}", "entityType": "t", "observations": ["seen"]}
                    result = await client.call_tool("create_entities", {"entities": [thing]})
                    assert not result.is_error, result.content
                    continue
                shared = {"category": "fact", "content": "All agree", "tags": [f"{number}-{note}"]}
                item = {
                    "kind": "turn",
                    "text": f"{number} says {note}",
                    "metadata": {"speaker": f"S{number}"},
                }
                for name, arguments in (
                    ("memory_store", shared),
                    ("memory_ingest", {"items": [item], "sessionKey": "joint"}),
                ):
                    result = await client.call_tool(name, arguments)
                    assert not result.is_error, result.content
                await client.call_tool("memory_search", {"query": "who says what"})

    async def write_all() -> None:
        with anyio.fail_after(200):
            async with anyio.create_task_group() as group:
                for number in range(servers):
                    group.start_soon(write, number)

    anyio.run(write_all)

    async def read(profile: str, name: str, arguments: dict[str, Any]) -> Any:
        async with Client(server_command("--profile", profile)) as client:
            return (await client.call_tool(name, arguments)).structured_content

    recalled = anyio.run(read, "default", "memory_recall", {"query": "All agree"})
    assert len(recalled["entries"][0]["tags"]) == (servers - 1) * notes
    said = anyio.run(read, "default", "memory_get", {"path": "session:joint"})["text"]
    assert len(set(said.splitlines())) == (servers - 1) * notes
    graph = anyio.run(read, "server-memory", "read_graph", {})
    assert len(graph["entities"]) == notes
