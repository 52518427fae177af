"""Every command and every tool that writes, each as something that can be killed.

The lists at the end say of every other command that it does not write, or why it is not here; a
command that nobody has sorted fails the trial.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import click

__all__ = ["NOT_KILLED", "WRITES", "Tool", "Write", "commands", "unsorted_commands"]

_TOKEN = '"id":9'


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool over MCP, on standard input and output."""

    profile: str
    name: str
    arguments: dict[str, object]

    def lines(self) -> tuple[str, ...]:
        """What a client sends."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "torture", "version": "1"},
        }
        called = {"name": self.name, "arguments": self.arguments}
        return tuple(
            json.dumps({"jsonrpc": "2.0", **row})
            for row in (
                {"id": 1, "method": "initialize", "params": hello},
                {"method": "notifications/initialized"},
                {"id": 9, "method": "tools/call", "params": called},
            )
        )

    until = _TOKEN


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

    @property
    def unseen(self) -> bool:
        """Whether an export does not show what it does."""
        return bool(self.file) or self.command[:1] == ("init",)


_INDEX = ("index", ".")
_EXPORTED = ("incident", "export", "--force", "../given/graph.json")
_ADD = ("incident", "add", "../given/incidents.jsonl")
_THINGS = Tool(
    "server-memory",
    "create_entities",
    {
        "entities": [
            {"name": f"Thing {n}", "entityType": "thing", "observations": [f"is {n}", f"was {n}"]}
            for n in range(4)
        ]
    },
)
_KNOWS = Tool(
    "server-memory",
    "create_relations",
    {
        "relations": [
            {"from": "Thing 0", "to": f"Thing {n}", "relationType": "knows"} for n in (1, 2, 3)
        ]
    },
)
_ALIKE = Tool(
    "server-memory",
    "create_entities",
    {
        "entities": [
            {"name": name, "entityType": "team", "observations": ["owns the ledger"]}
            for name in ("Payment Service Team", "Payment Service Teams", "Payment-Service Team")
        ]
    },
)
_FACT = {"category": "decision", "content": "Ann decided for Postgres in May 2025.", "tags": ["db"]}
_OUTCOME = (
    "incident",
    "outcome",
    "{incident}",
    "rollback",
    "--worked",
    "--minutes",
    "12",
    "--recorded-at",
    "2026-02-20",
)

WRITES: tuple[Write, ...] = (
    Write("init", ("init", "deeper")),
    Write("index", _INDEX),
    Write("index, changed", _INDEX, first=(_INDEX, ("change",))),
    Write("index, embedded", _INDEX, embeds=True),
    Write("index --git", ("index", "--git", "{given}/repo")),
    Write("watch", ("watch",), first=(_INDEX, ("change",))),
    Write("add", ("add", "Ann owns the payment service since May 2025."), first=(_INDEX,)),
    Write("add, embedded", ("add", "Bo owns the ledger."), first=(_INDEX,), embeds=True),
    Write("ingest transcripts", ("ingest", "../given/talk.jsonl")),
    Write("ingest tasks", ("ingest", "../given/plan.json")),
    Write("ingest pages", ("ingest", "URL"), fetches=True),
    Write("jobs --resume", ("jobs", "--resume")),
    Write("extract", ("extract", "docs/p01.md"), first=(_INDEX,)),
    Write("rescan", ("rescan",), first=(_INDEX, ("unredacted",))),
    Write("forget", ("forget", "--yes", "docs/p01.md", "docs/p02.md"), first=(_INDEX,)),
    Write("forget, embedded", ("forget", "--yes", "docs/p01.md"), first=(_INDEX,), embeds=True),
    Write(
        "forget --expired",
        ("forget", "--expired", "--yes"),
        first=(
            Tool("default", "memory_store", {**_FACT, "expires": "2026-03-01T10:30:00Z"}),
            _INDEX,
        ),
    ),
    Write("reflect", ("reflect",), first=(_INDEX,)),
    Write(
        "relation add",
        ("relation", "add", "docs/p01.md", "depends_on", "docs/p02.md"),
        first=(_INDEX,),
        whole=True,
    ),
    Write(
        "relation update",
        ("relation", "update", "{relation}", "--confidence", "0.5"),
        first=(_INDEX,),
        whole=True,
    ),
    Write("relation rm", ("relation", "rm", "{relation}"), first=(_INDEX,), whole=True),
    Write(
        "entity merge", ("entity", "merge", "team-ash", "team-birch"), first=(_INDEX,), whole=True
    ),
    Write(
        "entity unmerge",
        ("entity", "unmerge", "team-ash"),
        whole=True,
        first=(_INDEX, ("entity", "merge", "team-ash", "team-birch")),
    ),
    Write(
        "entity proposals --merge",
        ("entity", "proposals", "--merge", "--least", "0.3"),
        first=(_ALIKE,),
        embeds=True,
    ),
    Write("value", ("value", "../given/values")),
    Write("incident add", _ADD),
    Write("incident outcome", _OUTCOME, first=(_ADD,)),
    Write(
        "incident import",
        ("incident", "import", "../given/graph.json"),
        first=(_ADD, _OUTCOME, _EXPORTED, ("empty",)),
    ),
    Write(
        "incident export",
        ("incident", "export", "--force", "out.json"),
        first=(_ADD,),
        file="out.json",
    ),
    Write("embed", ("embed",), first=((*_INDEX, "--no-embed"),), embeds=True),
    Write("reindex", ("reindex",), first=(("older",),), embeds=True),
    Write("export", ("export", "out.jsonl"), first=(_INDEX,), file="out.jsonl"),
    Write(
        "import",
        ("import", "../given/out.jsonl"),
        first=(_INDEX, ("export", "../given/out.jsonl"), ("empty",)),
    ),
    Write("import arf", ("import", "arf", "../given/arf"), embeds=True),
    Write("mcp import", ("mcp", "import", "../given/memory.jsonl")),
    Write(
        "mcp install", ("mcp", "install", "--client", "claude-code", "--project"), file=".mcp.json"
    ),
    Write(
        "mcp uninstall",
        ("mcp", "uninstall", "--client", "claude-code", "--project"),
        first=(("mcp", "install", "--client", "claude-code", "--project"),),
        file=".mcp.json",
    ),
    Write("backup", ("backup", "out.backup"), first=(_INDEX,), file="out.backup"),
    Write("state", ("state", "billing owner = Dagny", "billing: tier = 2"), whole=True),
    Write(
        "memory_state",
        tool=Tool(
            "default",
            "memory_state",
            {"statements": [{"subject": "billing", "attribute": "owner", "value": "Dagny"}]},
        ),
        first=(("state", "billing owner = Erik"),),
        whole=True,
    ),
    Write("memory_store", tool=Tool("default", "memory_store", dict(_FACT)), first=(_INDEX,)),
    Write(
        "memory_ingest",
        tool=Tool(
            "default",
            "memory_ingest",
            {
                "source": "chat",
                "sessionKey": "s1",
                "items": [
                    {
                        "id": str(n),
                        "kind": "turn",
                        "text": f"We moved shelf {n} to Oslo in 2025.",
                        "metadata": {"time": f"2026-03-01T10:{n:02d}:00Z", "role": "user"},
                    }
                    for n in range(12)
                ],
            },
        ),
    ),
    Write(
        "outcome_record",
        first=(_ADD,),
        tool=Tool(
            "full",
            "outcome_record",
            {
                "incident_id": "{incident}",
                "actions_taken": ["rollback"],
                "success": True,
                "recorded_at": "2026-02-20T00:00:00Z",
            },
        ),
    ),
    Write("create_entities", tool=_THINGS, whole=True),
    Write("create_relations", tool=_KNOWS, first=(_THINGS,), whole=True),
    Write(
        "add_observations",
        first=(_THINGS,),
        whole=True,
        tool=Tool(
            "server-memory",
            "add_observations",
            {
                "observations": [
                    {"entityName": f"Thing {n}", "contents": ["is new", "is kept"]}
                    for n in range(3)
                ]
            },
        ),
    ),
    Write(
        "delete_entities",
        first=(_THINGS, _KNOWS),
        whole=True,
        tool=Tool("server-memory", "delete_entities", {"entityNames": ["Thing 0", "Thing 1"]}),
    ),
    Write(
        "delete_observations",
        first=(_THINGS,),
        whole=True,
        tool=Tool(
            "server-memory",
            "delete_observations",
            {
                "deletions": [
                    {"entityName": f"Thing {n}", "observations": [f"is {n}"]} for n in range(3)
                ]
            },
        ),
    ),
    Write(
        "delete_relations",
        first=(_THINGS, _KNOWS),
        whole=True,
        tool=Tool(
            "server-memory",
            "delete_relations",
            {
                "relations": [
                    {"from": "Thing 0", "to": f"Thing {n}", "relationType": "knows"} for n in (1, 2)
                ]
            },
        ),
    ),
)
"""What is killed, in the order of the cases."""

_READS = """
    ask, search, plan, get, facts, history, audit, brief, explain, chat, status, validate,
    cypher, doctor, relation list, entity show, entity history, incident similar, incident
    recommend, incident compare, incident replay, incident policies, golden run, incident list,
    incident show, incident timeline, incident summary, key list, contract check
"""
_WRITES_NO_MEMORY = "key create, key revoke, trust, untrust"
_HAS_ITS_OWN_STORE = "eval retrieval, eval facts, eval memory, eval incidents, eval answers"


def _each(reason: str, names: str) -> dict[str, str]:
    return {name.strip(): reason for name in " ".join(names.split()).split(",")}


NOT_KILLED = {
    **_each("reads", _READS),
    **_each("writes no memory", _WRITES_NO_MEMORY),
    **_each("a store of its own", _HAS_ITS_OWN_STORE),
    "entity proposals": "killed with --merge",
    "jobs": "with --resume",
    "incident resolve": "writes an outcome as `incident outcome` does, which is killed",
    "serve": "serves: what it writes with is killed as commands",
    "mcp": "serves: its tools are killed",
    "model fetch": "fetches over the network",
    "restore": "an outcome of `backup`, which is killed",
    "migrate": "writes batches as `import` does; stopped and resumed by its own tests",
}
"""Commands that are not killed, and why."""


def commands() -> dict[str, click.Command]:
    """Every command of the command line by its words, groups that do nothing left out."""
    from quipu.serve.cli import cli

    return dict(_leaves(cli, ()))


def _leaves(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        if words and command.invoke_without_command:
            yield " ".join(words), command
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _leaves(below, (*words, name))
    else:
        yield " ".join(words), command


def unsorted_commands() -> list[str]:
    """Commands that are neither killed nor said not to be."""
    killed = {" ".join(write.command) for write in WRITES}
    return [
        words
        for words in commands()
        if words not in NOT_KILLED
        and not any(each == words or each.startswith(f"{words} ") for each in killed)
    ]
