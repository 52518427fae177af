"""Work: goals and tasks."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="work",
    parts={"answer": "quipu.kinds.work.answer:ANSWERS"},
    ahead=frozenset({"goal", "task"}),
)
