"""Stores of an earlier system, built with FAISS itself, become incidents with their vectors."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss  # type: ignore[import-untyped]
import pytest

from quipu.errors import InvalidInput
from quipu.kinds.incidents.case_base import read_cases
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder

RUNTIME = [
    "payment-service 812.5 0.23 pool exhausted after deploy",
    "api-gateway 95 0.01 all calm",
    "ledger 600 0.4 1200 high",
]


def _store(
    folder: Path,
    texts: Any,
    *,
    embedded: Sequence[str] | None = None,
    metric: str = "l2",
    name: str = "incident_vectors.index",
    dimension: int = 32,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = HashEmbedder(dimension).embed(list(texts if embedded is None else embedded))
    index = faiss.IndexFlatL2(dimension) if metric == "l2" else faiss.IndexFlatIP(dimension)
    index.add(rows)
    faiss.write_index(index, str(folder / name))
    (folder / "incident_texts.json").write_text(json.dumps(texts))
    return folder


@pytest.mark.parametrize(
    ("metric", "name"), [("l2", "incident_vectors.index"), ("ip", "faiss_index.bin")]
)
def test_every_text_becomes_an_incident_and_keeps_its_vector(
    memory: Memory, tmp_path: Path, metric: str, name: str
) -> None:
    _store(tmp_path / "old" / "data", RUNTIME, metric=metric, name=name)
    calls = _calls(memory)
    done = memory.incidents.import_arf(tmp_path / "old")
    assert (done.imported, done.success_rate) == (3, 1.0)
    assert done.joined
    assert done.sample_cosine == pytest.approx(1, abs=1e-3)
    assert _calls(memory) - calls == 3  # the sample only
    cases = {c.incident.embedding_id: c.incident for c in read_cases(memory.store).cases}
    assert sorted(cases) == [0, 1, 2]
    assert cases[0].component == "payment-service"
    assert cases[0].metrics.known() == {"latency_p99": 812.5, "error_rate": 0.23}
    assert cases[0].summary == "pool exhausted after deploy"
    assert cases[2].metrics.throughput == 1200
    assert (cases[2].severity, cases[2].source_severity) == ("WARN", "high")
    assert all(incident.timestamp is None for incident in cases.values())
    space = HashEmbedder().space
    assert memory.store.spaces()[space] == 3
    found = memory.store.match_vector(HashEmbedder().embed([RUNTIME[1]])[0], space=space)
    assert memory.store.chunks(found.numbers)[0].heading_path == ("embedding", "1")
    before = memory.store.sequence()
    again = memory.incidents.import_arf(tmp_path / "old")
    assert (again.imported, again.unchanged, memory.store.sequence()) == (0, 3, before)


def _calls(memory: Memory) -> int:
    embedder = memory.embedder
    assert isinstance(embedder, HashEmbedder)
    return embedder.calls


def test_after_a_crash_what_both_have_is_taken_and_the_rest_told(
    memory: Memory, tmp_path: Path
) -> None:
    _store(tmp_path / "more", RUNTIME[:2], embedded=RUNTIME)
    done = memory.incidents.import_arf(tmp_path / "more")
    assert (done.imported, done.unmatched_vectors, done.unmatched_texts) == (2, (2,), ())
    assert "1 vectors have no text" in done.warnings[0].error
    _store(tmp_path / "fewer", RUNTIME, embedded=RUNTIME[:1])
    done = memory.incidents.import_arf(tmp_path / "fewer")
    assert (done.unmatched_texts, done.success_rate) == ((1, 2), pytest.approx(1 / 3, abs=1e-3))


def test_a_bad_text_is_named_and_the_rest_goes_in(memory: Memory, tmp_path: Path) -> None:
    texts = [RUNTIME[0], 5, "  ", "Pay_Service 10 2.5 analysis"]
    _store(tmp_path / "old", texts, embedded=[str(each) for each in texts])
    done = memory.incidents.import_arf(tmp_path / "old")
    assert done.imported == 2
    assert {"5 at position 1" in row.error for row in done.errors} == {True, False}
    assert "error_rate '2.5' cannot be used" in " ".join(row.error for row in done.warnings)
    assert "pay-service" in {c.incident.component for c in read_cases(memory.store).cases}


def _cut(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])


@pytest.mark.parametrize("keep", [0, 10, 36, 60, 200])
def test_a_cut_index_is_told(memory: Memory, tmp_path: Path, keep: int) -> None:
    _cut(_store(tmp_path / "old", RUNTIME) / "incident_vectors.index", keep)
    with pytest.raises(InvalidInput, match=r"is cut|cannot be read|no flat"):
        memory.incidents.import_arf(tmp_path / "old")
    assert read_cases(memory.store).cases == ()


def test_foreign_and_missing_files_are_told(memory: Memory, tmp_path: Path) -> None:
    folder = _store(tmp_path / "old", RUNTIME)
    (folder / "incident_texts.json").write_text('["a", ')
    with pytest.raises(InvalidInput, match="is cut or no JSON"):
        memory.incidents.import_arf(folder)
    (folder / "incident_texts.json").write_text('{"a": "b"}')
    with pytest.raises(InvalidInput, match="key 'a' is no position"):
        memory.incidents.import_arf(folder)
    (folder / "incident_vectors.index").write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(InvalidInput, match="is no flat FAISS index"):
        memory.incidents.import_arf(folder)
    (folder / "incident_vectors.index").unlink()
    with pytest.raises(InvalidInput, match=r"has no incident_vectors\.index"):
        memory.incidents.import_arf(folder)


def test_a_migrated_fix_is_an_action_with_edges_and_a_title(memory: Memory, tmp_path: Path) -> None:
    prose = (
        "Checkout timed out on the search-index service. Root cause: disk full. "
        "Solution: restarted the container"
    )
    again = "Search timed out on the search-index service. Solution: restarted the container"
    memory.incidents.import_arf(_store(tmp_path / "old", [prose, again]))
    first, _ = sorted(read_cases(memory.store).cases, key=lambda c: c.incident.embedding_id)
    assert first.incident.title == "Checkout timed out on the search-index service."
    assert (first.incident.component, first.incident.root_cause) == ("search-index", "disk full.")
    assert first.outcomes[0].actions_taken == ("restart_container",)
    shown = memory.incidents.show(first.incident.incident_id)
    assert {edge.type for edge in shown.edges} >= {"RESOLVED_BY", "SIMILAR_TO"}


def test_the_summary_is_kept_in_the_local_state(open_memory: Any, tmp_path: Path) -> None:
    _store(tmp_path / "old", RUNTIME)
    (tmp_path / ".quipu").mkdir()
    with open_memory(tmp_path / ".quipu" / "quipu.db", tmp_path) as memory:
        memory.incidents.import_arf(tmp_path / "old")
    held = json.loads((tmp_path / ".quipu" / "migration_summary.json").read_text())
    assert (held["found_texts"], held["imported"], held["success_rate"]) == (3, 3, 1.0)
    assert held["unmatched_texts"] == []
    assert held["when"] == "2026-03-01T10:00:00.000Z"
