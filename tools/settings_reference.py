"""`docs/reference/configuration.md`, made from the settings themselves.

`python -m tools.settings_reference > docs/reference/configuration.md` brings it up to
date.
"""

from itertools import groupby
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

import click

from quipu.config import FILE_NAME, AttributeConfig, Setting, settings

__all__ = ["reference", "spelled"]

_HEAD = f"""\
# Configuration

Made from the settings by `python -m tools.settings_reference`; a test compares.

A setting is looked for in this order, the first that is there holds: `QUIPU_*` in the
environment, `.env` beside the folder's file (it is read, never exported), `{FILE_NAME}` in the
working directory or the nearest folder above it (or the file named by `--config`), your own
`$XDG_CONFIG_HOME/quipu/{FILE_NAME}` (else `~/.config/quipu/{FILE_NAME}`), the default. A key is
followed by its type and its default; `key` of `[section]` is `QUIPU_SECTION_KEY` in the
environment. Where it says *trust*, a folder's `{FILE_NAME}` and `.env` count only once you allowed
it with `quipu trust` ([how](../how-to/trust.md)); the other three always do. All of it is read
once. An unknown key or section, or a value of the wrong type, is an error that names the place and
the nearest key there is; a `QUIPU_*` variable that is no setting is a warning, since it may be
another program's. `quipu init` writes a `{FILE_NAME}` in which every line is a comment.
"""


def reference() -> str:
    """The whole page."""
    sections = [
        f"\n## [{name}]\n\n" + "".join(map(_row, rows))
        for name, rows in groupby(settings(), key=lambda each: each.key.partition(".")[0])
    ]
    return _HEAD + "".join(sections)


def _row(setting: Setting) -> str:
    key, said = setting.key.partition(".")[2], " ".join(setting.doc.split())
    return f"- `{key}` ({spelled(setting.hint)}, `{setting.default}`{_trust(setting)}): {said}\n"


def spelled(kind: object) -> str:
    """A type in words."""
    if get_origin(kind) is tuple:
        return f"list of {spelled(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return "table of tables" if get_args(kind)[1] is AttributeConfig else "table of text"
    if get_origin(kind) is Annotated:
        return spelled(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return " | ".join(repr(value) for value in get_args(kind))
    if get_origin(kind) in {Union, UnionType}:
        return " | ".join(spelled(k) for k in get_args(kind) if k is not type(None))
    words: dict[object, str] = {str: "text", int: "integer", float: "number", bool: "true | false"}
    return words[kind]


def _trust(setting: Setting) -> str:
    if not setting.trust:
        return ""
    harmless = ", ".join(f"`{each}`" for each in setting.harmless)
    return f", trust but for {harmless}" if harmless else ", trust"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
