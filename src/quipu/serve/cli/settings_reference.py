"""`docs/reference/configuration.md`, made from the settings themselves.

`python -m quipu.serve.cli.settings_reference > docs/reference/configuration.md` brings it up to
date.
"""

from itertools import groupby

import click

from quipu.config import FILE_NAME, Setting, settings

__all__ = ["reference"]

_HEAD = f"""\
# Configuration

Made from the settings by `python -m quipu.serve.cli.settings_reference`; a test compares.

A setting is looked for in this order, the first that is there holds: `QUIPU_*` in the
environment, `.env` beside the file (it is read, never exported), `{FILE_NAME}` in the working
directory or the nearest folder above it (or the file named by `--config`), the default. All of it
is read once. An unknown key, section or variable, or a value of the wrong type, is an error that
names the place and the nearest key there is. `quipu init` writes a `{FILE_NAME}` in which every
line is a comment.
"""


def reference() -> str:
    """The whole page."""
    sections = [
        f"\n## [{name}]\n\n| key | type | default | environment | what it does |\n"
        "|---|---|---|---|---|\n" + "".join(map(_row, rows))
        for name, rows in groupby(settings(), key=lambda each: each.key.partition(".")[0])
    ]
    return _HEAD + "".join(sections)


def _row(setting: Setting) -> str:
    key = setting.key.partition(".")[2]
    cells = (f"`{key}`", setting.type, f"`{setting.default}`", f"`{setting.environment}`")
    return f"| {' | '.join(_cell(each) for each in (*cells, setting.doc))} |\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    click.echo(reference(), nl=False)
