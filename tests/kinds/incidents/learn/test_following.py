"""Cases that are followed change by change are those that reading all of them gives."""

from typing import Any

import msgspec

from quipu.kinds.incidents.case_base import CaseReader, read_cases
from quipu.memory import Memory
from quipu.records.batch import Batch


def _incident(day: int, **more: Any) -> dict[str, Any]:
    return {
        "component": f"svc-{day % 3}",
        "timestamp": f"2026-02-{day:02d}T10:00:00Z",
        "metrics": {"latency_p99": 500 + 10 * day},
        "outcomes": [
            {
                "actions_taken": ["scale_out"],
                "success": day % 2 == 0,
                "recorded_at": f"2026-02-{day:02d}T11:00:00Z",
            }
        ],
        **more,
    }


def _same(cases: CaseReader, memory: Memory) -> bool:
    return msgspec.json.encode(cases.read()) == msgspec.json.encode(read_cases(memory.store))


def test_what_is_told_later_is_followed(memory: Memory) -> None:
    cases = CaseReader(memory.store)
    assert _same(cases, memory)
    added = memory.incidents.add([_incident(day) for day in range(1, 6)]).added
    assert _same(cases, memory)
    memory.incidents.outcome(added[2], "rollback", success=False)
    memory.incidents.add(_incident(2, metrics={"error_rate": 0.4}, source="other"))
    assert _same(cases, memory)
    gone = Batch(recorded_at="2026-03-01T00:00:00.000Z", replaces=(f"incident:{added[0]}",))
    memory.store.write(gone)
    assert _same(cases, memory)
    memory.forget([f"incident:{added[1]}"])
    assert _same(cases, memory)
    assert cases.read() is cases.read()


def test_advice_knows_what_was_told_since_the_last(memory: Memory) -> None:
    subject = {"component": "svc-1", "metrics": {"latency_p99": 900}}
    before = memory.incidents.recommend(subject, retrieval="on")
    for day in range(1, 9):
        row = _incident(day, component="svc-1", metrics={"latency_p99": 900})
        row["outcomes"][0] |= {"success": True, "actions_taken": ["traffic_shift"]}
        memory.incidents.add(row)
    after = memory.incidents.recommend(subject, retrieval="on")
    assert (before.basis, after.basis) == ("static", "learned")
    assert after.actions[0].action == "traffic_shift"
