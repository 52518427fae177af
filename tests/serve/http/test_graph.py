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
