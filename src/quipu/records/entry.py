"""What a durable entry is called, and the categories there are."""

from typing import Literal, TypeAlias, get_args

__all__ = ["CATEGORIES", "ENTRY", "Category"]

Category: TypeAlias = Literal[
    "preference", "instruction", "fact", "project", "person", "decision", "insight"
]
CATEGORIES: tuple[Category, ...] = get_args(Category)

ENTRY = "memory"
"""The document type of an entry."""
