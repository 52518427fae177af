"""What a search reads after each write does not grow with what was written before."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.contract.store_sample import chunk, embedding, episode, moment

from quipu.errors import UnknownRecord
from quipu.records.batch import Batch, Claim
from quipu.records.ids import make_id
from quipu.records.record import Entity, Fact
from quipu.records.scope import Scope
from quipu.store.sqlite import SQLiteStore

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
    ann = Entity(entity_id=SPEAKER, type="person", name="Ann", updated_at=moment(n), source_sha="A")
    fact = Fact(
        fact_id=make_id("fact", str(n)),
        subject=f"S{n}",
        predicate="p",
        object="o",
        updated_at=moment(n),
        source_sha="A",
    )
    claims = tuple(Claim(each, of.episode_id, ids) for each in (ann, fact))
    return Batch(
        recorded_at=moment(n),
        episodes=(of,),
        chunks=(item,),
        claims=claims,
        embeddings=(embedding(*ids, "small", n),),
    )


def talk_of(n: int) -> list[str]:
    """The chunks of the turns up to `n`."""
    return [turn(each).chunks[0].chunk.chunk_id for each in range(n + 1)]


READS: dict[str, Callable[[SQLiteStore, int], object]] = {
    "claims": lambda store, n: store.claims([turn(n).episodes[0].episode_id]),
    "facts of a subject": lambda store, n: store.facts(f"S{n}"),
    "facts of a subject and predicate": lambda store, n: store.facts(f"S{n}", "p"),
    "a scope": lambda store, n: store.match_text(
        "prose", {f"word{n}": 1.0}, scope=Scope(before=moment(n + 1))
    ),
    "what lacks a vector": lambda store, _: store.unembedded("small"),
    "somebody who speaks all day": lambda store, n: store.get([SPEAKER]),
    "all that supports somebody": lambda store, n: store.support([SPEAKER]),
    "the numbers of known passages": lambda store, n: store.numbers(talk_of(n)),
}


def test_a_read_after_a_write_costs_no_more_in_a_larger_store(tmp_path: Path, steps: Steps) -> None:
    costs: dict[str, list[int]] = {name: [] for name in READS}
    with ExitStack() as opened:
        writer, *readers = (
            opened.enter_context(SQLiteStore(tmp_path / "quipu.db", namespace="a"))
            for _ in range(1 + len(READS))
        )
        for n in range(MANY + 4):
            writer.write(turn(n))
            for reader, (name, read) in zip(readers, READS.items(), strict=True):
                if n in (FEW, FEW + 2, MANY, MANY + 2):
                    read(reader, n)
                elif n in (FEW + 1, FEW + 3, MANY + 1, MANY + 3):
                    costs[name].append(steps.of(partial(read, reader, n)))
    grown = {name for name, c in costs.items() if min(c[2:]) > 2 * max(c[:2]) + 200}
    assert grown == set()


def test_what_grows_while_it_is_known_is_what_a_new_reader_finds(tmp_path: Path) -> None:
    path = tmp_path / "quipu.db"
    with SQLiteStore(path, namespace="a") as writer, SQLiteStore(path, namespace="a") as reader:
        for n in range(60):
            writer.write(turn(n if n % 7 else 200 - n))
            if n % 10 == 4:
                gone = f"session:talk#{n - 2}"
                writer.write(Batch(recorded_at=moment(n), replaces=(gone,)))
            if n % 20 == 15:
                writer.forget([f"session:talk#{n - 4}"])
            found = reader.get([SPEAKER]), reader.support([SPEAKER]), reader.facts("S2")
            with SQLiteStore(path, namespace="a", read_only=True) as new:
                assert (new.get([SPEAKER]), new.support([SPEAKER]), new.facts("S2")) == found
                assert new.numbers(talk_of(n)).tolist() == reader.numbers(talk_of(n)).tolist()


def test_a_rollback_leaves_nothing_known_that_never_was(tmp_path: Path) -> None:
    path = tmp_path / "quipu.db"
    with SQLiteStore(path, namespace="a") as store:
        store.write(turn(1))
        before = store.get([SPEAKER])
        lost = turn(2)
        wrong = Claim(lost.claims[0].record, make_id("episode", "nowhere"), ())
        with pytest.raises(UnknownRecord):
            store.write(replace(lost, claims=(*lost.claims, wrong)))
        assert store.get([SPEAKER]) == before
        store.write(turn(3))
        (found,) = store.get([SPEAKER]).values()
        assert isinstance(found, Entity)
        assert found.mention_count == 2


def test_what_lacks_a_vector_is_found_whatever_was_asked_before(tmp_path: Path) -> None:
    path = tmp_path / "quipu.db"
    bare = replace(turn(7), embeddings=())
    ids = [bare.chunks[0].chunk.chunk_id]
    with SQLiteStore(path, namespace="a") as store, SQLiteStore(path, namespace="b") as other:
        for n in range(3):
            store.write(turn(n))
            other.write(turn(n))
        assert store.unembedded("small", limit=0) == store.unembedded("small") == []
        store.write(bare)
        assert store.unembedded("small", limit=0) == []
        for _ in range(2):
            assert [chunk.chunk_id for chunk in store.unembedded("small")] == ids
        store.write(replace(bare, embeddings=turn(7).embeddings))
        assert store.unembedded("small") == []
        store.drop_space("small")
        store.write(turn(8))
        assert len(store.unembedded("small")) == 4
