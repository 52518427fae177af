"""`docs/mcp-walkthrough.md`: a conversation with `quipu mcp`, recorded as it happened.

`python -m bench.mcp_walkthrough > docs/mcp-walkthrough.md` records it again. It runs the installed
command on a small project in a temporary folder and talks to it with the SDK's own client. Long
texts and lists are cut where it says so; nothing else is changed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

QUIPU = str(Path(sys.executable).with_name("quipu"))
FILES = {
    "docs/payments.md": '---\nowner: "@team-pay"\n---\n# Payments\n\nThe payments service charges '
    "cards. It retries a declined charge three\ntimes, one minute apart, and gives up after that."
    "\n\nRetries are decided in [ADR 7](adr/0007-retries.md).\n",
    "docs/adr/0007-retries.md": "---\ntype: adr\nstatus: accepted\n---\n# ADR 7: Retry declined "
    "charges three times\n\nA fourth attempt never succeeded in the year we measured, so three it "
    "is.\n",
}
STEPS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "The agent is asked about earlier work, so it searches first.",
        "memory_search",
        {"query": "how often is a declined charge retried?", "maxResults": 2},
    ),
    (
        "One result is worth reading in full; only the lines that count.",
        "memory_get",
        {"path": "docs/payments.md", "from": 6, "lines": 2},
    ),
    (
        "A question that wants one answer goes to `ask`. It cites, and says how sure it is.",
        "ask",
        {"question": "Who owns the payments service?"},
    ),
    (
        "Where the evidence is missing, the answer is `unknown`.",
        "ask",
        {"question": "Who painted the ceiling of the Sistine Chapel?"},
    ),
    (
        "The user decides something. It is stored.",
        "memory_store",
        {
            "category": "decision",
            "content": "Releases are cut on Tuesdays, never on Fridays",
            "priority": "high",
            "tags": ["release"],
            "source": "session",
        },
    ),
    (
        "Days later it is said again. It is not stored twice.",
        "memory_store",
        {
            "category": "decision",
            "content": "The releases are cut on Tuesdays, never on Fridays",
            "tags": ["calendar"],
        },
    ),
    (
        "What was decided comes back within a budget.",
        "memory_recall",
        {"query": "when do we release?", "token_budget": 500},
    ),
    (
        "The turns of a conversation come in as they are: they are found, and assert nothing.",
        "memory_ingest",
        {
            "sessionKey": "standup",
            "items": [
                {
                    "kind": "message",
                    "text": "I live in Rome.",
                    "metadata": {"role": "user", "speaker": "Eva", "time": "2024-05-01T09:00:00Z"},
                },
                {
                    "kind": "message",
                    "text": "I live in Oslo.",
                    "metadata": {"role": "user", "speaker": "Eva", "time": "2026-02-01T09:00:00Z"},
                },
            ],
        },
    ),
    (
        "A fact is stated by its key; the second one takes the place of the first.",
        "memory_state",
        {
            "statements": [
                {"subject": "Eva", "attribute": "home", "value": "Rome", "since": "2024-05-01"},
                {"subject": "Eva", "attribute": "home", "value": "Oslo", "since": "2026-02-01"},
            ]
        },
    ),
    (
        "What was true at a date, and what is true now.",
        "fact_query_at_time",
        {"subject": "Eva", "at": "2025-01-01"},
    ),
    (
        "The audit names who said what, when, and what took its place.",
        "memory_audit",
        {"subject": "Eva", "as_of": "2026-03-01"},
    ),
    (
        "For a model of one's own: everything that counts in one bounded message.",
        "memory_context_pack",
        {"query": "how are declined charges handled?", "maxChars": 1200},
    ),
    (
        "A wrong argument is an error the agent can read, and the conversation goes on.",
        "memory_search",
        {"query": "charges", "maxResults": "many"},
    ),
]
SHOWN = {
    "memory_search": ("results", "provider", "fallback", "notes"),
    "ask": ("contract", "confidence", "references"),
}
_LONGEST, _MOST = 420, 3


def main() -> int:
    """Print the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        for words in (("init",), ("index", ".")):
            subprocess.run([QUIPU, *words, "--quiet"], cwd=folder, check=True, capture_output=True)
        print(anyio.run(_recorded, folder), end="")
    return 0


async def _recorded(folder: Path) -> str:
    server = StdioServerParameters(command=QUIPU, args=["mcp", "--profile", "full"], cwd=folder)
    parts = [_head()]
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        parts.append(f"\nThe server offers {len(names)} tools: {', '.join(names)}.\n")
        for said, name, arguments in STEPS:
            result = await client.call_tool(name, arguments)
            parts.append(_step(said, name, arguments, result))
        page = (await client.read_resource("quipu://index")).contents[0]
    parts.append(
        "\nEverything this memory holds, on the page an agent can always carry (the resource "
        f"`quipu://index`):\n\n```markdown\n{getattr(page, 'text', '').rstrip()}\n```\n"
    )
    return "".join(parts)


def _head() -> str:
    shown = "\n\n".join(f"`{path}`\n\n```markdown\n{text}```" for path, text in FILES.items())
    return (
        "# A conversation over MCP\n\nRecorded by `python -m bench.mcp_walkthrough`, which runs "
        "`quipu mcp --profile full` on two files and\ntalks to it with the SDK's client; a test "
        "makes the calls again. Long texts and lists are cut at `…`.\nThe tools are described in "
        f"[reference/mcp.md](reference/mcp.md).\n\n{shown}\n"
    )


def _step(said: str, name: str, arguments: dict[str, Any], result: Any) -> str:
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False, indent=1)
    if result.is_error:
        shown, language = result.content[0].text, "text"
    elif name == "memory_context_pack":
        shown, language = result.structured_content["pack"], "text"
    elif name == "memory_audit":
        shown, language = result.structured_content["audit"]["text"], "text"
    else:
        kept = {
            key: value
            for key, value in result.structured_content.items()
            if key in SHOWN.get(name, (key,))
        }
        shown, language = json.dumps(_cut(kept), ensure_ascii=False, indent=1), "json"
    return f"\n{said}\n\n```json\n{call}\n```\n\n````{language}\n{shown}\n````\n"


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cut(each) for each in value[:_MOST]] + (["…"] if len(value) > _MOST else [])
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}…"
    return value


if __name__ == "__main__":
    sys.exit(main())
