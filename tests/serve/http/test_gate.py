"""What a request passes before it is answered: what the server's figures tell to whom,
and bodies that have two lengths."""

import socket
from typing import Any

import pytest
from tests.rows import rows

pytestmark = pytest.mark.enable_socket

ASKED = {"question": "Who owns the payment service?"}
_POST = "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\n"


def _with(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _exchange(url: str, *requests: str) -> bytes:
    """All that comes back on one connection until the server closes it or says nothing more."""
    host, port = url.removeprefix("http://").split(":")
    told = b""
    with socket.create_connection((host, int(port)), timeout=2) as connection:
        connection.sendall("".join(requests).encode("latin-1"))
        try:
            while piece := connection.recv(65_536):
                told += piece
        except TimeoutError:
            return told + b"(open)"
    return told


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_figures_tell_a_key_of_its_own_namespace_alone(server: Any, scope: str) -> None:
    keys = server.memories.keys
    mine, theirs = keys.create("mine", scope).key, keys.create("acquisition", "write").key
    for _ in range(3):
        server.post("/api/v1/ask", ASKED, headers=_with(theirs))
    text = server.client.get("/metrics", headers=_with(mine)).text
    assert 'quipu_records{kind="chunk",namespace="mine"} 0.0' in text
    assert "acquisition" not in text
    assert 'namespace="default"' not in text
    assert "quipu_request" not in text
    assert "quipu_answer_confidence" not in text
    assert "quipu_calls" not in text


def test_figures_of_the_whole_server_are_for_who_runs_it(server: Any) -> None:
    for _ in range(3):
        server.post("/api/v1/ask", ASKED)
    text = server.client.get("/metrics").text
    assert 'quipu_requests_total{method="POST",route="/api/v1/ask",status="200"} 3.0' in text
    assert "quipu_answer_confidence_count 3.0" in text
    assert 'quipu_records{kind="chunk",namespace="default"}' in text


def test_who_runs_a_server_that_only_reads_is_told_of_it_whole(serve: Any, memories: Any) -> None:
    with serve(memories, read_only=True) as server:
        server.post("/api/v1/ask", ASKED)
        assert "quipu_requests_total" in server.client.get("/metrics").text
        assert "passages" in server.client.get("/health/ready").text


def test_who_holds_no_key_is_told_no_details_of_health(server: Any) -> None:
    assert "passages" in server.client.get("/health/ready").text
    key = server.memories.keys.create("mine", "read").key
    told = server.client.get("/health/ready").json()
    assert told["ready"]
    assert {each["detail"] for each in told["checks"]} == {""}
    own = server.client.get("/health/ready", headers=_with(key)).json()
    assert "it holds nothing" in str(own)


def test_no_request_makes_figures_of_its_own(server: Any) -> None:
    def ask(n: int) -> None:
        server.client.request(f"M{n}{'X' * 5000}", f"/nowhere/{n}")
        server.client.get(f"/api/v1/nothing-{n}", headers={"Host": f"evil-{n}.example"})
        server.client.get(f"/page/{n}.js", headers={"X-API-Key": f"quipu_{n}_x"})

    def series() -> set[str]:
        lines = server.client.get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0] for line in lines}

    series()
    ask(0)
    before = series()
    for n in range(1, 20):
        ask(n)
    assert series() == before


def test_a_body_with_two_lengths_is_refused_and_ends_the_connection(server: Any) -> None:
    smuggled = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    both = f"{_POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    told = _exchange(server.url, both, smuggled)
    assert told.startswith(b"HTTP/1.1 400 ")
    assert b"both Content-Length and Transfer-Encoding" in told
    assert b"connection: close" in told.lower()
    assert told.count(b"HTTP/1.1 ") == 1
    assert not told.endswith(b"(open)")


@pytest.mark.parametrize(
    "head",
    rows(__file__, "what_is_no_http"),
)
def test_what_is_no_http_is_answered_once_and_ends_the_connection(server: Any, head: str) -> None:
    told = _exchange(server.url, _POST, head, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert not told.endswith(b"(open)")
    assert b"HTTP/1.1 200" not in told
    assert server.client.get("/health").status_code == 200
