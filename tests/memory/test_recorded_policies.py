"""The action policies in force are records: what advised an action can be opened."""

from quipu.memory import Memory
from quipu.records.record import Entity

SLOW = {"component": "a", "timestamp": "2026-02-01T10:00:00Z", "metrics": {"latency_p99": 900}}


def _policies(memory: Memory) -> dict[str, Entity]:
    records = memory.store.scan("entity")
    return {e.name: e for e in records if isinstance(e, Entity) and e.type == "ActionPolicy"}


def test_what_advises_can_be_looked_up_by_its_name(memory: Memory) -> None:
    memory.incidents.add(SLOW)
    advice = memory.incidents.recommend(SLOW)
    cited = advice.actions[0].policies[0]
    held = _policies(memory)[cited]
    assert held.properties["conditions"] == ["latency_p99 > 500"]
    uses = memory.store.neighbors([held.entity_id], types=frozenset({"USES"}))[held.entity_id]
    names = {r.target_entity_id: r for r in uses}
    actions = memory.store.get(list(names)).values()
    assert {e.name for e in actions if isinstance(e, Entity)} == {"restart_container", "alert_team"}
