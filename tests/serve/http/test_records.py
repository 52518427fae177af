"""Records over HTTP: looked up, listed by pages, made, changed, removed."""

import time
from typing import Any

import pytest

pytestmark = pytest.mark.enable_socket


def _all(server: Any, path: str, name: str, **asked: Any) -> list[Any]:
    """Every row of a list, page by page."""
    rows: list[Any] = []
    cursor = None
    for _ in range(500):
        given = {**asked, **({"cursor": cursor} if cursor else {})}
        page = server.client.get(path, params=given).json()
        assert len(page[name]) <= asked["limit"]
        rows += page[name]
        cursor = page["next_cursor"]
        if cursor is None:
            return rows
    raise AssertionError("the list does not end")


@pytest.mark.parametrize(
    ("path", "name", "kind"),
    [
        ("/api/v1/episodes", "episodes", "episode"),
        ("/api/v1/entities", "entities", "entity"),
        ("/api/v1/relations", "relations", "relation"),
        ("/api/v1/facts", "facts", "fact"),
    ],
)
def test_lists_come_whole_by_pages(server: Any, path: str, name: str, kind: str) -> None:
    rows = _all(server, path, name, limit=3)
    assert len(rows) == server.memories.first.stats().counts[kind]
    assert len({str(row) for row in rows}) == len(rows)


@pytest.mark.parametrize("cursor", ["%%%", "a", "Zm9v", "\x00"])
def test_a_cursor_that_is_none_is_a_mistake(server: Any, cursor: str) -> None:
    reply = server.client.get("/api/v1/facts", params={"cursor": cursor})
    assert reply.status_code == 400
    assert "cursor" in reply.json()["detail"]


def test_a_cursor_is_of_one_list(server: Any) -> None:
    cursor = server.client.get("/api/v1/entities", params={"limit": 1}).json()["next_cursor"]
    for path, asked in (("/api/v1/entities", {"type": "Document"}), ("/api/v1/facts", {})):
        reply = server.client.get(path, params={**asked, "cursor": cursor})
        assert reply.status_code == 400
        assert "no cursor of this list" in reply.json()["detail"]


def test_a_reference_is_looked_up(server: Any) -> None:
    shown = server.client.get("/api/v1/records/docs/payments.md").json()
    assert shown["kind"] == "entity"
    assert shown["chunks"]
    passage = server.client.get("/api/v1/records/docs/payments.md:3-3").json()
    assert "Ada Lovelace" in passage["record"]["text"]
    lines = server.client.get("/api/v1/lines/docs/payments.md", params={"first": 3, "count": 1})
    assert lines.json()["text"].startswith("The payment service is owned")


@pytest.mark.parametrize("ref", ["nothing.md", "..%2F..%2Fetc%2Fpasswd", "%00", "en_0", "a" * 3000])
def test_what_is_unknown_is_not_found(server: Any, ref: str) -> None:
    for path in ("records", "lines"):
        reply = server.client.get(f"/api/v1/{path}/{ref}")
        assert reply.status_code == 404, reply.text
        assert reply.json()["kind"] == "UnknownRecord"
        assert len(reply.json()["detail"]) < 2000


def test_a_text_is_remembered_found_and_forgotten(server: Any) -> None:
    text = "The teapot in the kitchen is green."
    made = server.post("/api/v1/episodes", {"text": text, "source_ref": "manual:teapot"})
    assert made.status_code == 201
    found = server.post("/api/v1/search", {"question": "teapot"}).json()
    assert found["hits"][0]["source_ref"].startswith("manual:teapot")
    gone = server.client.delete("/api/v1/episodes/manual:teapot")
    assert gone.json()["episodes"] == 1
    again = server.post("/api/v1/search", {"question": "teapot"}).json()
    assert all("teapot" not in hit["text"] for hit in again["hits"])
    assert server.client.delete("/api/v1/episodes/manual:teapot").status_code == 404


def _await_job(server: Any, job_id: str) -> None:
    deadline = time.monotonic() + 30
    while server.client.get(f"/api/v1/jobs/{job_id}").json()["status"] != "done":
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_text_can_be_accepted_and_written_after(server: Any) -> None:
    made = server.post("/api/v1/episodes", {"text": "The cat is called Miso.", "wait": False})
    assert made.status_code == 202
    job_id = made.json()["job_id"]
    _await_job(server, job_id)
    listed = server.client.get("/api/v1/jobs").json()["jobs"]
    assert listed[0]["job_id"] == job_id


def test_a_session_and_an_entry_are_remembered(server: Any) -> None:
    said = [{"role": "user", "content": "My sister Nora lives in Bergen."}]
    job = server.post("/api/v1/sessions", {"session_id": "s1", "messages": said})
    assert job.json()["status"] == "done"
    kept = server.post(
        "/api/v1/entries", {"category": "preference", "content": "I like green tea best."}
    ).json()
    assert kept["stored"] is True
    back = server.post("/api/v1/recall", {"query": "green tea"}).json()
    assert back["entries"][0]["content"] == "I like green tea best."


def test_facts_are_stated_together_or_not_at_all(server: Any) -> None:
    owner = {"subject": "billing", "attribute": "owner", "value": "Dagny"}
    bad = server.post("/api/v1/statements", {"statements": [owner, {"subject": "billing"}]})
    assert bad.status_code == 400
    assert server.client.get("/api/v1/facts", params={"subject": "billing"}).json()["facts"] == []
    made = server.post("/api/v1/statements", {"statements": [owner, {**owner, "attribute": "x"}]})
    assert made.status_code == 201
    assert [each["done"] for each in made.json()["stated"]] == ["stated", "stated"]


def test_a_relation_is_made_changed_and_ended(server: Any) -> None:
    asked = {"source": "docs/history.md", "type": "EXPLAINS", "target": "docs/payments.md"}
    made = server.post("/api/v1/relations", asked)
    assert made.status_code == 201
    path = f"/api/v1/relations/{made.json()['rel_id']}"
    changed = server.client.patch(path, json={"confidence": 0.5}).json()
    assert changed["confidence"] == 0.5
    assert server.client.patch(path, json={}).status_code == 400
    assert server.client.delete(path).status_code == 200
    assert server.client.delete(path).status_code == 404
