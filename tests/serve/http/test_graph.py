"""The routes of the graph, and the description of all shapes."""

from typing import Any

import pytest

from quipu.agents.graphs import Edge
from quipu.serve.http.app import endpoints
from quipu.serve.http.openapi import shapes_of
from quipu.serve.operations.asking import FoundPassages

pytestmark = pytest.mark.enable_socket


def test_status_and_audit_are_told(server: Any) -> None:
    for path in ("memory/query", "memory/context-pack"):
        assert server.post(f"/api/{path}", {"query": "retry policy"}).status_code == 200
    assert server.post("/api/facts/query-at-time", {}).status_code == 400
    status = server.client.get("/api/memory/status").json()
    assert status["source_types"]["file"] == 4
    assert server.client.get("/api/memory/audit").json()["overview"]


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


def test_a_neighborhood_out_of_bounds_is_a_mistake(server: Any) -> None:
    asked = server.client.get("/api/graph/neighborhood", params={"ref": "x", "hops": 9})
    assert asked.status_code == 400
    assert server.client.get("/api/graph/neighborhood?ref=nobody").status_code == 404


def test_no_two_shapes_share_a_name_in_the_description(server: Any) -> None:
    shapes = dict.fromkeys(shapes_of(endpoints()))
    assert len({shape.__name__ for shape in shapes}) == len(shapes) > 50
    schemas = server.client.get("/api/openapi.json").json()["components"]["schemas"]
    assert schemas["Edge"]["properties"].keys() == {*Edge.__struct_encode_fields__}
    assert schemas["FoundPassages"]["properties"].keys() == {
        *FoundPassages.__struct_encode_fields__
    }
