"""The Beta distribution: what is known of a success rate after some successes and failures.

Why Beta and not Wilson's interval: outcomes are weighted (an old one, or one of a similar
component, counts less), a prior pools what other components taught, and two actions are compared
by the probability that one is better. A posterior does all three; Wilson's interval does none.

Pure functions; the regularised incomplete beta function is Lentz's continued
fraction (Numerical Recipes, 3rd ed., 6.4), its inverse a bisection.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Beta", "better"]

_TINY = 1e-300
_STEPS = 300
_CLOSE = 1e-12
_GRID = 512
_MIDDLES = (np.arange(1, _GRID - 1) + 0.5) / _GRID
_LOGS, _LOGS_OF_REST = np.log(_MIDDLES), np.log1p(-_MIDDLES)


class Beta(NamedTuple):
    """`a` and `b` above 0; Beta(1, 1) knows nothing."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected success rate."""
        return self.a / (self.a + self.b)

    def below(self, rate: float) -> float:
        """The probability that the success rate lies below `rate`."""
        if rate <= 0:
            return 0.0
        if rate >= 1:
            return 1.0
        front = math.exp(
            math.lgamma(self.a + self.b)
            - math.lgamma(self.a)
            - math.lgamma(self.b)
            + self.a * math.log(rate)
            + self.b * math.log1p(-rate)
        )
        if rate < (self.a + 1) / (self.a + self.b + 2):
            return min(1.0, front * _fraction(self.a, self.b, rate) / self.a)
        return max(0.0, 1 - front * _fraction(self.b, self.a, 1 - rate) / self.b)

    def quantile(self, share: float) -> float:
        """The rate below which the true one lies with probability `share`."""
        low, high = 0.0, 1.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            if self.below(middle) < share:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    def interval(self, mass: float = 0.9) -> tuple[float, float]:
        """The equal-tailed credible interval that holds `mass` of the probability."""
        tail = (1 - mass) / 2
        return self.quantile(tail), self.quantile(1 - tail)


def better(first: Beta, second: Beta) -> float:
    """The probability that the first rate is the greater one, the two being independent.

    Σ P(first in a cell) · P(second below the cell's middle), over 512 cells; within one cell
    neither is ahead. What is said of one order is one minus what is said of the other.
    """
    ahead, behind = _grid(first), _grid(second)
    total = float(np.sum(np.diff(ahead) * (behind[:-1] + behind[1:]) / 2))
    return min(1.0, max(0.0, total))


@lru_cache(maxsize=1024)
def _grid(beta: Beta) -> NDArray[np.float64]:
    """P(rate < i / 512) for i from 0 to 512.

    The two outer cells, where a density may have a pole, are exact; the inner ones have the
    density at their middles, scaled to what the outer ones leave.
    """
    first, last = beta.below(1 / _GRID), 1 - beta.below(1 - 1 / _GRID)
    logs = (beta.a - 1) * _LOGS + (beta.b - 1) * _LOGS_OF_REST
    cells = np.exp(logs - logs.max())
    scale = max(0.0, 1 - first - last) / float(cells.sum())
    return np.concatenate(([0.0, first], first + np.cumsum(cells * scale), [1.0]))


def _fraction(a: float, b: float, x: float) -> float:
    numerator, denominator = 1.0, 1 - (a + b) * x / (a + 1)
    denominator = 1 / (denominator if abs(denominator) > _TINY else _TINY)
    value = denominator
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            denominator = 1 + term * denominator
            denominator = 1 / (denominator if abs(denominator) > _TINY else _TINY)
            numerator = 1 + term / numerator
            numerator = numerator if abs(numerator) > _TINY else _TINY
            change = denominator * numerator
            value *= change
        if abs(change - 1) < _CLOSE:
            break
    return value
