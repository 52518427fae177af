"""Which of the evidence records a decision: where the reasons stand."""

from collections.abc import Sequence

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.ports import Graph
from quipu.records.record import Entity
from quipu.records.schema import RelationType

__all__ = ["decisions"]

_DECIDING = frozenset({"adr", "decision", "rfc"})
_LEADING = frozenset(each for each in RelationType if each.row.reason)
_FROM = 3


def decisions(asked: Asked, graph: Graph, evidence: Sequence[Evidence]) -> frozenset[str]:
    """The ids of the documents of `evidence` that record a decision, for a question that asks for
    a reason: those at the head of the evidence, and those that the head leads to."""
    if asked.answer_type != "reason" or not evidence:
        return frozenset()
    head = list(dict.fromkeys(e.document_id for e in evidence[:_FROM] if e.document_id))
    led = graph.neighbors(head, types=_LEADING)
    ends = {r.target_entity_id for relations in led.values() for r in relations}
    records = graph.get(sorted({*head, *ends}))
    return frozenset(
        entity_id
        for entity_id, record in records.items()
        if isinstance(record, Entity) and record.properties.get("type") in _DECIDING
    )
