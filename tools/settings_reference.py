"""`docs/reference/configuration.md`, made from the settings themselves.

`python -m tools.settings_reference > docs/reference/configuration.md` brings it up to
date.
"""

from itertools import groupby

import click

from quipu.config import FILE_NAME, Setting, settings

__all__ = ["reference"]

_HEAD = f"""\
# Configuration

Made from the settings by `python -m tools.settings_reference`; a test compares.

A setting is looked for in this order, the first that is there holds: `QUIPU_*` in the
environment, `.env` beside the folder's file (it is read, never exported), `{FILE_NAME}` in the
working directory or the nearest folder above it (or the file named by `--config`), your own
`$XDG_CONFIG_HOME/quipu/{FILE_NAME}` (else `~/.config/quipu/{FILE_NAME}`), the default. Where the
column *trust* says so, a folder's `{FILE_NAME}` and `.env` count only once you allowed it with
`quipu trust` ([how](../how-to/trust.md)); the other three always do. All of it
is read once. An unknown key or section, or a value of the wrong type, is an error that names the
place and the nearest key there is; a `QUIPU_*` variable that is no setting is a warning, since it
may be another program's. `quipu init` writes a `{FILE_NAME}` in which every line is a comment.
"""


def reference() -> str:
    """The whole page."""
    sections = [
        f"\n## [{name}]\n\n| key | type | default | environment | trust | what it does |\n"
        "|---|---|---|---|---|---|\n" + "".join(map(_row, rows))
        for name, rows in groupby(settings(), key=lambda each: each.key.partition(".")[0])
    ]
    return _HEAD + "".join(sections)


def _row(setting: Setting) -> str:
    key = setting.key.partition(".")[2]
    cells = (f"`{key}`", setting.type, f"`{setting.default}`", f"`{setting.environment}`")
    shown = (*cells, _trust(setting), setting.doc)
    return f"| {' | '.join(map(_cell, shown))} |\n"


def _trust(setting: Setting) -> str:
    if not setting.trust:
        return ""
    harmless = ", ".join(f"`{each}`" for each in setting.harmless)
    return f"needed, but for {harmless}" if harmless else "needed"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    click.echo(reference(), nl=False)
