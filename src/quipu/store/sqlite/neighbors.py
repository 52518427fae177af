"""Relations at one end of many records: a page each, and for those with more, a page a type."""

from collections import Counter
from collections.abc import Sequence

from quipu.store.backend import Row
from quipu.store.derived.neighbors import Hop
from quipu.store.sqlite.database import Database, as_list

__all__ = ["edges"]

_FEW = 200  # relations beyond which a page would be read in vain


def edges(database: Database, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
    """The first `size` relations of each record; of those that have so many, of each type."""
    if size > _FEW:
        return _pages_by_type(database, hop, ids, size)
    rows = _pages(database, hop, ids, size)
    counts = Counter(row[0] for row in rows)
    many = [i for i, count in counts.items() if count >= size]
    if not many:
        return rows
    of_many = _pages_by_type(database, hop, many, size)
    return [*(row for row in rows if counts[row[0]] < size), *of_many]


def _standing(known_at: str | None) -> tuple[str, tuple[str, ...]]:
    """SQL (and its values) for the support that is live, or was at `known_at`."""
    if known_at is None:
        return "support.known_until IS NULL", ()
    return (
        "support.recorded_at <= ? AND (support.known_until IS NULL OR ? < support.known_until)",
        (known_at, known_at),
    )


def _pages(database: Database, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
    """The first rows of each record, by (type, other end, id)."""
    here, there = ("near", "far") if hop.side == "out" else ("far", "near")
    clause, values = _standing(hop.known_at)
    typed = "AND label IN (SELECT value FROM json_each(?)) " if hop.types else ""
    return database.rows(
        f"SELECT asked.value, s.label, s.{there}, s.record_id"
        " FROM json_each(?) AS asked CROSS JOIN support AS s"
        " WHERE s.row IN (SELECT row FROM support"
        f" WHERE ns = ? AND kind = 3 AND {here} = asked.value {typed}"
        f"AND {clause} ORDER BY label, {there}, record_id LIMIT ?)"
        f" ORDER BY s.label, s.{there}, s.record_id",
        as_list(ids),
        database.ns,
        *((as_list(hop.types),) if hop.types else ()),
        *values,
        size,
    )


def _pages_by_type(database: Database, hop: Hop, ids: Sequence[str], size: int) -> list[Row]:
    """The first rows of each record and type, in the same order. The types are found by going
    from one to the next in the index, so many relations of one type cost no more than few."""
    here, there = ("near", "far") if hop.side == "out" else ("far", "near")
    clause, values = _standing(hop.known_at)
    typed = "AND label IN (SELECT value FROM json_each(?)) " if hop.types else ""
    least = f"SELECT min(label) FROM support WHERE ns = ? AND kind = 3 AND {here} ="
    return database.rows(
        "WITH RECURSIVE held (id, label) AS ("
        f"SELECT value, ({least} value) FROM json_each(?)"
        f" UNION ALL SELECT id, ({least} held.id AND label > held.label) FROM held"
        " WHERE label IS NOT NULL)"
        f" SELECT held.id, s.label, s.{there}, s.record_id FROM held CROSS JOIN support AS s"
        f" WHERE held.label IS NOT NULL {typed.replace('label', 'held.label', 1)}"
        f"AND s.row IN (SELECT row FROM support WHERE ns = ? AND kind = 3"
        f" AND {here} = held.id AND label = held.label AND {clause}"
        f" ORDER BY {there}, record_id LIMIT ?)"
        f" ORDER BY s.label, s.{there}, s.record_id",
        database.ns,
        as_list(ids),
        database.ns,
        *((as_list(hop.types),) if hop.types else ()),
        database.ns,
        *values,
        size,
    )
