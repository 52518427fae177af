"""Commits: the history of repositories, and what earlier change a change goes back to."""

from quipu.kind import Kind
from quipu.records.refs import COMMIT

__all__ = ["KIND"]

KIND = Kind(
    name="commits",
    profiles={COMMIT: "quipu.kinds.commits.profile:PROFILE"},
    parts={
        "plan": "quipu.kinds.commits.candidates:COMMITS",
        "answer": "quipu.kinds.commits.answer:ANSWERS",
    },
    unlinked=frozenset({COMMIT, "repository"}),
)
