"""The routes of the graph, and the description of all shapes."""

from typing import Any

import pytest

pytestmark = pytest.mark.enable_socket


def test_the_graph_is_counted_searched_and_walked(server: Any) -> None:
    stats = server.client.get("/api/graph/stats").json()
    assert stats["entities"]["Document"] == 4
    found = server.client.get("/api/graph/search", params={"query": "payments"}).json()
    ref = found["nodes"][0]["id"]
    around = server.client.get(
        "/api/graph/neighborhood", params={"ref": ref, "hops": 2, "limit": 50}
    ).json()
    ids = {node["id"] for node in around["nodes"]}
    assert around["center"] == ref
    assert {end for edge in around["edges"] for end in (edge["from"], edge["to"])} <= ids
    thing = server.client.get(f"/api/graph/entity/{ref}").json()
    assert thing["node"]["id"] == ref
    whole = server.client.get("/api/graph/neighborhood", params={"limit": 2}).json()
    assert whole["center"] is None
    assert len(whole["nodes"]) == 2
    assert whole["bounded"] is True


def test_the_memory_is_asked_at_the_promised_addresses(server: Any) -> None:
    asked = {"query": "Who led the payment service in 2020?", "maxChars": 200}
    found = server.post("/api/memory/query", asked).json()
    assert found["facts"]
    assert max(len(hit["text"]) for hit in found["hits"]) <= 201
    pack = server.post("/api/memory/context-pack", {"query": "retry policy", "maxChars": 1200})
    assert len(pack.json()["pack"]) <= 1200
    assert pack.json()["sources"][0]["n"] == 1
    asked = {"subject": "Grace Hopper", "at": "2020-01-01"}
    (then,) = server.post("/api/facts/query-at-time", asked).json()["facts"]
    assert (then["subject"], then["object"]) == ("payment service", "Grace Hopper")
    assert server.client.get("/api/memory/status").json()["source_types"]["file"] == 4
    assert server.client.get("/api/memory/audit").json()["overview"]
