"""How well an action works for incidents like this one: a Beta posterior over its success rate.

    weight of an attempt = ½^(age / 180 days) · nearness · (.7 when it was on another component)
    prior                = Beta(2·m, 2·(1 − m)),  m = (S + 1) / (N + 2) over all attempts of the
                           action anywhere; where like incidents decide, of all attempts, and
                           at most ½: that an action cures another failure says nothing of this
    posterior            = Beta(prior + weighted successes, prior + weighted failures + .4·w)

Where retrieval found like incidents, the 16 likest that something was tried at alone count: with s
their scores and t the best of them, nearness = (s / t)³. Else it is numbers that count: nearness =
likeness⁶, the likeness being how far two incidents are of one kind by what was measured
(`Agreement.kind`).

w is what the like incidents weigh that something else ended and where nobody tried this action: a
few of another failure among them would else bring in an action that has always cured that. Where
numbers alone decide it is 0.

An attempt whose age is unknown counts as one half-life old. Every action of an attempt gets its
result, calling the team only when it was the only one. Nothing is ever dropped because it is old:
it only weighs less. The constants were chosen in `bench/incident_types.py` on worlds that its
figures do not use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.beta import Beta
from quipu.kinds.incidents.learn.attempts import Attempts
from quipu.kinds.incidents.model import Incident, Outcome
from quipu.when.instants import to_epoch

__all__ = [
    "HALF_LIFE_DAYS",
    "INTERVAL",
    "UNTRIED",
    "CountedAttempt",
    "Estimate",
    "Figures",
    "Weighed",
    "estimate",
    "weighed",
    "weighed_on",
]

HALF_LIFE_DAYS = 180.0
INTERVAL = 0.9
UNTRIED = 0.4
_PRIOR = 2.0
_ELSEWHERE = 0.7
_LEAST_WEIGHT = 0.01
_SHARPNESS = 6
_LIKEST = 16
_FALL = 3
_DAY_S = 86_400.0


class CountedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt that counts, and how much it counts here."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    outcome_id: Annotated[str, "the attempt"]
    component: Annotated[str, "where it was"]
    success: Annotated[bool, "whether it worked"]
    weight: Annotated[float, "how much it counts here, in [0, 1]"]
    recorded_at: Annotated[str | None, "when it was known, or null"]


class Figures(NamedTuple):
    """An estimate as it is shown."""

    success_rate: float
    low: float
    high: float
    samples: int
    successes: int
    weight: float
    pooled: int


class Weighed(NamedTuple):
    """Attempts, how much each says here (`weights`, in [0, 1]), which were on the very component
    (`own`), and which were known (`known`). `like` says that they were weighed by what is told.
    `ended` is what each incident of the case base weighs that an attempt ended, else 0."""

    attempts: Attempts
    weights: NDArray[np.float64]
    own: NDArray[np.bool_]
    known: NDArray[np.bool_]
    like: bool
    ended: NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """What is known of an action: `rows` of the attempts that count, the weightiest first, and
    what each weighs."""

    action: str
    posterior: Beta
    tried: Weighed
    rows: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(self.weights)

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The attempts that count."""
        return tuple(self.tried.attempts.outcomes[row] for row in self.rows)

    @property
    def minutes(self) -> float | None:
        """How long it took where it worked: the median, in minutes."""
        taken = [o.resolution_time_minutes for o in self.outcomes if o.success]
        known = [each for each in taken if each is not None]
        return float(np.median(known)) if known else None

    @property
    def figures(self) -> Figures:
        """The rate with its 90 % interval, and what it rests on; `pooled` are the attempts on
        other components."""
        low, high = self.posterior.interval(INTERVAL)
        return Figures(
            round(self.posterior.mean, 4),
            round(low, 4),
            round(high, 4),
            len(self.rows),
            sum(o.success for o in self.outcomes),
            round(self.weight, 3),
            int(np.count_nonzero(~self.tried.own[list(self.rows)])),
        )

    def evidence(self, limit: int | None = None) -> tuple[CountedAttempt, ...]:
        """The attempts that count, as they are shown."""
        attempts = self.tried.attempts
        incidents = (attempts.incidents[int(attempts.case[row])] for row in self.rows)
        counted = zip(incidents, self.outcomes, self.weights, strict=True)
        return tuple(
            CountedAttempt(
                incident_id=incident.incident_id,
                outcome_id=outcome.outcome_id,
                component=incident.component,
                success=outcome.success,
                weight=round(weight, 3),
                recorded_at=outcome.recorded_at,
            )
            for incident, outcome, weight in list(counted)[:limit]
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
    every = np.ones(len(attempts.outcomes), dtype=np.bool_) if known is None else known
    nearness, like = _nearness(attempts, incident, context, every)
    own = attempts.own(incident.component)
    nearness = np.where(own, nearness, nearness * _ELSEWHERE)
    return _weighed(attempts, nearness, at=at, own=own, known=every, like=like)


def weighed_on(attempts: Attempts, component: str, *, at: str | None) -> Weighed:
    """The attempts on a component, all alike; those on others do not count."""
    own = attempts.own(component)
    return _weighed(attempts, own.astype(np.float64), at=at, own=own, known=own, like=False)


def _weighed(
    attempts: Attempts,
    nearness: NDArray[np.float64],
    *,
    at: str | None,
    own: NDArray[np.bool_],
    known: NDArray[np.bool_],
    like: bool,
) -> Weighed:
    weights = _recency(attempts, at) * nearness
    ended = np.zeros(len(attempts.incidents))
    worked = known & attempts.success
    np.maximum.at(ended, attempts.case[worked], weights[worked])
    return Weighed(attempts, weights, own, known, like, ended)


def _nearness(
    attempts: Attempts,
    incident: Incident,
    context: Mapping[str, float],
    known: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], bool]:
    """How far each attempt was at an incident like this one, in [0, 1], and whether what is told
    says so."""
    scores = attempts.scores(context)
    counted = attempts.case[known]
    tried = np.unique(counted[scores[counted] > 0])
    if not len(tried):
        return attempts.kinds(incident)[attempts.case] ** _SHARPNESS, False
    likest = tried[np.lexsort((attempts.places[tried], -scores[tried]))][:_LIKEST]
    nearness = np.zeros(len(scores))
    nearness[likest] = (scores[likest] / scores[likest[0]]) ** _FALL
    return nearness[attempts.case], True


def estimate(action: str, tried: Weighed) -> Estimate:
    """What the attempts say of `action`."""
    attempts = tried.attempts
    (rows,) = np.nonzero(tried.known & attempts.of(action))
    mean = _rate(attempts.success[rows])
    if tried.like:
        mean = min(0.5, _rate(attempts.success[tried.known]))
    elsewise = tried.ended.sum() - tried.ended[np.unique(attempts.case[rows])].sum()
    untried = UNTRIED * tried.like * float(elsewise)
    weights = tried.weights[rows]
    heavy = weights >= _LEAST_WEIGHT
    rows, weights = rows[heavy], weights[heavy]
    order = np.lexsort((attempts.tie[rows], -weights))
    rows, weights = rows[order], weights[order]
    worked = attempts.success[rows]
    won, lost = sum(weights[worked].tolist()), sum(weights[~worked].tolist())
    posterior = Beta(_PRIOR * mean + won, _PRIOR * (1 - mean) + lost + untried)
    return Estimate(action, posterior, tried, tuple(rows.tolist()), tuple(weights.tolist()))


def _rate(worked: NDArray[np.bool_]) -> float:
    """The share that worked, by Laplace's rule of succession."""
    return (int(np.count_nonzero(worked)) + 1) / (len(worked) + 2)


def _recency(attempts: Attempts, at: str | None) -> NDArray[np.float64]:
    if at is None:
        return np.full(len(attempts.outcomes), 0.5)
    began = attempts.began[attempts.case]
    when = np.where(np.isnan(attempts.recorded), began, attempts.recorded)
    age = np.maximum(0.0, to_epoch(at) - when) / _DAY_S
    return np.where(np.isnan(age), 0.5, 0.5 ** (age / HALF_LIFE_DAYS))
