"""Relations that a rule infers from records."""

from collections.abc import Iterable

from quipu.records.naming import relation_id
from quipu.records.record import Relation
from quipu.records.schema import RelationType
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["inferred_relation"]


def inferred_relation(
    namespace: str,
    source_id: str,
    type_: RelationType,
    target_id: str,
    *,
    seen: str,
    sha: str,
    confidence: float = 1.0,
    why: Iterable[str] = (),
) -> Relation:
    """A relation that a rule infers; `why` is the evidence it was made from."""
    reasons = list(why)
    return Relation(
        rel_id=relation_id(namespace, source_id, type_, target_id),
        source_entity_id=source_id,
        target_entity_id=target_id,
        type=type_,
        created_at=seen,
        updated_at=seen or UNKNOWN_TIME,
        source_sha=sha,
        confidence=confidence,
        description="; ".join(reasons),
        properties={"evidence": [*reasons]} if reasons else {},
    )
