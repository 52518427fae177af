"""What depends on what may be told after the incidents: the causes are drawn then."""

from pathlib import Path
from typing import Any

import pytest

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


def test_a_dependency_between_others_reaches_the_services_above(memory: Memory) -> None:
    memory.incidents.add(record("shop", "09:00", upstream_deps=["ledger"]))
    memory.incidents.add([record("db", "10:00"), record("shop", "10:05")])
    memory.incidents.add(record("db", "20:00", downstream_deps=["ledger"]))
    assert causes(memory) == {("shop", "db")}  # two hops


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


def test_linking_again_writes_nothing(memory: Memory) -> None:
    memory.incidents.add([record("db", "10:00"), record("shop", "10:05")])
    memory.incidents.add(record("shop", "20:00", upstream_deps=["db"]))
    before = memory.store.sequence()
    assert memory.incidents.link() == 1
    assert memory.store.sequence() == before


def test_no_service_has_every_source_read_for_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.incidents.add([record(f"service{n}", "10:00") for n in range(5)])
    read = type(memory.store).sources
    whole: list[object] = []

    def counted(store: Any, types: Any = frozenset(), *, refs: Any = ()) -> Any:
        whole.extend(() if refs else (types,))
        return read(store, types, refs=refs)

    monkeypatch.setattr(type(memory.store), "sources", counted)
    assert memory.incidents.link() == 0
    assert len(whole) < 2
