"""What facts are kept together by: of whom or what they are said, and which attribute; how the
keys and values of those that are stated, not read, compare.

"The deadline of the grant", "the grant's deadline" and "the grant deadline" are one, whatever words
state it; who only has a role for a name ("user", "we") is somebody else in every conversation that
is told apart.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from quipu.facts.attributes import VALUE, Attributes
from quipu.records.record import Fact, Properties, Value
from quipu.records.refs import session_ref
from quipu.records.stated import PROPOSING, StatedValue, trust_of
from quipu.text import name_key, visible
from quipu.when.dates import MONTH
from quipu.when.intervals import read_iso

__all__ = [
    "NAMELESS",
    "STATED",
    "TABLED",
    "FactKey",
    "affirmed",
    "asked_by",
    "is_end",
    "is_negated",
    "is_of_user",
    "is_row",
    "is_stated",
    "key_of",
    "only_proposes",
    "other_subjects",
    "owner_of",
    "plain_key",
    "predicate_key",
    "stated_key",
    "typed",
    "value_key",
    "value_kind",
]

ValueKind: TypeAlias = Literal["date", "day", "clock", "amount", "words"]

_DATE = re.compile(rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}\b|\b{MONTH} \d|\d{{4}}-\d\d")
_DAY = re.compile(r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bweekly\b")
_CLOCK = re.compile(r"(?i)\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]m\b|\b(?:noon|midnight)\b")
_AMOUNT = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|"
    r"thousand|million|dozen|half|once|twice|free|daily|monthly|yearly|every|always|never)\b"
)

TABLED = "table"
"""The rule of what a table says."""
WE, USER = "we", "user"
NAMELESS = frozenset({USER, WE})
"""What facts call who speaks."""
_NEGATION = "not "
_HOUR = " hour"
_LONGEST_NOUN = 3
_ASKED_BY_KIND = {
    "day": "day weekday",
    "date": "date day",
    "clock": "time hour clock",
    "amount": "number amount value large big high much size long",
}
"""What a value is asked for by, told from how it is written."""


class FactKey(NamedTuple):
    """`of` is the owner (empty: what is said is of the thing that `attribute` names), `apart` the
    conversation that it belongs to, where that tells it apart."""

    of: str
    attribute: str
    apart: str = ""


def predicate_key(predicate: str) -> str:
    """What predicates are compared by: `Lives_in` is `lives in`."""
    return " ".join(name_key(predicate.replace("_", " ")).split())


def affirmed(fact: Fact) -> str:
    """Its predicate without a negation."""
    return predicate_key(fact.predicate).removeprefix(_NEGATION)


def is_negated(fact: Fact) -> bool:
    """Whether it says that something is not so."""
    return predicate_key(fact.predicate).startswith(_NEGATION)


def is_row(fact: Fact) -> bool:
    """Whether the row of a table tells it."""
    return fact.provenance.get("rule") == TABLED


def asked_by(fact: Fact, table: Attributes) -> str:
    """The words by which it is asked for, besides what it is said of and its value: those of its
    attribute, and those of a value that is written so."""
    words = table.words(fact.predicate.removeprefix(_NEGATION))
    kind = _ASKED_BY_KIND.get(value_kind(fact.object), "")
    called = fact.object[:1].isupper() or is_row(fact)
    named = "name call" if fact.provenance.get("noun") and called else ""
    return f"{words} {kind} {named} {fact.provenance.get('for') or ''}"


def owner_of(fact: Fact) -> FactKey:
    """Of whom or what it is said, whatever that is."""
    subject, said = name_key(fact.subject), fact.provenance
    group, path = said.get("group"), str(said.get("path", ""))
    apart = isinstance(group, str) and not path.startswith(f"{session_ref(group)}#")
    return FactKey(subject, "", str(group) if apart and subject in NAMELESS else "")


def key_of(fact: Fact, table: Attributes) -> FactKey:
    """What it is kept together with others by: on which day something is is one thing, at what hour
    another."""
    owner, said = owner_of(fact), affirmed(fact)
    attribute = table.attribute_of(said)
    if attribute != VALUE and not fact.provenance.get("noun"):
        return owner._replace(of=plain_key(owner.of), attribute=attribute)
    key = _of_noun(owner, "" if attribute == VALUE else said, table)
    hour = _HOUR if value_kind(fact.object) == "clock" else ""
    return key._replace(attribute=f"{key.attribute}{hour}")


def _of_noun(owner: FactKey, noun: str, table: Attributes) -> FactKey:
    """The key of what a noun names: "grant deadline", or the deadline of the grant."""
    whose = "" if owner.of == WE and noun else owner.of
    words = f"{whose} {noun}".split()
    for count in range(min(_LONGEST_NOUN, len(words) - 1), 0, -1):
        if attribute := table.named_by(" ".join(words[-count:])):
            return owner._replace(of=plain_key(" ".join(words[:-count])), attribute=attribute)
    return owner._replace(of=plain_key(" ".join(words)), attribute=VALUE)


def other_subjects(fact: Fact) -> frozenset[str]:
    """Under which other subjects the same may be told: the deadline of the grant as the "grant
    deadline"."""
    words, noun = fact.subject.split(), affirmed(fact)
    if not fact.provenance.get("noun"):
        return frozenset()
    if noun != VALUE:
        return frozenset({noun, f"{fact.subject} {noun}"} - {fact.subject})
    return frozenset(" ".join(words[:count]) for count in range(1, len(words)))


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


STATED = "stated"
"""The rule of a fact that was stated, and how the references of such facts begin."""

_POSSESSIVE = re.compile(r"['’]s(?![^\W_])")
_SPACES = re.compile(r"[\s_-]+")
_BETWEEN_WORDS = re.compile(r"(?<!\d) | (?!\d)")
_NUMBER = re.compile(r"([$€£]?)\s?([-+]?\d[\d,]*(?:\.\d+)?)(?:\s?([^\W\d_][^\W\d]{0,11}|%))?")


def is_stated(fact: Fact) -> bool:
    """Whether it was stated."""
    return fact.provenance.get("rule") == STATED


def only_proposes(fact: Fact) -> bool:
    """Whether a page or a tool says it, and no user accepted it: it takes no place of what a user
    stated."""
    said = fact.provenance
    by = ("speaker",) if is_stated(fact) else ("speaker", "path", "group")
    classes = {trust_of(str(said.get(each) or "")) for each in by}
    return not said.get("accepted") and not classes.isdisjoint(PROPOSING)


def is_of_user(fact: Fact) -> bool:
    """Whether it was stated, or accepted, by a user or for one."""
    return is_stated(fact) and not only_proposes(fact)


def is_end(fact: Fact) -> bool:
    """Whether it states that something is so no more."""
    return bool(fact.provenance.get("ends"))


@lru_cache(maxsize=16384)
def plain_key(text: str) -> str:
    """What names of subjects and attributes are compared by: "Time_Zone", "time-zone" and
    "timezone" are one, and so are "owner of the billing", "billing's owner", "billing owner"."""
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", visible(text)).casefold())
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
