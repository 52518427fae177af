"""The server as a process on standard input and output: the protocol and nothing else."""

import json
import subprocess
import threading
from collections.abc import Callable
from typing import Any

from mcp import StdioServerParameters
from tests.serve.mcp.conftest import HELLO

Command = Callable[..., StdioServerParameters]

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
