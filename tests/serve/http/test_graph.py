"""The routes that agents' web tools know: queries, packs, facts at a time, the graph."""

from typing import Any

import pytest

from quipu.agents.graphs import Edge
from quipu.serve.http.app import endpoints
from quipu.serve.http.openapi import shapes_of
from quipu.serve.operations.asking import FoundPassages

pytestmark = pytest.mark.enable_socket


def test_a_query_gives_passages_facts_and_plan(server: Any) -> None:
    found = server.post(
        "/api/memory/query", {"query": "Who led the payment service in 2020?", "maxChars": 200}
    ).json()
    assert found["hits"]
    assert found["facts"]
    assert max(len(hit["text"]) for hit in found["hits"]) <= 201


def test_a_pack_stays_within_its_budget(server: Any) -> None:
    pack = server.post(
        "/api/memory/context-pack", {"query": "retry policy", "maxChars": 1200}
    ).json()
    assert len(pack["pack"]) <= 1200
    assert pack["sources"][0]["n"] == 1


def test_facts_are_asked_at_a_date(server: Any) -> None:
    asked = {"subject": "Grace Hopper", "at": "2020-01-01"}
    (then,) = server.post("/api/facts/query-at-time", asked).json()["facts"]
    assert (then["subject"], then["object"]) == ("payment service", "Grace Hopper")
    assert server.post("/api/facts/query-at-time", {}).status_code == 400


def test_status_and_audit_are_told(server: Any) -> None:
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
