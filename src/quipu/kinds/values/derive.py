"""Value quantification: how many hours the runs of scripts saved, from the graph.

    total = Σ runs × hours, rounded to 2 places

over the scripts of a ledger. `hours` is what the script's tag says, else its folder's, else 0.1.
The total is a fact whose provenance is the computation: the formula in words, its version, the
inputs (ids and values) and the output. `explain` reads the inputs again, recomputes, and says what
changed. A ledger that does not add up is told, with the difference.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.ports import Graph
from quipu.records.ids import make_id, named_entity_id
from quipu.records.record import Entity, Fact, Relation
from quipu.records.schema import EntityType, RelationType

if TYPE_CHECKING:
    from quipu.kinds.values.read import ReadValues

__all__ = [
    "DEFAULT_HOURS",
    "FORMULA",
    "PREDICATE",
    "Explanation",
    "Input",
    "InputChange",
    "collect",
    "explain",
    "reconcile",
    "tags_of",
    "total_fact",
]

PREDICATE = "total reclaimed hours"
DEFAULT_HOURS = 0.1
_NAME, _VERSION = "value_quantification.total", 1
_TEXT = "total = round(Σ runs × hours, 2) over scripts"
FORMULA = f"{_NAME}, version {_VERSION}: {_TEXT}"
_COMPUTATION = "computation"
_MOST = 100_000


class Input(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named input: the records it is read from and the numbers (and words) read."""

    name: str
    record_ids: tuple[str, ...]
    values: dict[str, float | str]


class InputChange(msgspec.Struct, frozen=True, kw_only=True):
    """An input then and now; `now` is null where it is gone, `then` where it is new."""

    name: Annotated[str, "the input's name"]
    record_ids: Annotated[tuple[str, ...], "the records it is read from"]
    then: Annotated[
        dict[str, float | str] | None, "its values when the fact was made; null: it is new"
    ]
    now: Annotated[dict[str, float | str] | None, "its values now; null: it is gone"]
    changed: Annotated[bool, "whether the two differ"]


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs → formula → output, as they stood and as they stand."""

    fact_id: Annotated[str, "the derived fact"]
    subject: Annotated[str, "what it is about"]
    predicate: Annotated[str, "what it says of it"]
    object: Annotated[str, "the value, as it is stored"]
    formula: Annotated[str, "the name of the formula"]
    version: Annotated[int, "the version of the formula that made it"]
    text: Annotated[str, "the formula in words of mathematics"]
    inputs: Annotated[tuple[InputChange, ...], "what went in, by name, then and now"]
    output: Annotated[float, "what came out then"]
    recomputed: Annotated[float, "what comes out now"]
    holds: Annotated[bool, "whether the two are the same"]
    notes: Annotated[tuple[str, ...], "which inputs changed, and whether the fact still holds"] = ()


class _Computation(msgspec.Struct, frozen=True, kw_only=True):
    formula: str
    version: int
    text: str
    inputs: tuple[Input, ...]
    output: float


class Reconciliation(NamedTuple):
    """Whether a ledger adds up. `difference` is its stated total less the sum of its history."""

    stated_total: float | None
    history_total: float
    difference: float | None
    notes: tuple[str, ...]


def tags_of(graph: Graph, runs: Sequence[Entity]) -> dict[str, Entity]:
    """Return the tag that each one's hours come from, by the id of the runs."""
    uses = frozenset({str(RelationType.USES)})
    found = graph.neighbors([e.entity_id for e in runs], types=uses, limit_per_id=10).values()
    relations: list[Relation] = [relation for rows in found for relation in rows]
    records = graph.get(sorted({relation.target_entity_id for relation in relations}))
    return {
        relation.source_entity_id: tag
        for relation in relations
        if isinstance(tag := records.get(relation.target_entity_id), Entity)
        and tag.type == EntityType.VALUE_TAG
    }


def collect(graph: Graph, ledger: str) -> tuple[Input, ...]:
    """Return the runs and hours of each script in a ledger, by name, as the graph has them now."""
    own = named_entity_id(graph.namespace, EntityType.VALUE_LEDGER, ledger)
    parts = frozenset({str(RelationType.PART_OF)})
    rows = graph.neighbors([own], direction="in", types=parts, limit_per_id=_MOST)[own]
    records = graph.get([relation.source_entity_id for relation in rows]).values()
    found = (e for e in records if isinstance(e, Entity) and e.type == EntityType.VALUE_RUNS)
    runs = sorted(found, key=lambda entity: entity.name)
    tags = tags_of(graph, runs)
    inputs: list[Input] = []
    for script in runs:
        tag = tags.get(script.entity_id)
        hours = _number(tag, "potential_savings_hours") if tag else DEFAULT_HOURS
        source = str(tag.properties.get("file_path")) if tag else f"the default {DEFAULT_HOURS}"
        inputs.append(
            Input(
                name=script.name,
                record_ids=(script.entity_id, *((tag.entity_id,) if tag else ())),
                values={"runs": _number(script, "runs"), "hours": hours, "hours_from": source},
            )
        )
    return tuple(inputs)


def _number(entity: Entity, name: str) -> float:
    value = entity.properties.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _total(inputs: Sequence[Input]) -> float:
    parts = [float(each.values["runs"]) * float(each.values["hours"]) for each in inputs]
    return round(math.fsum(parts), 2)


def total_fact(
    namespace: str, ledger: str, inputs: Sequence[Input], *, seen: str, sha: str
) -> Fact:
    """Return the fact that the inputs make."""
    output = _total(inputs)
    made = _Computation(
        formula=_NAME, version=_VERSION, text=_TEXT, inputs=tuple(inputs), output=output
    )
    return Fact(
        fact_id=make_id("fact", namespace, "derived", _NAME, ledger, PREDICATE),
        subject=ledger,
        predicate=PREDICATE,
        object=repr(output).removesuffix(".0"),
        updated_at=seen,
        source_sha=sha,
        provenance={_COMPUTATION: msgspec.to_builtins(made)},
    )


def explain(graph: Graph, fact_id: str) -> Explanation:
    """Return how a derived fact came about, and whether it still does.

    Raises UnknownRecord for no live fact, InvalidInput for a fact that no formula made.
    """
    fact = graph.get([fact_id]).get(fact_id)
    if not isinstance(fact, Fact):
        raise UnknownRecord(
            f"{fact_id!r} is no fact here: `quipu facts` lists the facts and their ids"
        )
    computation = fact.provenance.get(_COMPUTATION)
    if computation is None:
        raise InvalidInput(
            f"{fact_id!r} was stated, not computed: `quipu history {fact.subject!r}` shows by whom"
        )
    made = msgspec.convert(computation, _Computation)
    if made.formula != _NAME:
        raise InvalidInput(
            f"the formula {made.formula!r} of {fact_id!r} is not known to this version of Quipu"
        )
    present = collect(graph, fact.subject)
    recomputed = _total(present)
    changes = _changes(made.inputs, present)
    notes = [_change_note(change) for change in changes if change.changed]
    if recomputed != made.output:
        notes.append(
            f"no longer holds: {made.output:g} was recorded, the inputs give {recomputed:g} now"
        )
    return Explanation(
        fact_id=fact_id,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        formula=made.formula,
        version=made.version,
        text=made.text,
        inputs=changes,
        output=made.output,
        recomputed=recomputed,
        holds=recomputed == made.output,
        notes=tuple(notes),
    )


def _changes(then: Sequence[Input], now: Sequence[Input]) -> tuple[InputChange, ...]:
    before, after = ({given.name: given for given in side} for side in (then, now))
    changes: list[InputChange] = []
    for name, shown in sorted({**before, **after}.items()):
        old, new = (side[name].values if name in side else None for side in (before, after))
        changes.append(
            InputChange(
                name=name, record_ids=shown.record_ids, then=old, now=new, changed=old != new
            )
        )
    return tuple(changes)


def _change_note(change: InputChange) -> str:
    if change.now is None or change.then is None:
        return f"the input {change.name!r} is {'gone' if change.now is None else 'new'}"
    said = [
        ", ".join(f"{name} {value}" for name, value in sorted(values.items()))
        for values in (change.then, change.now)
    ]
    return f"the input {change.name!r} changed from {said[0]} to {said[1]}"


def reconcile(values: "ReadValues") -> Reconciliation:
    """Return what does not add up in a ledger: its total against its history, its rows against the
    tags, its runs against the heartbeats."""
    total = round(math.fsum(script.recorded_hours for script in values.runs), 2)
    difference = None if values.total is None else round(values.total - total, 2)
    notes: list[str] = []
    if difference:
        notes.append(
            f"the ledger states {values.total:g} hours and its history gives {total:g}: a "
            f"difference of {difference:g} (a shortened history cannot give the stated total)"
        )
    for script in values.runs:
        hours = script.tag.hours if script.tag else DEFAULT_HOURS
        if round(script.runs * hours - script.recorded_hours, 2):
            notes.append(
                f"{script.script}: {script.runs} runs × {hours:g} hours are "
                f"{script.runs * hours:g}, the ledger has {script.recorded_hours:g}"
            )
        if script.heartbeats not in (None, script.runs):
            notes.append(
                f"{script.script}: {script.heartbeats} heartbeats, {script.runs} runs in the ledger"
            )
    return Reconciliation(values.total, total, difference, tuple(notes))
