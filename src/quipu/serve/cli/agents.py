"""`mcp`: the memory as tools for agents, and how clients are told of it."""

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quipu.config import find_upward
from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE
from quipu.serve.cli.folders import initialise
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.options import watch_option
from quipu.serve.cli.terminal import safe
from quipu.serve.keeping_up import kept_up
from quipu.serve.mcp import NEEDS, PROFILES, build_server
from quipu.serve.mcp.installing import (
    CLIENTS,
    Client,
    ConfigFile,
    FileChange,
    ServerCommand,
    install,
    place_of,
    uninstall,
)
from quipu.serve.shapes import ClientChange

if TYPE_CHECKING:  # pragma: no cover
    from quipu.agents.knowledge_file import KnowledgeImported
    from quipu.memory import Memory
    from quipu.serve.mcp.server import LackingMemory

__all__ = ["import_graph", "install_client", "mcp", "uninstall_client"]

_HERE = "quipu.serve.cli.agents"
_profile = click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="default",
    show_default=True,
    help="Which tools: the default set, all of them (full), those of the official memory server "
    "(server-memory), or search and fetch (search-fetch).",
)
_client = click.option(
    "--client", type=click.Choice(CLIENTS), required=True, help="The program to be told."
)
_name = click.option(
    "--name", default="quipu", show_default=True, help="What the server is called there."
)
_project = click.option(
    "--project", is_flag=True, help="In the files of this folder, not the user's own."
)


@click.group(
    "mcp",
    cls=Group,
    invoke_without_command=True,
    entries={
        "install": CommandEntry(f"{_HERE}:install_client", "Tell a client of this server."),
        "uninstall": CommandEntry(f"{_HERE}:uninstall_client", "Take the server out of a client."),
        "import": CommandEntry(
            f"{_HERE}:import_graph", "Take in a file of the official memory server."
        ),
    },
    examples=(
        "quipu mcp --profile full",
        "quipu mcp --http --port 8765",
        "quipu mcp install --client claude-code",
    ),
)
@_profile
@click.option("--read-only", is_flag=True, help="Leave out the tools that write.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp, not standard input.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8765,
    show_default=True,
    help="The port to listen at.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the secret that clients must send as a bearer token.",
)
@watch_option
@click.pass_context
def mcp(
    ctx: click.Context,
    profile: Any,
    read_only: bool,
    watch: bool,
    http: bool,
    host: str,
    port: int,
    token_file: Path | None,
) -> None:
    """Serve the memory to agents over the Model Context Protocol, until the client leaves.

    Agents search, ask, remember and audit through tools; several may do so at once. What changes
    in what was indexed is read meanwhile. In a folder without a memory nothing is found; the first
    thing that is stored makes one there. Standard output carries the protocol alone. Needs the
    extra: pip install 'quipu-memory[mcp]'.
    """
    if ctx.invoked_subcommand is not None:
        return
    run = invocation()
    if token_file and not http:
        raise InvalidInput("--token-file is for --http: standard input asks for no token")
    is_empty = not run.store and not run.config().store.url and not _is_there()
    with ExitStack() as stack:

        def opened() -> "Memory":
            memory = stack.enter_context(run.open(read_only=read_only, keeps_up=not read_only))
            stack.enter_context(kept_up(run.open if watch and not read_only else None))
            return memory

        if is_empty:
            from quipu.memory import Memory

            lacking = _lacking(run, opened)
            memory = Memory.open("memory:", config=run.config(), namespace=run.namespace)
            memory = stack.enter_context(memory)
            run.note(lacking.note)
        else:
            lacking, memory = None, opened()
        server = build_server(
            memory,
            profile=profile,
            read_only=read_only,
            lacking=None if read_only else lacking,
        )
        from quipu.serve.mcp.running import read_token, serve_http, serve_stdio

        if not http:
            serve_stdio(server)
            return
        token = read_token(token_file) if token_file else ""
        run.note(f"serving at http://{host}:{port}/mcp; Ctrl-C ends it")
        serve_http(server, host=host, port=port, token=token)


def _is_there() -> bool:
    return find_upward(DATABASE, None) is not None


def _lacking(run: Invocation, opened: "Callable[[], Memory]") -> "LackingMemory":
    """The memory that the present folder lacks."""
    from quipu.serve.mcp.server import LackingMemory

    def make() -> "Memory":
        if not _is_there():
            initialise(run, Path.cwd())
        return opened()

    return LackingMemory(
        exists=_is_there,
        make=make,
        note=f"there is no memory in {str(Path.cwd())!r} or above it yet: the first thing that is "
        "stored makes one there; `quipu init` and `quipu index .` have its files read",
    )


@command(
    "install",
    "quipu mcp install --client claude-code",
    "quipu mcp install --client codex --profile full",
    "quipu mcp install --client vscode --project",
)
@_client
@_profile
@_name
@_project
@click.option("--replace", is_flag=True, help="Put it in the place of one for another memory.")
def install_client(client: Any, profile: str, name: str, project: bool, replace: bool) -> None:
    """Write this server into the configuration of a client; again changes nothing.

    One entry serves every project: the memory of the folder that the client works in. With --store,
    and for claude-desktop, which works in none, it serves that memory alone; an entry for another
    is not replaced: give --name or --replace.

    What else the file holds stays, and the file as it was is kept beside it. Restart the client
    afterwards. With --project the nearest .quipu is used wherever the project is checked out.
    """
    run = invocation()
    place = _place(run, client, project)
    _show(
        run, client, install(place, name, _command(run, client, profile, project), replace=replace)
    )
    if find_spec("mcp") is None:
        run.note(NEEDS)


@command("uninstall", "quipu mcp uninstall --client claude-code")
@_client
@_name
@_project
def uninstall_client(client: Any, name: str, project: bool) -> None:
    """Undo `quipu mcp install`; if nothing else changed since, the file is as it was before."""
    run = invocation()
    _show(run, client, uninstall(_place(run, client, project), name))


@command("import", "quipu mcp import memory.jsonl")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_graph(path: Path) -> None:
    """Take in the knowledge graph that the official MCP memory server keeps in PATH.

    Its entities, observations and relations become this memory's; what is there already is left
    alone, so the same file again changes nothing. A line that cannot be read is named.
    """
    from quipu.agents.knowledge_file import import_knowledge

    run = invocation()
    with run.open() as memory:
        shown = import_knowledge(memory, path)
    run.show(shown, lambda: _import_lines(shown))


def _place(run: Invocation, client: Any, project: bool) -> ConfigFile:
    return place_of(client, "project" if project else "user", folder=_folder(run))


def _folder(run: Invocation) -> Path:
    with run.open(read_only=True) as memory:
        return memory.home.folder


def _command(run: Invocation, client: Client, profile: str, project: bool) -> ServerCommand:
    """How a client starts this server: of a project by name, of the user by its whole path, for
    the memory of the folder that the client works in. A password is not written into its
    configuration."""
    chosen = () if profile == "default" else ("--profile", profile)
    space = ("--namespace", run.namespace) if run.namespace else ()
    if project:
        return ServerCommand("quipu", ("mcp", *chosen, *space))
    script = Path(sys.executable).with_name("quipu")
    program = str(script) if script.exists() else shutil.which("quipu") or "quipu"
    if not run.store and client != "claude-desktop":
        return ServerCommand(program, ("mcp", *chosen, *space))
    with run.open(read_only=True) as memory:
        url = memory.home.shown
    store = url if "://" in url else str(Path(url).expanduser().resolve())
    return ServerCommand(program, ("mcp", "--store", store, *chosen, *space))


def _show(run: Invocation, client: str, change: FileChange) -> None:
    shown = ClientChange(
        client=client,
        file=str(change.file),
        done=change.done,
        backup=str(change.backup) if change.backup else None,
    )
    run.show(shown, lambda: _change_lines(shown))


def _change_lines(shown: ClientChange) -> list[str]:
    file = safe(shown.file, line=True)
    lines = {
        "created": [f"Made {file}."],
        "changed": [f"Changed {file}."],
        "unchanged": [f"{file} has it already."],
        "removed": [f"Took it out of {file}."],
        "absent": [f"There is nothing to take out of {file}."],
    }[shown.done]
    if shown.backup and shown.done == "changed":
        lines.append(f"The file as it was is {safe(shown.backup, line=True)}.")
    if shown.done in {"created", "changed"}:
        lines.append(f"Restart {shown.client} to use it.")
    return lines


def _import_lines(shown: "KnowledgeImported") -> list[str]:
    counts = f"{shown.entities} entities, {shown.observations} observations"
    first = f"Took in {counts} and {shown.relations} relations."
    return [first, *(f"  {safe(error, line=True)}" for error in shown.errors)]
