"""How well an action works for incidents like this one: a Beta posterior over its success rate.

    weight of an attempt = ½^(age / 180 days) · likeness⁶ · (.7 when it was on another component)
    prior                = Beta(2·m, 2·(1 − m)),  m = (S + 1) / (N + 2) over all attempts of the
                           action anywhere
    posterior            = Beta(prior + weighted successes, prior + weighted failures)

`likeness` is the greater of what retrieval said and of how far the two incidents are of one kind
by their numbers (`Features.kind`). An attempt whose age is unknown counts as one half-life old.
Attempts on other components are pooled only while the component's own weigh less than 8, and
together they never weigh more than 8. Every action of an attempt gets its result, calling the
team only when it was the only one. Nothing is ever dropped because it is old: it only weighs
less. The constants were chosen in `bench/incidents.py` on worlds that its figures do not use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.beta import Beta
from quipu.kinds.incidents.learn.attempts import ACTIONS, Attempts
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome
from quipu.when.instants import to_epoch

__all__ = ["HALF_LIFE_DAYS", "POOLED", "Estimate", "Trial", "Weighed", "estimate", "weighed"]

HALF_LIFE_DAYS = 180.0
POOLED = 8.0
_PRIOR = 2.0
_ELSEWHERE = 0.7
_LEAST_WEIGHT = 0.01
_SHARPNESS = 6
_DAY_S = 86_400.0


class Trial(NamedTuple):
    """One attempt with one action; `weight` in [0, 1] is how much it says here."""

    incident: Incident
    outcome: Outcome
    weight: float
    own: bool


class Weighed(NamedTuple):
    """Attempts, how much each says here (`weights`, in [0, 1]), which were on the very component
    (`own`), and which were known (`known`)."""

    attempts: Attempts
    weights: NDArray[np.float64]
    own: NDArray[np.bool_]
    known: NDArray[np.bool_]


@dataclass(frozen=True)
class Estimate:
    """What is known of an action: `rows` of the attempts that count, the weightiest first, and
    what each weighs."""

    action: HealingAction
    posterior: Beta
    tried: Weighed
    rows: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(self.weights)

    @property
    def successes(self) -> int:
        """How many of them worked."""
        return int(np.count_nonzero(self.tried.attempts.success[list(self.rows)]))

    @property
    def pooled(self) -> int:
        """How many of them were on other components."""
        return int(np.count_nonzero(~self.tried.own[list(self.rows)]))

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The attempts that count, the weightiest first."""
        held = self.tried.attempts
        return tuple(
            Trial(
                held.incidents[int(held.case[row])],
                held.outcomes[row],
                weight,
                bool(self.tried.own[row]),
            )
            for row, weight in zip(self.rows, self.weights, strict=True)
        )


def weighed(
    attempts: Attempts,
    incident: Incident,
    *,
    at: str | None,
    context: Mapping[str, float],
    known: NDArray[np.bool_] | None = None,
) -> Weighed:
    """Every attempt weighed for `incident` at the moment `at`; of `known` only those count."""
    likeness = attempts.likeness(incident, context) ** _SHARPNESS
    weights = _recency(attempts, at) * likeness[attempts.case]
    own = attempts.own(incident.component)
    weights = np.where(own, weights, weights * _ELSEWHERE)
    every = np.ones(len(weights), dtype=np.bool_) if known is None else known
    return Weighed(attempts, weights, own, every)


def estimate(action: HealingAction, tried: Weighed, *, pooling: bool = True) -> Estimate:
    """What the attempts say of `action`, other components pooled in while evidence is thin."""
    attempts = tried.attempts
    (rows,) = np.nonzero(tried.known & (attempts.action == ACTIONS.index(action)))
    mean = (int(np.count_nonzero(attempts.success[rows])) + 1) / (len(rows) + 2)
    weights = tried.weights[rows]
    heavy = weights >= _LEAST_WEIGHT
    rows, weights = rows[heavy], weights[heavy]
    order = np.lexsort((attempts.tie[rows], -weights))
    rows, weights = rows[order], weights[order]
    own = tried.own[rows]
    if pooling and sum(weights[own].tolist()) < POOLED:
        total = sum(weights[~own].tolist())
        scale = min(1.0, POOLED / total) if total else 1.0
        weights = np.where(own, weights, weights * scale)
        order = np.lexsort((attempts.tie[rows], -weights))
        rows, weights = rows[order], weights[order]
    else:
        rows, weights = rows[own], weights[own]
    worked = attempts.success[rows]
    won, lost = sum(weights[worked].tolist()), sum(weights[~worked].tolist())
    posterior = Beta(_PRIOR * mean + won, _PRIOR * (1 - mean) + lost)
    return Estimate(action, posterior, tried, tuple(rows.tolist()), tuple(weights.tolist()))


def _recency(attempts: Attempts, at: str | None) -> NDArray[np.float64]:
    if at is None:
        return np.full(len(attempts.outcomes), 0.5)
    began = attempts.began[attempts.case]
    when = np.where(np.isnan(attempts.recorded), began, attempts.recorded)
    age = np.maximum(0.0, to_epoch(at) - when) / _DAY_S
    return np.where(np.isnan(age), 0.5, 0.5 ** (age / HALF_LIFE_DAYS))
