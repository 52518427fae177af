"""`mcp`: the memory as tools for agents, and how clients are told of it."""

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from quipu.agents.knowledge_file import KnowledgeImported, import_knowledge
from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE
from quipu.memory import Memory
from quipu.serve.cli.folders import initialise, is_remembered
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.serving import Port, Watch
from quipu.serve.keeping_up import kept_up
from quipu.serve.mcp import NEEDS, Profile, build_server
from quipu.serve.mcp.installing import (
    Client,
    ConfigFile,
    FileChange,
    ServerCommand,
    install,
    place_of,
    uninstall,
)
from quipu.serve.operations import Command, Exists, Flag, Word, operation
from quipu.serve.setup.places import folder_of_work, own_folder
from quipu.serve.shapes import ClientChange

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.mcp.server import LackingMemory

__all__: list[str] = []

Profiled = Annotated[
    Profile,
    "which tools: the default set, all of them (full), or those of the official memory server "
    "(server-memory)",
]
Told = Annotated[Client, "the program to be told"]
Name = Annotated[str, "what the server is called there"]
Project = Annotated[bool, "in the files of this folder, not the user's own"]


@operation(None, Command())
def mcp(
    run: Invocation,
    profile: Profiled = "default",
    read_only: Annotated[bool, "leave out the tools that write"] = False,
    http: Annotated[bool, "serve streamable HTTP at /mcp, not standard input"] = False,
    host: Annotated[str, "the address to listen at"] = "127.0.0.1",
    port: Port = 8765,
    token_file: Annotated[
        Path | None, "a file with the secret that clients must send as a bearer token", Exists()
    ] = None,
    watch: Watch = True,
) -> None:
    """Serve the memory to agents over the Model Context Protocol, until the client leaves.

    Agents search, ask, remember and audit through tools; several may do so at once. What changes
    in what was indexed is read meanwhile. The memory is the nearest upward; where there is none,
    the first thing that is stored makes one for the repository or folder, and in the home folder
    and above, the user's own is served. Standard output carries the protocol alone. Needs the
    extra: pip install 'quipu-memory[mcp]'.

    $ quipu mcp --profile full
    $ quipu mcp --http --port 8765
    $ quipu mcp install --client claude-code
    """
    if token_file and not http:
        raise InvalidInput("--token-file is for --http: standard input asks for no token")
    folder, is_empty = folder_of_work(Path.cwd()), not is_remembered(run)
    if is_empty and folder == own_folder():
        run, is_empty = replace(run, store=str(folder / DATABASE)), not (folder / DATABASE).exists()
    with ExitStack() as stack:

        def opened() -> Memory:
            memory = stack.enter_context(run.open(read_only=read_only, keeps_up=not read_only))
            stack.enter_context(kept_up(run.open if watch and not read_only else None))
            return memory

        if is_empty:
            lacking = _lacking(run, folder, opened)
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
        if not http:
            server.run("stdio")  # what else is printed goes to standard error meanwhile
            return
        from quipu.serve.http.tools import read_token, serve_tools

        token = read_token(token_file) if token_file else ""
        run.note(f"serving at http://{host}:{port}/mcp; Ctrl-C ends it")
        serve_tools(server, host=host, port=port, token=token)


def _lacking(run: Invocation, folder: Path, opened: Callable[[], Memory]) -> "LackingMemory":
    """The memory that the work in the present folder lacks."""
    from quipu.serve.mcp.server import LackingMemory

    exists = (folder / DATABASE).exists

    def make() -> Memory:
        if not exists():
            folder.mkdir(parents=True, exist_ok=True)
            initialise(run, folder, settings=False)
        return opened()

    return LackingMemory(
        exists=exists,
        make=make,
        note=f"there is no memory in {str(folder)!r} or above it yet: the first thing that is "
        "stored makes one there; `quipu init` and `quipu index .` have its files read",
    )


@operation(None, Command())
def install_client(
    run: Invocation,
    client: Told,
    profile: Profiled = "default",
    name: Name = "quipu",
    project: Project = False,
    replacing: Annotated[
        bool, "put it in the place of one for another memory", Flag("--replace")
    ] = False,
) -> ClientChange:
    """Write this server into the configuration of a client; again changes nothing.

    One entry serves every project: the memory of the folder that the client works in. With --store,
    and for claude-desktop, which works in none, it serves that memory alone; an entry for another
    is not replaced: give --name or --replace.

    What else the file holds stays, and the file as it was is kept beside it. Restart the client
    afterwards. With --project the nearest .quipu is used wherever the project is checked out.

    $ quipu mcp install --client claude-code
    $ quipu mcp install --client codex --profile full
    $ quipu mcp install --client vscode --project
    """
    place = _place(run, client, project)
    change = install(place, name, _command(run, client, profile, project), replace=replacing)
    if find_spec("mcp") is None:
        run.note(NEEDS)
    return _told(client, change)


@operation(None, Command())
def uninstall_client(
    run: Invocation, client: Told, name: Name = "quipu", project: Project = False
) -> ClientChange:
    """Undo `quipu mcp install`; if nothing else changed since, the file is as it was before.

    $ quipu mcp uninstall --client claude-code
    """
    return _told(client, uninstall(_place(run, client, project), name))


@operation("write", Command())
def import_graph(memory: Memory, path: Annotated[Path, Word(), Exists()]) -> KnowledgeImported:
    """Take in the knowledge graph that the official MCP memory server keeps in PATH.

    Its entities, observations and relations become this memory's; what is there already is left
    alone, so the same file again changes nothing. A line that cannot be read is named.

    $ quipu mcp import memory.jsonl
    """
    return import_knowledge(memory, path)


def _told(client: Client, change: FileChange) -> ClientChange:
    return ClientChange(
        client=client,
        file=str(change.file),
        done=change.done,
        backup=str(change.backup) if change.backup else None,
    )


def _place(run: Invocation, client: Client, project: bool) -> ConfigFile:
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
