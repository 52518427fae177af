"""`quipu` itself: its commands (`commands.txt`), the help and the way out of every failure."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from quipu.serve.cli.failures import READER_GONE, drop_output, run
from quipu.serve.cli.lazy import CommandEntry, Group

__all__ = ["ENTRIES", "cli"]


def _entries() -> dict[str, CommandEntry]:
    """Return the commands of `commands.txt` by name; a group has its own inside."""
    found: dict[str, CommandEntry] = {}
    section, inside, group = "", dict[str, CommandEntry](), Group()
    _, _, table = Path(__file__).with_name("commands.txt").read_text("utf-8").partition("\n\n")
    for row in table.splitlines():
        name, *rest = re.split(r"\s{2,}", row.strip())
        if row.startswith("    $ "):
            group.examples += (name.removeprefix("$ "),)
        elif row.startswith("    "):
            inside[name] = CommandEntry(f"quipu.serve.{rest[0]}", rest[1])
        elif not rest:
            section = row
        else:
            place, line = rest
            inside = dict[str, CommandEntry]()
            if place == "(group)":
                group = Group(name, entries=inside, help=line)
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
_OLD_PROFILE = "--profile search-fetch"
"""What entries of clients that 0.1.0 wrote may still run."""


def _named_anew(given: list[str]) -> list[str]:
    """Return what is to be run of what was `given`, with a warning where a name has gone."""
    at = next((place for place, word in enumerate(given) if word in ENTRIES), len(given))
    old = " ".join(given[at : at + 2])
    if given[at : at + 1] == ["mcp"] and _OLD_PROFILE in " ".join(given).replace("=", " "):
        click.echo(f"`{_OLD_PROFILE}` goes with the next version: `default` is served", err=True)
        return [each.replace("search-fetch", "default") for each in given]
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


@click.group(
    "quipu",
    cls=_Root,
    entries=ENTRIES,
    invoke_without_command=True,
    context_settings={"max_content_width": 100},
    examples=("quipu ask who owns the payment service", "quipu search --json retry policy"),
)
@click.version_option(
    package_name="quipu-memory", message="quipu %(version)s", help="Show the version."
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
