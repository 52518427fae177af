"""The expansion is a rule over given relations; none of these tests needs a store."""

import msgspec

from quipu.plan.expand import expand
from quipu.records.record import Relation


def _relation(source: str, target: str, kind: str = "REFERENCES") -> Relation:
    return Relation(
        rel_id=f"re_{source}{target}{kind}",
        source_entity_id=source,
        target_entity_id=target,
        type=kind,
        created_at="2026-01-01T00:00:00.000Z",
        updated_at="2026-01-01T00:00:00.000Z",
        source_sha="0",
    )


AB, AC, BC = _relation("A", "B"), _relation("A", "C"), _relation("B", "C")
BY_SOURCE = {"A": [AB, AC], "B": [BC]}


def test_one_hop_from_a_reaches_exactly_b_and_c() -> None:
    assert {e.target_id for e in expand(["A"], BY_SOURCE)} == {"B", "C"}


def test_two_ways_to_the_same_record_are_both_kept() -> None:
    ways = expand(["A", "B", "A"], BY_SOURCE)
    assert [(e.source_id, e.target_id) for e in ways] == [("A", "B"), ("A", "C"), ("B", "C")]


def test_incoming_relations_are_ignored_unless_asked_for() -> None:
    incoming = {"C": [AC, BC]}
    assert expand(["C"], incoming) == ()
    assert {e.target_id for e in expand(["C"], incoming, incoming=True)} == {"A", "B"}


def test_the_same_input_in_any_order_gives_the_same_bytes() -> None:
    uses = _relation("A", "B", "USES")
    one = expand(["A", "B"], {"A": [AB, uses, AC], "B": [BC]})
    other = expand(["B", "A"], {"B": [BC], "A": [AC, uses, AB]})
    assert msgspec.json.encode(one) == msgspec.json.encode(other)
    assert [(e.source_id, e.target_id, e.via) for e in one] == [
        ("A", "B", "REFERENCES"),
        ("A", "B", "USES"),
        ("A", "C", "REFERENCES"),
        ("B", "C", "REFERENCES"),
    ]
