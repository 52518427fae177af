"""Facts that are stated, not read: how their keys and values compare."""

import re
import unicodedata
from functools import lru_cache

from quipu.records.record import Fact, Properties, Value
from quipu.records.stated import StatedValue
from quipu.when.intervals import read_iso

__all__ = ["STATED", "is_end", "is_stated", "plain_key", "stated_key", "typed", "value_key"]

STATED = "stated"
"""The rule of a fact that was stated, and how the references of such facts begin."""

_POSSESSIVE = re.compile(r"['’]s(?![^\W_])")
_SPACES = re.compile(r"[\s_-]+")
_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?!\d)")
_NUMBER = re.compile(r"([$€£]?)\s?([-+]?\d[\d,]*(?:\.\d+)?)(?:\s?([^\W\d_][^\W\d]{0,11}|%))?")


def is_stated(fact: Fact) -> bool:
    """Whether it was stated."""
    return fact.provenance.get("rule") == STATED


def is_end(fact: Fact) -> bool:
    """Whether it states that something is so no more."""
    return bool(fact.provenance.get("ends"))


@lru_cache(maxsize=16384)
def plain_key(text: str) -> str:
    """What names of subjects and attributes are compared by: "Time_Zone", "time-zone" and
    "timezone" are one, and so are "owner of the billing", "billing's owner", "billing owner"."""
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold())
    words = [word for word in _SPACES.split(text) if word not in ("", "the")]
    parts = " ".join(words).split(" of ")
    return _BETWEEN_WORDS.sub("", " ".join(reversed(parts)))


def stated_key(fact: Fact) -> tuple[str, str]:
    """The subject and the attribute of a fact, as stated facts are compared by them."""
    return plain_key(fact.subject), plain_key(fact.predicate)


def typed(value: StatedValue) -> tuple[str, Properties]:
    """A value as text, and with its type: `number` (and unit), `date`, `list` or `text`."""
    if isinstance(value, list):
        parts: list[tuple[str, Properties]] = [typed(part) for part in value]
        listed: list[Value] = [part for _, part in parts]
        return ", ".join(text for text, _ in parts), {"type": "list", "list": listed}
    if isinstance(value, bool):
        return str(value).lower(), {"type": "text", "text": str(value).lower()}
    if isinstance(value, int | float):
        return str(value), {"type": "number", "number": value, "unit": ""}
    text = " ".join(value.split())
    if len(text) >= len("2026-01-01") and read_iso(text):
        return text, {"type": "date", "date": text}
    found = _NUMBER.fullmatch(text)
    number = None if found is None else _number(found[2])
    if found is None or number is None:
        return text, {"type": "text", "text": text}
    return text, {"type": "number", "number": number, "unit": found[1] or found[3] or ""}


def _number(written: str) -> int | float | None:
    """A number that is written as one: "007" and "3.10" are names."""
    digits = written.replace(",", "")
    number = float(digits) if "." in digits else int(digits)
    return number if written in (f"{number}", f"{number:,}") else None


def value_key(fact: Fact) -> object:
    """What values are compared by, however they are written: a number and its unit, or text."""
    kept = fact.provenance.get("typed")
    kind = kept if isinstance(kept, dict) else typed(fact.object)[1]
    if kind["type"] == "number":
        return kind["number"], kind["unit"]
    return " ".join(unicodedata.normalize("NFKC", fact.object).casefold().split())
