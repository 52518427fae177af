"""The kind of a value, told from how it is written."""

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from quipu.when.dates import MONTH

__all__ = ["ValueKind", "value_kind"]

ValueKind: TypeAlias = Literal["date", "day", "clock", "amount", "words"]

_DATE = re.compile(rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|\b{MONTH} \d|\d{{4}}-\d\d")
_DAY = re.compile(r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bweekly\b")
_CLOCK = re.compile(r"(?i)\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]m\b|\b(?:noon|midnight)\b")
_AMOUNT = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|"
    r"thousand|million|dozen|half|once|twice|free|daily|monthly|yearly|every|always|never)\b"
)


@lru_cache(maxsize=8192)
def value_kind(value: str) -> ValueKind:
    """A `date`, a `day` of the week, a `clock` time, an `amount` (what counts anything), or
    `words`."""
    if _DATE.search(value):
        return "date"
    if _DAY.search(value):
        return "day"
    if _CLOCK.search(value):
        return "clock"
    return "amount" if _AMOUNT.search(value) else "words"
