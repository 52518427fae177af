"""`quipu` itself: the table of commands, the help and the way out of every failure."""

import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from quipu.serve.cli.failures import READER_GONE, drop_output, run
from quipu.serve.cli.lazy import CommandEntry, Group

__all__ = ["ENTRIES", "cli"]

_HERE = "quipu.serve.cli"
_OPERATIONS = "quipu.serve.operations"
_START, _ASK, _WRITE, _KEEP, _MEASURE, _SERVE = (
    "Start",
    "Ask",
    "Write",
    "Look after",
    "Measure",
    "Serve",
)

ENTRIES = {
    "init": CommandEntry(f"{_HERE}.folders:init", "Make a memory in a folder.", _START),
    "index": CommandEntry(f"{_HERE}.folders:index", "Read files into the memory.", _START),
    "watch": CommandEntry(f"{_HERE}.folders:watch", "Index again whenever a file changes.", _START),
    "ask": CommandEntry(
        f"{_OPERATIONS}.asking:ask", "Answer with citations, or say unknown.", _ASK
    ),
    "chat": CommandEntry(
        f"{_HERE}.chat:chat", "Talk with the memory, with a model or without.", _ASK
    ),
    "search": CommandEntry(
        f"{_OPERATIONS}.asking:search", "Find passages, and why each is found.", _ASK
    ),
    "plan": CommandEntry(
        f"{_OPERATIONS}.asking:plan", "Show what may be used for a question.", _ASK
    ),
    "get": CommandEntry(
        f"{_OPERATIONS}.records:get", "Show a record, a file's passages or lines.", _ASK
    ),
    "facts": CommandEntry(f"{_OPERATIONS}.facts:facts", "List dated statements.", _ASK),
    "history": CommandEntry(
        f"{_OPERATIONS}.facts:history", "Show who said what of a subject, when.", _ASK
    ),
    "audit": CommandEntry(f"{_OPERATIONS}.facts:audit", "Show what held on a date, and why.", _ASK),
    "brief": CommandEntry(
        f"{_OPERATIONS}.facts:brief", "Show what an agent should always know.", _ASK
    ),
    "explain": CommandEntry(f"{_OPERATIONS}.upkeep:explain", "Show how a number came about.", _ASK),
    "state": CommandEntry(f"{_HERE}.state:state", "State facts; see what they replace.", _WRITE),
    "add": CommandEntry(f"{_OPERATIONS}.records:add", "Remember a text.", _WRITE),
    "ingest": CommandEntry(f"{_OPERATIONS}.records:ingest", "Remember transcripts.", _WRITE),
    "extract": CommandEntry(
        f"{_OPERATIONS}.upkeep:extract", "Let a model read a source's facts.", _WRITE
    ),
    "jobs": CommandEntry(
        f"{_OPERATIONS}.records:jobs", "Show what was accepted, and how it stands.", _WRITE
    ),
    "forget": CommandEntry(
        f"{_OPERATIONS}.records:forget", "Erase sources, history included.", _WRITE
    ),
    "reflect": CommandEntry(
        f"{_OPERATIONS}.upkeep:reflect", "Report on what the memory is about.", _WRITE
    ),
    "relation": CommandEntry(f"{_HERE}.graph:relation", "Change relations by hand.", _WRITE),
    "entity": CommandEntry(f"{_HERE}.graph:entity", "Find, merge and part things.", _WRITE),
    "value": CommandEntry(f"{_OPERATIONS}.upkeep:value", "Derive saved hours.", _WRITE),
    "incident": CommandEntry(
        f"{_HERE}.incident:incident", "Incidents, outcomes and advice.", _WRITE
    ),
    "status": CommandEntry(
        f"{_OPERATIONS}.records:status", "Count what is stored, and how old it is.", _KEEP
    ),
    "cypher": CommandEntry(f"{_HERE}.cypher:cypher", "Print queries for a graph on Neo4j.", _KEEP),
    "validate": CommandEntry(
        f"{_OPERATIONS}.upkeep:validate", "Check the graph against its schema.", _KEEP
    ),
    "embed": CommandEntry(f"{_HERE}.embedding:embed", "Make the vectors that are lacking.", _KEEP),
    "reindex": CommandEntry(f"{_OPERATIONS}.upkeep:reindex", "Embed everything again.", _KEEP),
    "rescan": CommandEntry(
        f"{_OPERATIONS}.records:rescan", "Redact what is stored with the rules of today.", _KEEP
    ),
    "export": CommandEntry(f"{_OPERATIONS}.upkeep:export", "Write every record to a file.", _KEEP),
    "import": CommandEntry(f"{_OPERATIONS}.upkeep:import_", "Read records from a file.", _KEEP),
    "migrate": CommandEntry(
        f"{_HERE}.upkeep:migrate", "Bring everything into another store.", _KEEP
    ),
    "backup": CommandEntry(f"{_OPERATIONS}.upkeep:backup", "Write all of it to one file.", _KEEP),
    "restore": CommandEntry(f"{_HERE}.upkeep:restore", "Put a memory back from a backup.", _KEEP),
    "serve": CommandEntry(f"{_HERE}.serving:serve", "Serve HTTP, a web page and MCP.", _SERVE),
    "key": CommandEntry(f"{_HERE}.keys:key", "Make and end keys of the server.", _SERVE),
    "mcp": CommandEntry(f"{_HERE}.agents:mcp", "Serve the memory to agents over MCP.", _SERVE),
    "doctor": CommandEntry(
        f"{_HERE}.doctor:doctor", "Check that everything needed is there.", _KEEP
    ),
    "trust": CommandEntry(f"{_HERE}.trust:trust", "Let a folder's settings count in full.", _KEEP),
    "untrust": CommandEntry(f"{_HERE}.trust:untrust", "Take that back.", _KEEP),
    "model": CommandEntry(f"{_HERE}.upkeep:model", "Get the local model.", _KEEP),
    "contract": CommandEntry(
        f"{_HERE}.contract:contract", "Look up an answer's evidence.", _MEASURE
    ),
    "golden": CommandEntry(f"{_HERE}.measure:golden", "Ask golden questions and check.", _MEASURE),
    "eval": CommandEntry(
        f"{_HERE}.measure:evaluation", "Measure retrieval on a data set.", _MEASURE
    ),
}

_FIRST = """
Three commands to begin with:

  quipu init
  quipu index .
  quipu ask "what does this project do?"

Completion in your shell: eval "$(_QUIPU_COMPLETE=bash_source quipu)"   (or zsh_source,
fish_source).
"""


class _Root(Group):
    def table(self) -> Mapping[str, CommandEntry]:
        """Its own commands, then those of kinds from other packages."""
        from quipu.serve.cli.kinds import commands_of_kinds

        return {**self.entries, **commands_of_kinds(self.entries)}

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run the command line in `args` (default: the process's own) and leave the process."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # what cannot show "…" gets an escape
                stream.reconfigure(errors="backslashreplace")
        given = list(sys.argv[1:] if args is None else args)
        options = given[: given.index("--")] if "--" in given else given
        extra["standalone_mode"] = False
        extra.setdefault("prog_name", "quipu")

        def command() -> object:
            return super(_Root, self).main(given, **extra)

        verbosity = sum(_verbosity(option) for option in options)
        run(command, as_json="--json" in options, traceback=verbosity > 1)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, and leave quietly when the reader of the output went away."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:  # click would exit 1, which means "no" here
            drop_output()
            raise click.exceptions.Exit(READER_GONE) from None
        return done


def _verbosity(option: str) -> int:
    if option == "--verbose":
        return 1
    return option.count("v") if option.startswith("-v") and set(option[1:]) == {"v"} else 0


def _version(ctx: click.Context, _parameter: click.Parameter, requested: bool) -> None:
    if requested and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"quipu {version('quipu-memory')}")
        ctx.exit()


@click.group(
    "quipu",
    cls=_Root,
    entries=ENTRIES,
    invoke_without_command=True,
    context_settings={"max_content_width": 100},
    examples=("quipu ask who owns the payment service", "quipu search --json retry policy"),
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Evidence-first graph memory: files go in, answers with citations come out.

    An answer names the passages it stands on (`path:line`), its confidence and the plan that
    led to it, and is the word `unknown` where the evidence is missing. Offline, one SQLite file.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        click.echo(_FIRST.rstrip())
