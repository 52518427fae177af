"""Value quantification: how many hours the runs of scripts saved, from the graph.

    total = Σ runs × hours, rounded to 2 places

over the scripts of a ledger. `hours` is what the script's tag says, else its folder's, else 0.1.
A ledger that does not add up is told, with the difference: its own total against its history,
its rows against the tags, its runs against the heartbeats.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from quipu.kinds.values.derive import Formula, Input
from quipu.ports import Graph
from quipu.records.record import Entity
from quipu.records.schema import EntityType, RelationType
from quipu.text import name_key

__all__ = [
    "DEFAULT_HOURS",
    "FORMULAS",
    "TOTAL",
    "ledger_of",
    "reconcile",
    "runs_of",
    "tags_of",
]

DEFAULT_HOURS = 0.1
_NAME = "value_quantification.total"
_MOST = 100_000
_LEAST_DIFFERENCE = 0.005


class Reconciliation(NamedTuple):
    """Whether a ledger adds up. `difference` is its stated total less the sum of its history."""

    stated_total: float | None
    history_total: float
    difference: float | None
    notes: tuple[str, ...]


def ledger_of(graph: Graph, ledger: str) -> Entity | None:
    """The record of the ledger at a path."""
    found = graph.named([name_key(ledger)])[name_key(ledger)]
    return next((e for e in found if e.type == EntityType.VALUE_LEDGER), None)


def runs_of(graph: Graph, ledger: Entity) -> list[Entity]:
    """The runs of each script, by name."""
    rows = graph.neighbors(
        [ledger.entity_id],
        direction="in",
        types=frozenset({str(RelationType.PART_OF)}),
        limit_per_id=_MOST,
    )[ledger.entity_id]
    records = graph.get([r.source_entity_id for r in rows])
    runs = [e for e in records.values() if isinstance(e, Entity)]
    return sorted((e for e in runs if e.type == EntityType.VALUE_RUNS), key=lambda e: e.name)


def tags_of(graph: Graph, runs: Sequence[Entity]) -> dict[str, Entity]:
    """The tag that each one's hours come from, by the id of the runs."""
    uses = frozenset({str(RelationType.USES)})
    found = graph.neighbors([e.entity_id for e in runs], types=uses, limit_per_id=10)
    targets = {key: [r.target_entity_id for r in rows] for key, rows in found.items()}
    records = graph.get(sorted({each for ids in targets.values() for each in ids}))
    tags: dict[str, Entity] = {}
    for key, ids in targets.items():
        for each in ids:
            tag = records.get(each)
            if isinstance(tag, Entity) and tag.type == EntityType.VALUE_TAG:
                tags[key] = tag
    return tags


def _number(entity: Entity, name: str) -> float:
    value = entity.properties.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _collect(graph: Graph, subject: str) -> tuple[Input, ...]:
    ledger = ledger_of(graph, subject)
    if ledger is None:
        return ()
    runs = runs_of(graph, ledger)
    tags = tags_of(graph, runs)
    inputs: list[Input] = []
    for each in runs:
        tag = tags.get(each.entity_id)
        hours = _number(tag, "potential_savings_hours") if tag else DEFAULT_HOURS
        source = str(tag.properties.get("file_path")) if tag else f"the default {DEFAULT_HOURS}"
        inputs.append(
            Input(
                name=each.name,
                record_ids=(each.entity_id, *((tag.entity_id,) if tag else ())),
                values={"runs": _number(each, "runs"), "hours": hours, "hours_from": source},
            )
        )
    return tuple(inputs)


def _total(inputs: Sequence[Input]) -> float:
    parts = [float(each.values["runs"]) * float(each.values["hours"]) for each in inputs]
    return round(math.fsum(parts), 2)


TOTAL = Formula(_NAME, 1, "total = round(Σ runs × hours, 2) over scripts", _collect, _total)
FORMULAS = {TOTAL.name: TOTAL}
"""Every formula there is, by name."""


def reconcile(graph: Graph, ledger: str) -> Reconciliation | None:
    """What does not add up in a ledger; None when there is no such ledger."""
    entity = ledger_of(graph, ledger)
    if entity is None:
        return None
    runs = runs_of(graph, entity)
    total = round(math.fsum(_number(each, "recorded_hours") for each in runs), 2)
    stated = entity.properties.get("total_reclaimed_hours")
    known = float(stated) if isinstance(stated, int | float) else None
    difference = None if known is None else round(known - total, 2)
    notes: list[str] = []
    if difference:
        notes.append(
            f"the ledger states {known:g} hours and its history gives {total:g}: a difference of "
            f"{difference:g} (a shortened history cannot give the stated total)"
        )
    by_id = {each.entity_id: each for each in runs}
    for given in _collect(graph, ledger):
        each = by_id[given.record_ids[0]]
        count, hours = float(given.values["runs"]), float(given.values["hours"])
        expected, recorded = count * hours, _number(each, "recorded_hours")
        if abs(expected - recorded) > _LEAST_DIFFERENCE:
            notes.append(
                f"{each.name}: {count:g} runs × {hours:g} hours are {expected:g}, the ledger has "
                f"{recorded:g}"
            )
        beats = each.properties.get("heartbeats")
        if isinstance(beats, int) and beats != count:
            notes.append(f"{each.name}: {beats} heartbeats, {count:g} runs in the ledger")
    return Reconciliation(known, total, difference, tuple(notes))
