"""The policies over history: what would have been advised at each moment, from what was known then.

An incident is known from its own time, an outcome from when it was recorded, so a history that was
imported later replays as it happened. Nothing that came later is let in.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated

import msgspec

from quipu.kinds.incidents.advice import decide, first_healing, taken_on, weigh
from quipu.kinds.incidents.case_base import Case, CaseBase, edges_between, read_cases
from quipu.kinds.incidents.links import MOST_ALIKE
from quipu.kinds.incidents.model import action_name
from quipu.kinds.incidents.policies import ActionPolicy, PolicyMatch, actions_of, evaluate
from quipu.ports import Graph
from quipu.records.schema import RelationType

__all__ = ["Replay", "replay"]


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
    similar: dict[str, dict[str, float]] = {}
    for edge in edges_between(graph, list(cases), kinds=(RelationType.SIMILAR_TO,)):
        if edge.target_id in cases:
            similar.setdefault(edge.source_id, {})[edge.target_id] = edge.confidence
    dated = [case for case in cases.values() if case.incident.timestamp]
    moments = [case.incident.timestamp or "" for case in dated]
    on: dict[str, list[Case]] = {}
    for case in cases.values():
        on.setdefault(case.incident.component, []).append(case)
    rows: list[Replayed] = []
    for case, moment in zip(dated, moments, strict=True):
        like = similar.get(case.name, {})
        near = sorted(like, key=lambda name: (-like[name], name))
        past = CaseBase(cases=tuple(cases[name] for name in near)).before(moment)
        known = bisect_left(moments, moment)
        before = CaseBase(cases=tuple(on[case.incident.component])).before(moment)
        matches = evaluate(policies, case.incident.metrics, at=moment, taken=taken_on(before.cases))
        rows.append(_replayed(case, moment, matches, past.cases[:MOST_ALIKE], like, known))
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


def _replayed(
    case: Case,
    moment: str,
    matches: Sequence[PolicyMatch],
    past: Sequence[Case],
    like: dict[str, float],
    known_incidents: int,
) -> Replayed:
    policy = actions_of(matches)
    order = decide(policy, weigh(past, like, at=moment)).order
    static, advised = first_healing(policy), first_healing(order)
    attempt = case.outcomes[0] if case.outcomes else None
    return Replayed(
        incident_id=case.name,
        component=case.incident.component,
        at=moment,
        static=static,
        advised=advised,
        differs=static != advised,
        known_incidents=known_incidents,
        taken=attempt.actions_taken if attempt else (),
        success=attempt.success if attempt else None,
    )


def _share(rows: Sequence[Replayed]) -> float | None:
    return round(sum(bool(row.success) for row in rows) / len(rows), 4) if rows else None
