"""Which statement holds when, which one took another's place, and which ones disagree.

Pure rules over facts in any order; interval logic alone. What is "the same thing" is asked of
`facts/keys.py`: the facts of one key are a chain.

* A chain has one value at a time where its key was stated, where the attribute is functional, or
  where the wording leaves room for one value ("the port of the ledger is 8080"). There the later
  statement takes the place of the earlier: by begin, then by when it was said, then by where it
  stands in its source. What is so "since" a day is as late as when that is said.
* What only says when something ended ("no longer uses X") ends what says the same; what the same
  words say to have begun then takes its place.
* Anything else that disagrees is a contradiction: values that nothing orders, a statement and its
  negation that hold at once, two values that are each said, begin and end, to have held at once.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby
from typing import Annotated, NamedTuple, Protocol, TypeVar

import msgspec

from quipu.facts.attributes import SHIPPED, Attributes
from quipu.facts.keys import (
    STATED,
    FactKey,
    affirmed,
    is_end,
    is_negated,
    is_of_user,
    is_stated,
    key_of,
    only_proposes,
    owner_of,
    stated_key,
    value_key,
)
from quipu.records.record import Fact
from quipu.text import natural_key
from quipu.when.intervals import Interval, overlap, read_iso, touches

__all__ = [
    "Chain",
    "FactStanding",
    "as_it_stands",
    "chains",
    "effective",
    "fit",
    "goes_on",
    "holding",
    "interval_of",
    "is_ending",
    "now_as_date",
    "standings",
    "was_said_after",
]

_SAYS_SO = frozenset({STATED, "table", "observation", None})
"""Rules of what says a value itself: a statement, a table, a note, front matter. Only these take
the place of what was stated."""
_MOST_AGAINST = 20
_MOST_AT_ONCE = 200
"""How many statements that hold at once are compared with the next one."""
_DAY = len("2026-01-01")


class FactStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A fact and how it stands among the others, after supersession."""

    fact: Annotated[Fact, "the statement"]
    valid_from: Annotated[str | None, "from when it holds, or null"]
    valid_to: Annotated[str | None, "until when it holds, excluded; or null"]
    superseded_by: Annotated[str | None, "the fact that took its place, or null"] = None
    contradicted_by: Annotated[tuple[str, ...], "the facts that disagree with it"] = ()


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """Everything said of one subject and predicate, the earliest first."""

    subject: str
    predicate: str
    functional: bool
    standings: tuple[FactStanding, ...]


class _Standing(Protocol):
    """A row that tells how a fact stands."""

    @property
    def fact(self) -> Fact: ...
    @property
    def valid_to(self) -> str | None: ...
    @property
    def superseded_by(self) -> str | None: ...


Row = TypeVar("Row", bound=_Standing)


def interval_of(fact: Fact) -> Interval:
    """The stretch in which a fact holds, as stated."""
    return _interval(fact.valid_from, fact.valid_to)


def effective(standing: FactStanding) -> Interval:
    """The stretch in which a fact holds after supersession."""
    return _interval(standing.valid_from, standing.valid_to)


def goes_on(standing: FactStanding) -> bool:
    """Whether it states that something is so no more, and nothing was stated since."""
    return is_end(standing.fact) and standing.superseded_by is None


def as_it_stands(standing: FactStanding) -> Fact:
    """A fact with the end that another statement gave it."""
    return msgspec.structs.replace(standing.fact, valid_to=standing.valid_to)


def fit(interval: Interval, asked: Interval) -> float:
    """How well a fact's time answers the asked one: 1 when both share time, .95 when they only
    touch (it ended in the month the other begins), 0 when they are apart."""
    if not overlap(interval, asked):
        return 0.0
    return 0.95 if touches(interval, asked) else 1.0


def is_ending(fact: Fact) -> bool:
    """Whether it only says when something ended."""
    return fact.valid_from is None and fact.valid_to is not None and not is_negated(fact)


def now_as_date(now: str) -> Interval:
    """The day of an instant, as an interval to ask with."""
    date = read_iso(now)
    return Interval(date, date)


def chains(facts: Iterable[Fact], *, table: Attributes = SHIPPED) -> list[Chain]:
    """Facts by owner and attribute, a negation with what it denies: those with a stated one first,
    each sorted by both."""
    every = {fact.fact_id: fact for fact in facts}
    stated_keys = {stated_key(fact) for fact in every.values() if is_stated(fact)}
    stated: dict[tuple[str, str], list[Fact]] = {}
    read: dict[FactKey, list[Fact]] = {}
    for fact in every.values():
        says_value = not (is_ending(fact) or is_negated(fact))
        if stated_keys and says_value and (key := stated_key(fact)) in stated_keys:
            stated.setdefault(key, []).append(fact)
        else:
            read.setdefault(key_of(fact, table), []).append(fact)
    timelines = [_Timeline(stated[key], single=True, stated=True) for key in sorted(stated)]
    for key in sorted(read):
        single = any(_is_single(fact, key, table) for fact in read[key])
        timelines.append(_Timeline(read[key], single=single, stated=False))
    _follow_changes(timelines)
    _replace_by_hand(timelines, every.values())
    return [timeline.chain() for timeline in timelines]


def _is_single(fact: Fact, key: FactKey, table: Attributes) -> bool:
    if table.is_functional(key.attribute) or table.is_functional(affirmed(fact)):
        return True
    return bool(fact.provenance.get("single")) and not is_negated(fact)


def standings(facts: Iterable[Fact], *, table: Attributes = SHIPPED) -> list[FactStanding]:
    """How each fact stands among the others, by chain and then in its order."""
    return [each for chain in chains(facts, table=table) for each in chain.standings]


def holding(rows: Iterable[Row], *, table: Attributes = SHIPPED) -> list[Row]:
    """Those that hold at some time. Of two with one begin the later observation does; and what
    only says when another statement ended adds no time before that one began."""
    every = list(rows)
    begun = {_said(row.fact, table) for row in every if row.fact.valid_from}
    return [
        row
        for row in every
        if not (row.superseded_by and row.valid_to is None)
        and not is_end(row.fact)
        and not (is_ending(row.fact) and _said(row.fact, table) in begun)
    ]


def was_said_after(newer: Fact, older: Fact) -> bool:
    """Whether one fact was said after another by who knew of it: in one source, or both of the
    very day on which they were said. Else two that begin at one time disagree."""
    if _source(newer) == _source(older):
        return _rank(newer, stated=False) > _rank(older, stated=False)
    days = {(fact.valid_from, fact.updated_at[:_DAY]) for fact in (newer, older)}
    return len({day for pair in days for day in pair}) == 1 and newer.updated_at > older.updated_at


def _source(fact: Fact) -> object:
    return fact.provenance.get("group") or fact.provenance.get("document_id") or fact.fact_id


def _said(fact: Fact, table: Attributes) -> tuple[FactKey, object]:
    return key_of(fact, table), value_key(fact)


class _Rank(NamedTuple):
    """A fact's place in time; facts of one rank are in no order."""

    begin: str
    said: str
    replaces: bool
    place: tuple[object, ...]


def _rank(fact: Fact, *, stated: bool) -> _Rank:
    """What ends on a date stands before what begins there. What is stated has no place in a
    source."""
    marks, day = fact.provenance, fact.updated_at[:_DAY]
    begin = fact.valid_from or (day if is_stated(fact) else "")
    if stated:
        dated_end = is_end(fact) and bool(marks.get("dated"))
        return _Rank(begin, "" if dated_end else fact.updated_at, False, ())
    start = marks.get("start")
    place = begin, natural_key(str(marks.get("path", ""))), start if isinstance(start, int) else 0
    return _Rank(max(begin, day) if marks.get("since") else begin, fact.updated_at, False, place)


class _Timeline:
    """The facts of one key in order: until when each holds, what took its place, what disagrees."""

    def __init__(self, facts: Collection[Fact], *, single: bool, stated: bool) -> None:
        self.single, self.stated = single, stated
        self._ranks = {fact.fact_id: _rank(fact, stated=stated) for fact in facts}
        for fact in sorted(facts, key=lambda f: f.updated_at) if stated else ():
            replaced = self._ranks.get(str(fact.provenance.get("replaces")))
            if replaced and replaced >= self._ranks[fact.fact_id]:
                said = max(replaced.said, fact.updated_at)
                self._ranks[fact.fact_id] = _Rank(replaced.begin, said, True, ())
        self.facts = sorted(facts, key=lambda f: (self._ranks[f.fact_id], f.fact_id))
        self.ends = {fact.fact_id: fact.valid_to for fact in facts}
        self.by: dict[str, str] = {}
        self.against: dict[str, set[str]] = {fact.fact_id: set() for fact in facts}
        if single:
            turns = [f for f in self.facts if not (is_ending(f) or is_negated(f))]
            self._take_turns(self._allowed(turns) if stated else turns)
        self._end([fact for fact in self.facts if is_ending(fact)])
        if not stated:
            self._oppose()

    def chain(self) -> Chain:
        """The chain, with what took another's place naming it."""
        place_of = {self.by[f.fact_id]: f.fact_id for f in self.facts if f.fact_id in self.by}
        first = next((f for f in self.facts if self.stated and is_stated(f)), self.facts[0])
        return Chain(
            subject=first.subject,
            predicate=affirmed(first),
            functional=self.single,
            standings=tuple(
                FactStanding(
                    fact=msgspec.structs.replace(
                        fact, supersedes_fact_id=place_of.get(fact.fact_id, fact.supersedes_fact_id)
                    ),
                    valid_from=fact.valid_from,
                    valid_to=self.ends[fact.fact_id],
                    superseded_by=self.by.get(fact.fact_id),
                    contradicted_by=tuple(sorted(self.against[fact.fact_id])),
                )
                for fact in self.facts
            ),
        )

    def _allowed(self, facts: Iterable[Fact]) -> list[Fact]:
        """Those that may take turns: what a page or a tool says of a time for which a user stated
        it gives way to that, whichever came first."""
        allowed: list[Fact] = []
        own: Fact | None = None
        for fact in facts:
            if own and only_proposes(fact) and _covers(own, fact):
                self.by[fact.fact_id] = own.fact_id
                self.ends[fact.fact_id] = fact.valid_from
                continue
            allowed.append(fact)
            own = fact if is_of_user(fact) else own
        return allowed

    def _take_turns(self, facts: Sequence[Fact]) -> None:
        """Let each fact give way to the next one that says another value, from the last back."""
        later: list[Fact] = []
        for _, group in groupby(reversed(facts), key=lambda f: self._ranks[f.fact_id]):
            level = list(group)
            for fact in level:
                if later and not is_end(fact):
                    self._give_way(fact, later)
            acting = [f for f in level if not self.stated or f.provenance.get("rule") in _SAYS_SO]
            claims = [fact for fact in acting if not is_end(fact)]
            for fact in claims if len(claims) > 1 else ():
                others = (f for f in claims if value_key(f) != value_key(fact))
                self.against[fact.fact_id] |= {other.fact_id for other in others}
            later = acting or later

    def _give_way(self, fact: Fact, later: Sequence[Fact]) -> None:
        again = next((f for f in later if value_key(f) == value_key(fact)), None)
        if again is None:
            by, end = later[-1].fact_id, later[-1].valid_from
        else:  # what is said again gives way as one
            by, end = self.by.get(again.fact_id, ""), self.ends[again.fact_id]
        if by:
            self.by[fact.fact_id] = by
        own = fact.valid_to
        if own is None or (end and (self.stated or again is not None)):
            self.ends[fact.fact_id] = _ended(fact, _earliest(own, end))

    def give_way_by_hand(self, fact: Fact, newer: Fact) -> None:
        """Let one fact take another's place, and end it there."""
        self.by[fact.fact_id] = newer.fact_id
        if self.ends[fact.fact_id] is None:
            self.ends[fact.fact_id] = _ended(fact, newer.valid_from)

    def _end(self, endings: Sequence[Fact]) -> None:
        """Close what was open where somebody says that it ended."""
        for ending in endings:
            for fact in reversed(self.facts):
                if self.may_end(fact, ending) and value_key(fact) == value_key(ending):
                    self.ends[fact.fact_id] = _ended(fact, ending.valid_to)

    def may_end(self, fact: Fact, ending: Fact) -> bool:
        """Whether a fact goes on and can have ended as another tells: it had begun by then; or it
        only begins on the day on which it was said, and the end was told later."""
        if is_ending(fact) or self.ends[fact.fact_id] is not None or not ending.valid_to:
            return False
        unknown = fact.valid_from == fact.updated_at[:_DAY] and fact.updated_at < ending.updated_at
        return unknown or not _interval(fact.valid_from, ending.valid_to).backwards

    def _oppose(self) -> None:
        denied = {value_key(fact) for fact in self.facts if is_negated(fact)}
        by_value: dict[object, list[Fact]] = {}
        for fact in self.facts if denied else ():
            if (value := value_key(fact)) in denied:
                by_value.setdefault(value, []).append(fact)
        for facts in by_value.values():
            self._oppose_at_once(facts, is_negated)
        whole = [f for f in self.facts if f.valid_from and f.valid_to and not is_negated(f)]
        if self.single:
            self._oppose_at_once(whole, value_key)

    def _oppose_at_once(self, facts: Sequence[Fact], side: Callable[[Fact], object]) -> None:
        """Note the pairs of different sides that hold at once, each with at most `_MOST_AGAINST`
        others."""
        stretches = sorted(((interval_of(f), f) for f in facts), key=lambda s: s[0].first or -1)
        going: list[tuple[Interval, Fact]] = []
        for interval, fact in stretches:
            mine = self.against[fact.fact_id]
            first = -1 if interval.first is None else interval.first
            going = [o for o in going if o[0].last is None or o[0].last >= first][-_MOST_AT_ONCE:]
            for other_interval, other in going:
                theirs = self.against[other.fact_id]
                if (
                    max(len(mine), len(theirs)) < _MOST_AGAINST
                    and side(fact) != side(other)
                    and overlap(interval, other_interval)
                    and not touches(interval, other_interval)
                    and not touches(other_interval, interval)
                ):
                    mine.add(other.fact_id)
                    theirs.add(fact.fact_id)
            going.append((interval, fact))


def _covers(own: Fact, fact: Fact) -> bool:
    """Whether a fact is of a time for which a user's stands before it, or would end that."""
    if own.valid_to and not is_end(own):
        return (fact.valid_from or "") < own.valid_to
    return bool(fact.valid_to) or value_key(fact) != value_key(own)


def _follow_changes(timelines: Sequence[_Timeline]) -> None:
    """Let what the very words of an ending say to have begun then take the place of what ended."""
    begun = {(*_words(f), f.valid_from or ""): f for t in timelines for f in t.facts}
    changes = (fact for timeline in timelines for fact in timeline.facts if is_ending(fact))
    newer_of: dict[tuple[FactKey, object, str | None], Fact] = {
        (owner_of(ending), value_key(ending), ending.valid_to): newer
        for ending in changes
        if ending.valid_to and (newer := begun.get((*_words(ending), ending.valid_to)))
    }
    for timeline in timelines if newer_of else ():
        for fact in timeline.facts:
            end = timeline.ends[fact.fact_id]
            newer = newer_of.get((owner_of(fact), value_key(fact), end))
            if newer and newer is not fact:
                timeline.by.setdefault(fact.fact_id, newer.fact_id)


def _replace_by_hand(timelines: Sequence[_Timeline], facts: Iterable[Fact]) -> None:
    """Let what is stated to replace a fact of another key by its id take its place."""
    newer_of = {f.provenance["replaces"]: f for f in facts if f.provenance.get("replaces")}
    for timeline in timelines if newer_of else ():
        for fact in timeline.facts if not timeline.stated else ():
            if newer := newer_of.get(fact.fact_id):
                timeline.give_way_by_hand(fact, newer)


def _words(fact: Fact) -> tuple[str, str]:
    """The very words that state it, and where they stand."""
    marks = fact.provenance
    return str(marks.get("text", "")), f"{marks.get('document_id')} {marks.get('start')}"


def _ended(fact: Fact, end: str | None) -> str | None:
    """When what began at one time ends where another takes its place: never before it began."""
    return fact.valid_from if _interval(fact.valid_from, end).backwards else end


def _earliest(*ends: str | None) -> str | None:
    """The first of some ends; of one month, the more precise one."""
    return min((end for end in ends if end), key=lambda end: f"{end}~", default=None)


def _interval(valid_from: str | None, valid_to: str | None) -> Interval:
    start = read_iso(valid_from) if valid_from else None
    end = read_iso(valid_to) if valid_to else None
    return Interval(start, end)
