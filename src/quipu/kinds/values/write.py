"""Value quantification into memory: the ledger, its runs and tags, then the derived total."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from quipu.kinds.values.derive import (
    DEFAULT_HOURS,
    FORMULA,
    PREDICATE,
    Input,
    collect,
    total_fact,
)
from quipu.kinds.values.read import METADATA, ReadValues, ScriptRuns, Tag
from quipu.limits import PREVIEW
from quipu.ports import Store
from quipu.profiles import profile
from quipu.records.batch import Batch
from quipu.records.ids import named_entity_id
from quipu.records.record import Asserted, Entity, Fact
from quipu.records.schema import EntityType, RelationType
from quipu.source import Draft
from quipu.text import excerpt
from quipu.when.instants import Clock

__all__ = ["write_values"]

_PROFILE = "prose"
_Observation: TypeAlias = tuple[Draft, str, list[Asserted]]
"""A source, what it shows, and what it asserts."""


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
    inputs = collect(store, values.ledger)
    said = msgspec.json.encode(inputs, order="deterministic")
    draft = _draft(store.namespace, f"{values.ledger}#total", "derived", said, seen)
    fact = total_fact(store.namespace, values.ledger, inputs, seen=seen, sha=draft.sha)
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
    hours = runs.tag.hours if runs.tag else DEFAULT_HOURS
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
    head = f"The {PREDICATE} of {fact.subject} are {fact.object} hours.\nFormula {FORMULA}."
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
