"""Files that exist to hold credentials, by name: `rules/credential_files.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated

import ahocorasick_rs
import msgspec
from msgspec import Meta
from pathspec import GitIgnoreSpec

__all__ = ["credential_files", "credential_kind"]


class CredentialFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the file: what such files hold, and patterns of their paths, in lower case."""

    of: str
    names: Annotated[tuple[str, ...], Meta(min_length=1)]


@cache
def credential_files() -> tuple[CredentialFile, ...]:
    """The rows that ship with Quipu."""
    text = files("quipu.read").joinpath("rules", "credential_files.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text)["file"], tuple[CredentialFile, ...])


def credential_kind(path: str) -> str | None:
    """What a file with this path (slashes) is known to hold, or None for any other file."""
    lowered = path.lower().encode("utf-8", "replace").decode()  # a name need not be UTF-8
    if not _literals().find_matches_as_indexes(lowered):  # by far the most
        return None
    return next((of for of, spec in _specs() if spec.match_file(lowered)), None)


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
