"""The calls of the recorded conversation work as they stand on the page."""

import json
import re
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.mcp import build_server
from quipu.testing.fakes import HashEmbedder

PAGE = (Path(__file__).parents[2] / "docs" / "mcp-walkthrough.md").read_text("utf-8")
FILES = re.findall(r"^`(docs/[^`]+)`\n\n```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
STEPS = re.findall(
    r"^```json\n(\{.*?)^```\n\n````(json|text)\n(.*?)^````$", PAGE, re.MULTILINE | re.DOTALL
)


def test_every_call_gives_what_the_page_says(tmp_path: Path) -> None:
    assert len(FILES) == 2
    assert len(STEPS) >= 12
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    async def replayed(memory: Memory) -> list[Any]:
        async with Client(build_server(memory, profile="full")) as client:
            calls = [json.loads(call) for call, _, _ in STEPS]
            return [await client.call_tool(c["name"], c["arguments"]) for c in calls]

    with Memory.open("memory:", config=Config(), embedder=HashEmbedder(), home=tmp_path) as memory:
        memory.index(tmp_path)
        results = anyio.run(replayed, memory)
    for (call, language, shown), result in zip(STEPS, results, strict=True):
        if result.is_error:
            assert result.content[0].text == shown.strip(), call
        elif language == "json":
            said, given = json.loads(shown), result.structured_content
            assert set(said) <= set(given), call
            assert set(said.get("contract", ())) == set(given.get("contract", ())), call
        else:
            text = json.dumps(result.structured_content, ensure_ascii=False)
            assert json.dumps(shown.splitlines()[0], ensure_ascii=False)[1:-1] in text, call
