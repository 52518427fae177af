"""`docs/reference/mcp.md`, made from the tools themselves.

`python -m tools.mcp_reference > docs/reference/mcp.md` brings it up to date.
"""

import sys
from collections.abc import Iterator
from typing import Any

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.mcp.server import tools_of
from quipu.serve.mcp.tool import Result
from quipu.serve.shapes import keys

__all__ = ["reference"]

_HEAD = """\
# Tools over MCP

Made from the tools by `python -m tools.mcp_reference`; a test compares. A recorded
conversation with real output is [walk-through](../mcp-walkthrough.md).

    pip install 'quipu-memory[mcp]'
    quipu setup                                # tells the agents on this machine of it

[Memory for your agent](../how-to/agents.md) says which, and what else is written. `quipu mcp`
serves the nearest `.quipu` (or `--store`) on standard input and output, which then
carry the protocol alone; `quipu serve`, and `quipu mcp --http`, serve streamable HTTP at
`http://127.0.0.1:8765/mcp` to many clients (the extra `serve`). Several servers and
commands may work on one file at once. It is the official Python SDK (`mcp` 2), and is tested with
its client and with the public TypeScript client.

| profile | tools |
|---|---|
| `default` | the nine an agent needs, described in 8,000 characters |
| `full` | these and nine more: query, inspect, facts at a time, incidents |
| `server-memory` | the nine of the official memory server: same names, arguments, results |

`--read-only` leaves out the tools that write. Every tool has a title and behaviour hints; this page
explains the keys of its result. Results are structured, with the same JSON as text beside them, and
bounded: `memory_recall` and `memory_audit` give pages of 4,000 characters, and `next_cursor`, which
they take as `cursor`. Schemas have no references and no null, and leave bounds to the server.
Arguments that few need (`useGraph`, `minScore`, `traceId` …) are taken without being described.
Arguments that are missing, of the wrong type or not known are tool errors that
say so in a line; `null` is an argument left out. Names of arguments and keys that agents know from
elsewhere keep their spelling.

**Resources.** `quipu://index` (profiles `default` and `full`) is one page: how much the
memory holds, and the brief that `quipu brief` prints.
`memory://knowledge-graph` (profile `server-memory`) is the whole graph.

**Coming from the official memory server.** `quipu import server-memory memory.jsonl` takes in
the file it keeps; `quipu setup CLIENT --profile server-memory --name memory` takes its place. Two
things differ: a blank name or observation is an error, and secrets are redacted. What is deleted
leaves the graph and stays in history.

**Who may ask.** Over HTTP only this machine is served: any loopback address will do for `--host`,
and requests whose Host is not a name of this machine (421) or that come from a page of another
server (403) are refused. An address that others can reach needs a key: `quipu key create`, or
`--token-file`, whose content clients send as `Authorization: Bearer …`. Text that is found is data;
the prompt of a pack says so to the model.

**HTTP.** Every request stands alone (the protocol's stateless mode): there is no session to open,
to keep or to end, a server that was started anew serves the clients of the one before, and GET and
DELETE are answered with 405. A request may have 8 MiB (413), its head must arrive in 10 seconds,
its body in 60, an answer must be taken in 60, and at most 1,024 connections are open at once.
SIGTERM lets what is under way finish for twenty seconds and closes the memory.

**Entries.** `memory_store` keeps an entry as a passage of its own. The same again, in the
same words but for articles, endings and punctuation, is merged: the newest wording stands, the
higher priority, all tags and every source stay. Texts that differ in another word are two entries.
After `expires` an entry is no longer recalled. Tokens are an estimate, four characters each.
"""


def reference() -> str:
    """The whole page."""
    parts = [_HEAD]
    with Memory.open("memory:", config=Config(), embedder=None) as memory:
        seen: set[str] = set()
        for profile in ("default", "full", "server-memory"):
            new = [t for t in tools_of(memory, profile) if t.name not in seen]
            seen |= {tool.name for tool in new}
            parts.append(f"\n## Profile `{profile}`\n")
            parts += [_tool(tool) for tool in new]
    return "".join(parts)


def _tool(tool: Any) -> str:
    hints = tool.annotations
    assert hints
    kind = "reads" if hints.read_only_hint else "deletes" if hints.destructive_hint else "writes"
    said = " ".join(tool.description.split())
    rows = "".join(_rows(tool.parameters))
    given = (
        [f"`{key.name}` ({key.meaning})" for key in keys(tool.gives)]
        if tool.gives is not Result
        else ()
    )
    gives = f"- gives {', '.join(given)}\n" if given else ""
    return f"\n### `{tool.name}`\n\n{tool.title} ({kind}). {said}\n\n{rows}{gives}"


def _rows(schema: dict[str, Any]) -> Iterator[str]:
    needed = schema.get("required", [])
    for name, described in schema.get("properties", {}).items():
        default = described.get("default")
        shown = ", required" if name in needed else ""
        if default not in (None, "", []):
            shown = f", default {default!r}"
        yield f"- `{name}` ({_type(described)}{shown}){_said(described)}\n"


def _said(described: dict[str, Any]) -> str:
    said = described.get("description", "")
    return f": {said}" if said else ""


def _type(described: dict[str, Any]) -> str:
    if "properties" in described:
        return f"object ({', '.join(f'`{key}`' for key in described['properties'])})"
    if "anyOf" in described:
        kinds = [_type(each) for each in described["anyOf"] if each.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in described:
        return ", ".join(f"`{value}`" for value in described["enum"])
    if described.get("type") == "array":
        return f"list of {_type(described.get('items', {}))}"
    bounds = [
        f"{sign} {described[key]}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"))
        if key in described
    ]
    return " ".join([str(described.get("type", "any")), *bounds])


if __name__ == "__main__":
    sys.stdout.write(reference())
