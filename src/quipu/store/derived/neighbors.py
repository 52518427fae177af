"""Relations at one end of many records: a page each, and for those with more, a page a type."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from quipu.records.record import Relation, in_turns
from quipu.store.backend import Row
from quipu.store.derived.records import Records

__all__ = ["Hop", "Side", "first_relations"]

Side: TypeAlias = Literal["out", "in"]

_SPARE = 8  # rows beyond the limit: some relations have several sources, some have lost an end


class _NeighborRow(NamedTuple):
    """A relation as it is looked up: its type, its other end, its id."""

    label: str
    far: str
    rel_id: str


class Hop(NamedTuple):
    """Where relations are looked for: leaving or reaching a record, of which types, when; and
    `edges`, which reads at least the first `size` of each type of each record."""

    records: Records
    side: Side
    types: frozenset[str]
    known_at: str | None
    edges: "Callable[[Hop, Sequence[str], int], list[Row]]"


def first_relations(hop: Hop, ids: Sequence[str], limit: int) -> dict[str, list[Relation]]:
    """The visible relations on one side of each record; of more than `limit` at least the first
    that many of each type that can be among the first of all."""
    found: dict[str, list[Relation]] = {}
    pending, size = list(ids), limit + _SPARE
    while pending:
        pages = _by_record(pending, hop.edges(hop, pending, size))
        found |= _visible(hop, {i: page for i, page in pages.items() if len(page) < size})
        many = {i: page for i, page in pages.items() if len(page) >= size}
        full = {i: _full(page, size) for i, page in many.items()}
        firsts = {i: _first(page, limit) for i, page in many.items()}
        near = _visible(hop, firsts)
        rest = {
            i: page
            for i, page in many.items()
            if len(near[i]) < len(firsts[i]) or _short(page, full[i], limit)
        }
        near |= _visible(hop, rest)
        pending = [i for i in rest if _lacking(near[i], full[i], limit)]
        found |= {i: each for i, each in near.items() if i not in pending}
        size *= 8
    return found


def _first(page: Sequence[_NeighborRow], limit: int) -> list[_NeighborRow]:
    rows = list(dict.fromkeys(page))
    return [rows[place] for place in in_turns([row.label for row in rows], limit)]


def _full(page: Sequence[_NeighborRow], size: int) -> frozenset[str]:
    """The types of which there may be more."""
    counts: dict[str, int] = {}
    for row in page:
        counts[row.label] = counts.get(row.label, 0) + 1
    return frozenset(label for label, count in counts.items() if count >= size)


def _short(page: Sequence[_NeighborRow], full: frozenset[str], limit: int) -> bool:
    """Whether several sources of few relations fill the page of a type."""
    distinct: dict[str, set[str]] = {}
    for row in page:
        distinct.setdefault(row.label, set()).add(row.rel_id)
    return any(len(distinct[label]) < limit for label in full)


def _lacking(near: Sequence[Relation], full: frozenset[str], limit: int) -> bool:
    """Whether a type has too few visible relations on its page, and may have more."""
    return any(sum(r.type == label for r in near) < limit for label in full)


def _by_record(
    ids: Sequence[str], rows: Iterable[tuple[str, str, str, str]]
) -> dict[str, list[_NeighborRow]]:
    pages: dict[str, list[_NeighborRow]] = {each: [] for each in ids}
    for near, label, far, rel_id in rows:
        pages[near].append(_NeighborRow(label, far, rel_id))
    return pages


def _visible(hop: Hop, pages: Mapping[str, Sequence[_NeighborRow]]) -> dict[str, list[Relation]]:
    """The visible relations of each page that, merged from all their sources, still stand
    there."""
    every = {row.rel_id for page in pages.values() for row in page}
    visible = hop.records.of_kind("relation", sorted(every), hop.known_at)
    found: dict[str, list[Relation]] = {}
    for near, page in pages.items():
        found[near] = []
        for label, far, rel_id in dict.fromkeys(page):
            relation = visible.get(rel_id)
            if isinstance(relation, Relation) and relation.type == label:
                ends = (relation.source_entity_id, relation.target_entity_id)
                if ends == ((near, far) if hop.side == "out" else (far, near)):
                    found[near].append(relation)
    return found
