"""The policies over history: what would have been advised at each moment, from what was known then.

Two readings of "known". `told`: an incident is known from its own time, an outcome from when it
was recorded, so a history that was imported later replays as it happened. `stored`: each is known
from when this memory was first told of it. Neither lets anything in that came later.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from quipu.kinds.incidents.case_base import Case, edges_between, read_cases
from quipu.kinds.incidents.learn.advise import decide, executions, first_healing
from quipu.kinds.incidents.learn.effectiveness import Weighed, weighed
from quipu.kinds.incidents.model import action_name
from quipu.kinds.incidents.policies import ActionPolicy, Execution, actions_of, evaluate
from quipu.kinds.incidents.records import incident_entity_id, outcome_entity_id
from quipu.ports import Graph
from quipu.records.schema import RelationType
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["Replay", "replay"]

Known = Literal["told", "stored"]
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

    known: Annotated[Known, "`told` or `stored`: what counts as known at a moment"]
    incidents: Annotated[int, "how many were replayed"]
    differs: Annotated[int, "for how many the memory would have advised another first action"]
    followed: Annotated[int, "how many first attempts did what is advised"]
    worked_when_followed: Annotated[float | None, "the share of those that worked, or null"]
    worked_otherwise: Annotated[float | None, "the share of the others that worked, or null"]
    skipped: Annotated[int, "incidents without a known time"]
    rows: Annotated[tuple[Replayed, ...], "each incident, the earliest first"]


def replay(graph: Graph, policies: Sequence[ActionPolicy], *, known: Known = "told") -> Replay:
    """Advise on every incident as it stood then; the recorded outcomes are only compared."""
    past = _Past(graph, policies, known)
    rows = past.rows()
    tried = [row for row in rows if row.success is not None and row.advised is not None]
    followed = [row for row in tried if row.advised in [*map(action_name, row.taken)]]
    otherwise = [row for row in tried if row not in followed]
    return Replay(
        known=known,
        incidents=len(rows),
        differs=sum(row.differs for row in rows),
        followed=len(followed),
        worked_when_followed=_share(followed),
        worked_otherwise=_share(otherwise),
        skipped=past.skipped(),
        rows=tuple(rows),
    )


def _share(rows: Sequence[Replayed]) -> float | None:
    return round(sum(bool(row.success) for row in rows) / len(rows), 4) if rows else None


class _Past:
    """The past, read once, with when each incident and each attempt became known, in seconds from
    1970; what has no such moment was never known."""

    def __init__(self, graph: Graph, policies: Sequence[ActionPolicy], known: Known) -> None:
        self._cases = {case.incident.incident_id: case for case in read_cases(graph).cases}
        self._policies = policies
        outcomes = [outcome for case in self._cases.values() for outcome in case.outcomes]
        told = {name: case.incident.timestamp for name, case in self._cases.items()}
        told |= {each.outcome_id: each.recorded_at for each in outcomes}
        self._known = {name: to_epoch(at) for name, at in told.items() if at}
        if known == "stored":
            space = graph.namespace
            ids = {name: incident_entity_id(space, name) for name in self._cases}
            ids |= {o.outcome_id: outcome_entity_id(space, o.outcome_id) for o in outcomes}
            support = graph.support(list(ids.values()))
            self._known = {
                name: min(to_epoch(row.recorded_at) for row in support[key])
                for name, key in ids.items()
                if support.get(key)
            }
        self._runs: dict[str, list[tuple[float, Execution]]] = {}
        for case in self._cases.values():
            runs = self._runs.setdefault(case.incident.component, [])
            for outcome in case.outcomes:
                at = self._known.get(outcome.outcome_id, math.inf)
                done = executions(case.incident.component, [outcome], policies)
                runs += [(at, each) for each in done]
        self._similar: dict[str, dict[str, float]] = {}
        for edge in edges_between(graph, list(self._cases), kinds=(RelationType.SIMILAR_TO,)):
            self._similar.setdefault(edge.source_id, {})[edge.target_id] = edge.confidence
        self._moments = sorted(self._known[name] for name in self._cases if name in self._known)

    def rows(self) -> list[Replayed]:
        """What would have been advised on each incident that has a moment, the earliest first."""
        dated = [name for name in self._cases if name in self._known]
        return [self._replayed(each) for each in sorted(dated, key=lambda n: (self._known[n], n))]

    def skipped(self) -> int:
        """How many incidents have no moment."""
        return len(self._cases) - len(self._moments)

    def _replayed(self, name: str) -> Replayed:
        case, now = self._cases[name], self._known[name]
        component, moment = case.incident.component, from_epoch(now)
        done = [run for at, run in self._runs[component] if at < now]
        matches = evaluate(
            self._policies, component, case.incident.metrics, at=moment, executions=done
        )
        order, _ = decide(matches, self._tried(name, now, moment))
        static = actions_of(matches)
        attempt = case.outcomes[0] if case.outcomes else None
        first, second = first_healing(static), first_healing(static if order is None else order)
        return Replayed(
            incident_id=name,
            component=component,
            at=moment,
            static=first,
            advised=second,
            differs=first != second,
            known_incidents=bisect_left(self._moments, now),
            taken=attempt.actions_taken if attempt else (),
            success=attempt.success if attempt else None,
        )

    def _tried(self, name: str, now: float, moment: str) -> list[Weighed]:
        """What was known then of the likest incidents, as if none had come late."""
        similar = self._similar.get(name, {})
        stood = [n for n in similar if n in self._cases and self._known.get(n, math.inf) < now]
        likest = sorted(stood, key=lambda each: (-similar[each], each))[:_SIMILAR]
        cases = [
            Case(
                incident=self._cases[each].incident,
                outcomes=tuple(
                    outcome
                    for outcome in self._cases[each].outcomes
                    if self._known.get(outcome.outcome_id, math.inf) <= now
                ),
            )
            for each in likest
        ]
        return weighed(cases, similar, at=moment)
