"""Commands that are imported when they are run, not when they are listed.

`quipu --help` needs only the table of names and lines; a command's module, and with it numpy and
everything else, is imported when that command is asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from quipu.serve.cli.invocation import everywhere

__all__ = ["CommandEntry", "Group", "command"]

_EVERYWHERE = "The options of `quipu --help` (--json, --store, --namespace …) can stand here too."


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command is defined (`module:attribute`), or the command; its line in the list, its
    section, and the commands below it."""

    place: str | click.Command
    line: str
    section: str = "Commands"
    inside: Mapping[str, "CommandEntry"] = field(default_factory=dict[str, "CommandEntry"])

    def load(self, name: str) -> click.Command:
        """The command itself, its module imported now; of an operation it is made."""
        if isinstance(self.place, click.Command):
            return self.place
        if (name, self.place) not in _LOADED:
            _LOADED[name, self.place] = _loaded(self.place, name, self.inside)
        return _LOADED[name, self.place]


_LOADED: dict[tuple[str, str], click.Command] = {}


def _loaded(place: str, name: str, inside: Mapping[str, CommandEntry]) -> click.Command:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, click.Command):
        return found
    from quipu.serve.cli.rendered import command_of

    return command_of(found, name, inside)


class _Shown(click.Command):
    """A command whose help ends with examples."""

    examples: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", {}).setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **kwargs)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one a line."""
        if self.examples:
            with formatter.section("Example" if len(self.examples) == 1 else "Examples"):
                formatter.write("".join(f"  {example}\n" for example in self.examples))
        super().format_epilog(ctx, formatter)


class Command(_Shown):
    """One command; it takes the options that every command takes, and shows them as one line."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        self.params += everywhere(hidden=True)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, and that the shared ones exist."""
        super().format_options(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(_EVERYWHERE)


class Group(_Shown, click.Group):
    """A group that knows its commands by name and imports one when it is run."""

    def __init__(
        self,
        *args: Any,
        entries: Mapping[str, CommandEntry] | None = None,
        examples: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.entries: Mapping[str, CommandEntry] = {} if entries is None else entries
        self.examples = examples
        self.params += everywhere(hidden=self.name != "quipu")

    def table(self) -> Mapping[str, CommandEntry]:
        """All that can be listed; a group may have more than its own `entries`."""
        return self.entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every name, in the order of the table."""
        return [*self.table(), *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command `cmd_name`, imported now; None when there is none."""
        entry = self.entries.get(cmd_name) or self.table().get(cmd_name)
        return entry.load(cmd_name) if entry else super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command `args` begin with; a UsageError that names the nearest when unknown."""
        name = args[0]
        if ctx.resilient_parsing or name in self.entries or name.startswith("-"):
            return super().resolve_command(ctx, args)
        names = self.list_commands(ctx)
        if name in names:
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"there is no command {name!r}; {_instead(name, names)}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their sections, without importing one."""
        if not self.entries:
            super().format_commands(ctx, formatter)
            return
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.table().items():
            sections.setdefault(entry.section, []).append((name, entry.line))
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)


def _instead(name: str, names: Sequence[str]) -> str:
    """What there is in place of a command that is not there: the nearest, else all."""
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    *rest, last = names
    return f"there are {', '.join(rest)} and {last}." if rest else f"the only one is {last}."


def command(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function the command `name`; its docstring is the help, `examples` end it."""
    return click.command(name, cls=Command, examples=examples)
