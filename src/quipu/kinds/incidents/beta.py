"""The Beta distribution: what is known of a success rate after some successes and failures.

Outcomes are weighted (an old one, or one of another component, counts less), a prior says what is
known without them, and two actions are compared by the probability that one is better: a posterior
does all three. P(rate below x) is a table of 8,193 points that lie evenly in log(x / (1 - x)),
where a density has no pole; what lies beyond them is exact.
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
_MASS = 0.9


class Beta(NamedTuple):
    """`a` and `b` above 0; Beta(1, 1) knows nothing."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected success rate."""
        return self.a / (self.a + self.b)

    def interval(self) -> tuple[float, float]:
        """The equal-tailed credible interval that holds 90 % of the probability."""
        tails = ((1 - _MASS) / 2, (1 + _MASS) / 2)
        low, high = np.interp(tails, _below(self), _RATES, left=0.0, right=1.0)
        return float(low), float(high)


def better(first: Beta, second: Beta) -> float:
    """The probability that the first rate is the greater one, the two being independent; the two
    orders of a pair add up to 1."""
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
