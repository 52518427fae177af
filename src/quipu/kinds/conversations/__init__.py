"""Conversations: transcripts and messages, turn by turn."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="conversations",
    profiles={"conversation": "quipu.kinds.conversations.profile:PROFILE"},
    parts={
        "plan": "quipu.kinds.conversations.candidates:TURNS",
        "answer": "quipu.kinds.conversations.answer:ANSWERS",
    },
)
