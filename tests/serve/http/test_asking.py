"""Questions over HTTP, health, and how a request that fails is told."""

import json
import logging
from typing import Any

import pytest
from tests.rows import rows

pytestmark = pytest.mark.enable_socket

ASKED = {"question": "Who owns the payment service?"}


def test_an_answer_cites_what_it_stands_on(server: Any) -> None:
    reply = server.post("/api/v1/ask", ASKED)
    assert reply.status_code == 200
    body = reply.json()
    assert "Ada Lovelace" in body["contract"]["answer"]
    assert body["citations"][0]["path"] == "docs/payments.md"
    assert body["references"][0]
    assert body["plan"]["question"]


def test_the_unknown_is_said_to_be_unknown(server: Any) -> None:
    body = server.post("/api/v1/ask", {"question": "What is the phone number of Zork?"}).json()
    assert body["contract"]["answer"] == "unknown"
    assert body["contract"]["evidence"] == []
    assert body["contract"]["next_step"]


@pytest.mark.parametrize(
    ("body", "words"),
    rows(__file__, "bad_requests"),
)
def test_bad_requests_are_told_what_is_wrong(server: Any, body: str, words: str) -> None:
    reply = server.client.post("/api/v1/ask", content=body.encode())
    assert reply.status_code == 400
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert problem["status"] == 400
    assert problem["kind"] == "InvalidInput"
    assert words in problem["detail"]
    assert problem["request_id"] == reply.headers["x-request-id"]


def test_what_is_not_there_is_not_found(server: Any) -> None:
    for path in ("/api/v1/nothing", "/api/v2/ask", "/page/../../etc/passwd"):
        assert server.client.get(path).status_code == 404
    lost = server.client.get("/api/v1/nothing").json()["detail"]
    assert lost == "there is no '/api/v1/nothing' here: /api/openapi.json names what is"
    asked = server.client.get("/api/v1/ask")
    assert asked.status_code == 405
    assert "'/api/v1/ask' does not take GET" in asked.json()["detail"]
    assert "POST" in asked.headers["allow"]


def test_health_says_how_it_stands(server: Any) -> None:
    assert server.client.get("/health").json()["status"] == "healthy"
    ready = server.client.get("/health/ready")
    assert ready.status_code == 200
    checks = {each["name"]: each["status"] for each in ready.json()["checks"]}
    assert checks == {"store": "ok", "index": "ok", "embedder": "ok"}
    other = server.client.get("/health/neo4j")
    assert other.status_code == 404
    assert other.json() == {
        "status": "not used",
        "message": "the store is sqlite, not Neo4j: /health/ready tells of it",
    }


@pytest.mark.parametrize("log_questions", [False, True])
def test_questions_are_logged_only_when_asked_for(
    memories: Any, serve: Any, caplog: pytest.LogCaptureFixture, log_questions: bool
) -> None:
    caplog.set_level(logging.INFO, logger="quipu.serve.http.requests")
    question = ASKED["question"]
    with serve(memories, log_questions=log_questions) as server:
        for number, path in enumerate(("search", "ask", "plan")):
            marked = {"X-Request-ID": f"asked-{number}"}
            assert server.post(f"/api/v1/{path}", ASKED, headers=marked).status_code == 200
        server.client.get("/health", headers={"X-Request-ID": "other"})
    records = [r for r in caplog.records if r.name == "quipu.serve.http.requests"]
    lines = {line["request_id"]: line for line in (json.loads(r.getMessage()) for r in records)}
    told = {key: line.get("question") for key, line in lines.items()}
    asked = dict.fromkeys([f"asked-{n}" for n in range(3)], question if log_questions else None)
    assert told == {**asked, "other": None}
    assert (question in caplog.text) == log_questions


def test_a_secret_in_a_question_is_not_logged(
    memories: Any, serve: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="quipu.serve.http.requests")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    asked = {"question": f"Why does {secret} not open the ledger?"}
    with serve(memories, log_questions=True) as server:
        assert server.post("/api/v1/search", asked).status_code == 200
    assert "not open the ledger" in caplog.text
    assert secret not in caplog.text
