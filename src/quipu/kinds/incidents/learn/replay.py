"""The policies over history: what would have been advised at each moment, from what was known then.

Two readings of "known". `told`: an incident is known from its own time, an outcome from when it
was recorded, so a history that was imported later replays as it happened. `stored`: each is known
from when this memory was first told of it. Neither lets anything in that came later.

The past is read once: every attempt is held in columns, and a moment says which were known then.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.kinds.incidents.case_base import Case, CaseBase, edges_between, read_cases
from quipu.kinds.incidents.learn.advise import NOT_HEALING, decide, executions
from quipu.kinds.incidents.learn.attempts import Attempts
from quipu.kinds.incidents.learn.effectiveness import weighed
from quipu.kinds.incidents.model import action_name
from quipu.kinds.incidents.policies import ActionPolicy, Execution, actions_of, evaluate
from quipu.kinds.incidents.records import incident_entity_id, outcome_entity_id
from quipu.ports import Graph
from quipu.records.schema import RelationType
from quipu.when.instants import from_epoch, to_epoch

__all__ = ["Replay", "replay"]

Floats = NDArray[np.float64]
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


class _Past(NamedTuple):
    """The past with its dates: when each incident (`began`) and each attempt (`recorded`, a row of
    `attempts`) became known, in seconds from 1970, NaN where nobody knows; `similar` and `places`
    are of incidents, by `incident_id`; `runs` are executions of policies by component, each with
    when it became known."""

    attempts: Attempts
    began: Floats
    recorded: Floats
    similar: dict[str, dict[str, float]]
    places: dict[str, int]
    runs: dict[str, list[tuple[float, Execution]]]


def replay(graph: Graph, policies: Sequence[ActionPolicy], *, known: Known = "told") -> Replay:
    """Advise on every incident as it stood then; the recorded outcomes are only compared."""
    case_base = read_cases(graph)
    past = _read(graph, case_base, policies, known)
    dated = [at for at in range(len(case_base.cases)) if not np.isnan(past.began[at])]
    dated.sort(key=lambda at: (past.began[at], case_base.cases[at].incident.incident_id))
    rows = [_replayed(past, case_base.cases[at], at, policies) for at in dated]
    tried = [row for row in rows if row.success is not None and row.advised is not None]
    followed = [row for row in tried if row.advised in [*map(action_name, row.taken)]]
    otherwise = [row for row in tried if row.advised not in [*map(action_name, row.taken)]]
    return Replay(
        known=known,
        incidents=len(rows),
        differs=sum(row.differs for row in rows),
        followed=len(followed),
        worked_when_followed=_share(followed),
        worked_otherwise=_share(otherwise),
        skipped=len(case_base.cases) - len(rows),
        rows=tuple(rows),
    )


def _read(
    graph: Graph, case_base: CaseBase, policies: Sequence[ActionPolicy], known: Known
) -> _Past:
    attempts = Attempts(case_base)
    began, recorded = attempts.began, attempts.recorded
    if known == "stored":
        space = graph.namespace
        ids = [incident_entity_id(space, each.incident_id) for each in attempts.incidents]
        began = _first_stored(graph, ids)
        ids = [outcome_entity_id(space, each.outcome_id) for each in attempts.outcomes]
        recorded = _first_stored(graph, ids)
    dates = dict(zip((o.outcome_id for o in attempts.outcomes), recorded.tolist(), strict=True))
    runs: dict[str, list[tuple[float, Execution]]] = {}
    for case in case_base.cases:
        component = case.incident.component
        for outcome in case.outcomes:
            done = executions(component, [outcome], policies)
            runs.setdefault(component, []).extend((dates[outcome.outcome_id], e) for e in done)
    similar: dict[str, dict[str, float]] = {}
    ids = [each.incident_id for each in attempts.incidents]
    for edge in edges_between(graph, ids, kinds=(RelationType.SIMILAR_TO,)):
        similar.setdefault(edge.source_id, {})[edge.target_id] = edge.confidence
    places = {name: at for at, name in enumerate(ids)}
    return _Past(attempts, began, recorded, similar, places, runs)


def _first_stored(graph: Graph, ids: Sequence[str]) -> Floats:
    """When the store was first told of each record."""
    support = graph.support(list(dict.fromkeys(ids)))
    first = {key: min(to_epoch(row.recorded_at) for row in rows) for key, rows in support.items()}
    return np.array([first.get(each, np.nan) for each in ids], dtype=np.float64)


def _replayed(past: _Past, case: Case, at: int, policies: Sequence[ActionPolicy]) -> Replayed:
    incident, now = case.incident, float(past.began[at])
    moment = from_epoch(now)
    standing = past.began < now  # unknown compares false
    known = (past.recorded <= now) & standing[past.attempts.case]
    similar = past.similar.get(incident.incident_id, {})
    like = sorted(
        (name for name in similar if name in past.places and standing[past.places[name]]),
        key=lambda name: (-similar[name], name),
    )
    context = {name: similar[name] for name in like[:_SIMILAR]}  # as if none had come late
    done = [run for first, run in past.runs.get(incident.component, ()) if first < now]
    matches = evaluate(policies, incident.component, incident.metrics, at=moment, executions=done)
    static = actions_of(matches)
    order, _ = decide(
        matches, weighed(past.attempts, incident, at=moment, context=context, known=known)
    )
    attempt = case.outcomes[0] if case.outcomes else None
    first, second = _first(static), _first(static if order is None else order)
    return Replayed(
        incident_id=incident.incident_id,
        component=incident.component,
        at=moment,
        static=first,
        advised=second,
        differs=first != second,
        known_incidents=int(np.count_nonzero(standing)),
        taken=attempt.actions_taken if attempt else (),
        success=attempt.success if attempt else None,
    )


def _first(actions: Sequence[str]) -> str | None:
    return next((a for a in actions if a not in NOT_HEALING), actions[0] if actions else None)


def _share(rows: Sequence[Replayed]) -> float | None:
    return round(sum(bool(row.success) for row in rows) / len(rows), 4) if rows else None
