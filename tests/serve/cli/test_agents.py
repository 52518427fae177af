"""`quipu mcp …` on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "someone"
    home.mkdir()
    monkeypatch.setattr(Path, "home", classmethod(lambda _: home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return home


def test_agents_are_set_up_once_it_was_agreed_and_taken_back(quipu, user_home: Path) -> None:
    (user_home / ".codex").mkdir()
    (user_home / ".cursor").mkdir()
    planned = quipu("setup", "--dry-run", "--json").document
    assert (planned["found"], planned["written"]) == (["codex", "cursor"], False)
    asked = quipu("setup")
    assert "nothing was written" in asked.err
    assert list((user_home / ".cursor").iterdir()) == []
    assert quipu("setup", "--yes", "--json").document["written"]
    entry = json.loads((user_home / ".cursor" / "mcp.json").read_text("utf-8"))["mcpServers"]
    assert entry["quipu"]["args"] == ["mcp"]
    assert Path(entry["quipu"]["command"]).name == "quipu"
    assert "unchanged" in quipu("setup", "cursor").out
    assert "removed" in quipu("setup", "--remove", "--yes").out
    assert [list(folder.iterdir()) for folder in sorted(user_home.iterdir())] == [[], []]
    assert quipu("setup", "emacs").code == 2
    assert quipu("setup", "cursor", "--name", " ", "--yes").code == 2
    assert "hooks take in" in quipu("setup", "codex", "--namespace", "ops", "--yes").err


def test_what_is_left_to_a_person_is_shown_as_it_is_to_be_pasted(quipu, user_home: Path) -> None:
    (user_home / ".cursor").mkdir()
    (user_home / ".cursor" / "mcp.json").write_text("{mine", "utf-8")
    outcome = quipu("setup", "cursor", "--yes")
    assert outcome.code == 1
    assert '\n    "quipu": {\n' in outcome.out


def test_hooks_are_paused_somewhere_or_everywhere(quipu, tmp_path: Path) -> None:
    assert quipu("pause", "--json").document == {"everywhere": True, "folders": []}
    refused = quipu("pause", "apart")
    assert (refused.code, "there is no folder 'apart'" in refused.err) == (2, True)
    (tmp_path / "apart").mkdir()
    apart = quipu("pause", "apart", "--json").document
    assert apart == {"everywhere": True, "folders": [str(tmp_path / "apart")]}
    assert not quipu("pause", "--off", "--json").document["everywhere"]
    assert quipu("pause", "apart", "--off", "--json").document["folders"] == []
    assert quipu("pause", "two\nlines").code == 2
    assert quipu("pause", "no\udcfftext").code == 2


def test_the_old_command_works_and_says_that_it_goes(quipu, user_home: Path) -> None:
    told = quipu("mcp", "install", "--client", "claude-code", "--profile", "full", "--json")
    assert [change["done"] for change in told.document["changes"]] == ["created"]
    assert "quipu setup" in told.err
    entry = json.loads((user_home / ".claude.json").read_text("utf-8"))["mcpServers"]["quipu"]
    assert entry["args"] == ["mcp", "--profile", "full"]
    assert [path.name for path in user_home.iterdir()] == [".claude.json"]
    gone = quipu("mcp", "uninstall", "--client=claude-code", "--json").document
    assert [change["done"] for change in gone["changes"]] == ["removed"]
    assert list(user_home.iterdir()) == []


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


def test_over_http_it_is_what_serve_serves(
    quipu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("0123456789abcdef", "utf-8")
    served: list[Any] = []
    monkeypatch.setattr(
        "quipu.serve.http.app.serve", lambda memories, options: served.append(options)
    )
    words = ("--http", "--profile", "full", "--port", "9000", "--token-file", "key", "--no-watch")
    assert quipu("mcp", *words).code == 0
    assert (served[0].profile, served[0].port, served[0].read_only) == ("full", 9000, False)
    assert (tmp_path / ".quipu" / "quipu.db").exists()
    assert quipu("mcp", "--token-file", "key").code == 2


@pytest.mark.parametrize("words", [("--profile", "search-fetch"), ("--profile=search-fetch",)])
def test_an_entry_of_the_last_version_is_served_with_a_warning(
    quipu, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    served: list[object] = []
    monkeypatch.setattr("quipu.serve.mcp.server.Server.run", lambda _self, by: served.append(by))
    outcome = quipu("mcp", *words)
    assert (outcome.code, served) == (0, ["stdio"])
    assert "goes with the next version" in outcome.err
