"""A fact that is stated, not read: what is given and answered, how keys and values compare."""

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from quipu.records.record import Fact, Properties, Value
from quipu.when.intervals import read_iso

__all__ = [
    "STATED",
    "Done",
    "KnownKey",
    "Stated",
    "StatedList",
    "StatedValue",
    "StatementInput",
    "StatementList",
    "is_end",
    "is_stated",
    "plain_key",
    "same_value",
    "stated_key",
    "typed",
]

STATED = "stated"
"""The rule of a fact that was stated, and how the references of such facts begin."""

_POSSESSIVE = re.compile(r"['’]s(?![^\W_])")
_SPACES = re.compile(r"[\s_-]+")
_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?!\d)")
_NUMBER = re.compile(r"([$€£]?)\s?([-+]?\d[\d,]*(?:\.\d+)?)(?:\s?([^\W\d_][^\W\d]{0,11}|%))?")

Done: TypeAlias = Literal["stated", "ended", "corrected", "retracted", "unchanged"]
StatedValue: TypeAlias = str | int | float | bool | list[str | int | float | bool]


class StatementInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fact to state: `attribute` of `subject` is `value`. A key has one value at a time;
    several things are a list. Dates are ISO, of any precision."""

    subject: Annotated[str, Meta(description="what it is about", examples=["billing"])] = ""
    attribute: Annotated[str, Meta(description="which of its attributes", examples=["owner"])] = ""
    value: Annotated[StatedValue, Meta(description="what that is: text, a number, a list")] = ""
    since: Annotated[str, Meta(description="from when on; none: from when it is said")] = ""
    until: Annotated[str, Meta(description="until when, if it has an end")] = ""
    said_at: Annotated[str, Meta(description="when it was said; none: now")] = ""
    source: Annotated[str, Meta(description="who said it, or where")] = ""
    ends: Annotated[bool, Meta(description="it is so no more, from `until` on; no value")] = False
    replaces: Annotated[
        str, Meta(description="the fact whose place it takes, under whatever key: that stays")
    ] = ""
    corrects: Annotated[str, Meta(description="the fact that was never so, but this was")] = ""
    retracts: Annotated[str, Meta(description="the fact that was never so; nothing else")] = ""


class KnownKey(msgspec.Struct, frozen=True, kw_only=True):
    """What is known under one key."""

    fact_id: Annotated[str, "the fact that says it"]
    subject: Annotated[str, "what it is about"]
    attribute: Annotated[str, "which of its attributes"]
    value: Annotated[str, "what that is, or was"]
    since: Annotated[str | None, "from when it holds, or null"]
    until: Annotated[str | None, "until when it holds, excluded; or null"]


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one statement."""

    done: Annotated[Done, "`unchanged`: it was known already"]
    fact: Annotated[Fact, "the fact as it stands; of what was retracted, as it was"]
    replaced: Annotated[tuple[KnownKey, ...], "whose place it took"] = ()
    replaced_by: Annotated[KnownKey | None, "what took its place: it came late"] = None
    contradicts: Annotated[tuple[KnownKey, ...], "what differs, at the same time"] = ()
    other_keys: Annotated[tuple[KnownKey, ...], "what else holds of the subject"] = ()
    near_keys: Annotated[tuple[KnownKey, ...], "keys that may mean the same, nearest first"] = ()


class StatedList(msgspec.Struct, frozen=True, kw_only=True):
    """What became of statements that were given together, in their order."""

    stated: Annotated[tuple[Stated, ...], "each statement"]


class StatementList(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts to state together: all or none of them."""

    statements: Annotated[
        list[StatementInput], Meta(min_length=1, max_length=1_000, description="each fact")
    ]


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


def same_value(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same value, however it is written."""
    return _compared(one) == _compared(other)


def _compared(fact: Fact) -> object:
    kept = fact.provenance.get("typed")
    kind = kept if isinstance(kept, dict) else typed(fact.object)[1]
    if kind["type"] == "number":
        return kind["number"], kind["unit"]
    return " ".join(unicodedata.normalize("NFKC", fact.object).casefold().split())
