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
    assert entry["args"] == ["mcp", "--profile", "full"]
    assert Path(entry["command"]).name == "quipu"
    again = quipu("mcp", "install", "--client", "claude-code", "--profile", "full")
    assert "unchanged" in again.out
    assert quipu("mcp", "uninstall", "--client", "claude-code").code == 0
    assert not (user_home / ".claude.json").exists()


def test_one_entry_serves_every_project_and_none_is_replaced_unasked(
    quipu, project: Path, user_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def args(name: str = "quipu") -> list[str]:
        text = (user_home / ".claude.json").read_text("utf-8")
        return json.loads(text)["mcpServers"][name]["args"]

    telling = ("mcp", "install", "--client", "claude-code")
    assert quipu(*telling).code == 0
    second = tmp_path / "second"
    second.mkdir()
    monkeypatch.chdir(second)
    quipu("init")
    assert "unchanged" in quipu(*telling).out
    assert args() == ["mcp"]  # the memory of the folder that the client works in
    stores = [str(folder / ".quipu" / "quipu.db") for folder in (project, second)]
    assert quipu(*telling, "--name", "first", "--store", stores[0]).code == 0
    refused = quipu(*telling, "--name", "first", "--store", stores[1])
    assert refused.code == 2
    assert "--replace" in refused.err
    assert "--name" in refused.err
    assert args("first") == ["mcp", "--store", stores[0]]
    assert quipu(*telling, "--name", "first").code == 2  # nor by one that serves any folder
    assert quipu(*telling, "--name", "first", "--store", stores[1], "--replace").code == 0
    assert args("first") == ["mcp", "--store", stores[1]]


def test_in_a_folder_without_a_memory_the_server_still_serves(
    quipu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    served: list[object] = []
    monkeypatch.setattr("quipu.serve.mcp.server.Server.run", lambda _self, by: served.append(by))
    outcome = quipu("mcp")
    assert outcome.code == 0
    assert "there is no memory in" in outcome.err
    assert served == ["stdio"]
    assert list(tmp_path.glob(".quipu")) == []


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
