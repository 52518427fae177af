"""Value quantification: how many hours the runs of scripts saved, from the graph.

    total = Σ runs × hours, rounded to 2 places

over the scripts of a ledger. `hours` is what the script's tag says, else its folder's, else 0.1.
The total is a fact whose provenance is the computation: the formula in words, its version, the
inputs (ids and values) and the output. `explain` reads the inputs again, recomputes, and says what
changed. A ledger that does not add up is told, with the difference.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.kinds.values.read import METADATA, ReadValues, ScriptRuns, Tag
from quipu.limits import PREVIEW
from quipu.ports import Graph, Store
from quipu.profiles import profile
from quipu.records.batch import Batch
from quipu.records.ids import make_id, named_entity_id
from quipu.records.record import Asserted, Entity, Fact, Relation
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import Clock

__all__ = ["PREDICATE", "Explanation", "explain", "reconcile", "tags_of", "write_values"]

PREDICATE = "total reclaimed hours"
_DEFAULT_HOURS = 0.1
_NAME = "value_quantification.total"
_TEXT = "total = round(Σ runs × hours, 2) over scripts"
_COMPUTATION = "computation"
_MOST = 100_000
_PROFILE = "prose"
_Observation: TypeAlias = tuple[Draft, str, list[Asserted]]
"""A source, what it shows, and what it asserts."""


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


def _inputs(graph: Graph, ledger: str) -> tuple[Input, ...]:
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
        hours = _number(tag, "potential_savings_hours") if tag else _DEFAULT_HOURS
        source = str(tag.properties.get("file_path")) if tag else f"the default {_DEFAULT_HOURS}"
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
    present = _inputs(graph, fact.subject)
    recomputed = _total(present)
    then, now = ({given.name: given for given in side} for side in (made.inputs, present))
    changes = [_change(name, then.get(name), now.get(name)) for name in sorted({*then, *now})]
    notes = [_change_note(change) for change in changes if change.changed]
    if recomputed != made.output:
        notes.append(
            f"no longer holds: {made.output:g} was recorded, the inputs give {recomputed:g} now"
        )
    given: dict[str, Any] = {**msgspec.structs.asdict(made), "inputs": tuple(changes)}
    return Explanation(
        **given,
        fact_id=fact_id,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        recomputed=recomputed,
        holds=recomputed == made.output,
        notes=tuple(notes),
    )


def _change(name: str, then: Input | None, now: Input | None) -> InputChange:
    shown, before, after = now or then, then and then.values, now and now.values
    ids = shown.record_ids if shown else ()
    return InputChange(name=name, record_ids=ids, then=before, now=after, changed=before != after)


def _change_note(change: InputChange) -> str:
    if change.now is None or change.then is None:
        return f"the input {change.name!r} is {'gone' if change.now is None else 'new'}"
    said = [
        ", ".join(f"{name} {value}" for name, value in sorted(values.items()))
        for values in (change.then, change.now)
    ]
    return f"the input {change.name!r} changed from {said[0]} to {said[1]}"


def reconcile(values: ReadValues) -> tuple[float, float | None, tuple[str, ...]]:
    """Return the sum of a ledger's history, its stated total less that sum, and what does not add
    up: its total against its history, its rows against the tags, its runs against the
    heartbeats."""
    total = round(math.fsum(script.recorded_hours for script in values.runs), 2)
    difference = None if values.total is None else round(values.total - total, 2)
    notes: list[str] = []
    if difference:
        notes.append(
            f"the ledger states {values.total:g} hours and its history gives {total:g}: a "
            f"difference of {difference:g} (a shortened history cannot give the stated total)"
        )
    for script in values.runs:
        hours = script.tag.hours if script.tag else _DEFAULT_HOURS
        if round(script.runs * hours - script.recorded_hours, 2):
            notes.append(
                f"{script.script}: {script.runs} runs × {hours:g} hours are "
                f"{script.runs * hours:g}, the ledger has {script.recorded_hours:g}"
            )
        if script.heartbeats not in (None, script.runs):
            notes.append(
                f"{script.script}: {script.heartbeats} heartbeats, {script.runs} runs in the ledger"
            )
    return total, difference, tuple(notes)


def write_values(store: Store, values: ReadValues, *, clock: Clock) -> Fact:
    """Write what was read, derive the total from the graph, and return its fact.

    The same values again change nothing.
    """
    now = clock()
    seen = max((each.last for each in values.runs), default=now)  # what the total is true of
    observed = list(_observations(store.namespace, values, seen))
    live = store.get([draft.episode_id for draft, _, _ in observed])
    due = [each for each in observed if each[0].episode_id not in live]
    if due:
        store.write(
            Batch(
                recorded_at=now,
                episodes=tuple(draft.episode(now, preview=shown) for draft, shown, _ in due),
                claims=tuple(c for draft, _, records in due for c in draft.claims(records)),
                replaces=tuple(draft.ref for draft, _, _ in due),
            )
        )
    inputs = _inputs(store, values.ledger)
    said = msgspec.json.encode(inputs, order="deterministic")
    draft = _draft(store.namespace, f"{values.ledger}#total", "derived", said, seen)
    output = _total(inputs)
    made = _Computation(formula=_NAME, version=1, text=_TEXT, inputs=inputs, output=output)
    fact = Fact(
        fact_id=make_id("fact", store.namespace, "derived", _NAME, values.ledger, PREDICATE),
        subject=values.ledger,
        predicate=PREDICATE,
        object=repr(output).removesuffix(".0"),
        updated_at=seen,
        source_sha=draft.sha,
        provenance={_COMPUTATION: msgspec.to_builtins(made)},
    )
    if draft.episode_id not in store.get([draft.episode_id]):
        store.write(_derivation(draft, fact, inputs, clock()))
    return fact


def _draft(namespace: str, ref: str, kind: str, said: bytes, seen: str) -> Draft:
    sha = hashlib.sha256(said).hexdigest()
    document = ref if kind == "derived" else ""
    return Draft(namespace=namespace, type=kind, ref=ref, sha=sha, seen=seen, document=document)


def _observations(namespace: str, values: ReadValues, seen: str) -> Iterator[_Observation]:
    for tag in values.tags:
        said = msgspec.json.encode(tag)
        draft = _draft(namespace, f"{tag.path}#value", "value_tag", said, seen)
        yield draft, f"{tag.path}: {tag.hours:g} hours a run", [_tag_entity(draft, tag)]
    said = values.data + msgspec.json.encode(values.runs)
    draft = _draft(namespace, f"{values.ledger}#value", "value_ledger", said, seen)
    shown = f"{values.ledger}: runs of {len(values.runs)} scripts"
    yield draft, shown, list(_ledger_records(draft, values))


def _tag_entity(draft: Draft, tag: Tag) -> Entity:
    return draft.entity(
        EntityType.VALUE_TAG,
        f"value of {tag.path}",
        key=tag.path,
        properties={
            "file_path": tag.path,
            "impact_tier": tag.impact_tier,
            "potential_savings_hours": tag.hours,
            "vq_class": tag.vq_class,
        },
    )


def _ledger_records(draft: Draft, values: ReadValues) -> Iterator[Asserted]:
    own = draft.entity(
        EntityType.VALUE_LEDGER,
        values.ledger,
        aliases=tuple({values.ledger.rpartition("/")[2]} - {values.ledger}),
        properties={"file_path": values.ledger, "total_reclaimed_hours": values.total},
    )
    yield own
    for each in values.runs:
        runs = _runs_entity(draft, values.ledger, each)
        yield runs
        yield draft.relation(runs.entity_id, RelationType.PART_OF, own.entity_id)
        if each.tag is not None:
            target = named_entity_id(draft.namespace, EntityType.VALUE_TAG, each.tag.path)
            yield draft.relation(runs.entity_id, RelationType.USES, target)


def _runs_entity(draft: Draft, ledger: str, runs: ScriptRuns) -> Entity:
    hours = runs.tag.hours if runs.tag else _DEFAULT_HOURS
    own = runs.tag is not None and runs.tag.path.rpartition("/")[2] != METADATA
    names = {runs.script.rpartition("/")[2], *([runs.tag.path] if runs.tag and own else [])}
    beats = {} if runs.heartbeats is None else {"heartbeats": runs.heartbeats}
    return draft.entity(
        EntityType.VALUE_RUNS,
        runs.script,
        key=f"{ledger} {runs.script}",
        aliases=tuple(sorted(names - {runs.script})),
        properties={
            "file_path": ledger,
            "first": runs.first,
            "last": runs.last,
            "recorded_hours": runs.recorded_hours,
            "hours_a_run": hours,
            "reclaimed_hours": round(runs.runs * hours, 2),
            "runs": runs.runs,
            **beats,
        },
    )


def _derivation(draft: Draft, fact: Fact, inputs: Sequence[Input], now: str) -> Batch:
    """The derived fact, in a passage that shows its working and names the files."""
    rows = [
        f"- {each.name}: {each.values['runs']:g} runs × {each.values['hours']:g} hours "
        f"({each.values['hours_from']})"
        for each in inputs
    ]
    head = (
        f"The {PREDICATE} of {fact.subject} are {fact.object} hours.\n"
        f"Formula {_NAME}, version 1: {_TEXT}."
    )
    text, title = "\n".join((head, *rows)), f"Value of {fact.subject}"
    chunk = draft.passage(text, profile=_PROFILE, title=title)
    used = sorted({each for row in inputs for each in row.record_ids})
    ledger = named_entity_id(draft.namespace, EntityType.VALUE_LEDGER, fact.subject)
    relations = [
        draft.relation(draft.document_id, RelationType.DERIVED_FROM, each, seen=now)
        for each in (ledger, *used)
    ]
    document = draft.document_entity("derived", title)
    return Batch(
        recorded_at=now,
        episodes=(draft.episode(now, preview=excerpt(text, limit=PREVIEW)),),
        chunks=(profile(_PROFILE).index_chunk(chunk),),
        claims=draft.claims((document, fact, *relations), chunk),
        replaces=(draft.ref,),
    )
