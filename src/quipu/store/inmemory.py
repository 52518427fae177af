"""The reference store: its tables are dictionaries, and everything else is derived."""

import threading
from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from quipu.errors import StoreUnavailable
from quipu.store import rules
from quipu.store.backend import Above, Beginning, Counter, Order, Row, Table, Where
from quipu.store.derived import DerivedStore

__all__ = ["InMemoryBackend", "InMemoryStore", "Shelf"]


class _TableRows:
    """The rows of a table by their keys, and for each look-up the keys of each value."""

    def __init__(self, table: Table) -> None:
        self._key = [table.columns.index(column) for column in table.key]
        self._lookups = {column: table.columns.index(column) for column in table.lookups}
        self.rows: dict[Row, Row] = {}
        self._found: defaultdict[tuple[str, Any], dict[Row, None]] = defaultdict(dict)

    def put(self, row: Row) -> None:
        key = tuple(row[place] for place in self._key)
        self.drop(key)
        self.rows[key] = row
        for column, place in self._lookups.items():
            self._found[column, row[place]][key] = None

    def drop(self, key: Row) -> None:
        row = self.rows.pop(key, None)
        if row is not None:
            for column, place in self._lookups.items():
                del self._found[column, row[place]][key]

    def candidates(self, table: Table, where: Where) -> list[Row]:
        """The rows among which all that are meant are: by the first look-up that is named."""
        for column, value in where.items():
            values = _values(value)
            if values is not None and (column,) == table.key:
                return [self.rows[each,] for each in set(values) if (each,) in self.rows]
            if values is not None and column in self._lookups:
                keys = (key for v in set(values) for key in self._found.get((column, v), ()))
                return [self.rows[key] for key in keys]
        return list(self.rows.values())


def _values(value: Any) -> Collection[Any] | None:
    """The values that a column may have, if they are listed."""
    if value is None or isinstance(value, Above | Beginning):
        return None
    return (value,) if isinstance(value, int | str) else value


class Shelf:
    """Namespaces in memory that several handles share."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.tables: dict[tuple[str, str], _TableRows] = {}
        self.counters: dict[str, Counts[str]] = {}


class InMemoryBackend:
    """The tables of one namespace on a shelf."""

    def __init__(self, shelf: Shelf, *, namespace: str, read_only: bool = False) -> None:
        self._shelf, self._namespace, self._read_only = shelf, namespace, read_only
        self._undo: list[Callable[[], object]] = []

    @property
    def namespace(self) -> str:
        """The namespace this handle is bound to."""
        return self._namespace

    @contextmanager
    def reading(self) -> Generator[None]:
        """The shelf as it is: whoever writes to it waits."""
        with self._shelf.lock:
            yield

    @contextmanager
    def writing(self) -> Generator[None]:
        """Whoever reads waits; what was done is undone, last first, when the block raises."""
        if self._read_only:
            raise StoreUnavailable(
                "the in-memory store was opened read-only: open it without read_only to write"
            )
        with self._shelf.lock:
            self._undo = []
            try:
                yield
            except BaseException:
                for undo in reversed(self._undo):
                    undo()
                raise

    def _rows(self, table: Table) -> _TableRows:
        return self._shelf.tables.setdefault((self._namespace, table.name), _TableRows(table))

    def _counters(self) -> Counts[str]:
        return self._shelf.counters.setdefault(self._namespace, Counts())

    def last(self, counter: Counter) -> int:
        """The last number taken."""
        return self._counters()[counter]

    def take(self, counter: Counter, count: int = 1) -> int:
        """New numbers."""
        counters = self._counters()
        before = counters[counter]
        self._undo.append(lambda: counters.__setitem__(counter, before))
        counters[counter] += count
        return before + 1

    def select(
        self,
        table: Table,
        columns: Sequence[str],
        where: Where,
        *,
        order: Order = (),
        limit: int | None = None,
        distinct: bool = False,
    ) -> list[Row]:
        """The columns of the rows where all of `where` holds."""
        rows = self._meant(table, where)
        for column in reversed(order):
            at = table.columns.index(column.removeprefix("-"))
            rows.sort(key=itemgetter(at), reverse=column.startswith("-"))
        places = [table.columns.index(column) for column in columns]
        found = [tuple(row[place] for place in places) for row in rows]
        return (list(dict.fromkeys(found)) if distinct else found)[:limit]

    def _meant(self, table: Table, where: Where) -> list[Row]:
        tests = [(table.columns.index(c), _test(value)) for c, value in where.items()]
        rows = self._rows(table).candidates(table, where)
        return [row for row in rows if all(test(row[place]) for place, test in tests)]

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """New rows."""
        kept = self._rows(table)
        places = [table.columns.index(column) for column in table.key]
        for row in rows:
            key = tuple(row[place] for place in places)
            kept.put(row)
            self._undo.append(lambda key=key: kept.drop(key))

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Other values in columns of rows."""
        kept = self._rows(table)
        places = [table.columns.index(column) for column in columns]
        for *values, key in rows:
            before = kept.rows[key,]
            given = dict(zip(places, values, strict=True))
            kept.put(tuple(given.get(place, value) for place, value in enumerate(before)))
            self._undo.append(lambda before=before: kept.put(before))

    def delete(self, table: Table, where: Where) -> None:
        """Fewer rows."""
        kept = self._rows(table)
        places = [table.columns.index(column) for column in table.key]
        for row in self._meant(table, where):
            kept.drop(tuple(row[place] for place in places))
            self._undo.append(lambda row=row: kept.put(row))

    def close(self) -> None:
        """Nothing to give back; what was written stays with the shelf."""


def _test(value: Any) -> Callable[[Any], bool]:
    match value:
        case None:
            return lambda cell: cell is None
        case Above():
            return lambda cell: cell > value.value
        case Beginning():
            return lambda cell: cell.startswith(value.text)
        case _:
            values = frozenset(_values(value) or ())
            return lambda cell: cell in values


class InMemoryStore(DerivedStore):
    """The reference store of one namespace. It is meant for tests and small data."""

    def __init__(self, shelf: Shelf, *, namespace: str, read_only: bool = False) -> None:
        rules.require_namespace(namespace)
        super().__init__(InMemoryBackend(shelf, namespace=namespace, read_only=read_only))
