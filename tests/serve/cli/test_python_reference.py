"""The page of the Python interface is what the code says, and leaves nothing out."""

import re
from functools import cached_property
from pathlib import Path

import quipu
from quipu.handle.handle import Handle

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEADINGS = set(re.findall(r"^#{2,3} (\S+)$", TEXT, re.MULTILINE))


def nouns() -> dict[str, type]:
    members = {name: getattr(quipu.Memory, name) for name in dir(quipu.Memory)}
    held = {n for n, m in members.items() if isinstance(m, cached_property) and n[0] != "_"}
    kinds = {"incidents": quipu.Incidents, "values": quipu.Values, "entities": quipu.Entities}
    kinds |= {"facts": quipu.Facts, "jobs": quipu.JobQueue, "reports": quipu.Reports}
    shared = {name for name, m in vars(Handle).items() if isinstance(m, cached_property)}
    assert kinds.keys() == held - shared - {"freshness"}
    return kinds


def test_every_exported_type_is_on_it() -> None:
    shown = {kind.__name__ for kind in nouns().values()} | {"Memory", "__version__"}
    assert set(quipu.__all__) - HEADINGS - shown == set()
