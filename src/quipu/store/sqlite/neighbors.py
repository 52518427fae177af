"""Relations at one end of many records: a page each, and for those with more, a page a type."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.records.neighbors import in_turns
from quipu.records.record import Relation
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.records import Records, standing

__all__ = ["first_relations"]

_SPARE = 8  # rows beyond the limit: some relations have several sources, some have lost an end


class _Row(NamedTuple):
    """A relation as it is looked up: its type, its other end, its id."""

    label: str
    far: str
    rel_id: str


class _Side(NamedTuple):
    """Where relations are looked for: leaving or reaching a record, of which types, when."""

    database: Database
    records: Records
    side: str
    types: frozenset[str]
    known_at: str | None


def first_relations(
    database: Database,
    records: Records,
    ids: Sequence[str],
    side: str,
    types: frozenset[str],
    limit: int,
    known_at: str | None,
) -> dict[str, list[Relation]]:
    """The visible relations on one side of each record; of more than `limit` at least the first
    that many of each type that can be among the first of all."""
    at = _Side(database, records, side, types, known_at)
    size = limit + _SPARE
    pages = _pages(at, ids, size)
    few = {i: page for i, page in pages.items() if len(page) < size}
    found = _visible(at, few)
    pending = [i for i in pages if i not in few]
    while pending:
        by_type = _pages_by_type(at, pending, size)
        full = {i: _full(page, size) for i, page in by_type.items()}
        firsts = {i: _first(page, limit) for i, page in by_type.items()}
        near = _visible(at, firsts)
        exact = {
            i for i in pending
            if len(near[i]) == len(firsts[i]) and not _short(by_type[i], full[i], limit)
        }  # fmt: skip
        rest = {i: by_type[i] for i in pending if i not in exact}
        near |= _visible(at, rest)
        pending = [i for i in rest if _lacking(near[i], full[i], limit)]
        found |= {i: each for i, each in near.items() if i not in pending}
        size *= 8
    return found


def _first(page: Sequence[_Row], limit: int) -> list[_Row]:
    rows = list(dict.fromkeys(page))
    return [rows[place] for place in in_turns([row.label for row in rows], limit)]


def _full(page: Sequence[_Row], size: int) -> frozenset[str]:
    """The types of which there may be more."""
    counts: dict[str, int] = {}
    for row in page:
        counts[row.label] = counts.get(row.label, 0) + 1
    return frozenset(label for label, count in counts.items() if count >= size)


def _short(page: Sequence[_Row], full: frozenset[str], limit: int) -> bool:
    """Whether several sources of few relations fill the page of a type."""
    distinct: dict[str, set[str]] = {}
    for row in page:
        distinct.setdefault(row.label, set()).add(row.rel_id)
    return any(len(distinct[label]) < limit for label in full)


def _lacking(near: Sequence[Relation], full: frozenset[str], limit: int) -> bool:
    """Whether a type has too few visible relations on its page, and may have more."""
    return any(sum(r.type == label for r in near) < limit for label in full)


def _pages(at: _Side, ids: Sequence[str], size: int) -> dict[str, list[_Row]]:
    """The first rows of each record, by (type, other end, id)."""
    here, there = ("near", "far") if at.side == "out" else ("far", "near")
    clause, values = standing(at.known_at)
    typed = "AND label IN (SELECT value FROM json_each(?)) " if at.types else ""
    rows = at.database.rows(
        f"SELECT asked.value, s.label, s.{there}, s.record_id"
        " FROM json_each(?) AS asked CROSS JOIN support AS s"
        " WHERE s.row IN (SELECT row FROM support"
        f" WHERE ns = ? AND kind = 3 AND {here} = asked.value {typed}"
        f"AND {clause} ORDER BY label, {there}, record_id LIMIT ?)"
        f" ORDER BY s.label, s.{there}, s.record_id",
        as_list(ids),
        at.database.ns,
        *((as_list(at.types),) if at.types else ()),
        *values,
        size,
    )
    return _by_record(ids, rows)


def _pages_by_type(at: _Side, ids: Sequence[str], size: int) -> dict[str, list[_Row]]:
    """The first rows of each record and type, in the same order. The types are found by going
    from one to the next in the index, so many relations of one type cost no more than few."""
    here, there = ("near", "far") if at.side == "out" else ("far", "near")
    clause, values = standing(at.known_at)
    typed = "AND label IN (SELECT value FROM json_each(?)) " if at.types else ""
    least = f"SELECT min(label) FROM support WHERE ns = ? AND kind = 3 AND {here} ="
    rows = at.database.rows(
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
        at.database.ns,
        as_list(ids),
        at.database.ns,
        *((as_list(at.types),) if at.types else ()),
        at.database.ns,
        *values,
        size,
    )
    return _by_record(ids, rows)


def _by_record(
    ids: Sequence[str], rows: Iterable[tuple[str, str, str, str]]
) -> dict[str, list[_Row]]:
    pages: dict[str, list[_Row]] = {each: [] for each in ids}
    for near, label, far, rel_id in rows:
        pages[near].append(_Row(label, far, rel_id))
    return pages


def _visible(at: _Side, pages: Mapping[str, Sequence[_Row]]) -> dict[str, list[Relation]]:
    """The visible relations of each page that, merged from all their sources, still stand
    there."""
    every = {row.rel_id for page in pages.values() for row in page}
    visible = at.records.of_kind("relation", sorted(every), at.known_at)
    found: dict[str, list[Relation]] = {}
    for near, page in pages.items():
        found[near] = []
        for label, far, rel_id in dict.fromkeys(page):
            relation = visible.get(rel_id)
            if isinstance(relation, Relation) and relation.type == label:
                ends = (relation.source_entity_id, relation.target_entity_id)
                if ends == ((near, far) if at.side == "out" else (far, near)):
                    found[near].append(relation)
    return found
