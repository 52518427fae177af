"""What a manifest declares, whatever its format, and how its values are read."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from quipu.records.record import Properties, Value

__all__ = [
    "Dependency",
    "Manifest",
    "Table",
    "address",
    "declares",
    "items",
    "people",
    "specifier",
    "table",
    "text_of",
]

_MOST = 200
_ADDRESS = re.compile(r"[<(]")
Table: TypeAlias = Mapping[str, str | list[str]]
"""What a manifest lists by name: commands and what they run, features and what they enable."""


class Dependency(NamedTuple):
    """What a package needs, in a version that fits `specifier`; in the `group` "" to run."""

    name: str
    specifier: str = ""
    group: str = ""


class Manifest(NamedTuple):
    """What a manifest declares: its own package ("" for none), what that depends on, and what else
    it says of it: `license`, `requires`, `authors`, `repository`, `commands`, `scripts`.

    `tables` are `commands`, `scripts`, `features` and `extras` by name, and `groups` of what is
    needed besides the dependencies. What is not `whole` may
    have dependencies that are not read from it."""

    package: str
    dependencies: list[Dependency]
    version: str = ""
    description: str = ""
    about: Mapping[str, str] = {}
    tables: Mapping[str, Table] = {}
    whole: bool = True


def declares(manifest: Manifest) -> Properties:
    """All that a manifest says of its package, as a property of its document."""
    fields: Properties = {"version": manifest.version, **manifest.about}
    groups: dict[str, list[str]] = {}
    for each in sorted(set(manifest.dependencies)):
        written = f"{each.name} {each.specifier}".strip()
        groups.setdefault(each.group, []).append(written)
    needed = groups.pop("", [] if manifest.whole and manifest.package else None)
    tables: dict[str, Table] = {**manifest.tables}
    extras = tables.get("extras", {})
    own = {name: listed for name, listed in groups.items() if name not in extras}
    tables["groups"] = {**tables.get("groups", {}), **own}
    content: Properties = {key: value for key, value in fields.items() if value}
    for key, value in tables.items():
        if value:
            content[key] = _capped(value)
    if needed is not None:
        content["dependencies"] = [*needed[:_MOST]]
    return content


def _capped(named: Table) -> dict[str, Value]:
    """The first of a table, and of each list in it."""
    return {
        name: value if isinstance(value, str) else [*value[:_MOST]]
        for name, value in [*named.items()][:_MOST]
    }


def table(value: object) -> Mapping[str, Any]:
    """A table as it is, nothing for what is none."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    """A list as it is, nothing for what is none."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A text as it is, "" for what is none."""
    return value if isinstance(value, str) else ""


def specifier(value: object) -> str:
    """The version that is asked for: a text, or that of a table."""
    return text_of(value) or text_of(table(value).get("version"))


def address(*tables: Mapping[str, Any]) -> str:
    """Where the source stands, or else the project's page."""
    for each in tables:
        known = {key.casefold(): text_of(value) for key, value in each.items()}
        for key in ("source", "source code", "repository", "github", "code", "homepage", "url"):
            if known.get(key):
                return known[key].removeprefix("git+").removesuffix(".git")
    return ""


def people(given: object) -> str:
    """Names without their addresses: of "Ann <a@b.c>", of tables with a `name`."""
    listed: Iterable[object] = items(given) or [given]
    names = [text_of(each) or text_of(table(each).get("name")) for each in listed]
    return ", ".join(bare for name in names if (bare := _ADDRESS.split(name, 1)[0].strip()))
