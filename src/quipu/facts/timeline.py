"""What holds when of one key that has one value at a time: interval logic alone.

Statements are in order by when they begin to hold and then by when they were said, whatever order
they came in. Each gives way where the next other value begins. Of two values that nothing orders
neither gives way.
"""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

from quipu.records.record import Fact
from quipu.records.stated import is_end, is_stated, same_value

__all__ = ["Timeline", "timeline"]

_DAY = len("2026-01-01")


class Timeline(NamedTuple):
    """The facts in order; until when each holds, what took its place and what contradicts it."""

    facts: list[Fact]
    ends: dict[str, str | None]
    by: dict[str, str]
    against: dict[str, set[str]]


def timeline(facts: Iterable[Fact], may_replace: Callable[[Fact], bool]) -> Timeline:
    """How facts of one key follow each other. What may not replace others only gives way."""
    given = list(facts)
    ranks = _ranks(given)
    ordered = sorted(given, key=lambda fact: (ranks[fact.fact_id], fact.fact_id))
    drawn = Timeline(ordered, {f.fact_id: f.valid_to for f in given}, {}, {})
    later: list[Fact] = []
    for group in _groups_from_last(ordered, ranks):
        for fact in group:
            if not is_end(fact):
                _give_way(fact, later, drawn)
        acting = [fact for fact in group if may_replace(fact)]
        for fact in acting:
            others = (f for f in acting if not (is_end(f) or is_end(fact) or same_value(f, fact)))
            drawn.against[fact.fact_id] = {other.fact_id for other in others}
        later = acting or later
    return drawn


def _groups_from_last(ordered: list[Fact], ranks: dict[str, "_Rank"]) -> list[list[Fact]]:
    """Facts that nothing orders together, the last first."""
    return [list(group) for _, group in groupby(ordered[::-1], key=lambda f: ranks[f.fact_id])]


def _give_way(fact: Fact, later: list[Fact], drawn: Timeline) -> None:
    again = next((other for other in later if same_value(other, fact)), None)
    if again is not None:  # what is said again gives way as one
        end, by = drawn.ends[again.fact_id], drawn.by.get(again.fact_id)
    elif later:
        end, by = later[-1].valid_from, later[-1].fact_id
    else:
        return
    if by is not None:
        drawn.by[fact.fact_id] = by
    ends = [each for each in (fact.valid_to, end) if each]
    drawn.ends[fact.fact_id] = max(min(ends), fact.valid_from or "") if ends else None


_Rank = tuple[str, str, bool]


def _ranks(facts: list[Fact]) -> dict[str, _Rank]:
    """Each fact's place in time: what ends on a date stands before what begins there, and what
    replaces a fact by its id after that."""
    ranks = {fact.fact_id: _rank(fact) for fact in facts}
    for fact in sorted(facts, key=lambda f: f.updated_at):
        replaced = ranks.get(str(fact.provenance.get("replaces")))
        if replaced and replaced >= ranks[fact.fact_id]:
            ranks[fact.fact_id] = replaced[0], max(replaced[1], fact.updated_at), True
    return ranks


def _rank(fact: Fact) -> _Rank:
    dated_end = is_end(fact) and bool(fact.provenance.get("dated"))
    begin = fact.valid_from or (fact.updated_at[:_DAY] if is_stated(fact) else "")
    return begin, "" if dated_end else fact.updated_at, False
