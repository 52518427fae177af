"""Whether a fact tells what a question asks for: of what it asks about, and a thing of the kind.

"Who is my landlord?" is not answered by what the landlord does, "where do rehearsals take place?"
not by the day of them, and nothing by what is said of somebody else.
"""

import re
from itertools import pairwise

from quipu.facts.attributes import SHIPPED
from quipu.facts.keys import NAMELESS, affirmed, asked_by, is_negated, is_row, value_kind
from quipu.question import Question
from quipu.records.record import Fact
from quipu.text import denies, name_key, stems

__all__ = [
    "PROPERTIES",
    "asks_which",
    "is_asked_for",
    "is_of_another",
    "is_of_neighbour",
    "is_sure",
]

PROPERTIES = frozenset({"status", "lifecycle", "version"})
"""How a document stands, by its front matter."""
_SURE = 0.8
"""Least confidence of a rule that leaves no doubt how what it read is meant."""
_FIRST_PERSON = frozenset("i me my mine myself we us our ours".split())
_NAMING = frozenset({"is", "value", "name", "is called", "is named", "is known as"})
_TIMES = frozenset({"date", "day", "clock"})
_ASKS = re.compile(r"\b(?:who(?:m|se)?|what|which|where|when|why|how)\b", re.IGNORECASE)
_WHERE = re.compile(r"\W*where\b", re.IGNORECASE)
_MUCH = re.compile(r"\bhow (?:much|many|long|old|often|far|large|big|high|fast)\b", re.IGNORECASE)
_WHICH = re.compile(
    r"\b(?:which|what) (?:[\w-]+ ){0,2}?([\w-]+) (?:do|does|did|is|are|was|were|has|have|must)\b",
    re.IGNORECASE,
)
_POSSESSED = re.compile(r"['’]s (.+)$")
_WITHIN = re.compile(r" (?:in|on|for|at) (?:the )?([^ ].*)$")
_A_VERB = 1


def is_asked_for(question: Question, fact: Fact) -> bool:
    """Whether `fact` is of what `question` asks about and of the asked kind."""
    if not _ASKS.search(question.text):
        return True
    if is_negated(fact) and not denies(question.text):
        return False
    return _is_of(question, fact) and _is_of_kind(question, fact)


def asks_which(question: Question, fact: Fact) -> bool:
    """Whether `question` asks for what a column of a table tells of the row of `fact`, whatever the
    verb: "which port does the ledger listen on?", of the port of the ledger."""
    found = _WHICH.search(question.text) if is_row(fact) else None
    if found is None:
        return False
    noun, asked = set(stems(found[1])), question.stem_set
    owner, attribute = set(stems(fact.subject)), set(stems(affirmed(fact)))
    named = bool(noun) and noun <= attribute and bool(owner) and owner <= asked
    return named and len(asked - owner - attribute) <= _A_VERB


def is_sure(fact: Fact) -> bool:
    """Whether the rule that read it leaves no doubt how it is meant: without that it answers no
    question whole."""
    return fact.confidence >= _SURE


def is_of_another(question: Question, fact: Fact) -> bool:
    """Whether a fact is of somebody or something else than what is asked about: of my dad, where I
    ask of myself; of the router, where the scheduler is named; in production, where it is asked in
    staging. Who asks for the owner of a value asks about whatever has it."""
    asked, value = question.stem_set, set(stems(fact.object))
    if value and value <= asked:
        return False
    if possessed := _POSSESSED.search(fact.subject):
        return not asked & set(stems(possessed[1]))
    owner = set(stems(fact.subject))
    rest = asked - owner - value - set(stems(asked_by(fact, SHIPPED)))
    if not owner & asked:
        return SHIPPED.has_one(fact.predicate) and _is_apart(question, fact, bool(rest))
    within, other = _WITHIN.search(fact.subject), _WITHIN.search(question.undated.text.rstrip(" ?"))
    if not within or not other or asked & set(stems(within[1])):
        return False
    return bool(rest & set(stems(other[1])))


def is_of_neighbour(question: Question, fact: Fact) -> bool:
    """Whether a fact is of another thing beside the one that is asked about, named by the same
    word: of the Lumen lease, where the Lumen contract is."""
    asked, owner = question.stems, stems(fact.subject)
    if _POSSESSED.search(fact.subject) or not owner or owner[-1] in asked:
        return False
    told = {*owner, *stems(f"{asked_by(fact, SHIPPED)} {fact.object}")}
    return any(one in owner and after not in told for one, after in pairwise(asked))


def _is_apart(question: Question, fact: Fact, names_other: bool) -> bool:
    """Whether an owner that the question does not name is none that it may mean: a thing, where it
    names something else; somebody else than who speaks, where I ask of myself."""
    subject = name_key(fact.subject)
    if subject in (*NAMELESS, name_key(str(fact.provenance.get("speaker") or ""))):
        return False
    if names_other:
        return fact.subject == fact.subject.lower()
    return _asks_of_self(question)


def _asks_of_self(question: Question) -> bool:
    return bool(_FIRST_PERSON & question.words)


def _is_of(question: Question, fact: Fact) -> bool:
    """Whether the question speaks of the owner of the fact or of its value, and asks for what the
    fact says of the owner: one that names no more than the owner asks what or who that is, or
    where."""
    if is_of_another(question, fact):
        return False
    asked, owner = question.stem_set, set(stems(fact.subject))
    ours = fact.subject.casefold().partition("'")[0] in NAMELESS
    spoken = asked & (owner | set(stems(fact.object)))
    if not (spoken or (ours and (_asks_of_self(question) or asked & set(stems(fact.predicate))))):
        return False
    return bool(_WHERE.match(question.text)) or not asked <= owner or fact.predicate in _NAMING


def _is_of_kind(question: Question, fact: Fact) -> bool:
    """Whether the fact can tell a place or a number, where that is asked."""
    if _WHERE.match(question.text):
        return not (fact.predicate.endswith(" as") or value_kind(fact.object) in _TIMES)
    if _MUCH.search(question.text):
        return value_kind(f"{fact.subject} {fact.object}") != "words"
    return True
