"""The rules that tie incidents, each with its confidence and the evidence it was made from.

SIMILAR_TO      newer → older; the embedding and the features must both agree:
                confidence = √(cosine · features), each at least its floor
CAUSED_BY       A needs B's service (at most two DEPENDS_ON hops), and B began no later and at
                most 30 minutes before: confidence = .9 · ½^(gap / 15 min) · .7 a further hop,
                halved where the services need each other (only time tells which was first) and
                by a tenth where both began at once
ESCALATED_FROM  the same component, graver, within 60 minutes, from the last milder one:
                confidence = .95 · (1 − ½ · gap / 60 min)

The features are those of `kinds/incidents/likeness.py`.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from quipu.kinds.incidents.analysis import levels
from quipu.kinds.incidents.likeness import features
from quipu.kinds.incidents.model import Incident
from quipu.records.schema import RelationType
from quipu.when.instants import to_epoch

__all__ = [
    "CAUSE_WINDOW_S",
    "ESCALATION_WINDOW_S",
    "Link",
    "caused_by",
    "escalated_from",
    "similar_to",
]

CAUSE_WINDOW_S = 30 * 60
ESCALATION_WINDOW_S = 60 * 60
LEAST_COSINE = 0.45
LEAST_FEATURES = 0.4
_LEAST_CONFIDENCE = 0.5
_CAUSE, _CAUSE_HALF_S, _FURTHER_HOP = 0.9, 15 * 60, 0.7
_MUTUAL, _AT_ONCE = 0.5, 0.9
_ESCALATION = 0.95


class Link(NamedTuple):
    """An edge to be made between two incidents, and why."""

    source: Incident
    kind: RelationType
    target: Incident
    confidence: float
    why: tuple[str, ...]


def similar_to(one: Incident, other: Incident, *, cosine: float) -> Link | None:
    """The edge from the newer to the older one; None when they do not agree or no order is
    known."""
    if one.timestamp is None or other.timestamp is None or one.incident_id == other.incident_id:
        return None
    newer, older = sorted(
        (one, other), key=lambda i: (i.timestamp or "", i.incident_id), reverse=True
    )
    agreed = features(newer, older)
    if cosine < LEAST_COSINE or agreed.total < LEAST_FEATURES:
        return None
    confidence = math.sqrt(min(cosine, 1.0) * agreed.total)
    if confidence < _LEAST_CONFIDENCE:
        return None
    why = [f"cosine {cosine:.2f}", f"features agree {agreed.total:.2f}"]
    if agreed.component:
        why.append(f"same component {newer.component}")
    shared = sorted(
        name for name, at in levels(newer.metrics).items() if at and levels(older.metrics).get(name)
    )
    if shared:
        why.append(f"both out of bounds: {', '.join(shared)}")
    return Link(newer, RelationType.SIMILAR_TO, older, round(confidence, 4), tuple(why))


def caused_by(effect: Incident, cause: Incident, *, hops: int, mutual: bool = False) -> Link | None:
    """The edge from `effect` to `cause`, whose service lies `hops` DEPENDS_ON edges below."""
    gap = _gap_s(cause, effect)
    if gap is None or not 0 <= gap <= CAUSE_WINDOW_S or effect.incident_id == cause.incident_id:
        return None
    confidence = _CAUSE * 0.5 ** (gap / _CAUSE_HALF_S) * _FURTHER_HOP ** (hops - 1)
    why = [
        f"{effect.component} depends on {cause.component}"
        + (f" ({hops} hops)" if hops > 1 else ""),
        f"{cause.component} failed {_spoken(gap)} before",
    ]
    if mutual:
        if gap == 0:
            return None
        confidence *= _MUTUAL
        why.append("the services depend on each other: only the order of time speaks")
    if gap == 0:
        confidence *= _AT_ONCE
        why[1] = "both began at once"
    return Link(effect, RelationType.CAUSED_BY, cause, round(confidence, 4), tuple(why))


def escalated_from(graver: Incident, earlier: Iterable[Incident]) -> Link | None:
    """The edge to the last milder incident of the same component within the window."""
    milder = [
        (gap, other)
        for other in earlier
        if other.component == graver.component
        and other.severity.rank < graver.severity.rank
        and (gap := _gap_s(other, graver)) is not None
        and 0 < gap <= ESCALATION_WINDOW_S
    ]
    if not milder:
        return None
    gap, last = min(milder, key=lambda pair: (pair[0], pair[1].incident_id))
    confidence = _ESCALATION * (1 - 0.5 * gap / ESCALATION_WINDOW_S)
    why = (
        f"{last.severity} became {graver.severity} on {graver.component}",
        f"{_spoken(gap)} later",
    )
    return Link(graver, RelationType.ESCALATED_FROM, last, round(confidence, 4), why)


def _gap_s(first: Incident, second: Incident) -> float | None:
    """Seconds from the first to the second; None when a time is unknown."""
    if first.timestamp is None or second.timestamp is None:
        return None
    return to_epoch(second.timestamp) - to_epoch(first.timestamp)


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
