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

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.errors import InvalidInput
from quipu.kinds.incidents.case_base import Case, CaseBase, edges_between, read_cases
from quipu.kinds.incidents.model import (
    LEAST_ALIKE,
    MOST_ALIKE,
    HealingAction,
    Incident,
    IncidentHead,
    Outcome,
    action_name,
)
from quipu.kinds.incidents.policies import ActionPolicy, PolicyMatch, Taken, actions_of, evaluate
from quipu.kinds.incidents.records import attempt_told
from quipu.ports import Graph
from quipu.records.schema import RelationType
from quipu.when.instants import to_epoch

__all__ = [
    "ActionFigures",
    "Beta",
    "Comparison",
    "Recommendation",
    "RecommendedAction",
    "Replay",
    "advise",
    "better",
    "compare",
    "replay",
    "static_advice",
]

_HALF_LIFE_S = 180 * 86_400.0
_UNTRIED_SHARE = 0.4
_THIN_WEIGHT = 2.0
_SURE_CHANCE = 0.6
_LIKEST_CASES = 16
_NEARNESS_POWER = 3
_LEAST_WEIGHT_OF_AN_ACTION = 0.5
_ATTEMPTS_SHOWN, _CASES_SHOWN = 20, 3
_RATES: NDArray[np.float64] = (np.arange(4096, dtype=np.float64) + 0.5) / 4096
"""The success rates, evenly spaced, for which a posterior is worked out."""
_NO_POLICY = "no policy applies to these numbers"
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


class Beta(NamedTuple):
    """What is known of a success rate, as a Beta distribution; `a` and `b` are at least 1, and
    Beta(1, 1) knows nothing."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected success rate."""
        return self.a / (self.a + self.b)

    def chances(self) -> NDArray[np.float64]:
        """The probability of each of `_RATES`."""
        logs = (self.a - 1) * np.log(_RATES) + (self.b - 1) * np.log1p(-_RATES)
        density = np.exp(logs - logs.max())
        return density / density.sum()

    def interval(self) -> tuple[float, float]:
        """The equal-tailed credible interval that holds 90 % of the probability."""
        below = np.cumsum(self.chances())
        low, high = (int(np.searchsorted(below, part)) for part in (0.05, 0.95))
        return float(_RATES[low]), float(_RATES[high])


def better(first: Beta, second: Beta) -> float:
    """Return the probability that the first rate is the greater one, the two being independent."""
    behind = second.chances()
    return float(first.chances() @ (np.cumsum(behind) - behind / 2))


class Attempt(NamedTuple):
    """An attempt at an incident with one of its actions, and how much it says here, in [0, 1]."""

    incident: Incident
    outcome: Outcome
    action: str
    weight: float


def _weigh(
    cases: Iterable[Case], likeness: Mapping[str, float] | None, *, at: str | None
) -> list[Attempt]:
    """Return the attempts at the likest cases, weighed at the moment `at`. `likeness` is how like
    each incident is, by `incident_id`; without it all cases are as like."""
    if likeness is None:
        near = {case.name: 1.0 for case in cases}
    else:
        tried = [c for c in cases if c.outcomes and likeness.get(c.name, 0) > 0]
        cases = sorted(tried, key=lambda case: (-likeness[case.name], case.name))[:_LIKEST_CASES]
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
    return 0.5 ** (max(0.0, to_epoch(at) - to_epoch(known)) / _HALF_LIFE_S)


def _credited(outcome: Outcome) -> tuple[str, ...]:
    """The actions that an attempt's result is put down to, by name."""
    names = tuple(dict.fromkeys(map(action_name, outcome.actions_taken)))
    return tuple(name for name in names if name != HealingAction.ALERT_TEAM) or names


class Estimate(NamedTuple):
    """What is known of an action: the attempts that count, the weightiest first."""

    action: str
    posterior: Beta
    attempts: tuple[Attempt, ...]

    @property
    def weight(self) -> float:
        """How many attempts all of them are worth."""
        return sum(attempt.weight for attempt in self.attempts)

    def figures(self, component: str) -> ActionFigures:
        """Return the figures as they are shown for an incident on `component`."""
        worked = [a.outcome for a in self.attempts if a.outcome.success]
        took = [m for o in worked if (m := o.resolution_time_minutes) is not None]
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
            pooled=sum(attempt.incident.component != component for attempt in self.attempts),
            evidence=tuple(
                CountedAttempt(
                    incident_id=attempt.incident.incident_id,
                    outcome_id=attempt.outcome.outcome_id,
                    component=attempt.incident.component,
                    success=attempt.outcome.success,
                    weight=round(attempt.weight, 3),
                    recorded_at=attempt.outcome.recorded_at,
                )
                for attempt in self.attempts[:_ATTEMPTS_SHOWN]
            ),
            left_out=max(0, len(self.attempts) - _ATTEMPTS_SHOWN),
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
        lost += _UNTRIED_SHARE * sum(_by_incident(ended).values())
    return Estimate(action, Beta(1 + won, 1 + lost), tuple(own))


def _by_incident(attempts: Iterable[Attempt]) -> dict[str, float]:
    """The weight of the weightiest attempt at each incident, the weightiest incident first."""
    weights: dict[str, float] = {}
    for attempt in attempts:
        name = attempt.incident.incident_id
        weights[name] = max(weights.get(name, 0.0), attempt.weight)
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0])))


def _taken_on(cases: Iterable[Case]) -> list[Taken]:
    """Return what was done in the cases of one component, and when it was begun."""
    outcomes = (outcome for case in cases for outcome in case.outcomes)
    return [
        Taken(to_epoch(o.recorded_at) - 60 * (o.resolution_time_minutes or 0), o.actions_taken)
        for o in outcomes
        if o.recorded_at is not None
    ]


def static_advice(
    incident: Incident, case_base: CaseBase, policies: Sequence[ActionPolicy], *, at: str | None
) -> Recommendation:
    """Return what the policies alone advise; of the past only when they were followed counts."""
    taken = _taken_on(case_base.of(incident.component))
    matches = evaluate(policies, incident.metrics, at=at, taken=taken)
    actions = actions_of(matches)
    resting = ", ".join(f"{match.policy} until {match.until}" for match in matches)
    nothing = f"every policy that applies is at rest: {resting}" if resting else _NO_POLICY
    return Recommendation(
        component=incident.component,
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
    static = actions_of(advice.policies)
    tried = _weigh(case_base.cases, context, at=at)
    order, known, thin = _decide(static, tried)
    if context and not order:
        order = [HealingAction.ALERT_TEAM]
    first = next((known[a] for a in static if a not in _NOT_HEALING), None)
    shown = (_shown(known[a], incident.component, advice.policies, first) for a in order)
    return msgspec.structs.replace(
        advice,
        basis="static" if thin and (static or not tried) else "learned",
        actions=tuple(shown),
        cases=tuple(_by_incident(tried)),
        alike=tuple(_likest(case_base, context)),
        notes=(
            *(() if order and tried else advice.notes),
            *_reasons(order, static, known, context, thin=thin),
        ),
    )


def _likest(case_base: CaseBase, context: Mapping[str, float]) -> Iterator[LikeCase]:
    cases = {case.name: case for case in case_base.cases if case.name in context}
    for name in sorted(cases, key=lambda name: (-context[name], name))[:_CASES_SHOWN]:
        tried = [(" + ".join(o.actions_taken), o) for o in cases[name].outcomes]
        said = tuple(attempt_told(actions, outcome) for actions, outcome in tried)
        yield LikeCase(**cases[name].incident.head, score=context[name], tried=said)


def _decide(
    static: Sequence[str], tried: Sequence[Attempt]
) -> tuple[Sequence[str], dict[str, Estimate], bool]:
    """The actions of the policies and those that were tried in the order they are advised, what is
    known of each, and whether too little counts to depart from the policies.

    Each action with evidence moves ahead of the first that it surely beats. One that no policy
    advises is listed when it beats one that is; where there is none, when it works more often than
    not, and else when it worked at all in a like case.
    """
    names = sorted({*map(str, HealingAction), *(attempt.action for attempt in tried)})
    known = {action: _estimate(action, tried, among_like=True) for action in names}
    healing = [a for a in names if known[a].attempts and a != HealingAction.ALERT_TEAM]
    by_rate = sorted(healing, key=lambda a: (-known[a].posterior.mean, a))
    solid = [a for a in by_rate if known[a].weight >= _LEAST_WEIGHT_OF_AN_ACTION]
    thin = sum(known[action].weight for action in solid) < _THIN_WEIGHT
    if not static:
        order = [] if thin else [a for a in solid if known[a].posterior.mean >= 1 / 2]
        worked = [a for a in by_rate if any(t.outcome.success for t in known[a].attempts)]
        return order or worked or [HealingAction.ALERT_TEAM] * bool(tried), known, thin
    order = list(static)
    for action in [] if thin else solid:
        beaten = (at for at, other in enumerate(order) if _beats(known, action, other))
        place = next(beaten, None)
        if place is not None and action not in order[:place]:
            rest = [other for other in order[place:] if other != action]
            order = [*order[:place], action, *rest]
    return order, known, thin


def _beats(known: Mapping[str, Estimate], one: str, other: str) -> bool:
    if other == HealingAction.ALERT_TEAM or one == other:
        return False
    return better(known[one].posterior, known[other].posterior) >= _SURE_CHANCE


def _first_healing(actions: Sequence[str]) -> str | None:
    """Return the first action that changes something; the first where none does."""
    return next((a for a in actions if a not in _NOT_HEALING), actions[0] if actions else None)


def _shown(
    known: Estimate, component: str, matches: Sequence[PolicyMatch], first: Estimate | None
) -> RecommendedAction:
    policies = _by(matches, known.action)
    origin: Literal["policy", "learned"] = "policy" if policies else "learned"
    if not known.attempts:
        return RecommendedAction(action=known.action, origin=origin, policies=policies)
    ahead = first is not None and first.action != known.action
    return RecommendedAction(
        **msgspec.structs.asdict(known.figures(component)),
        origin=origin,
        policies=policies,
        better=round(better(known.posterior, first.posterior), 4) if first and ahead else None,
        against=(*_against(known), *_resting(known.action, matches)),
    )


def _against(known: Estimate) -> Iterator[str]:
    """What argues against an action, in words."""
    failed = [attempt for attempt in known.attempts if not attempt.outcome.success]
    if failed:
        last = max(failed, key=lambda a: (a.outcome.recorded_at or "", a.outcome.outcome_id))
        on = f", last on {day[:10]}" if (day := last.outcome.recorded_at) else ""
        where = f"({last.incident.component}, {last.outcome.outcome_id})"
        yield f"did not work in {len(failed)} of {len(known.attempts)} attempts{on} {where}"
        if lesson := last.outcome.lessons_learned:
            yield f"lesson: {lesson}"


def _resting(action: str, matches: Sequence[PolicyMatch]) -> Iterator[str]:
    for match in matches:
        if match.state != "applies" and action in match.actions:
            why = match.state.replace("_", " ")
            yield f"policy {match.policy} rests ({why}) until {match.until}"


def _reasons(
    order: Sequence[str],
    static: Sequence[str],
    known: Mapping[str, Estimate],
    context: Mapping[str, float],
    *,
    thin: bool,
) -> Iterator[str]:
    """Why the order is as it is."""
    tried = [estimate for estimate in known.values() if estimate.attempts]
    first = _first_healing(static)
    if context and not tried and not static:
        yield "nobody recorded what was tried at the like cases: call the team"
    elif first and order[0] != first:
        sure = better(known[order[0]].posterior, known[first].posterior)
        yield (
            f"{order[0]} is ahead of {first}, which the static policy names first: it works more "
            f"often with probability {sure:.2f}"
        )
    if (likest := max(context.values(), default=1.0)) < LEAST_ALIKE:
        yield f"nothing here is much like it: the likest incident has a score of {likest:g}"
    if thin:
        most = max((estimate.weight for estimate in tried), default=0.0)
        done = "the static policy" if static else "what was done then" if tried else ""
        rests = f"; this is {done}" if done else ""
        yield (
            f"thin evidence: no action has attempts worth {_THIN_WEIGHT:g} (the most has "
            f"{most:.1f}){rests}"
        )


def _by(matches: Sequence[PolicyMatch], action: str) -> tuple[str, ...]:
    speaking = (match for match in matches if match.state == "applies")
    return tuple(match.policy for match in speaking if action in match.actions)


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
    tried = _weigh(cases, context, at=at)
    one, other = (
        _estimate(action_name(written), tried, among_like=context is not None)
        for written in (first, second)
    )
    notes = [
        f"thin evidence for {each.action}: attempts worth {each.weight:.1f}, less than "
        f"{_THIN_WEIGHT:g}"
        for each in (one, other)
        if each.weight < _THIN_WEIGHT
    ]
    return Comparison(
        component=component,
        at=at,
        first=one.figures(component),
        second=other.figures(component),
        better=round(better(one.posterior, other.posterior), 4),
        notes=tuple(notes),
    )


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """One incident: what the static policy and the memory of that moment advised first, and
    what was done."""

    incident_id: Annotated[str, "the incident: a hash of its component and time window"]
    component: Annotated[str, "its component"]
    at: Annotated[str, "the moment of the advice"]
    static: Annotated[str | None, "what the action policies name first, or null"]
    advised: Annotated[str | None, "what the memory of that moment names first, or null"]
    differs: Annotated[bool, "whether the two differ"]
    known_incidents: Annotated[int, "how many other incidents were known then"]
    taken: Annotated[tuple[str, ...], "what was done first"]
    success: Annotated[bool | None, "whether that worked; null when nothing was recorded"]


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """Every incident by time, and what it comes to."""

    incidents: Annotated[int, "how many were replayed"]
    differs: Annotated[int, "for how many the memory would have advised another first action"]
    followed: Annotated[int, "how many first attempts did what is advised"]
    worked_when_followed: Annotated[float | None, "the share of those that worked, or null"]
    worked_otherwise: Annotated[float | None, "the share of the others that worked, or null"]
    skipped: Annotated[int, "incidents without a known time"]
    rows: Annotated[tuple[Replayed, ...], "each incident, the earliest first"]


def replay(graph: Graph, policies: Sequence[ActionPolicy]) -> Replay:
    """Advise on every incident from what was known at its moment; the recorded outcomes are only
    compared.

    An incident is known from its own time, an outcome from when it was recorded, so a history that
    was imported later replays as it happened. Nothing that came later is let in.
    """
    cases = {case.name: case for case in read_cases(graph).cases}
    similar: dict[str, dict[str, float]] = {}
    for edge in edges_between(graph, list(cases), kinds=(RelationType.SIMILAR_TO,)):
        if edge.target_id in cases:
            similar.setdefault(edge.source_id, {})[edge.target_id] = edge.confidence
    on: dict[str, list[Case]] = {}
    for case in cases.values():
        on.setdefault(case.incident.component, []).append(case)
    dated = [(moment, case) for case in cases.values() if (moment := case.incident.timestamp)]
    moments = [moment for moment, _ in dated]
    rows: list[Replayed] = []
    for moment, case in dated:
        like = similar.get(case.name, {})
        near = sorted(like, key=lambda name: (-like[name], name))
        past = CaseBase(cases=tuple(cases[name] for name in near)).before(moment)
        here = CaseBase(cases=tuple(on[case.incident.component])).before(moment)
        taken = _taken_on(here.cases)
        policy = actions_of(evaluate(policies, case.incident.metrics, at=moment, taken=taken))
        order, _, _ = _decide(policy, _weigh(past.cases[:MOST_ALIKE], like, at=moment))
        static, advised = _first_healing(policy), _first_healing(order)
        attempt = case.outcomes[0] if case.outcomes else None
        rows.append(
            Replayed(
                incident_id=case.name,
                component=case.incident.component,
                at=moment,
                static=static,
                advised=advised,
                differs=static != advised,
                known_incidents=bisect_left(moments, moment),
                taken=attempt.actions_taken if attempt else (),
                success=attempt.success if attempt else None,
            )
        )
    tried = [row for row in rows if row.success is not None and row.advised is not None]
    followed = [row for row in tried if row.advised in [*map(action_name, row.taken)]]
    return Replay(
        incidents=len(rows),
        differs=sum(row.differs for row in rows),
        followed=len(followed),
        worked_when_followed=_share(followed),
        worked_otherwise=_share([row for row in tried if row not in followed]),
        skipped=len(cases) - len(rows),
        rows=tuple(rows),
    )


def _share(rows: Sequence[Replayed]) -> float | None:
    return round(sum(bool(row.success) for row in rows) / len(rows), 4) if rows else None
