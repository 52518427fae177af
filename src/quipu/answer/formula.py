"""The one form of every confidence: a logistic sum of named inputs.

value = 1 / (1 + e^-(intercept + Σ weight · input))
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

__all__ = ["Formula", "Term", "log_odds", "logistic"]


class Term(NamedTuple):
    """An input, its weight, what stands in when it is unknown, what it is, and what to say when it
    speaks against the answer ("" for nothing)."""

    name: str
    weight: float
    neutral: float
    meaning: str
    weakness: str


def log_odds(intercept: float, table: Iterable[Term], inputs: Mapping[str, float | None]) -> float:
    """The sum; inputs that are not in the table do not count."""
    total = intercept
    for term in table:
        given = inputs.get(term.name)
        total += term.weight * (term.neutral if given is None else given)
    return total


def logistic(total: float) -> float:
    """What a sum says, in [0, 1]."""
    return round(1 / (1 + math.exp(-total)), 4)


class Formula(NamedTuple):
    """A confidence of its own for what `holds` of the inputs."""

    intercept: float
    table: tuple[Term, ...]
    holds: Callable[[Mapping[str, float | None]], bool]

    def value_of(self, inputs: Mapping[str, float | None]) -> float:
        """The value, in [0, 1]."""
        return logistic(log_odds(self.intercept, self.table, inputs))
