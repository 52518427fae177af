"""The one form of every confidence: a logistic sum of named inputs, by `confidence.toml`.

    value = 1 / (1 + e^-(intercept + Σ weight · input))

Each input is a number with a neutral value that stands in when it is not known, so an input that
is missing helps no more than a poor one would. Weights have the sign that makes sense.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from quipu.tables import read_table

__all__ = [
    "ConfidenceFormula",
    "Inputs",
    "Term",
    "first_of",
    "named_formula",
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


def scaled_log_odds(share: float) -> float:
    """The log-odds of a share, ÷ ln 499, in [-1, 1]."""
    bounded = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded)) / math.log(1 / _LEAST - 1)


class ConfidenceFormula(NamedTuple):
    """A confidence for what `holds` of the inputs, `most` at the most."""

    intercept: float
    table: tuple[Term, ...]
    holds: Callable[[Inputs], bool]
    most: float = 1.0

    def value_of(self, inputs: Inputs) -> float:
        """The value, in [0, 1]; inputs that are not in the table do not count."""
        total = self.intercept
        for term in self.table:
            given = inputs.get(term.name)
            total += term.weight * (term.neutral if given is None else given)
        return min(round(1 / (1 + math.exp(-total)), 4), self.most)

    def weaknesses(self, inputs: Inputs) -> list[str]:
        """What speaks against the answer, the heaviest first, in words: what it would be surer
        without, or what weighs heavily beside something else that does."""
        value, losses = self.value_of(inputs), list[tuple[float, float, str]]()
        for term in self.table:
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


_FILE: Mapping[str, Mapping[str, Any]] = read_table("quipu.answer", "confidence.toml")


def named_formula(name: str, holds: Callable[[Inputs], bool]) -> ConfidenceFormula:
    """The formula of this name in `confidence.toml`, for what `holds` of the inputs."""
    rows, meaning, weakness = {**_FILE[name]}, _FILE["meaning"], _FILE["weakness"]
    intercept, most = rows.pop("intercept"), rows.pop("most", 1.0)
    table = tuple(
        Term(term, weight, neutral, meaning[term], weakness.get(term, ""))
        for term, (weight, neutral) in rows.items()
    )
    return ConfidenceFormula(intercept, table, holds, most)
