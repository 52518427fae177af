"""Clients are told of the server and forget it again; what else they keep is left alone."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from quipu.errors import InvalidInput
from quipu.serve.mcp.installing import (
    CLIENTS,
    Client,
    ConfigFile,
    ServerCommand,
    install,
    place_of,
    uninstall,
)

COMMAND = ServerCommand("/opt/bin/quipu", ("mcp", "--store", "/data/ü.db"))
JSON = """{
    "theme": "dark — ünïcode",
    "mcpServers": {
        "other": {"command": "npx", "args": ["-y", "x"]}
    },
    "last": [1, 2.50]
}"""
TOML = """\
# my settings
model = "o9"   # the best

[mcp_servers.other]
command = "npx"

[mcp_servers.other.env]
KEY = "v"

[tui]
notifications = true
"""
FULL = {
    "claude-code": JSON,
    "claude-desktop": JSON,
    "cursor": JSON,
    "vscode": JSON.replace("mcpServers", "servers"),
    "codex": TOML,
}


def _servers(place: ConfigFile) -> Any:
    text = place.file.read_text("utf-8")
    return (tomllib.loads(text) if place.is_toml else json.loads(text))[place.key]


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    return request.param


@pytest.fixture
def place(client: Client, tmp_path: Path) -> ConfigFile:
    found = place_of(
        client, "user", folder=tmp_path, home=tmp_path / "home", environ={}, platform="linux"
    )
    found.file.parent.mkdir(parents=True, exist_ok=True)
    return found


@pytest.fixture
def full(client: Client, place: ConfigFile) -> ConfigFile:
    place.file.write_text(FULL[client], "utf-8")
    place.file.chmod(0o640)
    return place


def test_a_client_without_a_file_gets_one(place: ConfigFile) -> None:
    change = install(place, "quipu", COMMAND)
    assert (change.done, change.backup) == ("created", None)
    entry = _servers(place)["quipu"]
    assert (entry["command"], entry["args"]) == (COMMAND.command, list(COMMAND.args))
    assert entry.get("type") == ("stdio" if place.typed else None)
    assert uninstall(place, "quipu").done == "removed"
    assert not place.file.exists()
    assert list(place.file.parent.iterdir()) == []


def test_what_else_stands_there_stays(full: ConfigFile) -> None:
    before = full.file.read_text("utf-8")
    change = install(full, "quipu", COMMAND)
    assert change.done == "changed"
    assert change.backup
    assert change.backup.read_text("utf-8") == before
    assert set(_servers(full)) == {"other", "quipu"}
    assert full.file.stat().st_mode & 0o777 == 0o640
    if full.is_toml:
        assert "# the best" in full.file.read_text("utf-8")


def test_installing_again_changes_nothing(full: ConfigFile) -> None:
    install(full, "quipu", COMMAND)
    once = full.file.read_bytes()
    assert install(full, "quipu", COMMAND).done == "unchanged"
    assert full.file.read_bytes() == once


def test_undoing_puts_the_file_back_byte_for_byte(full: ConfigFile) -> None:
    before = full.file.read_bytes()
    install(full, "quipu", COMMAND)
    other = ServerCommand("/opt/bin/quipu", ("mcp", "--profile", "full"))
    install(full, "quipu", other, replace=True)
    assert _servers(full)["quipu"]["args"] == ["mcp", "--profile", "full"]
    assert uninstall(full, "quipu").done == "removed"
    assert full.file.read_bytes() == before
    assert [path.name for path in full.file.parent.iterdir()] == [full.file.name]


def test_undoing_keeps_what_was_changed_since(full: ConfigFile) -> None:
    install(full, "quipu", COMMAND)
    text = full.file.read_text("utf-8")
    since = text.replace("dark", "light").replace("notifications = true", "notifications = false")
    full.file.write_text(since, "utf-8")
    uninstall(full, "quipu")
    left = full.file.read_text("utf-8")
    assert "light" in left or "notifications = false" in left
    assert set(_servers(full)) == {"other"}


@pytest.mark.parametrize("text", ["{not json", "[1, 2]", '{"mcpServers": 5, "servers": 5}', "\x00"])
def test_a_file_that_cannot_be_read_is_left_alone(full: ConfigFile, text: str) -> None:
    full.file.write_text(text, "utf-8")
    with pytest.raises(InvalidInput):
        install(full, "quipu", COMMAND)
    assert full.file.read_text("utf-8") == text


def test_a_link_to_the_file_stays_a_link(full: ConfigFile, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / full.file.name
    real.parent.mkdir()
    full.file.rename(real)
    full.file.symlink_to(real)
    install(full, "quipu", COMMAND)
    assert full.file.is_symlink()
    assert "quipu" in _servers(full)


@pytest.mark.parametrize(
    "text",
    [
        'a = 1\nmcp_servers = { quipu = { command = "a" }, other = { command = "b" } }\n',
        'a = 1\n\n[mcp_servers."quipu"]\ncommand = "a"\n\n[mcp_servers.other]\ncommand = "b"\n',
    ],
)
def test_toml_written_in_any_way_keeps_what_else_it_holds(tmp_path: Path, text: str) -> None:
    place = ConfigFile(tmp_path / "config.toml", "mcp_servers")
    place.file.write_text(text, "utf-8")
    install(place, "quipu", COMMAND)
    held = tomllib.loads(place.file.read_text("utf-8"))
    assert held["a"] == 1
    assert held["mcp_servers"]["other"] == {"command": "b"}
    assert held["mcp_servers"]["quipu"]["command"] == COMMAND[0]


@pytest.mark.parametrize(
    ("client", "platform", "environ", "expected"),
    [
        ("claude-code", "linux", {}, "home/.claude.json"),
        ("cursor", "darwin", {}, "home/.cursor/mcp.json"),
        ("codex", "linux", {"CODEX_HOME": "/c"}, "/c/config.toml"),
        (
            "claude-desktop",
            "darwin",
            {},
            "home/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("vscode", "win32", {"APPDATA": "/roaming"}, "/roaming/Code/User/mcp.json"),
        ("vscode", "linux", {}, "home/.config/Code/User/mcp.json"),
    ],
)
def test_each_client_has_its_place(
    client: Client, platform: str, environ: dict[str, str], expected: str
) -> None:
    place = place_of(
        client, "user", folder=Path("p"), home=Path("home"), environ=environ, platform=platform
    )
    assert place.file == Path(expected)


def test_a_project_has_files_of_its_own() -> None:
    found = {
        client: place_of(client, "project", folder=Path("p")).file.as_posix()
        for client in CLIENTS
        if client != "claude-desktop"
    }
    assert found == {
        "claude-code": "p/.mcp.json",
        "cursor": "p/.cursor/mcp.json",
        "vscode": "p/.vscode/mcp.json",
        "codex": "p/.codex/config.toml",
    }
    with pytest.raises(InvalidInput, match="no projects"):
        place_of("claude-desktop", "project", folder=Path("p"))


KEPT = {"env": {"API_KEY": "secret"}, "disabled": True, "timeout": 60}


def test_what_a_person_added_to_the_entry_stays(full: ConfigFile) -> None:
    install(full, "quipu", COMMAND)
    text = full.file.read_text("utf-8")
    added = (
        text.replace(
            "[mcp_servers.quipu]",
            '[mcp_servers.quipu]\nenv = {API_KEY = "secret"}\ndisabled = true\ntimeout = 60',
        )
        if full.is_toml
        else text.replace(
            '"quipu": {', '"quipu": {"env": {"API_KEY": "secret"}, "disabled": true, "timeout": 60,'
        )
    )
    full.file.write_text(added, "utf-8")
    other = ServerCommand("/opt/bin/quipu", ("mcp", "--profile", "full"))
    install(full, "quipu", other, replace=True)
    entry = _servers(full)["quipu"]
    assert {key: entry[key] for key in KEPT} == KEPT
    assert entry["args"] == ["mcp", "--profile", "full"]


def test_two_servers_are_undone_in_either_order(full: ConfigFile) -> None:
    before = full.file.read_bytes()
    for first, second in (("quipu", "other-memory"), ("other-memory", "quipu")):
        install(full, "quipu", COMMAND)
        install(full, "other-memory", COMMAND)
        uninstall(full, first)
        assert set(_servers(full)) == {"other", second}
        uninstall(full, second)
        assert full.file.read_bytes() == before
        assert [path.name for path in full.file.parent.iterdir()] == [full.file.name]


def test_a_file_that_was_there_is_never_deleted(place: ConfigFile) -> None:
    for text in ("", "[mcp_servers]\n" if place.is_toml else "{}\n", "\n"):
        place.file.write_text(text, "utf-8")
        install(place, "quipu", COMMAND)
        uninstall(place, "quipu")
        assert place.file.read_text("utf-8") == text


def test_a_file_with_comments_is_left_to_its_owner(tmp_path: Path) -> None:
    place = ConfigFile(tmp_path / "mcp.json", "servers", typed=True)
    place.file.write_text('{\n  // mine\n  "servers": {}\n}\n', "utf-8")
    before = place.file.read_bytes()
    with pytest.raises(InvalidInput, match="by hand"):
        install(place, "quipu", COMMAND)
    assert place.file.read_bytes() == before


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", ["  ", "\t"])
def test_indentation_and_line_ends_stay(tmp_path: Path, ends: str, indent: str) -> None:
    place = ConfigFile(tmp_path / "mcp.json", "servers")
    text = f'{{\n{indent}"servers": {{}},\n{indent}"inputs": []\n}}\n'.replace("\n", ends)
    place.file.write_bytes(text.encode())
    install(place, "quipu", COMMAND)
    shown = place.file.read_bytes().decode()
    assert f'{ends}{indent}"servers": {{' in shown
    assert shown.count("\n") == shown.count(ends)
