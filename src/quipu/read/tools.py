"""MCP metadata: the tools a server lists, and the servers a client is configured with."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from quipu.read.front_matter import plain
from quipu.read.json_keys import without_comments
from quipu.read.reading import Reading
from quipu.records.document import Thing
from quipu.records.record import Properties

_HINTS = ('"mcpServers"', '"inputSchema"', '"input_schema"', '"servers"', '"context_servers"')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
_SERVER_KEYS = ("mcpServers", "servers", "context_servers")


def may_hold_tools(text: str) -> bool:
    """Whether JSON text is worth looking at for tools."""
    return any(hint in text for hint in _HINTS)


def add_tools(reading: Reading, *, comments: bool = False) -> None:
    """Add the tools that whole JSON (with `comments`) describes, if it is MCP metadata; else
    change nothing."""
    text = without_comments(reading.text) if comments else reading.text
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return
    things = [*_listed(data), *_configured(data)]
    if not things:
        return
    reading.type = "tool"
    lines = _lines_of({name for _, name, _, _ in things}, text)
    for type_, name, description, properties in things:
        reading.things.append(Thing(type_, name, lines.get(name, 1), description, properties))


_Found = tuple[str, str, str, Properties]


def _lines_of(names: set[str], text: str) -> dict[str, int]:
    """The line on which each name first stands as a string, in one pass over the text."""
    found: dict[str, int] = {}
    line, counted = 1, 0
    for match in _STRING.finditer(text):
        written = match[0][1:-1]
        if "\\" in written:
            try:
                written = str(msgspec.json.decode(match[0]))
            except msgspec.DecodeError:
                continue
        if written in names and written not in found:
            line += text.count("\n", counted, match.start())
            counted = match.start()
            found[written] = line
    return found


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _listed(data: object) -> Iterator[_Found]:
    """A `tools/list` result, with or without its JSON-RPC envelope, or its list alone."""
    result: object = _table(data).get("result")
    tools: object = _table(data if result is None else result).get("tools", data)
    if not isinstance(tools, list):
        return
    for tool in cast("list[object]", tools):
        table = _table(tool)
        schema = table.get("inputSchema", table.get("input_schema"))
        name = table.get("name")
        if isinstance(name, str) and name and schema is not None:
            description = table.get("description") or table.get("title") or ""
            inputs = sorted(_table(_table(schema).get("properties")))
            yield "Tool", name, str(description), {"kind": "mcp_tool", "inputs": list(inputs)}


def _configured(data: object) -> Iterator[_Found]:
    """A client configuration's servers; what is in `env` or `headers` stays out."""
    for key in _SERVER_KEYS:
        for name, server in _table(_table(data).get(key)).items():
            table = _table(server)
            kept = {k: plain(table[k]) for k in ("command", "args", "url", "type") if k in table}
            if name and ("command" in kept or "url" in kept):
                yield "Tool", name, "", {"kind": "mcp_server", **kept}
