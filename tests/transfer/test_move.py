"""Out to a file and in again: nothing is lost, again changes nothing, damage is named."""

import json
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
    (incident, *_) = memory.incidents.list(component="payments").incidents
    memory.incidents.resolve(incident.incident_id, "rollback", recorded_at="2026-01-01T10:20:00Z")
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
        assert other.incidents.show(incident.incident_id).state == "resolved"


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


def _altered(lines: list[str], at: int, change: Callable[[dict[str, Any]], Any]) -> list[str]:
    value = json.loads(lines[at])
    change(value)
    return [*lines[:at], json.dumps(value), *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("at", "change", "said"),
    [
        (0, lambda v: v.update(quipu="other"), ":1:"),
        (0, lambda v: v.clear(), ":1:"),
        (1, lambda v: v.update(kind="tune"), ":2:"),
        (1, lambda v: v["record"].update(surprise=1), ":2:"),
        (2, lambda v: v["record"].pop("text", None) or v["record"].pop("name", None), ":3:"),
        (1, lambda v: v.update(kind="chunk"), ":2:"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(
    memory: Memory,
    tree: Tree,
    open_memory: Open,
    tmp_path: Path,
    at: int,
    change: Callable[[dict[str, Any]], Any],
    said: str,
) -> None:
    filled(memory, tree)
    memory.export(tmp_path / "out.jsonl")
    lines = _altered((tmp_path / "out.jsonl").read_text().splitlines(), at, change)
    (tmp_path / "bad.jsonl").write_text("\n".join(lines))
    with (
        open_memory("memory:", tmp_path) as other,
        pytest.raises(InvalidInput, match=said),
    ):
        other.import_(tmp_path / "bad.jsonl")


def _of(kind: str, type_: str = "") -> Callable[[dict[str, Any]], bool]:
    return lambda v: v.get("kind") == kind and (not type_ or v["record"]["type"] == type_)


@pytest.mark.parametrize(
    ("which", "change", "said", "lost"),
    [
        (_of("relation"), {"target_entity_id": "en_gone"}, "it ends at 'en_gone', which is", 1),
        (_of("relation", "OWNED_BY"), "turn", "OWNED_BY with a target that is a Document", 1),
        (_of("relation"), "loop", "relation from a thing to itself", 1),
        (_of("entity", "Owner"), {"updated_at": "yesterday"}, "updated_at 'yesterday' is no", 2),
        (_of("fact"), {"valid_from": "soon"}, "fact whose valid_from 'soon' is no date", 1),
        (_of("chunk"), {"end_line": 0}, "passage whose lines are no range", 1),
        (_of("episode"), {"observed_at": "5"}, "all that it brought was left out", 1),
    ],
)
def test_a_record_that_breaks_the_schema_is_left_out_and_named(
    memory: Memory,
    tree: Tree,
    open_memory: Open,
    tmp_path: Path,
    which: Callable[[dict[str, Any]], bool],
    change: Any,
    said: str,
    lost: int,
) -> None:
    tree(TREE | {"other.md": "# Other\n\nText of Other.\n"})  # one owner, asserted once
    memory.index()
    memory.export(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if which(json.loads(line)))

    def alter(value: dict[str, Any]) -> None:
        record = value["record"]
        source, target = record.get("source_entity_id"), record.get("target_entity_id")
        turned = {"source_entity_id": target, "target_entity_id": source}
        loop = {"source_entity_id": target}
        record.update(
            {"turn": turned, "loop": loop}.get(change, {}) if isinstance(change, str) else change
        )

    (tmp_path / "bad.jsonl").write_text("\n".join(_altered(lines, at, alter)))
    with open_memory("memory:", tmp_path, embedder=None) as other:
        moved = other.import_(tmp_path / "bad.jsonl")
        assert said in " ".join(row.error for row in moved.refused)
        assert at + 1 in {row.line for row in moved.refused}
        assert len(moved.refused) >= lost
        assert other.validate().errors == ()


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("entity", "mention_count", -1),
        ("entity", "mention_count", 0),
        ("chunk", "position", 2**70),
        ("chunk", "start_line", -4),
        ("chunk", "end_line", 0),
        ("relation", "confidence", -0.5),
        ("relation", "confidence", 1.5),
        ("relation", "weight", -1e308),
        ("relation", "weight", 0),
    ],
)
def test_a_number_out_of_its_range_is_not_taken_in(
    memory: Memory,
    tree: Tree,
    open_memory: Open,
    tmp_path: Path,
    kind: str,
    field: str,
    value: float,
) -> None:
    filled(memory, tree)
    memory.export(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text("utf-8").split("\n")
    at = next(n for n, line in enumerate(lines) if json.loads(line).get("kind") == kind)
    lines = _altered(lines, at, lambda v: v["record"].update({field: value}))
    (tmp_path / "bad.jsonl").write_text("\n".join(lines))
    with open_memory("memory:", tmp_path) as other:
        try:
            named = [row.line for row in other.import_(tmp_path / "bad.jsonl").refused]
        except InvalidInput as error:
            named = [int(str(error).split(":")[1])]
        assert named[0] == at + 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("latency_p99", -5), ("error_rate", "high"), ("blast_radius", "NaN"), ("agent_analysis", [])],
)
def test_an_incident_that_could_not_be_compared_is_left_out(
    memory: Memory, open_memory: Open, tmp_path: Path, field: str, value: Any
) -> None:
    measured = {"error_rate": 0.5, "latency_p99": 900}
    memory.incidents.add({"component": "a", "timestamp": "2026-02-01", "metrics": measured})
    memory.export(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    held = [json.loads(line).get("record", {}).get("type") for line in lines]
    alter = lambda line: line["record"]["properties"].update({field: value})  # noqa: E731
    changed = _altered(lines, held.index("Incident"), alter)
    (tmp_path / "bad.jsonl").write_text("\n".join(changed))
    with open_memory("memory:", tmp_path) as other:
        told = " ".join(row.error for row in other.import_(tmp_path / "bad.jsonl").refused)
        assert "Incident whose properties cannot be used" in told
        asked = {"component": "a", "metrics": measured}
        assert not other.incidents.similar(asked).incidents


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
