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

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from quipu.casebook import Casebook
from quipu.domain.beta import Beta
from quipu.domain.incidents import HealingAction, Incident, Outcome, healing_actions
from quipu.domain.instants import to_epoch
from quipu.domain.likeness import features

__all__ = ["HALF_LIFE_DAYS", "POOLED", "Estimate", "Trial", "estimate", "trials"]

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


class Estimate(NamedTuple):
    """What is known of an action; `trials` are those that count, the weightiest first."""

    action: HealingAction
    posterior: Beta
    trials: tuple[Trial, ...]

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(trial.weight for trial in self.trials)

    @property
    def successes(self) -> int:
        """How many of them worked."""
        return sum(trial.outcome.success for trial in self.trials)

    @property
    def pooled(self) -> int:
        """How many of them were on other components."""
        return sum(not trial.own for trial in self.trials)


def trials(
    book: Casebook, incident: Incident, *, at: str | None, context: Mapping[str, float]
) -> dict[HealingAction, list[Trial]]:
    """Every attempt in the book by action, weighed for `incident` at the moment `at`."""
    found: dict[HealingAction, list[Trial]] = {}
    for case in book.cases:
        if case.incident.incident_id == incident.incident_id and not case.outcomes:
            continue
        own = case.incident.component == incident.component
        kind = features(incident, case.incident).kind
        likeness = max(kind, context.get(case.incident.incident_id, 0.0)) ** _SHARPNESS
        for outcome in case.outcomes:
            weight = _recency(outcome, case.incident, at) * likeness
            if not own:
                weight *= _ELSEWHERE
            for action in credited(outcome):
                found.setdefault(action, []).append(Trial(case.incident, outcome, weight, own))
    return found


def credited(outcome: Outcome) -> tuple[HealingAction, ...]:
    """The actions an attempt's result is put down to."""
    actions = healing_actions(outcome.actions_taken)
    healing = tuple(a for a in actions if a != HealingAction.ALERT_TEAM)
    others = set(outcome.actions_taken) - set(map(str, HealingAction))
    return healing or (() if others else actions)


def estimate(action: HealingAction, tried: Iterable[Trial], *, pooling: bool = True) -> Estimate:
    """What the attempts say of `action`, other components pooled in while evidence is thin."""
    every = list(tried)
    mean = (sum(t.outcome.success for t in every) + 1) / (len(every) + 2)
    heavy = sorted(
        (t for t in every if t.weight >= _LEAST_WEIGHT),
        key=lambda t: (-t.weight, t.outcome.outcome_id),
    )
    own = [t for t in heavy if t.own]
    kept = list(own)
    if pooling and sum(t.weight for t in own) < POOLED:
        others = [t for t in heavy if not t.own]
        total = sum(t.weight for t in others)
        scale = min(1.0, POOLED / total) if total else 1.0
        kept += [t._replace(weight=t.weight * scale) for t in others]
    kept.sort(key=lambda t: (-t.weight, t.outcome.outcome_id))
    won = sum(t.weight for t in kept if t.outcome.success)
    lost = sum(t.weight for t in kept if not t.outcome.success)
    return Estimate(action, Beta(_PRIOR * mean + won, _PRIOR * (1 - mean) + lost), tuple(kept))


def _recency(outcome: Outcome, incident: Incident, at: str | None) -> float:
    when = outcome.recorded_at or incident.timestamp
    if when is None or at is None:
        return 0.5
    age = max(0.0, to_epoch(at) - to_epoch(when)) / _DAY_S
    return 0.5 ** (age / HALF_LIFE_DAYS)
