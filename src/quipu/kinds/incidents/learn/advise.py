"""Recommended actions: the static policies, and what the past says for and against them.

Advice only: nothing is ever run. The static order stands until there is evidence: where attempts
worth at least 2 count, an action moves ahead of another when the probability that it works more
often is at least .6. Where less counts, the advice is the static policy's, and says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from quipu.kinds.incidents.beta import better
from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.learn.attempts import Attempts
from quipu.kinds.incidents.learn.effectiveness import (
    CountedAttempt,
    Estimate,
    Weighed,
    estimate,
    weighed,
)
from quipu.kinds.incidents.model import BlastRadius, HealingAction, Incident, Outcome
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
    "NOT_HEALING",
    "SURE",
    "THIN",
    "Recommendation",
    "RecommendedAction",
    "advise",
    "decide",
    "executions",
    "static_advice",
]

THIN = 2.0
SURE = 0.6
_LEAST = 0.5
_SHOWN = 10
_TALLIED = 5
_HALF = 0.5
NOT_HEALING = frozenset({HealingAction.ALERT_TEAM, HealingAction.NO_ACTION})


class RecommendedAction(msgspec.Struct, frozen=True, kw_only=True):
    """One action, what it rests on and what argues against it."""

    action: Annotated[str, "what to do: an action of a policy, or one that was taken before"]
    origin: Annotated[
        Literal["policy", "learned"], "`policy`, or `learned` when no policy that applies names it"
    ]
    policies: Annotated[tuple[str, ...], "the policies that name it"]
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
    better: Annotated[
        float | None, "the probability that it beats the static policy's first action, or null"
    ] = None
    evidence: Annotated[
        tuple[CountedAttempt, ...], "the attempts that count, the weightiest first"
    ] = ()
    left_out: Annotated[int, "attempts that count and are not listed"] = 0
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


def _matches(
    incident: Incident, case_base: CaseBase, policies: Sequence[ActionPolicy], at: str | None
) -> tuple[PolicyMatch, ...]:
    """The policies whose conditions hold, by what was done on the component before."""
    component = incident.component
    outcomes = (outcome for case in case_base.of(component) for outcome in case.outcomes)
    runs = executions(component, outcomes, policies)
    return evaluate(policies, component, incident.metrics, at=at, executions=runs)


def static_advice(
    incident: Incident, case_base: CaseBase, policies: Sequence[ActionPolicy], *, at: str | None
) -> Recommendation:
    """What the policies alone advise; of the past only when they were executed counts."""
    return _static(_matches(incident, case_base, policies, at), incident.component, at)


def _static(matches: Sequence[PolicyMatch], component: str, at: str | None) -> Recommendation:
    actions = actions_of(matches)
    return Recommendation(
        component=component,
        at=at,
        basis="static",
        actions=tuple(
            RecommendedAction(action=each, origin="policy", policies=_by(matches, each))
            for each in actions
        ),
        policies=tuple(matches),
        notes=() if actions else (_nothing(matches),),
    )


def advise(
    incident: Incident,
    case_base: CaseBase,
    policies: Sequence[ActionPolicy],
    *,
    at: str | None,
    context: Mapping[str, float] | None = None,
) -> Recommendation:
    """What to try against `incident` at the moment `at`, from the policies and the case base.

    `context` is what retrieval found alike, by `incident_id` (`SimilarIncidents.weights`).
    """
    matches = _matches(incident, case_base, policies, at)
    tried = weighed(Attempts(case_base), incident, at=at, context=context or {})
    order, known = decide(matches, tried)
    if order is None:
        return _thin(matches, incident.component, at, known, case_base)
    static = actions_of(matches)
    first = next((known[a] for a in static if a not in NOT_HEALING), None)
    cases = _cases(known.values())
    return Recommendation(
        component=incident.component,
        at=at,
        basis="learned",
        actions=tuple(_shown(a, matches, known[a], first) for a in order),
        policies=matches,
        cases=tuple(cases[:_SHOWN]),
        notes=(_tally(known.values(), len(cases)), *_notes(order, static, known)),
    )


def decide(
    matches: Sequence[PolicyMatch], tried: Weighed
) -> tuple[list[str] | None, dict[str, Estimate]]:
    """The actions in the order they are advised, and what is known of each; no order where no
    action has enough evidence, and the static policy stands."""
    names = dict.fromkeys((*HealingAction, *tried.attempts.names))
    known = {action: estimate(action, tried) for action in map(str, names)}
    tried_here = [a for a in known if known[a].weight >= _LEAST and a != HealingAction.ALERT_TEAM]
    enough = sum(known[action].weight for action in tried_here) >= THIN
    solid = tried_here if enough else []
    return (_order(actions_of(matches), solid, known) if solid else None), known


def _order(
    static: Sequence[str],
    solid: Sequence[str],
    known: Mapping[str, Estimate],
) -> list[str]:
    """The static order, each action with evidence moved ahead of the first that it surely beats.

    An action that no policy advises is listed only when it beats one that is, or when there is
    none and it works more often than not.
    """
    by_rate = sorted(solid, key=lambda a: (-known[a].posterior.mean, a))
    rest = [a for a in by_rate if a not in static]
    healing = [a for a in static if a != HealingAction.ALERT_TEAM]
    team = [a for a in static if a == HealingAction.ALERT_TEAM]
    if not static:
        return [a for a in rest if known[a].posterior.mean >= _HALF]
    order = list(healing)
    for action in by_rate:
        beaten = (at for at, each in enumerate(order) if _surely_beats(known[action], known[each]))
        place = next(beaten, None)
        if place is None or action in order[:place]:
            continue
        order = [each for each in order if each != action]
        order.insert(place, action)
    return list(static) if order == healing else [*order, *team]


def _surely_beats(one: Estimate, other: Estimate) -> bool:
    return one.action != other.action and better(one.posterior, other.posterior) >= SURE


def _thin(
    matches: Sequence[PolicyMatch],
    component: str,
    at: str | None,
    known: Mapping[str, Estimate],
    case_base: CaseBase,
) -> Recommendation:
    """The static policy's advice, with what little is known beside it."""
    static = _static(matches, component, at)
    most = max((each.weight for each in known.values()), default=0.0)
    attempts = sum(len(case.outcomes) for case in case_base.cases)
    note = (
        f"thin evidence: no action has attempts worth {THIN:g} (the most has {most:.1f}, of "
        f"{attempts} recorded); this is the static policy"
    )
    return msgspec.structs.replace(
        static,
        actions=tuple(
            _shown(each.action, matches, known[each.action], None) for each in static.actions
        ),
        notes=(*static.notes, note),
    )


def _shown(
    action: str, matches: Sequence[PolicyMatch], known: Estimate, first: Estimate | None
) -> RecommendedAction:
    policies = _by(matches, action)
    bare = RecommendedAction(
        action=action, origin="policy" if policies else "learned", policies=policies
    )
    if not known.rows:
        return bare
    ahead = None
    if first is not None and first.action != action:
        ahead = round(better(known.posterior, first.posterior), 4)
    return msgspec.structs.replace(
        bare,
        **known.figures._asdict(),
        minutes=known.minutes,
        better=ahead,
        evidence=known.evidence(_SHOWN),
        left_out=max(0, len(known.rows) - _SHOWN),
        against=_against(known, matches),
    )


def _against(known: Estimate, matches: Sequence[PolicyMatch]) -> tuple[str, ...]:
    """What argues against an action, in words."""
    said: list[str] = []
    tried = len(known.rows)
    failed = [
        pair for pair in zip(known.outcomes, known.evidence(), strict=True) if not pair[0].success
    ]
    if failed:
        last, row = max(failed, key=lambda pair: (pair[0].recorded_at or "", pair[0].outcome_id))
        when = f", last on {last.recorded_at[:10]}" if last.recorded_at else ""
        said.append(
            f"did not work in {len(failed)} of {tried} attempts{when} "
            f"({row.component}, {last.outcome_id})"
        )
        if last.lessons_learned:
            said.append(f"lesson: {last.lessons_learned}")
    if known.weight < THIN:
        said.append(f"thin evidence: attempts worth {known.weight:.1f}")
    if pooled := known.figures.pooled:
        said.append(f"{pooled} of {tried} attempts were on other components")
    if wide := sum(outcome.blast_radius == BlastRadius.MULTI for outcome, _ in failed):
        said.append(f"{wide} failed attempts reached several services")
    said += [
        f"policy {m.policy} rests ({m.state.replace('_', ' ')}) until {m.until}"
        for m in matches
        if m.state != "applies" and known.action in m.actions
    ]
    return tuple(said)


def _notes(
    order: Sequence[str], static: Sequence[str], known: Mapping[str, Estimate]
) -> tuple[str, ...]:
    if not order:
        return ("no policy applies, and no action worked more often than not",)
    if tuple(order) == tuple(static):
        return ("the past gives no strong reason to depart from the static policy",)
    if not static:
        return ("no policy applies; this rests on past outcomes alone",)
    first = next((a for a in static if a not in NOT_HEALING), static[0])
    if order[0] == first:
        return ("the first action is the static policy's; the past changed what comes after",)
    sure = better(known[order[0]].posterior, known[first].posterior)
    said = f"{order[0]} is ahead of {first}, which the static policy names first"
    return (f"{said}: it works more often with probability {sure:.2f}",)


def _tally(known: Iterable[Estimate], cases: int) -> str:
    """How often each action that was tried worked in the cases that count, the best first, those
    that are not advised included."""
    tried = [each for each in known if each.rows]
    tried.sort(key=lambda e: (-e.posterior.mean, -len(e.rows), e.action))
    said: list[str] = []
    for each in tried[:_TALLIED]:
        took = "" if each.minutes is None else f", median {each.minutes:g} min"
        said.append(f"{each.action} {each.figures.successes} of {len(each.rows)}{took}")
    if len(tried) > _TALLIED:
        said.append(f"{len(tried) - _TALLIED} others, less likely to work")
    return f"{cases} like case{'' if cases == 1 else 's'}: {'; '.join(said)}"


def _cases(known: Iterable[Estimate]) -> list[str]:
    """The incidents whose attempts count, those that count most first."""
    weights: dict[str, float] = {}
    for row in (row for each in known for row in each.evidence()):
        weights[row.incident_id] = max(weights.get(row.incident_id, 0.0), row.weight)
    return sorted(weights, key=lambda name: (-weights[name], name))


def _by(matches: Sequence[PolicyMatch], action: str) -> tuple[str, ...]:
    return tuple(m.policy for m in matches if m.state == "applies" and action in m.actions)


def _nothing(matches: Sequence[PolicyMatch]) -> str:
    if not matches:
        return "no policy applies to these numbers"
    resting = ", ".join(f"{m.policy} until {m.until}" for m in matches)
    return f"every policy that applies is at rest: {resting}"
