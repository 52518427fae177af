"""A memory goes from any store to any other, whole, again and again, and after a kill."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contract.store_compare import apply
from tests.contract.store_sample import OTHER, VERSION_A, episode, moment, one_source, operations

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.ports import Store
from quipu.records.batch import Batch
from quipu.store import open_store
from quipu.store.inmemory import InMemoryStore, Shelf
from quipu.transfer import export, migrate
from quipu.transfer.import_ import Pending

AddressOf = Callable[[str, str], str]
NEO4J = (pytest.mark.enable_socket, pytest.mark.slow)
CLOCK = "2027-01-01T00:00:00.000Z"


def clock() -> str:
    return CLOCK


def filled(store: Store) -> Store:
    """A store with live and ended records, facts, names and vectors in two spaces."""
    for operation in operations(11, 30):
        apply(store, operation)
    return store


def lines(store: Store, folder: Path) -> bytes:
    """All that a store holds, as an export."""
    export(store, folder / "all.jsonl", vectors=True)
    return (folder / "all.jsonl").read_bytes()


def new(kind: str, address_of: AddressOf, name: str) -> Store:
    if kind == "memory":
        return InMemoryStore(Shelf(), namespace="default")
    return open_store(address_of(kind, name))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("memory", "sqlite"),
        ("sqlite", "postgres"),
        ("postgres", "memory"),
        ("postgres", "postgres"),
        pytest.param("neo4j", "sqlite", marks=NEO4J),
        pytest.param("postgres", "neo4j", marks=NEO4J),
    ],
)
def test_any_store_goes_to_any_other(
    one: str, other: str, address_of: AddressOf, tmp_path: Path
) -> None:
    with new(one, address_of, "one") as source, new(other, address_of, "other") as target:
        before = lines(filled(source), tmp_path)
        done = migrate(source, target, clock=clock)
        assert lines(target, tmp_path) == before == lines(source, tmp_path)
        assert (done.kept, done.changes > 50) == (0, True)
        assert min(done.episodes, done.chunks, done.claims, done.vectors, done.past) > 0
        again = migrate(source, target, clock=clock)
        assert (again.changes, again.sha256) == (0, done.sha256)
        assert again.kept == done.episodes


@pytest.mark.parametrize("kind", ["sqlite", "postgres", pytest.param("neo4j", marks=NEO4J)])
def test_sources_that_came_since_are_brought_by_the_next_run(
    kind: str, address_of: AddressOf, tmp_path: Path
) -> None:
    source = filled(InMemoryStore(Shelf(), namespace="default"))
    with new(kind, address_of, "target") as target:
        migrate(source, target, clock=clock)
        for n in range(3):
            version = episode(f"docs/new{n}.md", "1", at=moment(n))
            source.write(one_source(version, f"red {n}", f"blue {n}", at=n))
        done = migrate(source, target, clock=clock)
        assert (done.episodes - done.kept, done.changes) == (3, 9)
        assert lines(target, tmp_path) == lines(source, tmp_path)


class Breaking(InMemoryStore):
    """Takes a number of batches, and no more."""

    def __init__(self, shelf: Shelf, batches: int) -> None:
        super().__init__(shelf, namespace="default")
        self.left = batches

    def write(self, batch: Batch) -> Any:
        if not self.left:
            raise StoreUnavailable("the target is gone")
        self.left -= 1
        return super().write(batch)


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pending, "most_chunks", 2)
    source, shelf = InMemoryStore(Shelf(), namespace="default"), Shelf()
    for n in range(12):
        version = episode(f"docs/{n:02}.md", "1", at=moment(n))
        source.write(one_source(version, f"red {n}", f"blue {n}", at=n))
    kept = 0
    for _ in range(4):
        with pytest.raises(StoreUnavailable, match="gone"):
            migrate(source, Breaking(shelf, 2), clock=clock)
        held = Breaking(shelf, 0).counts()["episode"]
        assert held > kept
        kept = held
    done = migrate(source, InMemoryStore(shelf, namespace="default"), clock=clock)
    assert done.kept == kept
    assert lines(InMemoryStore(shelf, namespace="default"), tmp_path) == lines(source, tmp_path)


def test_what_is_not_the_same_is_named(tmp_path: Path) -> None:
    source, target = (InMemoryStore(Shelf(), namespace="default") for _ in range(2))
    source.write(one_source(VERSION_A, "red", at=1))
    target.write(one_source(OTHER, "blue", at=1))
    with pytest.raises(InvalidInput, match=r"holds 'ep_\w+', and the other does not|differ where"):
        migrate(source, target, clock=clock)
    with pytest.raises(InvalidInput, match="the namespaces are 'default' and 'own'"):
        migrate(source, InMemoryStore(Shelf(), namespace="own"), clock=clock)
