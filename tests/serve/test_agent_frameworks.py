"""Adapters for agent frameworks, used as the frameworks use them and compared with their own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

from quipu.agents.items import Items
from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.openai_agents import QuipuSession
from quipu.testing.fakes import HashEmbedder

SECRET = "sk-ant-api03-" + "aB3" * 31 + "-xyzAA"
ITEMS: list[Any] = [
    {"role": "user", "content": "Who owns billing?"},
    {"type": "function_call", "name": "look", "arguments": '{"team": 7}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "Dagny owns billing."},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Dagny.", "n": [1, 2.5]}]},
]


def test_a_session_does_what_the_sdks_own_does(memory: Memory) -> None:
    agents = pytest.importorskip("agents", reason="a development dependency")

    async def talk(session: Any) -> list[Any]:
        seen: list[Any] = [await session.pop_item(), await session.get_items()]
        await session.add_items(ITEMS[:3])
        await session.add_items([])
        await session.add_items(ITEMS[3:])
        seen += [await session.get_items(), await session.get_items(2), await session.get_items(0)]
        seen += [await session.pop_item(), await session.get_items()]
        await session.add_items(ITEMS[:1])
        seen.append(await session.get_items())
        await session.clear_session()
        return [*seen, await session.get_items()]

    ours = QuipuSession("one", memory)
    assert isinstance(ours, agents.memory.Session)
    assert asyncio.run(talk(ours)) == asyncio.run(talk(agents.SQLiteSession("one")))


def test_runs_of_an_agent_go_on_where_the_last_ended(memory: Memory) -> None:
    agents = pytest.importorskip("agents", reason="a development dependency")
    from agents.items import ModelResponse
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    asked: list[Any] = []

    class Model(agents.models.interface.Model):
        async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
            asked.append(named.get("input", given[1] if len(given) > 1 else None))
            text = ResponseOutputText(annotations=[], text="Noted.", type="output_text")
            message = ResponseOutputMessage(
                id="m1", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *given: Any, **named: Any) -> Any:
            raise AssertionError

    async def run() -> None:
        agents.set_tracing_disabled(True)
        agent = agents.Agent(name="a", model=Model())
        for said in (f"The queue is in Postgres, the key was {SECRET}.", "Where is the queue?"):
            session = QuipuSession("one", memory)
            await agents.Runner.run(agent, said, session=session)

    asyncio.run(run())
    again = str(asked[1])
    assert "The queue is in Postgres" in again
    assert "Where is the queue?" in again
    assert SECRET not in again
    assert any("Postgres" in hit.text for hit in memory.search("where is the queue").hits)
    assert asyncio.run(QuipuSession("two", memory).get_items()) == []


CALLS = rows(__file__, "calls_of_the_memory_tool")


def test_the_memory_tool_answers_as_anthropics_own_over_files(
    memory: Memory, tmp_path: Path
) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason="a development dependency")
    from anthropic.tools import BetaLocalFilesystemMemoryTool

    from quipu.serve.anthropic_memory import QuipuMemoryTool

    def said(tool: Any, call: dict[str, Any]) -> str:
        try:
            return str(tool.call(call))
        except tools.ToolError as error:
            return f"error: {error}"

    ours, theirs = QuipuMemoryTool(memory), BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    assert ours.to_dict() == theirs.to_dict()
    for call in CALLS:
        found, expected = said(ours, call), said(theirs, call)
        if "files and directories" in expected:  # theirs tells blocks of the disk
            found, expected = (text.split(":\n")[0] for text in (found, expected))
        assert found == expected, call


def test_what_claude_keeps_is_found_without_secrets(memory: Memory) -> None:
    pytest.importorskip("anthropic", reason="a development dependency")
    from quipu.serve.anthropic_memory import QuipuMemoryTool

    tool = QuipuMemoryTool(memory)
    text = f"The queue stays in Postgres. Key: {SECRET}\n"
    tool.call({"command": "create", "path": "/memories/shop/queue.md", "file_text": text})
    assert "queue stays" in memory.search("where does the queue stay").hits[0].text
    shown = str(tool.call({"command": "view", "path": "/memories/shop/queue.md"}))
    assert SECRET not in shown
    listed = str(tool.call({"command": "view", "path": "/memories"}))
    assert "/memories/shop/\n" in listed
    assert "/memories/shop/queue.md" in listed
    tool.clear_all_memory()
    assert "shop" not in str(tool.call({"command": "view", "path": "/memories"}))


@pytest.mark.parametrize("store", ["m.db", "memory:"])
def test_two_at_once_in_one_session_lose_nothing(store: str, tmp_path: Path) -> None:
    async def both(memory: Memory) -> list[Any]:
        sessions = [QuipuSession("one", memory) for _ in range(4)]
        await asyncio.gather(*(each.add_items(ITEMS[:3]) for each in sessions))
        return await sessions[0].get_items()

    url = store if store == "memory:" else tmp_path / store
    with Memory.open(url, config=Config(), embedder=HashEmbedder()) as memory:
        assert asyncio.run(both(memory)) == ITEMS[:3] * 4


def test_what_others_put_below_memories_keeps_no_file_from_claude(memory: Memory) -> None:
    pytest.importorskip("anthropic", reason="a development dependency")
    from quipu.serve.anthropic_memory import QuipuMemoryTool

    tool = QuipuMemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/shop/queue.md", "file_text": "a queue"})
    for key, value in (("n" * 300, {"text": "x"}), ("no text", {"n": 1}), ("shop", {"text": "x"})):
        Items(memory).put(("/memories",), key, value)
    tool.call({"command": "create", "path": "/memories/other.md", "file_text": "another"})
    assert "other.md" in str(tool.call({"command": "view", "path": "/memories"}))
    assert Items(memory).get(("/memories", "shop"), "queue.md") is not None


def test_a_path_is_a_file_or_a_folder_and_stays_inside(memory: Memory, tmp_path: Path) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason="a development dependency")
    from quipu.serve.anthropic_memory import QuipuMemoryTool

    tool = QuipuMemoryTool(memory)
    outside = tmp_path / "outside"
    Items(memory).put(("/memories", "..", ".."), f"../../..{outside}", {"text": "x"})
    tool.call({"command": "create", "path": "/memories/a/b", "file_text": "x"})
    assert not outside.exists()
    with pytest.raises(tools.ToolError, match="create cannot be done"):
        tool.call({"command": "create", "path": "/memories/a/b/c", "file_text": "x"})
    with pytest.raises(tools.ToolError, match="rename cannot be done"):
        tool.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/d"})
    assert "/memories/a/b\n" in str(tool.call({"command": "view", "path": "/memories"})) + "\n"
