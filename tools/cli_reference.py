"""`docs/reference/cli.md`, made from the commands themselves.

`python -m tools.cli_reference > docs/reference/cli.md` brings it up to date.
"""

from collections.abc import Iterator

import click

from quipu.serve.cli.root import cli

__all__ = ["commands", "reference"]

_WIDTH = 88
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
    parts = [_HEAD]
    for name, command in commands():
        context = click.Context(
            command, info_name=name, terminal_width=_WIDTH, **command.context_settings
        )
        parts.append(f"\n## {name}\n\n```text\n{command.get_help(context).rstrip()}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
