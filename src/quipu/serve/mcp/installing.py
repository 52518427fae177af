"""Where each client keeps its list of servers, writing into it, and undoing that.

Only our own entry changes, and of an entry that is there only how the server is started: what a
person added to it stays, as does all else in the file. The file as it was is kept beside it
(`.before-quipu`); when all is undone and nothing else changed since, it is put back byte for byte.
"""

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import tomlkit
from tomlkit.exceptions import TOMLKitError

from quipu.errors import InvalidInput
from quipu.files import private

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
Done: TypeAlias = Literal["created", "changed", "unchanged", "removed", "absent"]
CLIENTS: tuple[Client, ...] = get_args(Client)

_BACKUP = ".before-quipu"
_NO_FILE = "there was no file\n"


class _Place(NamedTuple):
    """A client's key of servers, whether it wants their type, and its two files: the user's from
    `{home}`, `{settings}` or `{codex}`, the project's from its folder."""

    key: str
    typed: bool
    user: str
    project: str


_PLACES: dict[Client, _Place] = {
    "claude-code": _Place("mcpServers", True, "{home}/.claude.json", ".mcp.json"),
    "claude-desktop": _Place(
        "mcpServers", False, "{settings}/Claude/claude_desktop_config.json", ""
    ),
    "cursor": _Place("mcpServers", False, "{home}/.cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": _Place("servers", True, "{settings}/Code/User/mcp.json", ".vscode/mcp.json"),
    "codex": _Place("mcp_servers", False, "{codex}/config.toml", ".codex/config.toml"),
}


class ServerCommand(NamedTuple):
    """How a client starts the server."""

    command: str
    args: tuple[str, ...]


class FileChange(NamedTuple):
    """What was done to which file, and where the file as it was is kept."""

    done: Done
    file: Path
    backup: Path | None


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

    def content(self, text: str) -> dict[str, Any]:
        """What a text of this file says. Raises InvalidInput for what it cannot be."""
        kind = "TOML" if self.is_toml else "JSON"
        try:
            plain = text.removeprefix("\ufeff").strip()
            found: object = tomllib.loads(plain) if self.is_toml else json.loads(plain or "{}")
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{str(self.file)!r} is no plain {kind} ({error}): mend it, or take comments out "
                "of it, or add the entry by hand (docs/reference/mcp.md)"
            ) from error
        if not isinstance(found, dict):
            raise InvalidInput(f"{str(self.file)!r} holds no object: mend it first")
        return cast("dict[str, Any]", found)

    def servers(self, text: str) -> dict[str, Any]:
        """The servers that a text names, by name. Raises InvalidInput."""
        found: object = self.content(text).get(self.key, {})
        if not isinstance(found, dict):
            raise InvalidInput(f"{str(self.file)!r}: {self.key!r} is no object; mend it by hand")
        return cast("dict[str, Any]", found)

    def settings(self, text: str) -> dict[str, Any]:
        """What else than servers a text says."""
        return {key: value for key, value in self.content(text).items() if key != self.key}

    def edited(self, text: str, name: str, entry: Mapping[str, Any] | None) -> str:
        """Return the text with this entry for a server, or without one. Raises InvalidInput where
        something else would be lost."""
        servers = {key: value for key, value in self.servers(text).items() if key != name}
        if entry is not None:
            servers[name] = dict(entry)
        wanted = {**self.settings(text), **({self.key: servers} if servers else {})}
        after = self._toml(text, name, entry) if self.is_toml else self._json(text, wanted)
        if self.content(after) != wanted:
            raise self._by_hand(name, entry)
        return after

    def _json(self, text: str, wanted: Mapping[str, Any]) -> str:
        indents = [len(line) - len(line.lstrip(" ")) for line in text.splitlines()]
        unit: int | str = min(filter(None, indents), default=2)
        if "\n\t" in text:
            unit = "\t"
        written = json.dumps(wanted, ensure_ascii=False, indent=unit) + "\n"
        return written.replace("\n", "\r\n") if "\r\n" in text else written

    def _toml(self, text: str, name: str, entry: Mapping[str, Any] | None) -> str:
        try:
            document: Any = tomlkit.parse(text.removeprefix("\ufeff"))
            if self.key not in document:
                document[self.key] = tomlkit.table(is_super_table=True)
            servers = document[self.key]
            if entry is None:
                servers.pop(name, None)
            elif name in servers:
                servers[name].update(entry)
            else:
                servers[name] = tomlkit.item(dict(entry))
            if not servers:
                del document[self.key]
            return tomlkit.dumps(document)
        except TOMLKitError as error:
            raise self._by_hand(name, entry) from error

    def _by_hand(self, name: str, entry: Mapping[str, Any] | None) -> InvalidInput:
        return InvalidInput(
            f"{str(self.file)!r} is written in a way that cannot be changed by itself: "
            + (f"take {name!r} out" if entry is None else f"put {name!r} in, {json.dumps(entry)},")
            + f" under {self.key!r} by hand"
        )


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
    place, home = _PLACES[client], home or Path.home()
    given = os.environ if environ is None else environ
    if where == "project":
        if not place.project:
            raise InvalidInput(f"{client} knows no projects: leave --project out")
        return ConfigFile(folder / place.project, place.key, place.typed)
    file = place.user.format(
        home=home,
        settings=_settings(home, given, platform),
        codex=given.get("CODEX_HOME") or home / ".codex",
    )
    return ConfigFile(Path(file), place.key, place.typed)


def _settings(home: Path, environ: Mapping[str, str], platform: str) -> Path:
    """The folder of an application's settings on this kind of machine."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def install(
    place: ConfigFile, name: str, command: ServerCommand, *, replace: bool = False
) -> FileChange:
    """Let `place` start `command` as the server `name`; again changes nothing.

    Raises InvalidInput for a file that cannot be read as what it should be, and for an entry of
    that name that serves another store, unless it is to be replaced; the file stays as it is.
    """
    file = place.file.resolve()
    before = _read(file)
    stored: object = place.servers(before or "").get(name)
    entry = cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}
    started = {"command": command.command, "args": list(command.args)}
    other = _store_in(entry)
    if other and other != _store_in(started) and not replace:
        raise InvalidInput(
            f"{name!r} in {str(place.file)!r} serves {other!r}: give --name for an entry of its "
            "own, or --replace to put this one in its place"
        )
    wanted = {**entry, **({"type": "stdio"} if place.typed else {}), **started}
    backup = file.with_name(file.name + _BACKUP)
    if before is None:
        _write(file, place.edited("", name, wanted), like=None)
        _write(backup, _NO_FILE, like=None)
        return FileChange("created", place.file, None)
    earlier = _read(backup)
    if wanted == entry:
        kept = backup if earlier not in (None, _NO_FILE) else None
        return FileChange("unchanged", place.file, kept)
    after = place.edited(before, name, wanted)
    if earlier is None or place.settings(_text(earlier)) != place.settings(before):
        _write(backup, before, like=file)
        earlier = before
    _write(file, after, like=file)
    return FileChange("changed", place.file, backup if earlier != _NO_FILE else None)


def uninstall(place: ConfigFile, name: str) -> FileChange:
    """Take the server `name` out of `place`; a file that `install` made, and that holds nothing
    else, goes with it."""
    file = place.file.resolve()
    before = _read(file)
    if before is None or name not in place.servers(before):
        return FileChange("absent", place.file, None)
    backup = file.with_name(file.name + _BACKUP)
    earlier, after = _read(backup), place.edited(before, name, None)
    same = not place.settings(after)
    if earlier == _NO_FILE and same and not place.servers(after):
        file.unlink()
        backup.unlink()
        return FileChange("removed", place.file, None)
    if earlier not in (None, _NO_FILE) and place.servers(earlier) == place.servers(after):
        backup.unlink()
        if place.settings(earlier) == place.settings(after):
            after = earlier
    _write(file, after, like=file)
    return FileChange("removed", place.file, None)


def _store_in(entry: Mapping[str, Any]) -> str | None:
    """The store that an entry names; None where it serves that of the folder it is started in."""
    args = entry.get("args")
    given = [str(each) for each in cast("list[object]", args)] if isinstance(args, list) else []
    return next((value for key, value in pairwise(given) if key == "--store"), None)


def _text(kept: str) -> str:
    return "" if kept == _NO_FILE else kept


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
