"""Writers and servers that are killed in the middle of writes lose and double nothing: a short form
of `python -m bench.store_kills`."""

import pytest
from bench.store_kills import KINDS, PASSAGES, measure, stream
from tests.contract.store_compare import apply

from quipu.records.batch import Batch
from quipu.store.inmemory import InMemoryStore, Shelf


def test_the_stream_makes_the_same_changes_each_time() -> None:
    first, second = (InMemoryStore(Shelf(), namespace="default") for _ in range(2))
    for store in (first, second):
        for change in stream(12):
            apply(store, change)
    assert first.changes(0) == second.changes(0)
    assert sum(len(c.chunks) > 100 for c in stream(12) if isinstance(c, Batch)) == 6


@pytest.mark.large
@pytest.mark.enable_socket
@pytest.mark.parametrize("kind", KINDS)
def test_killed_writers_and_servers_lose_and_double_nothing(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Neo4j takes longer to write forty passages than PostgreSQL does for all of them.
    passages = 40 if kind == "neo4j" else PASSAGES
    request.getfixturevalue(f"{kind}_server")  # which says what is missing to run one
    monkeypatch.setenv("NEO4J_USER", "")
    monkeypatch.setenv("NEO4J_PASSWORD", "")
    found = measure(kind, client=2, server=1, passages=passages)
    assert (found["client"]["kills"], found["server"]["kills"]) == (2, 1)
    assert found["client"]["in_mid_write"] >= 1
