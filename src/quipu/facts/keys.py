"""What facts are kept together by: of whom or what they are said, and which attribute.

"The deadline of the grant", "the grant's deadline" and "the grant deadline" are one, whatever words
state it; who only has a role for a name ("user", "we") is somebody else in every conversation that
is told apart.
"""

import re
from typing import NamedTuple

from quipu.facts.attributes import VALUE, Attributes
from quipu.records.record import Fact
from quipu.records.refs import session_ref
from quipu.text import name_key

__all__ = [
    "TABLED",
    "FactKey",
    "affirmed",
    "asked_by",
    "is_negated",
    "is_row",
    "key_of",
    "other_subjects",
    "owner_of",
    "predicate_key",
]

TABLED = "table"
"""The rule of what a table says."""
_NEGATION = "not "
WE, USER = "we", "user"
_NAMELESS = frozenset({USER, WE})
_WHOSE = re.compile(r"^(?:our|my|the) |['’]s?(?= |$)")
_CLASSES = frozenset(
    "service project app application server repo repository library tool system module package "
    "platform database cluster".split()
)
_LONGEST_NOUN = 3
_HAVING = re.compile(r"has (\w[\w ]*) on")
_KINDS = (
    (re.compile(r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"), "day weekday"),
    (
        re.compile(r"(?i)\b\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]{2,}|\b[A-Z][a-z]+ \d|\d{4}-"),
        "date day",
    ),
    (re.compile(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2} ?[ap]m\b"), "time hour clock"),
    (re.compile(r"\d"), "number amount value large big high much size long"),
)
"""What a value is asked for by, told from how it is written."""
_TIMES = _KINDS[:3]
_CLOCK = re.compile(
    rf"{_KINDS[2][0].pattern}|\b(?:half past|quarter (?:past|to)|noon|midnight)\b|o['’]clock"
)
_HOUR, _AT = "hour", "is at"
_BEING = frozenset({"is", "has"})


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


def asked_by(fact: Fact, table: Attributes) -> str:
    """The words by which it is asked for, besides what it is said of and its value: those of its
    attribute, and those of a value that is written so."""
    kinds = " ".join(words for sign, words in _KINDS if sign.search(fact.object))
    called = fact.object[:1].isupper() or is_row(fact)
    named = "name call" if fact.provenance.get("noun") and called else ""
    purpose = fact.provenance.get("for") or ""
    return f"{table.words(fact.predicate.removeprefix(_NEGATION))} {kinds} {named} {purpose}"


def is_row(fact: Fact) -> bool:
    """Whether the row of a table tells it."""
    return fact.provenance.get("rule") == TABLED


def is_negated(fact: Fact) -> bool:
    """Whether it says that something is not so."""
    return predicate_key(fact.predicate).startswith(_NEGATION)


def owner_of(fact: Fact) -> FactKey:
    """Of whom or what it is said, whatever that is."""
    subject, said = name_key(fact.subject), fact.provenance
    group, path = said.get("group"), str(said.get("path", ""))
    apart = isinstance(group, str) and not path.startswith(f"{session_ref(group)}#")
    nameless = subject in _NAMELESS or bool(said.get("local"))
    return FactKey(subject, "", str(group) if apart and nameless else "")


def key_of(fact: Fact, table: Attributes) -> FactKey:
    """What it is kept together with others by: on which day something is is one thing, at what hour
    another."""
    key, said = _key_of(fact, table), affirmed(fact)
    timed = key.attribute in (VALUE, _AT) or said.partition(" ")[2] == "at" or " " not in said
    if not (timed and _is_hour(fact.object)):
        return key
    attribute = VALUE if key.attribute == _AT else key.attribute
    return key._replace(attribute=f"{attribute} {_HOUR}")


def _is_hour(value: str) -> bool:
    """Whether a value tells a time of day, and no day."""
    return _CLOCK.search(value) is not None and not any(s.search(value) for s, _ in _KINDS[:2])


def _key_of(fact: Fact, table: Attributes) -> FactKey:
    said = affirmed(fact)
    verb, _, case = said.partition(" ")
    timed = verb not in _BEING and case in ("at", "on")
    if timed and (_is_hour(fact.object) or any(sign.search(fact.object) for sign, _ in _TIMES)):
        said = verb  # "starts at 9:00", "starts 9:00"
    owner, attribute = owner_of(fact), table.attribute_of(said)
    if said == "is" and fact.provenance.get("single"):  # "the venue is the Old Mill"
        said = attribute = VALUE
    if attribute == VALUE:
        return _of_noun(owner, "", table)
    if again := _HAVING.fullmatch(said):  # "has piano on": when the piano is
        return _of_noun(owner, again[1], table)
    if fact.provenance.get("noun"):
        return _of_noun(owner, said, table)
    of = owner.of
    if of == WE and table.is_of_each(attribute):
        of = name_key(str(fact.provenance.get("speaker") or USER))
    return FactKey(_plain(of), attribute, owner.apart)


def other_subjects(fact: Fact) -> frozenset[str]:
    """Under which other subjects what ends it, or takes its place, may be told: "the team standup"
    as "the standup", "Ann's budget" as "budget", "routebook service" as "routebook"."""
    words = fact.subject.split()
    found = {" ".join(words[count:]) for count in range(1, len(words))}
    if "of" in words[1:]:
        found.add(fact.subject.partition(" of ")[0])
    if len(words) > 1 and words[-1] in _CLASSES:
        found.add(" ".join(words[:-1]))
    if fact.provenance.get("noun"):
        nouns = affirmed(fact).split()
        found |= {" ".join(nouns[count:]) for count in range(len(nouns))} - {VALUE}
        if fact.subject != WE:
            found.add(f"{fact.subject} {' '.join(nouns)}")
    if fact.subject in _NAMELESS:
        found |= _NAMELESS
    return frozenset(found) - {fact.subject}


def _plain(owner: str) -> str:
    """An owner without the word for what it is: "routebook service" is routebook."""
    words = owner.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1] in _CLASSES else owner


def _of_noun(owner: FactKey, noun: str, table: Attributes) -> FactKey:
    """The key of what a noun names: "grant deadline", or the deadline of the grant."""
    whose = "" if owner.of == WE and noun else owner.of
    words = " ".join(_WHOSE.sub("", f"{whose} {noun}".strip()).split()).split(" ")
    for count in range(min(_LONGEST_NOUN, len(words) - 1), 0, -1):
        if attribute := table.named_by(" ".join(words[-count:])):
            return FactKey(_plain(" ".join(words[:-count])), attribute, owner.apart)
    return FactKey(_plain(" ".join(words)), VALUE, owner.apart)
