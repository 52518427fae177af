"""`docs/reference/cli.md`, made from the commands themselves.

`python -m tools.cli_reference > docs/reference/cli.md` brings it up to date.
"""

import inspect
from collections import Counter
from collections.abc import Iterator

import click

from quipu.serve.cli.root import cli

__all__ = ["commands", "reference"]

_ROOT = "quipu"
_SHARED = 3
"""Of how many commands an option is that is described once, above them all."""
_HEAD = """\
# The command line

Made from the commands by `python -m tools.cli_reference`; a test compares.

`quipu` works on the nearest `.quipu` upward from where you stand, so it is called the same way
in every folder of a project. The result is on standard output, everything else (progress, notes,
errors) on standard error. With `--json` the result is one document, whose keys are in
[json.md](json.md); `quipu watch --json` prints one a line, a line for each run.

| exit code | meaning |
|---|---|
| 0 | done; finding nothing and answering `unknown` are results |
| 1 | answered no: a golden question failed, a `doctor` check failed, no valid graph, nothing read |
| 2 | the caller's mistake: an option, a path, a question, the configuration |
| 3 | Quipu cannot: something is missing, locked, full or damaged, or Quipu itself is wrong |
| 130 | interrupted (Ctrl-C); what was stored so far is whole |
| 141 | the reader of the output went away (`quipu search … \\| head -1`) |

An error is one line that says what failed, with which value, and what to do. With `--json` it is
also `{"error": {"kind", "message"}}` on standard output; `-vv` adds where it came from.

Colours are for terminals only; `NO_COLOR` turns them off. Control characters of a document are
shown as escapes (`\\x1b`), in JSON too. Every setting can come from `quipu.toml` or the
environment ([configuration.md](configuration.md)).

Every command takes the options of [`quipu`](#quipu) and `--help`, which says more.

Completion: `eval "$(_QUIPU_COMPLETE=bash_source quipu)"` in `~/.bashrc`, `zsh_source` in
`~/.zshrc`; for fish `_QUIPU_COMPLETE=fish_source quipu | source`.
"""


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ("quipu",)
) -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, a group before what is in it."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield from commands(found, (*path, name))


def reference() -> str:
    """The whole page."""
    every = list(commands())
    found = {name: list(_options(name, command)) for name, command in every}
    count = Counter(row for name, rows in found.items() if name != _ROOT for row in rows)
    shared = [row for row in count if count[row] >= _SHARED]
    parts = [_HEAD, f"\n## Options of several commands\n\n{''.join(map(_line, shared))}"]
    for name, command in every:
        own = [row for row in found[name] if row not in shared]
        others = [row[0].split()[0].rstrip(",") for row in found[name] if row in shared]
        named = ", ".join(f"`{each}`" for each in others)
        also = f"- also {named}\n" if named else ""
        options = f"\n{''.join(map(_line, own))}{also}" if own or also else ""
        parts.append(f"\n## {name}\n\n{_usage(name, command)}\n{options}{_examples(command)}")
    return "".join(parts)


def _usage(name: str, command: click.Command) -> str:
    """What the command is called with, and what it does."""
    context = click.Context(command, info_name=name, **command.context_settings)
    takes = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS]", "").split()
    said = inspect.cleandoc(command.help or "").partition("\f")[0]
    described = " ".join(said.partition("\n\n")[0].split())
    return f"`{' '.join((name, *takes))}`\n\n{described}"


def _options(name: str, command: click.Command) -> Iterator[tuple[str, str]]:
    """The options, each with what it does; those that every command takes stand with `quipu`."""
    context = click.Context(command, info_name=name, **command.context_settings)
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None and record[1] and "--help" not in option.opts:
            yield record[0], " ".join(record[1].split())


def _line(row: tuple[str, str]) -> str:
    return f"- `{row[0]}`: {row[1]}\n"


def _examples(command: click.Command) -> str:
    """The examples that the help ends with."""
    found: tuple[str, ...] = getattr(command, "examples", ())
    return f"\n```sh\n{chr(10).join(found)}\n```\n" if found else ""


if __name__ == "__main__":
    click.echo(reference(), nl=False)
