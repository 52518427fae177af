"""Clients are set up, again changes nothing, and taking it back gives the bytes back."""

import json
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.rows import rows

from quipu.errors import InvalidInput
from quipu.files import private
from quipu.serve.setup.clients import CLIENTS, Launch, Places, filled
from quipu.serve.setup.edits import value_in
from quipu.serve.setup.setting_up import SetupChange, set_up, take_back

LAUNCH = Launch("quipu", "/opt/bin/quipu", ("mcp", "--store", "/data/ü.db"))
JSON = {
    "none": "",
    "empty": "{}",
    "one line": '{"KEY":{"other":{"command":"x"}},"last":[1,2.50]}',
    "full": """{
    // the "best" theme
    "theme": "dark — ünïcode", /* it is */
    "KEY": { // servers
        "other": {"command": "npx", "args": ["-y", "x"]}, // mine
    },
}
""",
    "tabs": '{\r\n\t"KEY": {\r\n\t\t// none\r\n\t}\r\n}\r\n',
    "a mark": '\ufeff{"a": 1}',
}
TOML = {
    "none": "",
    "full": '# mine\nmodel = "o9"   # best\n\n[KEY.other]\ncommand = "npx"\n\n[tui]\nbell = true\n',
    "no end": "a = 1",
}
MAPPING = "# mine\nMODEL: x\nKEY:\n  other:   # builtin\n    enabled: true\n# end\n"
LIST = "name: mine\nKEY:\n  - name: a\n    command: b\n# end\n"
CASES = [
    (name, case)
    for name, client in CLIENTS.items()
    for case in {"json": JSON, "toml": TOML, "yaml": ("none", "full", "no end")}[client.format]
]


def text_of(name: str, case: str) -> str:
    client = CLIENTS[name]
    if client.format == "yaml":
        text = {"none": "", "no end": "a: 1"}.get(case)
        text = (LIST if name == "continue" else MAPPING) if text is None else text
    else:
        text = (JSON if client.format == "json" else TOML)[case]
    return text.replace("KEY", client.key)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Places(tmp_path / "project", home=tmp_path / "home", environ={}, platform="linux")


def up(name: str, places: Places, launch: Launch = LAUNCH, **how: Any) -> list[SetupChange]:
    return set_up(name, launch, places, **{"project": False, "dry_run": False, **how})


def back(name: str, places: Places, **how: Any) -> list[SetupChange]:
    return take_back(name, LAUNCH, places, **{"project": False, "dry_run": False, **how})


def tree(folder: Path) -> dict[str, bytes | None]:
    every = sorted(folder.rglob("*"))
    return {str(path): path.read_bytes() if path.is_file() else None for path in every}


def given(name: str, places: Places, text: str) -> Path:
    file = places.of(CLIENTS[name].file)
    file.parent.mkdir(parents=True)
    if text:
        file.write_bytes(text.encode())
    return file


@pytest.mark.parametrize(("name", "case"), CASES)
def test_what_is_written_is_there_and_is_taken_back_byte_for_byte(
    name: str, case: str, places: Places, tmp_path: Path
) -> None:
    text = text_of(name, case)
    file = given(name, places, text)
    before = tree(tmp_path / "home")
    planned = up(name, places, dry_run=True)
    assert tree(tmp_path / "home") == before
    assert [(c.file, c.what) for c in up(name, places)] == [(c.file, c.what) for c in planned]
    client = CLIENTS[name]
    written = file.read_bytes().decode()
    servers = value_in(written, [client.key], client.format)
    entry = filled(client.entry, LAUNCH._asdict())
    assert entry[0] in servers if isinstance(entry, list) else servers["quipu"] == entry
    for line in filter(str.strip, text.replace("{}", "").splitlines()):
        if "\n" in text:
            assert line in written.splitlines(), "a line of the user's was changed"
    once = tree(tmp_path / "home")
    assert {change.done for change in up(name, places)} == {"unchanged"}
    assert tree(tmp_path / "home") == once
    assert {change.done for change in back(name, places)} == {"removed"}
    assert tree(tmp_path / "home") == before
    assert back(name, places, dry_run=True)[0].done == "absent"
    assert not (tmp_path / "state" / "quipu" / "setup.json").exists()


def test_another_start_takes_the_place_of_ours(places: Places, tmp_path: Path) -> None:
    for name in CLIENTS:
        before = tree(tmp_path / "home")
        up(name, places)
        up(name, places, Launch("quipu", "/opt/bin/quipu", ("mcp", "--profile", "full")))
        assert "full" in places.of(CLIENTS[name].file).read_text("utf-8")
        back(name, places)
        assert tree(tmp_path / "home") == before, name


def test_what_a_client_wrote_since_stays(places: Places) -> None:
    file = given("claude-code", places, '{"a": 1}')
    up("claude-code", places)
    said = json.loads(file.read_text("utf-8")) | {"since": True}
    said["mcpServers"]["later"] = {"command": "x"}
    file.write_text(json.dumps(said, indent=1), "utf-8")
    settings = places.of("{claude}/settings.json")
    settings.write_text(json.dumps(json.loads(settings.read_text("utf-8"))), "utf-8")
    assert {change.done for change in back("claude-code", places)} == {"removed"}
    left = json.loads(file.read_text("utf-8"))
    assert left == {"a": 1, "since": True, "mcpServers": {"later": {"command": "x"}}}
    assert not settings.exists()


def test_a_file_that_cannot_be_cleared_of_ours_is_left_alone(places: Places) -> None:
    goose = given("goose", places, "extensions:\n  a:\n    cmd: b\n")
    cursor = given("cursor", places, "{}")
    for name in ("goose", "cursor"):
        up(name, places)
    ours = goose.read_text("utf-8").partition("  a:\n")[0].partition("\n")[2]
    twice = f"# mine\nextensions:\n{ours}others:\n{ours}"
    goose.write_text(twice, "utf-8")
    cursor.write_text("{broken", "utf-8")
    other = Launch("quipu", "/opt/bin/quipu", ("mcp", "--profile", "full"))
    assert up("goose", places, other)[0].done == "by hand"
    assert back("goose", places)[0].done == "by hand"
    assert goose.read_text("utf-8") == twice
    assert up("cursor", places, other)[0].done == "by hand"
    back("cursor", places)
    assert cursor.read_text("utf-8") == "{broken"


def test_hooks_join_those_that_are_there(places: Places) -> None:
    settings = places.of("{claude}/settings.json")
    settings.parent.mkdir(parents=True)
    mine = {"hooks": [{"type": "command", "command": "say done"}]}
    settings.write_text(json.dumps({"hooks": {"Stop": [mine]}}), "utf-8")
    up("claude-code", places)
    hooks = json.loads(settings.read_text("utf-8"))["hooks"]
    assert sorted(hooks) == ["PreCompact", "SessionEnd", "SessionStart", "Stop", "UserPromptSubmit"]
    assert mine in hooks["Stop"]
    assert len(hooks["Stop"]) == 2
    assert all("hook.py" in row["hooks"][0]["command"] for row in hooks["SessionStart"])


@pytest.mark.parametrize(
    ("name", "text"),
    rows(__file__, "what_cannot_be_changed_alone"),
)
def test_what_cannot_be_changed_alone_is_left_with_the_lines_to_paste(
    name: str, text: str, places: Places
) -> None:
    file = given(name, places, text)
    change = up(name, places)[0]
    assert (change.done, bool(change.why)) == ("by hand", True)
    assert "/opt/bin/quipu" in change.text
    assert file.read_text("utf-8") == text
    parse = {"cursor": json.loads, "codex": tomllib.loads, "goose": yaml.safe_load}[name]
    assert CLIENTS[name].key in parse(change.text)


def test_a_link_stays_a_link_and_rights_stay(places: Places, tmp_path: Path) -> None:
    file = given("cursor", places, '{"a": 1}')
    real = tmp_path / "dotfiles.json"
    file.rename(real)
    real.chmod(0o640)
    file.symlink_to(real)
    up("cursor", places)
    assert file.is_symlink()
    assert "quipu" in real.read_text("utf-8")
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_project_is_told_without_paths_of_this_machine(places: Places, tmp_path: Path) -> None:
    launch = Launch("quipu", "quipu", ("mcp",))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "AGENTS.md").write_text("# Ours\n", "utf-8")
    before = tree(tmp_path / "project")
    for name in ("cursor", "claude-code"):
        set_up(name, launch, places, project=True, dry_run=False)
    entry = json.loads((tmp_path / "project" / ".cursor" / "mcp.json").read_text("utf-8"))
    assert entry == {"mcpServers": {"quipu": {"command": "quipu", "args": ["mcp"]}}}
    text = (tmp_path / "project" / "AGENTS.md").read_text("utf-8")
    assert text.startswith("# Ours\n")
    assert text.count("quipu: begin") == 1
    for name in ("cursor", "claude-code"):
        take_back(name, launch, places, project=True, dry_run=False)
    assert tree(tmp_path / "project") == before
    assert set_up("windsurf", launch, places, project=True, dry_run=False) == []


@pytest.mark.parametrize("kept", ["there was no file\n", "{}", '{ "theme": "dark" }'])
def test_what_an_earlier_version_installed_is_taken_back(kept: str, places: Places) -> None:
    said = json.loads(kept) if kept.startswith("{") else {}
    entry = {"command": "quipu", "args": ["mcp"]}
    file = given("cursor", places, json.dumps({**said, "mcpServers": {"quipu": entry}}, indent=2))
    earlier = file.with_name("mcp.json.before-quipu")
    earlier.write_text(kept, "utf-8")
    assert back("cursor", places)[-1].done == "removed"
    assert not earlier.exists()
    assert (file.read_text("utf-8") if file.exists() else "there was no file\n") == kept


def test_tables_that_an_earlier_version_installed_are_taken_back_one_by_one(
    places: Places,
) -> None:
    before = '# mine\nmodel = "o3"\n'
    tables = [
        f'\n[mcp_servers.{name}]\ncommand = "/old/quipu"\nargs = ["mcp", "--store", "a.db"]\n'
        for name in ("one", "quipu")
    ]
    file = given("codex", places, before + "".join(tables))
    earlier = file.with_name("config.toml.before-quipu")
    earlier.write_text(before, "utf-8")
    taken: list[str] = []
    for name in ("quipu", "one"):
        launch = Launch(name, "quipu", ("mcp",))
        (change,) = take_back("codex", launch, places, project=False, dry_run=False, only="server")
        taken.append(change.done)
        assert earlier.exists() == (name == "quipu")
    assert taken == ["removed", "removed"]
    assert file.read_text("utf-8") == before


def test_clients_are_found_by_what_is_there(places: Places) -> None:
    assert not any(places.is_there(client) for client in CLIENTS.values())
    for client in CLIENTS.values():
        places.of(client.found[0]).mkdir(parents=True, exist_ok=True)
    assert all(places.is_there(client) for client in CLIENTS.values())


def test_one_file_that_cannot_be_used_keeps_out_no_other(places: Places, tmp_path: Path) -> None:
    given("cursor", places, "{}").write_bytes(b"\xff\xfe")
    places.of("{codex}").mkdir()
    places.of("{codex}/config.toml").symlink_to("config.toml")
    places.of("{home}/.claude.json").mkdir()
    places.of("{goose}").parent.mkdir(parents=True)
    places.of("{goose}").write_text("a file where a folder is to be", "utf-8")
    before = tree(tmp_path / "home")
    for name in ("cursor", "codex", "claude-code", "goose"):
        first, *others = up(name, places)
        assert (first.done, bool(first.why)) == ("by hand", True)
        assert {change.done for change in others} <= {"created"}
    for name in ("cursor", "codex", "claude-code", "goose"):
        back(name, places)
    assert tree(tmp_path / "home") == before
    assert not (tmp_path / "state" / "quipu" / "setup.json").exists()


def test_a_file_that_cannot_be_written_is_left_to_the_user(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = given("cursor", places, "{}")
    write = private.write_whole

    def refused(path: Path, data: bytes, **how: Any) -> None:
        if path == file:
            raise PermissionError(13, "Permission denied")
        write(path, data, **how)

    monkeypatch.setattr(private, "write_whole", refused)
    change, hooks = up("cursor", places)
    assert (change.done, "Permission denied" in change.why) == ("by hand", True)
    assert hooks.done == "created"
    monkeypatch.setattr(private, "write_whole", write)
    up("cursor", places)
    monkeypatch.setattr(private, "write_whole", refused)
    assert [change.done for change in back("cursor", places)] == ["removed", "by hand"]
    assert "quipu" in file.read_text("utf-8")
    monkeypatch.setattr(private, "write_whole", write)
    assert [change.done for change in back("cursor", places)] == ["absent", "removed"]
    assert file.read_text("utf-8") == "{}"


def test_what_two_write_at_once_is_noted_by_both(places: Places, tmp_path: Path) -> None:
    names = ("claude-code", "codex", "cursor", "gemini-cli", "zed", "goose")
    places.of("{config}").mkdir(parents=True)
    before = tree(tmp_path / "home")
    with ThreadPoolExecutor(len(names)) as at_once:
        list(at_once.map(lambda name: up(name, places), names))
    for name in names:
        back(name, places)
    assert tree(tmp_path / "home") == before


def test_ours_with_more_in_it_is_there_and_is_not_called_removed(places: Places) -> None:
    file, settings = places.of("{home}/.claude.json"), places.of("{claude}/settings.json")
    up("claude-code", places)
    said = json.loads(file.read_text("utf-8"))
    said["mcpServers"]["quipu"]["env"] = {"QUIPU_SEARCH_LIMIT": "9"}
    file.write_text(json.dumps(said, indent=2), "utf-8")
    hooks = json.loads(settings.read_text("utf-8"))
    hooks["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 5
    settings.write_text(json.dumps(hooks, indent=2), "utf-8")
    assert {change.done for change in up("claude-code", places)} == {"unchanged"}
    done = {change.what: change.done for change in back("claude-code", places)}
    assert done == {"skill": "removed", "hooks": "by hand", "server": "by hand"}
    assert "quipu" in file.read_text("utf-8")
    file.write_text('{"mcpServers": {"quipu": {"command": "theirs"}}}', "utf-8")
    settings.unlink()
    assert [change.done for change in back("claude-code", places)] == [
        "absent",
        "absent",
        "removed",
    ]
    assert "theirs" in file.read_text("utf-8")


def test_a_server_of_theirs_that_runs_the_same_is_not_ours(places: Places) -> None:
    file = given("cursor", places, "{}")
    up("cursor", places)
    said = json.loads(file.read_text("utf-8"))
    said["mcpServers"]["work"] = said["mcpServers"].pop("quipu")
    file.write_text(json.dumps(said, indent=2), "utf-8")
    assert {change.done for change in back("cursor", places)} == {"removed"}
    assert json.loads(file.read_text("utf-8")) == said


def test_what_no_note_knows_is_named_and_notes_that_are_broken_are_said(
    places: Places, tmp_path: Path
) -> None:
    notes = tmp_path / "state" / "quipu" / "setup.json"
    up("codex", places)
    notes.unlink()
    assert {change.done for change in back("codex", places)} == {"by hand"}
    notes.write_text("{", "utf-8")
    with pytest.raises(InvalidInput, match=r"setup\.json.*cannot be read"):
        back("codex", places)


def test_a_name_that_is_no_bare_key_is_quoted(places: Places) -> None:
    for name in ("my server", "a.b", '"q"'):
        launch = Launch(name, "quipu", ("mcp",))
        up("codex", places, launch)
        written = tomllib.loads(places.of("{codex}/config.toml").read_text("utf-8"))
        assert written["mcp_servers"] == {name: {"command": "quipu", "args": ["mcp"]}}
        take_back("codex", launch, places, project=False, dry_run=False)
