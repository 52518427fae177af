"""Where each client keeps its list of servers, writing into it, and undoing that.

Only our own entry changes, and of an entry that is there only how the server is started: what a
person added to it stays, as does all else in the file. The file as it was is kept beside it
(`.before-quipu`); when all is undone and nothing else changed since, it is put back byte for byte.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from quipu.errors import InvalidInput
from quipu.files import private
from quipu.serve.mcp.config_text import (
    json_content,
    json_with,
    json_without,
    toml_with,
    toml_without,
)

__all__ = [
    "CLIENTS",
    "Client",
    "ConfigFile",
    "FileChange",
    "ServerCommand",
    "install",
    "place_of",
    "uninstall",
]

Client: TypeAlias = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex"]
Where: TypeAlias = Literal["user", "project"]
CLIENTS: tuple[Client, ...] = ("claude-code", "claude-desktop", "cursor", "vscode", "codex")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The file, the key under which its servers stand, and whether it wants their type."""

    file: Path
    key: str
    typed: bool = False

    @property
    def is_toml(self) -> bool:
        """Whether the file is TOML and not JSON."""
        return self.file.suffix == ".toml"


def place_of(
    client: Client,
    where: Where,
    *,
    folder: Path,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
    platform: str = sys.platform,
) -> ConfigFile:
    """Where `client` reads its servers: the `user`'s, or those of the project in `folder`.

    Raises InvalidInput where the client has no such file.
    """
    home = home or Path.home()
    given = os.environ if environ is None else environ
    if where == "project":
        return _of_project(client, folder)
    match client:
        case "claude-code":
            return ConfigFile(home / ".claude.json", "mcpServers", typed=True)
        case "claude-desktop":
            kept = _settings(home, given, platform) / "Claude" / "claude_desktop_config.json"
            return ConfigFile(kept, "mcpServers")
        case "cursor":
            return ConfigFile(home / ".cursor" / "mcp.json", "mcpServers")
        case "vscode":
            kept = _settings(home, given, platform) / "Code" / "User" / "mcp.json"
            return ConfigFile(kept, "servers", typed=True)
        case "codex":
            folder = Path(given["CODEX_HOME"]) if given.get("CODEX_HOME") else home / ".codex"
            return ConfigFile(folder / "config.toml", "mcp_servers")


def _of_project(client: Client, folder: Path) -> ConfigFile:
    match client:
        case "claude-code":
            return ConfigFile(folder / ".mcp.json", "mcpServers", typed=True)
        case "cursor":
            return ConfigFile(folder / ".cursor" / "mcp.json", "mcpServers")
        case "vscode":
            return ConfigFile(folder / ".vscode" / "mcp.json", "servers", typed=True)
        case "codex":
            return ConfigFile(folder / ".codex" / "config.toml", "mcp_servers")
        case "claude-desktop":
            raise InvalidInput("claude-desktop knows no projects: leave --project out")


def _settings(home: Path, environ: Mapping[str, str], platform: str) -> Path:
    """The folder of an application's settings on this kind of machine."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


Done: TypeAlias = Literal["created", "changed", "unchanged", "removed", "absent"]

_BACKUP = ".before-quipu"
_NO_FILE = "there was no file\n"


class ServerCommand(NamedTuple):
    """How a client starts the server."""

    command: str
    args: tuple[str, ...]


class FileChange(NamedTuple):
    """What was done to which file, and where the file as it was is kept."""

    done: Done
    file: Path
    backup: Path | None


def install(
    place: ConfigFile, name: str, command: ServerCommand, *, replace: bool = False
) -> FileChange:
    """Let `place` start `command` as the server `name`; again changes nothing.

    Raises InvalidInput for a file that cannot be read as what it should be, and for an entry of
    that name that serves another store, unless it is to be replaced; the file stays as it is.
    """
    file = place.file.resolve()
    before = _read(file)
    other = _store_in(_entry(place, before or "", name))
    if other and other != _store_in({"args": list(command.args)}) and not replace:
        raise InvalidInput(
            f"{name!r} in {str(place.file)!r} serves {other!r}: give --name for an entry of its "
            "own, or --replace to put this one in its place"
        )
    after = _with(place, before or "", name, command)
    backup = _backup_of(file)
    if before is None:
        _write(file, after, like=None)
        _write(backup, _NO_FILE, like=None)
        return FileChange("created", place.file, None)
    kept = backup if backup.exists() and _read(backup) != _NO_FILE else None
    if after == before:
        return FileChange("unchanged", place.file, kept)
    if not _is_before(place, backup, before):
        _write(backup, before, like=file)
    _write(file, after, like=file)
    return FileChange("changed", place.file, backup if _read(backup) != _NO_FILE else None)


def _store_in(entry: object) -> str | None:
    """The store that an entry names; None where it serves that of the folder it is started in."""
    args = cast("dict[str, Any]", entry).get("args") if isinstance(entry, dict) else None
    given = [str(each) for each in cast("list[object]", args)] if isinstance(args, list) else []
    return next((value for key, value in pairwise(given) if key == "--store"), None)


def uninstall(place: ConfigFile, name: str) -> FileChange:
    """Take the server `name` out of `place`; a file that `install` made, and that holds nothing
    else, goes with it."""
    file = place.file.resolve()
    before = _read(file)
    if before is None or _entry(place, before, name) is None:
        return FileChange("absent", place.file, None)
    backup = _backup_of(file)
    earlier = _read(backup)
    after = _without(place, before, name)
    if earlier == _NO_FILE and _holds_nothing(place, after):
        file.unlink()
        backup.unlink()
        return FileChange("removed", place.file, None)
    if earlier is not None and earlier != _NO_FILE:
        if place.key not in _content(place, earlier) and not _servers(place, after):
            after = _cut(place, after, (place.key,))
        if _settings_in(place, earlier) == _settings_in(place, after):
            after = earlier
        if _servers(place, earlier) == _servers(place, after):
            backup.unlink()
    _write(file, after, like=file)
    return FileChange("removed", place.file, None)


def _is_before(place: ConfigFile, backup: Path, text: str) -> bool:
    """Whether the file that is kept is the one from before all that was installed: nothing but
    the servers differs from `text`."""
    earlier = _read(backup)
    if earlier is None:
        return False
    others = [
        {key: value for key, value in _content(place, each).items() if key != place.key}
        for each in ("" if earlier == _NO_FILE else earlier, text)
    ]
    return others[0] == others[1]


def _with(place: ConfigFile, text: str, name: str, command: ServerCommand) -> str:
    started = {"command": command.command, "args": list(command.args)}
    servers = _content(place, text).get(place.key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{str(place.file)!r}: {place.key!r} is no object; mend it by hand")
    stored = cast("dict[str, Any]", servers).get(name)
    entry: dict[str, Any] = cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}
    kind = {"type": "stdio"} if place.typed else {}
    result = {**entry, **kind, **started} if entry else {**kind, **started}
    if result == entry:
        return text
    if place.is_toml:
        return toml_with(text, (place.key, name), result)
    return json_with(text, (place.key, name), result)


def _without(place: ConfigFile, text: str, name: str) -> str:
    return _cut(place, text, (place.key, name))


def _cut(place: ConfigFile, text: str, path: tuple[str, ...]) -> str:
    return toml_without(text, path) if place.is_toml else json_without(text, path)


def _settings_in(place: ConfigFile, text: str) -> dict[str, Any]:
    """What a text says: a list of no servers is none."""
    content = _content(place, text)
    return {key: value for key, value in content.items() if key != place.key or value}


def _servers(place: ConfigFile, text: str) -> object:
    """The servers that a text names; {} for none."""
    return _content(place, text).get(place.key) or {}


def _entry(place: ConfigFile, text: str, name: str) -> object:
    servers = _content(place, text).get(place.key)
    return cast("dict[str, Any]", servers).get(name) if isinstance(servers, dict) else None


def _content(place: ConfigFile, text: str) -> dict[str, Any]:
    if place.is_toml:
        import tomllib

        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(
                f"{str(place.file)!r} is no TOML ({error}): mend it first"
            ) from error
    return _json(place, text)


def _holds_nothing(place: ConfigFile, text: str) -> bool:
    content = _content(place, text)
    return not text.strip() or content in ({}, {place.key: {}})


def _json(place: ConfigFile, text: str) -> dict[str, Any]:
    try:
        return json_content(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{str(place.file)!r} is no JSON ({error}): mend it first") from error
    except TypeError as error:
        raise InvalidInput(f"{str(place.file)!r} holds no object: mend it first") from error


def _backup_of(file: Path) -> Path:
    return file.with_name(file.name + _BACKUP)


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(file)!r} is not UTF-8: mend it first") from error


def _write(file: Path, text: str, *, like: Path | None) -> None:
    """Write whole or not at all, with the rights of `like`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rights = like.stat().st_mode & 0o777 if like else private.FILE
    private.write_whole(file, text.encode("utf-8"), rights=rights)
