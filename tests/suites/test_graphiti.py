"""Graphiti reads what Quipu wrote on Neo4j, and Quipu what Graphiti wrote."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contract.store_sample import VERSION_A, document, fact, moment, one_source, thing
from tests.suites.test_suites import HERE, OURS, _environment, _run

from quipu.embed.weights import find_model
from quipu.memory import Memory
from quipu.records.batch import Batch, Claim
from quipu.store import open_store
from quipu.testing.fakes import HashEmbedder

pytestmark = [pytest.mark.enable_socket, pytest.mark.large]


def write_notes(url: str) -> str:
    """A fact that holds and one that has expired, and a thing; the id of the first."""
    was = fact("Ada", "lives in", "Cuzco", at=moment(1), valid_from="2020-01-01")
    now = fact("Ada", "lives in", "Lima", at=moment(3), valid_from="2024-05-01")
    told = (was, document(VERSION_A), thing("cord", at=moment(1)))
    claims = tuple(Claim(record, VERSION_A.episode_id) for record in told)
    with open_store(url, namespace="notes") as store:
        store.write(one_source(VERSION_A, "Ada lives", at=1, claims=claims))
        moved = (Claim(now, VERSION_A.episode_id),)
        store.write(Batch(recorded_at=moment(3), claims=moved, ends=(was.fact_id,)))
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
    with Memory.open("memory:", embedder=HashEmbedder(), home=tmp_path) as memory:
        moved = memory.import_graphiti(url)
        assert (moved.episodes, moved.chunks, moved.past, moved.refused) == (1, 1, 1, ())
        assert memory.import_graphiti(url).changes == 0
        (now,) = memory.store.facts()
        assert (now.subject, now.predicate, now.object) == ("Ben Bay", "works at", "Lotus Tea")
        assert now.valid_from == "2026-02-01T00:00:00.000Z"
        (was, _) = memory.store.facts(known_at="2026-02-15T00:00:00.000Z")
        assert (was.predicate, was.object, was.valid_to) == (
            "lives in",
            "Kyoto",
            "2026-03-01T00:00:00.000Z",
        )
        found = memory.store.named(["ben bay", "lotus tea", "kyoto"])
        assert [thing.type for things in found.values() for thing in things] == [
            "person",
            "org",
            "location",
        ]
        reply = memory.ask("Where does Ben Bay work?")
        assert "Lotus Tea" in reply.contract.answer
        assert reply.citations[0].path.startswith("graphiti:tea-house/")
    store = ("--store", str(tmp_path / "q.db"))
    command = [sys.executable, "-m", "quipu.serve.cli", *store, "import", "graphiti", url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "episodes: 1\nchunks: 1\n" in done.stdout
