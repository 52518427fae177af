"""The table of attributes: which wordings say one and the same thing of somebody or something.

A fact's key is its owner and its attribute, whatever words stated it: who "lives in" a place, "is
based in" it or "moved to" it has one home. What is not in the table is keyed by its own verb or
noun. The table that comes with Quipu is `attributes.toml`; the configuration may add to it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from quipu.tables import read_table
from quipu.text import name_key

__all__ = [
    "FUNCTIONAL",
    "SHIPPED",
    "VALUE",
    "Attribute",
    "AttributePhrase",
    "Attributes",
]

VALUE = "value"
"""What is said of a thing that is itself what is asked for: the deadline is 4 May."""

_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_BEING = frozenset("am is are was were been being".split())
_NO_OTHER_WORDS = frozenset({"has", "likes", "not likes"})
"""Attributes that are stated by their own predicate alone: "loves" is more than "likes"."""
_SAID_OF_A_VALUE = ("is set to", "is set at", "is scheduled for")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. Phrases are lemmas with their particle and preposition: "live in".

    `verbs` state it, `begins` are events after which it holds, `ends` events after which it no
    longer does, `nouns` name it ("my employer is X"), `values` are what only it has ("vegan" tells
    that it is the diet), `asked` the other words that ask for its value. An `inverse` attribute
    says the same of what stands on its other side: "Team Blue owns X" is said of X.
    """

    name: str
    verbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    begins: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    functional: bool | None = None
    inverse: str = ""
    values: frozenset[str] = frozenset()
    asked: str = ""


class AttributePhrase(NamedTuple):
    """What a phrase tells: an attribute, and whether it holds, begins or ends."""

    attribute: Attribute
    kind: Literal["verbs", "begins", "ends"]


def _phrases(written: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in written.split(",") if phrase.strip())


def _shipped() -> tuple[tuple[Attribute, ...], frozenset[str]]:
    """The attributes of `attributes.toml`, and the predicates that have one value at a time."""
    table: dict[str, Any] = read_table("quipu.facts", "attributes.toml")
    functional = frozenset(_phrases(table.pop("functional")))
    return tuple(_attribute(name, row) for name, row in table.items()), functional


def _attribute(name: str, row: Mapping[str, Any]) -> Attribute:
    return Attribute(
        name,
        verbs=_phrases(row.get("verbs", "")),
        nouns=_phrases(row.get("nouns", "")),
        begins=_phrases(row.get("begins", "")),
        ends=_phrases(row.get("ends", "")),
        functional=row.get("single"),
        inverse=row.get("inverse", ""),
        values=frozenset(_phrases(row.get("values", ""))),
        asked=row.get("asked", ""),
    )


ATTRIBUTES, FUNCTIONAL = _shipped()
"""The attributes that come with Quipu, and the predicates with one value at a time, whoever states
them; the configuration may add others. `favorite *` stands for every predicate that begins so."""


def _third_person(lemma: str) -> str:
    """`uses` for "use"."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


def _together(known: Attribute | None, more: Attribute) -> Attribute:
    """An attribute with the phrases that were added to it."""
    plain = {
        field: tuple(_lemmas(phrase) for phrase in getattr(more, field))
        for field in ("verbs", "begins", "ends")
    }
    plain["nouns"] = tuple(noun.lower() for noun in more.nouns)
    if known is None:
        return replace(more, **plain)
    return replace(
        known,
        **{field: (*getattr(known, field), *phrases) for field, phrases in plain.items()},
        functional=known.functional if more.functional is None else more.functional,
        inverse=more.inverse or known.inverse,
    )


def _lemmas(phrase: str) -> str:
    """A phrase with its verb as the table writes it: "is on call for" is "be on call for"."""
    first, *rest = phrase.lower().split()
    lemma = next((base for base, said in _IRREGULAR.items() if said == first), first)
    return " ".join(("be" if first in _BEING else lemma, *rest))


class Attributes:
    """The table as it holds: what is shipped, and what the user added to it or put in its place.

    `functional` names predicates with one value at a time, whoever states them; a name that ends in
    ` *` stands for every predicate that begins so.
    """

    def __init__(
        self, own: Iterable[Attribute] = (), *, functional: Iterable[str] = FUNCTIONAL
    ) -> None:
        rows, several = {row.name: row for row in ATTRIBUTES}, set[str]()
        single = set(functional)
        for added in own:
            rows[added.name] = row = _together(rows.get(added.name), added)
            if added.functional is not None:
                (single if row.functional else several).add(row.name)
        self.rows = (*rows.values(),)
        self.functional = frozenset(single - several)
        self._row = rows
        self._entries = self._read_entries()
        self._by_predicate = self._read_predicates()
        self._by_noun = {noun: row.name for row in reversed(self.rows) for noun in row.nouns}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attributes) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(self._told())

    def _told(self) -> tuple[tuple[Attribute, ...], frozenset[str]]:
        return self.rows, self.functional

    def entry(self, phrase: str) -> AttributePhrase | None:
        """What a phrase of lemmas tells."""
        return self._entries.get(phrase)

    def attribute_of(self, predicate: str) -> str:
        """What the facts of a predicate are kept together by: the attribute that it states, else
        itself, folded: `Lives_in` and "resides in" are `lives in`."""
        key = " ".join(name_key(predicate.replace("_", " ")).split())
        return self._by_predicate.get(key, key)

    def knows(self, predicate: str) -> bool:
        """Whether the table has what a predicate states."""
        return self.attribute_of(predicate) in self._row

    def named_by(self, noun: str) -> str:
        """The attribute that a noun names; empty where it names none of the table."""
        row = self._row.get(noun)
        return self._by_noun.get(noun, noun if row and not (row.verbs or row.begins) else "")

    def is_functional(self, predicate: str) -> bool:
        """Whether it has one value at a time, whatever the wording."""
        return predicate in self.functional or f"{predicate.partition(' ')[0]} *" in self.functional

    def has_one(self, predicate: str) -> bool:
        """Whether the table knows by verbs that there is one value at a time: where one lives."""
        row = self._row.get(self.attribute_of(predicate))
        return row is not None and bool(row.verbs and row.functional) and row.name != VALUE

    def words(self, predicate: str) -> str:
        """All words by which what a predicate states is told and asked for, itself first."""
        row = self._row.get(self.attribute_of(predicate))
        if row is None:
            return predicate
        return " ".join((predicate, row.name, *row.verbs, *row.nouns, row.asked))

    def _read_entries(self) -> dict[str, AttributePhrase]:
        found: dict[str, AttributePhrase] = {}
        kinds: tuple[Literal["verbs", "begins", "ends"], ...] = ("verbs", "begins", "ends")
        for row in self.rows:
            for kind in kinds:
                phrases: tuple[str, ...] = getattr(row, kind)
                for phrase in phrases:
                    found.setdefault(phrase, AttributePhrase(row, kind))
        return found

    def _read_predicates(self) -> dict[str, str]:
        known: dict[str, str] = {}
        for row in self.rows:
            if row.name in _NO_OTHER_WORDS or row.inverse:
                continue
            for noun in row.nouns:
                known.setdefault(noun, row.name)
            for verb in row.verbs:
                first, _, rest = verb.partition(" ")
                if first != "be":
                    known.setdefault(f"{_third_person(first)} {rest}".strip(), row.name)
        known |= {row.name: row.name for row in self.rows}
        return known | dict.fromkeys(_SAID_OF_A_VALUE, VALUE)


SHIPPED = Attributes()
"""The table without any additions."""
