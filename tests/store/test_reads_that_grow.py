"""What a search reads after each write does not grow with what was written before."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from quipu.domain.batch import Batch, Claim
from quipu.domain.ids import make_id
from quipu.domain.records import Entity, Fact
from quipu.domain.scope import Scope
from quipu.store.sqlite import SQLiteStore
from quipu.testing.store_sample import chunk, episode, moment

FEW, MANY = 100, 800
SPEAKER = make_id("entity", "Ann")


class Steps:
    """Counts the steps of SQLite's virtual machine in every connection opened meanwhile."""

    def __init__(self) -> None:
        self.count = 0

    def watch(self, connection: Any) -> None:
        connection.set_progress_handler(self._step, 10)

    def _step(self) -> bool:
        self.count += 1
        return False

    def of(self, call: Callable[[], object]) -> int:
        before = self.count
        call()
        return 10 * (self.count - before)


@pytest.fixture
def steps() -> Iterator[Steps]:
    counted = Steps()
    apsw.connection_hooks.append(counted.watch)
    yield counted
    apsw.connection_hooks.remove(counted.watch)


def turn(n: int) -> Batch:
    """One more passage, with what it asserts: a speaker whom all share and a fact of its own."""
    of = episode(f"session:talk#{n}", "A", at=moment(n))
    item = chunk(of, 0, f"word{n} shared")
    ids = (item.chunk.chunk_id,)
    said = {"updated_at": moment(n), "source_sha": "A"}
    ann = Entity(entity_id=SPEAKER, type="person", name="Ann", **said)
    fact = Fact(fact_id=make_id("fact", str(n)), subject=f"S{n}", predicate="p", object="o", **said)
    claims = tuple(Claim(each, of.episode_id, ids) for each in (ann, fact))
    return Batch(recorded_at=moment(n), episodes=(of,), chunks=(item,), claims=claims)


READS: dict[str, Callable[[SQLiteStore, int], object]] = {
    "claims": lambda store, n: store.claims([turn(n).episodes[0].episode_id]),
    "facts of a subject": lambda store, n: store.facts(f"S{n}"),
    "facts of a subject and predicate": lambda store, n: store.facts(f"S{n}", "p"),
    "a scope": lambda store, n: store.match_text(
        "prose", {f"word{n}": 1.0}, scope=Scope(before=moment(n + 1))
    ),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_after_a_write_costs_no_more_in_a_larger_store(
    tmp_path: Path, steps: Steps, name: str
) -> None:
    costs: list[int] = []
    path = tmp_path / "quipu.db"
    with SQLiteStore(path, namespace="a") as writer, SQLiteStore(path, namespace="a") as reader:
        for n in range(MANY + 4):
            writer.write(turn(n))
            if n in (FEW, FEW + 2, MANY, MANY + 2):
                READS[name](reader, n)
            elif n in (FEW + 1, FEW + 3, MANY + 1, MANY + 3):
                costs.append(steps.of(lambda n=n: READS[name](reader, n)))
    assert min(costs[2:]) <= 2 * max(costs[:2]) + 200
