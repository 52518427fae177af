"""The plugin and what registries read say what the program says."""

import json
from pathlib import Path

from quipu.serve.setup import hook
from quipu.serve.setup.clients import CLIENTS
from quipu.version import VERSION

ROOT = Path(__file__).parents[3]
PLUGIN = Path(hook.__file__).with_name("plugin")


def test_the_plugin_has_the_hooks_that_are_set_up() -> None:
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    table = CLIENTS["claude-code"].hooks
    assert table
    commands = {name: rows[0]["hooks"][0]["command"] for name, rows in hooks.items()}
    assert commands == {
        name: f"quipu-hook {event} {table.style}" for name, event in table.events.items()
    }


def test_what_the_plugin_names_is_there() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    assert (manifest["name"], manifest["version"]) == ("quipu", VERSION)
    servers = json.loads((PLUGIN / ".mcp.json").read_text("utf-8"))["mcpServers"]
    assert servers["quipu"]["args"] == ["mcp"]
    skill = (PLUGIN / "skills" / "quipu-memory" / "SKILL.md").read_text("utf-8")
    assert skill.startswith("---\nname: quipu-memory\n")


def test_the_registry_is_told_of_this_version() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert server["version"] == server["packages"][0]["version"] == VERSION
    assert len(server["description"]) <= 100
    assert f"mcp-name: {server['name']}" in (ROOT / "README.md").read_text("utf-8")
