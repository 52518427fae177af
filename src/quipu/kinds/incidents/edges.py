"""The rules that tie incidents, each with its confidence and the evidence it was made from.

SIMILAR_TO      newer → older, on any service, where score ≥ .5; score = .8 cosine of what is told
                + .2 agreement of the numbers (`alike`); the confidence is how often such a pair
                was of one failure type: 1 / (1 + e^(−12 (score − .38)))
CAUSED_BY       A needs B's service (at most two DEPENDS_ON hops), B is a failure (`failed`), and
                B began at most 30 minutes before: confidence = .9 · ½^(gap / 15 min) · .7 a
                further hop, halved where the services need each other (only time tells which was
                first). An alert of B that came at most 10 minutes after, and is as grave, counts
                .5 · ½^(gap / 5 min): the alert of a root cause often waits longer than those of
                what it breaks. Where A's stated cause names B's service, and B failed at most 2
                hours before or 10 minutes after: .95
ESCALATED_FROM  the same component, graver, within 60 minutes, from the last milder one:
                confidence = .95 · (1 − ½ · gap / 60 min)

How numbers agree stands in `likeness.py`.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from quipu.kinds.incidents.analysis import levels
from quipu.kinds.incidents.likeness import agreement
from quipu.kinds.incidents.model import Incident, Severity
from quipu.records.schema import RelationType
from quipu.when.instants import to_epoch

__all__ = [
    "CAUSE_WINDOW_S",
    "ESCALATION_WINDOW_S",
    "LATE_S",
    "STATED_WINDOW_S",
    "NewEdge",
    "alike",
    "caused_by",
    "escalated_from",
    "similar_to",
    "stated_cause",
    "why_no_cause",
]

CAUSE_WINDOW_S = 30 * 60
LATE_S = 10 * 60
STATED_WINDOW_S = 2 * 3600
ESCALATION_WINDOW_S = 60 * 60
MEANING_SHARE = 0.8
LEAST_ALIKE = 0.5
_STEEPNESS, _EVEN_CHANCE = 12, 0.38
_CAUSE, _CAUSE_HALF_S, _FURTHER_HOP, _MUTUAL = 0.9, 15 * 60, 0.7, 0.5
_LATE_CAUSE, _LATE_HALF_S = 0.5, 5 * 60
_STATED = _ESCALATION = 0.95


class NewEdge(NamedTuple):
    """An edge to be made between two incidents, and why."""

    source: Incident
    kind: RelationType
    target: Incident
    confidence: float
    why: tuple[str, ...]

    @property
    def order(self) -> tuple[float, str, str]:
        """The key that sorts the surest first."""
        return -self.confidence, self.source.incident_id, self.target.incident_id


def alike(meaning: float, kind: float) -> float:
    """How alike two incidents are, in [0, 1]: what is told of them decides, numbers (`kind` of an
    `Agreement`) only between what is told alike; where it was does not count."""
    return MEANING_SHARE * min(max(meaning, 0.0), 1.0) + (1 - MEANING_SHARE) * kind


def similar_to(one: Incident, other: Incident, *, cosine: float) -> NewEdge | None:
    """The edge from the newer to the older one; None when they do not agree. Where nobody knows
    the time of both, `one` is the newer: it was told later."""
    newer, older = one, other
    if one.timestamp is not None and other.timestamp is not None:
        newer, older = sorted(
            (one, other), key=lambda i: (i.timestamp or "", i.incident_id), reverse=True
        )
    kind, _ = agreement(newer, older)
    score = alike(cosine, kind)
    if score < LEAST_ALIKE:
        return None
    confidence = 1 / (1 + math.exp(-_STEEPNESS * (score - _EVEN_CHANCE)))
    why = [f"cosine {cosine:.2f}", f"numbers agree {kind:.2f}"]
    if newer.component == older.component:
        why.append(f"same component {newer.component}")
    before = levels(older.metrics)
    if shared := [name for name, at in levels(newer.metrics).items() if at and before.get(name)]:
        why.append(f"both out of bounds: {', '.join(sorted(shared))}")
    return NewEdge(newer, RelationType.SIMILAR_TO, older, round(confidence, 4), tuple(why))


def failed(incident: Incident) -> bool:
    """Whether it is a failure, and no mere event: one of severity INFO, by what its source says or
    by its numbers, whose cause nobody stated, is none."""
    calm = incident.source_severity or incident.metrics.known()
    return (
        incident.severity != Severity.INFO
        or any(levels(incident.metrics).values())
        or bool(incident.root_cause)
        or not calm
    )


def caused_by(
    effect: Incident, cause: Incident, *, hops: int, mutual: bool = False
) -> NewEdge | None:
    """The edge from `effect` to `cause`, whose service lies `hops` DEPENDS_ON edges below."""
    gap = _gap_s(cause, effect)
    if gap is None or why_no_cause(effect, cause, mutual=mutual):
        return None
    confidence = _FURTHER_HOP ** (hops - 1)
    if gap < 0:
        confidence *= _LATE_CAUSE * 0.5 ** (-gap / _LATE_HALF_S)
        order = f"the alert of {cause.component} came {_spoken(-gap)} later"
    else:
        confidence *= _CAUSE * 0.5 ** (gap / _CAUSE_HALF_S)
        order = f"{cause.component} failed {_apart(gap)}"
    far = f" ({hops} hops)" if hops > 1 else ""
    why = [f"{effect.component} depends on {cause.component}{far}", order]
    if mutual:
        confidence *= _MUTUAL
        why.append("the services depend on each other: only the order of time speaks")
    return NewEdge(effect, RelationType.CAUSED_BY, cause, round(confidence, 4), tuple(why))


def why_no_cause(effect: Incident, cause: Incident, *, mutual: bool = False) -> str:
    """Why `cause`, on a service that the one of `effect` needs, is not taken for its cause; ""
    where it is."""
    gap = _gap_s(cause, effect)
    if gap is None:
        return "nobody knows which was first"
    reasons = (
        (effect.incident_id == cause.incident_id, "it is the same incident"),
        (not failed(cause), "it is an event, no failure: INFO, and no number is out of bounds"),
        (gap > CAUSE_WINDOW_S, f"it began {_apart(gap)}, more than {_spoken(CAUSE_WINDOW_S)}"),
        (gap < -LATE_S, f"it began {_apart(gap)}"),
        (gap <= 0 and mutual, "the services depend on each other, and it was not first"),
        (
            gap < 0 and cause.severity.rank < effect.severity.rank,
            f"it began {_apart(gap)} and is milder",
        ),
    )
    return next((reason for holds, reason in reasons if holds), "")


def stated_cause(effect: Incident, cause: Incident) -> NewEdge | None:
    """The edge to a failure of the service that the cause of `effect`, as stated, names."""
    gap = _gap_s(cause, effect)
    if gap is None or not -LATE_S <= gap <= STATED_WINDOW_S or not failed(cause):
        return None
    why = (f"the stated cause names {cause.component}", f"it failed {_apart(gap)}")
    return NewEdge(effect, RelationType.CAUSED_BY, cause, _STATED, why)


def escalated_from(graver: Incident, earlier: Iterable[Incident]) -> NewEdge | None:
    """The edge to the last milder one of `earlier`, which are of the same component."""
    milder = [
        (gap, other.incident_id, other)
        for other in earlier
        if other.severity.rank < graver.severity.rank
        and (gap := _gap_s(other, graver)) is not None
        and 0 < gap <= ESCALATION_WINDOW_S
    ]
    if not milder:
        return None
    gap, _, last = min(milder, key=lambda row: row[:2])
    confidence = _ESCALATION * (1 - 0.5 * gap / ESCALATION_WINDOW_S)
    why = (
        f"{last.severity} became {graver.severity} on {graver.component}",
        f"{_spoken(gap)} later",
    )
    return NewEdge(graver, RelationType.ESCALATED_FROM, last, round(confidence, 4), why)


def _gap_s(first: Incident, second: Incident) -> float | None:
    """Seconds from the first to the second; None when a time is unknown."""
    if first.timestamp is None or second.timestamp is None:
        return None
    return to_epoch(second.timestamp) - to_epoch(first.timestamp)


def _apart(gap: float) -> str:
    return f"{_spoken(-gap)} later" if gap < 0 else f"{_spoken(gap)} before" if gap else "at once"


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
