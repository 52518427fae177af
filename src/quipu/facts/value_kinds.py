"""The kind of a value, told from how it is written: a date, an amount, a name."""

import re
from functools import lru_cache
from typing import NamedTuple

from quipu.text import stem_words, stems
from quipu.when.dates import MONTH

__all__ = ["ValueKind", "value_kind"]

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


class ValueKind(NamedTuple):
    """What a value is (an `amount`, a `date`, a `day`, a `clock` time, a `name` or `words`), and
    what an amount is counted in, if it says so."""

    kind: str
    unit: str = ""


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


def _unit(word: str) -> str:
    """What is counted, by its stem; times are counted alike."""
    stem = " ".join(stem_words([word])) if word else ""
    return "time" if stem in _DURATIONS else stem
