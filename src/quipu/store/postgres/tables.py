"""The tables of `store/backend.py` in a schema of PostgreSQL, for one namespace."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import islice
from typing import Any

from quipu.store import rules
from quipu.store.backend import VECTOR, Above, Beginning, Counter, Order, Row, Table, Where
from quipu.store.postgres.database import Database
from quipu.store.postgres.schema import TYPES, of_halfvec, to_halfvec

__all__ = ["PostgresBackend", "storable_texts"]

_WRITTEN_OUT = ("kind", "live")
"""Columns whose numbers are written out: partial indexes are found by them."""

_ENDS = {"support": "known_until", "chunk": "live"}
_MOST_INT = 2**63
_COPIED = 20_000  # rows that are held at a time while they are sent


class PostgresBackend(Database):
    """Selects and changes rows; every statement names the namespace's number first."""

    def last(self, counter: Counter) -> int:
        """The last number taken."""
        return self.counters()[counter]

    def take(self, counter: Counter, count: int = 1) -> int:
        """New numbers; they are written down when the transaction ends."""
        counters = self.counters()
        before = counters[counter]
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
        sent = table is VECTOR and "vector" in columns
        head, tail = _around(table.name, tuple(columns), tuple(order), distinct)
        if sent:
            head = head.replace('"vector"', 'halfvec_send("vector")')
        clauses, values = _clauses(table, where)
        if limit is not None:
            tail += " LIMIT %s"
            values.append(limit)
        rows = self.rows(self.said(f"{head} WHERE {clauses}{tail}"), values)
        return _with_last(rows, of_halfvec) if sent else rows

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """New rows."""
        kinds = TYPES[table.name]
        named = _names(("ns", *table.columns))
        statement = self.said(f"COPY {{schema}}.{table.name} ({named}) FROM STDIN (FORMAT BINARY)")
        types = ("int4", *(kinds[column] for column in table.columns))
        ns, left = self.ns, iter(rows)
        while page := [(ns, *row) for row in islice(left, _COPIED)]:
            page = _with_last(page, to_halfvec) if table is VECTOR else page
            self.copy(statement, types, page)

    def update(self, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Other values in columns of rows."""
        given = list(rows)
        if not given:
            return
        kinds = TYPES[table.name]
        (key,) = table.key
        arrays = ", ".join(f"%s::{kinds[column]}[]" for column in (*columns, key))
        named = _names((*columns, key))
        set_to = ", ".join(f'"{column}" = given."{column}"' for column in columns)
        self.run(
            self.said(
                f"UPDATE {{schema}}.{table.name} AS t SET {set_to}"
                f" FROM unnest({arrays}) AS given ({named})"
                f' WHERE t.ns = {{ns}} AND t."{key}" = given."{key}"'
            ),
            [list(values) for values in zip(*given, strict=True)],
        )
        if _ENDS.get(table.name) in columns:
            self._ended()

    def delete(self, table: Table, where: Where) -> None:
        """Fewer rows."""
        clauses, values = _clauses(table, where)
        self.run(self.said(f"DELETE FROM {{schema}}.{table.name} WHERE {clauses}"), values)
        if table.name in _ENDS:
            self._ended()

    def _ended(self) -> None:
        self.counters()["ended"] += 1


def _with_last(rows: Sequence[Row], made: Callable[[bytes], bytes]) -> list[Row]:
    """The rows, with another value in their last column."""
    return [(*row[:-1], made(row[-1])) for row in rows]


def storable_texts(texts: Iterable[str]) -> list[str]:
    """Those that the server can hold: the others equal nothing there."""
    return [text for text in texts if _storable(text)]


def _storable(text: str) -> bool:
    return "\0" not in text and (text.isascii() or rules.storable(text))


@cache
def _around(
    table: str, columns: tuple[str, ...], order: tuple[str, ...], distinct: bool
) -> tuple[str, str]:
    """What a select says before its clauses and after them."""
    named = "DISTINCT " * distinct + _names(columns)
    by = ", ".join(
        _names([column.removeprefix("-")]) + " DESC" * column.startswith("-") for column in order
    )
    tail = f" ORDER BY {by}" if order else ""
    return f"SELECT {named} FROM {{schema}}.{table}", tail


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _clauses(table: Table, where: Where) -> tuple[str, list[Any]]:
    clauses, values = ["ns = {ns}"], list[Any]()
    for column, value in where.items():
        clauses.append(_clause(column, TYPES[table.name][column], value, values))
    return " AND ".join(clauses), values


def _clause(column: str, kind: str, value: Any, bound: list[Any]) -> str:
    """A clause, whose values join `bound`."""
    match value:
        case None:
            return f'"{column}" IS NULL'
        case Above():
            return _above(column, value.value, bound)
        case Beginning():
            return _prefixed(column, value.text, bound)
        case int() | str() | bytes():
            return _equal(column, kind, value, bound)
        case _:
            return _bound(f'"{column}" = ANY(%s::{kind}[])', _listed(kind, value), bound)


def _equal(column: str, kind: str, value: Any, bound: list[Any]) -> str:
    if not _listed(kind, (value,)):
        return "false"
    if column in _WRITTEN_OUT:
        return f'"{column}" = {value:d}'
    return _bound(f'"{column}" = %s::{kind}', value, bound)


def _bound(clause: str, value: Any, bound: list[Any]) -> str:
    bound.append(value)
    return clause


def _fits(value: int) -> bool:
    return -_MOST_INT <= value < _MOST_INT


def _listed(kind: str, values: Collection[Any]) -> list[Any]:
    if kind == "text":
        return storable_texts(values)
    return [v for v in values if _fits(v)] if kind.startswith("int") else list(values)


def _above(column: str, value: Any, bound: list[Any]) -> str:
    """Greater by code points, than a text too that cannot be stored: what is greater than its
    part before the character that cannot be is so than all of it, or begins with one after it."""
    if not isinstance(value, str):
        return _bound(f'"{column}" > %s', value, bound)
    for place, character in enumerate(value):
        if character == "\0":
            return _bound(f'"{column}" > %s', value[:place], bound)
        if "\ud800" <= character <= "\udfff":
            return _bound(f'"{column}" >= %s', value[:place] + "\ue000", bound)
    return _bound(f'"{column}" > %s', value, bound)


def _prefixed(column: str, prefix: str, bound: list[Any]) -> str:
    if not _storable(prefix):
        return "false"
    bound += prefix, prefix
    clause = f'"{column}" >= %s AND starts_with("{column}", %s)'
    last = ord(prefix[-1]) + 1 if prefix else 0
    if prefix and not 0xD800 <= last < 0xE000 and last <= 0x10FFFF:
        clause += f' AND "{column}" < %s'
        bound.append(prefix[:-1] + chr(last))
    return clause
