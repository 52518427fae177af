"""Recommended actions: the static policies, and what the past says for and against them.

Advice only: nothing is ever run. The static order stands until there is evidence: where attempts
worth at least 2 count, an action moves ahead of another when the probability that it works more
often is at least .6. Where less counts, the advice is the static policy's, and says so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.learn.beta import better
from quipu.kinds.incidents.learn.effectiveness import (
    ActionFigures,
    Estimate,
    Weighed,
    estimate,
    weighed,
    weighed_alike,
)
from quipu.kinds.incidents.model import HealingAction, Incident, Outcome, action_name
from quipu.kinds.incidents.policies import (
    ActionPolicy,
    Execution,
    PolicyMatch,
    actions_of,
    evaluate,
    executed,
)
from quipu.when.instants import from_epoch, to_epoch

__all__ = [
    "SURE",
    "THIN",
    "Comparison",
    "Recommendation",
    "RecommendedAction",
    "advise",
    "compare",
    "decide",
    "executions",
    "first_healing",
    "static_advice",
]

THIN = 2.0
SURE = 0.6
_LEAST_WEIGHT = 0.5
_SHOWN, _COMPARED, _TALLIED = 10, 20, 5
_NOT_HEALING = frozenset({HealingAction.ALERT_TEAM, HealingAction.NO_ACTION})


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
    notes: Annotated[tuple[str, ...], "why the order is as it is; thin evidence is told here"] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`better` is the probability that the first action works more often than the second."""

    component: Annotated[str, "the component"]
    at: Annotated[str | None, "the moment it speaks of"]
    first: Annotated[ActionFigures, "the first action"]
    second: Annotated[ActionFigures, "the second action"]
    better: Annotated[float, "the probability that the first works more often than the second"]
    notes: Annotated[tuple[str, ...], "what should be known about the result"]


def executions(
    component: str, outcomes: Iterable[Outcome], policies: Sequence[ActionPolicy]
) -> list[Execution]:
    """When each policy's actions were taken on a component, by what the outcomes say."""
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
    """What the policies alone advise; of the past only when they were executed counts."""
    matches = _matches(incident, case_base, policies, at)
    actions = actions_of(matches)
    nothing = "no policy applies to these numbers"
    if matches and not actions:
        resting = ", ".join(f"{m.policy} until {m.until}" for m in matches)
        nothing = f"every policy that applies is at rest: {resting}"
    return Recommendation(
        component=incident.component,
        at=at,
        basis="static",
        actions=tuple(
            RecommendedAction(action=each, origin="policy", policies=_by(matches, each))
            for each in actions
        ),
        policies=matches,
        notes=() if actions else (nothing,),
    )


def _matches(
    incident: Incident, case_base: CaseBase, policies: Sequence[ActionPolicy], at: str | None
) -> tuple[PolicyMatch, ...]:
    """The policies whose conditions hold, by what was done on the component before."""
    component = incident.component
    outcomes = (outcome for case in case_base.of(component) for outcome in case.outcomes)
    runs = executions(component, outcomes, policies)
    return evaluate(policies, component, incident.metrics, at=at, executions=runs)


def advise(
    incident: Incident,
    case_base: CaseBase,
    policies: Sequence[ActionPolicy],
    *,
    at: str | None,
    context: Mapping[str, float],
) -> Recommendation:
    """What to try against `incident` at the moment `at`, from the policies and the case base.

    `context` is what retrieval found alike, by `incident_id` (`SimilarIncidents.weights`).
    """
    advice = static_advice(incident, case_base, policies, at=at)
    matches, component = advice.policies, incident.component
    order, known = decide(matches, weighed(case_base.cases, context, at=at))
    static = actions_of(matches)
    if order is None:
        most = max((each.weight for each in known.values()), default=0.0)
        thin = (
            f"thin evidence: no action has attempts worth {THIN:g} (the most has {most:.1f}, of "
            f"{sum(len(case.outcomes) for case in case_base.cases)} recorded); this is the static "
            "policy"
        )
        return msgspec.structs.replace(
            advice,
            actions=tuple(_shown(known[a], component, matches, None) for a in static),
            notes=(*advice.notes, thin),
        )
    weights: dict[str, float] = {}
    for each in (each for action in known.values() for each in action.attempts):
        name = each.incident.incident_id
        weights[name] = max(weights.get(name, 0.0), each.weight)
    cases = sorted(weights, key=lambda name: (-weights[name], name))
    first = next((known[a] for a in static if a not in _NOT_HEALING), None)
    return msgspec.structs.replace(
        advice,
        basis="learned",
        actions=tuple(_shown(known[a], component, matches, first) for a in order),
        cases=tuple(cases[:_SHOWN]),
        notes=(_tally(known.values(), component, len(cases)), _reason(order, static, known)),
    )


def decide(
    matches: Sequence[PolicyMatch], tried: Sequence[Weighed]
) -> tuple[list[str] | None, dict[str, Estimate]]:
    """The actions in the order they are advised, and what is known of each; no order where no
    action has enough evidence, and the static policy stands."""
    names = sorted({*map(str, HealingAction), *(each.action for each in tried)})
    known = {action: estimate(action, tried, among_like=True) for action in names}
    solid = [
        action
        for action in names
        if known[action].weight >= _LEAST_WEIGHT and action != HealingAction.ALERT_TEAM
    ]
    if sum(known[action].weight for action in solid) < THIN:
        return None, known
    return _order(actions_of(matches), solid, known), known


def _order(static: Sequence[str], solid: Sequence[str], known: Mapping[str, Estimate]) -> list[str]:
    """The static order, each action with evidence moved ahead of the first that it surely beats.

    An action that no policy advises is listed only when it beats one that is, or when there is
    none and it works more often than not.
    """
    by_rate = sorted(solid, key=lambda a: (-known[a].posterior.mean, a))
    if not static:
        return [a for a in by_rate if known[a].posterior.mean >= 1 / 2]
    order = [a for a in static if a != HealingAction.ALERT_TEAM]
    for action in by_rate:
        place = next((at for at, other in enumerate(order) if _beats(known, action, other)), None)
        if place is not None and action not in order[:place]:
            order = [a for a in order[:place] if a != action] + [
                action,
                *(a for a in order[place:] if a != action),
            ]
    return [*order, *(a for a in static if a == HealingAction.ALERT_TEAM)]


def _beats(known: Mapping[str, Estimate], one: str, other: str) -> bool:
    return one != other and better(known[one].posterior, known[other].posterior) >= SURE


def first_healing(actions: Sequence[str]) -> str | None:
    """The first action that changes something; the first where none does."""
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
    failed = [each for each in known.attempts if not each.outcome.success]
    if failed:
        last = max(failed, key=lambda e: (e.outcome.recorded_at or "", e.outcome.outcome_id))
        told = last.outcome
        when = f", last on {told.recorded_at[:10]}" if told.recorded_at else ""
        where = f"({last.incident.component}, {told.outcome_id})"
        yield f"did not work in {len(failed)} of {tried} attempts{when} {where}"
        if told.lessons_learned:
            yield f"lesson: {told.lessons_learned}"
    if known.weight < THIN:
        yield f"thin evidence: attempts worth {known.weight:.1f}"
    if pooled := known.pooled(component):
        yield f"{pooled} of {tried} attempts were on other components"
    for each in matches:
        if each.state != "applies" and known.action in each.actions:
            yield f"policy {each.policy} rests ({each.state.replace('_', ' ')}) until {each.until}"


def _reason(order: Sequence[str], static: Sequence[str], known: Mapping[str, Estimate]) -> str:
    first = first_healing(static)
    if not order:
        return "no policy applies, and no action worked more often than not"
    if first is None:
        return "no policy applies; this rests on past outcomes alone"
    if order[0] == first:
        return "the past gives no strong reason to depart from the static policy's first action"
    sure = better(known[order[0]].posterior, known[first].posterior)
    return (
        f"{order[0]} is ahead of {first}, which the static policy names first: it works more often "
        f"with probability {sure:.2f}"
    )


def _tally(known: Iterable[Estimate], component: str, cases: int) -> str:
    """How often each action that was tried worked in the cases that count, the best first, those
    that are not advised included."""
    tried = [each for each in known if each.attempts]
    tried.sort(key=lambda e: (-e.posterior.mean, -len(e.attempts), e.action))
    said: list[str] = []
    for each in (one.figures(component, 0) for one in tried[:_TALLIED]):
        took = "" if each.minutes is None else f", median {each.minutes:g} min"
        said.append(f"{each.action} {each.successes} of {each.samples}{took}")
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
    """Two actions side by side, weighed as `advise` does with the same `context`; without one over
    everything that befell the component. InvalidInput for an action that no policy knows and
    nobody took."""
    taken = {action_name(a) for c in case_base.cases for o in c.outcomes for a in o.actions_taken}
    known = {*map(str, HealingAction), *taken}
    for written in (first, second):
        if action_name(written) not in known:
            raise InvalidInput(
                f"action {written!r} is unknown: use one of {', '.join(sorted(known))}"
            )
    tried = (
        weighed_alike(case_base.of(component), at=at)
        if context is None
        else weighed(case_base.cases, context, at=at)
    )
    one, other = (
        estimate(action_name(each), tried, among_like=context is not None)
        for each in (first, second)
    )
    notes = [
        f"thin evidence for {each.action}: attempts worth {each.weight:.1f}, less than {THIN:g}"
        for each in (one, other)
        if each.weight < THIN
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
