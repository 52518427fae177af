"""What only the in-memory store has: its own way of putting back what a failed write changed."""

from collections.abc import Iterable

import pytest
from tests.contract.store_compare import assert_same
from tests.contract.store_sample import OTHER, VERSION_A, VERSION_B, one_source

from quipu.store.backend import CHANGE, TABLES, Row, Table
from quipu.store.derived import DerivedStore
from quipu.store.inmemory import InMemoryBackend, InMemoryStore, Shelf


class Failing(InMemoryBackend):
    """Fails where a write would log what it has done."""

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        if table is CHANGE:
            raise OSError("no room")
        super().insert(table, rows)


def test_a_write_that_fails_late_leaves_nothing() -> None:
    shelf, beside = Shelf(), Shelf()
    for each in (shelf, beside):
        with InMemoryStore(each, namespace="default") as store:
            store.write(one_source(VERSION_A, "ada red", "blue", at=1))
    failing = DerivedStore(Failing(shelf, namespace="default"))
    with pytest.raises(OSError, match="no room"):
        failing.write(one_source(VERSION_B, "ada green", at=2))
    with pytest.raises(OSError, match="no room"):
        failing.forget([VERSION_A.source_ref])
    left, there = (InMemoryBackend(each, namespace="default") for each in (shelf, beside))
    for table in TABLES:
        assert sorted(left.select(table, table.columns, {}), key=repr) == sorted(
            there.select(table, table.columns, {}), key=repr
        )
    ours, theirs = (InMemoryStore(each, namespace="default") for each in (shelf, beside))
    for store in (ours, theirs):
        store.write(one_source(OTHER, "red again", at=3))
    assert_same(ours, theirs)
