"""Out to a file and in again: nothing is lost, again changes nothing, damage is named."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.agents.entries import Entries
from quipu.errors import InvalidInput
from quipu.memory import Memory

Tree = Callable[[dict[str, str]], None]
Snap = Callable[[Any], dict[str, Any]]
Open = Callable[..., Memory]

TREE = {
    "guide.md": "---\nowner: '@team'\nvalid_from: 2025-01-01\nstatus: active\n---\n"
    "# Guide\n\nSee [the other](other.md) and `fetch_rows`.\n",
    "other.md": "---\nowner: '@team'\n---\n# Other\n\nText of Other.\n",
    "a.py": "def fetch_rows(x):\n    '''Fetch rows.'''\n    return x\n",
    "b.py": "from a import fetch_rows\n\ndef go():\n    return fetch_rows(1)\n",
}


def filled(memory: Memory, tree: Tree) -> None:
    tree(TREE)
    memory.index()
    memory.add("A note — with “signs” and \u2028 in it.", title="Note", group="talk")
    memory.relate("guide.md", "explains", "a.py", confidence=0.4, description="it does")
    (memory.home.folder / "b.py").unlink()
    memory.index()


@pytest.mark.parametrize(
    "target",
    [
        "memory",
        "sqlite",
        pytest.param("postgres", marks=pytest.mark.slow),
        pytest.param("neo4j", marks=(pytest.mark.enable_socket, pytest.mark.slow)),
    ],
)
def test_a_memory_of_everything_comes_back_byte_for_byte(
    memory: Memory,
    tree: Tree,
    open_memory: Open,
    tmp_path: Path,
    target: str,
    address_of: Callable[[str, str], str],
) -> None:
    filled(memory, tree)
    said: list[dict[str, object]] = [
        {"role": "user", "content": "I live in Oslo. My sister is Ann."},
        {"role": "assistant", "content": "Noted."},
    ]
    memory.add(said, session_id="talk-1")
    first = Entries(memory).store("We deploy on Mondays.", category="decision", tags=["deploy"])
    Entries(memory).store(
        "Deploys need two reviews.", category="decision", related_to=[first.entry.id]
    )
    memory.add("Eva Gray lives in Bergen since March 2010.", source_ref="notes/eva.md")
    memory.add("Eva Gray lives in Oslo since May 2018.", source_ref="notes/eva.md")
    began = "2026-01-01T10:00:00Z"
    memory.incidents.add(
        [
            {"component": name, "timestamp": began, "severity": "high", "title": "queue is full"}
            for name in ("payments", "billing")
        ]
    )
    (full, *_) = memory.incidents.list(component="payments").incidents
    memory.incidents.resolve(full.incident_id, "rollback", recorded_at="2026-01-01T10:20:00Z")
    undone = memory.relate("other.md", "mentions", "a.py")
    memory.unrelate(undone.rel_id)
    out, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    memory.export(out, vectors=True)
    types = {
        json.loads(line).get("record", {}).get("type") for line in out.read_bytes().splitlines()
    }
    assert {"Document", "Incident", "Outcome"} <= types
    with open_memory(address_of(target, "new"), tmp_path / "new", embedder=None) as other:
        assert not other.import_(out).refused
        other.export(again, vectors=True)
        assert again.read_bytes().splitlines() == out.read_bytes().splitlines()
        assert other.incidents.show(full.incident_id).state == "resolved"


def test_what_was_imported_can_be_searched_and_indexed_on(
    memory: Memory, tree: Tree, open_memory: Open, tmp_path: Path
) -> None:
    filled(memory, tree)
    memory.export(tmp_path / "out.jsonl")
    with open_memory("memory:", memory.home.folder) as other:
        other.import_(tmp_path / "out.jsonl")
        report = other.index(memory.home.folder)
        assert (report.added, report.changed, report.removed) == ((), (), ())
        assert report.embedded == report.chunks
        assert other.search("fetch rows").hits[0].path == "a.py"


def test_an_import_brings_a_source_to_the_exported_state(
    memory: Memory, tree: Tree, snapshot: Snap, tmp_path: Path
) -> None:
    filled(memory, tree)
    memory.export(tmp_path / "out.jsonl", vectors=True)
    held = snapshot(memory.store)
    tree({"other.md": "# Other\n\nQuite different now.\n"})
    memory.index()
    assert snapshot(memory.store) != held
    memory.import_(tmp_path / "out.jsonl")
    assert snapshot(memory.store) == held


def line(**fields: Any) -> Callable[[dict[str, Any]], object]:
    """Puts other values into a line."""
    return lambda value: value.update(fields)


def record(**fields: Any) -> Callable[[dict[str, Any]], object]:
    """Puts other values into the record of a line."""
    return lambda value: value["record"].update(fields)


def incident(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda value: value["record"]["properties"].update(fields)


def turned(value: dict[str, Any]) -> None:
    ends = value["record"]
    ends["source_entity_id"], ends["target_entity_id"] = (
        ends["target_entity_id"],
        ends["source_entity_id"],
    )


def looped(value: dict[str, Any]) -> None:
    value["record"]["source_entity_id"] = value["record"]["target_entity_id"]


UNCOMPARED = "Incident whose properties cannot be used"
WRONG: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("export", line(quipu="other"), "is not the header"),
    ("export", dict[str, Any].clear, "is not the header"),
    # lines that cannot be used
    ("episode", line(kind="tune"), "cannot be used"),
    ("episode", line(kind="chunk"), "cannot be used"),
    ("episode", record(surprise=1), "cannot be used"),
    ("episode", line(recorded_at="2026-01-02"), "cannot be used"),
    ("chunk", lambda value: value["record"].pop("text"), "cannot be used"),
    ("chunk", record(profile="unheard"), "cannot be used"),
    ("chunk", record(episode_id="ep_0123"), "cannot be used"),
    ("chunk", record(chunk_id="odd"), "cannot be used"),
    ("entity", line(episode_id="ep_0123"), "cannot be used"),
    ("entity", line(recorded_at="yesterday"), "cannot be used"),
    ("vector", line(vector="!!"), "cannot be used"),
    ("vector", line(vector="AAAAAAAA"), "cannot be used"),
    ("vector", line(vector=""), "cannot be used"),
    ("vector", line(parts=["AAAA"]), "cannot be used"),
    # numbers that no writer gives
    ("entity", record(mention_count=-1), ""),
    ("entity", record(mention_count=0), ""),
    ("chunk", record(position=2**70), ""),
    ("chunk", record(start_line=-4), ""),
    ("relation", record(confidence=-0.5), ""),
    ("relation", record(confidence=1.5), ""),
    ("relation", record(weight=-1e308), ""),
    ("relation", record(weight=0), ""),
    # records that break the schema
    ("relation", record(target_entity_id="en_gone"), "it ends at 'en_gone', which is"),
    ("relation OWNED_BY", turned, "OWNED_BY with a target that is a Document"),
    ("relation", looped, "relation from a thing to itself"),
    ("entity Owner", record(updated_at="yesterday"), "updated_at 'yesterday' is no"),
    ("fact", record(valid_from="soon"), "fact whose valid_from 'soon' is no date"),
    ("chunk", record(end_line=0), "passage whose lines are no range"),
    ("episode", record(observed_at="5"), "all that it brought was left out"),
    # incidents that could not be compared
    ("entity Incident", incident(latency_p99=-5), UNCOMPARED),
    ("entity Incident", incident(error_rate="high"), UNCOMPARED),
    ("entity Incident", incident(blast_radius="NaN"), UNCOMPARED),
    ("entity Incident", incident(agent_analysis=[]), UNCOMPARED),
]


@pytest.fixture(scope="module")
def exported(open_memory: Open, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of an export of everything; one owner is asserted once."""
    home = tmp_path_factory.mktemp("home")
    for name, text in (TREE | {"other.md": "# Other\n\nText of Other.\n"}).items():
        (home / name).write_text(text, "utf-8")
    with open_memory("memory:", home) as memory:
        memory.index(home)
        measured = {"error_rate": 0.5, "latency_p99": 900}
        memory.incidents.add({"component": "a", "timestamp": "2026-02-01", "metrics": measured})
        memory.export(home / "out.jsonl", vectors=True)
    return (home / "out.jsonl").read_text("utf-8").split("\n")[:-1]


@pytest.mark.parametrize(("which", "change", "said"), WRONG)
def test_whatever_is_wrong_is_named_with_its_line(
    exported: list[str],
    open_memory: Open,
    tmp_path: Path,
    which: str,
    change: Callable[[dict[str, Any]], object],
    said: str,
) -> None:
    kind, _, of = which.partition(" ")
    values = [json.loads(text) for text in exported]
    values[0]["kind"] = "export"
    at = next(
        n
        for n, value in enumerate(values)
        if value["kind"] == kind and (not of or value["record"]["type"] == of)
    )
    del values[0]["kind"]
    change(values[at])
    bad = [*exported[:at], json.dumps(values[at]), *exported[at + 1 :]]
    (tmp_path / "bad.jsonl").write_text("\n".join(bad), "utf-8")
    with open_memory("memory:", tmp_path, embedder=None) as other:
        named, told = taken_in(other, tmp_path / "bad.jsonl")
    assert at + 1 in named or "from here on" in told
    assert said in told


def taken_in(memory: Memory, path: Path) -> tuple[set[int], str]:
    """The lines that an import names, and what it says of them; what it let in is sound."""
    try:
        refused = memory.import_(path).refused
    except InvalidInput as error:
        return {int(n) for n in re.findall(r"bad\.jsonl:(\d+):", str(error))}, str(error)
    assert memory.validate().errors == ()
    return {row.line for row in refused}, " ".join(row.error for row in refused)


def test_a_cut_file_is_named_and_what_came_before_stands(
    memory: Memory, tree: Tree, open_memory: Open, tmp_path: Path
) -> None:
    filled(memory, tree)
    memory.export(tmp_path / "out.jsonl")
    data = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(data[: len(data) - 40])
    with open_memory("memory:", tmp_path) as other:
        with pytest.raises(InvalidInput, match="damaged"):
            other.import_(tmp_path / "cut.jsonl")
        other.import_(tmp_path / "out.jsonl")
        assert other.store.counts() == memory.store.counts()
