"""Which statement holds when, which one took another's place, and which ones disagree.

Pure rules over facts in any order: the order in which they were written never matters.

* A *functional* predicate has one value at a time. Of two facts with one subject and one
  functional predicate, the later one supersedes: by begin of validity, then by when it was
  observed (`updated_at`), then by id. What had no end of its own ends where the later begins.
* What two facts are compared by is the attribute of the table that their predicates state
  (`facts/attributes.py`), else the predicate: "lives in" and "is based in" are one. A predicate
  that the wording gives one value ("the port of the ledger is 8080") is functional as well. What
  somebody is only reported to say takes nothing's place.
* A fact without a begin whose end is stated ("no longer uses X") ends what says the same.
* Where one statement tells of a change ("switched from X to Y"), Y takes X's place, whatever the
  predicates: who "uses" X and then "runs on" Y uses X no more.
* What has been so "since" a day is said to be so now: it takes the place of what was said before,
  whenever that is said to have begun.
* What was said at one time is in the order in which its source says it.
* Anything else that disagrees is a *contradiction*: both sides stay and are shown. That is a
  statement and its negation that hold at once, and two values of a functional predicate of which
  each is said to hold, begin and end, while the other does.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Annotated, NamedTuple

import msgspec

from quipu.facts.attributes import SHIPPED, VALUE, Attributes
from quipu.facts.keys import (
    TABLED,
    FactKey,
    affirmed,
    is_negated,
    key_of,
    owner_of,
    predicate_key,
)
from quipu.facts.timeline import timeline
from quipu.records.record import Fact
from quipu.records.stated import STATED, is_end, is_stated, stated_key
from quipu.text import name_key, natural_key, stem_words
from quipu.when.intervals import Interval, overlap, read_iso, touches

__all__ = [
    "Chain",
    "FactStanding",
    "as_it_stands",
    "chains",
    "effective",
    "fit",
    "holding",
    "interval_of",
    "is_ending",
    "predicate_key",
    "standings",
    "value_of",
    "was_said_after",
]

_CHANGE, _REPORTED = "change", "reported"
_READ = frozenset({"grammar", _CHANGE})
_SAYS_SO = frozenset({STATED, TABLED, "observation", None})
"""Rules of what says a value itself: a statement, a table, a note, front matter."""
_USER, _WE = "user", "we"
_NAMELESS = frozenset({_USER, _WE})
_COUNT = re.compile(
    r"^(?:(?:about|around|only|some|over|under|up to|at least) )?"
    r"(?:[$€£]\s?)?(?:\d[\d.,:]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"twenty|thirty|forty|fifty|a hundred|half an?)(?=[\s%]|[a-z]|$)"
)
_VERSION = re.compile(r"(?<= )v?\d+(?:\.\d+)*$")
_OF_VERSIONS = frozenset({"uses", "has", "drives"})
_YEAR = re.compile(r"^(?:1[5-9]|20)\d\d\b")
_MOST_AGAINST = 20
_MOST_LOOKS = 200
_DAY = len("2026-01-01")
_ARTICLE = re.compile(r"^(?:an?|the|our|my|his|her|their|your|new|old) ")


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


def interval_of(fact: Fact) -> Interval:
    """The stretch in which a fact holds, as stated."""
    return _interval(fact.valid_from, fact.valid_to)


def effective(standing: FactStanding) -> Interval:
    """The stretch in which a fact holds after supersession."""
    return _interval(standing.valid_from, standing.valid_to)


def as_it_stands(standing: FactStanding) -> Fact:
    """A fact with the end that another statement gave it."""
    return msgspec.structs.replace(standing.fact, valid_to=standing.valid_to)


def fit(interval: Interval, asked: Interval) -> float:
    """How well a fact's time answers the asked one: 1 when both share time, .95 when they only
    touch (it ended in the month the other begins), 0 when they are apart."""
    if not overlap(interval, asked):
        return 0.0
    return 0.95 if touches(interval, asked) else 1.0


def chains(facts: Iterable[Fact], *, table: Attributes = SHIPPED) -> list[Chain]:
    """Facts by owner and attribute, a negation with what it denies: those with a stated one first,
    each sorted by both."""
    every = {fact.fact_id: fact for fact in facts}
    of_key = _with_stated(every.values())
    stated = {fact.fact_id: fact for key in sorted(of_key) for fact in of_key[key]}
    grouped: dict[FactKey, dict[str, Fact]] = {}
    for fact in every.values():
        if fact.fact_id not in stated:
            grouped.setdefault(key_of(fact, table), {})[fact.fact_id] = fact
    drawn = [_Drawn(grouped[key].values(), key, table) for key in sorted(grouped)]
    _switch(drawn, table)
    for chain in drawn:
        chain.replace_by_hand(stated.values())
    return [*(_stated_chain(of_key[key]) for key in sorted(of_key)), *(c.chain() for c in drawn)]


def _with_stated(facts: Collection[Fact]) -> dict[tuple[str, str], list[Fact]]:
    """The facts of each key under which one is stated, by key: others count that say a value."""
    stated = {stated_key(fact) for fact in facts if is_stated(fact)}
    of_key: dict[tuple[str, str], list[Fact]] = {key: [] for key in stated}
    for fact in facts if stated else ():
        says_value = not (is_ending(fact) or is_negated(fact))
        if says_value and stated_key(fact) in stated:
            of_key[stated_key(fact)].append(fact)
    return of_key


def _stated_chain(facts: Sequence[Fact]) -> Chain:
    drawn = timeline(facts, lambda fact: fact.provenance.get("rule") in _SAYS_SO)
    place_of = {drawn.by[f.fact_id]: f.fact_id for f in drawn.facts if f.fact_id in drawn.by}
    first = next(fact for fact in drawn.facts if is_stated(fact))
    return Chain(
        subject=first.subject,
        predicate=affirmed(first),
        functional=True,
        standings=tuple(
            FactStanding(
                fact=_in_place_of(fact, place_of.get(fact.fact_id)),
                valid_from=fact.valid_from,
                valid_to=drawn.ends[fact.fact_id],
                superseded_by=drawn.by.get(fact.fact_id),
                contradicted_by=tuple(sorted(drawn.against.get(fact.fact_id, ()))),
            )
            for fact in drawn.facts
        ),
    )


def standings(facts: Iterable[Fact], *, table: Attributes = SHIPPED) -> list[FactStanding]:
    """How each fact stands among the others, by chain and then in its order."""
    return [each for chain in chains(facts, table=table) for each in chain.standings]


def holding(standing: Iterable[FactStanding], *, table: Attributes = SHIPPED) -> list[FactStanding]:
    """Those that hold at some time. Of two with one begin the later observation does; and what
    only says when another statement ended adds no time before that one began."""
    every = list(standing)
    begun = {_statement(each.fact, table) for each in every if each.fact.valid_from}
    return [
        each
        for each in every
        if not (each.superseded_by and each.valid_to is None)
        and not is_end(each.fact)
        and not (is_ending(each.fact) and _statement(each.fact, table) in begun)
    ]


def was_said_after(newer: Fact, older: Fact) -> bool:
    """Whether one fact was said after another by who knew of it: in one source, or both of the
    very day on which they were said. Else two that begin at one time disagree."""
    if _source(newer) == _source(older):
        return _order(newer) > _order(older)
    days = {(fact.valid_from, fact.updated_at[:_DAY]) for fact in (newer, older)}
    return len({day for pair in days for day in pair}) == 1 and newer.updated_at > older.updated_at


def _source(fact: Fact) -> object:
    return fact.provenance.get("group") or fact.provenance.get("document_id") or fact.fact_id


def _statement(fact: Fact, table: Attributes) -> tuple[FactKey, str]:
    return key_of(fact, table), value_of(fact)


class _Drawn:
    """A chain as it is drawn: when each fact ends, and what took its place."""

    def __init__(self, facts: Iterable[Fact], key: FactKey, table: Attributes) -> None:
        self.facts, self.key = sorted(facts, key=_order), key
        self.functional = any(self._is_single(fact, table) for fact in self.facts)
        self.ends = {fact.fact_id: fact.valid_to for fact in self.facts}
        self.by: dict[str, str] = {}
        self.instead: dict[str, str] = {}
        _supersede(self, several=table.has_several(key.attribute))
        _end(self.facts, self.ends)

    def _is_single(self, fact: Fact, table: Attributes) -> bool:
        if table.is_functional(self.key.attribute) or table.is_functional(affirmed(fact)):
            return True
        return bool(fact.provenance.get("single")) and not is_negated(fact)

    def give_way(self, older: Fact, newer: Fact) -> None:
        """Let one fact take another's place, and end it there."""
        self.by[older.fact_id] = newer.fact_id
        if self.ends[older.fact_id] is None:
            self.ends[older.fact_id] = _later(older.valid_from, newer.valid_from)

    def replace_by_hand(self, stated: Iterable[Fact]) -> None:
        """Let what is stated to replace one of these by its id take its place."""
        by_id = {fact.fact_id: fact for fact in self.facts}
        for newer in stated:
            if older := by_id.get(str(newer.provenance.get("replaces"))):
                self.give_way(older, newer)

    def chain(self) -> Chain:
        """The chain, with what took another's place naming it."""
        against = _contradictions(self.facts, self.functional)
        place_of = {self.by[f.fact_id]: f.fact_id for f in self.facts if f.fact_id in self.by}
        place_of = {**self.instead, **place_of}
        shown = tuple(
            FactStanding(
                fact=_in_place_of(fact, place_of.get(fact.fact_id)),
                valid_from=fact.valid_from,
                valid_to=self.ends[fact.fact_id],
                superseded_by=self.by.get(fact.fact_id),
                contradicted_by=tuple(sorted(against.get(fact.fact_id, ()))),
            )
            for fact in self.facts
        )
        return Chain(
            subject=self.facts[0].subject,
            predicate=affirmed(self.facts[0]),
            functional=self.functional,
            standings=shown,
        )


def _in_place_of(fact: Fact, other: str | None) -> Fact:
    return msgspec.structs.replace(fact, supersedes_fact_id=other) if other else fact


def _order(fact: Fact) -> tuple[str, str, str, list[str | int], int, str]:
    """By begin, by when it was said, by where it stands in what was said then, by id. What is so
    "since" a day is as late as when that is said."""
    said, begin = fact.provenance, fact.valid_from or ""
    start = said.get("start")
    place = natural_key(str(said.get("path", "")))
    told = max(begin, fact.updated_at[:_DAY]) if said.get("since") else begin
    return told, fact.updated_at, begin, place, _number(start), fact.fact_id


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _supersede(drawn: _Drawn, *, several: bool) -> None:
    """Let later values take the place of earlier ones: each the one before it where there is one
    value at a time; else of what is counted alike ("two cups of tea"), and what is told to be new
    of all before it, unless there are `several` at a time."""
    valued = [
        fact
        for fact in drawn.facts
        if not is_ending(fact) and not is_negated(fact) and fact.provenance.get("rule") != _REPORTED
    ]
    if drawn.functional:
        _take_turns(valued, drawn)
        return
    counted: dict[str, list[Fact]] = {}
    for fact in valued:
        if what := _counted(fact) or _preferred(fact) or _purpose(fact):
            counted.setdefault(what, []).append(fact)
    for what, alike in counted.items():
        if several and what.endswith(" ") and drawn.key.attribute not in _OF_VERSIONS:
            continue
        _take_turns(alike, drawn)
    for place, newer in enumerate(valued):
        for older in valued[:place] if _is_anew(newer) else ():
            apart = _words(older) != _words(newer) and value_of(older) != value_of(newer)
            meant = not several or (_tells_change(newer) and _names(newer, older))
            if apart and meant and older.fact_id not in drawn.by:
                drawn.give_way(older, newer)


def _take_turns(valued: Sequence[Fact], drawn: _Drawn) -> None:
    by, ends = drawn.by, drawn.ends
    for older, newer in pairwise(valued):
        if value_of(older) != value_of(newer):
            drawn.give_way(older, newer)
    for older, newer in pairwise(reversed(valued)):  # what is restated is superseded as one
        if value_of(older) == value_of(newer) and older.fact_id in by:
            by.setdefault(newer.fact_id, by[older.fact_id])
            ends[newer.fact_id] = _earlier(ends[newer.fact_id], ends[older.fact_id])


def _counted(fact: Fact) -> str:
    """What a value counts, without its number: empty where it counts nothing."""
    value = value_of(fact)
    if fact.provenance.get("rule") not in _READ or _YEAR.match(value):
        return ""
    number = _COUNT.match(value)
    if number is None:
        version = _VERSION.search(value)  # "Python 3.11" and then "Python 3.12"
        return value[: version.start()] if version else ""
    return " ".join(stem_words(value[number.end() :].split()))


def _preferred(fact: Fact) -> str:
    """Of what kind is preferred: the answers of "prefers short answers", of which one is."""
    words = value_of(fact).split()
    return stem_words(words)[-1] if fact.predicate == "prefers" and len(words) > 1 else ""


def _purpose(fact: Fact) -> str:
    """For what something is used: of what one uses for caching, the last told is."""
    return f"for {fact.provenance['for']}" if fact.provenance.get("for") else ""


def _later(one: str | None, other: str | None) -> str | None:
    """When what began at one time ends where the other takes its place: never before it began."""
    return one if other and not _begun(one, other) else other


def _earlier(one: str | None, other: str | None) -> str | None:
    return min((end for end in (one, other) if end is not None), key=_end_order, default=None)


def _end_order(text: str) -> tuple[int, tuple[int, int, int], str]:
    """Ends by the month they can last into; of one month, the more precise first."""
    end = read_iso(text)
    if end is None:
        return 0, (0, 0, 0), text
    return end.last, (-1 if end.month else 0, -1 if end.day else 0, end.day), text


def _end(facts: Sequence[Fact], ends: dict[str, str | None]) -> None:
    """Close what was open where somebody says that it ended."""
    opened: dict[str, list[Fact]] = {}
    for fact in facts:
        if not is_ending(fact) and ends[fact.fact_id] is None:
            opened.setdefault(value_of(fact), []).append(fact)
    for stack in opened.values():
        stack.sort(key=lambda f: _begin_order(f.valid_from), reverse=True)
    for ending in facts:
        stack = opened.get(value_of(ending)) if is_ending(ending) else None
        while stack and _may_have_ended(stack[-1], ending):
            ended = stack.pop()
            ends[ended.fact_id] = _later(ended.valid_from, ending.valid_to)


def _switch(drawn: Sequence[_Drawn], table: Attributes) -> None:
    """End what another statement tells of by its value alone ("switched from X to Y"), and say
    what took its place where the same words state both."""
    begun: dict[tuple[str, str], list[tuple[Fact, _Drawn]]] = {}
    by_word: dict[str, list[tuple[Fact, _Drawn]]] = {}
    endings: list[tuple[Fact, _Drawn]] = []
    for chain in drawn:
        for fact in chain.facts:
            if is_ending(fact):
                endings.append((fact, chain))
                continue
            for word in set(_thing(fact).split()):
                by_word.setdefault(word, []).append((fact, chain))
            if fact.valid_from and _words(fact)[0]:
                begun.setdefault(_words(fact), []).append((fact, chain))
    for ending, chain in endings:
        first = next(iter(_thing(ending).split()), "")
        meant = [
            (fact, other)
            for fact, other in by_word.get(first, ())
            if _is_of(_thing(ending), _thing(fact))
        ]
        if _tells_change(ending):
            for fact, other in meant:
                _end_alike(ending, chain, fact, other, table)
        for new, where in begun.get(_words(ending), ()):
            both = _tells_change(ending) and _tells_change(new)
            if new.valid_from == ending.valid_to and (both or where is chain):
                _take_place(new, where, ending, [*meant, (ending, chain)])


def _names(new: Fact, old: Fact) -> bool:
    """Whether the words of one name the value of another beside their own: "we switched to X, for
    Y was slow"."""
    said = f" {name_key(str(new.provenance.get('text', '')))} "
    return f" {_thing(old)} " in said and f" {_thing(old)} " not in f" {value_of(new)} "


def _end_alike(ending: Fact, chain: _Drawn, fact: Fact, other: _Drawn, table: Attributes) -> None:
    noun = bool(fact.provenance.get("noun")) or other.key.attribute == VALUE
    numbered = chain.key.of == other.key.of and any(c.isdigit() for c in _thing(ending))
    if (
        other is not chain
        and other.ends[fact.fact_id] is None
        and _is_of_owner(ending, fact)
        and (numbered or table.are_alike(chain.key.attribute, other.key.attribute, noun=noun))
        and _may_have_ended(fact, ending)
    ):
        other.ends[fact.fact_id] = _later(fact.valid_from, ending.valid_to)


def _is_of_owner(ending: Fact, fact: Fact) -> bool:
    """Whether the end of what one tells ends what the other does: both are of one owner, or of
    "us" as the same person says it."""
    one, other = owner_of(ending), owner_of(fact)
    if one == other:
        return True
    return (
        one.of in _NAMELESS and other.of in _NAMELESS and _speaker_of(ending) == _speaker_of(fact)
    )


def _speaker_of(fact: Fact) -> str:
    return str(fact.provenance.get("speaker") or "")


def _is_of(name: str, value: str) -> bool:
    """Whether a value is what a name may call it by: "the Volvo" is "a blue Volvo"."""
    return name == value or (bool(name) and set(name.split()) <= set(value.split()))


def _thing(fact: Fact) -> str:
    """The value without its article: "a Pixel 7" is the Pixel 7."""
    return _ARTICLE.sub("", value_of(fact))


def _take_place(
    new: Fact, where: _Drawn, ending: Fact, meant: Sequence[tuple[Fact, _Drawn]]
) -> None:
    for old, chain in meant:
        if old is not new and chain.ends[old.fact_id] == ending.valid_to:
            chain.by.setdefault(old.fact_id, new.fact_id)
            if where is not chain:
                where.instead.setdefault(new.fact_id, old.fact_id)


def _is_anew(fact: Fact) -> bool:
    """Whether it is told as something new: "now", "instead", a change."""
    return _tells_change(fact) or bool(fact.provenance.get("anew"))


def _tells_change(fact: Fact) -> bool:
    return fact.provenance.get("rule") == _CHANGE


def _words(fact: Fact) -> tuple[str, str]:
    """The very words that state it, and where they stand."""
    said = fact.provenance
    return str(said.get("text", "")), f"{said.get('document_id')} {said.get('start')}"


def _begin_order(text: str | None) -> tuple[int, int]:
    begin = read_iso(text) if text else None
    return (-1, 0) if begin is None else (begin.first, begin.day)


def _begun(valid_from: str | None, by: str) -> bool:
    """Whether what holds from one date can have begun by another, as far as they are told."""
    start, end = (read_iso(text) if text else None for text in (valid_from, by))
    return not Interval(start, end).backwards


def _may_have_ended(fact: Fact, ending: Fact) -> bool:
    """Whether a fact can have ended as another tells: it had begun by then; or it only begins on
    the day on which it was said, and the end was told later ("we split up last month")."""
    if not ending.valid_to:
        return False
    unknown = fact.valid_from == fact.updated_at[:_DAY] and fact.updated_at < ending.updated_at
    return unknown or _begun(fact.valid_from, ending.valid_to)


def _contradictions(facts: Sequence[Fact], functional: bool) -> dict[str, set[str]]:
    against: dict[str, set[str]] = {}
    denied = {value_of(fact) for fact in facts if is_negated(fact)}
    by_value: dict[str, list[_Claimed]] = {}
    valued: list[_Claimed] = []
    for fact in facts:
        value, interval = value_of(fact), interval_of(fact)
        if value in denied:
            side = str(is_negated(fact))
            by_value.setdefault(value, []).append(_Claimed(interval, side, fact.fact_id))
        if functional and not is_negated(fact) and interval.start and interval.end:
            valued.append(_Claimed(interval, value, fact.fact_id))
    for claimed in (*by_value.values(), valued):
        _oppose(claimed, against)
    return against


class _Claimed(NamedTuple):
    """A stretch in which one side of a disagreement is said to hold."""

    interval: Interval
    side: str
    fact_id: str


def _oppose(claimed: Sequence[_Claimed], against: dict[str, set[str]]) -> None:
    """Add the pairs of different sides that hold at once, each with at most `_MOST_AGAINST`
    others: a sweep by begin, so that many facts of one chain cost little more than few."""
    going: dict[str, list[_Claimed]] = {}
    for one in sorted(claimed, key=lambda c: (_first(c), c.fact_id)):
        mine = against.setdefault(one.fact_id, set())
        looks = _MOST_LOOKS
        for side in [side for side in going if side != one.side]:
            others = going[side] = [o for o in going[side] if _goes_on(o, one, against)]
            if not others:
                del going[side]
            for other in others[:looks]:
                if len(mine) < _MOST_AGAINST and _both_hold(one.interval, other.interval):
                    mine.add(other.fact_id)
                    against[other.fact_id].add(one.fact_id)
            looks -= len(others)
            if looks <= 0 or len(mine) >= _MOST_AGAINST:
                break
        going.setdefault(one.side, []).append(one)


def _first(claimed: _Claimed) -> int:
    return -1 if claimed.interval.first is None else claimed.interval.first


def _goes_on(earlier: _Claimed, now: _Claimed, against: dict[str, set[str]]) -> bool:
    """Whether a stretch that has begun can still meet one that begins now or later."""
    last = earlier.interval.last
    return (last is None or last >= _first(now)) and len(against[earlier.fact_id]) < _MOST_AGAINST


def _both_hold(one: Interval, other: Interval) -> bool:
    return overlap(one, other) and not touches(one, other) and not touches(other, one)


def is_ending(fact: Fact) -> bool:
    """Whether it only says when something ended."""
    return fact.valid_from is None and fact.valid_to is not None and not is_negated(fact)


def value_of(fact: Fact) -> str:
    """Its value, folded: what values are compared by."""
    return name_key(fact.object)


def _interval(valid_from: str | None, valid_to: str | None) -> Interval:
    start = read_iso(valid_from) if valid_from else None
    end = read_iso(valid_to) if valid_to else None
    return Interval(start, end)


def now_as_date(now: str) -> Interval:
    """The day of an instant, as an interval to ask with."""
    date = read_iso(now)
    return Interval(date, date)
