"""The programs that can be set up, and where on this machine what they read is: `clients.toml`."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from quipu.tables import read_table

__all__ = ["CLIENTS", "Client", "Format", "Hooks", "Launch", "Places", "filled"]

Format: TypeAlias = Literal["json", "toml", "yaml"]


class Launch(NamedTuple):
    """How a client starts the server, and what it calls it."""

    name: str
    command: str
    args: tuple[str, ...]


class Hooks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hooks of a client, as the table says."""

    file: str
    style: Literal["text", "json", "cursor", "copilot"]
    events: dict[str, str]
    entry: dict[str, Any]
    fixed: dict[str, Any] = {}


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program, as the table says."""

    found: tuple[str, ...]
    file: str
    key: str = "mcpServers"
    entry: Any = msgspec.field(default_factory=lambda: {"command": "{command}", "args": ["{args}"]})
    project: str = ""
    format: Format = "json"
    hooks: Hooks | None = None
    rules: str = ""
    skills: str = ""


CLIENTS = msgspec.convert(read_table("quipu.serve.setup", "clients.toml"), dict[str, Client])
"""By the name that `quipu setup` takes."""


def filled(entry: Any, said: Mapping[str, str | tuple[str, ...]]) -> Any:
    """Return an entry of the table with what its braces name; a list takes in several texts."""
    if isinstance(entry, dict):
        return {key: filled(value, said) for key, value in cast("dict[str, Any]", entry).items()}
    if isinstance(entry, list):
        items: list[Any] = []
        for each in cast("list[Any]", entry):
            value = filled(each, said)
            items += cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
        return items
    return {f"{{{name}}}": text for name, text in said.items()}.get(entry, entry)


class Places:
    """Where the names in braces are, on this machine."""

    def __init__(
        self,
        project: Path,
        *,
        home: Path | None = None,
        environ: Mapping[str, str] | None = None,
        platform: str = sys.platform,
    ) -> None:
        given, home = os.environ if environ is None else environ, home or Path.home()
        config = Path(given.get("XDG_CONFIG_HOME") or home / ".config")
        settings = {
            "darwin": home / "Library" / "Application Support",
            "win32": Path(given.get("APPDATA") or home / "AppData" / "Roaming"),
        }.get(platform, config)
        goose = settings / "Block" / "goose" / "config" if platform == "win32" else config / "goose"
        self._names = {
            "home": home,
            "config": config,
            "settings": settings,
            "code": settings / "Code" / "User",
            "claude": given.get("CLAUDE_CONFIG_DIR") or home / ".claude",
            "codex": given.get("CODEX_HOME") or home / ".codex",
            "copilot": given.get("COPILOT_HOME") or home / ".copilot",
            "goose": goose,
            "project": project,
        }

    def of(self, template: str) -> Path:
        """The path that a template of the table stands for."""
        return Path(template.format(**self._names))

    def is_there(self, client: Client) -> bool:
        """Whether a client shows that it is on this machine."""
        return any(os.path.exists(self.of(folder)) for folder in client.found)  # noqa: PTH110  no error where it may not look
