"""Value quantification into memory: the ledger, its runs and tags, then the derived total."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from quipu.kinds.values.derive import Input, derived_fact
from quipu.kinds.values.hours import DEFAULT_HOURS, TOTAL
from quipu.kinds.values.read import Runs, Tag, Values
from quipu.ports import Store
from quipu.profiles import profile
from quipu.records.batch import Batch, Claim
from quipu.records.ids import make_id
from quipu.records.inferred import inferred_relation
from quipu.records.naming import document_entity_id, named_entity_id
from quipu.records.record import Asserted, Chunk, Entity, Episode, Fact
from quipu.records.schema import EntityType, RelationType
from quipu.text import excerpt
from quipu.when.instants import Clock

__all__ = ["PREDICATE", "write_values"]

PREDICATE = "total reclaimed hours"
_PROFILE = "prose"


class _Source(NamedTuple):
    """One file's episode, still without what it asserts."""

    ref: str
    kind: str
    sha: str
    episode_id: str


def write_values(store: Store, values: Values, *, clock: Clock) -> Fact:
    """Write what was read, derive the total from the graph, and give its fact.

    The same values again change nothing.
    """
    ledger = values.ledger
    _write(store, _inputs(store.namespace, values, clock()), clock)
    inputs = TOTAL.collect(store, ledger.path)
    said = msgspec.json.encode(inputs, order="deterministic")
    source = _source(store.namespace, f"{ledger.path}#total", "derived", said)
    seen = _seen(values, clock())
    fact = derived_fact(
        store.namespace, TOTAL, ledger.path, PREDICATE, inputs, seen=seen, sha=source.sha
    )
    if source.episode_id not in store.get([source.episode_id]):
        store.write(_derivation(store.namespace, source, fact, inputs, values, clock()))
    return fact


def _seen(values: Values, now: str) -> str:
    """When the ledger was last added to: what the total is true of."""
    return max((each.last for each in values.runs), default=now)


def _source(namespace: str, ref: str, kind: str, said: bytes) -> _Source:
    sha = hashlib.sha256(said).hexdigest()
    return _Source(ref, kind, sha, make_id("episode", namespace, kind, ref, sha))


def _episode(source: _Source, *, seen: str, now: str, preview: str, document: str = "") -> Episode:
    return Episode(
        episode_id=source.episode_id,
        source_type=source.kind,
        source_ref=source.ref,
        observed_at=seen,
        ingested_at=now,
        content_hash=source.sha,
        source_sha=source.sha,
        document_id=document or None,
        preview_text=excerpt(preview, limit=500),
    )


_Parts = tuple[_Source, Episode, tuple[Asserted, ...]]


def _write(store: Store, parts: Iterable[_Parts], clock: Clock) -> None:
    given = list(parts)
    live = store.get([source.episode_id for source, _, _ in given])
    due = [part for part in given if part[0].episode_id not in live]
    if due:
        store.write(
            Batch(
                recorded_at=clock(),
                episodes=tuple(episode for _, episode, _ in due),
                claims=tuple(Claim(r, s.episode_id) for s, _, records in due for r in records),
                replaces=tuple(source.ref for source, _, _ in due),
            )
        )


def _inputs(namespace: str, values: Values, now: str) -> Iterator[_Parts]:
    seen = _seen(values, now)
    for tag in values.tags:
        source = _source(namespace, f"{tag.path}#value", "value_tag", msgspec.json.encode(tag))
        entity = _tag_entity(namespace, tag, seen=seen, sha=source.sha)
        shown = f"{tag.path}: {tag.hours:g} hours a run"
        yield source, _episode(source, seen=seen, now=now, preview=shown), (entity,)
    ledger = values.ledger
    said = ledger.bytes + msgspec.json.encode(values.runs)
    source = _source(namespace, f"{ledger.path}#value", "value_ledger", said)
    shown = f"{ledger.path}: runs of {len(values.runs)} scripts"
    records = tuple(_ledger_records(namespace, values, seen=seen, sha=source.sha))
    yield source, _episode(source, seen=seen, now=now, preview=shown), records


def _tag_id(namespace: str, tag: Tag) -> str:
    return named_entity_id(namespace, EntityType.VALUE_TAG, tag.path)


def _tag_entity(namespace: str, tag: Tag, *, seen: str, sha: str) -> Entity:
    return Entity(
        entity_id=_tag_id(namespace, tag),
        type=EntityType.VALUE_TAG,
        name=f"value of {tag.path}",
        updated_at=seen,
        source_sha=sha,
        properties={
            "file_path": tag.path,
            "impact_tier": tag.impact_tier,
            "potential_savings_hours": tag.hours,
            "vq_class": tag.vq_class,
        },
    )


def _ledger_records(namespace: str, values: Values, *, seen: str, sha: str) -> Iterator[Asserted]:
    ledger = values.ledger
    own = named_entity_id(namespace, EntityType.VALUE_LEDGER, ledger.path)
    yield Entity(
        entity_id=own,
        type=EntityType.VALUE_LEDGER,
        name=ledger.path,
        aliases=tuple({ledger.path.rpartition("/")[2]} - {ledger.path}),
        updated_at=seen,
        source_sha=sha,
        properties={"file_path": ledger.path, "total_reclaimed_hours": ledger.total},
    )
    for each in values.runs:
        runs = _runs_entity(namespace, ledger.path, each, seen=seen, sha=sha)
        yield runs
        yield inferred_relation(
            namespace, runs.entity_id, RelationType.PART_OF, own, seen=seen, sha=sha
        )
        if each.tag is not None:
            target = _tag_id(namespace, each.tag)
            yield inferred_relation(
                namespace, runs.entity_id, RelationType.USES, target, seen=seen, sha=sha
            )


def _runs_entity(namespace: str, ledger: str, runs: Runs, *, seen: str, sha: str) -> Entity:
    hours = runs.tag.hours if runs.tag else DEFAULT_HOURS
    names = {runs.script.rpartition("/")[2], *([runs.tag.path] if runs.tag else [])}
    if runs.tag and runs.tag.path.rpartition("/")[2] == "metadata.yaml":
        names.discard(runs.tag.path)
    beats = {} if runs.heartbeats is None else {"heartbeats": runs.heartbeats}
    return Entity(
        entity_id=named_entity_id(namespace, EntityType.VALUE_RUNS, f"{ledger} {runs.script}"),
        type=EntityType.VALUE_RUNS,
        name=runs.script,
        aliases=tuple(sorted(names - {runs.script})),
        updated_at=seen,
        source_sha=sha,
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


def _derivation(
    namespace: str,
    source: _Source,
    fact: Fact,
    inputs: Sequence[Input],
    values: Values,
    now: str,
) -> Batch:
    """The derived fact, in a passage that shows its working and names the files."""
    text = _working(fact, inputs)
    document_id = document_entity_id(namespace, source.ref)
    title = f"Value of {values.ledger.path}"
    chunk = Chunk(
        chunk_id=make_id("chunk", source.episode_id, source.sha),
        episode_id=source.episode_id,
        document_id=document_id,
        profile=_PROFILE,
        position=0,
        text=text,
        start_line=1,
        end_line=text.count("\n") + 1,
        title=title,
    )
    document = Entity(
        entity_id=document_id,
        type=EntityType.DOCUMENT,
        name=title,
        updated_at=fact.updated_at,
        source_sha=source.sha,
        properties={
            "id": document_id,
            "title": title,
            "type": "derived",
            "file_path": source.ref,
        },
    )
    used = sorted({each for row in inputs for each in row.record_ids})
    ledger = named_entity_id(namespace, EntityType.VALUE_LEDGER, values.ledger.path)
    ties = [
        inferred_relation(
            namespace, document_id, RelationType.DERIVED_FROM, each, seen=now, sha=source.sha
        )
        for each in (ledger, *used)
    ]
    here = (chunk.chunk_id,)
    return Batch(
        recorded_at=now,
        episodes=(
            _episode(source, seen=fact.updated_at, now=now, preview=text, document=document_id),
        ),
        chunks=(profile(_PROFILE).index_chunk(chunk),),
        claims=tuple(Claim(record, source.episode_id, here) for record in (document, fact, *ties)),
        replaces=(source.ref,),
    )


def _working(fact: Fact, inputs: Sequence[Input]) -> str:
    rows = [
        f"- {each.name}: {each.values['runs']:g} runs × {each.values['hours']:g} hours "
        f"({each.values['hours_from']})"
        for each in inputs
    ]
    return "\n".join(
        (
            f"The {PREDICATE} of {fact.subject} are {fact.object} hours.",
            f"Formula {TOTAL.name}, version {TOTAL.version}: {TOTAL.text}.",
            *rows,
        )
    )
