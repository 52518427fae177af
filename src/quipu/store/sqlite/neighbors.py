"""Relations at one end of many records, page by page."""

from collections.abc import Sequence

from quipu.domain.records import Record, Relation
from quipu.store.sqlite.database import Database, as_list
from quipu.store.sqlite.records import standing

__all__ = ["relation_pages", "still_there"]


def relation_pages(
    database: Database,
    ids: Sequence[str],
    side: str,
    types: frozenset[str],
    size: int,
    known_at: str | None,
) -> dict[str, list[tuple[str, str, str]]]:
    """The first relations of each end (type, other end, id), in that order."""
    here, there = ("near", "far") if side == "out" else ("far", "near")
    clause, values = standing(known_at)
    typed = "AND label IN (SELECT value FROM json_each(?)) " if types else ""
    rows = database.rows(
        f"SELECT asked.value, s.label, s.{there}, s.record_id"
        " FROM json_each(?) AS asked CROSS JOIN support AS s"
        " WHERE s.row IN (SELECT row FROM support"
        f" WHERE ns = ? AND kind = 3 AND {here} = asked.value {typed}"
        f"AND {clause} ORDER BY label, {there}, record_id LIMIT ?)"
        f" ORDER BY s.label, s.{there}, s.record_id",
        as_list(ids),
        database.ns,
        *((as_list(types),) if types else ()),
        *values,
        size,
    )
    pages: dict[str, list[tuple[str, str, str]]] = {each: [] for each in ids}
    for near, label, far, rel_id in rows:
        pages[near].append((label, far, rel_id))
    return pages


def still_there(
    near: str, side: str, page: list[tuple[str, str, str]], visible: dict[str, Record]
) -> list[Relation]:
    """The visible relations of a page that, merged from all their sources, still stand there."""
    found: list[Relation] = []
    for kind, far, rel_id in dict.fromkeys(page):
        relation = visible.get(rel_id)
        if isinstance(relation, Relation):
            ends = (relation.source_entity_id, relation.target_entity_id)
            if relation.type == kind and ends == ((near, far) if side == "out" else (far, near)):
                found.append(relation)
    return found
