"""Data files of a known form: CI pipelines, with what they run and use; who owns what by
CODEOWNERS; and MCP metadata, the tools that a server lists and the servers that a client is
configured with.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, cast

import msgspec
import yaml

from quipu.limits import LARGEST_TEXT_FILE
from quipu.read.front_matter import plain
from quipu.read.keys import Written, items_of, read_keys, table_of, without_comments, yaml_data
from quipu.read.prose import sections_of
from quipu.read.reading import Reading
from quipu.records.document import OwnerRule, StatedRelation, Thing
from quipu.records.record import Properties

_USED = frozenset({"uses", "include", "local", "extends", "template"})
_RUN = frozenset("run script before_script after_script commands command entrypoint".split())
_RUN_PATH = re.compile(
    r"(?<![\w$/.:@-])\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.[a-z]{1,5}\b"
    r"|\b[\w-]+\.(?:sh|py|js|ts|rb|pl|ps1)\b"
)
_ACTION = re.compile(r"(?P<name>[\w.-]+/[\w./-]+)@[\w./-]+")
_MOST_RELATIONS = 500
_OWNER_SECTION = re.compile(r"\^?\[[^\]]*\](?:\[\d+\])?(?=\s|$)")
_OWNER_SPACE = re.compile(r"(?<!\\)\s+")
_OWNER = re.compile(r"@{1,2}[\w./-]+|[^\s@]+@[^\s@]+\.\w+")
_HINTS = ('"mcpServers"', '"inputSchema"', '"input_schema"', '"servers"', '"context_servers"')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
_SERVER_KEYS = ("mcpServers", "servers", "context_servers")
_Found = tuple[str, str, str, Properties]


def read_workflow(text: str, path: str) -> Reading:
    """The workflow of a file, by its `name` or the file's; what is not YAML is plain text, with
    a warning."""
    reading = read_keys(text, "yaml")
    reading.type = "workflow"
    if reading.warnings or len(text) > LARGEST_TEXT_FILE:
        return reading
    try:
        roots = yaml_data(text)
    except yaml.YAMLError:
        roots = []
    name, line = _workflow_name(roots[0] if roots else None, path)
    reading.things.append(Thing("Workflow", name, line, own=True))
    stated = (each for key, written in _texts(roots) for each in _tied(key, written))
    for relation in (each._replace(source=("Workflow", name)) for each in stated):
        if len(reading.relations) < _MOST_RELATIONS and relation not in reading.relations:
            reading.relations.append(relation)
    return reading


def _workflow_name(root: object, path: str) -> tuple[str, int]:
    name = table_of(root).get("name")
    if isinstance(name, Written):
        return name.strip() or path, name.line
    place = PurePosixPath(path)
    return (place.stem.lstrip(".") if place.stem != "config" else path), 1


def _tied(key: str, written: Written) -> Iterator[StatedRelation]:
    """What a pipeline runs or uses, by what stands under a key."""
    for line, text in enumerate(written.split("\n"), written.line):
        used = text.strip()
        if key in _USED and (action := _ACTION.fullmatch(used)):
            yield StatedRelation("USES", "Package", action["name"], line, create=True)
        elif key in _USED and "." in used.lstrip("./") and " " not in used:
            yield StatedRelation("USES", "", _from_root(used), line)
        elif key in _RUN:
            for match in _RUN_PATH.finditer(text):
                yield StatedRelation("USES", "", _from_root(match[0]), line)


def _from_root(path: str) -> str:
    """A path as pipelines mean it: they run in the root of the tree."""
    return "/" + path.removeprefix("./").lstrip("/")


def _texts(roots: list[Any]) -> Iterator[tuple[str, Written]]:
    """Every text with the nearest key above it, in the order of the file."""
    waiting: list[tuple[str, Any]] = [("", roots)]
    seen: set[int] = set()
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Written):
            yield key, value
        elif id(value) not in seen:  # an alias stands in several places
            seen.add(id(value))
            table = table_of(value)
            inside = [*table.items(), *((key, each) for each in items_of(value))]
            waiting += reversed(inside)


def read_codeowners(text: str) -> Reading:
    """The rules of a CODEOWNERS file, in order; a rule without owners makes a path nobody's, or
    gives it to the owners of the section that it stands in (`[Docs] @writers`, as on GitLab)."""
    reading = Reading(text, family="data", type="ownership")
    reading.sections = sections_of([], text.count("\n") + 1)
    usual: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        bare = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if section := _OWNER_SECTION.match(bare):
            usual = tuple(o for o in bare[section.end() :].split() if _OWNER.fullmatch(o))
            continue
        if not bare or bare.startswith("!"):
            continue
        pattern, *owners = _OWNER_SPACE.split(bare)
        named = tuple(owner for owner in owners if _OWNER.fullmatch(owner))
        wrong = next((owner for owner in owners if not _OWNER.fullmatch(owner)), "")
        if wrong:
            reading.warnings.append(
                (f"{wrong[:100]!r} is no owner: write @name or an address", number)
            )
        reading.owner_rules.append(OwnerRule(pattern, named or usual, number))
    return reading


def add_tools(reading: Reading, *, comments: bool = False) -> None:
    """Add the tools that whole JSON (with `comments`) describes, if it is MCP metadata; else
    change nothing."""
    if not any(hint in reading.text for hint in _HINTS):
        return
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


def _listed(data: object) -> Iterator[_Found]:
    """A `tools/list` result, with or without its JSON-RPC envelope, or its list alone."""
    result: object = table_of(data).get("result")
    tools: object = table_of(data if result is None else result).get("tools", data)
    if not isinstance(tools, list):
        return
    for tool in cast("list[object]", tools):
        table = table_of(tool)
        schema = table.get("inputSchema", table.get("input_schema"))
        name = table.get("name")
        if isinstance(name, str) and name and schema is not None:
            description = table.get("description") or table.get("title") or ""
            inputs = sorted(table_of(table_of(schema).get("properties")))
            yield "Tool", name, str(description), {"kind": "mcp_tool", "inputs": list(inputs)}


def _configured(data: object) -> Iterator[_Found]:
    """A client configuration's servers; what is in `env` or `headers` stays out."""
    for key in _SERVER_KEYS:
        for name, server in table_of(table_of(data).get(key)).items():
            table = table_of(server)
            kept = {k: plain(table[k]) for k in ("command", "args", "url", "type") if k in table}
            if name and ("command" in kept or "url" in kept):
                yield "Tool", name, "", {"kind": "mcp_server", **kept}
