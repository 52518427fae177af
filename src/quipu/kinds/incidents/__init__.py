"""Incidents: what happened, what was tried, what came of it, and what that advises."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="incidents",
    parts={
        "records": "quipu.kinds.incidents.records:SOUNDNESS",
        "write": "quipu.kinds.incidents.links:UPKEEP",
        "answer": "quipu.kinds.incidents.answer:ANSWERS",
    },
)
