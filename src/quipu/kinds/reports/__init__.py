"""Reports on communities of the graph, and questions about everything."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="reports",
    parts={"write": "quipu.kinds.reports.reflect:UPKEEP"},
    derived=frozenset({"report"}),
)
