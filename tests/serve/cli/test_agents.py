"""`quipu mcp …` on the command line."""

import json
import sys
from pathlib import Path

import pytest

LINES = [
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Runs", "Runs"]},
    {"type": "entity", "name": "Acme", "entityType": "org", "observations": []},
    {"type": "relation", "from": "Ann", "to": "Acme", "relationType": "works_at"},
]


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "someone"
    home.mkdir()
    monkeypatch.setattr(Path, "home", classmethod(lambda _: home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return home


def test_a_client_is_told_and_forgets(quipu, project: Path, user_home: Path) -> None:
    told = quipu("mcp", "install", "--client", "claude-code", "--profile", "full", "--json")
    assert told.document["done"] == "created"
    entry = json.loads((user_home / ".claude.json").read_text("utf-8"))["mcpServers"]["quipu"]
    store = str((project / ".quipu" / "quipu.db").resolve())
    assert entry["args"] == ["mcp", "--store", store, "--profile", "full"]
    assert Path(entry["command"]).name == "quipu"
    again = quipu("mcp", "install", "--client", "claude-code", "--profile", "full")
    assert "has it already" in again.out
    assert quipu("mcp", "uninstall", "--client", "claude-code").code == 0
    assert not (user_home / ".claude.json").exists()


def test_a_project_is_told_without_paths_of_this_machine(quipu, project: Path) -> None:
    assert quipu("mcp", "install", "--client", "cursor", "--project").code == 0
    entry = json.loads((project / ".cursor" / "mcp.json").read_text("utf-8"))["mcpServers"]
    assert entry == {"quipu": {"command": "quipu", "args": ["mcp"]}}


def test_without_a_memory_no_client_is_told(quipu, user_home: Path) -> None:
    outcome = quipu("mcp", "install", "--client", "codex")
    assert outcome.code == 2
    assert "quipu init" in outcome.err
    assert list(user_home.iterdir()) == []


def test_the_official_servers_file_is_taken_in(quipu, project: Path) -> None:
    lines = [json.dumps(line) for line in LINES]
    (project / "memory.jsonl").write_text("\n".join([*lines, "{bad", '{"type": 1}']), "utf-8")
    first = quipu("mcp", "import", "memory.jsonl", "--json").document
    assert (first["entities"], first["observations"], first["relations"]) == (2, 1, 1)
    assert [error.split(":")[0] for error in first["errors"]] == ["line 4", "line 5"]
    again = quipu("mcp", "import", "memory.jsonl", "--json").document
    assert (again["entities"], again["observations"], again["relations"]) == (0, 0, 0)


def test_options_that_do_not_fit_are_refused(quipu, project: Path) -> None:
    (project / "token").write_text("x" * 40, "utf-8")
    outcome = quipu("mcp", "--token-file", "token")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--http" in outcome.err
    assert quipu("mcp", "--profile", "everything").code == 2
    assert "--token-file" in quipu("mcp", "--http", "--host", "0.0.0.0").err


def test_a_client_is_told_of_a_server_that_cannot_start_yet(
    quipu, project: Path, user_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "quipu-memory[mcp]" not in quipu("mcp", "install", "--client", "codex").err
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = quipu("mcp", "install", "--client", "claude-code")
    assert (outcome.code, (user_home / ".claude.json").exists()) == (0, True)
    assert "pip install 'quipu-memory[mcp]'" in outcome.err


def test_without_the_sdk_the_command_says_what_to_install(
    quipu, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in sys.modules if n.startswith("quipu.serve.mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("mcp", "mcp.server"):
        monkeypatch.setitem(sys.modules, name, None)
    outcome = quipu("mcp")
    assert outcome.code == 3
    assert "pip install 'quipu-memory[mcp]'" in outcome.err
