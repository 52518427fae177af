"""What depends on what may be told after the incidents: the causes are drawn then."""

from pathlib import Path
from typing import Any

from quipu.kinds.incidents.case_base import edges_between, read_cases
from quipu.memory import Memory

DAY = "2026-02-01T"
COMPOSE = """services:
  shop: {depends_on: [ledger]}
  ledger: {depends_on: [db]}
  db: {}
"""


def record(component: str, time: str, **more: Any) -> dict[str, Any]:
    return {"component": component, "timestamp": f"{DAY}{time}:00Z", **more}


def causes(memory: Memory) -> set[tuple[str, str]]:
    named = {c.incident.incident_id: c.incident.component for c in read_cases(memory.store).cases}
    return {
        (named[edge.source_id], named[edge.target_id])
        for edge in edges_between(memory.store, list(named))
        if edge.type == "CAUSED_BY"
    }


def test_a_later_report_that_names_the_dependency_explains_earlier_incidents(
    memory: Memory,
) -> None:
    memory.incidents.add([record("db", "10:00"), record("shop", "10:05")])
    assert causes(memory) == set()
    memory.incidents.add(record("shop", "20:00", upstream_deps=["db"]))
    assert causes(memory) == {("shop", "db")}


def test_a_compose_file_that_is_indexed_later_explains_earlier_incidents(
    open_memory: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    with open_memory("memory:", folder) as memory:
        reports = [record("db", "10:00"), record("ledger", "10:02"), record("shop", "10:05")]
        memory.incidents.add(reports)
        assert causes(memory) == set()
        (folder / "docker-compose.yml").write_text(COMPOSE)
        memory.index()
        assert causes(memory) == {("ledger", "db"), ("shop", "ledger"), ("shop", "db")}


def test_a_dependency_that_is_gone_explains_nothing_any_more(
    open_memory: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    with open_memory("memory:", folder) as memory:
        memory.incidents.add([record("ledger", "10:02"), record("shop", "10:05")])
        compose = folder / "docker-compose.yml"
        compose.write_text(COMPOSE)
        memory.index()
        assert causes(memory) == {("shop", "ledger")}
        compose.write_text("services:\n  shop: {}\n  ledger: {}\n")
        memory.index()
        assert causes(memory) == set()
