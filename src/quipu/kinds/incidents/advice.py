"""What to try against an incident: the action policies, and what like cases say for and against.

Advice only: nothing is ever run. How often an action works is a Beta posterior over the attempts
at the 16 likest incidents that something was tried at:

    weight of an attempt = ½^(age / 180 days) · (likeness / likeness of the likest)³
    posterior            = Beta(1 + weighted successes, 1 + weighted failures + .4·w)

w is what those cases weigh that something else ended and where nobody tried this action. An attempt
of unknown age is one half-life old. Every action of an attempt gets its result, calling the team
only when it was the only one.

The order of the policies stands until attempts worth 2 count: then an action moves ahead of another
that it beats with a probability of .6. Where no policy applies and less counts, what worked in the
likest cases is named, and the evidence is called thin.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Literal, NamedTuple

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.beta import Beta, better
from quipu.kinds.incidents.case_base import Case, CaseBase
from quipu.kinds.incidents.links import LEAST_ALIKE
from quipu.kinds.incidents.model import (
    HealingAction,
    Incident,
    IncidentHead,
    Outcome,
    action_name,
)
from quipu.kinds.incidents.policies import (
    ActionPolicy,
    Execution,
    PolicyMatch,
    actions_of,
    evaluate,
    executed,
)
from quipu.kinds.incidents.records import attempt_told
from quipu.when.instants import from_epoch, to_epoch

__all__ = [
    "HALF_LIFE_DAYS",
    "SURE",
    "THIN",
    "UNTRIED",
    "ActionFigures",
    "Comparison",
    "Recommendation",
    "RecommendedAction",
    "advise",
    "compare",
    "decide",
    "executions",
    "first_healing",
    "static_advice",
    "weigh",
]

HALF_LIFE_DAYS = 180.0
UNTRIED = 0.4
THIN = 2.0
SURE = 0.6
_LIKEST_CASES = 16
_NEARNESS_POWER = 3
_LEAST_WEIGHT_OF_AN_ACTION = 0.5
_SHOWN, _COMPARED, _TALLIED, _ALIKE = 10, 20, 5, 3
_DAY_S = 86_400.0
_NOT_HEALING = frozenset({HealingAction.ALERT_TEAM, HealingAction.NO_ACTION})


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


class RecommendedAction(ActionFigures, frozen=True, kw_only=True):
    """One action, what it rests on and what argues against it."""

    origin: Annotated[
        Literal["policy", "learned"], "`policy`, or `learned` when no policy that applies names it"
    ]
    policies: Annotated[tuple[str, ...], "the policies that name it"]
    better: Annotated[
        float | None, "the probability that it beats the static policy's first action, or null"
    ] = None
    against: Annotated[tuple[str, ...], "what argues against it"] = ()


class LikeCase(IncidentHead, frozen=True, kw_only=True):
    """An incident that is alike, and what came of what was tried."""

    score: Annotated[float, "how like it is"]
    tried: Annotated[tuple[str, ...], "what was tried, the earliest first, and whether it worked"]


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """What to try. `learned`: the past changed the order or the choice of the static policies, or
    had enough to say about it."""

    component: Annotated[str, "the component it is for"]
    at: Annotated[str | None, "the moment it speaks of"]
    basis: Annotated[
        Literal["static", "learned"], "whether past outcomes took part or the policies speak alone"
    ]
    actions: Annotated[tuple[RecommendedAction, ...], "what to try, the best first"]
    policies: Annotated[tuple[PolicyMatch, ...], "the action policies whose conditions hold"]
    cases: Annotated[tuple[str, ...], "the incidents that it rests on, the likest first"] = ()
    alike: Annotated[tuple[LikeCase, ...], "the three likest incidents"] = ()
    notes: Annotated[tuple[str, ...], "why the order is as it is; thin evidence is told here"] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`better` is the probability that the first action works more often than the second."""

    component: Annotated[str, "the component"]
    at: Annotated[str | None, "the moment it speaks of"]
    first: Annotated[ActionFigures, "the first action"]
    second: Annotated[ActionFigures, "the second action"]
    better: Annotated[float, "the probability that the first works more often than the second"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


class Attempt(NamedTuple):
    """An attempt at an incident with one of its actions, and how much it says here, in [0, 1]."""

    incident: Incident
    outcome: Outcome
    action: str
    weight: float


def weigh(
    cases: Iterable[Case], likeness: Mapping[str, float] | None, *, at: str | None
) -> list[Attempt]:
    """Return the attempts at the likest cases, weighed at the moment `at`. `likeness` is how like
    each incident is, by `incident_id`; without it all cases are as like."""
    if likeness is None:
        near = {case.name: 1.0 for case in cases}
    else:
        tried = [c for c in cases if c.outcomes and likeness.get(c.name, 0) > 0]
        tried.sort(key=lambda case: (-likeness[case.name], case.name))
        cases = tried[:_LIKEST_CASES]
        best = likeness[cases[0].name] if cases else 1.0
        near = {case.name: (likeness[case.name] / best) ** _NEARNESS_POWER for case in cases}
    return [
        Attempt(case.incident, outcome, action, near[case.name] * _freshness(case, outcome, at))
        for case in cases
        for outcome in case.outcomes
        for action in _credited(outcome)
    ]


def _freshness(case: Case, outcome: Outcome, at: str | None) -> float:
    known = outcome.recorded_at or case.incident.timestamp
    if at is None or known is None:
        return 0.5
    return 0.5 ** (max(0.0, to_epoch(at) - to_epoch(known)) / _DAY_S / HALF_LIFE_DAYS)


def _credited(outcome: Outcome) -> tuple[str, ...]:
    """The actions that an attempt's result is put down to, by name."""
    names = tuple(dict.fromkeys(map(action_name, outcome.actions_taken)))
    return tuple(name for name in names if name != HealingAction.ALERT_TEAM) or names


@dataclass(frozen=True)
class Estimate:
    """What is known of an action: the attempts that count, the weightiest first."""

    action: str
    posterior: Beta
    attempts: tuple[Attempt, ...] = ()

    @property
    def rate(self) -> float:
        """The expected success rate."""
        return self.posterior.mean

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(attempt.weight for attempt in self.attempts)

    def pooled(self, component: str) -> int:
        """How many of the attempts were on other components."""
        return sum(attempt.incident.component != component for attempt in self.attempts)

    def figures(self, component: str, limit: int) -> ActionFigures:
        """Return the figures as they are shown, with at most `limit` attempts."""
        worked = [a.outcome for a in self.attempts if a.outcome.success]
        took = [m for o in worked if (m := o.resolution_time_minutes) is not None]
        low, high = self.posterior.interval()
        return ActionFigures(
            action=self.action,
            success_rate=round(self.rate, 4),
            low=round(low, 4),
            high=round(high, 4),
            samples=len(self.attempts),
            successes=len(worked),
            minutes=median(took) if took else None,
            weight=round(self.weight, 3),
            pooled=self.pooled(component),
            evidence=tuple(
                CountedAttempt(
                    incident_id=attempt.incident.incident_id,
                    outcome_id=attempt.outcome.outcome_id,
                    component=attempt.incident.component,
                    success=attempt.outcome.success,
                    weight=round(attempt.weight, 3),
                    recorded_at=attempt.outcome.recorded_at,
                )
                for attempt in self.attempts[:limit]
            ),
            left_out=max(0, len(self.attempts) - limit),
        )


def _estimate(action: str, tried: Sequence[Attempt], *, among_like: bool) -> Estimate:
    """What the attempts say of `action`; `among_like` says that they are those at like incidents,
    where what else ended one counts too."""
    own = [attempt for attempt in tried if attempt.action == action]
    own.sort(key=lambda attempt: (-attempt.weight, attempt.outcome.outcome_id))
    won = sum(attempt.weight for attempt in own if attempt.outcome.success)
    lost = sum(attempt.weight for attempt in own if not attempt.outcome.success)
    if among_like:
        here = {attempt.incident.incident_id for attempt in own}
        ended = [a for a in tried if a.outcome.success and a.incident.incident_id not in here]
        lost += UNTRIED * sum(_by_incident(ended).values())
    return Estimate(action, Beta(1 + won, 1 + lost), tuple(own))


def _by_incident(attempts: Iterable[Attempt]) -> dict[str, float]:
    """The weight of the weightiest attempt at each incident, the weightiest incident first."""
    weights: dict[str, float] = {}
    for attempt in attempts:
        name = attempt.incident.incident_id
        weights[name] = max(weights.get(name, 0.0), attempt.weight)
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0])))


def executions(
    component: str, outcomes: Iterable[Outcome], policies: Sequence[ActionPolicy]
) -> list[Execution]:
    """Return when each policy's actions were taken on a component, by what the outcomes say."""
    found: list[Execution] = []
    for outcome in outcomes:
        if outcome.recorded_at is not None:
            began = to_epoch(outcome.recorded_at) - 60 * (outcome.resolution_time_minutes or 0)
            done = (policy for policy in policies if executed(policy, outcome.actions_taken))
            found += [Execution(policy.name, component, from_epoch(began)) for policy in done]
    return found


def static_advice(
    incident: Incident, case_base: CaseBase, policies: Sequence[ActionPolicy], *, at: str | None
) -> Recommendation:
    """Return what the policies alone advise; of the past only when they were executed counts."""
    component = incident.component
    outcomes = (outcome for case in case_base.of(component) for outcome in case.outcomes)
    runs = executions(component, outcomes, policies)
    matches = evaluate(policies, component, incident.metrics, at=at, executions=runs)
    actions = actions_of(matches)
    nothing = "no policy applies to these numbers"
    if matches and not actions:
        resting = ", ".join(f"{m.policy} until {m.until}" for m in matches)
        nothing = f"every policy that applies is at rest: {resting}"
    return Recommendation(
        component=component,
        at=at,
        basis="static",
        actions=tuple(
            RecommendedAction(action=name, origin="policy", policies=_by(matches, name))
            for name in actions
        ),
        policies=matches,
        notes=() if actions else (nothing,),
    )


def advise(
    incident: Incident,
    case_base: CaseBase,
    policies: Sequence[ActionPolicy],
    *,
    at: str | None,
    context: Mapping[str, float],
) -> Recommendation:
    """Return what to try against `incident` at the moment `at`, from the policies and the cases.

    `context` is what retrieval found alike, by `incident_id` (`SimilarIncidents.weights`). Where
    there is any such case there is an action.
    """
    advice = static_advice(incident, case_base, policies, at=at)
    static, component = actions_of(advice.policies), incident.component
    tried = weigh(case_base.cases, context, at=at)
    choice = decide(static, tried)
    order, known = choice.order, choice.known
    notes: list[str] = []
    if tried:
        notes = [_tally(known.values(), component)]
        notes += [] if choice.thin else [_reason(order, static, known)]
    elif context and not order:
        order = [HealingAction.ALERT_TEAM]
        notes = ["nobody recorded what was tried at the like cases: call the team"]
    likest = max(context.values(), default=1.0)
    if likest < LEAST_ALIKE:
        notes.append(f"nothing here is much like it: the likest incident has a score of {likest:g}")
    if choice.thin:
        most = max((action.weight for action in known.values()), default=0.0)
        recorded = sum(len(case.outcomes) for case in case_base.cases)
        what = "; this is what was done then" if tried else ""
        what = "; this is the static policy" if static else what
        notes.append(
            f"thin evidence: no action has attempts worth {THIN:g} (the most has {most:.1f}, of "
            f"{recorded} recorded){what}"
        )
    first = next((known[a] for a in static if a not in _NOT_HEALING), None)
    shown = (_shown(known[a], component, advice.policies, first) for a in order)
    return msgspec.structs.replace(
        advice,
        basis="static" if choice.thin and (static or not tried) else "learned",
        actions=tuple(shown),
        cases=tuple(_by_incident(tried))[:_SHOWN],
        alike=tuple(_likest(case_base, context)),
        notes=(*(() if order and tried else advice.notes), *notes),
    )


def _likest(case_base: CaseBase, context: Mapping[str, float]) -> Iterator[LikeCase]:
    cases = {case.name: case for case in case_base.cases if case.name in context}
    for name in sorted(cases, key=lambda name: (-context[name], name))[:_ALIKE]:
        tried = [(" + ".join(o.actions_taken), o) for o in cases[name].outcomes]
        said = tuple(attempt_told(actions, outcome) for actions, outcome in tried)
        yield LikeCase(**cases[name].incident.head, score=context[name], tried=said)


class Choice(NamedTuple):
    """The actions in the order they are advised, what is known of each, and whether less than
    `THIN` counts."""

    order: Sequence[str]
    known: dict[str, Estimate]
    thin: bool


def decide(static: Sequence[str], tried: Sequence[Attempt]) -> Choice:
    """Order the actions of the policies and those that were tried by what is known of them.

    Each action with evidence moves ahead of the first that it surely beats. One that no policy
    advises is listed when it beats one that is; where there is none, when it works more often than
    not, and else when it worked at all in a like case.
    """
    names = sorted({*map(str, HealingAction), *(attempt.action for attempt in tried)})
    known = {action: _estimate(action, tried, among_like=True) for action in names}
    healing = [a for a in names if known[a].attempts and a != HealingAction.ALERT_TEAM]
    by_rate = sorted(healing, key=lambda a: (-known[a].rate, a))
    solid = [a for a in by_rate if known[a].weight >= _LEAST_WEIGHT_OF_AN_ACTION]
    thin = sum(known[action].weight for action in solid) < THIN
    if not static:
        order = [] if thin else [a for a in solid if known[a].rate >= 1 / 2]
        worked = [a for a in by_rate if any(t.outcome.success for t in known[a].attempts)]
        return Choice(order or worked or [HealingAction.ALERT_TEAM] * bool(tried), known, thin)
    order = list(static)
    for action in [] if thin else solid:
        beaten = (at for at, other in enumerate(order) if _beats(known, action, other))
        place = next(beaten, None)
        if place is not None and action not in order[:place]:
            rest = [other for other in order[place:] if other != action]
            order = [*order[:place], action, *rest]
    return Choice(order, known, thin)


def _beats(known: Mapping[str, Estimate], one: str, other: str) -> bool:
    if other == HealingAction.ALERT_TEAM or one == other:
        return False
    return better(known[one].posterior, known[other].posterior) >= SURE


def first_healing(actions: Sequence[str]) -> str | None:
    """Return the first action that changes something; the first where none does."""
    return next((a for a in actions if a not in _NOT_HEALING), actions[0] if actions else None)


def _shown(
    known: Estimate, component: str, matches: Sequence[PolicyMatch], first: Estimate | None
) -> RecommendedAction:
    policies = _by(matches, known.action)
    figures: dict[str, object] = {"action": known.action}
    if known.attempts:
        figures = msgspec.structs.asdict(known.figures(component, _SHOWN))
        figures["against"] = tuple(_against(known, component, matches))
        if first is not None and first.action != known.action:
            figures["better"] = round(better(known.posterior, first.posterior), 4)
    origin = "policy" if policies else "learned"
    return RecommendedAction(origin=origin, policies=policies, **figures)  # type: ignore[arg-type]


def _against(known: Estimate, component: str, matches: Sequence[PolicyMatch]) -> Iterator[str]:
    """What argues against an action, in words."""
    tried = len(known.attempts)
    failed = [attempt for attempt in known.attempts if not attempt.outcome.success]
    if failed:
        last = max(failed, key=lambda a: (a.outcome.recorded_at or "", a.outcome.outcome_id))
        on = f", last on {day[:10]}" if (day := last.outcome.recorded_at) else ""
        where = f"({last.incident.component}, {last.outcome.outcome_id})"
        yield f"did not work in {len(failed)} of {tried} attempts{on} {where}"
        if lesson := last.outcome.lessons_learned:
            yield f"lesson: {lesson}"
    if known.weight < THIN:
        yield f"thin evidence: attempts worth {known.weight:.1f}"
    if pooled := known.pooled(component):
        yield f"{pooled} of {tried} attempts were on other components"
    for match in matches:
        if match.state != "applies" and known.action in match.actions:
            resting = match.state.replace("_", " ")
            yield f"policy {match.policy} rests ({resting}) until {match.until}"


def _reason(order: Sequence[str], static: Sequence[str], known: Mapping[str, Estimate]) -> str:
    first = first_healing(static)
    if first is None:
        return "no policy applies; this rests on past outcomes alone"
    if order[0] == first:
        return "the past gives no strong reason to depart from the static policy's first action"
    sure = better(known[order[0]].posterior, known[first].posterior)
    return (
        f"{order[0]} is ahead of {first}, which the static policy names first: it works more often "
        f"with probability {sure:.2f}"
    )


def _tally(known: Iterable[Estimate], component: str) -> str:
    """How often each action that was tried worked in the cases that count, the best first."""
    tried = [action for action in known if action.attempts]
    tried.sort(key=lambda e: (-e.rate, -len(e.attempts), e.action))
    cases = len(_by_incident(attempt for action in tried for attempt in action.attempts))
    said: list[str] = []
    for figures in (action.figures(component, 0) for action in tried[:_TALLIED]):
        took = "" if figures.minutes is None else f", median {figures.minutes:g} min"
        said.append(f"{figures.action} {figures.successes} of {figures.samples}{took}")
    if len(tried) > _TALLIED:
        said.append(f"{len(tried) - _TALLIED} others, less likely to work")
    return f"{cases} like case{'' if cases == 1 else 's'}: {'; '.join(said)}"


def _by(matches: Sequence[PolicyMatch], action: str) -> tuple[str, ...]:
    return tuple(m.policy for m in matches if m.state == "applies" and action in m.actions)


def compare(
    case_base: CaseBase,
    component: str,
    first: str,
    second: str,
    *,
    at: str | None,
    context: Mapping[str, float] | None = None,
) -> Comparison:
    """Set two actions side by side, weighed as `advise` does with the same `context`; without one
    over everything that befell the component. InvalidInput for an action that no policy knows and
    nobody took."""
    taken = {action_name(a) for c in case_base.cases for o in c.outcomes for a in o.actions_taken}
    known = {*map(str, HealingAction), *taken}
    for written in (first, second):
        if action_name(written) not in known:
            raise InvalidInput(
                f"action {written!r} is unknown: use one of {', '.join(sorted(known))}"
            )
    cases = case_base.of(component) if context is None else case_base.cases
    tried = weigh(cases, context, at=at)
    one, other = (
        _estimate(action_name(written), tried, among_like=context is not None)
        for written in (first, second)
    )
    notes = [
        f"thin evidence for {known.action}: attempts worth {known.weight:.1f}, less than {THIN:g}"
        for known in (one, other)
        if known.weight < THIN
    ]
    if one.pooled(component) or other.pooled(component):
        notes.append("attempts on other components are pooled in")
    return Comparison(
        component=component,
        at=at,
        first=one.figures(component, _COMPARED),
        second=other.figures(component, _COMPARED),
        better=round(better(one.posterior, other.posterior), 4),
        notes=tuple(notes),
    )
