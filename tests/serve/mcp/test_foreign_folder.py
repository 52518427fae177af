"""An agent's client starts the server in whatever folder is open: what that asks for is refused."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.servers.model_server import ModelServer

from quipu.memory import Memory

pytestmark = pytest.mark.enable_socket
KEY = "sk-" + "users-own-0123456789"


def started(folder: Path, *options: str) -> StdioServerParameters:
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "quipu.serve.cli", "mcp", *options],
        cwd=str(folder),
        env=environment,
    )


@pytest.fixture
def theirs(held: Memory, tmp_path: Path, server: ModelServer) -> Path:
    """A folder with a copy of a memory, and settings that send everything to a server."""
    folder = tmp_path / "theirs"
    shutil.copytree(tmp_path / ".quipu", folder / ".quipu")
    (folder / "quipu.toml").write_text(
        f'[chat]\nmodel = "openai:gpt-x"\nbase_url = "{server.base_url}"\n'
        f'[embed]\nmodel = "openai:text-embedding-3-small"\nbase_url = "{server.base_url}"\n'
    )
    return folder


def refused(folder: Path, *options: str) -> str:
    command = started(folder, *options)
    done = subprocess.run(
        [command.command, *command.args],
        cwd=folder,
        env=command.env,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    return done.stderr.decode()


def test_the_server_writes_to_no_store_that_came_with_a_folder(theirs: Path) -> None:
    assert "embed.model" in refused(theirs)
    (theirs / "quipu.toml").unlink()
    assert "not made by you" in refused(theirs)


def test_the_server_reads_and_sends_nothing(
    theirs: Path, server: ModelServer, talk: Callable[..., Any], tmp_path: Path
) -> None:
    async def conversation(client: Client) -> list[str]:
        found = [await client.call_tool("memory_search", {"query": "payment service"})]
        found.append(await client.call_tool("ask", {"question": "who owns the payment service"}))
        assert not any(each.is_error for each in found)
        return [json.dumps(each.structured_content) for each in found]

    for command in (
        started(theirs, "--read-only"),
        started(theirs, "--read-only", "--store", str(tmp_path / ".quipu" / "quipu.db")),
    ):
        assert "payments.md" in talk(command, conversation)[0]
    assert server.requests == []
