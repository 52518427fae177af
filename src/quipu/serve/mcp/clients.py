"""Where each client keeps its list of servers, and how it writes one down."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from quipu.errors import InvalidInput

__all__ = ["CLIENTS", "Client", "ConfigFile", "Where", "place_of"]

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
