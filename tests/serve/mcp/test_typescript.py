"""The public TypeScript client talks to our server, and the official memory server answers the
same calls with the same results as our profile of its name.

The packages come from npm in exact versions into a temporary folder. Without node and npm (or
without a network) the tests are skipped, but never where CI is set.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from tests.cannot import cannot
from tests.rows import rows
from tests.serve.mcp.test_tools import ARGUMENTS

from quipu.memory import Memory

HERE = Path(__file__).parent / "typescript"
PACKAGES = ("@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/server-memory@2026.8.31")

pytestmark = pytest.mark.slow
Command = Callable[..., StdioServerParameters]

SCRIPT = rows(__file__, "calls_of_the_memory_server")


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client's script and its packages."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        cannot(f"{' and '.join(missing)} is not installed")
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copy(HERE / "client.mjs", folder)
    (folder / "package.json").write_text('{"private": true}', "utf-8")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode:
        cannot(f"npm cannot get the packages: {done.stderr[-300:]}")
    return folder


def _talk(node: Path, task: dict[str, Any]) -> Any:
    done = subprocess.run(
        ["node", "client.mjs", json.dumps(task)],
        cwd=node,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _task(command: StdioServerParameters, calls: list[tuple[str, dict[str, Any]]]) -> Any:
    return {
        "command": command.command,
        "args": command.args,
        "env": command.env,
        "calls": [{"name": name, "arguments": given} for name, given in calls],
    }


def test_the_typescript_client_uses_every_tool(
    held: Memory, node: Path, server_command: Command
) -> None:
    added = held.incidents.add(
        {"component": "ledger", "timestamp": "2019-06-01T10:00:00Z", "title": "Pool exhausted"}
    )
    worked = {"incident_id": added.added[0], "actions_taken": ["rollback"], "success": True}
    calls = [*(ARGUMENTS | {"outcome_record": worked}).items(), ("memory_search", {"query": 5})]
    talked = _talk(node, _task(server_command("--profile", "full"), calls))
    *good, bad = talked["results"]
    assert {name for name, _ in calls} == {tool["name"] for tool in talked["tools"]}
    assert all(not result.get("isError") for result in good)
    assert bad["isError"]
    answers = dict(zip(ARGUMENTS, good, strict=True))
    assert "Team Blue" in answers["ask"]["structuredContent"]["contract"]["answer"]
    assert talked["read"][0]["text"].startswith("# What this memory holds")


def test_our_profile_answers_as_the_official_memory_server(
    node: Path, server_command: Command, tmp_path: Path
) -> None:
    kept = tmp_path / "memory.jsonl"
    script = node / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    official = StdioServerParameters(
        command="node",
        args=[str(script)],
        env={"PATH": os.environ["PATH"], "MEMORY_FILE_PATH": str(kept)},
    )
    theirs = _talk(node, _task(official, SCRIPT))
    ours = _talk(node, _task(server_command("--profile", "server-memory"), SCRIPT))
    assert [_described(tool) for tool in ours["tools"]] == [
        _described(tool) for tool in theirs["tools"]
    ]
    for (name, given), mine, other in zip(SCRIPT, ours["results"], theirs["results"], strict=True):
        assert bool(mine.get("isError")) == bool(other.get("isError")), (name, given)
        if not other.get("isError"):
            assert mine["structuredContent"] == other["structuredContent"], (name, given)
            assert _text(mine) == _text(other), (name, given)
    assert "Entity with name Bo not found" in ours["results"][6]["content"][0]["text"]
    assert ours["read"][0]["uri"] == theirs["read"][0]["uri"]
    assert json.loads(ours["read"][0]["text"]) == json.loads(theirs["read"][0]["text"])


def _text(result: Any) -> Any:
    """The text beside a result, without the spaces that JSON does not mean."""
    (content,) = result["content"]
    try:
        return json.loads(content["text"])
    except ValueError:
        return content["text"]


def _described(tool: Any) -> Any:
    """What a caller depends on: names, arguments, results and hints."""
    hints = tool["annotations"]
    return {
        "name": tool["name"],
        "title": tool["title"],
        "description": " ".join(tool["description"].split()),
        "takes": sorted(tool["inputSchema"].get("properties", {})),
        "needs": sorted(tool["inputSchema"].get("required", [])),
        "gives": sorted(tool["outputSchema"]["properties"]),
        "destroys": hints["destructiveHint"],
        "reads": hints["readOnlyHint"],
        "idempotent": hints["idempotentHint"],
        "open": hints["openWorldHint"],
    }
