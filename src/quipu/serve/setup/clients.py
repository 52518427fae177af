"""The programs that can be set up: how each is found, and what it reads where, as one table.

Places are the programs' own documentation: `{home}`, `{config}` (`~/.config`), `{settings}` (where
applications keep settings on this kind of machine), `{code}` (the user's folder of VS Code),
`{claude}`, `{codex}` and `{copilot}` (which a variable may move), `{project}`.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["CLIENTS", "Client", "Format", "Hooks", "Launch", "Places"]

Format: TypeAlias = Literal["json", "toml", "yaml"]


class Launch(NamedTuple):
    """How a client starts the server, and what it calls it."""

    name: str
    command: str
    args: tuple[str, ...]


Shape: TypeAlias = Callable[[Launch], Any]


class Hooks(NamedTuple):
    """The file of a client's hooks, what it calls our events, how a hook is written there, and in
    which style it reads what a hook prints."""

    file: str
    events: Mapping[str, str]
    style: str
    entry: Callable[[str], dict[str, Any]]
    fixed: Mapping[str, Any] = {}


def _plain(launch: Launch) -> dict[str, Any]:
    return {"command": launch.command, "args": list(launch.args)}


class Client(NamedTuple):
    """A program: what shows that it is there, its files of servers (the user's, the project's),
    under which key and in which shape; its hooks; its instructions and skills for every project."""

    found: tuple[str, ...]
    file: str
    key: str = "mcpServers"
    shape: Shape = _plain
    project: str = ""
    format: Format = "json"
    hooks: Hooks | None = None
    rules: str = ""
    skills: str = ""


def _typed(launch: Launch) -> dict[str, Any]:
    return {"type": "stdio", **_plain(launch)}


def _copilot(launch: Launch) -> dict[str, Any]:
    return {"type": "local", **_plain(launch), "tools": ["*"]}


def _opencode(launch: Launch) -> dict[str, Any]:
    return {"type": "local", "command": [launch.command, *launch.args], "enabled": True}


def _goose(launch: Launch) -> dict[str, Any]:
    started = {"cmd": launch.command, "args": list(launch.args)}
    return {"type": "stdio", "name": launch.name, "enabled": True, **started, "timeout": 300}


def _listed(launch: Launch) -> list[dict[str, Any]]:
    return [{"name": launch.name, **_plain(launch)}]


def _nested(command: str) -> dict[str, Any]:
    return {"hooks": [_command(command)]}


def _flat(command: str) -> dict[str, Any]:
    return {"command": command}


def _command(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command}


_TOLD = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreCompact": "keep",
    "Stop": "keep",
}
_CLAUDE = Hooks("{claude}/settings.json", {**_TOLD, "SessionEnd": "keep"}, "text", _nested)
_CODEX = Hooks("{codex}/hooks.json", _TOLD, "text", _nested)
_GEMINI_EVENTS = {"SessionStart": "start", "BeforeAgent": "prompt"}
_GEMINI = Hooks("{home}/.gemini/settings.json", _GEMINI_EVENTS, "json", _nested)
_FIRST = {"sessionStart": "start"}
_CURSOR = Hooks("{home}/.cursor/hooks.json", _FIRST, "cursor", _flat, {"version": 1})
_COPILOT = Hooks("{copilot}/hooks/quipu.json", _FIRST, "copilot", _command, {"version": 1})

CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(
        found=("{claude}", "{home}/.claude.json"),
        file="{home}/.claude.json",
        shape=_typed,
        project="{project}/.mcp.json",
        hooks=_CLAUDE,
        skills="{claude}/skills",
    ),
    "claude-desktop": Client(
        found=("{settings}/Claude",), file="{settings}/Claude/claude_desktop_config.json"
    ),
    "codex": Client(
        found=("{codex}",),
        file="{codex}/config.toml",
        key="mcp_servers",
        format="toml",
        project="{project}/.codex/config.toml",
        hooks=_CODEX,
        rules="{codex}/AGENTS.md",
    ),
    "cursor": Client(
        found=("{home}/.cursor",),
        file="{home}/.cursor/mcp.json",
        project="{project}/.cursor/mcp.json",
        hooks=_CURSOR,
    ),
    "vscode": Client(
        found=("{code}",),
        file="{code}/mcp.json",
        key="servers",
        shape=_typed,
        project="{project}/.vscode/mcp.json",
    ),
    "gemini-cli": Client(
        found=("{home}/.gemini",),
        file="{home}/.gemini/settings.json",
        project="{project}/.gemini/settings.json",
        hooks=_GEMINI,
        rules="{home}/.gemini/GEMINI.md",
    ),
    "windsurf": Client(
        found=("{home}/.codeium/windsurf",), file="{home}/.codeium/windsurf/mcp_config.json"
    ),
    "zed": Client(
        found=("{config}/zed",),
        file="{config}/zed/settings.json",
        key="context_servers",
        project="{project}/.zed/settings.json",
    ),
    "cline": Client(
        found=("{code}/globalStorage/saoudrizwan.claude-dev",),
        file="{code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ),
    "roo-code": Client(
        found=("{code}/globalStorage/rooveterinaryinc.roo-cline",),
        file="{code}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        project="{project}/.roo/mcp.json",
    ),
    "opencode": Client(
        found=("{config}/opencode",),
        file="{config}/opencode/opencode.json",
        key="mcp",
        shape=_opencode,
        project="{project}/opencode.json",
        rules="{config}/opencode/AGENTS.md",
    ),
    "goose": Client(
        found=("{goose}",),
        file="{goose}/config.yaml",
        key="extensions",
        shape=_goose,
        format="yaml",
    ),
    "junie": Client(
        found=("{home}/.junie",),
        file="{home}/.junie/mcp/mcp.json",
        project="{project}/.junie/mcp/mcp.json",
    ),
    "continue": Client(
        found=("{home}/.continue",),
        file="{home}/.continue/config.yaml",
        shape=_listed,
        format="yaml",
    ),
    "amazon-q": Client(
        found=("{home}/.aws/amazonq",),
        file="{home}/.aws/amazonq/mcp.json",
        project="{project}/.amazonq/mcp.json",
    ),
    "copilot-cli": Client(
        found=("{copilot}",),
        file="{copilot}/mcp-config.json",
        shape=_copilot,
        hooks=_COPILOT,
    ),
    "kiro": Client(
        found=("{home}/.kiro",),
        file="{home}/.kiro/settings/mcp.json",
        project="{project}/.kiro/settings/mcp.json",
    ),
    "warp": Client(
        found=("{home}/.warp",),
        file="{home}/.warp/.mcp.json",
        project="{project}/.warp/.mcp.json",
    ),
    "qwen-code": Client(
        found=("{home}/.qwen",),
        file="{home}/.qwen/settings.json",
        project="{project}/.qwen/settings.json",
    ),
    "lm-studio": Client(found=("{home}/.lmstudio",), file="{home}/.lmstudio/mcp.json"),
}


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
