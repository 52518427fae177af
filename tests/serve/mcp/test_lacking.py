"""A server in a folder without a memory serves, says so, and makes one at the first write."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.enable_socket
STORED = {"category": "fact", "content": "The payment service is owned by team Blue."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def started(folder: Path, *options: str, below: str = "") -> StdioServerParameters:
    words = ["-m", "quipu.serve.cli", "mcp", "--profile", "full", *options]
    home = str(folder.parent / "home")
    Path(home).mkdir(exist_ok=True)
    environment = {**os.environ, "QUIPU_EMBED_MODEL": "none", "HOME": home, "XDG_DATA_HOME": ""}
    return StdioServerParameters(
        command=sys.executable, args=words, cwd=str(folder / below), env=environment
    )


async def found(client: Client) -> str:
    result = await client.call_tool("memory_search", {"query": "payment service"})
    assert not result.is_error
    return str(result.structured_content)


async def note(client: Client) -> str:
    result = await client.call_tool("memory_index_status", {})
    assert result.structured_content is not None
    return result.structured_content["note"]


def test_the_first_write_makes_the_memory(folder: Path, talk: Callable[..., Any]) -> None:
    async def conversation(client: Client) -> list[str]:
        before = [await note(client), await found(client)]
        assert not (folder / ".quipu").exists()
        assert not (await client.call_tool("memory_store", STORED)).is_error
        return [*before, await note(client), await found(client)]

    said_before, found_before, said, found_now = talk(started(folder), conversation)
    assert "there is no memory in" in said_before
    assert str(folder) in said_before
    assert "team Blue" not in found_before
    assert said == ""
    assert "team Blue" in found_now
    assert (folder / ".quipu" / "quipu.db").exists()
    assert not (folder / "quipu.toml").exists()
    assert "team Blue" in talk(started(folder), found)


def test_a_server_that_only_reads_makes_none(folder: Path, talk: Callable[..., Any]) -> None:
    async def conversation(client: Client) -> set[str]:
        await found(client)
        return {tool.name for tool in (await client.list_tools()).tools}

    assert "memory_store" not in talk(started(folder, "--read-only"), conversation)
    assert not (folder / ".quipu").exists()


async def store(client: Client) -> str:
    said = await note(client)
    assert not (await client.call_tool("memory_store", STORED)).is_error
    return said


def test_work_below_a_repository_has_the_memory_of_its_root(
    folder: Path, talk: Callable[..., Any]
) -> None:
    (folder / ".git").mkdir()
    (folder / "src").mkdir()
    talk(started(folder, below="src"), store)
    assert (folder / ".quipu" / "quipu.db").exists()
    assert "team Blue" in talk(started(folder), found)


def test_work_in_the_home_folder_has_the_memory_of_the_user(
    folder: Path, talk: Callable[..., Any]
) -> None:
    own = folder.parent / "home" / ".local" / "share" / "quipu" / ".quipu" / "quipu.db"
    assert str(own.parent.parent) in talk(started(folder, below="../home"), store)
    assert own.exists()
    assert not (folder.parent / "home" / ".quipu").exists()
    assert "team Blue" in talk(started(folder, below="../home"), found)
