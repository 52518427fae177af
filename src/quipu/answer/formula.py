"""The one form of every confidence: a logistic sum of named inputs.

value = 1 / (1 + e^-(intercept + Σ weight · input))
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

__all__ = [
    "ConfidenceFormula",
    "Inputs",
    "Term",
    "first_of",
    "log_odds",
    "logistic",
    "scaled_log_odds",
]

Inputs: TypeAlias = Mapping[str, float | None]
_FELT = 0.05
"""How much surer an answer must be without an input for that to be a reason to doubt it."""
_HEAVY = 1.0
"""How much, in log-odds, an input takes from an answer that nothing alone would make surer."""
_LEAST = 0.002


class Term(NamedTuple):
    """An input, its weight, what stands in when it is unknown, what it is, and what to say when it
    speaks against the answer ("" for nothing)."""

    name: str
    weight: float
    neutral: float
    meaning: str
    weakness: str


def log_odds(intercept: float, table: Iterable[Term], inputs: Inputs) -> float:
    """The sum; inputs that are not in the table do not count."""
    total = intercept
    for term in table:
        given = inputs.get(term.name)
        total += term.weight * (term.neutral if given is None else given)
    return total


def logistic(total: float) -> float:
    """What a sum says, in [0, 1]."""
    return round(1 / (1 + math.exp(-total)), 4)


def scaled_log_odds(share: float) -> float:
    """The log-odds of a share, ÷ ln 499, in [-1, 1]."""
    bounded = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded)) / math.log(1 / _LEAST - 1)


class ConfidenceFormula(NamedTuple):
    """A confidence for what `holds` of the inputs: how likely this is times how likely `then` is,
    given this; it is no surer than those of its `bounds` that hold too."""

    intercept: float
    table: tuple[Term, ...]
    holds: Callable[[Inputs], bool]
    bounds: tuple["ConfidenceFormula", ...] = ()
    then: "ConfidenceFormula | None" = None

    def value_of(self, inputs: Inputs) -> float:
        """The value, in [0, 1]."""
        own = logistic(log_odds(self.intercept, self.table, inputs))
        if self.then is not None:
            own = round(own * self.then.value_of(inputs), 4)
        return min((own, *(b.value_of(inputs) for b in self.bounds if b.holds(inputs))))

    def weaknesses(self, inputs: Inputs) -> list[str]:
        """What speaks against the answer, the heaviest first, in words: what it would be surer
        without, or what weighs heavily beside something else that does."""
        value, losses = self.value_of(inputs), list[tuple[float, float, str]]()
        for term in (*self.table, *(self.then.table if self.then is not None else ())):
            given = inputs.get(term.name)
            if given is not None and term.weakness:
                gain = self.value_of({**inputs, term.name: term.neutral}) - value
                losses.append((term.weight * (given - term.neutral), gain, term.weakness))
        losses.sort()
        felt = [loss < 0 and (gain >= _FELT or loss <= -_HEAVY) for loss, gain, _ in losses]
        return [said for (_, _, said), is_felt in zip(losses, felt, strict=True) if is_felt]


def first_of(formulas: Sequence[ConfidenceFormula], inputs: Inputs) -> ConfidenceFormula:
    """The first that holds; the last one must."""
    return next(each for each in formulas if each.holds(inputs))
