"""A fact that is stated, not read: what is given, and what is answered."""

import re
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from quipu.records.record import Fact
from quipu.text import visible

__all__ = [
    "PROPOSING",
    "Done",
    "KnownKey",
    "ProposedStatement",
    "Stated",
    "StatedList",
    "StatedValue",
    "StatementInput",
    "Trust",
    "trust_of",
]

Done: TypeAlias = Literal["stated", "ended", "corrected", "retracted", "unchanged", "proposed"]
Trust: TypeAlias = Literal["user", "agent", "repository", "page", "tool"]
PROPOSING: frozenset[Trust] = frozenset({"page", "tool"})
"""Classes of sources that take no place of what a user stated."""
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
    source: Annotated[str, Meta(description="who said it: a name, URL, `tool:name`")] = ""
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

    done: Annotated[Done, "`unchanged`: known already; `proposed`: waits for the user"]
    fact: Annotated[Fact, "the fact as it stands; of what was retracted, as it was"]
    replaced: Annotated[tuple[KnownKey, ...], "whose place it took"] = ()
    replaced_by: Annotated[KnownKey | None, "what took its place: it came late"] = None
    contradicts: Annotated[tuple[KnownKey, ...], "what differs, at the same time"] = ()
    other_keys: Annotated[tuple[KnownKey, ...], "what else holds of the subject"] = ()
    near_keys: Annotated[tuple[KnownKey, ...], "keys that may mean the same, nearest first"] = ()


class StatedList(msgspec.Struct, frozen=True, kw_only=True):
    """What became of statements that were given together, in their order."""

    stated: Annotated[tuple[Stated, ...], "each statement"]


class ProposedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a page or a tool against what a user stated, which waits to be decided on."""

    id: Annotated[str, "what accepts or refuses it"]
    statement: Annotated[StatementInput, "as it was given"]
    trust: Annotated[Trust, "the class of its source"]
    observed_at: Annotated[str, "when it came"]


_CLASS = re.compile(r"(user|agent|repository|page|tool)(?:\s*:|$)")
_ADDRESS = re.compile(
    r"(?<![\w+.-])(?!file:)[a-z][\w+.-]*://|(?<![\w.-])www\.|^(?:https?|ftp|data):|^//|"
    r"^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/(?!.*\.\w{1,5}$)"  # a host and what is no file
)
_PATH = re.compile(r"/|\.\w{1,5}$")


def trust_of(source: str) -> Trust:
    """The class of a source: the one that it begins with ("tool: pytest"), what names an
    address is a page, a path the repository, any other name a user."""
    text = visible(source).strip().casefold()
    if named := _CLASS.match(text):
        return msgspec.convert(named[1], Trust)
    if _ADDRESS.search(text):
        return "page"
    return "repository" if _PATH.search(text) else "user"
