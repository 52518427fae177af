"""What facts are kept together by: of whom or what they are said, and which attribute.

"The deadline of the grant", "the grant's deadline" and "the grant deadline" are one, whatever words
state it; who only has a role for a name ("user", "we") is somebody else in every conversation that
is told apart.
"""

import re
from typing import NamedTuple

from quipu.records.attributes import VALUE, Attributes
from quipu.records.record import Fact
from quipu.text import name_key

__all__ = ["NEGATION", "Key", "affirmed", "is_negated", "key_of", "owner_of", "predicate_key"]

NEGATION = "not "
WE, USER = "we", "user"
_NAMELESS = frozenset({USER, WE})
_WHOSE = re.compile(r"^(?:our|my|the) |['’]s?(?= |$)")
_LONGEST_NOUN = 3


class Key(NamedTuple):
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
    return predicate_key(fact.predicate).removeprefix(NEGATION)


def is_negated(fact: Fact) -> bool:
    """Whether it says that something is not so."""
    return predicate_key(fact.predicate).startswith(NEGATION)


def owner_of(fact: Fact) -> Key:
    """Of whom or what it is said, whatever that is."""
    subject, said = name_key(fact.subject), fact.provenance
    group, path = said.get("group"), str(said.get("path", ""))
    apart = isinstance(group, str) and not path.startswith(f"session:{group}#")
    nameless = subject in _NAMELESS or bool(said.get("local"))
    return Key(subject, "", str(group) if apart and nameless else "")


def key_of(fact: Fact, table: Attributes) -> Key:
    """What it is kept together with others by."""
    said = affirmed(fact)
    owner, attribute = owner_of(fact), table.attribute_of(said)
    if said == "is" and fact.provenance.get("single"):  # "the venue is the Old Mill"
        said = attribute = VALUE
    if attribute == VALUE:
        return _of_noun(owner, "", table)
    if fact.provenance.get("noun"):
        return _of_noun(owner, said, table)
    of = owner.of
    if of == WE and table.is_of_each(attribute):
        of = name_key(str(fact.provenance.get("speaker") or USER))
    return Key(of, attribute, owner.apart)


def _of_noun(owner: Key, noun: str, table: Attributes) -> Key:
    """The key of what a noun names: "grant deadline", or the deadline of the grant."""
    whose = "" if owner.of == WE and noun else owner.of
    words = " ".join(_WHOSE.sub("", f"{whose} {noun}".strip()).split()).split(" ")
    for count in range(min(_LONGEST_NOUN, len(words) - 1), 0, -1):
        if attribute := table.named_by(" ".join(words[-count:])):
            return Key(" ".join(words[:-count]), attribute, owner.apart)
    return Key(" ".join(words), VALUE, owner.apart)
