"""Keys: made, shown once, revoked; what each opens."""

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from quipu.ledger import Ledger
from quipu.serve.http.memories import Memories
from quipu.serve.keys import ApiKeys, read_key

pytestmark = pytest.mark.enable_socket

ASKED = {"question": "Who owns the payment service?"}


def _with(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_once_there_is_a_key_nobody_comes_in_without(server: Any) -> None:
    assert server.post("/api/v1/ask", ASKED).status_code == 200
    made = server.memories.keys.create("default", "read")
    refused = server.post("/api/v1/ask", ASKED)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert server.client.get("/metrics").status_code == 401
    assert server.client.get("/health").status_code == 200
    assert server.post("/api/v1/ask", ASKED, headers=_with(made.key)).status_code == 200
    other = {"X-API-Key": made.key}
    assert server.post("/api/v1/ask", ASKED, headers=other).status_code == 200
    server.memories.keys.revoke(made.key_id)
    ended = server.post("/api/v1/ask", ASKED, headers=_with(made.key))
    assert ended.status_code == 401
    assert "revoked" in ended.json()["detail"]
    assert made.key not in ended.text


@pytest.mark.parametrize(
    "given", ["", "quipu", "quipu__", "quipu_0_0", "Ü", "quipu_{id}_wrong", "x" * 5000, "{key}x"]
)
def test_what_is_no_key_opens_nothing(server: Any, given: str) -> None:
    made = server.memories.keys.create("default", "admin")
    sent = given.replace("{id}", made.key_id).replace("{key}", made.key).encode("latin-1")
    reply = server.client.get("/api/v1/jobs", headers={"X-API-Key": sent})
    assert reply.status_code == 401


def test_a_scope_bounds_what_a_key_does(server: Any) -> None:
    keys = server.memories.keys
    read, write, admin = (keys.create("default", s).key for s in ("read", "write", "admin"))
    text = {"text": "The door is red.", "source_ref": "manual:door"}

    def added(key: str) -> int:
        return int(server.post("/api/v1/episodes", text, headers=_with(key)).status_code)

    def forgotten(key: str) -> int:
        path = "/api/v1/episodes/manual:door"
        return int(server.client.delete(path, headers=_with(key)).status_code)

    assert (added(read), added(write), added(admin)) == (403, 201, 201)
    assert (forgotten(read), forgotten(write), forgotten(admin)) == (403, 403, 200)
    assert server.post("/api/v1/runs", {"kind": "index"}, headers=_with(write)).status_code == 403


def test_a_key_sees_its_namespace_alone(server: Any) -> None:
    keys = server.memories.keys
    home, team = keys.create("default", "admin").key, keys.create("team", "admin").key
    text = {"text": "The team's mascot is an otter.", "source_ref": "manual:otter"}
    made = server.post("/api/v1/episodes", text, headers=_with(team)).json()
    episode = f"/api/v1/records/{made['episode_id']}"
    assert server.client.get(episode, headers=_with(team)).status_code == 200
    assert server.client.get(episode, headers=_with(home)).status_code == 404
    path = "/api/v1/episodes/manual:otter"
    assert server.client.delete(path, headers=_with(home)).status_code == 404
    mine = server.client.get("/api/v1/episodes", headers=_with(team)).json()["episodes"]
    assert [each["source_ref"] for each in mine] == ["manual:otter"]
    asked = server.post("/api/v1/ask", ASKED, headers=_with(team)).json()
    assert "Lovelace" not in str(asked)
    run = server.post("/api/v1/runs", {"kind": "reflect"}, headers=_with(team)).json()
    shown = server.client.get(f"/api/v1/runs/{run['run_id']}", headers=_with(home))
    assert shown.status_code == 404
    assert server.client.get("/api/v1/jobs", headers=_with(home)).json()["jobs"] == []


def test_mcp_asks_for_the_same_keys(server: Any) -> None:
    keys = server.memories.keys
    read, write = keys.create("default", "read").key, keys.create("team", "write").key

    async def tools(key: str) -> set[str]:
        async with (
            httpx2.AsyncClient(headers=_with(key)) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "memory_store" not in anyio.run(tools, read)
    assert "memory_store" in anyio.run(tools, write)
    assert server.client.post("/mcp", json={}).status_code == 401


def test_a_key_put_into_the_file_opens_nothing(home: Path, memories: Memories) -> None:
    assert memories.keys is not None
    made = memories.keys.create("default", "read")
    with Ledger(home / ".quipu" / "ops.db") as ledger:
        entry = ledger.get("api_key", made.key_id)
        assert entry is not None
        assert made.key.encode() not in entry.value
        assert made.key.rpartition("_")[2].encode() not in entry.value
        wider = entry.value.replace(b'"read"', b'"admin"')
        assert ledger.put_if("api_key", made.key_id, entry.version, wider)
        assert memories.keys.find(made.key) is None
        other = ApiKeys(ledger, sealing=b"of another user", clock=memories.first.clock)
        foreign = other.create("default", "admin")
    assert memories.keys.find(foreign.key) is None


def test_a_request_that_is_too_large_is_refused(
    memories: Memories, serve: Callable[..., Any]
) -> None:
    with serve(memories, largest=100_000) as server:
        body = b'{"question": "' + b"x" * 200_000 + b'"}'
        declared = [server.client.post(at, content=body) for at in ("/api/v1/ask", "/mcp", "/no")]

        def pieces() -> Any:
            yield b'{"question": "'
            for _ in range(100):
                yield b"x" * 10_000

        sent = [server.client.post(at, content=pieces()) for at in ("/api/v1/ask", "/mcp")]
        for reply in (*declared, *sent):
            assert reply.status_code == 413
            assert "send it in parts" in reply.json()["detail"]
            assert reply.headers["content-type"] == "application/problem+json"
        assert server.client.get("/health").status_code == 200


def test_what_takes_too_long_is_answered_and_what_is_too_much_refused(
    memories: Memories, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()
    monkeypatch.setattr(memories.first, "plan", lambda *_a, **_k: let_go.wait(20))
    with serve(memories, seconds=1, threads=1, waiting=0) as server:
        try:
            assert server.post("/api/v1/plan", ASKED).status_code == 504
            busy = server.post("/api/v1/plan", ASKED)
            assert busy.status_code == 503
            assert busy.headers["retry-after"] == "1"
        finally:
            let_go.set()
        for _ in range(100):
            if server.client.get("/health/ready").status_code == 200:
                return
            time.sleep(0.05)
        raise AssertionError("the threads were not given back")


def test_a_body_that_never_ends_is_given_up(memories: Memories, serve: Callable[..., Any]) -> None:
    with serve(memories, seconds=1.5) as server:
        server.post("/api/v1/ask", ASKED)  # what the first question loads takes longer
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            begun = b"POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"
            connection.sendall(begun)
            told = b""
            while piece := connection.recv(4096):
                told += piece
                if b"request_id" in told:
                    break
        assert told.startswith(b"HTTP/1.1 504 ")
        assert b"send the body faster" in told
        assert server.post("/api/v1/ask", ASKED).status_code == 200


def test_a_client_that_leaves_half_way_harms_nobody(
    server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    for half in (
        b"POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
        b"POST /api/v1/ask HTT",
        b"\x16\x03\x01\x00",
    ):
        with socket.create_connection((host, int(port)), timeout=5) as connection:
            connection.sendall(half)
    assert server.post("/api/v1/ask", ASKED).status_code == 200
    counted = ('status="500"', 'status="0"')
    deadline = time.monotonic() + 5
    while not any(each in server.client.get("/metrics").text for each in counted):
        assert time.monotonic() < deadline, "the request that was left was not counted"
        time.sleep(0.02)
    assert "Traceback" not in caplog.text


def test_a_key_is_read_behind_a_mark_of_its_encoding(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n", "utf-8-sig")
    assert read_key(file) == "0123456789abcdef"
