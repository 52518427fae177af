"""Relations by hand: each is asserted by an episode of its own, so it can be changed and undone."""

import hashlib
import math

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.ports import Store
from quipu.read.redact import Redactor
from quipu.records.authority import by_role, governed
from quipu.records.batch import Batch
from quipu.records.ids import relation_id
from quipu.records.record import Entity, Properties, Relation
from quipu.records.schema import relation_type
from quipu.soundness import end_fault
from quipu.source import Draft
from quipu.when.instants import Clock

_SOURCE_TYPE = "manual_ingest"
_SPELLING = "as_written"  # the property that keeps how the type was spelled


def related(
    store: Store,
    source: Entity,
    written_type: str,
    target: Entity,
    *,
    clock: Clock,
    confidence: float = 1.0,
    weight: float = 1.0,
    description: str = "",
    properties: Properties | None = None,
) -> tuple[str, Batch | None]:
    """The id of the relation of this type between the ends, and what is to be written for it, in
    place of what was said of it by hand; None where it stands already.

    Where a file asserts it too, the number given here is the one that counts: the file's
    assertion ends until the file changes. Raises InvalidInput for ends that a relation of this type
    cannot tie.
    """
    redactor = Redactor()
    properties = redactor.properties(properties or {})
    if not 0 <= confidence <= 1:
        raise InvalidInput(f"confidence {confidence!r} is out of range: give 0 to 1")
    if not (weight > 0 and math.isfinite(weight)):
        raise InvalidInput(f"weight {weight!r} is out of range: give a number above 0")
    relation = _relation(store.namespace, source, redactor.text(written_type), target)
    _require_ends(relation, source, target)
    merged = {**relation.properties, **properties}
    relation = msgspec.structs.replace(
        relation,
        confidence=confidence,
        weight=weight,
        description=redactor.text(description),
        properties=by_role(merged, "person") if governed(relation) else merged,
    )
    kind, rel_id = relation.type, relation.rel_id
    stated = {key: value for key, value in properties.items() if key != _SPELLING}
    said = msgspec.structs.replace(relation, properties=stated)  # however it was spelled
    content_hash = hashlib.sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()
    now = clock()
    ref = f"relation:{rel_id}"
    draft = Draft(namespace=store.namespace, type=_SOURCE_TYPE, ref=ref, sha=content_hash, seen=now)
    if draft.episode_id in store.get([draft.episode_id]) and _stored(store, rel_id) is not None:
        return rel_id, None
    episode = draft.episode(now, preview=f"{source.name} {kind} {target.name}")
    relation = msgspec.structs.replace(
        relation, created_at=now, updated_at=now, source_sha=content_hash
    )
    return rel_id, Batch(
        recorded_at=now,
        episodes=(episode,),
        claims=draft.claims([relation]),
        replaces=(ref,),
        ends=(rel_id,),
    )


def _relation(namespace: str, source: Entity, written_type: str, target: Entity) -> Relation:
    """The relation between the ends, still without its times."""
    kind = relation_type(written_type)
    return Relation(
        rel_id=relation_id(namespace, source.entity_id, kind, target.entity_id),
        source_entity_id=source.entity_id,
        target_entity_id=target.entity_id,
        type=kind,
        created_at="",
        updated_at="",
        source_sha="",
        properties={_SPELLING: written_type},
    )


def _require_ends(relation: Relation, source: Entity, target: Entity) -> None:
    if source.entity_id == target.entity_id:
        raise InvalidInput(
            f"{source.name!r} is both ends: name two things (a relation from a thing to itself "
            "says nothing)"
        )
    if wrong := end_fault(relation, source.type, target.type):
        raise InvalidInput(
            f"{wrong}, {source.name!r} to {target.name!r}: turn the ends round, or use another "
            "type (RELATED_TO ties anything)"
        )


def unrelate(store: Store, rel_id: str, *, clock: Clock) -> Relation:
    """End every live assertion of a relation and give what it was; history stays."""
    relation = relation_of(store, rel_id)
    store.write(Batch(recorded_at=clock(), replaces=(f"relation:{rel_id}",), ends=(rel_id,)))
    return relation


def _stored(store: Store, rel_id: str) -> Relation | None:
    found = store.get([rel_id]).get(rel_id)
    return found if isinstance(found, Relation) else None


def relation_of(store: Store, rel_id: str) -> Relation:
    """The live relation with this id. Raises UnknownRecord."""
    relation = _stored(store, rel_id)
    if relation is None:
        raise UnknownRecord(
            f"there is no relation {rel_id!r}: `quipu relation list` shows the ones there are"
        )
    return relation
