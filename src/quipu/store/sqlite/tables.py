"""The tables of `store/backend.py` in one SQLite file, for one namespace."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import msgspec

from quipu.store.backend import JOB, PAYLOAD, Above, Beginning, Counter, Order, Row, Table, Where
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.schema import KEY_BITS, LATEST, NUMBER_MASK

_BY_NUMBER = ("chunk", "chunk_columns")
_BY_SPACE = ("vector", "part")
_JOBS = (JOB, PAYLOAD)
_NEXT = {"number": "next_number", "segment": "next_segment"}
_HINTS = (("episode_id", "support_episode"), ("near", "fact_subject"), ("label", "fact_predicate"))


class SQLiteBackend(Database):
    """Selects and changes rows. Numbered chunks and vectors have keys of one integer: the
    namespace (or the space) above the number."""

    def last(self, counter: Counter) -> int:
        """The last number taken."""
        if counter == "row":
            return self.value("SELECT coalesce(max(row), 0) FROM support")
        if counter == "space":
            return self.value("SELECT max(seq) FROM sqlite_sequence WHERE name = 'space'") or 0
        column = "sequence" if counter == "sequence" else f"{_NEXT[counter]} - 1"
        found = self.value(f"SELECT {column} FROM namespace WHERE ns = ?", self.ns)
        return found or 0

    def take(self, counter: Counter, count: int = 1) -> int:
        """New numbers; rows and spaces take theirs when they are inserted."""
        if counter in ("row", "space"):
            return self.last(counter) + 1
        column = _NEXT.get(counter, counter)
        before = self.value(f"SELECT {column} FROM namespace WHERE ns = ?", self.ns)
        sql = f"UPDATE namespace SET {column} = ? WHERE ns = ?"
        self.run(sql, before + count, self.ns)
        return before + (counter == "sequence")

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
        if table in _JOBS and self.value("PRAGMA user_version") < LATEST:
            return []  # a file of 0.1.0 that is only read
        head, tail = _around(table.name, tuple(columns), tuple(order), distinct)
        clauses, values = self._clauses(table, where)
        sql = f"{head}{_hint(table, where)} WHERE {clauses}{tail}"
        if limit is not None:
            sql += " LIMIT ?"
            values.append(limit)
        return self.rows(sql, *values)

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """New rows."""
        columns: Sequence[str] = ("ns", *table.columns)
        if table.name == "chunk":
            columns = ("key", "ns", *table.columns[1:])
            rows = ((self._key(row[0]), self.ns, *row[1:]) for row in rows)
        elif table.name == "chunk_columns":
            columns = ("key", *table.columns[1:])
            rows = ((self._key(row[0]), *row[1:]) for row in rows)
        elif table.name in _BY_SPACE:
            columns = ("key", *table.columns[2:])
            rows = ((row[0] << KEY_BITS | row[1], *row[2:]) for row in rows)
        else:
            rows = ((self.ns, *row) for row in rows)
        places = ", ".join("?" * len(columns))
        self.run_many(f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({places})", rows)

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Other values in columns of rows."""
        (key,) = table.key
        given = ", ".join(f"{column} = ?" for column in columns)
        which = f"{_stored(table.name, key)} = ?"
        if table.name in _BY_NUMBER:
            rows = ((*row[:-1], self._key(row[-1])) for row in rows)
        elif table.name != "support":  # whose rows are numbered through the file
            which += f" AND ns = {self.ns}"
        self.run_many(f"UPDATE {table.name} SET {given} WHERE {which}", rows)

    def delete(self, table: Table, where: Where) -> None:
        """Fewer rows."""
        clauses, values = self._clauses(table, where)
        self.run(f"DELETE FROM {table.name} WHERE {clauses}", *values)

    def _key(self, number: int) -> int:
        return self.ns << KEY_BITS | number

    def _clauses(self, table: Table, where: Where) -> tuple[str, list[Any]]:
        clauses: list[str] = []
        values: list[Any] = []
        rest = dict(where)
        if table.name in _BY_SPACE or (table.name in _BY_NUMBER and "number" in rest):
            high = _listed(rest.pop("space")) if table.name in _BY_SPACE else [self.ns]
            clause, keys = _keys(high, rest.pop("number", Above(-1)))
            clauses.append(clause)
            values += keys
        else:
            # A row of support is one of the file's: it leads to itself, not its namespace.
            by_row = "+" if rest.keys() & {"row", "support"} else ""
            clauses.append(f"{by_row}ns = {self.ns}")
        for column, value in rest.items():
            clauses.append(_clause(column, value, values))
        return " AND ".join(clauses), values


@cache
def _around(
    table: str, columns: tuple[str, ...], order: tuple[str, ...], distinct: bool
) -> tuple[str, str]:
    """What a select says before its hint and after its clauses."""
    named = "DISTINCT " * distinct + ", ".join(_read(table, column) for column in columns)
    by = ", ".join(
        _stored(table, column.removeprefix("-")) + " DESC" * column.startswith("-")
        for column in order
    )
    tail = f" ORDER BY {by}" if order else ""
    return f"SELECT {named} FROM {table}", tail


def _read(table: str, column: str) -> str:
    if column == "number":
        return f"key & {NUMBER_MASK}"
    return f"key >> {KEY_BITS}" if column == "space" and table in _BY_SPACE else column


def _stored(table: str, column: str) -> str:
    return "key" if column == "number" and table in (*_BY_NUMBER, *_BY_SPACE) else column


def _hint(table: Table, where: Where) -> str:
    """The index for what would be looked for among all records of a kind."""
    if table.name == "support":
        for column, index in _HINTS:
            if column in where and (column == "episode_id" or where.get("kind") == 4):
                return f" INDEXED BY {index}"
    return ""


def _listed(value: Any) -> Iterable[Any]:
    return (value,) if isinstance(value, int) else value


def _keys(high: Iterable[int], number: Any) -> tuple[str, list[Any]]:
    """The clause for the keys of numbers under namespaces or spaces."""
    if isinstance(number, Above):
        bounds = [(h << KEY_BITS | number.value + 1, h << KEY_BITS | NUMBER_MASK) for h in high]
        clause = " OR ".join(["key BETWEEN ? AND ?"] * len(bounds))
        return f"({clause})", [bound for pair in bounds for bound in pair]
    numbers = [n for n in _listed(number) if 0 <= n <= NUMBER_MASK]
    keys = [h << KEY_BITS | n for h in high for n in numbers]
    return "key IN (SELECT value FROM json_each(?))", [msgspec.json.encode(keys).decode()]


def _clause(column: str, value: Any, bound: list[Any]) -> str:
    """A clause, whose values join `bound`. Numbers are written out: partial indexes are found by
    them."""
    if value is None:
        return f"{column} IS NULL"
    if isinstance(value, int):
        return f"{column} = {value}"
    if isinstance(value, str):
        bound.append(value)
        return f"{column} = ?"
    if isinstance(value, Above):
        bound.append(_orderly(value.value))
        return f"{column} > ?"
    if isinstance(value, Beginning):
        return _prefixed(column, value.text, bound)
    listed = list(value)
    texts = not listed or isinstance(listed[0], str)
    bound.append(as_list(listed) if texts else msgspec.json.encode(listed).decode())
    return f"{column} IN (SELECT value FROM json_each(?))"


def _orderly(value: Any) -> Any:
    """What stands where a text that cannot be stored would."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _prefixed(column: str, prefix: str, bound: list[Any]) -> str:
    clause = f"{column} >= ? AND substr({column}, 1, ?) = ?"
    bound += prefix, len(prefix), prefix
    last = ord(prefix[-1]) + 1
    if not 0xD800 <= last < 0xE000 and last <= 0x10FFFF:
        clause += f" AND {column} < ?"
        bound.append(prefix[:-1] + chr(last))
    return clause
