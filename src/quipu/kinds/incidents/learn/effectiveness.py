"""How well an action works for incidents like this one: a Beta posterior over its success rate.

    weight of an attempt = ½^(age / 180 days) · nearness
    posterior            = Beta(1 + weighted successes, 1 + weighted failures + .4·w)

The 16 likest incidents that something was tried at count: with s the scores that retrieval gave
and t the best of them, nearness = (s / t)³. w is what those weigh that something else ended and
where nobody tried this action: a few of another failure among them would else bring in an action
that has always cured that.

An attempt whose age is unknown counts as one half-life old. Every action of an attempt gets its
result, calling the team only when it was the only one. Nothing is ever dropped because it is old:
it only weighs less. The constants were chosen in `bench/incident_types.py` on worlds that its
figures do not use.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, NamedTuple

import msgspec

from quipu.kinds.incidents.case_base import Case
from quipu.kinds.incidents.learn.beta import Beta
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome, action_name
from quipu.when.instants import to_epoch

__all__ = [
    "HALF_LIFE_DAYS",
    "UNTRIED",
    "ActionFigures",
    "CountedAttempt",
    "Estimate",
    "Weighed",
    "estimate",
    "weighed",
    "weighed_alike",
]

HALF_LIFE_DAYS = 180.0
UNTRIED = 0.4
_LIKEST = 16
_NEARNESS_POWER = 3
_DAY_S = 86_400.0


class CountedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt that counts, and how much it counts here."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    outcome_id: Annotated[str, "the attempt"]
    component: Annotated[str, "where it was"]
    success: Annotated[bool, "whether it worked"]
    weight: Annotated[float, "how much it counts here, in [0, 1]"]
    recorded_at: Annotated[str | None, "when it was known, or null"]


class ActionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One action: how often it works, and what that rests on."""

    action: Annotated[str, "what to do: an action of a policy, or one that was taken before"]
    success_rate: Annotated[
        float | None, "the mean of the posterior of its success rate, or null without evidence"
    ] = None
    low: Annotated[float | None, "the lower end of its 90 % interval"] = None
    high: Annotated[float | None, "the upper end of its 90 % interval"] = None
    samples: Annotated[int, "how many past attempts count"] = 0
    successes: Annotated[int, "how many of them worked"] = 0
    minutes: Annotated[
        float | None, "how long it took where it worked, the median in minutes, or null"
    ] = None
    weight: Annotated[float, "how many attempts all of them are worth, by age and likeness"] = 0.0
    pooled: Annotated[int, "how many of the attempts were on other components"] = 0
    evidence: Annotated[
        tuple[CountedAttempt, ...], "the attempts that count, the weightiest first"
    ] = ()
    left_out: Annotated[int, "attempts that count and are not listed"] = 0


class Weighed(NamedTuple):
    """An attempt at an incident with one of its actions, and how much it says here, in [0, 1]."""

    incident: Incident
    outcome: Outcome
    action: str
    weight: float


def weighed(
    cases: Iterable[Case], context: Mapping[str, float], *, at: str | None
) -> list[Weighed]:
    """The attempts at the likest cases, weighed at the moment `at`. `context` is how like each
    incident is, by `incident_id`."""
    tried = [case for case in cases if case.outcomes and context.get(_name(case), 0) > 0]
    tried.sort(key=lambda case: (-context[_name(case)], _name(case)))
    best = context[_name(tried[0])] if tried else 1.0
    return [
        each
        for case in tried[:_LIKEST]
        for each in _attempts(case, (context[_name(case)] / best) ** _NEARNESS_POWER, at)
    ]


def weighed_alike(cases: Iterable[Case], *, at: str | None) -> list[Weighed]:
    """The attempts at the cases, all as near."""
    return [each for case in cases for each in _attempts(case, 1.0, at)]


def _name(case: Case) -> str:
    return case.incident.incident_id


def _attempts(case: Case, nearness: float, at: str | None) -> Iterable[Weighed]:
    for outcome in case.outcomes:
        known, half_lives = outcome.recorded_at or case.incident.timestamp, 1.0
        if at is not None and known is not None:
            half_lives = max(0.0, to_epoch(at) - to_epoch(known)) / _DAY_S / HALF_LIFE_DAYS
        for action in _credited(outcome):
            yield Weighed(case.incident, outcome, action, nearness * 0.5**half_lives)


def _credited(outcome: Outcome) -> tuple[str, ...]:
    """The actions an attempt's result is put down to, by name: whatever was done, calling the team
    only when nothing else was."""
    names = tuple(dict.fromkeys(map(action_name, outcome.actions_taken)))
    return tuple(name for name in names if name != HealingAction.ALERT_TEAM) or names


@dataclass(frozen=True)
class Estimate:
    """What is known of an action: the attempts that count, the weightiest first."""

    action: str
    posterior: Beta
    attempts: tuple[Weighed, ...] = ()

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(each.weight for each in self.attempts)

    def pooled(self, component: str) -> int:
        """How many of the attempts were on other components."""
        return sum(each.incident.component != component for each in self.attempts)

    def figures(self, component: str, limit: int) -> ActionFigures:
        """The figures as they are shown, with at most `limit` attempts."""
        worked = [each.outcome for each in self.attempts if each.outcome.success]
        took = [m for each in worked if (m := each.resolution_time_minutes) is not None]
        low, high = self.posterior.interval()
        return ActionFigures(
            action=self.action,
            success_rate=round(self.posterior.mean, 4),
            low=round(low, 4),
            high=round(high, 4),
            samples=len(self.attempts),
            successes=len(worked),
            minutes=median(took) if took else None,
            weight=round(self.weight, 3),
            pooled=self.pooled(component),
            evidence=tuple(map(_counted, self.attempts[:limit])),
            left_out=max(0, len(self.attempts) - limit),
        )


def estimate(action: str, tried: Sequence[Weighed], *, among_like: bool) -> Estimate:
    """What the attempts say of `action`; `among_like` says that they are those at like incidents,
    where what else ended one counts too."""
    own = [each for each in tried if each.action == action]
    own.sort(key=lambda each: (-each.weight, each.outcome.outcome_id))
    won = sum(each.weight for each in own if each.outcome.success)
    lost = sum(each.weight for each in own if not each.outcome.success)
    ended: dict[str, float] = {}
    for each in tried if among_like else ():
        if each.outcome.success:
            name = each.incident.incident_id
            ended[name] = max(ended.get(name, 0.0), each.weight)
    here = {each.incident.incident_id for each in own}
    lost += UNTRIED * sum(weight for name, weight in ended.items() if name not in here)
    return Estimate(action, Beta(1 + won, 1 + lost), tuple(own))


def _counted(attempt: Weighed) -> CountedAttempt:
    return CountedAttempt(
        incident_id=attempt.incident.incident_id,
        outcome_id=attempt.outcome.outcome_id,
        component=attempt.incident.component,
        success=attempt.outcome.success,
        weight=round(attempt.weight, 3),
        recorded_at=attempt.outcome.recorded_at,
    )
