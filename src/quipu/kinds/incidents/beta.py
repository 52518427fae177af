"""The Beta distribution: what is known of a success rate after some successes and failures.

Why Beta and not Wilson's interval: outcomes are weighted (an old one, or one of a similar
component, counts less), a prior pools what other components taught, and two actions are compared
by the probability that one is better. A posterior does all three; Wilson's interval does none.

Pure functions over one table a distribution: P(rate below x) at 8,193 points that lie evenly in
log(x / (1 - x)), where a density has no pole; what lies beyond them is exact.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Beta", "better"]

_LOGITS = np.linspace(-32.0, 32.0, 8193)
_STEP = float(_LOGITS[1] - _LOGITS[0])
_LOG_RATES, _LOG_RESTS = -np.log1p(np.exp(-_LOGITS)), -np.log1p(np.exp(_LOGITS))
_RATES = np.exp(_LOG_RATES)


class Beta(NamedTuple):
    """`a` and `b` above 0; Beta(1, 1) knows nothing."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected success rate."""
        return self.a / (self.a + self.b)

    def quantile(self, share: float) -> float:
        """The rate below which the true one lies with probability `share`."""
        return float(np.interp(share, _below(self), _RATES, left=0.0, right=1.0))

    def interval(self, mass: float = 0.9) -> tuple[float, float]:
        """The equal-tailed credible interval that holds `mass` of the probability."""
        tail = (1 - mass) / 2
        return self.quantile(tail), self.quantile(1 - tail)


def better(first: Beta, second: Beta) -> float:
    """The probability that the first rate is the greater one, the two being independent; within
    one cell of the table neither is ahead. What is said of one order is one minus what is said of
    the other."""
    ahead = np.concatenate(([0.0], _below(first), [1.0]))
    behind = np.concatenate(([0.0], _below(second), [1.0]))
    return float(np.sum(np.diff(ahead) * (behind[:-1] + behind[1:]) / 2))


@lru_cache(maxsize=1024)
def _below(beta: Beta) -> NDArray[np.float64]:
    """P(rate below the point) for each point of the table, by the trapezoidal rule."""
    logs = beta.a * _LOG_RATES + beta.b * _LOG_RESTS
    density = np.exp(logs - logs.max())
    first, last = density[0] / beta.a, density[-1] / beta.b
    inner = np.cumsum((density[:-1] + density[1:]) * (_STEP / 2))
    return np.concatenate(([first], first + inner)) / (first + inner[-1] + last)
