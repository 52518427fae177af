"""Files: prose, code and data."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="files",
    profiles={"prose": "quipu.kinds.files.prose:PROFILE", "code": "quipu.kinds.files.code:PROFILE"},
    parts={"answer": "quipu.kinds.files.answer:ANSWERS"},
)
