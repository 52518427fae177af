"""Every command and every tool that writes, each as something that can be killed.

The lists at the end say of every other command that it does not write, or why it is not here; a
command that nobody has sorted fails the trial.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

__all__ = ["NOT_KILLED", "WRITES", "Tool", "Write", "commands", "unsorted_commands"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool over MCP, on standard input and output."""

    profile: str
    name: str
    arguments: dict[str, object]

    def lines(self) -> tuple[str, ...]:
        """What a client sends."""
        client = {"clientInfo": {"name": "torture", "version": "1"}, "capabilities": {}}
        hello = {"protocolVersion": "2025-06-18", **client}
        called = {"name": self.name, "arguments": self.arguments}
        rows: tuple[dict[str, object], ...] = (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 9, "method": "tools/call", "params": called},
        )
        return tuple(json.dumps({"jsonrpc": "2.0", **row}) for row in rows)

    until = '"id":9'


@dataclass(frozen=True, slots=True)
class Write:
    """A writing command: what makes its memory ready, what is killed, and what may stand then.

    `first` are commands that are run before, to their end; `{relation}` and `{incident}` in an
    argument become an id that the memory holds, `{given}` the folder of what is given (ids of
    commits depend on where the repository is). A `whole` command is in or not at all;
    the others may stop half-way, and the next run brings the rest. `embeds` runs it with a model.
    `file` is what it writes beside the memory: whole or not there.
    """

    name: str
    command: tuple[str, ...] = ()
    first: tuple[tuple[str, ...] | Tool, ...] = ()
    tool: Tool | None = None
    whole: bool = False
    embeds: bool = False
    file: str = ""
    fetches: bool = False


def _told(name: str, profile: str = "server-memory", **arguments: object) -> Tool:
    return Tool(profile, name, arguments)


def _thing(n: int, *observations: str) -> dict[str, object]:
    return {"name": f"Thing {n}", "entityType": "thing", "observations": [*observations]}


_INDEX = ("index", ".")
_EXPORTED = ("incident", "export", "--force", "../given/graph.json")
_ADD = ("incident", "add", "../given/incidents.jsonl")
_OUTCOME = tuple(
    "incident outcome {incident} rollback --worked --minutes 12 --recorded-at 2026-02-20".split()
)
_MERGE = ("entity", "merge", "team-ash", "team-birch")
_THINGS = _told("create_entities", entities=[_thing(n, f"is {n}", f"was {n}") for n in range(4)])
_KNOWN = [{"from": "Thing 0", "to": f"Thing {n}", "relationType": "knows"} for n in (1, 2, 3)]
_KNOWS = _told("create_relations", relations=_KNOWN)
_ALIKE = _told(
    "create_entities",
    entities=[
        {"name": name, "entityType": "team", "observations": ["owns the ledger"]}
        for name in ("Payment Service Team", "Payment Service Teams", "Payment-Service Team")
    ],
)
_DECIDED = "Ann decided for Postgres in May 2025."
_FACT: dict[str, object] = {"category": "decision", "content": _DECIDED, "tags": ["db"]}
_OWNER = {"subject": "billing", "attribute": "owner", "value": "Dagny"}
_TURNS = [
    {
        "id": str(n),
        "kind": "turn",
        "text": f"We moved shelf {n} to Oslo in 2025.",
        "metadata": {"time": f"2026-03-01T10:{n:02d}:00Z", "role": "user"},
    }
    for n in range(12)
]
_NEW = [{"entityName": f"Thing {n}", "contents": ["is new", "is kept"]} for n in range(3)]
_GONE = [{"entityName": f"Thing {n}", "observations": [f"is {n}"]} for n in range(3)]
_WORKED = {"actions_taken": ["rollback"], "success": True, "recorded_at": "2026-02-20T00:00:00Z"}


def _command(line: str, *first: tuple[str, ...] | Tool, name: str = "", **more: Any) -> Write:
    return Write(name or line, tuple(line.split()), first, **more)


def _tool(tool: Tool, *first: tuple[str, ...] | Tool, whole: bool = True) -> Write:
    return Write(tool.name, first=first, tool=tool, whole=whole)


WRITES: tuple[Write, ...] = (
    _command("init deeper", name="init"),
    _command("index .", name="index"),
    _command("index .", _INDEX, ("change",), name="index, changed"),
    _command("index .", name="index, embedded", embeds=True),
    _command("index --git {given}/repo", name="index --git"),
    _command("watch", _INDEX, ("change",)),
    Write("add", ("add", "Ann owns the payment service since May 2025."), (_INDEX,)),
    Write("add, embedded", ("add", "Bo owns the ledger."), (_INDEX,), embeds=True),
    _command("ingest ../given/talk.jsonl", name="ingest transcripts"),
    _command("ingest ../given/plan.json", name="ingest tasks"),
    _command("ingest URL", name="ingest pages", fetches=True),
    _command("jobs --resume"),
    _command("extract docs/p01.md", _INDEX, name="extract"),
    _command("rescan", _INDEX, ("unredacted",)),
    _command("forget --yes docs/p01.md docs/p02.md", _INDEX, name="forget"),
    _command("forget --yes docs/p01.md", _INDEX, name="forget, embedded", embeds=True),
    _command(
        "forget --expired --yes",
        _told("memory_store", "default", **_FACT, expires="2026-03-01T10:30:00Z"),
        _INDEX,
        name="forget --expired",
    ),
    _command("reflect", _INDEX),
    _command(
        "relation add docs/p01.md depends_on docs/p02.md", _INDEX, name="relation add", whole=True
    ),
    _command(
        "relation update {relation} --confidence 0.5", _INDEX, name="relation update", whole=True
    ),
    _command("relation rm {relation}", _INDEX, name="relation rm", whole=True),
    Write("entity merge", _MERGE, (_INDEX,), whole=True),
    _command("entity unmerge team-ash", _INDEX, _MERGE, name="entity unmerge", whole=True),
    _command(
        "entity proposals --merge --least 0.3",
        _ALIKE,
        name="entity proposals --merge",
        embeds=True,
    ),
    _command("value {given}/values", name="value"),
    Write("incident add", _ADD),
    Write("incident outcome", _OUTCOME, (_ADD,)),
    _command(
        "incident import ../given/graph.json",
        *(_ADD, _OUTCOME, _EXPORTED, ("empty",)),
        name="incident import",
    ),
    _command("incident export --force out.json", _ADD, name="incident export", file="out.json"),
    _command("embed", (*_INDEX, "--no-embed"), embeds=True),
    _command("reindex", ("older",), embeds=True),
    _command("export out.jsonl", _INDEX, name="export", file="out.jsonl"),
    _command(
        "import ../given/out.jsonl",
        *(_INDEX, ("export", "../given/out.jsonl"), ("empty",)),
        name="import",
    ),
    _command("import arf ../given/arf", name="import arf", embeds=True),
    _command("import server-memory ../given/memory.jsonl", name="import server-memory"),
    _command("backup out.backup", _INDEX, name="backup", file="out.backup"),
    Write("state", ("state", "billing owner = Dagny", "billing: tier = 2"), whole=True),
    _tool(_told("memory_state", "default", statements=[_OWNER]), ("state", "billing owner = Erik")),
    _tool(_told("memory_store", "default", **_FACT), _INDEX, whole=False),
    _tool(
        _told("memory_ingest", "full", source="chat", sessionKey="s1", items=_TURNS), whole=False
    ),
    _tool(_told("outcome_record", "full", incident_id="{incident}", **_WORKED), _ADD, whole=False),
    _tool(_THINGS),
    _tool(_KNOWS, _THINGS),
    _tool(_told("add_observations", observations=_NEW), _THINGS),
    _tool(_told("delete_entities", entityNames=["Thing 0", "Thing 1"]), _THINGS, _KNOWS),
    _tool(_told("delete_observations", deletions=_GONE), _THINGS),
    _tool(_told("delete_relations", relations=_KNOWN[:2]), _THINGS, _KNOWS),
)
"""What is killed, in the order of the cases."""

_READS = """
    ask, search, explore, impact, plan, get, facts, history, audit, brief, explain, chat, status,
    validate, cypher, doctor, relation list, entity show, entity history, incident similar, incident
    recommend, incident compare, incident replay, incident policies, golden run, incident list,
    incident show, incident summary, key list, contract check
"""
_WRITES_NO_MEMORY = "key create, key revoke, trust, untrust, setup, pause"
_HAS_ITS_OWN_STORE = "eval retrieval, eval facts, eval memory, eval incidents, eval answers"


def _each(reason: str, names: str) -> dict[str, str]:
    return {name.strip(): reason for name in " ".join(names.split()).split(",")}


NOT_KILLED = {
    **_each("reads", _READS),
    **_each("writes no memory", _WRITES_NO_MEMORY),
    **_each("a store of its own", _HAS_ITS_OWN_STORE),
    "entity proposals": "killed with --merge",
    "proposals": "with --accept it states as `state` does, which is killed",
    "jobs": "with --resume",
    "incident resolve": "writes an outcome as `incident outcome` does, which is killed",
    "serve": "serves: what it writes with is killed as commands",
    "mcp": "serves: its tools are killed",
    "model fetch": "fetches over the network",
    "restore": "an outcome of `backup`, which is killed",
    "migrate": "writes batches as `import` does; stopped and resumed by its own tests",
}
"""Commands that are not killed, and why."""


def commands() -> set[str]:
    """Every command of the command line by its words, groups that do nothing left out."""
    from quipu.serve.cli import cli

    return set(_leaves(cli, ()))


def _leaves(command: click.Command, words: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(command, click.Group) or (words and command.invoke_without_command):
        yield " ".join(words)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _leaves(below, (*words, name))


def unsorted_commands() -> list[str]:
    """Commands that are neither killed nor said not to be."""
    killed = [f"{' '.join(write.command)} " for write in WRITES]
    return sorted(
        words
        for words in commands() - NOT_KILLED.keys()
        if not any(each.startswith(f"{words} ") for each in killed)
    )
