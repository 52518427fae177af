"""How little a new store needs: a backend of lists, which does only what every backend must."""

import threading
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

import pytest
from tests.contract.store_contract import OpenHandle, StoreContract

from quipu.store.backend import Above, Beginning, Counter, Row, Table, Where
from quipu.store.derived import DerivedStore


class Kept:
    """The rows of every namespace and table, and the counters; shared by handles."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rows: dict[tuple[str, str], list[Row]] = {}
        self.counters: dict[tuple[str, str], int] = {}


class SmallestBackend:
    """Every look-up reads the whole table; a failed write puts back what was there."""

    def __init__(self, kept: Kept, namespace: str) -> None:
        self._kept, self.namespace = kept, namespace

    @contextmanager
    def reading(self) -> Generator[None]:
        with self._kept.lock:
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        with self._kept.lock:
            before = dict(self._kept.rows), dict(self._kept.counters)
            try:
                yield
            except BaseException:
                self._kept.rows, self._kept.counters = before
                raise

    def last(self, counter: Counter) -> int:
        return self._kept.counters.get((self.namespace, counter), 0)

    def take(self, counter: Counter, count: int = 1) -> int:
        before = self.last(counter)
        self._kept.counters[self.namespace, counter] = before + count
        return before + 1

    def select(
        self,
        table: Table,
        columns: Sequence[str],
        where: Where,
        *,
        order: Sequence[str] = (),
        limit: int | None = None,
        distinct: bool = False,
    ) -> list[Row]:
        meant = meaning(table, where)
        rows = [row for row in self._rows(table) if meant(row)]
        for column in reversed(order):
            at = table.columns.index(column.removeprefix("-"))
            rows.sort(key=itemgetter(at), reverse=column.startswith("-"))
        places = [table.columns.index(column) for column in columns]
        found = [tuple(row[place] for place in places) for row in rows]
        return (list(dict.fromkeys(found)) if distinct else found)[:limit]

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        self._keep(table, [*self._rows(table), *rows])

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        key = table.columns.index(table.key[0])
        given = {at: dict(zip(columns, values, strict=True)) for *values, at in rows}
        every = (dict(zip(table.columns, row, strict=True)) for row in self._rows(table))
        self._keep(table, [tuple((r | given.get([*r.values()][key], {})).values()) for r in every])

    def delete(self, table: Table, where: Where) -> None:
        meant = meaning(table, where)
        self._keep(table, [row for row in self._rows(table) if not meant(row)])

    def close(self) -> None:
        pass

    def _rows(self, table: Table) -> list[Row]:
        return self._kept.rows.get((self.namespace, table.name), [])

    def _keep(self, table: Table, rows: list[Row]) -> None:
        self._kept.rows[self.namespace, table.name] = rows


def meaning(table: Table, where: Where) -> Callable[[Row], bool]:
    """Whether a row is one of those that are meant."""
    tests = [(table.columns.index(column), ready(value)) for column, value in where.items()]
    return lambda row: all(holds(row[place], value) for place, value in tests)


def ready(value: Any) -> Any:
    """Values that are listed as a set; what is not listed as it is."""
    listed = isinstance(value, Collection) and not isinstance(value, str | Above | Beginning)
    return frozenset(value) if listed else value


def holds(held: Any, value: Any) -> bool:
    match value:
        case Above():
            return held > value.value
        case Beginning():
            return held.startswith(value.text)
        case frozenset():
            return held in value
        case _:
            return held == value


class TestSmallest(StoreContract):
    @pytest.fixture
    def open_handle(self) -> OpenHandle:
        kept = Kept()
        return lambda namespace: DerivedStore(SmallestBackend(kept, namespace))
