"""Writing a client's configuration, and undoing it.

What else stands in the file stays. The file as it was is kept beside it (`.before-quipu`); if
nothing changed since, undoing puts it back byte for byte, else only our entry is taken out.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from quipu.errors import InvalidInput
from quipu.serve.mcp.clients import Place
from quipu.serve.mcp.toml_tables import toml_with, toml_without

__all__ = ["Change", "Command", "install", "uninstall"]

Done: TypeAlias = Literal["created", "changed", "unchanged", "removed", "absent"]

_BACKUP = ".before-quipu"


class Command(NamedTuple):
    """How a client starts the server."""

    command: str
    args: tuple[str, ...]


class Change(NamedTuple):
    """What was done to which file, and where the file as it was is kept."""

    done: Done
    file: Path
    backup: Path | None


def install(place: Place, name: str, command: Command) -> Change:
    """Let `place` start `command` as the server `name`; again changes nothing.

    Raises InvalidInput for a file that cannot be read as what it should be; it stays as it is.
    """
    file = place.file.resolve()
    before = _read(file)
    after = _with(place, before or "", name, command)
    backup = _backup_of(file)
    if before is None:
        _write(file, after, like=None)
        return Change("created", place.file, None)
    if after == before or _entry(place, before, name) == _entry(place, after, name):
        return Change("unchanged", place.file, backup if backup.exists() else None)
    if not (backup.exists() and _entry(place, before, name) is not None):
        _write(backup, before, like=file)
    _write(file, after, like=file)
    return Change("changed", place.file, backup)


def uninstall(place: Place, name: str) -> Change:
    """Take the server `name` out of `place`; a file that holds nothing else goes with it."""
    file = place.file.resolve()
    before = _read(file)
    if before is None or _entry(place, before, name) is None:
        return Change("absent", place.file, None)
    backup = _backup_of(file)
    after = _without(place, before, name)
    if backup.exists():
        earlier = _read(backup) or ""
        if _content(place, _without(place, earlier, name)) == _content(place, after):
            after = earlier
        backup.unlink()
    if _holds_nothing(place, after):
        file.unlink()
    else:
        _write(file, after, like=file)
    return Change("removed", place.file, None)


def _with(place: Place, text: str, name: str, command: Command) -> str:
    if place.is_toml:
        return toml_with(
            text, (place.key, name), {"command": command.command, "args": list(command.args)}
        )
    held = _json(place, text)
    servers = held.setdefault(place.key, {})
    if not isinstance(servers, dict):
        raise InvalidInput(f"{str(place.file)!r}: {place.key!r} is no object; mend it by hand")
    kind = {"type": "stdio"} if place.typed else {}
    servers[name] = {**kind, "command": command.command, "args": list(command.args)}
    return _dumped(held, text)


def _without(place: Place, text: str, name: str) -> str:
    if place.is_toml:
        return toml_without(text, (place.key, name))
    held = _json(place, text)
    servers = held.get(place.key)
    if isinstance(servers, dict):
        cast("dict[str, Any]", servers).pop(name, None)
    return _dumped(held, text)


def _entry(place: Place, text: str, name: str) -> object:
    servers = _content(place, text).get(place.key)
    return cast("dict[str, Any]", servers).get(name) if isinstance(servers, dict) else None


def _content(place: Place, text: str) -> dict[str, Any]:
    if place.is_toml:
        import tomllib

        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(
                f"{str(place.file)!r} is no TOML ({error}): mend it first"
            ) from error
    return _json(place, text)


def _holds_nothing(place: Place, text: str) -> bool:
    content = _content(place, text)
    return not text.strip() or content in ({}, {place.key: {}})


def _json(place: Place, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        held = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{str(place.file)!r} is no plain JSON ({error}); comments and commas at the end "
            "cannot be kept: add the server by hand, as docs/reference/mcp.md shows"
        ) from error
    if not isinstance(held, dict):
        raise InvalidInput(f"{str(place.file)!r} holds no object: mend it first")
    return cast("dict[str, Any]", held)


def _dumped(held: dict[str, Any], like: str) -> str:
    """`held` as JSON, indented as `like` is."""
    second = like.split("\n")[1] if "\n" in like else "  "
    blank = second[: len(second) - len(second.lstrip())] or "  "
    return json.dumps(held, ensure_ascii=False, indent=blank) + "\n"


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
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode("utf-8"))
        temporary.chmod(like.stat().st_mode & 0o777 if like else 0o600)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
