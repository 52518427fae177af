"""Graphiti reads what Quipu wrote on Neo4j."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contract.store_sample import (
    VERSION_A,
    claimed,
    document,
    fact,
    moment,
    one_source,
    thing,
)
from tests.suites.test_suites import HERE, OURS, _environment, _run

from quipu.embed.weights import find_model
from quipu.records.batch import Batch
from quipu.store import open_store

pytestmark = [pytest.mark.enable_socket, pytest.mark.large]


def write_notes(url: str) -> str:
    """A fact that holds and one that has expired, and a thing; the id of the first."""
    was = fact("Ada", "lives in", "Cuzco", at=moment(1), valid_from="2020-01-01")
    now = fact("Ada", "lives in", "Lima", at=moment(3), valid_from="2024-05-01")
    told = (was, document(VERSION_A), thing("cord", at=moment(1)))
    with open_store(url, namespace="notes") as store:
        store.write(one_source(VERSION_A, "Ada lives", at=1, claims=claimed(VERSION_A, *told)))
        store.write(
            Batch(recorded_at=moment(3), claims=claimed(VERSION_A, now), ends=(was.fact_id,))
        )
    return now.fact_id


def test_graphiti_opens_what_quipu_wrote_and_writes_its_own(
    tmp_path: Path, neo4j_address: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = neo4j_address("graphiti")
    python = _environment(
        tmp_path / "env", *OURS, "graphiti-core==0.31.1", "httpx", "pytest", "pytest-asyncio"
    )
    monkeypatch.setenv("NEO4J_URI", url)
    monkeypatch.setenv("WEIGHTS", str(find_model().weights.parent))
    monkeypatch.setenv("LIMA", write_notes(url))
    monkeypatch.setenv("OPENAI_API_KEY", "none: nothing here asks a model")
    monkeypatch.setenv("GRAPHITI_TELEMETRY_ENABLED", "false")
    done = _run(python, HERE / "graphiti_graph.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
