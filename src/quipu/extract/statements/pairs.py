"""Who or what and which value of one sentence may belong together, and what speaks for it.

Every phrase that can be said something of is paired with every phrase that can be said of it; what
the grammar has between the two, what kind of thing each is and how sure the parser was are named
features, by which a pair is judged (`judged.py`).
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.extract.grammar.clauses import is_predicate, status_of
from quipu.extract.statements.phrases import KIN, Phrases

__all__ = ["Pair", "features", "pairs"]

_NAMING = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_PARTS = frozenset("flat compound nummod amod det fixed case punct discourse vocative cc mark "
                   "compound:prt goeswith reparandum".split())  # fmt: skip
_FARTHEST = 18
_LONGEST_PATH = 5
_LIGHT = frozenset(
    "think know want see feel guess hope look seem sound do say tell try mean find ask help happen "
    "wish wonder believe suppose remember forget understand agree thank appreciate expect imagine "
    "bet doubt care matter hear worry love like miss mind".split()
)
"""Verbs of what goes on in a mind or is said: they set no value."""
_UNIT = re.compile(r"^[$€£]?\d[\d.,:]*(?:[a-z%]{1,4})$")
_CLAUSES = frozenset({"acl", "acl:relcl", "advcl"})
_LEAST_SURE = 1e-3
_BESIDE = frozenset({"obl", "nmod", "vocative", "discourse"})
"""As what hangs what nothing is said of."""
_OURSELVES = frozenset("i me my mine we us our ours".split())
_PASSING = frozenset("today yesterday tomorrow tonight morning evening afternoon night week month "
                     "year while now".split())  # fmt: skip
_CASES = frozenset("in on at for with as to by from of until since per than into".split())


class Pair(NamedTuple):
    """The main words of who or what something is said of, and of what may be said of it."""

    owner: int
    value: int


def pairs(here: Phrases) -> Iterator[Pair]:
    """Those of a sentence, by where they stand."""
    tokens = here.sentence.tokens
    heads = [at for at in range(len(tokens)) if _is_head(here, at)]
    owners = [at for at in range(len(tokens)) if at in heads or tokens[at].tag == "PRON"]
    for value in heads:
        if tokens[value].label == "nmod:poss" or (
            tokens[value].label in ("nsubj", "nsubj:pass") and not here.is_specific(value)
        ):
            continue
        for owner in owners:
            if tokens[owner].label.removesuffix(":unmarked") in _BESIDE:
                continue
            near = abs(owner - value) <= _FARTHEST and owner != value
            if near and not _is_within(here, owner, value) and tokens[owner].tag != "NUM":
                yield Pair(owner, value)


def _is_head(here: Phrases, at: int) -> bool:
    """Whether it is the main word of a phrase that names, counts or dates something, or an
    adjective that is said of something."""
    token = here.sentence.tokens[at]
    if at in here.days:
        return at == here.days[at][0]
    if token.tag == "ADJ":
        return is_predicate(here.sentence, at)
    inside = token.label in _PARTS and token.head >= 0 and not _is_loose_number(here, at)
    return token.tag in _NAMING and not inside and any(c.isalnum() for c in token.form)


def _is_loose_number(here: Phrases, at: int) -> bool:
    """Whether a number was hung on a word that does not stand beside it."""
    token = here.sentence.tokens[at]
    return token.tag == "NUM" and token.label in ("nummod", "compound") and (
        abs(token.head - at) > 2
    )  # fmt: skip


def _is_within(here: Phrases, owner: int, value: int) -> bool:
    """Whether one is a part of the other's time."""
    return owner in here.days and here.days[owner] == here.days.get(value)


def _path(here: Phrases, pair: Pair) -> tuple[list[int], list[int]]:
    """The words from the owner up to where both hang, and those from there down to the value."""
    tokens = here.sentence.tokens
    above: list[int] = []
    at = pair.owner
    while at >= 0:
        above.append(at)
        at = tokens[at].head
    down: list[int] = []
    at = pair.value
    while at not in above:
        down.append(at)
        at = tokens[at].head
    return above[: above.index(at)], down[::-1]


def _kind_of_value(here: Phrases, at: int) -> str:
    token = here.sentence.tokens[at]
    if here.is_time(at):
        return "passing time" if token.lemma in _PASSING else "time"
    if token.tag == "NUM":
        return "measure" if _UNIT.match(token.form.lower()) else "number"
    if here.has_number(at):
        return "measure"
    if token.tag in ("PROPN", "X", "ADJ"):
        return "adjective" if token.tag == "ADJ" else "name"
    return "named noun" if here.has_proper(at) else "noun"


def _kind_of_owner(here: Phrases, at: int) -> str:
    token = here.sentence.tokens[at]
    low, known = token.form.lower(), here.pronoun(at)
    if low in _OURSELVES:
        return low
    if known is not None:
        return "pronoun" if known else "nobody"
    if token.tag in ("PROPN", "X", "ADJ"):
        return "adjective" if token.tag == "ADJ" else "name"
    if token.lemma in KIN or here.possessor(at) is not None:
        return "kin" if token.lemma in KIN else "possessed"
    return _kind_of_noun(here, at)


def _kind_of_noun(here: Phrases, at: int) -> str:
    if here.is_definite(at):
        return "a" if here.is_kind(at) else "the"
    return "several" if here.is_plural(at) else "bare"


def features(here: Phrases, pair: Pair) -> dict[str, float]:
    """What speaks for and against a pair, by name; what is 0 is left out."""
    found = {
        "bias": 1.0,
        **_of_path(here, pair),
        **_of_place(here, pair),
        **_of_phrases(here, pair),
        **_of_clause(here, pair),
    }
    return {name: amount for name, amount in found.items() if amount}


def _of_path(here: Phrases, pair: Pair) -> dict[str, float]:
    """How one hangs on the other, and how sure the parser was on the way."""
    tokens = here.sentence.tokens
    up, down = _path(here, pair)
    labels = "^".join((_labels(here, up, "<"), _labels(here, down, ">")))
    way = [tokens[at].sure for at in (*up, *down)]
    return {
        "path " + (labels if len(way) <= _LONGEST_PATH else "long"): 1.0,
        f"length {min(len(way), _LONGEST_PATH + 1)}": 1.0,
        "unsure": -sum(math.log(max(sure, _LEAST_SURE)) for sure in way),
        "least sure": min(way, default=1.0),
    }


def _labels(here: Phrases, words: Sequence[int], joint: str) -> str:
    return joint.join(here.sentence.tokens[at].label.removesuffix(":unmarked") for at in words)


def _of_place(here: Phrases, pair: Pair) -> dict[str, float]:
    """What stands between the two."""
    tokens = here.sentence.tokens
    inside = range(min(pair) + 1, max(pair))
    between = [tokens[at] for at in inside]
    return {
        "apart": math.log(abs(pair.owner - pair.value)),
        "behind": float(pair.owner > pair.value),
        "side by side": float(not between),
        "others between": float(sum(_is_head(here, at) for at in inside)),
        "subjects between": float(sum(t.label.startswith("nsubj") for t in between)),
        "marks between": float(sum(t.form in ",;:()" for t in between)),
        "colon between": float(any(t.form == ":" for t in between)),
        "verbs between": float(sum(t.tag == "VERB" for t in between)),
    }


def _of_phrases(here: Phrases, pair: Pair) -> dict[str, float]:
    """What kinds of things the two are."""
    tokens = here.sentence.tokens
    owner, value = _kind_of_owner(here, pair.owner), _kind_of_value(here, pair.value)
    under = [tokens[c] for c in here.sentence.under[pair.value]]
    held = [t.lemma for t in under if t.label in ("det", "nmod:poss")]
    case = here.case(pair.value)
    subject = tokens[pair.owner].label.startswith("nsubj")
    return {
        f"owner {owner}": 1.0,
        f"value {value}": 1.0,
        f"subject {owner}": float(subject),
        f"{'of subject' if subject else 'of no subject'} {value}": 1.0,
        "case " + (case if case in _CASES else "other" if case else "none"): 1.0,
        "owner behind a preposition": float(bool(here.case(pair.owner))),
        "a value": float("a" in held),
        "the value": float(value != "name" and any(lemma != "a" for lemma in held)),
        "clause in value": float(any(t.label in _CLAUSES for t in under)),
        "pointed at": float(here.is_pointed_at(pair.value) or here.is_judged(pair.value)),
    }


def _of_clause(here: Phrases, pair: Pair) -> dict[str, float]:
    """What clause the value stands in, and whether that is a statement."""
    tokens, value = here.sentence.tokens, _kind_of_value(here, pair.value)
    clause = here.clause_of(pair.value)
    status = status_of(here.sentence, clause)
    verbal = tokens[clause].tag == "VERB"
    verbless = float(not any(t.tag in ("VERB", "AUX") for t in tokens))
    times = [f"{time} {value}" for time in ("past", "present") if f"told {time}" in status]
    return {
        "same clause": float(here.clause_of(pair.owner) == clause),
        "verb" if verbal else "no verb": 1.0,
        "light": float(verbal and tokens[clause].lemma in _LIGHT),
        "verbless": verbless,
        f"verbless {value}": verbless,
        "asked": float(any("?" in t.form for t in tokens[-2:])),
        "words": math.log(len(tokens)),
        **dict.fromkeys(status, 1.0),
        **dict.fromkeys(times if verbal else (), 1.0),
    }
