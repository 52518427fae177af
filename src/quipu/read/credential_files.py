"""Files that exist to hold credentials, by name: `rules/credential_files.toml`."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

import ahocorasick_rs
from pathspec import GitIgnoreSpec

from quipu.errors import InvalidConfig

__all__ = ["credential_files", "credential_kind", "read_credential_files"]

_FILE = "credential_files.toml"


class CredentialFile(NamedTuple):
    """One row of the file: what such files hold, and patterns of their paths."""

    of: str
    names: tuple[str, ...]


@cache
def credential_files() -> tuple[CredentialFile, ...]:
    """The rows that ship with Quipu."""
    text = files("quipu.read").joinpath("rules", _FILE).read_text("utf-8")
    return read_credential_files(tomllib.loads(text))


def read_credential_files(table: Mapping[str, Any]) -> tuple[CredentialFile, ...]:
    """The rows of a table as TOML gives it. Raises InvalidConfig naming the one that is none."""
    rows: list[CredentialFile] = []
    for at, row in enumerate(cast("Sequence[dict[str, Any]]", table.get("file", ())), 1):
        names = row.get("names")
        if sorted(row) != ["names", "of"] or not names:
            raise InvalidConfig(f"row {at} of {_FILE} needs `of` and `names` and nothing else")
        if wrong := [name for name in names if name != name.lower()]:
            raise InvalidConfig(f"row {at} of {_FILE}: {wrong[0]!r} is not in lower case")
        rows.append(CredentialFile(row["of"], tuple(names)))
    return tuple(rows)


def credential_kind(path: str) -> str | None:
    """What a file with this path (slashes) is known to hold, or None for any other file."""
    lowered = path.lower().encode("utf-8", "replace").decode()  # a name need not be UTF-8
    if not _literals().find_matches_as_indexes(lowered):  # by far the most
        return None
    for of, spec in _specs():
        if spec.match_file(lowered):
            return of
    return None


@cache
def _literals() -> ahocorasick_rs.AhoCorasick:
    """The longest literal part of each pattern: a path with none of them matches none."""
    names = [name for row in credential_files() for name in row.names if name[0] != "!"]
    return ahocorasick_rs.AhoCorasick(
        sorted({max(re.split(r"[*?/]+", name), key=len) for name in names})
    )


@cache
def _specs() -> tuple[tuple[str, GitIgnoreSpec], ...]:
    return tuple((row.of, GitIgnoreSpec.from_lines(row.names)) for row in credential_files())
