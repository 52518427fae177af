"""How likely what was read of a sentence is to be what it says.

    pairs of phrases → named features (`pairs.py`) → weights (`readings.json`) → a share in [0, 1]

What the rules read is kept where the pair of its subject and its value is likely, and held for sure
where it is very likely. The weights were fitted by `bench/fit_readings.py`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from quipu.extract.statements.pairs import Pair, features, pairs
from quipu.extract.statements.phrases import Phrases
from quipu.extract.statements.statement import Statement
from quipu.text import stems

__all__ = ["Candidate", "candidates", "judged", "trust"]

_FILE = "readings.json"
_KEPT, _SURE = 0.4, 0.7
_WEAK = 0.6
_OURS = {"we": "we", "us": "we", "our": "we"}


class Candidate(NamedTuple):
    """A pair with what its phrases are called, what speaks for it, and which of the statements
    that the rules read say it."""

    pair: Pair
    owner: str
    value: str
    features: dict[str, float]
    said: tuple[int, ...]


def judged(here: Phrases, statements: Sequence[Statement]) -> list[Statement]:
    """The statements that rules read of the sentence, each where it is likely enough."""
    held = [(trust(each.features), each) for each in candidates(here, statements)]
    found: list[Statement] = []
    for place, statement in enumerate(statements):
        shares = [share for share, each in held if place in each.said]
        share = max(shares, default=1.0)
        if share >= _KEPT:
            sure = statement.confidence if share >= _SURE else min(statement.confidence, _WEAK)
            found.append(statement._replace(confidence=sure))
    return found


def candidates(here: Phrases, statements: Sequence[Statement]) -> list[Candidate]:
    """The pairs of a sentence whose phrases are somebody or something."""
    found: list[Candidate] = []
    for pair in pairs(here):
        owner, value = _named(here, pair)
        if not owner or not value or owner.casefold() == value.casefold():
            continue
        said = tuple(n for n, each in enumerate(statements) if _says(each, owner, value))
        made = features(here, pair)
        if said:
            made["read by rule"] = made[f"rule {statements[said[0]].rule}"] = 1.0
        elif any(set(stems(value)) & set(stems(each.object)) for each in statements):
            made["value read of another"] = 1.0
        found.append(Candidate(pair, owner, value, made, said))
    return found


def trust(made: Mapping[str, float]) -> float:
    """How likely a pair with these features is to be stated: a logistic model, in [0, 1]."""
    weights = _weights()
    return 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * x for name, x in made.items())))


@cache
def _weights() -> dict[str, float]:
    data = files("quipu.extract.statements").joinpath(_FILE).read_text(encoding="utf-8")
    return json.loads(data)


def _named(here: Phrases, pair: Pair) -> tuple[str, str]:
    """What the owner is called, and what is said of it."""
    known = here.pronoun(pair.owner)
    here.cut = (pair.value,)
    owner = here.name(pair.owner) or here.kind(pair.owner)
    if not owner and known is None:
        owner = here.plain(pair.owner)
    here.cut = (pair.owner,)
    values = here.values(pair.value, split=False)
    here.cut = ()
    return owner, values[0][0] if values else ""


def _says(statement: Statement, owner: str, value: str) -> bool:
    """Whether a statement tells of an owner and its value, in whichever order."""
    one, other = _words(owner), frozenset(stems(value))
    subject, said = _words(statement.subject), _words(statement.object)
    ways = [(subject, said), (said, subject)]
    if statement.noun:
        ways.append((_words(statement.predicate), said))
    return any(_meet(a, one) and _meet(b, other) for a, b in ways)


def _meet(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def _words(name: str) -> frozenset[str]:
    low = name.lower()
    return frozenset({_OURS[low]}) if low in _OURS else frozenset(stems(name))
