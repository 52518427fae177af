"""The policies over history: what would have been advised at each moment, from what was known then.

An incident is known from its own time, an outcome from when it was recorded, so a history that was
imported later replays as it happened. Nothing that came later is let in.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from quipu.kinds.incidents.advice import decide, executions, first_healing, weigh
from quipu.kinds.incidents.case_base import Case, edges_between, read_cases
from quipu.kinds.incidents.model import action_name
from quipu.kinds.incidents.policies import ActionPolicy, Execution, actions_of, evaluate
from quipu.ports import Graph
from quipu.records.schema import RelationType
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["Replay", "replay"]

_SIMILAR = 3
"""How many like incidents advice at a past moment rests on: as many as SIMILAR_TO edges lead to."""


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
    """Advise on every incident as it stood then; the recorded outcomes are only compared."""
    cases = {case.name: case for case in read_cases(graph).cases}
    since = _known_since(cases.values())
    runs: dict[str, list[tuple[float, Execution]]] = {}
    for case in cases.values():
        own = runs.setdefault(case.incident.component, [])
        for outcome in case.outcomes:
            done = executions(case.incident.component, [outcome], policies)
            own += [(since.get(outcome.outcome_id, math.inf), run) for run in done]
    similar: dict[str, dict[str, float]] = {}
    for edge in edges_between(graph, list(cases), kinds=(RelationType.SIMILAR_TO,)):
        similar.setdefault(edge.source_id, {})[edge.target_id] = edge.confidence
    dated = sorted((since[name], name) for name in cases if name in since)
    moments = [now for now, _ in dated]
    rows: list[Replayed] = []
    for now, name in dated:
        case, like = cases[name], similar.get(name, {})
        component, moment = case.incident.component, from_epoch(now)
        done = [run for at, run in runs[component] if at < now]
        matches = evaluate(policies, component, case.incident.metrics, at=moment, executions=done)
        policy = actions_of(matches)
        known_then = [n for n in like if n in cases and since.get(n, math.inf) < now]
        known_then.sort(key=lambda other: (-like[other], other))
        likest = [_known_by(cases[other], since, now) for other in known_then[:_SIMILAR]]
        order = decide(policy, weigh(likest, like, at=moment)).order
        static, advised = first_healing(policy), first_healing(order)
        attempt = case.outcomes[0] if case.outcomes else None
        rows.append(
            Replayed(
                incident_id=name,
                component=component,
                at=moment,
                static=static,
                advised=advised,
                differs=static != advised,
                known_incidents=bisect_left(moments, now),
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


def _known_since(cases: Iterable[Case]) -> dict[str, float]:
    """When each incident and each attempt became known, in seconds from 1970, by its id."""
    told = {case.name: case.incident.timestamp for case in cases}
    told |= {o.outcome_id: o.recorded_at for case in cases for o in case.outcomes}
    return {name: to_epoch(at) for name, at in told.items() if at}


def _known_by(case: Case, since: dict[str, float], now: float) -> Case:
    """The case with the attempts that were known at a moment."""
    known = (o for o in case.outcomes if since.get(o.outcome_id, math.inf) <= now)
    return Case(incident=case.incident, outcomes=tuple(known))
