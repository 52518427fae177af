"""The page of the Python interface is what the code says, and leaves nothing out."""

import re
from functools import cached_property
from pathlib import Path

from tools.python_reference import WAYS, reference

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


def test_the_page_is_up_to_date() -> None:
    assert reference() == TEXT


def test_every_public_name_of_a_memory_and_its_nouns_is_on_it() -> None:
    wanted = {f"memory.{name}" for name in vars(quipu.Memory) if not name.startswith("_")}
    for noun, kind in nouns().items():
        wanted |= {f"memory.{noun}.{name}" for name in vars(kind) if not name.startswith("_")}
    assert wanted - {heading.replace("Memory", "memory") for heading in HEADINGS} == set()


def test_every_exported_type_is_on_it() -> None:
    shown = {kind.__name__ for kind in nouns().values()} | {"Memory", "__version__"}
    assert set(quipu.__all__) - HEADINGS - shown == set()


def test_every_type_named_in_it_is_explained() -> None:
    fields = re.findall(r"^\w+: ([^=\n]+)", TEXT, re.MULTILINE)
    returned = re.findall(r"-> ([^`]+?)$", TEXT, re.MULTILINE)
    plain = re.compile(r"'[^']*'")
    names = {
        name
        for written in (*fields, *returned)
        for name in re.findall(r"\b[A-Z]\w*[a-z]\w*\b", plain.sub("", written))
    }
    foreign = set(
        "Any Callable Event False FrozenDict Literal Mapping Path Self SSLContext".split()
    )
    foreign |= {"Iterable", "Iterator", "Sequence", "None", "UnsetType"}
    assert len(names) > 60
    assert names - foreign - HEADINGS == set()


def test_a_field_has_its_type_and_its_default() -> None:
    part = TEXT.split("\n### Scope\n", 1)[1].split("\n### ", 1)[0]
    assert "before: str | None = None\n" in part


def test_every_way_in_is_in_the_table() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| ([a-z ]+) \|$", TEXT, re.MULTILINE))
    assert set(rows.values()) == set(WAYS.values())
    assert (rows["add"], rows["relate"], rows["forget"]) == (
        "a job first",
        "at once",
        "written down first",
    )
