"""Values: numbers derived from what was measured, with their working."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(name="values", parts={"answer": "quipu.kinds.values.answer:ANSWERS"})
