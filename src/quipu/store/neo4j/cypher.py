"""What is asked of a table, as Cypher: names from closed sets, every value a parameter.

An index refuses a text of more than some 8,000 bytes. A long one stands in its column shortened,
with a digest, and whole beside it.
"""

import hashlib
from functools import cache
from typing import Any, NamedTuple

from quipu.store import rules
from quipu.store.backend import Above, Beginning, Row, Table, Where
from quipu.store.neo4j.schema import indexes_of, label

__all__ = ["DELETE", "given", "insertion", "matching", "returning", "update"]

_RETIRE = "SET n.gone = $version, n:QuipuGone, n.gone_at = timestamp()"
DELETE = f" {_RETIRE}"


_LONG: dict[str, tuple[str, ...]] = {"support": ("near", "far", "label"), "name": ("key",)}
"""Columns of a table whose texts may be longer than an index allows."""
LONGEST = 1_000


class MatchClause(NamedTuple):
    """A MATCH of the rows `n` that are meant, and its parameters."""

    cypher: str
    values: dict[str, Any]


def matching(table: Table, where: Where) -> MatchClause | None:
    """The rows where all of `where` holds at $version; None when no row can be meant."""
    index = _index(table, where)
    values: dict[str, Any] = {}
    missing = [column for column in index if where.get(column) is None]
    clauses = ["n.ns = $ns", *(f"n.{column} IS NOT NULL" for column in missing)]
    for column, value in where.items():
        if not _may_hold(value):
            return None
        clauses.append(_clause(column, value, values))
    on = ", ".join(("ns", *index))
    text = (
        f"MATCH (n:{label(table)}) USING INDEX n:{label(table)}({on})"
        f" WHERE {' AND '.join(clauses)} AND n.born <= $version AND n.gone > $version"
    )
    return MatchClause(text, values)


def _index(table: Table, where: Where) -> tuple[str, ...]:
    """The first index whose columns are all asked for; else one that begins with one of them."""
    asked = {column for column, value in where.items() if value is not None}
    indexes = indexes_of(table)
    whole = (columns for columns in indexes if asked.issuperset(columns))
    begun = (columns for columns in indexes if columns[0] in asked)
    return next(whole, None) or next(begun, None) or indexes[0]


def _may_hold(value: Any) -> bool:
    if isinstance(value, str):
        return rules.storable(value)
    if value is None or isinstance(value, int | bytes | Above | Beginning):
        return not isinstance(value, Beginning) or rules.storable(value.text)
    return bool(value)


def _clause(column: str, value: Any, values: dict[str, Any]) -> str:
    if value is None:
        return f"n.{column} IS NULL"
    name = f"w_{column}"
    if isinstance(value, Above):
        given = value.value
        values[name] = given.encode(errors="replace").decode() if isinstance(given, str) else given
        return f"n.{column} > ${name}"
    if isinstance(value, Beginning):
        values[name] = value.text[:LONGEST]
        return f"n.{column} STARTS WITH ${name}"
    if isinstance(value, int | str | bytes):
        values[name] = shortened(value)
        return f"n.{column} = ${name}"
    values[name] = [shortened(v) for v in value if not isinstance(v, str) or rules.storable(v)]
    return f"n.{column} IN ${name}"


def shortened(value: Any) -> Any:
    """A value as a column holds it."""
    if not isinstance(value, str) or len(value) <= LONGEST:
        return value
    return f"{value[:LONGEST]}\u2026{hashlib.sha256(value.encode()).hexdigest()}"


def given(table: Table, row: Row) -> list[Any]:
    """A row as `insertion` is given it: long texts shortened, and whole after all others."""
    if table.name not in _LONG:
        return list(row)
    short = list(row)
    places = [table.columns.index(column) for column in _LONG[table.name]]
    for place in places:
        short[place] = shortened(row[place])
    return [*short, *(row[n] if short[n] != row[n] else None for n in places)]


def _read(table: Table, column: str) -> str:
    if column in _LONG.get(table.name, ()):
        return f"coalesce(n.{column}_whole, n.{column})"
    return f"n.{column}"


@cache
def returning(
    table: Table, columns: tuple[str, ...], order: tuple[str, ...], distinct: bool, limited: bool
) -> str:
    """What a select says after its MATCH."""
    named = ", ".join(f"{_read(table, column)} AS {column}" for column in columns)
    by = ", ".join(
        _read(table, column.removeprefix("-")) + " DESC" * column.startswith("-")
        for column in order
    )
    ordered = f" ORDER BY {by}" if order else ""
    return f" RETURN {'DISTINCT ' * distinct}{named}{ordered}{' LIMIT $limit' * limited}"


@cache
def insertion(table: Table) -> str:
    """New nodes for $rows."""
    columns = (*table.columns, *(f"{column}_whole" for column in _LONG.get(table.name, ())))
    values = ", ".join(f"{column}: r[{n}]" for n, column in enumerate(columns))
    return (
        f"UNWIND $rows AS r CREATE (:{label(table)}"
        f" {{ns: $ns, born: $version, gone: $never, {values}}})"
    )


@cache
def update(table: Table, columns: tuple[str, ...]) -> str:
    """New nodes in the places of those whose keys end $rows."""
    (key,) = table.key
    values = ", ".join(f"{column}: r[{n}]" for n, column in enumerate(columns))
    return (
        f"UNWIND $rows AS r MATCH (n:{label(table)}) USING INDEX n:{label(table)}(ns, {key})"
        f" WHERE n.ns = $ns AND n.{key} = r[{len(columns)}] AND n.gone = $never"
        f" CREATE (m:{label(table)}) SET m = properties(n), m += {{{values}}}, m.born = $version"
        f" {_RETIRE}"
    )
