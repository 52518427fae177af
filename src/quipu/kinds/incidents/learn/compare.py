"""Two actions side by side: how often each works, and how sure it is that one is better."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.beta import better
from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.learn.advise import THIN
from quipu.kinds.incidents.learn.attempts import Attempts
from quipu.kinds.incidents.learn.effectiveness import (
    CountedAttempt,
    Estimate,
    estimate,
    weighed,
    weighed_on,
)
from quipu.kinds.incidents.model import HealingAction, Incident, action_name

__all__ = ["Arm", "Comparison", "compare"]

_SHOWN = 20


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One action: the mean success rate and its 90 % interval, and what they rest on."""

    action: Annotated[str, "the action"]
    success_rate: Annotated[float, "the mean of the posterior of its success rate"]
    low: Annotated[float, "the lower end of its 90 % interval"]
    high: Annotated[float, "the upper end of its 90 % interval"]
    samples: Annotated[int, "how many past attempts count"]
    successes: Annotated[int, "how many of them worked"]
    weight: Annotated[float, "how many attempts all of them are worth, by age and likeness"]
    pooled: Annotated[int, "how many of the attempts were on other components"]
    evidence: Annotated[tuple[CountedAttempt, ...], "the attempts that count, the weightiest first"]
    left_out: Annotated[int, "attempts that count and are not listed"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`better` is the probability that the first action works more often than the second."""

    component: Annotated[str, "the component"]
    at: Annotated[str | None, "the moment it speaks of"]
    first: Annotated[Arm, "the first action"]
    second: Annotated[Arm, "the second action"]
    better: Annotated[float, "the probability that the first works more often than the second"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def compare(
    case_base: CaseBase,
    subject: Incident | str,
    first: str,
    second: str,
    *,
    at: str | None,
    context: Mapping[str, float] | None = None,
) -> Comparison:
    """Both actions for an incident, weighed as `advise` does with the same `context`; or, for a
    component, over everything that befell it. InvalidInput for an action that no policy knows and
    nobody took."""
    attempts = Attempts(case_base)
    if isinstance(subject, str):
        component, tried = subject, weighed_on(attempts, subject, at=at)
    else:
        component = subject.component
        tried = weighed(attempts, subject, at=at, context=context or {})
    known = {*map(str, HealingAction), *attempts.names}
    for written in (first, second):
        if action_name(written) not in known:
            raise InvalidInput(
                f"action {written!r} is unknown: use one of {', '.join(sorted(known))}"
            )
    one, other = (estimate(action_name(each), tried) for each in (first, second))
    arms = _arm(one), _arm(other)
    notes = [
        f"thin evidence for {each.action}: attempts worth {each.weight:.1f}, less than {THIN:g}"
        for each in arms
        if each.weight < THIN
    ]
    if any(each.pooled for each in arms):
        notes.append("attempts on other components are pooled in, at a lower weight")
    return Comparison(
        component=component,
        at=at,
        first=arms[0],
        second=arms[1],
        better=round(better(one.posterior, other.posterior), 4),
        notes=tuple(notes),
    )


def _arm(known: Estimate) -> Arm:
    return Arm(
        action=known.action,
        **known.figures._asdict(),
        evidence=known.evidence(_SHOWN),
        left_out=max(0, len(known.rows) - _SHOWN),
    )
