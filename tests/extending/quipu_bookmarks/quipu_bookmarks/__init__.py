"""Bookmarks that a browser exported: what was thought worth keeping, where, and since when."""

from quipu.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="bookmarks",
    parts={
        "read": "quipu_bookmarks.read:READER",
        "answer": "quipu_bookmarks.answer:ANSWERS",
        "commands": "quipu_bookmarks.commands:COMMANDS",
        "tools": "quipu_bookmarks.tools:TOOLS",
    },
)
