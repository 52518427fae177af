"""Paths as people write them (from where they stand) and as the memory has them."""

import re
from pathlib import Path

from quipu.memory import Memory

__all__ = ["remembered"]

_LINES = re.compile(r"(?:(?::|#L)\d+(?:-L?\d+)?)?\Z")


def remembered(memory: Memory, ref: str) -> str:
    """`ref` as the memory has it: the path of a file that exists, seen from the present folder,
    becomes the path from the memory's home; anything else stays as it is."""
    lines = _LINES.search(ref)
    suffix = lines.group() if lines else ""
    path = Path(ref.removesuffix(suffix) if suffix else ref)
    try:
        if not path.is_file():
            return ref
        return path.resolve().relative_to(memory.home.folder.resolve()).as_posix() + suffix
    except (OSError, ValueError):  # not a name a file can have; outside the home
        return ref
