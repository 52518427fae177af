"""How near two facts are in what they tell of: whose it is, which words name it, and what its value
is counted in. "Snacks budget cut to 25" tells of what "the snacks budget is 40 a sprint" told of,
though no word of the predicates is the same.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from quipu.records.attributes import VALUE
from quipu.records.fact_keys import USER, WE, FactKey
from quipu.text import STOP_WORDS, stem_words, stems, tokens
from quipu.when.dates import MONTH

__all__ = ["FactTraits", "ValueKind", "likeness", "value_kind"]

_NAMELESS = frozenset({USER, WE})
_ABOUT = re.compile(
    r"^(?:\w+=|(?:about|around|only|some|over|under|up to|at least|just|roughly|nearly|the)\s+)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(?i)^(?P<sign>[$€£¥#]?)\s?(?:\d[\d.,:/]*(?:e-?\d+)?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten|eleven|twelve|twenty|thirty|forty|fifty|a hundred|half an?)(?P<thousand>[km]\b)?"
    r"(?P<unit>\s?%|-?\s?[^\W\d_]*)"
)
_TIMES = (
    (
        "date",
        re.compile(rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|\b{MONTH} \d|\d{{4}}-\d\d"),
    ),
    (
        "day",
        re.compile(r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bevery \w+|\bweekly\b"),
    ),
    ("clock", re.compile(r"(?i)^\d{1,2}[:.]\d\d(?: ?[ap]m)?$|^\d{1,2} ?[ap]m$|^noon$|^midnight$")),
)
_PHONE = re.compile(r"^[+\d][\d-]{2,} \d[\d -]{2,}$")
_NUMBERED = re.compile(r"(?i)\b(?P<unit>[^\W\d_]{2,}) (?:v|no\.? ?)?\d[\d.]*(?![\w%])")
_AMOUNT_OF, _NAME, _WORDS, _VERSION = "amount", "name", "words", "numbered"
_DURATIONS = frozenset(stems("second minute hour day week month year")) | {"h", "min", "s"}
_NO_UNITS = frozenset("a an per each at in on of for by to the and or since from with".split())
_LITTLE = frozenset({VALUE, "is", "has", "was", "have", "be"})
_UNRELATED, _LED, _WITHIN, _SAME = range(4)


class ValueKind(NamedTuple):
    """What a value is (an `amount`, a `date`, a `day`, a `clock` time, a `name` or `words`), and
    what an amount is counted in, if it says so."""

    kind: str
    unit: str = ""


class FactTraits(NamedTuple):
    """What the wording of a fact tells of it: that it is of a thing, which has one of each kind,
    that it is a change, and that the same words name the other value."""

    of_thing: bool
    changed: bool
    names_other: bool = False


@lru_cache(maxsize=8192)
def value_kind(value: str) -> ValueKind:
    """The kind of a value, by how it is written."""
    plain = _ABOUT.sub("", value.strip())
    for kind, sign in _TIMES:
        if sign.search(plain):
            return ValueKind(kind)
    if _PHONE.match(plain):
        return ValueKind(_AMOUNT_OF, "phone")
    if amount := _AMOUNT.match(plain):
        unit = amount["sign"] or amount["unit"].strip(" -").lower()
        return ValueKind(_AMOUNT_OF, "" if unit in _NO_UNITS else _unit(unit))
    if numbered := _NUMBERED.search(plain):
        return ValueKind(_VERSION, numbered["unit"].lower())
    named = any(word[:1].isupper() for word in plain.split()[:3])
    return ValueKind(_NAME if named else _WORDS)


def likeness(new: FactKey, value: str, old: FactKey, other: str, *, traits: FactTraits) -> int:
    """How near what is told of `new` is to what was told of `old`, by their keys and values; 0
    where they tell of two things. `traits` are those of the first."""
    one, two = value_kind(value), value_kind(other)
    counted = bool(one.unit) and one.unit == two.unit
    if one.kind != two.kind or new.apart != old.apart or (one.unit and two.unit and not counted):
        return _UNRELATED
    owners = _nearness_of_owners(new, value, old)
    named = _topic(new) & _topic(old) - _owner(new) - _owner(old)
    shared = len(named) + len((_words(value) & _words(other)) - _owner(new))
    if not owners or (one.kind == _WORDS and not named):
        return _UNRELATED
    if traits.names_other and owners == _SAME:
        shared += 1  # "we switched to X because Y was slow"
    near = owners == _SAME or (owners == _WITHIN and traits.changed)
    alone = near and traits.of_thing and one.kind not in (_VERSION, _WORDS)
    return owners + 3 * counted + 2 * shared if counted or shared or alone else _UNRELATED


def _nearness_of_owners(new: FactKey, value: str, old: FactKey) -> int:
    """Whether they are one, one is named within the other or in what is said, or both are led by
    one name."""
    one, two = _owner(new), _owner(old)
    if new.of == old.of:
        return _SAME
    within = one <= two or two <= one or (new.of in _NAMELESS and two <= _words(value))
    if not (one and two):
        return _UNRELATED
    led = new.of.split(" ")[0] == old.of.split(" ")[0]
    return _WITHIN if within else _LED if led else _UNRELATED


def _owner(key: FactKey) -> frozenset[str]:
    return _words(key.of)


def _topic(key: FactKey) -> frozenset[str]:
    return _words(f"{key.of} {key.attribute}")


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    words = [t.word for t in tokens(text)]
    return frozenset(
        stem_words(
            [w for w in words if w in _NAMELESS or (w not in STOP_WORDS and w not in _LITTLE)]
        )
    ) - frozenset(w for w in words if w[:1].isdigit())


def _unit(word: str) -> str:
    """What is counted, by its stem; times are counted alike."""
    stem = " ".join(stem_words([word])) if word else ""
    return "time" if stem in _DURATIONS else stem
