"""`quipu` itself: the table of commands, the help and the way out of every failure."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from quipu.serve.cli.failures import READER_GONE, drop_output, run
from quipu.serve.cli.lazy import CommandEntry, Group

__all__ = ["ENTRIES", "cli"]

_COMMANDS = """
Start
  init       cli.folders:init             Make a memory in a folder.
  index      cli.folders:index            Read files into the memory.
  watch      cli.folders:watch            Index again whenever a file changes.
Ask
  ask        operations.asking:ask        Answer with citations, or say unknown.
  chat       cli.chat:chat                Talk with the memory, with a model or without.
  search     operations.asking:search     Find passages, and why each is found.
  explore    operations.asking:explore    Find what a task needs: code, who uses it.
  impact     operations.asking:impact     Show what a change touches.
  plan       operations.asking:plan       Show what may be used for a question.
  get        operations.records:get       Show a record, a file's passages or lines.
  facts      operations.facts:facts       List dated statements.
  history    operations.facts:history     Show who said what of a subject, when.
  audit      operations.facts:audit       Show what held on a date, and why.
  brief      operations.facts:brief       Show what an agent should always know.
  explain    operations.upkeep:explain    Show how a number came about.
Write
  state      operations.facts:state_words  State facts; see what they replace.
  add        operations.records:add       Remember a text.
  ingest     operations.records:ingest    Remember transcripts.
  extract    operations.upkeep:extract    Let a model read a source's facts.
  jobs       operations.records:jobs      Show what was accepted, and how it stands.
  forget     operations.records:forget    Erase sources, history included.
  reflect    operations.upkeep:reflect    Report on what the memory is about.
  relation   (group)                      Change relations by hand.
    add        operations.graph:add         Assert a relation.
    list       operations.graph:list_       List relations.
    update     operations.graph:update      Change what a relation says.
    rm         operations.graph:rm          End relations.
  entity     (group)                      Find, merge and part things.
    show       operations.graph:show        Show a thing and what was merged into it.
    proposals  operations.graph:proposals   List things that may be one.
    merge      operations.graph:merge       Take two things to be one.
    unmerge    operations.graph:unmerge     Undo a merge.
    history    operations.graph:history     Show who decided what, when and why.
  value      operations.upkeep:value      Derive saved hours.
  incident   (group)                      Incidents, outcomes and advice.
    add        operations.incidents:add        Remember incidents from files.
    outcome    operations.incidents:outcome    Record what was tried and whether it worked.
    list       operations.incidents:list_      List incidents: open ones, those of a service.
    show       operations.incidents:show       Show an incident and what is known of it.
    resolve    operations.incidents:resolve    Record what ended an incident.
    summary    operations.incidents:summary    Count by service, with the time to repair.
    similar    operations.incidents:similar    Find what happened before.
    recommend  operations.incidents:recommend  Say what to try, and why.
    compare    operations.incidents:compare    Compare two actions.
    replay     operations.incidents:replay     Advise on the past as it was known then.
    policies   operations.incidents:policies   Show or check action policies.
    export     operations.incidents:export     Write incidents, outcomes and edges to a file.
    import     operations.incidents:import_    Read incidents, outcomes and edges from a file.
Look after
  status     operations.records:status    Count what is stored, and how old it is.
  cypher     cli.cypher:cypher            Print queries for a graph on Neo4j.
  validate   operations.upkeep:validate   Check the graph against its schema.
  embed      operations.upkeep:embed        Make the vectors that are lacking.
  reindex    operations.upkeep:reindex    Embed everything again.
  rescan     operations.records:rescan    Redact what is stored with the rules of today.
  export     operations.upkeep:export     Write every record to a file.
  import     operations.upkeep:import_    Read records from a file.
  migrate    cli.upkeep:migrate           Bring everything into another store.
  backup     operations.upkeep:backup     Write all of it to one file.
  restore    cli.upkeep:restore           Put a memory back from a backup.
Agents
  setup      cli.setup:setup              Give the memory to the agents on this machine.
  pause      cli.setup:pause              Let hooks take in and tell nothing.
Serve
  serve      cli.serving:serve            Serve HTTP, a web page and MCP.
  key        (group)                      Make and end keys of the server.
    create     cli.keys:create              Make a key; it is shown once.
    list       cli.keys:list_               List the keys.
    revoke     cli.keys:revoke              End a key.
  mcp        cli.agents:mcp               Serve the memory to agents over MCP.
Look after
  doctor     cli.doctor:doctor            Check that everything needed is there.
  trust      cli.trust:trust              Let a folder's settings count in full.
  untrust    cli.trust:untrust            Take that back.
  model      (group)                      Get the local model.
    fetch      cli.upkeep:fetch             Download and verify the local model.
Measure
  contract   (group)                      Look up an answer's evidence.
    check      operations.upkeep:check         Look up an answer's evidence.
  golden     (group)                      Ask golden questions and check.
    run        cli.measure:run_golden       Ask the questions of a file and check.
  eval       (group)                      Measure on a data set with known answers.
    retrieval  cli.measure:retrieval        Measure search on a labelled set.
    facts      cli.sets:facts               Measure questions of time on dated facts.
    memory     cli.sets:conversations       Measure memory of conversations.
    incidents  cli.sets:incidents           Measure what changes go back to.
    answers    cli.measure:answers          Measure answers about repositories.
"""
"""Every command: its section, its name, where in `quipu.serve` it is defined, its line. Those of a
group are indented below it."""

_GROUPS = {
    "relation": (
        "Add, list, change and remove relations between the things that are known.",
        "quipu relation list 'payment service'",
    ),
    "entity": (
        "Find, merge and part things that are one: a name and its typo.",
        "quipu entity proposals",
        "quipu entity merge PST 'Payment Service Team'",
    ),
    "incident": (
        "Remember incidents and outcomes, and let them take part in the next decision.",
        "quipu incident similar --component payments --error-rate 0.4",
    ),
    "key": (
        "Keys for `quipu serve`. Once there is one, nobody comes in without one.",
        "quipu key create --scope read --note dashboard",
        "quipu key list",
    ),
    "model": (
        "Get the local model; `quipu doctor` says whether it is there.",
        "quipu model fetch",
    ),
    "contract": (
        "Check answers under the answer contract, whoever wrote them.",
        "quipu contract check reply.json",
    ),
    "golden": (
        "Ask questions whose evidence is known, and check the answers.",
        "quipu golden run goldens.yaml",
    ),
    "eval": (
        "Measure on data sets with known answers.",
        "quipu eval retrieval sets/hotpot",
        "quipu eval answers sets/repositories",
    ),
}
"""The help of each group, then its examples."""


def _entries() -> dict[str, CommandEntry]:
    """The commands of the table by name; a group has its own inside."""
    found: dict[str, CommandEntry] = {}
    section, inside = "", dict[str, CommandEntry]()
    for row in _COMMANDS.strip().split("\n"):
        if not row.startswith(" "):
            section = row
            continue
        name, place, line = re.split(r"\s{2,}", row.strip())
        if row.startswith("    "):
            inside[name] = CommandEntry(f"quipu.serve.{place}", line)
            continue
        inside = dict[str, CommandEntry]()
        if place == "(group)":
            says, *examples = _GROUPS[name]
            group = Group(name, entries=inside, examples=tuple(examples), help=says)
            found[name] = CommandEntry(group, line, section)
        else:
            found[name] = CommandEntry(f"quipu.serve.{place}", line, section, inside)
    return found


ENTRIES = _entries()

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
        given = _named_anew(list(sys.argv[1:] if args is None else args))
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


_RENAMED = {
    "incident timeline": "incident show",
    "mcp import": "import server-memory",
    "mcp install": "setup --server-only",
    "mcp uninstall": "setup --server-only --remove",
}
"""Commands that go with the next version, and what is run in their place."""


def _named_anew(given: list[str]) -> list[str]:
    """Return what is to be run of what was `given`, with a warning where a name has gone."""
    at = next((place for place, word in enumerate(given) if word in ENTRIES), len(given))
    old = " ".join(given[at : at + 2])
    if old not in _RENAMED:
        return given
    click.echo(f"`{old}` goes with the next version: use `quipu {_RENAMED[old]}`", err=True)
    return [*given[:at], *_RENAMED[old].split(), *_with_clients(given[at + 2 :])]


def _with_clients(words: Iterable[str]) -> Iterator[str]:
    """Yield the words of `mcp install --client NAME` as `setup` takes them; a name agreed."""
    for word in words:
        option, _, name = word.partition("=")
        yield from filter(None, ("--yes", name)) if option == "--client" else [word]


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
