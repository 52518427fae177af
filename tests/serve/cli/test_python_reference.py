"""The page of the Python interface is what the code says, and leaves nothing out."""

import re
from functools import cached_property
from pathlib import Path

import quipu

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEADINGS = set(re.findall(r"^#{2,3} (\S+)$", TEXT, re.MULTILINE))


def nouns() -> dict[str, type]:
    held = {name: m for name, m in vars(quipu.Memory).items() if isinstance(m, cached_property)}
    kinds = {"incidents": quipu.Incidents, "values": quipu.Values, "entities": quipu.Entities}
    kinds |= {"facts": quipu.Facts, "jobs": quipu.JobQueue}
    assert kinds.keys() == held.keys()
    return kinds


def test_every_exported_type_is_on_it() -> None:
    shown = {kind.__name__ for kind in nouns().values()} | {"Memory", "__version__"}
    assert set(quipu.__all__) - HEADINGS - shown == set()
